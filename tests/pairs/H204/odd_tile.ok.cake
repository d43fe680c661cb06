target sm_90a
// two tables of coefficients side by side in one slot
kernel blend(x: f32[8, 12], y: f32[8, 12], out z: f32[M, 12])
where 8 <= M <= 65536, M % 8 == 0
grid tile(i: M / 8)
roles { load: warps 1; all: warps 1 }
pipeline p stages 1 from load to all { sx: f32[2, 8, 12] }
role load {
  acquire p
  tma.load sx[0] <- x[0, 0]
  tma.load sx[1] <- y[0, 0]
  commit p
}
role all {
  wait p
  for r in 0 .. 6 {
    for c in 0 .. 12 { store z[i * 8 + r, c] <- (load sx[0, r, c]) + load sx[1, r, c] }
  }
  release p keep 0
}
