// Tiles in groups: the last group may be smaller, so its size is a minimum.
// REQUIRES: cakec, llvm
// RUN: %cakec %s | FileCheck %s
target sm_80
kernel mark(out y: i32[M, N])
where 1 <= M <= 65536, 1 <= N <= 16384
// CHECK: mov.u32 [[TILE:%r[0-9]+]], %ctaid.x
// CHECK: sub.s32
// CHECK: min.s32 {{.*}}, 8;
grid tile(m: M, n: N) order grouped(m, 8)
roles { all: warps 1 }
role all {
  // CHECK: st.global.b32
  store y[m, n] <- 1
}
