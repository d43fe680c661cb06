// shape: N = 1024
// y = x reversed in blocks of 128: one warp reads, another writes
target sm_80
kernel turn(x: f32[N], out y: f32[N])
where 1 <= N <= 1048576
grid tile(i: 1)
roles { a: warps 1; b: warps 1 }
shared s: f32[2, 128]
signal full count 2
signal free count 1
role a {
  for k in 0 .. cdiv(N, 128) {
    if k > 0 { await free }
    store s[k % 2, 0 :+ 128] <- load x[k * 128 :+ 128] clip 0
    arrive full
  }
}
role b {
  for k in 0 .. cdiv(N, 128) {
    await full
    store y[k * 128 :+ 128] <- (load s[k % 2, 127 - iota(128)]) clip
    arrive free
  }
}
