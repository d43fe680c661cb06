// A sum over a tile of two warps: registers, lanes by butterfly, warps through scratch between two barriers.
// REQUIRES: cakec, llvm
// RUN: %cakec %s | FileCheck %s
target sm_80
kernel total(x: f32[64], out y: f32[1])
where 1 <= 1
grid tile(i: 1)
roles { all: warps 2 }
role all {
  // CHECK: .loc 1 [[#@LINE+4]] 3
  // CHECK-COUNT-5: shfl.sync.bfly.b32
  // CHECK: st.shared
  // CHECK: bar.sync
  let s = sum(load x[0 :+ 64])
  // CHECK: ld.shared
  // CHECK: bar.sync
  // CHECK: st.global
  store y[0] <- s
}
