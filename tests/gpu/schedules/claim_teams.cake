// Warps as teams of two roles walk claimed tiles together: the first warp of the first role takes them for all.
target sm_80
kernel claim_teams(x: f32[M, 256], out y: f32[M, 256], inout ticket: u32[1])
where 1 <= M <= 1000000, all(ticket == 0)
grid persistent tile(b: cdiv(M, 4)) claim ticket
roles { low: warps 2; high: warps 2 }
role low(w) {
  for tile (b) { store y[b * 4 + w :+ 1, :] <- (load x[b * 4 + w :+ 1, :] vec 4 clip 0) * 2 vec 4 clip }
}
role high(w) {
  for tile (b) { store y[b * 4 + 2 + w :+ 1, :] <- (load x[b * 4 + 2 + w :+ 1, :] vec 4 clip 0) * 2 vec 4 clip }
}
