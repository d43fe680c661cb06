// Casts to tf32, which round to ten bits after the point, and from it.
target sm_80
kernel cast_tf32(x: f32[M, 64], ties: f32[M, 64], d: f64[M, 64], h: f16[M, 64], n: i32[M, 64], t: tf32[M, 64],
    out xt: tf32[M, 64], out tt: tf32[M, 64], out dt: tf32[M, 64], out ht: tf32[M, 64], out nt: tf32[M, 64],
    out zt: tf32[M, 64], out tx: f32[M, 64], out td: f64[M, 64], out tb: bf16[M, 64], out tn: i32[M, 64])
where 1 <= M <= 1048576
grid tile(i: M)
roles { all: warps 2 }
role all {
  let v = load x[i, :]
  store xt[i, :] <- cast tf32 v
  store zt[i, :] <- cast tf32 v round rz
  store tt[i, :] <- cast tf32 (load ties[i, :])
  store dt[i, :] <- cast tf32 (load d[i, :])
  store ht[i, :] <- cast tf32 (load h[i, :])
  store nt[i, :] <- cast tf32 (load n[i, :])
  let w = load t[i, :]
  store tx[i, :] <- cast f32 w
  store td[i, :] <- cast f64 w
  store tb[i, :] <- cast bf16 w
  store tn[i, :] <- cast i32 w
}
