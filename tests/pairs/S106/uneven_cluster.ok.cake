// y[m] = the sum of the rows of a, which two CTAs load for each other
target sm_90a
kernel sums(a: f32[K, 64], out y: f32[M, 64])
where 1 <= M <= 1048576, 1 <= K <= 65536
grid tile(m: M) cluster 2 along m
roles { math: warps 4; load: warps 1 }
pipeline p stages 2 from load to math { s: f32[2, 64] }
let turns = cdiv(K, 2)
role load {
  for k in 0 .. turns {
    acquire p
    tma.load s[cta :+ 1, :] <- a[k * 2 + cta :+ 1, :] multicast
    commit p
  }
  sync cluster
}
role math {
  var total: f32[64] = 0
  for k in 0 .. turns {
    wait p
    total = total + sum(load s, axis=0)
    fence async
    release p keep 0
  }
  sync cluster
  store y[m, :] <- total clip
}
