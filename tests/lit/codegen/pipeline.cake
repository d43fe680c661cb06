// A warp-specialised product: who waits for what, in which order.
// REQUIRES: cakec, llvm
// RUN: %cakec %s | FileCheck %s
target sm_90a
kernel product(a: bf16[M, K], b: bf16[64, K], out c: bf16[M, 64])
where 1 <= M <= 1048576, 8 <= K <= 1048576, K % 8 == 0
grid persistent tile(m: cdiv(M, 64))
roles {
  load: warpgroups 1 regs 40
  math: warpgroups 1 regs 232
}
pipeline ab stages 3 from load to math {
  sa: bf16[64, 64] swizzle 128
  sb: bf16[64, 64] swizzle 128
}
shared sc: bf16[64, 64] swizzle 128

// CHECK: .visible .entry product(
// CHECK: .maxntid 256
// CHECK: .minnctapersm 1

// Barriers are set up by one thread and made visible before any role starts.
// CHECK: prefetch.tensormap
// CHECK-COUNT-6: mbarrier.init.shared::cta.b64
// CHECK: fence.mbarrier_init
// CHECK-NEXT: end inline asm
// CHECK-NEXT: begin inline asm
// CHECK-NEXT: bar.sync 0

// The budget comes first in the role, before other warps than the first leave.
// CHECK: setmaxnreg.dec.sync.aligned.u32 40
// CHECK-NOT: mbarrier
role load {
  for tile (m) {
    for k in 0 .. cdiv(K, 64) {
      // CHECK: .loc 1 [[#@LINE+2]] 7
      // CHECK: mbarrier.try_wait.parity.shared::cta.b64
      acquire ab
      // CHECK: .loc 1 [[#@LINE+2]] 7
      // CHECK: @p cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
      tma.load sa <- a[m * 64, k * 64]
      // CHECK: .loc 1 [[#@LINE+2]] 7
      // CHECK: @p cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
      tma.load sb <- b[0, k * 64]
      // CHECK: .loc 1 [[#@LINE+2]] 7
      // CHECK: @p mbarrier.arrive.expect_tx.shared::cta.b64
      commit ab
    }
  }
}

// Two warpgroups alone have 248 registers at entry.
// CHECK: setmaxnreg.dec.sync.aligned.u32 232
// CHECK-NOT: setmaxnreg

// The product is in one asm statement: a fence, and a step for each 32 bytes of the reduced dimension.
role math {
  for tile (m) {
    var acc: f32[64, 64] = 0
    for k in 0 .. cdiv(K, 64) {
      wait ab
      wgmma acc += sa * sb.T
      wgmma.commit
      wgmma.wait 1
      release ab keep 1
    }
    wgmma.wait 0
    release ab keep 0
    bulk.wait.read 0
    sync team
    store sc <- cast bf16 acc
    fence async
    sync team
    tma.store c[m * 64, 0] <- sc
    bulk.commit
  }
  bulk.wait 0
}
