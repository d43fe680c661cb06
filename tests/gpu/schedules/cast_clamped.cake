// Casts that stop at the ends of their type (sat), and casts to floats that round to zero.
target sm_80
kernel cast_clamped(x: f32[M, 64], d: f64[M, 64], n: i32[M, 64], l: i64[M, 64], u: u32[M, 64],
    out xb: i8[M, 64], out xu: u16[M, 64], out dl: i64[M, 64], out nb: i8[M, 64], out nu: u32[M, 64], out un: i32[M, 64],
    out lh: f16[M, 64], out xh: f16[M, 64], out df: f32[M, 64], out xz: bf16[M, 64], out hz: f16[M, 64], out dz: f32[M, 64],
    out nz: f32[M, 64], out lz: f64[M, 64], out uz: bf16[M, 64], out xi: i32[M, 64])
where 1 <= M <= 1000000
grid tile(i: cdiv(M, 4))
roles { all: warps 4 }
let r = i * 4
role all {
  let v = load x[r :+ 4, :] clip 0
  let w = load d[r :+ 4, :] clip 0
  let k = load n[r :+ 4, :] clip 0
  let q = load l[r :+ 4, :] clip 0
  let p = load u[r :+ 4, :] clip 0
  store xb[r :+ 4, :] <- cast i8 v sat clip
  store xu[r :+ 4, :] <- cast u16 v sat clip
  store dl[r :+ 4, :] <- cast i64 (w * 1e-19) sat clip
  store nb[r :+ 4, :] <- cast i8 k sat clip
  store nu[r :+ 4, :] <- cast u32 k sat clip
  store un[r :+ 4, :] <- cast i32 p sat clip
  store lh[r :+ 4, :] <- cast f16 q sat clip
  store xh[r :+ 4, :] <- cast f16 (v * 1000.0) sat clip
  store df[r :+ 4, :] <- cast f32 w sat clip
  store xz[r :+ 4, :] <- cast bf16 v round rz clip
  store hz[r :+ 4, :] <- cast f16 (v * 1000.0) round rz clip
  store dz[r :+ 4, :] <- cast f32 w round rz clip
  store nz[r :+ 4, :] <- cast f32 k round rz clip
  store lz[r :+ 4, :] <- cast f64 q round rz clip
  store uz[r :+ 4, :] <- cast bf16 p round rz clip
  store xi[r :+ 4, :] <- cast i32 v clip
}
