target sm_80
kernel rmsnorm(x: bf16[M, N], g: bf16[N], out y: bf16[M, N], eps: f32)
where 1 <= M <= 2147483647, 8 <= N <= 16384, N % 8 == 0, static N, eps > 0
grid tile(i: M)
roles { all: warps 8 }
const W = ceilto(N, 2048)                           // 256 threads, runs of 8
role all {
  let v = cast f32 (load x[i, 0 :+ W] vec 8 clip 0) // 0 is neutral for the sum of squares
  let s = rsqrt(sum(v * v) / N + eps)               // crosses warps: scratch and two barriers, listed in the plan
  let w = cast f32 (load g[0 :+ W] vec 8 clip 0)
  store y[i, 0 :+ W] <- cast bf16 (v * s * w) vec 8 clip
}
