// y[m, n] = sum over k of x[m, k] * (w[n, k] - 8) * s[n, k / 128]; weights as A from registers, so y is made transposed
target sm_90a
kernel int4_gemm(x: bf16[M, K], w: u4[N, K], s: bf16[cdiv(K, 128), N], out y: bf16[M, N])
where 1 <= M <= 65536, 128 <= N <= 65536, 128 <= K <= 65536, K % 128 == 0, N % 128 == 0
tune BM in {16, 32, 64, 128} = 64, STAGES in 3 .. 7 = 5
grid tile(n: N / 128, m: cdiv(M, BM))
roles { load: warpgroups 1 regs 40; math: warpgroups 2 regs 232 }
pipeline wx stages STAGES from load to math {
  sw: u4[128, 128]
  sx: bf16[BM, 128] swizzle 128
  sr: bf16[128]
}
role load {
  for k in 0 .. K / 128 {
    acquire wx
    tma.load sw <- w[n * 128, k * 128]
    tma.load sx <- x[m * BM, k * 128]
    tma.load sr <- s[k, n * 128]
    commit wx
  }
}
role math(t) {  // team t makes rows n * 128 + t * 64 .. + 64 of y transposed
  var acc: f32[64, BM] = 0
  for k in 0 .. K / 128 {
    wait wx
    let r = load sr[t * 64 :+ 64]
    let q = load sw[t * 64 :+ 64, :]
    let a = (cast bf16 q - 8) * r[:, None]
    wgmma acc += a * sx.T
    wgmma.commit
    wgmma.wait 0
    fence async
    release wx keep 0
  }
  store y.T[n * 128 + t * 64 :+ 64, m * BM :+ BM] <- cast bf16 acc clip
}
