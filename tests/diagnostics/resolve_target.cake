// what sm_80 does not have; each feature is reported once a kernel, 'fence async' and 'grid.wait' cost nothing there
target sm_80
kernel lacking(x: f32[M, N], out y: f32[M, N])
where 1 <= M <= 4096, 8 <= N <= 4096
grid tile(i: M) cluster 2 along i                                   //~ H102
roles { load: warpgroups 1 regs 40; math: warpgroups 1 regs 232 }   //~ H104
pipeline ring stages 2 from load to math { slot: f32[64] }
tmem t: f32[128, 64]                                                //~ H105
role load {
  grid.wait
  acquire ring
  tma.load slot <- x[i, 0]                                          //~ H101
  fence async
  commit ring
  bulk.wait 0
}
role math {
  wait ring
  wgmma.wait 0                                                      //~ H103
  wgmma.commit
  release ring keep 0
}
