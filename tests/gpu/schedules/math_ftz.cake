// Functions that flush subnormal numbers to zero: of ordinary numbers, and of subnormal ones.
target sm_80
kernel math_ftz(x: f32[N], q: f32[N], tiny: f32[N],
    out y_log: f32[N], out y_log2: f32[N], out y_sqrt: f32[N], out y_rsqrt: f32[N], out y_rcp: f32[N], out y_exp: f32[N],
    out y_exp2: f32[N], out y_fma: f32[N], out y_log_both: f32[N], out y_rsqrt_both: f32[N], out y_exp2_both: f32[N],
    out z_sqrt: f32[N], out z_fma: f32[N], out z_product: f32[N], out z_exp2: f32[N], out z_kept: f32[N])
where 1 <= N <= 16777216
grid tile(b: cdiv(N, 256))
roles { all: warps 4 }
role all {
  let at = b * 256
  let v = load x[at :+ 256] clip 0
  let p = load q[at :+ 256] clip 1
  let t = load tiny[at :+ 256] clip 0
  store y_log[at :+ 256] <- log.ftz(p) clip
  store y_log2[at :+ 256] <- log2.ftz(p) clip
  store y_sqrt[at :+ 256] <- sqrt.ftz(p) clip
  store y_rsqrt[at :+ 256] <- rsqrt.ftz(p) clip
  store y_rcp[at :+ 256] <- rcp.ftz(p) clip
  store y_exp[at :+ 256] <- exp.ftz(v) clip
  store y_exp2[at :+ 256] <- exp2.ftz(v) clip
  store y_fma[at :+ 256] <- fma.ftz(v, p, v) clip
  store y_log_both[at :+ 256] <- log.approx.ftz(p) clip
  store y_rsqrt_both[at :+ 256] <- rsqrt.approx.ftz(p) clip
  store y_exp2_both[at :+ 256] <- exp2.approx.ftz(v) clip
  store z_sqrt[at :+ 256] <- sqrt.ftz(t) clip
  store z_fma[at :+ 256] <- fma.ftz(t, 1, 0) clip
  store z_product[at :+ 256] <- fma.ftz(t, v, v) clip
  store z_exp2[at :+ 256] <- exp2.approx.ftz(t - 130) clip
  store z_kept[at :+ 256] <- fma(t, 1, 0) clip
}
