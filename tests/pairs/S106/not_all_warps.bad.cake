// shape: N = 1024
// y = 2 * x in blocks of 128: two teams fill halves of a buffer, a warp writes them
target sm_80
kernel halves(x: f32[N], out y: f32[N])
where 1 <= N <= 1048576
grid tile(i: 1)
roles { fill: warps 2; write: warps 1 }
shared s: f32[2, 64]
signal full count 2
signal free count 1
role fill(w) {
  for k in 0 .. cdiv(N, 128) {
    let v = load x[k * 128 + w * 64 :+ 64] clip 0
    store s[w, 0 :+ 64] <- v + v
    if k * 128 + w * 64 < N - 64 { arrive full }
    await free
  }
}
role write {
  for k in 0 .. cdiv(N, 128) {
    await full
    store y[k * 128 :+ 64] <- (load s[0, 0 :+ 64]) clip
    store y[k * 128 + 64 :+ 64] <- (load s[1, 0 :+ 64]) clip
    arrive free
  }
}
