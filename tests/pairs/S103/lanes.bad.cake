// shape: N = 64
// y = x reversed in blocks of 32, one warp each
target sm_80
kernel turn(x: f32[N], out y: f32[N])
where 1 <= N <= 2147483647
grid tile(i: cdiv(N, 32))
roles { all: warps 1 }
shared s: f32[32]
role all {
  store s <- load x[i * 32 :+ 32] clip 0
  store y[i * 32 :+ 32] <- (load s[31 - iota(32)]) clip
}
