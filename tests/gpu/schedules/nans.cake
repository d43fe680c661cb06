// Minima and maxima that keep a NaN beside those that skip it, of each float type; conditions as numbers and back.
target sm_89
kernel nans(x: f32[M, 64], y: f32[M, 64], h: f16[M, 64], b: bf16[M, 64], d: f64[M, 64],
    out low: f32[M, 64], out low_nan: f32[M, 64], out high: f32[M, 64], out high_nan: f32[M, 64], out h_low: f16[M, 64],
    out h_low_nan: f16[M, 64], out b_high: bf16[M, 64], out b_high_nan: bf16[M, 64], out d_low: f64[M, 64],
    out d_low_nan: f64[M, 64], out rows: f32[M], out rows_nan: f32[M], out d_rows_nan: f64[M], out is_nan: bool[M, 64],
    out truth: i32[M, 64], out whole: f32[M, 64])
where 1 <= M <= 1048576
grid tile(i: M)
roles { all: warps 2 }
role all {
  let p = load x[i, :]
  let q = load y[i, :]
  store low[i, :] <- min(p, q)
  store low_nan[i, :] <- min.nan(p, q)
  store high[i, :] <- max(q, p)
  store high_nan[i, :] <- max.nan(q, p)
  let u = load h[i, :]
  store h_low[i, :] <- min(u, -u)
  store h_low_nan[i, :] <- min.nan(u, 1)
  let v = load b[i, :]
  store b_high[i, :] <- max(v, -1)
  store b_high_nan[i, :] <- max.nan(v, 2)
  let w = load d[i, :]
  store d_low[i, :] <- min(w, 0)
  store d_low_nan[i, :] <- min.nan(w, 0)
  store rows[i] <- max(p)
  store rows_nan[i] <- max.nan(p)
  store d_rows_nan[i] <- min.nan(w)
  store is_nan[i, :] <- p != p
  let on = cast bool (cast i32 select(w == w, w, 0))
  store truth[i, :] <- cast i32 on
  store whole[i, :] <- cast f32 (cast bool w)
}
