// A static is part of the code and of the manifest's demands, a runtime dimension is an argument.
// REQUIRES: cakec, llvm
// RUN: %cakec %s -D N=256 --emit manifest | FileCheck %s
// RUN: %cakec %s -D N=256 -D M=7 --specialise --emit manifest | FileCheck %s --check-prefix=BAKED
target sm_80
// CHECK: "name": "k", "dimensions": ["M"], "statics": {"N": 256}
// CHECK: "threads": 32{{.*}}"grid": "M"
// BAKED: "name": "k", "dimensions": [], "statics": {"M": 7, "N": 256}
// BAKED: "threads": 32{{.*}}"grid": 7
kernel k(x: f32[M, N], out y: f32[M, N])
where 1 <= M <= 1000000, static N, N in {128, 256}
grid tile(i: M)
roles { all: warps 1 }
role all {
  store y[i, 0 :+ N] <- load x[i, 0 :+ N]
}
