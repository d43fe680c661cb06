// A ragged axis: each team finds its group by bisection, and passes over numbers without rows.
// REQUIRES: cakec
// RUN: %cakec %s --emit plan | FileCheck %s
target sm_80
kernel blocks(x: f32[T, 32], off: i32[G + 1], out y: f32[T, 32], out n: i32[G])
where 1 <= T <= 1000000, 1 <= G <= 4, off[0] == 0, off[G] == T, nondecreasing(off)
// CHECK: grid tile(r: T / 16 + G)
grid tile(r: ragged(off, 16))
roles { all: warps 4 }
// CHECK: launch: 128 threads, T / 16 + G CTAs
role all {
  // CHECK: load off[min(2, G)]
  // CHECK: load off[
  // CHECK: load off[r.group]
  // CHECK: load off[r.group + 1]
  // CHECK: {{^ +[0-9]+ +}}if
  // CHECK: load x[r.row :+ 16] {{.*}} predicated by mask
  store y[r.row :+ 16, :] <- (load x[r.row :+ 16, :] where (iota(16) < r.rows)[:, None]) * 2.0 where (iota(16) < r.rows)[:, None]
  store n[r.group] <- cast i32 r.rows
}
// CHECK: trusted:
// CHECK: off[G] == T
