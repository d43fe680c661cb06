target sm_80
kernel spill(x: f32[N], out y: f32[N])
where 4096 <= N <= 1048576, N % 4096 == 0
grid tile(i: cdiv(N, 262144))
roles { all: warps 32 }
role all {
  let a = load x[i * 262144 :+ 262144] clip 0
  let s = sum(a)
  store y[i * 262144 :+ 262144] <- (a * s) clip
}
