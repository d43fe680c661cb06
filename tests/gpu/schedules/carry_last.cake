// The last value that is not zero, so far and of the whole row: a combination whose sides may not be changed.
target sm_80
let last(a, b) = select(b != 0, b, a)
kernel carry_last(x: i32[M, N], out y: i32[M, N], out z: i32[M], out w: i32[M])
where 1 <= M <= 1000000, 1 <= N <= 8192, N % 2 == 0, static N
grid tile(m: M)
roles { all: warps 4 }
const W = ceilto(N, 256)
role all {
  let v = load x[m, 0 :+ W] vec 2 clip 0
  store y[m, 0 :+ W] <- scan(last, v) vec 2 clip
  store z[m] <- reduce(last, v)
  store w[m] <- sum(reduce(last, v within warp))  // of each warp the last in order of its elements
}
