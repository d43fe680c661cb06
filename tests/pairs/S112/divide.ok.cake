// y = 1000 / x, or 0
target sm_80
kernel share(x: u32[N], out y: u32[N])
where 1 <= N <= 1048576
grid tile(i: cdiv(N, 128))
roles { all: warps 4 }
role all {
  let v = (load x[i * 128 :+ 128] clip 1) | 1
  store y[i * 128 :+ 128] <- (v - v + 1000) / max(v, v) clip
}
