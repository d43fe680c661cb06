// Where the extremes of rows are, by the built-in functions and by a combination of two tiles in step.
target sm_80
let best(a, i, b, j) = (select((b > a) | (b == a) & (j < i), b, a), select((b > a) | (b == a) & (j < i), j, i))
kernel argmax_rows(x: f32[M, N], out high: f32[M], out at: i32[M], out greatest: i32[M], out least: i32[M])
where 1 <= M <= 1000000, 1 <= N <= 8192, N % 2 == 0, static N
tune WARPS in {1, 4, 8} = 8
grid tile(m: M)
roles { all: warps WARPS }
const W = ceilto(N, WARPS * 64)
role all {
  let v = load x[m, 0 :+ W] vec 2 clip nan  // skipped by argmax and argmin
  let inside = iota(W) < N
  let h, i = reduce(best, select(inside, v, -inf), iota(W))
  store high[m] <- h
  store at[m] <- cast i32 i
  store greatest[m] <- cast i32 argmax(v)
  store least[m] <- cast i32 argmin(v)
}
