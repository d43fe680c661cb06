// Blackwell, CTA pairs: 256 x 256 output a pair, accumulators in tensor memory, two of them so that the epilogue overlaps
target sm_100a
kernel tc5_gemm(a: bf16[M, K], b: bf16[N, K], out c: bf16[M, N])
where 1 <= M <= 1048576, 8 <= N <= 1048576, 8 <= K <= 1048576, N % 8 == 0, K % 8 == 0
tune STAGES in 2 .. 7 = 5
grid persistent tile(m: cdiv(M, 128), n: cdiv(N, 256)) order grouped(m, 8) cluster 2 along m
roles { load: warps 1; mma: warps 1 leader; epi: warpgroups 1 }
pipeline ab stages STAGES from load to mma {
  sa: bf16[128, 64] swizzle 128
  sb: bf16[128, 64] swizzle 128  // half of the pair's 256 columns
}
pipeline accs stages 2 from mma to epi { tmem acc: f32[128, 256] }
shared sc: bf16[2, 128, 64] swizzle 128
role load {
  for tile (m, n) {
    for k in 0 .. cdiv(K, 64) {
      acquire ab
      tma.load sa <- a[m * 128, k * 64]
      tma.load sb <- b[n * 256 + cta * 128, k * 64]
      commit ab
    }
  }
  sync cluster
}
role mma {
  for tile (m, n) {
    acquire accs
    for k in 0 .. cdiv(K, 64) {
      wait ab
      if k == 0 { tcgen05.mma acc = sa * sb.T pair } else { tcgen05.mma acc += sa * sb.T pair }
      release ab keep 0
    }
    commit accs
  }
  sync cluster
}
role epi {
  for tile (m, n) {
    wait accs
    for j in 0 .. 4 unroll {
      let t = load acc[:, j * 64 :+ 64]
      if j == 3 { release accs keep 0 }  // compile-time condition
      bulk.wait.read 1
      sync team
      store sc[j % 2] <- cast bf16 t
      fence async
      sync team
      tma.store c[m * 128, n * 256 + j * 64] <- sc[j % 2]
      bulk.commit
    }
  }
  bulk.wait 0
  sync cluster
}
