// Teams of different sizes: their layouts, and the arrivals that they make at one signal.
// REQUIRES: cakec
// RUN: %cakec %s --emit plan | FileCheck %s
target sm_80
kernel sizes(x: i32[M, 256], out y: i32[M, 256], out z: i32[M, 256])
where 1 <= M <= 1000000
grid tile(m: M)
roles { one: warps 1; six: warps 6; two: warps 2 }
// CHECK: done: count 2 complete after 12 arrivals, 6 of each team
signal done count 2
// CHECK-LABEL: role one:
// CHECK: load x[m] i32[256] in layout [[ONE:[0-9]+]]: 8 registers
role one {
  store y[m, :] <- load x[m, :]
  arrive done
}
// The tile is dealt to two warps; the others repeat it.
// CHECK-LABEL: role six:
// CHECK: load x[m] i32[256] in layout [[SIX:[0-9]+]]: 4 registers
role six {
  store z[m, :] <- load x[m, :]
  arrive done
}
role two { await done; sync team }
// CHECK-LABEL: layouts:
// CHECK: [[ONE]] [256] 8 registers, runs of 1; lane bits(1)(2)(4)(8)(16){{$}}
// CHECK: [[SIX]] [256] 4 registers, runs of 1; lane bits(1)(2)(4)(8)(16); warp bits(32){{$}}
