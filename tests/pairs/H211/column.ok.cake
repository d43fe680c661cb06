target sm_80
// C[m,n] = sum over k of A[m,k] * B[n,k] with cp.async and mma; each warp has a quarter of the tile
kernel gemm(a: f16[M, K], b: f16[N, K], out c: f32[M, N])
where 1 <= M <= 65536, 8 <= N <= 65536, 8 <= K <= 65536, N % 8 == 0, K % 8 == 0
tune STAGES in 2 .. 6 = 3
grid tile(m: cdiv(M, 64), n: cdiv(N, 64))
roles { load: warps 2; math: warps 4 }
pipeline ab stages STAGES from load to math {
  sa: f16[64, 64] swizzle 128
  sb: f16[64, 64] swizzle 128
}
role load {
  for k in 0 .. cdiv(K, 64) {
    acquire ab
    async.load sa <- a[m * 64 :+ 64, k * 64 :+ 64] clip 0
    async.load sb <- b[n * 64 :+ 64, k * 64 :+ 64] clip 0
    commit ab
  }
}
role math(w) {
  var acc: f32[16, 64] = 0
  for k in 0 .. cdiv(K, 64) {
    wait ab
    mma acc += sa[w * 16 :+ 16, :] * sb.T
    release ab keep 0
  }
  store c[m * 64 + w * 16 :+ 16, n * 64 :+ 64] <- acc vec 2 clip
}
