// The one hardware instruction of each function.
target sm_80
kernel math_approx(x: f32[N], q: f32[N],
    out y_log_approx: f32[N], out y_log2_approx: f32[N], out y_sqrt_approx: f32[N], out y_rsqrt_approx: f32[N],
    out y_rcp_approx: f32[N], out y_exp_approx: f32[N], out y_exp2_approx: f32[N], out y_tanh_approx: f32[N],
    out y_sin_approx: f32[N], out y_cos_approx: f32[N])
where 1 <= N <= 16777216
grid tile(b: cdiv(N, 256))
roles { all: warps 4 }
role all {
  let at = b * 256
  let v = load x[at :+ 256] clip 0
  let p = load q[at :+ 256] clip 1
  store y_log_approx[at :+ 256] <- log.approx(p) clip
  store y_log2_approx[at :+ 256] <- log2.approx(p) clip
  store y_sqrt_approx[at :+ 256] <- sqrt.approx(p) clip
  store y_rsqrt_approx[at :+ 256] <- rsqrt.approx(p) clip
  store y_rcp_approx[at :+ 256] <- rcp.approx(p) clip
  store y_exp_approx[at :+ 256] <- exp.approx(v) clip
  store y_exp2_approx[at :+ 256] <- exp2.approx(v) clip
  store y_tanh_approx[at :+ 256] <- tanh.approx(v) clip
  store y_sin_approx[at :+ 256] <- sin.approx(v) clip
  store y_cos_approx[at :+ 256] <- cos.approx(v) clip
}
