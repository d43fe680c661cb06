target sm_90a
// C[m,n] = sum over k of A[m,k] * B[n,k]: one role copies tiles, another multiplies them
kernel gemm(a: bf16[M, K], b: bf16[N, K], out c: bf16[M, N])
where 1 <= M <= 65536, 8 <= N <= 65536, 8 <= K <= 65536, N % 8 == 0, K % 8 == 0
tune BN in {64, 128, 256} = 128, STAGES in 2 .. 6 = 4
grid persistent tile(m: cdiv(M, 128), n: cdiv(N, BN)) order grouped(m, 8)
roles {
  load: warpgroups 1 regs 40
  math: warpgroups 2 regs 232
}
pipeline ab stages STAGES from load to math {
  sa: bf16[128, 64] swizzle 128
  sb: bf16[BN, 64] swizzle 128
}
role load {
  for tile (m, n) {
    for k in 0 .. cdiv(K, 64) {
      acquire ab
      tma.load sa <- a[m * 128, k * 64]
      tma.load sb <- b[n * BN, k * 64]
      commit ab
    }
  }
}
role math(w) {
  for tile (m, n) {
    var acc: f32[64, BN] = 0
    for k in 0 .. cdiv(K, 64) {
      wait ab
      wgmma acc += sa[w * 64 :+ 64, :] * sb.T
      wgmma.commit
      wgmma.wait 1
      release ab keep 1
    }
    wgmma.wait 0
    release ab keep 0
    store c[m * 128 + w * 64 :+ 64, n * BN :+ BN] <- cast bf16 acc vec 2 clip
  }
}
