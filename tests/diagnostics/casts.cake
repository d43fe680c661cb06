// What casts and computations 8-bit floats and 4-bit integers do not have.
target sm_90a
kernel casts(x: f32[M, 64], b: e4m3[M, 64], h: u4[M, 64], out y: f32[M, 64], out c: e4m3[M, 64], out g: e5m2[M, 64], out n: i8[M, 64],
    out i4s: i4[M, 64])
where 1 <= M <= 100000, M % 16 == 0
grid tile(i: M / 16)
roles { all: warps 4 }
role all {
  let v = load x[i * 16 :+ 16, :]
  let w = load b[i * 16 :+ 16, :]
  let u = load h[i * 16 :+ 16, :] vec 2
  store c[i * 16 :+ 16, :] <- w
  store g[i * 16 :+ 16, :] <- cast e5m2 v
  store y[i * 16 :+ 16, :] <- cast f32 w
  store n[i * 16 :+ 16, :] <- cast i8 v sat
  store n[i * 16 :+ 16, :] <- cast i8 v round rz
  store n[i * 16 :+ 16, :] <- cast i8 u
  store i4s[i * 16 :+ 16, :] <- bitcast i4 u vec 2
  store i4s[i * 16 :+ 16, :] <- bitcast i4 u    //~ L504
  store n[i * 16 :+ 16, :] <- cast i8 (u + u)   //~ L302
  store c[i * 16 :+ 16, :] <- cast e4m3 v round rz //~ H212
  store c[i * 16 :+ 16, :] <- w + w             //~ L302
  store c[i * 16 :+ 16, :] <- -w                //~ L302
}
