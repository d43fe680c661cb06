// ldmatrix and mma: fragments of every element type, plain and transposed, whole blocks and halves.
// REQUIRES: cakec, llvm
// RUN: %cakec %s | FileCheck %s
target sm_80
kernel product(out c: f32[32, 24], out d: i32[16, 16])
grid tile(i: 1)
roles { all: warps 1 }
shared sa: bf16[32, 32] swizzle 64
shared sb: bf16[32, 32] swizzle 64
shared sk: bf16[32, 32] swizzle 64
shared ta: tf32[32, 8] pad 4
shared tb: tf32[32, 8] pad 4
shared ia: i8[16, 32] pad 16
shared ub: u8[16, 32] pad 16
role all {
  store sa <- 0
  store sb <- 0
  store sk <- 0
  store ta <- 0
  store tb <- 0
  store ia <- 0
  store ub <- 0
  sync team
  var acc: f32[32, 24] = 0
  var total: i32[16, 16] = 0

  // Two steps of 16: two blocks of rows; of the 24 columns a block and a half, of which the third product takes the half.
  // CHECK: .loc 1 [[#@LINE+8]] 3
  // CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16 {
  // CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16 {
  // CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16 {
  // CHECK: ldmatrix.sync.aligned.m8n8.x2.shared.b16 {[[B0:%r[0-9]+]], [[B1:%r[0-9]+]]}, [
  // CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {[[C:.*]]}, {{{.*}}}, {{{.*}}}, {[[C]]};
  // CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {{{.*}}}, {{{.*}}}, {[[B0]], [[B1]]}, {{{.*}}};
  // CHECK-COUNT-9: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
  mma acc += sa * sb[0 :+ 24, :].T
  // Operands that lie along M and N. Both steps are read before the first products.
  // CHECK: .loc 1 [[#@LINE+3]] 3
  // CHECK-COUNT-8: ldmatrix.sync.aligned.m8n8.x{{[24]}}.trans.shared.b16 {
  // CHECK-COUNT-12: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {
  mma acc += sa.T * sk[:, 0 :+ 24]
  // CHECK: .loc 1 [[#@LINE+2]] 3
  // CHECK-COUNT-6: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {
  mma acc += ta * tb[0 :+ 24, :].T
  // The words of a fragment are neighbours: of the right operand's four, the first two and the last two.
  // CHECK: .loc 1 [[#@LINE+6]] 3
  // CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16 {[[A:.*]]}, [
  // CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16 {[[R0:%r[0-9]+]], [[R1:%r[0-9]+]], [[R2:%r[0-9]+]], [[R3:%r[0-9]+]]}, [
  // CHECK: mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {{{.*}}}, {[[A]]}, {[[R0]], [[R1]]}, {{{.*}}};
  // CHECK: mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {{{.*}}}, {[[A]]}, {[[R2]], [[R3]]}, {{{.*}}};
  // CHECK-NOT: mma.sync
  mma total += ia * ub.T
  store c[:, :] <- acc
  store d[:, :] <- total
}
// CHECK: ret;
