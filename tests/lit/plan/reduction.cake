// What a reduction costs is said with its line.
// REQUIRES: cakec
// RUN: %cakec %s --emit plan | FileCheck %s
target sm_80
kernel total(x: f32[M, 256], s: f32, out y: f32[M])
where 1 <= M <= 1000, s > 0
grid tile(i: M)
roles { all: warps 4 }
role all {
  // CHECK: {{^ *}}[[#@LINE+1]] v = load x[i] f32[256] in layout 1: 2 registers, vectors of 2, 8 bytes, read-only
  let v = load x[i, :] vec 2
  // CHECK-NEXT: {{^ *}}[[#@LINE+1]] [[SUM:%[0-9]+]] = sum(v, axis=0) {{.*}}, lane bits 0+1+2+3+4, warp bits 0+1, 16 bytes of scratch, 2 barriers
  let t = sum(v) * s
  // CHECK-NEXT: {{^ *}}[[#@LINE+1]] store y[i] <- t single elements of 4 bytes
  store y[i] <- t
}
// CHECK: costs:
// CHECK-NEXT: {{^ *}}[[#@LINE-5]] sum across 4 warps: 16 bytes of scratch and two 'sync team'
// CHECK: trusted:
// CHECK-NEXT: s > 0
