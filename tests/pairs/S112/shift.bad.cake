// shape: N = 64
// y = 1 << (x mod 32)
target sm_80
kernel bits(x: u32[N], out y: u32[N])
where 1 <= N <= 1048576
grid tile(i: cdiv(N, 128))
roles { all: warps 4 }
role all {
  let v = load x[i * 128 :+ 128] clip 0
  let by = v | 32
  store y[i * 128 :+ 128] <- (v - v + 1) << by clip
}
