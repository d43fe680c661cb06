// The consumer's side of a product, without a walk over tiles: straight code shows the order.
// REQUIRES: cakec, llvm
// RUN: %cakec %s | FileCheck %s
target sm_90a
kernel product(a: bf16[64, 64], b: bf16[64, 64], out c: bf16[64, 64])
where 1 <= 1
grid tile(m: 1)
roles {
  load: warps 1
  math: warpgroups 1
}
pipeline ab stages 1 from load to math {
  sa: bf16[64, 64] swizzle 128
  sb: bf16[64, 64] swizzle 128
}
shared sc: bf16[64, 64] swizzle 128
// Warpgroups start at a multiple of four warps: three warps between the roles are idle.
// CHECK: .maxntid 256
role load {
  acquire ab
  tma.load sa <- a[0, 0]
  tma.load sb <- b[0, 0]
  commit ab
}
role math {
  var acc: f32[64, 64] = 0
  // CHECK: .loc 1 [[#@LINE+2]] 3
  // CHECK: mbarrier.try_wait.parity.shared::cta.b64
  wait ab
  // CHECK: .loc 1 [[#@LINE+4]] 3
  // CHECK: wgmma.fence.sync.aligned
  // CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
  // CHECK-NOT: wgmma.mma_async
  wgmma acc += sa * sb.T
  // CHECK: wgmma.commit_group.sync.aligned
  wgmma.commit
  // CHECK: wgmma.wait_group.sync.aligned 0
  wgmma.wait 0
  // CHECK: bar.warp.sync
  // CHECK: @p mbarrier.arrive.shared::cta.b64
  release ab keep 0
  // CHECK: .loc 1 [[#@LINE+2]] 3
  // CHECK-COUNT-4: stmatrix.sync.aligned.m8n8.x4.shared.b16
  store sc <- cast bf16 acc
  // CHECK: fence.proxy.async.shared::cta
  fence async
  // CHECK: bar.sync
  sync team
  // CHECK: .loc 1 [[#@LINE+2]] 3
  // CHECK: @p cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
  tma.store c[0, 0] <- sc
  // CHECK: @p cp.async.bulk.commit_group
  bulk.commit
  // CHECK: @p cp.async.bulk.wait_group 0
  bulk.wait 0
}
// CHECK: ret;
