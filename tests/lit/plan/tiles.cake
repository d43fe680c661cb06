// What combining and moving elements of tiles costs is said with its line; what only renames registers costs nothing.
// REQUIRES: cakec
// RUN: %cakec %s --emit plan | FileCheck %s
target sm_80
let best(a, i, b, j) = (select(b > a, b, a), select(b > a, j, i))
kernel tiles(x: i32[32, 64], out y: i32[16, 128], out z: i32[32], out w: i32[64])
where 1 <= 1
grid tile(i: 1)
roles { all: warps 4 }
role all {
  // CHECK: role all:
  let v = load x[:, :] vec 4
  // CHECK: {{^ *}}[[#@LINE+1]] m, at = reduce(best, v, {{.*}}, axis=1) i32[32, 64] in layout 1: 16 registers, lane bits 0+1+2+3{{$}}
  let m, at = reduce(best, v, iota(64)[None, :], axis=1)
  // CHECK: {{^ *}}[[#@LINE+1]] c = scan(v, axis=0) {{.*}}, lane bits 4, warp bits 0+1, 4096 bytes of scratch, 2 barriers
  let c = scan(v, axis=0)
  // CHECK: {{^ *}}[[#@LINE+1]] g = argmax(v, axis=0) {{.*}}, lane bits 4, warp bits 0+1, 2048 bytes of scratch, 2 barriers
  let g = argmax(v, axis=0)
  // CHECK: {{^ *}}[[#@LINE+1]] t = topk(v, 2, axis=0) {{.*}}, 2048 bytes of scratch, 2 barriers
  let t = topk(v, 2, axis=0)
  // CHECK: {{^ *}}[[#@LINE+1]] r = relayout m {{.*}}, from layout {{[0-9]+}}, 128 bytes of scratch, 2 barriers
  let r = relayout m
  // CHECK: {{^ *}}[[#@LINE+1]] s = relayout v {{.*}}, nothing moves
  let s = relayout v
  // CHECK: {{^ *}}[[#@LINE+1]] h = reshape(s + c, 16, 128) i32[16, 128] in layout {{[0-9]+}}: 16 registers
  let h = reshape(s + c, 16, 128)
  // CHECK: {{^ *}}[[#@LINE+1]] p = concat(t, t, axis=0) i32[4, 64]
  let p = concat(t, t, axis=0)
  // CHECK: {{^ *}}[[#@LINE+1]] q = p[2 :+ 2, :].T i32[64, 2]
  let q = p[2 :+ 2, :].T
  store y[:, :] <- h vec 4
  store z[:] <- r + cast i32 (relayout at)
  store w[:] <- relayout sum(q, axis=1) + relayout cast i32 g
}
// CHECK: costs:
// CHECK-NEXT: {{^ *}}[[#@LINE-20]] scan across 4 warps: 4096 bytes of scratch and two 'sync team'
// CHECK-NEXT: {{^ *}}[[#@LINE-19]] argmax across 4 warps: 2048 bytes of scratch and two 'sync team'
// CHECK-NEXT: {{^ *}}[[#@LINE-18]] topk across 4 warps: 2048 bytes of scratch and two 'sync team'
// CHECK-NEXT: {{^ *}}[[#@LINE-19]] topk: 2 searches across lanes in every warp
// CHECK-NEXT: {{^ *}}[[#@LINE-18]] relayout: 128 bytes of scratch and two 'sync team'
