// Functions as the language defines them, of f32.
target sm_80
kernel math_plain(x: f32[N], q: f32[N],
    out y_log: f32[N], out y_log2: f32[N], out y_sqrt: f32[N], out y_rsqrt: f32[N],
    out y_rcp: f32[N], out y_exp: f32[N], out y_exp2: f32[N], out y_tanh: f32[N],
    out y_erf: f32[N], out y_sin: f32[N], out y_cos: f32[N], out y_fma: f32[N],
    out y_abs: f32[N], out y_floor: f32[N], out y_ceil: f32[N], out y_round: f32[N])
where 1 <= N <= 16777216
grid tile(b: cdiv(N, 256))
roles { all: warps 4 }
role all {
  let at = b * 256
  let v = load x[at :+ 256] clip 0
  let p = load q[at :+ 256] clip 1
  store y_log[at :+ 256] <- log(p) clip
  store y_log2[at :+ 256] <- log2(p) clip
  store y_sqrt[at :+ 256] <- sqrt(p) clip
  store y_rsqrt[at :+ 256] <- rsqrt(p) clip
  store y_rcp[at :+ 256] <- rcp(p) clip
  store y_exp[at :+ 256] <- exp(v) clip
  store y_exp2[at :+ 256] <- exp2(v) clip
  store y_tanh[at :+ 256] <- tanh(v) clip
  store y_erf[at :+ 256] <- erf(v) clip
  store y_sin[at :+ 256] <- sin(v) clip
  store y_cos[at :+ 256] <- cos(v) clip
  store y_fma[at :+ 256] <- fma(v, p, v) clip
  store y_abs[at :+ 256] <- abs(v) clip
  store y_floor[at :+ 256] <- floor(v) clip
  store y_ceil[at :+ 256] <- ceil(v) clip
  store y_round[at :+ 256] <- round(v) clip
}
