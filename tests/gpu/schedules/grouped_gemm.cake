// mixture of experts: rows of A sorted by expert, off[g] .. off[g+1] are expert g's rows (any length, 0 too)
target sm_90a
kernel grouped_gemm(a: bf16[T, K], b: bf16[G, N, K], off: i32[G + 1], out c: bf16[T, N])
where 1 <= T <= 1048576, 1 <= G <= 1024, 8 <= N <= 65536, 8 <= K <= 65536, N % 8 == 0, K % 8 == 0,
    off[0] == 0, off[G] == T, nondecreasing(off)
tune STAGES in 2 .. 7 = 5
grid persistent tile(m: ragged(off, 128), n: cdiv(N, 128)) order row
roles { load: warpgroups 1 regs 40; math: warpgroups 2 regs 232 }
pipeline ab stages STAGES from load to math { sa: bf16[128, 64] swizzle 128; sb: bf16[128, 64] swizzle 128 }
shared sc: bf16[2, 64, 128] pad 8
role load {
  for tile (m, n) {
    for k in 0 .. cdiv(K, 64) {
      acquire ab
      tma.load sa <- a[m.row, k * 64]  // rows past the group belong to the next one: computed, not stored
      tma.load sb <- b[m.group, n * 128, k * 64]
      commit ab
    }
  }
}
role math(w) {
  for tile (m, n) {
    var acc: f32[64, 128] = 0
    for k in 0 .. cdiv(K, 64) {
      wait ab
      wgmma acc += sa[w * 64 :+ 64, :] * sb.T
      wgmma.commit
      wgmma.wait 1
      release ab keep 1
    }
    wgmma.wait 0
    release ab keep 0
    sync team  // previous tile's loads of sc[w] are done
    store sc[w] <- cast bf16 acc
    sync team
    let r = load sc[w] vec 8
    store c[m.row + w * 64 :+ 64, n * 128 :+ 128] <- r vec 8 clip where (w * 64 + iota(64) < m.rows)[:, None]
  }
}
