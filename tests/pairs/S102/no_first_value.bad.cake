// shape: M = 3, N = 2048
// row sums in one pass over chunks
target sm_80
kernel rows(x: f32[M, N], out y: f32[M])
where 1 <= M <= 2147483647, 1 <= N <= 1048576
grid tile(i: M)
roles { all: warps 8 }
role all {
  var total: f32[1024]
  for k in 0 .. cdiv(N, 1024) {
    total += load x[i, k * 1024 :+ 1024] clip 0
  }
  store y[i] <- sum(total)
}
