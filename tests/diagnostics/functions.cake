// Which functions exist for which element types.
target sm_80

kernel floats(x: f64[32], h: f16[32], e: e4m3[32], t: tf32[32], out y: f64[32])
where 1 <= 1
grid tile(i: 1)
roles { all: warps 1 }
role all {
  let a = load x[:]
  let b = load h[:]
  let c = load e[:]
  let d = load t[:]
  let f0 = exp(a) //~ H212
  let f1 = erf(a) //~ H212
  let f2 = rcp.approx(a) //~ H212
  let f3 = sqrt.approx.ftz(a) //~ H212
  let f4 = fma.ftz(b, b, b) //~ H212
  let f5 = abs(c) //~ H212
  let f6 = max(d, d) //~ H212
  let f7 = max(d) //~ H212
  let g0 = exp.approx.ftz(b)
  let g1 = exp2(cast f32 a)
  let g2 = fma.ftz(g1, g1, 2.0)
  let g3 = log.approx(2.0)
  let g4 = max.nan(a, 1.0)
  store y[:] <- sqrt(a) + rcp(a) + rsqrt(a) + round(a) + fma(a, a, g4)
}

kernel integers(x: i32[32], out y: i32[32])
where 1 <= 1
grid tile(i: 1)
roles { all: warps 1 }
role all {
  let a = load x[:]
  let f0 = max.nan(a, 1) //~ H212
  let f1 = min.nan(i, 1) //~ H212
  let f2 = min.nan(a) //~ H212
  let g0 = select(a > 0, a > 1, a < i)
  store y[:] <- popc(a) + clz(a) + abs(a) + min(a, i) + cdiv(i, 2)
}
