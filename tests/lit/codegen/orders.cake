// Orders of atomics: 'red' acquires nothing, so an operation that does is 'atom' even where its value is not used.
// REQUIRES: cakec, llvm
// RUN: %cakec %s | FileCheck %s
target sm_80
kernel orders(inout n: u32[8], inout m: f32[4], inout b: u8[4])
where 1 <= 1
grid tile(i: 1)
roles { all: warps 1 }
role all {
  // CHECK: red.relaxed.gpu.global.add.u32
  atomic.add n[0] <- 1
  // CHECK: red.release.sys.global.max.u32
  atomic.max n[1] <- 1 scope sys order release
  // CHECK: atom.acquire.gpu.global.and.b32
  atomic.and n[2] <- 1 order acquire
  // CHECK: atom.acq_rel.sys.global.add.f32
  atomic.add m[0] <- 1 scope sys order acq_rel
  // CHECK: st.release.gpu.global.b8
  atomic.store b[0] <- 1 order release
  // CHECK: ld.acquire.sys.global.b8
  // CHECK: st.relaxed.gpu.global.b8
  atomic.store b[1] <- atomic.load b[2] order acquire scope sys
}
