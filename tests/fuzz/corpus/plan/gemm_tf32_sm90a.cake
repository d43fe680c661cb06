// C[m,n] = sum over k of A[m,k] * B[n,k]; tf32 products (a 10-bit mantissa is read), f32 sums
target sm_90a

kernel gemm_tf32(a: tf32[M, K], b: tf32[N, K], out c: f32[M, N])
where 1 <= M <= 1048576, 4 <= N <= 1048576, 4 <= K <= 1048576, N % 4 == 0, K % 4 == 0
tune STAGES in 2 .. 7 = 5
grid persistent tile(m: cdiv(M, 128), n: cdiv(N, 128)) order grouped(m, 8)
roles {
  load: warpgroups 1 regs 40
  math: warpgroups 2 regs 232
}
pipeline ab stages STAGES from load to math {
  sa: tf32[128, 32] swizzle 128
  sb: tf32[128, 32] swizzle 128
}

role load {
  for tile (m, n) {
    for k in 0 .. cdiv(K, 32) {
      acquire ab
      tma.load sa <- a[m * 128, k * 32]
      tma.load sb <- b[n * 128, k * 32]
      commit ab
    }
  }
}

role math(w) {
  for tile (m, n) {
    var acc: f32[64, 128] = 0
    for k in 0 .. cdiv(K, 32) {
      wait ab
      wgmma acc += sa[w * 64 :+ 64, :] * sb.T
      wgmma.commit
      wgmma.wait 1
      release ab keep 1
    }
    wgmma.wait 0
    release ab keep 0
    store c[m * 128 + w * 64 :+ 64, n * 128 :+ 128] <- acc vec 2 clip
  }
}
