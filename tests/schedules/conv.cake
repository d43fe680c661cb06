// implicit GEMM convolution, channels last, 3x3, padding 1: y[p, f] = sum over r, s, c of x[pixel p shifted by (r, s), c] * w[f, r, s, c]
target sm_90a
kernel conv(x: bf16[NB, H, W, C], w: bf16[F, 3, 3, C], out y: bf16[NB, H, W, F])
where 1 <= NB <= 1024, 1 <= H <= 4096, 1 <= W <= 4096, 8 <= C <= 16384, 8 <= F <= 16384, C % 8 == 0, F % 8 == 0, NB * H * W <= 268435456
tune STAGES in 2 .. 6 = 4
view xi: bf16[NB * H * W, 3, 3, C] = im2col(x, pad=1)
view yv: bf16[NB * H * W, F] = y
grid persistent tile(m: cdiv(NB * H * W, 128), n: cdiv(F, 128)) order grouped(m, 8)
roles { load: warpgroups 1 regs 40; math: warpgroups 2 regs 232 }
pipeline ab stages STAGES from load to math { sa: bf16[128, 64] swizzle 128; sb: bf16[128, 64] swizzle 128 }
shared sc: bf16[2, 2, 64, 64] swizzle 128
role load {
  for tile (m, n) {
    for r in 0 .. 3 { for s in 0 .. 3 { for k in 0 .. cdiv(C, 64) {  // channels past C are zero in both operands
      acquire ab
      tma.load sa <- xi[m * 128 :+ 128, r, s, k * 64 :+ 64]
      tma.load sb <- w[n * 128 :+ 128, r, s, k * 64 :+ 64]
      commit ab
    } } }
  }
}
role math(t) {
  for tile (m, n) {
    var acc: f32[64, 128] = 0
    for k in 0 .. 9 * cdiv(C, 64) {
      wait ab
      wgmma acc += sa[t * 64 :+ 64, :] * sb.T
      wgmma.commit
      wgmma.wait 1
      release ab keep 1
    }
    wgmma.wait 0
    release ab keep 0
    for j in 0 .. 2 unroll {
      bulk.wait.read 1
      sync team
      store sc[t, j] <- cast bf16 acc[:, j * 64 :+ 64]
      fence async
      sync team
      tma.store yv[m * 128 + t * 64, n * 128 + j * 64] <- sc[t, j]
      bulk.commit
    }
  }
  bulk.wait 0
}
