// Places: new axes, gather indices beside other axes, views of buffers.
// REQUIRES: cakec
// RUN: %cakec %s --emit plan | FileCheck %s
target sm_80
kernel places(x: f32[A, 64, 8], at: i32[32], out y: f32[32, 64, 8], out z: f32[32, 32], out w: f32[32])
where 32 <= A <= 10000, all(0 <= at), all(at < A)
grid tile(i: 1)
roles { all: warps 1 }
// CHECK: shared memory:
// CHECK: 4096 x 1 s: f32[32, 32], rows of 128 bytes
// CHECK-NEXT: {{^ +}}blocks: f32[4, 8, 32], rows of 128 bytes, view of s
// CHECK-NEXT: {{^ +}}line: f32[1024], rows of 4096 bytes, view of s
// CHECK-NEXT: {{^ +}}pairs: f32[16, 2], rows of 264 bytes, view of s
shared s: f32[32, 32]
view blocks: f32[4, 8, 32] = s
view line: f32[1024] = s
view pairs: f32[16, 2] = s strides [66, 1]
role all {
  // CHECK: load x[cast index {{.*}}[:, None], iota(64)[None, :]] f32[32, 64, 8]
  store y[:, :, :] <- load x[(load at[:])[:, None], iota(64)[None, :], :]
  // CHECK: load x[0 :+ 32, 0, 0][:, None] f32[32, 1]
  store z[:, :] <- (load x[0 :+ 32, None, 0, 0]) + (load x[None, 0, 0 :+ 32, 0])
  store s <- load z[:, :]
  sync team
  // CHECK: load blocks[1, :, 3] f32[8]
  store w[0 :+ 8] <- load blocks[1, :, 3]
  // CHECK: load pairs[:, 1] f32[16]
  store w[8 :+ 16] <- load pairs[:, 1]
  // A part of a gathered axis is a part of its indices.
  // CHECK: load line[iota(64)[32 :+ 32]] f32[32]
  store w[:] <- load line[iota(64)][32 :+ 32]
}
