// Combining in order a tile whose lanes lie farther apart than its warps: relayouts around it, priced.
// REQUIRES: cakec
// RUN: %cakec %s --emit plan | FileCheck %s
target sm_80
let last(a, b) = select(b != 0, b, a)
kernel reorder(x: i32[16, 32], out y: i32[512], out z: i32[8])
where 1 <= 1
grid tile(i: 1)
roles { all: warps 4 }
// CHECK-LABEL: role all:
role all {
  let t = (load x[:, :]).T
  // CHECK: r = reshape(t, 512) i32[512] in layout [[R:[0-9]+]]
  let r = reshape(t, 512)
  // CHECK-NEXT: [[IN:%[0-9]+]] = relayout r i32[512] in layout [[RUNS:[0-9]+]]: {{.*}}, from layout [[R]], 2048 bytes of scratch, 2 barriers
  // CHECK-NEXT: [[OUT:%[0-9]+]] = scan(last, [[IN]], axis=0) i32[512] in layout [[RUNS]]
  // CHECK-NEXT: [[BACK:%[0-9]+]] = relayout [[OUT]] i32[512] in layout [[R]]: {{.*}}, from layout [[RUNS]], 2048 bytes of scratch, 2 barriers
  // CHECK-NEXT: store y <- [[BACK]]
  store y[:] <- scan(last, r)
  // CHECK-NEXT: = relayout reshape(t, 8, 64)
  // CHECK-NEXT: = reduce(last,
  // CHECK-NEXT: = relayout {{.*}} i32[8]
  store z[:] <- reduce(last, reshape(t, 8, 64), axis=1)
}
