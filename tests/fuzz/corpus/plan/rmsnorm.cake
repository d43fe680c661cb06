// y = x / sqrt(mean(x^2) + eps) * g, a row a CTA; bf16, sums in f32
target sm_80
kernel rmsnorm(x: bf16[M, N], g: bf16[N], out y: bf16[M, N], eps: f32)
where 1 <= M <= 2147483647, 8 <= N <= 16384, N % 8 == 0, static N, eps > 0
tune WARPS in {2, 4, 8, 16} = 8
grid tile(i: M)
roles { all: warps WARPS }
const W = ceilto(N, WARPS * 256)  // runs of 8 in every thread

role all {
  let v = cast f32 (load x[i, 0 :+ W] vec 8 clip 0)  // 0 is neutral for the sum of squares
  let w = cast f32 (load g[0 :+ W] vec 8 clip 0)     // before the sum: its latency hides behind the barriers
  let s = rsqrt(sum(v * v) / N + eps)
  store y[i, 0 :+ W] <- cast bf16 (v * s * w) vec 8 clip
}
