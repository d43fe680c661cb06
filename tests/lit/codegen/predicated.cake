// A guarded tail: vectors, predicated as a whole, through the read-only path.
// REQUIRES: cakec, llvm
// RUN: %cakec %s | FileCheck %s
// RUN: %cakec %s --emit llvm | FileCheck %s --check-prefix=LLVM
target sm_80
// The manifest stands right behind the header.
// CHECK: .version
// CHECK-NEXT: .target sm_80
// CHECK-NEXT: .address_size 64
// CHECK: // cake-manifest-begin 1
// CHECK-NEXT: // {
// CHECK: // cake-manifest-end
// CHECK: .visible .entry scale(
// CHECK: .maxntid 128
// CHECK-NOT: .minnctapersm
// LLVM: define {{.*}}void @scale(
// LLVM: !DISubprogram(name: "scale"
kernel scale(x: bf16[N], f: f32, out y: bf16[N])
where 8 <= N <= 2147483647, N % 8 == 0
grid tile(i: cdiv(N, 1024))
roles { all: warps 4 }
role all {
  // CHECK: .loc 1 [[#@LINE+2]] 3
  // CHECK: setp.ne.b32 p, {{.*}}; @p ld.global.nc.v4.b32 {
  let a = cast f32 (load x[i * 1024 :+ 1024] vec 8 clip 0)
  // CHECK: .loc 1 [[#@LINE+2]] 3
  // CHECK: setp.ne.b32 p, {{.*}}; @p st.global.v4.b32 [
  store y[i * 1024 :+ 1024] <- cast bf16 (a * f) vec 8 clip
}
