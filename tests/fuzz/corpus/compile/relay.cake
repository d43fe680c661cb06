target sm_90a
kernel copy(x: f32[N], out y: f32[N])
where 1 <= N <= 1000
grid tile(i: cdiv(N, 256))
roles { all: warps 8 }
role all {
  grid.wait
  store y[i * 256 :+ 256] <- (load x[i * 256 :+ 256] clip 0) clip
}
program relay(a: f32[4 * M], out b: f32[4 * M], out c: f32[M])
where 1 <= M <= 10000 {
  temp t: f32[4 * M]
  temp u: f32[M]
  fill t <- 0
  run copy(a, t)
  run copy(t, b) overlap
  fill u <- 1.5
  run copy(u, c)
}
