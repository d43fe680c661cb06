// Buffers that share bytes, padding, and the order of the map.
// REQUIRES: cakec
// RUN: %cakec %s --emit plan | FileCheck %s
target sm_80
kernel k(x: f32[64, 64], out y: f32[64, 64])
where 1 <= 1
grid tile(i: 1)
roles { all: warps 4 }
shared a: f32[64, 64] pad 4
shared b: f32[16, 64] over a
shared c: f16[8] align 1024
role all {
  store a[:, :] <- load x[:, :] vec 4
  sync team
  store y[:, :] <- load a[:, :]
}
// CHECK: shared memory:
// CHECK-NEXT: 0 16 x 1 c: f16[8], rows of 16 bytes
// CHECK-NEXT: [[OFFSET:[0-9]+]] 17408 x 1 a: f32[64, 64], rows of 272 bytes
// CHECK-NEXT: [[OFFSET]] 4096 x 1 b: f32[16, 64], rows of 256 bytes, over a
