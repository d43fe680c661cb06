// Gather indices that broadcast beside other axes, parts of gathered axes, and new axes of places.
target sm_80
kernel gather_axes(x: f32[A, B, 8], at: i32[256], col: i32[16], s: f32[16], out y: f32[64, 16, 8], out z: f32[128], out w: f32[64, 16],
    out v: f32[16, 16], out u: f32[16, 32])
where 1 <= A <= 10000, 1 <= B <= 10000, all(0 <= at), all(at < A), all(0 <= col), all(col < B)
grid tile(i: 1)
roles { all: warps 4 }
shared sb: f32[16, 32] pad 1
role all {
  let rows = load at[0 :+ 64]
  let columns = load col[:]
  store y[:, :, :] <- load x[rows[:, None], columns[None, :], :] vec 4
  store z[:] <- load x[load at[:], 0, 5][128 :+ 128]
  store w[:, :] <- (load x[load at[0 :+ 64], None, 0, 3]) + (load s[None, :])
  store v[:, :] <- (load s[:, None]) * (load s[:][None, :])
  store sb <- cast f32 (iota(16)[:, None] * 32 + iota(32)[None, :])
  sync team
  store u[:, :] <- load sb[(15 - iota(16))[:, None], iota(32)[None, :]]
}
