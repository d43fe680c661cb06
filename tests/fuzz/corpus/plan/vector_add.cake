// z[i] = x[i] + y[i], 4 elements of 16 bytes a thread
target sm_80
kernel vector_add(x: f32[N], y: f32[N], out z: f32[N])
where 4 <= N <= 2147483647, N % 4 == 0
grid tile(i: cdiv(N, 1024))
roles { all: warps 8 }
role all {
  let a = load x[i * 1024 :+ 1024] vec 4 clip 0
  let b = load y[i * 1024 :+ 1024] vec 4 clip 0
  store z[i * 1024 :+ 1024] <- a + b vec 4 clip
}
