target sm_90a
// eight warps take turns at one accumulator in shared memory
kernel ordered(x: f32[M, 256], out y: f32[M])
where 1 <= M <= 65536
grid tile(i: M)
roles { many: warps 8 }
shared total: f32[1]
baton turn over many
role many(w) {
  let s = sum(load x[i, w * 32 :+ 32])
  take turn
  if w == 0 { store total[0] <- s } else { store total[0] <- s + load total[0] }
  pass turn
  if w == 7 { store y[i] <- load total[0] }
}
