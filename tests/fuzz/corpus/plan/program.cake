target sm_80
kernel add(x: f32[N], y: f32[N], out z: f32[N])
where 1 <= N <= 1048576
grid tile(i: cdiv(N, 32))
roles { all: warps 1 }
role all {
  store z[i * 32 :+ 32] <- (load x[i * 32 :+ 32] clip 0) + (load y[i * 32 :+ 32] clip 0) clip
}
program twice(x: f32[N], y: f32[N], out z: f32[N])
where 1 <= N <= 1000 {
  temp t: f32[N]
  fill t <- 0
  run add(x, y, t)
  run add(t, x, z)
}
