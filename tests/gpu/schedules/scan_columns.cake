// Sums down the columns of a matrix, in f32: rows lie over lanes and warps here.
target sm_80
kernel scan_columns(x: f32[B, 64, 8], out y: f32[B, 64, 8], out last: f32[B, 8])
where 1 <= B <= 65535
grid tile(b: B)
roles { all: warps 4 }
role all {
  let v = load x[b, :, :] vec 2
  let s = scan(v, axis=0)
  store y[b, :, :] <- s vec 2
  store last[b, :] <- sum(v, axis=0)
}
