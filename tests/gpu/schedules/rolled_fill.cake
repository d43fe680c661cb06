// Slots that are filled in the turns of a rolled loop, and slots whose filling begins in one turn and ends in the next.
target sm_90a
kernel rolled_fill(x: f32[M, 64], out y: f32[M, 64])
where 1 <= M <= 1000000
grid tile(m: cdiv(M, 64))
roles { load: warps 1; all: warps 4 }
pipeline whole stages 2 from load to all { s: f32[64, 64] }
pipeline parts stages 2 from load to all { t: f32[16, 64] }
role load {
  acquire whole
  for j in 0 .. 8 step 2 { tma.load s[j * 8 :+ 16, :] <- x[m * 64 + j * 8 :+ 16, :] }
  commit whole
  acquire parts
  tma.load t <- x[m * 64, 0]
  for j in 1 .. 4 {
    commit parts
    acquire parts
    tma.load t <- x[m * 64 + j * 16, 0]
  }
  commit parts
}
role all {
  wait whole
  for j in 0 .. 4 {
    wait parts
    store y[m * 64 + j * 16 :+ 16, :] <- (load s[j * 16 :+ 16, :] + load t) clip
    fence async
    release parts keep 0
  }
  fence async
  release whole keep 0
}
