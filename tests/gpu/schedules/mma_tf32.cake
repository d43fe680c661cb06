// C[m,n] = sum over k of A[m,k] * B[n,k] by m16n8k8: rows without swizzle, and eight columns, half of what ldmatrix.x4 brings
target sm_80

kernel mma_tf32(a: tf32[M, K], b: tf32[N, K], out c: f32[M, N])
where 1 <= M <= 1048576, 2 <= N <= 1048576, 4 <= K <= 1048576, N % 2 == 0, K % 4 == 0
grid tile(m: cdiv(M, 128), n: cdiv(N, 8))

roles { math: warps 4; load: warps 1 }

pipeline ab stages 3 from load to math {
  sa: tf32[128, 32] pad 4
  sb: tf32[8, 32] pad 4
}

role load {
  for k in 0 .. cdiv(K, 32) {
    acquire ab
    async.load sa <- a[m * 128 :+ 128, k * 32 :+ 32] clip 0
    async.load sb <- b[n * 8 :+ 8, k * 32 :+ 32] clip 0
    commit ab
  }
}

role math(w) {
  var acc: f32[32, 8] = 0
  for k in 0 .. cdiv(K, 32) {
    wait ab
    mma acc += sa[w * 32 :+ 32, :] * sb.T
    release ab keep 0
  }
  store c[m * 128 + w * 32 :+ 32, n * 8 :+ 8] <- acc vec 2 clip
}
