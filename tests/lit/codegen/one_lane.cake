// The old value of one element, which one lane gets and all warps of the team need.
// REQUIRES: cakec, llvm
// RUN: %cakec %s --emit plan | FileCheck %s --check-prefix=PLAN
// RUN: %cakec %s | FileCheck %s
target sm_80
kernel one_lane(inout n: u32[2], inout w: u64[2], out y: u32[2])
where 1 <= 1
grid tile(i: 1)
roles {
  warp: warps 1
  first: warps 4
  some: warps 4
}
// A warp needs no scratch, nor does a role of which only the first warp runs.
// PLAN-NOT: scratch of {{[^s]}}
// PLAN: 16 x 1 scratch of some
// PLAN-LABEL: role warp:
// PLAN: a = atomic.add n[0] <- 1 by one lane, relaxed at gpu scope{{$}}
// CHECK: atom.relaxed.gpu.global.add.u32
// CHECK: shfl.sync.idx
role warp {
  let a = atomic.add n[0] <- 1
  store y[0] <- a
}
// PLAN-LABEL: role first:
// PLAN: d = atomic.cas w[1] <- 1, 2 by one lane, relaxed at gpu scope{{$}}
role first {
  let d = atomic.cas w[1] <- 1, 2
  if d == 0 { atomic.add n[0] <- 1 }
}
// PLAN-LABEL: role some:
// PLAN: b = atomic.max w[0] <- 7 by one lane, relaxed at gpu scope, 8 bytes of scratch, 2 barriers
// PLAN: c = await n[1] 4 bytes of scratch, 2 barriers
// CHECK: atom.relaxed.gpu.global.max.u64 [[OLD:%rd[0-9]+]]
// CHECK: @p st.shared.b64 [%{{.*}}], [[OLD]]
// CHECK: bar.sync
// CHECK: ld.shared.b64
// CHECK: bar.sync
// CHECK: ld.acquire.gpu.global.b32
// CHECK: vote.sync.all
// CHECK: @p st.shared.b32
// CHECK: bar.sync
// CHECK: ld.shared.b32
// CHECK: bar.sync
role some {
  let b = atomic.max w[0] <- 7
  let c = await n[1] until it > 0 from (0)
  store y[1] <- cast u32 b + c
}
// PLAN: costs:
// PLAN: 8 bytes of scratch and two 'sync team'
// PLAN: 4 bytes of scratch and two 'sync team'
