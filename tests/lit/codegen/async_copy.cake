// A ring that cp.async fills, without a walk over tiles: who arrives where, and how a lane waits without try_wait.
// REQUIRES: cakec, llvm
// RUN: %cakec %s | FileCheck %s
target sm_80
kernel copy(x: f16[M, N], out y: f16[M, 64])
where 1 <= M <= 1048576, 64 <= N <= 1048576, N % 4 == 0
grid tile(i: cdiv(M, 16))
roles { load: warps 2; math: warps 1 }
pipeline p stages 1 from load to math {
  s: f16[16, 64]
}

// Every thread of the filling role arrives at 'full', one lane a warp at 'empty'.
// CHECK: .visible .entry copy(
// CHECK: .maxntid 96
// CHECK: mov.b32 [[FULL:%r[0-9]+]], 64;
// CHECK: @p mbarrier.init.shared::cta.b64 [%r{{[0-9]+}}], [[FULL]];
// CHECK: mov.b32 [[EMPTY:%r[0-9]+]], 1;
// CHECK: @p mbarrier.init.shared::cta.b64 [%r{{[0-9]+}}], [[EMPTY]];
role load {
  // Who finds the phase unfinished sleeps before each further look.
  // CHECK: .loc 1 [[#@LINE+8]] 3
  // CHECK: { .reg .pred p;
  // CHECK-NEXT: mbarrier.test_wait.parity.shared::cta.b64 p, [[SLOT:\[%r[0-9]+\]]], [[PHASE:%r[0-9]+]];
  // CHECK-NEXT: @p bra D[[#]];
  // CHECK-NEXT: W[[#]]: nanosleep.u32 [[#]];
  // CHECK-NEXT: mbarrier.test_wait.parity.shared::cta.b64 p, [[SLOT]], [[PHASE]];
  // CHECK-NEXT: @!p bra W[[#]];
  // CHECK-NOT: try_wait
  acquire p
  // Rows are multiples of 8 bytes, so runs are too; of a run that is cut off the size to be read is 0.
  // CHECK: .loc 1 [[#@LINE+3]] 3
  // CHECK-COUNT-4: cp.async.ca.shared.global [%r{{[0-9]+}}], [%rd{{[0-9]+}}], 8, %r{{[0-9]+}};
  // CHECK-NOT: cp.async.ca
  async.load s <- x[i * 16 :+ 16, 0 :+ 64] clip 0
  // Of the arrivals that 'full' counts this is one, when the lane's copies have landed.
  // CHECK: .loc 1 [[#@LINE+2]] 3
  // CHECK: cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r{{[0-9]+}}];
  commit p
}

role math {
  // CHECK: .loc 1 [[#@LINE+2]] 3
  // CHECK: mbarrier.test_wait.parity.shared::cta.b64
  wait p
  let v = load s
  // CHECK: bar.warp.sync
  // CHECK: @p mbarrier.arrive.shared::cta.b64
  release p keep 0
  store y[i * 16 :+ 16, :] <- v clip
}
// CHECK-NOT: cp.async
// CHECK: ret;
