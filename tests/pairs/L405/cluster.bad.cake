target sm_90a
// each of two CTAs of a cluster loads half of a tile that both use
kernel shared_rows(x: f32[M, 64], g: f32[32, 64], out y: f32[M, 64])
where 1 <= M <= 65536
grid tile(i: cdiv(M, 32)) cluster 16 along i
roles { load: warps 1; all: warps 4 }
pipeline p stages 1 from load to all {
  sg: f32[32, 64]
  sx: f32[32, 64]
}
role load {
  acquire p
  tma.load sg[cta * 16 :+ 16, :] <- g[cta * 16 :+ 16, :] multicast
  tma.load sx <- x[i * 32, 0]
  commit p
  sync cluster
}
role all {
  wait p
  store y[i * 32 :+ 32, :] <- (load sx) * (load sg) clip
  release p keep 0
  sync cluster
}
