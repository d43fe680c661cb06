target sm_80
kernel k()
role all(w) {
  for tile (m, n) { acquire p; commit p; wait p; release p keep 1 }
  for i in 0 .. 4 step 2 unroll 2 { take b; pass b } ; for j in 0 .. 2 unroll { }
  while any(x) max (3) { arrive s; await s; arrive peer(s, 1) }
  if a { } else if b { x = 1 } else { y += 2 }
  tma.load sa <- a[i, :] multicast cache evict_first
  async.load sb <- a[i :+ 4] clip 0
  tma.store a[i] <- sa[0]; tma.reduce add a[i] <- sa@1
  store a[i] <- (load b[i] vec 4 clip 0) vec 2 clip where (m < 3) cache evict_last
  mma c = x * y; wgmma c += cast bf16 x * y.T; tcgen05.mma c = x * y pair
  wgmma.commit; wgmma.wait 0; bulk.commit; bulk.wait 1; bulk.wait.read 1
  fence async; sync team; sync role; sync cta; sync cluster
  grid.wait; grid.trigger
  assume x > 1; check y > 1, z
  let u, v = f(1)
  var q: f32[4] = 0
  var r
  atomic.add a[i] <- 1 where m scope gpu order release
  await f[i] until it >> 3 == 1 from (i, j)
}
