// Loops, branches and idle warps.
// REQUIRES: cakec
// RUN: %cakec %s --emit plan | FileCheck %s
target sm_90a
kernel k(x: f32[N], out y: f32[N])
where 1 <= N <= 1000000
grid tile(i: 4)
// CHECK: launch: 512 threads, 4 CTAs
// CHECK: warps 0 .. 1 one: 1 team of 1 warp
// CHECK-NEXT: warps 1 .. 4 idle
// CHECK-NEXT: warps 4 .. 12 two: 2 teams of 4 warps, 64 registers
// CHECK-NEXT: warps 12 .. 13 three: 1 team of 1 warp
// CHECK-NEXT: warps 13 .. 16 idle
roles { one: warps 1; two: warpgroups 2 regs 64; three: warps 1 }
role one {
  // CHECK: {{^ *}}[[#@LINE+1]] for k in 1 .. N step 3
  for k in 1 .. N step 3 {
    // CHECK-NEXT: {{^ *}}[[#@LINE+1]] if k < N - 5
    if k < N - 5 {
      // CHECK-NEXT: {{^ *}}[[#@LINE+1]] store y[k] <- 1
      store y[k] <- 1
    } else {
      // CHECK-NEXT: else
      // CHECK-NEXT: {{^ *}}[[#@LINE+1]] store y[k] <- 2
      store y[k] <- 2
    }
  }
  // The branch is decided by the contract and the loop is expanded.
  // CHECK-NEXT: {{^ *}}[[#@LINE+3]] store y[10] <- 3
  // CHECK-NEXT: {{^ *}}[[#@LINE+2]] store y[11] <- 3
  for k in 10 .. 12 unroll {
    if N >= 1 { store y[k] <- 3 } else { store y[k] <- 4 }
  }
  // CHECK-NEXT: {{^ *}}[[#@LINE+1]] for k in 0 .. N at least once, unrolled by 4
  for k in 0 .. N unroll 4 { store y[k] <- 5 }
}
role two(w) {
  // CHECK: while go at most 8 rounds
  var go: bool = true
  while go max 8 {
    go = false
  }
  sync role
}
role three { }
