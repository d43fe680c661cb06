// shape: N = 256
// the length of the chain that begins at each index
target sm_80
kernel chain(next: i32[N], out length: i32[N])
where 1 <= N <= 1024
grid tile(i: cdiv(N, 32))
roles { all: warps 1 }
role all {
  let mine = i * 32 + iota(32)
  var at = cast i32 mine
  var steps: i32[32] = 0
  while any(steps < 100) max 10 {
    steps = select(steps < 100, steps + 1, steps)
  }
  store length[mine] <- steps + at - at clip
}
