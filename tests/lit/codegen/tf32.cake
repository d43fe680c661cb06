// A cast to tf32 rounds to nearest, ties to even, and leaves NaN as it is; what comes from f64 is rounded once, a constant by
// the compiler: 0.3 is 0x3E99999A as f32, which is rounded up.
// REQUIRES: cakec, llvm
// RUN: %cakec %s | FileCheck %s
target sm_80
kernel tf(x: f32[32], d: f64[32], out y: tf32[32], out z: tf32[32], out c: tf32[1])
where 1 <= 1
grid tile(i: 1)
roles { all: warps 1 }
role all {
  // CHECK: ld.global.nc.b32 [[X:%r[0-9]+]],
  // CHECK: bfe.u32 [[ODD:%r[0-9]+]], [[X]], 13, 1;
  // CHECK: add.s32 [[SUM:%r[0-9]+]], [[X]], [[ODD]];
  // CHECK: add.s32 [[UP:%r[0-9]+]], [[SUM]], 4095;
  // CHECK: and.b32 [[CUT:%r[0-9]+]], [[UP]], -8192;
  // CHECK: setp.num.f32 [[NUMBER:%p[0-9]+]], [[X]], [[X]];
  // CHECK: selp.b32 {{%r[0-9]+}}, [[CUT]], [[X]], [[NUMBER]];
  store y[:] <- cast tf32 (load x[:])
  // CHECK: cvt.rz.f32.f64
  // CHECK: setp.neu.f64
  store z[:] <- cast tf32 (load d[:])
  // CHECK: mov.b32 [[CONSTANT:%r[0-9]+]], 1050255360;
  // CHECK: st.global.b32 {{.*}}, [[CONSTANT]];
  store c[0] <- cast tf32 0.3
}
