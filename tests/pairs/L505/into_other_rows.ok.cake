target sm_80
// rows of 32 become rows of 48 or 96
kernel regroup(x: f32[96, 32], out y: f32[3072])
grid tile(i: 1)
roles { all: warps 4 }
role all {
  let a = load x[:, :] vec 4
  let b = reshape(a, 48, 64)
  store y[:] <- reshape(a, 3072)
}
