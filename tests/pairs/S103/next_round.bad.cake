// shape: N = 4096
// y[b] = the sum of x reversed in each block: the buffer is used again in each round
target sm_80
kernel rounds(x: f32[N], out y: f32[N])
where 1 <= N <= 1048576
grid tile(i: 1)
roles { all: warps 8 }
shared s: f32[256]
role all {
  for k in 0 .. cdiv(N, 256) {
    store s <- load x[k * 256 :+ 256] clip 0
    sync team
    store y[k * 256 :+ 256] <- (load s[255 - iota(256)]) clip
  }
}
