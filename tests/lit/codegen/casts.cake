// Casts: 8-bit floats in pairs, clamping, rounding to zero.
// REQUIRES: cakec, llvm
// RUN: %cakec %s | FileCheck %s
// RUN: %cakec %s --emit plan | FileCheck %s --check-prefix=PLAN
target sm_89
kernel casts(x: f32[1024], out e: e4m3[1024], out g: f16[1024], out n: i8[1024], out h: f16[1024], out z: bf16[1024], out m: u8[1024])
grid tile(i: 1)
roles { all: warps 1 }
role all {
  let v = load x[:] vec 4
  // CHECK-COUNT-16: cvt.rn.satfinite.e4m3x2.f32
  let b = cast e4m3 v
  store e[:] <- b vec 4
  // CHECK-COUNT-16: cvt.rn.f16x2.e4m3x2
  store g[:] <- cast f16 b vec 4
  // PLAN: cast i8 v sat
  // CHECK: cvt.rzi.s{{16|32}}.f32
  store n[:] <- cast i8 v sat vec 4
  // PLAN: cast f16 v sat round rz
  // CHECK: 0f477FE000
  // CHECK: cvt.rz.f16.f32
  store h[:] <- cast f16 v sat round rz vec 4
  // CHECK: cvt.rz.bf16.f32
  store z[:] <- cast bf16 v round rz vec 4
  // An integer is clamped in its own type.
  // CHECK: min.s32 {{.*}}, 255
  store m[:] <- cast u8 (cast i32 v) sat vec 4
}
