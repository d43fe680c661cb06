// Elements that the host works out at each launch: scalar arguments, and what tensors are filled with, strides included.
target sm_80
kernel scaled(x: f32[M, N], a: f32, n: i32, b: f64, out y: f32[M, N], out z: f64[M])
where 1 <= M <= 65536, 1 <= N <= 65536
grid tile(m: M, n0: cdiv(N, 256))
roles { all: warps 4 }
role all {
  store y[m, n0 * 256 :+ 256] <- (load x[m, n0 * 256 :+ 256] clip 0) * a + cast f32 n clip
  if n0 == 0 { store z[m] <- b }
}
program launch_values(x: f32[M, N], s: f32, k: i32, out y: f32[M, N], out z: f64[M], out w: f32[M, N] strides [N, 1], out v: i64[N, M] strides [M, 1], out u: f32[M], out t: i32[M])
where 1 <= M <= 1000, 1 <= N <= 1000 {
  fill w <- s
  fill v <- -5
  fill u <- 1.5 / sqrt(cast f32 (M * N)) + s
  fill t <- M - N * 2
  run scaled(x, s / cast f32 N, k * 2 - 1, 1.0 / cast f64 M, y, z)
}
