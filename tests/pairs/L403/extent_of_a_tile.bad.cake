target sm_80
// y = x / sqrt(mean(x^2) + eps) * g, a row a CTA
kernel rmsnorm(x: bf16[M, N], g: bf16[N], out y: bf16[M, N], eps: f32)
where 1 <= M <= 2147483647, 8 <= N <= 2048, N % 8 == 0, eps > 0
tune W in {1024, 2048} = 2048
grid tile(i: M)
roles { all: warps 8 }
role all {
  let v = cast f32 (load x[i, 0 :+ W] vec 8 clip 0)
  let w = cast f32 (load g[0 :+ N] vec 8 clip 0)
  let s = rsqrt(sum(v * v) / N + eps)
  store y[i, 0 :+ W] <- cast bf16 (v * s * w) vec 8 clip
}
