// shape: M = 64, N = 64, K = 128
// c = a * b.T, one warpgroup multiplies what one warp loads
target sm_90a
kernel product(a: bf16[M, K], b: bf16[N, K], out c: f32[M, N])
where 1 <= M <= 1048576, 2 <= N <= 1048576, 8 <= K <= 1048576, N % 2 == 0, K % 8 == 0
grid tile(m: cdiv(M, 64), n: cdiv(N, 64))
roles { math: warpgroups 1; load: warps 1 }
pipeline ab stages 3 from load to math { sa: bf16[64, 64] swizzle 128; sb: bf16[64, 64] swizzle 128 }
role load {
  for k in 0 .. cdiv(K, 64) {
    acquire ab
    tma.load sa <- a[m * 64, k * 64]
    tma.load sb <- b[n * 64, k * 64]
    commit ab
  }
}
role math {
  var acc: f32[64, 64]
  for k in 0 .. cdiv(K, 64) {
    wait ab
    wgmma acc += sa * sb.T
    wgmma.commit
    wgmma.wait 1
    release ab keep 1
  }
  wgmma.wait 0
  release ab keep 0
  store c[m * 64 :+ 64, n * 64 :+ 64] <- acc vec 2 clip
}
