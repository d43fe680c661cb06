target sm_90a
kernel copy(x: f32[N], out y: f32[N])
where 4 <= N <= 1048576, N % 4 == 0
tune VEC in {1, 2, 4} = 4
grid tile(i: cdiv(N, 1024))
roles { all: warps 8 }
role all {
  store y[i * 1024 :+ 1024] <- (load x[i * 1024 :+ 1024] vec VEC clip 0) vec VEC clip
}
