// shape: N = 4096
// y = x * x through a slot, with a scale beside it
target sm_90a
kernel scaled(x: f32[N], z: f32[N], out y: f32[N])
where 4 <= N <= 1048576, N % 4 == 0
grid tile(i: 1)
roles { math: warps 4; load: warps 1 }
pipeline p stages 4 from load to math { sx: f32[128] }
const DEPTH = 1
shared side: f32[4, 32]
role load {
  for k in 0 .. cdiv(N, 128) {
    acquire p
    store sx <- load x[k * 128 :+ 128] clip 0
    store side[k % DEPTH, 0 :+ 32] <- load z[k * 32 :+ 32] clip 0
    commit p
  }
}
role math {
  for k in 0 .. cdiv(N, 128) {
    wait p
    let v = load sx
    let w = load side[k % DEPTH, 0]
    release p keep 0
    store y[k * 128 :+ 128] <- v * w clip
  }
}
