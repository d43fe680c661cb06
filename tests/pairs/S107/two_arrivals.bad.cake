// shape: N = 640
// y = x in blocks of 128 through one buffer of two: the reader answers once a block
target sm_80
kernel blocks(x: f32[N], out y: f32[N])
where 1 <= N <= 1048576
grid tile(i: 1)
roles { a: warps 1; b: warps 1 }
shared s: f32[128]
signal full count 1
signal free count 1
role a {
  for k in 0 .. cdiv(N, 128) {
    store s <- load x[k * 128 :+ 128] clip 0
    arrive full
    await free
  }
}
role b {
  for k in 0 .. cdiv(N, 128) {
    await full
    store y[k * 128 :+ 128] <- (load s) clip
    arrive free
    arrive free
  }
}
