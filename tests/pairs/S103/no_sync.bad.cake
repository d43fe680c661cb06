// shape: N = 1024
// y = x reversed in blocks of 256, through shared memory
target sm_80
kernel turn(x: f32[N], out y: f32[N])
where 1 <= N <= 2147483647
grid tile(i: cdiv(N, 256))
roles { all: warps 8 }
shared s: f32[256]
role all {
  store s <- load x[i * 256 :+ 256] clip 0
  store y[i * 256 :+ 256] <- (load s[255 - iota(256)]) clip
}
