// cluster of 2 along m: each CTA has its own A rows, B is fetched once, half by each CTA, multicast to both
target sm_90a
kernel gemm(a: bf16[M, K], b: bf16[N, K], out c: bf16[M, N])
where 1 <= M <= 1048576, 8 <= N <= 1048576, 8 <= K <= 1048576, N % 8 == 0, K % 8 == 0
tune BN in {128, 256} = 256, BK = 64, STAGES in 2 .. 7 = 4, GROUP in {2, 4, 8, 16} = 8
grid persistent tile(m: cdiv(M, 128), n: cdiv(N, BN)) order grouped(m, GROUP) cluster 2 along m
roles { load: warpgroups 1 regs 40; math: warpgroups 2 regs 232 }
pipeline ab stages STAGES from load to math {
  sa: bf16[128, BK] swizzle 128
  sb: bf16[BN, BK] swizzle 128
}
shared sc: bf16[2, 2, 64, 64] swizzle 128
role load {
  for tile (m, n) {
    for k in 0 .. cdiv(K, BK) {
      acquire ab  // both CTAs' math must have released: their halves land here
      tma.load sa <- a[m * 128, k * BK]
      tma.load sb[cta * (BN / 2) :+ BN / 2, :] <- b[n * BN + cta * (BN / 2), k * BK] multicast
      commit ab
    }
  }
  sync cluster
}
role math(w) {
  for tile (m, n) {
    var acc: f32[64, BN] = 0
    for k in 0 .. cdiv(K, BK) {
      wait ab
      wgmma acc += sa[w * 64 :+ 64, :] * sb.T
      wgmma.commit
      wgmma.wait 1
      release ab keep 1
    }
    wgmma.wait 0
    release ab keep 0
    for j in 0 .. BN / 64 unroll {
      bulk.wait.read 1
      sync team
      store sc[w, j % 2] <- cast bf16 acc[:, j * 64 :+ 64]
      fence async
      sync team
      tma.store c[m * 128 + w * 64, n * BN + j * 64] <- sc[w, j % 2]  // surplus tile: wholly outside, writes nothing
      bulk.commit
    }
  }
  bulk.wait 0
  sync cluster
}
