// RUN: %cakec %examples/gemm_sm90a/gemm_sm90a.cake --emit plan | FileCheck %s
// RUN: %cakec %examples/gemm_sm90a/gemm_sm90a.cake --emit plan -D BN=128 -D STAGES=6 | FileCheck %s --check-prefix=SMALL
// RUN: %cakec %examples/gemm_sm90a/gemm_sm90a.cake --emit plan > %t.once && %cakec %examples/gemm_sm90a/gemm_sm90a.cake --emit plan | diff %t.once -
// REQUIRES: cakec
// CHECK: plan of gemm
// CHECK: tunables BM = 128, BN = 256, BK = 64, STAGES = 4, GROUP = 8
// CHECK: dimensions 1 <= M <= 1048576, 8 <= K <= 1048576, 8 <= N <= 1048576
// CHECK: grid persistent tile(m: cdiv(M, 128), n: cdiv(N, 256)) order grouped(m, 8)
// CHECK: launch: 384 threads, min(cdiv(M, 128) * cdiv(N, 256), sm_count) CTAs, 1 a multiprocessor
// CHECK-NEXT: shared memory 229440 of 232448 bytes
// CHECK-NEXT: registers 168 a thread at entry
// CHECK-NEXT: warps 0 .. 4 load: 1 team of 4 warps, 40 registers, only the first warp of it runs
// CHECK-NEXT: warps 4 .. 12 math: 2 teams of 4 warps, 232 registers
// CHECK: 0 16384 x 4 sa: bf16[128, 64], swizzle 128, 1 panel
// CHECK-NEXT: 65536 32768 x 4 sb: bf16[256, 64], swizzle 128, 1 panel
// CHECK-NEXT: 196608 32768 x 1 sc: bf16[2, 2, 64, 64], swizzle 128, 1 panel
// CHECK-NEXT: 229376 8 x 4 mbarriers of ab: full
// CHECK-NEXT: 229408 8 x 4 mbarriers of ab: empty
// CHECK: ab: 4 stages, load -> math full after 1 arrival and 49152 bytes, empty after 8; filled by tma.load
// CHECK: named barriers:
// CHECK: 1 math team 0, 128 threads
// CHECK-NEXT: 2 math team 1, 128 threads
// CHECK: tensor maps:
// CHECK-NEXT: 1 a, box [128, 64], swizzle 128
// CHECK-NEXT: 2 b, box [256, 64], swizzle 128
// CHECK-NEXT: 3 c, box [64, 64], swizzle 128, stores
// CHECK: role load:
// CHECK: for tile (m, n)
// CHECK-NEXT: for k in 0 .. cdiv(K, 64) at least once
// CHECK-NEXT: acquire ab
// CHECK-NEXT: tma.load sa <- a[m * 128, k * 64] 16384 bytes: 1 box of map 1
// CHECK-NEXT: tma.load sb <- b[n * 256, k * 64] 32768 bytes: 1 box of map 2
// CHECK-NEXT: commit ab full after 1 arrival and 49152 bytes
// CHECK: role math:
// CHECK: acc = 0 f32[64, 256] in layout [[ACC:[0-9]+]]: 128 registers, accumulator
// CHECK: wgmma acc += sa[w * 64 :+ 64] * sb.T 4 x m64n256k16 bf16: 1 block of rows, 4 steps
// CHECK: release ab keep 1 held before: 1 or 2
// CHECK: release ab keep 0 held before: 1
// CHECK: store sc[w, 0] <- cast bf16 acc[:, 0 :+ 64] bf16[64, 64] in layout {{[0-9]+}}: 32 registers, stmatrix.x4
// CHECK: store sc[w, 1] <- cast bf16 acc[:, 64 :+ 64]
// CHECK: tma.store c[m * 128 + w * 64, n * 256 + 64] <- sc[w, 1] 8192 bytes: 1 box of map 3
// CHECK: layouts:
// CHECK: [[ACC]] [64, 256] 128 registers, runs of 2
// CHECK: checked at launch:
// CHECK-NEXT: 1 <= M <= 1048576
// CHECK: K % 8 == 0
// CHECK-NOT: trusted

// SMALL: tunables BM = 128, BN = 128, BK = 64, STAGES = 6, GROUP = 8
// SMALL: wgmma {{.*}} 4 x m64n128k16
