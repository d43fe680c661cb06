target sm_90a
kernel copy(x: f32[N], out y: f32[N])
where 4 <= N <= 1048576, N % 4 == 0
grid tile(i: cdiv(N, 1024))
roles { all: warps 8 }
role all {
  store y[i * 1024 :+ 1024] <- (load z[i * 1024 :+ 1024] clip 0) clip
}
