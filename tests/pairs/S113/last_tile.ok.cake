// y = 2 * x
target sm_80
kernel double(x: f32[N], out y: f32[N])
where 4 <= N <= 2147483647, N % 4 == 0
grid tile(i: cdiv(N, 1024))
roles { all: warps 8 }
role all {
  let v = load x[i * 1024 :+ 1024] vec 4 clip 0
  store y[i * 1024 :+ 1024] <- v + v vec 4 clip
}
