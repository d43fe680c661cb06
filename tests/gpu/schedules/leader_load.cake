// One CTA of a cluster fetches for all: its role fills, commits and gets back the slots of both. A second leader works
// for itself, with a pipeline that never leaves its CTA.
target sm_90a
kernel leader_load(x: f32[K, 64], out y: f32[M, 64], out z: f32[M])
where 1 <= M <= 1000000, 16 <= K <= 1000000, K % 16 == 0
grid persistent tile(m: M) cluster 2 along m
roles { load: warps 1 leader; own: warps 2 leader; all: warps 4; more: warps 4 leader }
pipeline p stages 3 from load to all, more { s: f32[16, 64] }
pipeline q stages 2 from own to more { t: f32[64] }
role load {
  sync cta
  for tile (m) {
    for k in 0 .. K / 16 {
      acquire p
      tma.load s <- x[k * 16, 0] multicast
      commit p
    }
  }
  sync cluster
}
role own {
  sync cta
  for tile (m) {
    acquire q
    store t[:] <- cast f32 (iota(64) + m)
    commit q
  }
  sync cluster
}
role all {
  sync cta
  for tile (m) {
    var v: f32[16, 64] = 0
    for k in 0 .. K / 16 {
      wait p
      v = v + load s
      fence async
      release p keep 0
    }
    store y[m :+ 1, :] <- (sum(v, axis=0) * cast f32 (m + 1))[None, :] clip
  }
  sync cluster
}
role more {
  sync cta
  for tile (m) {
    var v: f32[16, 64] = 0
    for k in 0 .. K / 16 {
      wait p
      v = v + load s
      fence async
      release p keep 0
    }
    wait q
    let u = sum(v) + sum(load t)
    release q keep 0
    store z[m :+ 2] <- u + cast f32 (iota(2) * 64) clip
  }
  sync cluster
}
