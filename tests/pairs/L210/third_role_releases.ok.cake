target sm_90a
// two teams take turns with the tensor cores; a signal says that the table is in place
kernel project(a: bf16[M, 64], b: bf16[64, 64], t: f32[64], out c: f32[M, 64])
where 1 <= M <= 65536
grid tile(m: cdiv(M, 128))
roles {
  load: warps 1
  math: warpgroups 2
}
pipeline p stages 1 from load to math {
  sa: bf16[128, 64] swizzle 128
  sb: bf16[64, 64] swizzle 128
}
shared table: f32[64]
signal ready count 1
baton turn over math
role load {
  acquire p
  tma.load sa <- a[m * 128, 0]
  tma.load sb <- b[0, 0]
  commit p
  store table <- load t[:]
  arrive ready
}
role math(w) {
  var acc: f32[64, 64] = 0
  wait p
  take turn
  wgmma acc += sa[w * 64 :+ 64, :] * sb.T
  wgmma.commit
  pass turn
  wgmma.wait 0
  release p keep 0
  await ready
  store c[m * 128 + w * 64 :+ 64, :] <- acc + (load table)[None, :] clip
}
