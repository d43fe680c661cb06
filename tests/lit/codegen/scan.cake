// An inclusive sum over 128 elements of two warps: two registers in order, five steps across lanes, and one exchange
// between warps, which half of the threads need. A vote replaces the steps where only one bit is asked for.
// REQUIRES: cakec, llvm
// RUN: %cakec %s | FileCheck %s
target sm_80
kernel sums(x: i32[128], out y: i32[128], out n: i32[1])
where 1 <= 1
grid tile(i: 1)
roles { all: warps 2 }
role all {
  let v = load x[:] vec 2
  // CHECK: ld.global
  // CHECK-COUNT-5: shfl.sync.bfly.b32
  // CHECK-NOT: shfl
  // CHECK: st.shared.b32
  // CHECK: bar.sync
  // CHECK: ld.shared
  // CHECK: bar.sync
  // CHECK: st.global.v2.b32
  store y[:] <- scan(v) vec 2
  // CHECK: vote.sync.any.pred
  // CHECK-NOT: shfl
  if any(v < 0) { store n[0] <- 1 }
}
