// Tiles go round a cluster of four CTAs, each telling its neighbours when its box is full and when it is empty.
target sm_90a
kernel cluster_ring(x: i32[M, 4, 128], out y: i32[M, 4, 128])
where 1 <= M <= 1000000
grid tile(m: M, q: 4) cluster 4 along q
roles { all: warps 4 }
shared box: i32[128]
signal full count 1
signal empty count 1
role all {
  var v = load x[m, q, :]
  for t in 0 .. 3 {
    if t > 0 { await empty }
    store peer(box, (cta + 1) % 4)[:] <- v
    arrive peer(full, (cta + 1) % 4)
    await full
    v = v + load box[:]
    arrive peer(empty, (cta + 3) % 4)
  }
  sync cluster
  store y[m, q, :] <- v
}
