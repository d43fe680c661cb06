// C[m,n] = sum over k of A[m,k] * B[n,k] by m16n8k32: rows in a swizzle, both operands by way of registers
target sm_80

kernel mma_s8(a: i8[M, K], b: i8[N, K], out c: i32[M, N])
where 1 <= M <= 1048576, 2 <= N <= 1048576, 16 <= K <= 1048576, N % 2 == 0, K % 16 == 0
grid tile(m: cdiv(M, 64), n: cdiv(N, 64))

roles { math: warps 4 }

pipeline ab stages 4 from math to math {
  sa: i8[64, 64] swizzle 64
  sb: i8[64, 64] swizzle 64
}

role math(w) {
  let steps = cdiv(K, 64)
  var acc: i32[32, 32] = 0
  for k in 0 .. min(2, steps) {
    acquire ab
    async.load sa[w * 16 :+ 16, :] <- a[m * 64 + w * 16 :+ 16, k * 64 :+ 64] clip 0
    async.load sb[w * 16 :+ 16, :] <- b[n * 64 + w * 16 :+ 16, k * 64 :+ 64] clip 0
    commit ab
  }
  for k in 0 .. steps {
    wait ab
    if k + 2 < steps {
      acquire ab
      async.load sa[w * 16 :+ 16, :] <- a[m * 64 + w * 16 :+ 16, (k + 2) * 64 :+ 64] clip 0
      async.load sb[w * 16 :+ 16, :] <- b[n * 64 + w * 16 :+ 16, (k + 2) * 64 :+ 64] clip 0
      commit ab
    }
    let x = load sa[w / 2 * 32 :+ 32, :]
    let y = load sb[w % 2 * 32 :+ 32, :]
    mma acc += x * y.T
    release ab keep 0
  }
  store c[m * 64 + w / 2 * 32 :+ 32, n * 64 + w % 2 * 32 :+ 32] <- acc vec 2 clip
}
