// C[m,n] = sum over k of A[m,k] * B[n,k]; bf16 in, f32 accumulate, bf16 out: one role that prefetches and multiplies
target sm_80

kernel gemm(a: bf16[M, K], b: bf16[N, K], out c: bf16[M, N])
where 1 <= M <= 1048576, 8 <= N <= 1048576, 8 <= K <= 1048576, N % 8 == 0, K % 8 == 0
tune BM in {128, 256} = 128, BN in {128, 256} = 256, BK in {32, 64} = 32, STAGES in 2 .. 6 = 4, GROUP in {4, 8, 16} = 8
const WM = BM / 2, WN = BN / 4                      // of one warp: two by four of them
const AHEAD = STAGES - 1

grid tile(m: cdiv(M, BM), n: cdiv(N, BN)) order grouped(m, GROUP)

roles { math: warps 8 }

pipeline ab stages STAGES from math to math {
  sa: bf16[BM, BK] swizzle 2 * BK
  sb: bf16[BN, BK] swizzle 2 * BK
}

role math(w) {
  let steps = cdiv(K, BK)
  var acc: f32[WM, WN] = 0
  for k in 0 .. min(AHEAD, steps) {
    acquire ab                                      // each warp brings its eighth of the slot
    async.load sa[w * (BM / 8) :+ BM / 8, :] <- a[m * BM + w * (BM / 8) :+ BM / 8, k * BK :+ BK] clip 0
    async.load sb[w * (BN / 8) :+ BN / 8, :] <- b[n * BN + w * (BN / 8) :+ BN / 8, k * BK :+ BK] clip 0
    commit ab
  }
  for k in 0 .. steps {
    wait ab
    if k + AHEAD < steps {
      acquire ab                                    // the slot of the step before
      async.load sa[w * (BM / 8) :+ BM / 8, :] <- a[m * BM + w * (BM / 8) :+ BM / 8, (k + AHEAD) * BK :+ BK] clip 0
      async.load sb[w * (BN / 8) :+ BN / 8, :] <- b[n * BN + w * (BN / 8) :+ BN / 8, (k + AHEAD) * BK :+ BK] clip 0
      commit ab
    }
    mma acc += sa[w / 4 * WM :+ WM, :] * sb[w % 4 * WN :+ WN, :].T
    release ab keep 0
  }
  store c[m * BM + w / 4 * WM :+ WM, n * BN + w % 4 * WN :+ WN] <- cast bf16 acc vec 2 clip
}
