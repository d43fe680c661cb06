// how many halvings bring each x below 1, at most 64
target sm_80
kernel halvings(x: f32[N], out y: i32[N])
where 1 <= N <= 1048576
grid tile(i: cdiv(N, 128))
roles { all: warps 4 }
role all {
  var v = abs(load x[i * 128 :+ 128] clip 0) + 1000.0
  var steps: i32[128] = 0
  while any(v >= 1.0) max 64 {
    steps = steps + select(v >= 1.0, 1, 0)
    v = select(v >= 1.0, v * 0.5, v)
  }
  store y[i * 128 :+ 128] <- steps clip
}
