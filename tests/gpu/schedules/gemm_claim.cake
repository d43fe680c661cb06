// A product whose CTAs take their tiles from a counter: one role takes them, a ring passes them to both.
target sm_90a

kernel gemm_claim(a: bf16[M, K], b: bf16[N, K], out c: bf16[M, N], inout ticket: u32[1])
where 1 <= M <= 1048576, 8 <= N <= 1048576, 8 <= K <= 1048576, N % 8 == 0, K % 8 == 0, all(ticket == 0)
tune BM in {128} = 128, BN in {128, 256} = 256, BK = 64, STAGES in 2 .. 7 = 4, GROUP in {4, 8, 16} = 8
check BN % 128 == 0  // two store buffers a team: an even number of turns per tile

grid persistent tile(m: cdiv(M, BM), n: cdiv(N, BN)) order grouped(m, GROUP) claim ticket

roles {
  load: warpgroups 1 regs 40
  math: warpgroups 2 regs 232
}

pipeline ab stages STAGES from load to math {
  sa: bf16[BM, BK] swizzle 128
  sb: bf16[BN, BK] swizzle 128
}

shared sc: bf16[2, 2, 64, 64] swizzle 128  // per math team two buffers

role load {
  for tile (m, n) {
    for k in 0 .. cdiv(K, BK) {
      acquire ab
      tma.load sa <- a[m * BM, k * BK]
      tma.load sb <- b[n * BN, k * BK]
      commit ab
    }
  }
}

role math(w) {  // one team per warpgroup, w = 0, 1
  for tile (m, n) {
    var acc: f32[64, BN] = 0
    for k in 0 .. cdiv(K, BK) {
      wait ab
      wgmma acc += sa[w * 64 :+ 64, :] * sb.T
      wgmma.commit
      wgmma.wait 1       // the previous group has retired ...
      release ab keep 1  // ... so all slots but the newest may be refilled
    }
    wgmma.wait 0
    release ab keep 0
    for j in 0 .. BN / 64 unroll {
      bulk.wait.read 1  // the store that used this buffer two steps ago has read it
      sync team
      store sc[w, j % 2] <- cast bf16 acc[:, j * 64 :+ 64]
      fence async
      sync team
      tma.store c[m * BM + w * 64, n * BN + j * 64] <- sc[w, j % 2]
      bulk.commit
    }
  }
  bulk.wait 0
}
