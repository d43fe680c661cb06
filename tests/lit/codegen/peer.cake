// The memory and the signals of another CTA of the cluster.
// REQUIRES: cakec, llvm
// RUN: %cakec %s --emit plan | FileCheck %s --check-prefix=PLAN
// RUN: %cakec %s | FileCheck %s
target sm_90a
kernel peer_memory(x: f32[M, 128], out y: f32[M, 128], out n: u32[M])
where 1 <= M <= 1000000
grid tile(m: M) cluster 2 along m
roles { all: warps 1 }
shared box: f32[128]
shared seen: u32[1]
signal full count 1
// PLAN: full: count 1 complete after 1 arrival, 1 of each team; from the whole cluster
role all {
  store seen[0] <- 0
  sync cluster
  // CHECK: mapa.shared::cluster.u32
  // CHECK: @p st.shared::cluster.v4.b32
  // PLAN: store peer(box, 1 - cta) <- {{.*}}vectors of 4
  store peer(box, 1 - cta)[:] <- load x[m, :] vec 4 clip 0
  // CHECK: @p red.relaxed.gpu.shared::cluster.add.u32
  // PLAN: atomic.add peer(seen, 1 - cta)[0] <- 1 by one lane, relaxed at gpu scope
  atomic.add peer(seen, 1 - cta)[0] <- 1
  // CHECK: bar.warp.sync
  // CHECK: mapa.shared::cluster.u32
  // CHECK: @p mbarrier.arrive.release.cluster.shared::cluster.b64
  // PLAN: arrive peer(full, 1 - cta)
  arrive peer(full, 1 - cta)
  // CHECK: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64
  // PLAN-NEXT: await full
  await full
  let own = load box[:] vec 4
  // CHECK: @p ld.shared::cluster.v4.b32
  // PLAN: = load peer(box, 1 - cta)
  let other = load peer(box, 1 - cta)[:] vec 4
  store y[m, :] <- own + other vec 4 clip
  store n[m] <- (load seen[0]) clip
  // CHECK: barrier.cluster.arrive
  sync cluster
}
