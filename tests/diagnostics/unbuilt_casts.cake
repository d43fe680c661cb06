// Casts that no code is made for, and what 8-bit floats do not have.
target sm_90a
kernel casts(x: f32[M, 64], b: e4m3[M, 64], out y: f32[M, 64], out c: e4m3[M, 64], out h: f16[M, 64], out n: i8[M, 64])
where 1 <= M <= 100000, M % 16 == 0
grid tile(i: M / 16)
roles { all: warps 4 }
role all {
  let v = load x[i * 16 :+ 16, :]
  let w = load b[i * 16 :+ 16, :]
  store c[i * 16 :+ 16, :] <- w
  store c[i * 16 :+ 16, :] <- cast e4m3 v       //~ U001
  store y[i * 16 :+ 16, :] <- cast f32 w        //~ U001
  store n[i * 16 :+ 16, :] <- cast i8 v sat     //~ U001
  store n[i * 16 :+ 16, :] <- cast i8 v round rz
  store h[i * 16 :+ 16, :] <- cast f16 v round rz //~ U001
  store c[i * 16 :+ 16, :] <- w + w             //~ L302
  store c[i * 16 :+ 16, :] <- -w                //~ L302
}
