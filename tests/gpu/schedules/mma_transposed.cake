// C[m,n] = sum over k of A[k,m] * B[k,n] in f16: both operands lie along M and N, and ldmatrix transposes them
target sm_80

kernel mma_transposed(a: f16[K, M], b: f16[K, N], out c: f32[M, N])
where 8 <= M <= 1048576, 8 <= N <= 1048576, 1 <= K <= 1048576, M % 8 == 0, N % 8 == 0
grid tile(m: cdiv(M, 64), n: cdiv(N, 24))

roles { math: warps 4; load: warps 1 }

pipeline ab stages 3 from load to math {
  sa: f16[32, 64] pad 8  // columns of a swizzled one must be constant
  sb: f16[32, 32] swizzle 64
}

role load {
  for k in 0 .. cdiv(K, 32) {
    acquire ab
    async.load sa <- a[k * 32 :+ 32, m * 64 :+ 64] clip 0
    async.load sb <- b[k * 32 :+ 32, n * 24 :+ 32] clip 0
    commit ab
  }
}

role math(w) {
  var acc: f32[16, 24] = 0
  for k in 0 .. cdiv(K, 32) {
    wait ab
    mma acc += sa[:, w * 16 :+ 16].T * sb[:, 0 :+ 24]
    release ab keep 0
  }
  store c[m * 64 + w * 16 :+ 16, n * 24 :+ 24] <- acc vec 2 clip
}
