// Inclusive sums along rows: a row lies over registers, lanes, warps and, where it is long, wraps around.
target sm_80
kernel scan_rows(x: i32[M, N], out y: i32[M, N])
where 1 <= M <= 1000000, 1 <= N <= 8192, N % 4 == 0, static N
tune WARPS in {1, 2, 4, 8} = 4, VEC in {1, 2, 4} = 4
grid tile(m: M)
roles { all: warps WARPS }
const W = ceilto(N, WARPS * 32 * VEC)
role all {
  let v = load x[m, 0 :+ W] vec VEC clip 0
  store y[m, 0 :+ W] <- scan(v) vec VEC clip
}
