// e4m3 with 1x128 scales of A and 128x128 scales of B; promotion to f32 every 128 of K
target sm_90a
kernel fp8_gemm(a: e4m3[M, K], b: e4m3[N, K], ra: f32[cdiv(K, 128), M], rb: f32[cdiv(N, 128), cdiv(K, 128)], out c: bf16[M, N])
where 4 <= M <= 1048576, 8 <= N <= 1048576, 16 <= K <= 1048576, M % 4 == 0, N % 8 == 0, K % 16 == 0
tune STAGES in 2 .. 6 = 5
grid persistent tile(m: cdiv(M, 128), n: cdiv(N, 128)) order grouped(m, 16)
roles { load: warpgroups 1 regs 40; math: warpgroups 2 regs 232 }
pipeline ab stages STAGES from load to math {
  sa: e4m3[128, 128] swizzle 128
  sb: e4m3[128, 128] swizzle 128
  sr: f32[128]  // A scales of this k block, one per row
}
shared sc: bf16[2, 2, 64, 64] swizzle 128
role load {
  for tile (m, n) {
    for k in 0 .. cdiv(K, 128) {
      acquire ab
      tma.load sa <- a[m * 128, k * 128]
      tma.load sb <- b[n * 128, k * 128]
      tma.load sr <- ra[k, m * 128]
      commit ab
    }
  }
}
role math(w) {
  for tile (m, n) {
    var acc: f32[64, 128] = 0
    for k in 0 .. cdiv(K, 128) {
      let q = load rb[n, k]
      var part: f32[64, 128]
      wait ab
      wgmma part = sa[w * 64 :+ 64, :] * sb.T  // four k32 steps, the first fresh
      wgmma.commit
      let r = load sr[w * 64 :+ 64]
      wgmma.wait 0
      fence async        // sr was read by load and will be refilled by TMA
      release ab keep 0  // after both the tensor core and the load of sr
      acc += part * (r * q)[:, None]
    }
    for j in 0 .. 2 unroll {
      bulk.wait.read 1
      sync team
      store sc[w, j % 2] <- cast bf16 acc[:, j * 64 :+ 64]
      fence async
      sync team
      tma.store c[m * 128 + w * 64, n * 128 + j * 64] <- sc[w, j % 2]
      bulk.commit
    }
  }
  bulk.wait 0
}
