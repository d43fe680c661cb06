// Tiles of a persistent grid from a counter: the first role takes them, a ring of two slots passes them to all teams.
// REQUIRES: cakec
// RUN: %cakec %s --emit plan | FileCheck %s
target sm_80
kernel taken(x: f32[M], out y: f32[M], inout ticket: u32[1])
where 1 <= M <= 1000000
grid persistent tile(b: cdiv(M, 256)) claim ticket
roles { low: warps 2; high: warps 4 }
// CHECK: 4 x 2 tile: u32[1]
// CHECK-NEXT: 8 x 2 mbarriers of claim: full
// CHECK-NEXT: 8 x 2 mbarriers of claim: empty
// CHECK: [[#@LINE-5]] claim: 2 stages, low -> low, high full after 1 arrival and 0 bytes, empty after 6; passes the claimed tile

// CHECK-LABEL: role low:
// CHECK-NEXT: for tile (b) tiles from 'ticket', while
// CHECK-NEXT: if w == 0
// CHECK-NEXT: acquire claim
// CHECK-NEXT: [[N:%[0-9]+]] = atomic.add ticket[0] <- 1 by one lane, relaxed at gpu scope
// CHECK-NEXT: atomic.store tile[0] <- [[N]] by one lane, relaxed at cta scope
// CHECK-NEXT: commit claim
// CHECK-NEXT: wait claim
// CHECK-NEXT: = load tile[0]
// CHECK-NEXT: release claim keep 0 held before: 1
// CHECK-NEXT: load x
role low(w) {
  for tile (b) { store y[b * 256 + w * 64 :+ 64] <- (load x[b * 256 + w * 64 :+ 64] clip 0) clip }
}
// CHECK-LABEL: role high:
// CHECK-NEXT: for tile (b) tiles from 'ticket', while
// CHECK-NEXT: wait claim
// CHECK-NEXT: = load tile[0]
// CHECK-NEXT: release claim keep 0 held before: 1
role high {
  for tile (b) { store y[b * 256 + 128 :+ 128] <- (load x[b * 256 + 128 :+ 128] clip 0) clip }
}
// CHECK: costs:
// CHECK-NEXT: a ring of 2 slots passes the tile from 'low' to 3 teams
