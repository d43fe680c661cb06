// Operators, functions, reductions and casts of integers of 8 to 64 bits.
target sm_80
kernel integer_types(a: i8[M, 64], b: u8[M, 64], c: i16[M, 64], d: u16[M, 64], e: u32[M, 64], f: i64[M, 64], g: u64[M, 64],
    out a_mean: i8[M, 64], out a_abs: i8[M, 64], out a_low: i8[M, 64], out a_shift: i8[M, 64], out a_rows: i8[M], out a_wide: i16[M, 64],
    out a_float: f32[M, 64], out b_sum: u8[M, 64], out b_bits: u8[M, 64], out b_popc: u8[M, 64], out b_clz: u8[M, 64], out b_rows: u8[M],
    out b_signed: i8[M, 64], out c_product: i16[M, 64], out c_ratio: i16[M, 64], out c_rest: i16[M, 64], out c_clz: i16[M, 64],
    out c_most: i16[M], out c_half: f16[M, 64], out d_sum: u16[M, 64], out d_popc: u16[M, 64], out d_shift: u16[M, 64],
    out d_least: u16[M], out d_byte: u8[M, 64], out e_sum: u32[M], out e_low: u32[M, 64], out e_popc: u32[M, 64],
    out e_short: u16[M, 64], out f_sum: i64[M], out f_least: i64[M], out f_clz: i64[M, 64], out f_short: i16[M, 64],
    out g_most: u64[M], out g_sum: u64[M], out g_mix: u64[M, 64], out g_double: f64[M, 64])
where 1 <= M <= 1048576
grid tile(i: M)
roles { all: warps 2 }
role all {
  let p = load a[i, :]
  store a_mean[i, :] <- p / 2 - p % 3
  store a_abs[i, :] <- abs(p)
  store a_low[i, :] <- min(p, -p)
  store a_shift[i, :] <- p >> 2
  store a_rows[i] <- sum(p % 2)
  store a_wide[i, :] <- cast i16 p
  store a_float[i, :] <- cast f32 p

  let q = load b[i, :]
  store b_sum[i, :] <- q + q * 3
  store b_bits[i, :] <- (q & 0x3C | 1) ^ ~q
  store b_popc[i, :] <- popc(q)
  store b_clz[i, :] <- clz(q)
  store b_rows[i] <- sum(q & 1)
  store b_signed[i, :] <- cast i8 (q >> 1)

  let r = load c[i, :]
  store c_product[i, :] <- r * 3
  store c_ratio[i, :] <- r / 7
  store c_rest[i, :] <- r % 7
  store c_clz[i, :] <- clz(abs(r))
  store c_most[i] <- max(r)
  store c_half[i, :] <- cast f16 (r / 8)

  let s = load d[i, :]
  store d_sum[i, :] <- s * s + 1
  store d_popc[i, :] <- popc(s)
  store d_shift[i, :] <- s << 3
  store d_least[i] <- min(s)
  store d_byte[i, :] <- cast u8 s

  let t = load e[i, :]
  store e_sum[i] <- sum(t)
  store e_low[i, :] <- min(t, t * 2)
  store e_popc[i, :] <- popc(t)
  store e_short[i, :] <- cast u16 t

  let u = load f[i, :]
  store f_sum[i] <- sum(u)
  store f_least[i] <- min(u)
  store f_clz[i, :] <- clz(abs(u))
  store f_short[i, :] <- cast i16 u

  let v = load g[i, :]
  store g_most[i] <- max(v)
  store g_sum[i] <- sum(v)
  store g_mix[i, :] <- (v ^ v >> 7) % 1000
  store g_double[i, :] <- cast f64 v
}
