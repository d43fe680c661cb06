// Hints to the L2 cache: one policy of each kind, made before the roles, whatever the form of access.
// REQUIRES: cakec, llvm
// RUN: %cakec %s | FileCheck %s
target sm_90a
kernel hints(x: f32[M, 64], w: f32[M, 64], out y: f32[M, 64])
where 1 <= M <= 65536
grid tile(i: M)
roles {
  load: warps 1
  all: warps 2
}
pipeline p stages 1 from load to all { s: f32[64] }
pipeline q stages 1 from all to all { t: f32[64] }
// CHECK: createpolicy.fractional.L2::evict_first.b64 [[FIRST:%rd[0-9]+]], 1.0;
// CHECK: createpolicy.fractional.L2::evict_last.b64 [[LAST:%rd[0-9]+]], 1.0;
// CHECK-NOT: createpolicy
// The first role is laid out last.
role load {
  acquire p
  tma.load s <- x[i, 0] cache evict_first
  commit p
}
role all {
  acquire q
  async.load t <- w[i, :]
  commit q
  // CHECK: ld.global.nc.L2::cache_hint.b32 {{.*}}], [[FIRST]];
  let v = load w[i, :] cache evict_first
  wait p
  wait q
  // CHECK: ld.shared.b32
  // CHECK: ld.shared.b32
  // CHECK: st.global.L2::cache_hint.b32 {{.*}}, [[LAST]];
  store y[i, :] <- (v + (load s[:] cache evict_first) + load t) cache evict_last
  release p keep 0
  release q keep 0
}
// CHECK: complete_tx::bytes.L2::cache_hint {{.*}}], [[FIRST]];
