// shape: M = 64, N = 64
// c = a * b.T; a product that nobody reads is begun while c is stored
target sm_90a
kernel product(a: bf16[M, 64], b: bf16[N, 64], out c: f32[M, N])
where 1 <= M <= 1048576, 2 <= N <= 1048576, N % 2 == 0
grid tile(m: cdiv(M, 64), n: cdiv(N, 64))
roles { all: warpgroups 1 }
shared sa: bf16[64, 64] swizzle 128
shared sb: bf16[64, 64] swizzle 128
role all {
  var acc: f32[64, 64] = 0
  var next: f32[64, 64] = 0
  store sa <- (load a[m * 64 :+ 64, :] vec 8 clip 0) vec 8
  store sb <- (load b[n * 64 :+ 64, :] vec 8 clip 0) vec 8
  fence async
  sync team
  wgmma acc += sa * sb.T
  wgmma.commit
  wgmma next += sa * sb.T
  wgmma.commit
  wgmma.wait 1
  store c[m * 64 :+ 64, n * 64 :+ 64] <- acc vec 2 clip
}
