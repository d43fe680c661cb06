// shape: N = 64
// y = x, an element a round: one warp signals, another follows
target sm_80
kernel follow(x: f32[N], out y: f32[N])
where 1 <= N <= 65536
grid tile(i: 1)
roles { a: warps 1; b: warps 1 }
signal go count 1
signal back count 1
role a {
  for k in 0 .. N {
    arrive go
  }
}
role b {
  for k in 0 .. N {
    await go
    store y[k] <- load x[k]
    arrive back
  }
}
