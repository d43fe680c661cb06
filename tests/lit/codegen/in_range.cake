// What the contract shows to be in range has no predicate; a tensor that the kernel writes is not read-only.
// REQUIRES: cakec, llvm
// RUN: %cakec %s | FileCheck %s
target sm_80
kernel twice(inout x: f32[N])
where 512 <= N <= 2147483647, N % 512 == 0
grid tile(i: 1)
roles { all: warps 4 }
// CHECK-NOT: @p ld
role all {
  // CHECK: ld.global.v4
  let a = load x[0 :+ 512] vec 4 clip 0
  // CHECK: st.global.v4
  store x[0 :+ 512] <- a + a vec 4 clip
}
// CHECK-NOT: .nc
