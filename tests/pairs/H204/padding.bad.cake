target sm_90a
// y = x * s by tiles of 64 x 32, in by TMA and out by TMA
kernel scale(x: f32[M, N], out y: f32[M, N], s: f32)
where 1 <= M <= 65536, 32 <= N <= 65536, N % 4 == 0
grid tile(i: cdiv(M, 64), j: cdiv(N, 32))
roles { load: warps 1; all: warps 4 }
pipeline p stages 1 from load to all { sx: f32[64, 32] pad 4 }
shared sy: f32[64, 32] swizzle 128
role load {
  acquire p
  tma.load sx <- x[i * 64, j * 32]
  commit p
}
role all {
  wait p
  store sy <- (load sx) * s
  release p keep 0
  fence async
  sync team
  tma.store y[i * 64, j * 32] <- sy
  bulk.commit
  bulk.wait 0
}
