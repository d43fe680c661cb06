// The transpose of a tile in registers, and parts of a concat of which one takes the other's layout.
target sm_80
kernel turned(x: i32[B, 32, 64], t: i32[B, 64], out y: i32[B, 64, 32], out s: i32[B, 64], out z: i32[B, 192])
where 1 <= B <= 65535
grid tile(b: B)
roles { all: warps 4 }
role all {
  let v = load x[b, :, :] vec 4
  store y[b, :, :] <- relayout v.T vec 4
  let sums = sum(v.T, axis=1)
  store s[b, :] <- sums
  store z[b, :] <- concat(load t[b, :], concat(load t[b, :], relayout sums))
}
