// 4-bit elements, by bytes and halves of bytes; rows gathered by cp.async.
// REQUIRES: cakec, llvm
// RUN: %cakec %s | FileCheck %s
// RUN: %cakec %s --emit plan | FileCheck %s --check-prefix=PLAN
target sm_90a
kernel halves(a: u4[M, 256], at: i32[32], out y: u8[M, 256], out z: u4[M, 256], out w: i32[32, 32])
where 32 <= M <= 1000000, all(0 <= at), all(at < M)
grid tile(i: 1)
roles { load: warps 1; all: warps 1 }
pipeline copies stages 1 from load to all { s: u4[32, 256] }
pipeline rows stages 1 from all to all { t: u4[32, 256] }
role load {
  acquire copies
  // A map of bytes: pairs of elements.
  // CHECK: "dtype": "u8"
  // CHECK: "box": [128, 32]
  tma.load s <- a[0, 0]
  commit copies
}
role all {
  // PLAN: vectors of 32, 16 bytes
  // CHECK: ld.global.nc.v4.b32
  let v = load a[0, :] vec 32
  store y[0, :] <- cast u8 v vec 16
  // CHECK: st.global.v4.b32
  store z[0, :] <- v vec 32
  acquire rows
  // PLAN: async.load t <- a[cast index {{.*}}] layout {{[0-9]+}}: 8 copies of 16 bytes a lane
  // CHECK-COUNT-8: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16;
  async.load t <- a[load at[:], :]
  commit rows
  wait copies
  wait rows
  // PLAN: u4[32, 32] in layout {{[0-9]+}}: 32 registers, single elements, half a byte
  // CHECK: ld.shared.b8
  store w[:, :] <- cast i32 (load s[:, 3 :+ 32]) + cast i32 (load t[:, 0 :+ 32])
  release copies keep 0
  release rows keep 0
}
