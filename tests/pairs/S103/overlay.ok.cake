// y = x reversed in blocks of 128 and then of 32, through buffers at one place
target sm_80
kernel turn(x: f32[N], out y: f32[N])
where 1 <= N <= 2147483647
grid tile(i: cdiv(N, 128))
roles { all: warps 4 }
shared s: f32[128]
shared t: f32[128] over s
role all {
  store s <- load x[i * 128 :+ 128] clip 0
  sync team
  let v = load s[127 - iota(128)]
  sync team  // all have read
  store t <- v
  sync team
  store y[i * 128 :+ 128] <- (load t[iota(128) / 32 * 32 + 31 - iota(128) % 32]) clip
}
