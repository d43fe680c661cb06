// Steps of a program, a kernel's instances by its statics, and what the program's contract leaves open.
// REQUIRES: cakec
// RUN: %cakec %s -D A=64 -D BM=32 --emit plan | FileCheck %s
// RUN: %cakec %s -D A=64 -D BM=32 --emit manifest | FileCheck %s --check-prefix=MANIFEST
// RUN: %cakec check %s -D A=64 | FileCheck %s --check-prefix=COUNT
// RUN: %cakec %s --specialise -D A=64 -D M=128 -D L=3 --emit plan | FileCheck %s --check-prefix=BAKED
target sm_90a
tune BM in {16, 32} = 16
kernel scale(x: f32[M, N], s: f32, n: i32, out y: f32[M, N])
where 1 <= M <= 4096, 1 <= N <= 1024, static N, N % 2 == 0, M % 2 == 0
grid tile(i: cdiv(M, BM))
roles { all: warps 4 }
role all { store y[i * BM :+ BM, :] <- (load x[i * BM :+ BM, :] clip 0) * s clip }
kernel alone(x: f32[N])
where 1 <= N <= 1024
grid tile(i: N)
roles { all: warps 1 }
role all { }
program both(a: f32[M, A], b: f32[L + 1, A / 2], s: f32, out c: f32[M, A], out d: f32[L + 1, A / 2], out e: f32[M, A])
where 2 <= M <= 4096, 1 <= L <= 100, A % 4 == 0, M % 4 == 0 {
  run scale(a, s, 7, c)
  run scale(b, 0.5, L * 2, d)
  run scale(c, 2, -1, e)
}

// CHECK: plan of program both
// CHECK: tunables BM = 32
// CHECK-NEXT: statics A = 64
// CHECK: run scale(x: a, y: c) M = M
// CHECK: run scale_N32(x: b, y: d) M = L + 1
// CHECK: run scale(x: c, y: e) M = M
// CHECK: 13 conditions of kernels follow from the contract
// CHECK: required by kernels, checked at launch:
// CHECK-NEXT: scale: (L + 1) % 2 == 0
// CHECK: plan of scale
// CHECK: tunables BM = 32
// CHECK-NEXT: statics N = 64
// CHECK: plan of scale_N32
// CHECK: statics N = 32
// CHECK: plan of alone

// MANIFEST: "kernels": [{"name": "scale", "dimensions": ["M"], "statics": {"N": 64}
// MANIFEST-SAME: {"name": "scale_N32", "dimensions": ["M"], "statics": {"N": 32}
// MANIFEST: "programs": [{"name": "both", "dimensions": ["M", "L"], "statics": {"A": 64}
// MANIFEST-SAME: "required": [{"text": "scale: (L + 1) % 2 == 0", "condition": ["eq", ["mod", ["add", "L", 1], 2], 0]}]
// MANIFEST-SAME: {"kernel": 0, "tensors": [0, 2], "dimensions": ["M"], "scalars": [{"scalar": 0}, {"bits": "7"}], "overlap": false}
// MANIFEST-SAME: {"kernel": 1, "tensors": [1, 3], "dimensions": [{{\[}}"add", "L", 1]], "scalars": [{"bits": "3f000000"}, {"expression": ["mul", "L", 2]}]
// MANIFEST-SAME: {"kernel": 0, "tensors": [2, 4], "dimensions": ["M"], "scalars": [{"bits": "40000000"}, {"bits": "ffffffff"}]

// COUNT: 13 proved, 0 refuted, 0 unknown, 24 unchecked ({{.*}}), 1 checked at launch

// BAKED: statics M = 128, A = 64, L = 3
// BAKED-NOT: required by kernels
// BAKED: plan of scale
// BAKED: statics M = 128, N = 64
// BAKED: plan of scale_M4_N32
