// A role that only the first CTA of a cluster runs, and that fills the slots of both.
// REQUIRES: cakec, llvm
// RUN: %cakec %s --emit plan | FileCheck %s --check-prefix=PLAN
// RUN: %cakec %s | FileCheck %s
target sm_90a
kernel led(x: f32[M, 64], out y: f32[M, 64])
where 1 <= M <= 1000000
grid tile(m: cdiv(M, 16)) cluster 2 along m
roles {
  load: warps 1 leader
  all: warps 4
}
// PLAN: load: 1 team of 1 warp, in rank 0 of the cluster alone
// PLAN: p: 2 stages, load -> all full after 1 arrival and 4096 bytes, empty after 8; {{.*}}; spans the cluster, committed by its leader
pipeline p stages 2 from load to all { s: f32[16, 64] }
// 160 threads in rank 0, 128 in rank 1, where the leader does not run.
// CHECK: selp.b32 {{.*}}, 160, 128,
// CHECK: bar.sync
// CHECK: mbarrier.try_wait.parity.acquire.cluster
// CHECK: mapa.shared::cluster.u32 a
// CHECK-NEXT: @p mbarrier.arrive.release.cluster.shared::cluster.b64 _, [a]
role all {
  sync cta
  wait p
  let v = load s
  fence async
  release p keep 0
  store y[m * 16 :+ 16, :] <- v clip
  sync cluster
}
// CHECK: mbarrier.try_wait.parity.acquire.cluster
// CHECK: .multicast::cluster
// CHECK: mapa.shared::cluster.u32 a
// CHECK-NEXT: @p mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [a]
role load {
  sync cta
  acquire p
  tma.load s <- x[m * 16, 0] multicast
  commit p
  sync cluster
}
