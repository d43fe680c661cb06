// C[m,n] = sum over k of A[k,m] * B[k,n]: both operands lie along M and N in shared memory; f16 by one, bf16 by a second product.
target sm_90a
kernel wgmma_turned(a: f16[K, M], b: f16[K, N], c: bf16[K, M], d: bf16[N, K], out y: f32[M, N], out z: f32[M, N])
where 8 <= M <= 1048576, 8 <= N <= 1048576, 8 <= K <= 1048576, M % 8 == 0, N % 8 == 0, K % 8 == 0
grid tile(m: cdiv(M, 128), n: cdiv(N, 64))
roles {
  load: warps 1
  math: warpgroups 2
}
pipeline p stages 3 from load to math {
  sa: f16[64, 128] swizzle 128
  sb: f16[64, 64] swizzle 128
  sc: bf16[64, 128] swizzle 128
  sd: bf16[64, 64] swizzle 128
}
role load {
  for k in 0 .. cdiv(K, 64) {
    acquire p
    tma.load sa <- a[k * 64, m * 128]
    tma.load sb <- b[k * 64, n * 64]
    tma.load sc <- c[k * 64, m * 128]
    tma.load sd <- d[n * 64, k * 64]
    commit p
  }
}
role math(w) {
  var u: f32[64, 64] = 0
  var v: f32[64, 64] = 0
  for k in 0 .. cdiv(K, 64) {
    wait p
    wgmma u += sa[:, w * 64 :+ 64].T * sb
    wgmma v += sc[:, w * 64 :+ 64].T * sd.T
    wgmma.commit
    wgmma.wait 0
    release p keep 0
  }
  store y[m * 128 + w * 64 :+ 64, n * 64 :+ 64] <- u vec 2 clip
  store z[m * 128 + w * 64 :+ 64, n * 64 :+ 64] <- v vec 2 clip
}
