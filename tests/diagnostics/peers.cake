// What reaches the memory of other CTAs of a cluster, and what does not.
target sm_90a
kernel peers(x: bf16[M, 64], out z: bf16[M, 64], out y: i32[64])
where 64 <= M <= 1000000
grid tile(i: M) cluster 2 along i
roles { load: warps 1; math: warpgroups 1 }
pipeline p stages 1 from load to math { slot: bf16[64, 64] swizzle 128 }
shared a: bf16[64, 64] swizzle 128
shared n: i32[4]
signal s count 1
role load {
  acquire p
  tma.load peer(slot, 1) <- x[i, 0] //~ U001
  commit p
  tma.store z[i, 0] <- peer(a, 1) //~ H204
  arrive peer(s, 2) //~ L405
  await peer(s, 1) //~ U001
}
role math {
  var acc: f32[64, 64]
  await s
  wait p
  wgmma acc = peer(a, 0) * slot.T //~ H205
  wgmma.wait 0
  release p keep 0
  store peer(n, 2)[0] <- 1 //~ L405
  atomic.add peer(n, 1)[0] <- 1 scope cta //~ H209
  atomic.add peer(n, 1)[0] <- 1
  store y[i :+ 1] <- load peer(n, 1 - cta)[0 :+ 1]
}
