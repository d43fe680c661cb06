// Sums of rows by clusters of four CTAs, through each other's shared memory: by stores, loads and an atomic.
target sm_90a
kernel cluster_sum(x: i32[M, N], out y: i32[M, 4], out z: i32[M, 4], out w: i32[M], out v: i32[M, 4, 128])
where 1 <= M <= 1000000, 128 <= N <= 4096, N % 4 == 0, static N
grid tile(m: M, q: 4) cluster 4 along q
roles { all: warps 4 }
const W = ceilto(cdiv(N, 4), 512)
shared mine: i32[1]
shared every: i32[4]
shared total: i32[1]
shared first: i32[128]
role all {
  let own = load x[m, q * W :+ W] vec 4 clip 0
  let s = sum(own)
  store total[0] <- 0
  store mine[0] <- s
  store first[:] <- load x[m, q * 32 :+ 128] clip 0
  sync cluster  // all have zeroed their totals
  for r in 0 .. 4 unroll { store peer(every, r)[cta] <- s }
  atomic.add peer(total, 0)[0] <- s
  sync cluster
  var t: i32 = 0
  for r in 0 .. 4 { t += load peer(mine, r)[0] }
  store y[m, q] <- sum(load every[:])
  store z[m, q] <- t
  if cta == 0 { store w[m] <- load total[0] }
  store v[m, q, :] <- load peer(first, (cta + 1) % 4)[:] vec 4
  sync cluster  // nobody leaves while others read its memory
}
