// C[m,n] = sum over k of A[m,k] * B[n,k]; bf16 in, f32 accumulate, bf16 out: warps that copy beside warps that multiply
target sm_80

kernel gemm(a: bf16[M, K], b: bf16[N, K], out c: bf16[M, N])
where 1 <= M <= 1048576, 8 <= N <= 1048576, 8 <= K <= 1048576, N % 8 == 0, K % 8 == 0
tune BM in {128, 256} = 128, BN in {128, 256} = 256, BK in {32, 64} = 64, STAGES in 2 .. 9 = 3, GROUP in {4, 8, 16} = 8, LOADERS in {1, 2, 4} = 4
const WM = BM / 2, WN = BN / 4  // of one warp: two by four of them

grid persistent tile(m: cdiv(M, BM), n: cdiv(N, BN)) order grouped(m, GROUP)

roles { math: warps 8; load: warps LOADERS }

pipeline ab stages STAGES from load to math {
  sa: bf16[BM, BK] swizzle 2 * BK
  sb: bf16[BN, BK] swizzle 2 * BK
}

role load {
  for tile (m, n) {
    for k in 0 .. cdiv(K, BK) {
      acquire ab
      async.load sa <- a[m * BM :+ BM, k * BK :+ BK] clip 0
      async.load sb <- b[n * BN :+ BN, k * BK :+ BK] clip 0
      commit ab
    }
  }
}

role math(w) {
  for tile (m, n) {
    var acc: f32[WM, WN] = 0
    for k in 0 .. cdiv(K, BK) {
      wait ab
      mma acc += sa[w / 4 * WM :+ WM, :] * sb[w % 4 * WN :+ WN, :].T
      release ab keep 0
    }
    store c[m * BM + w / 4 * WM :+ WM, n * BN + w % 4 * WN :+ WN] <- cast bf16 acc vec 2 clip
  }
}
