// Operators, functions, comparisons, reductions and casts of f64, f16 and bf16.
target sm_80
kernel float_types(a: f64[M, 64], b: f64[M, 64], ha: f16[M, 64], hb: f16[M, 64], ba: bf16[M, 64], bb: bf16[M, 64],
    out d_sum: f64[M, 64], out d_ratio: f64[M, 64], out d_fma: f64[M, 64], out d_root: f64[M, 64], out d_low: f64[M, 64],
    out d_floor: f64[M, 64], out d_single: f32[M, 64], out d_int: i64[M, 64], out d_back: f64[M, 64], out d_rows: f64[M],
    out d_most: f64[M], out h_sum: f16[M, 64], out h_ratio: f16[M, 64], out h_fma: f16[M, 64], out h_exp: f16[M, 64],
    out h_high: f16[M, 64], out h_ceil: f16[M, 64], out h_wide: f64[M, 64], out h_rows: f16[M], out h_least: f16[M],
    out b_sum: bf16[M, 64], out b_product: bf16[M, 64], out b_less: u8[M, 64], out b_root: bf16[M, 64],
    out b_round: bf16[M, 64], out b_half: f16[M, 64], out b_rows: bf16[M], out b_most: bf16[M])
where 1 <= M <= 1048576
grid tile(i: M)
roles { all: warps 2 }
role all {
  let x = load a[i, :]
  let y = load b[i, :]
  store d_sum[i, :] <- x - y
  store d_ratio[i, :] <- x / y
  store d_fma[i, :] <- fma(x, y, -x)
  store d_root[i, :] <- sqrt(abs(x)) * rsqrt(y)
  store d_low[i, :] <- min(x, y)
  store d_floor[i, :] <- floor(x) + round(y)
  store d_single[i, :] <- cast f32 x
  store d_int[i, :] <- cast i64 (x * 1000)
  store d_back[i, :] <- cast f64 (cast i32 x)
  store d_rows[i] <- sum(floor(x))
  store d_most[i] <- max(x)

  let hx = load ha[i, :]
  let hy = load hb[i, :]
  store h_sum[i, :] <- hx + hy
  store h_ratio[i, :] <- hx / hy
  store h_fma[i, :] <- fma(hx, hy, hx)
  store h_exp[i, :] <- exp(-hy)
  store h_high[i, :] <- max(hx, hy)
  store h_ceil[i, :] <- ceil(hx)
  store h_wide[i, :] <- cast f64 hx
  store h_rows[i] <- sum(floor(hx))
  store h_least[i] <- min(hx)

  let bx = load ba[i, :]
  let by = load bb[i, :]
  store b_sum[i, :] <- bx - by
  store b_product[i, :] <- bx * by
  store b_less[i, :] <- select(bx < by, cast u8 1, cast u8 0)
  store b_root[i, :] <- sqrt(by)
  store b_round[i, :] <- round(bx)
  store b_half[i, :] <- cast f16 bx
  store b_rows[i] <- sum(select(bx < by, bx * 0 + 1, -1))
  store b_most[i] <- max(bx)
}
