// y = (x - mean) / sqrt(var + eps) * g + b, a row a CTA; two passes over registers, so that the variance does not cancel
target sm_80
kernel layernorm(x: bf16[M, N], g: bf16[N], b: bf16[N], out y: bf16[M, N], eps: f32)
where 1 <= M <= 2147483647, 8 <= N <= 16384, N % 8 == 0, static N, eps > 0
tune WARPS in {2, 4, 8, 16} = 8
grid tile(i: M)
roles { all: warps WARPS }
const W = ceilto(N, WARPS * 256)

role all {
  let v = cast f32 (load x[i, 0 :+ W] vec 8 clip 0)
  let gain = cast f32 (load g[0 :+ W] vec 8 clip 0)
  let bias = cast f32 (load b[0 :+ W] vec 8 clip 0)
  let d = select(iota(W) < N, v - sum(v) / N, 0.0)  // elements past the row must not count in the variance
  let s = rsqrt(sum(d * d) / N + eps)
  store y[i, 0 :+ W] <- cast bf16 (d * s * gain + bias) vec 8 clip
}
