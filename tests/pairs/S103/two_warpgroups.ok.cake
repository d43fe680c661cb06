// c = a * b.T, operands staged by the two warpgroups that multiply them
target sm_90a
kernel product(a: bf16[M, K], b: bf16[N, K], out c: f32[M, N])
where 1 <= M <= 1048576, 2 <= N <= 1048576, 8 <= K <= 1048576, N % 2 == 0, K % 8 == 0
grid tile(m: cdiv(M, 128), n: cdiv(N, 64))
roles { all: warpgroups 2 }
shared sa: bf16[128, 64] swizzle 128
shared sb: bf16[64, 64] swizzle 128
role all {
  var acc: f32[128, 64] = 0
  for k in 0 .. cdiv(K, 64) {
    store sa <- (load a[m * 128 :+ 128, k * 64 :+ 64] vec 8 clip 0) vec 8
    store sb <- (load b[n * 64 :+ 64, k * 64 :+ 64] vec 8 clip 0) vec 8
    fence async
    sync team
    wgmma acc += sa * sb.T
    wgmma.commit
    wgmma.wait 0
    sync team  // neither stores again while the other one multiplies
  }
  store c[m * 128 :+ 128, n * 64 :+ 64] <- acc vec 2 clip
}
