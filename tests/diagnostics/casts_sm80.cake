// Casts that sm_80 has not.
target sm_80

kernel narrow_floats(b: e4m3[32], out y: f32[32], out c: e4m3[32])
grid tile(i: 1)
roles { all: warps 1 }
role all {
  store y[:] <- cast f32 (load b[:])  //~ H106
  store c[:] <- load b[:]
}
