// Bulk reductions of each operation and type: tiles of x go through shared memory, the copy engine folds them into y.
target sm_90a
kernel tma_reductions(x_f64: f64[M, N], x_f16: f16[M, N], x_bf16: bf16[M, N], x_i32: i32[M, N],
    x_u32: u32[M, N], x_i64: i64[M, N], x_u64: u64[M, N], inout y_f64_add: f64[M, N],
    inout y_f16_add: f16[M, N], inout y_f16_max: f16[M, N], inout y_bf16_add: bf16[M, N], inout y_bf16_min: bf16[M, N],
    inout y_i32_add: i32[M, N], inout y_i32_min: i32[M, N], inout y_i32_and: i32[M, N], inout y_u32_add: u32[M, N],
    inout y_u32_max: u32[M, N], inout y_u32_or: u32[M, N], inout y_i64_min: i64[M, N], inout y_u64_xor: u64[M, N],
    inout y_u64_add: u64[M, N], inout y_u64_max: u64[M, N])
where 1 <= M <= 65536, 8 <= N <= 65536, N % 8 == 0
grid tile(i: cdiv(M, 32), j: cdiv(N, 16))
roles { all: warps 4 }
shared s_f64: f64[32, 16]
shared s_f16: f16[32, 16]
shared s_bf16: bf16[32, 16]
shared s_i32: i32[32, 16]
shared s_u32: u32[32, 16]
shared s_i64: i64[32, 16]
shared s_u64: u64[32, 16]
role all {
  store s_f64 <- load x_f64[i * 32 :+ 32, j * 16 :+ 16] clip 0
  store s_f16 <- load x_f16[i * 32 :+ 32, j * 16 :+ 16] clip 0
  store s_bf16 <- load x_bf16[i * 32 :+ 32, j * 16 :+ 16] clip 0
  store s_i32 <- load x_i32[i * 32 :+ 32, j * 16 :+ 16] clip 0
  store s_u32 <- load x_u32[i * 32 :+ 32, j * 16 :+ 16] clip 0
  store s_i64 <- load x_i64[i * 32 :+ 32, j * 16 :+ 16] clip 0
  store s_u64 <- load x_u64[i * 32 :+ 32, j * 16 :+ 16] clip 0
  fence async
  sync team
  tma.reduce add y_f64_add[i * 32, j * 16] <- s_f64
  tma.reduce add y_f16_add[i * 32, j * 16] <- s_f16
  tma.reduce max y_f16_max[i * 32, j * 16] <- s_f16
  tma.reduce add y_bf16_add[i * 32, j * 16] <- s_bf16
  tma.reduce min y_bf16_min[i * 32, j * 16] <- s_bf16
  tma.reduce add y_i32_add[i * 32, j * 16] <- s_i32
  tma.reduce min y_i32_min[i * 32, j * 16] <- s_i32
  tma.reduce and y_i32_and[i * 32, j * 16] <- s_i32
  tma.reduce add y_u32_add[i * 32, j * 16] <- s_u32
  tma.reduce max y_u32_max[i * 32, j * 16] <- s_u32
  tma.reduce or y_u32_or[i * 32, j * 16] <- s_u32
  tma.reduce min y_i64_min[i * 32, j * 16] <- s_i64
  tma.reduce xor y_u64_xor[i * 32, j * 16] <- s_u64
  tma.reduce add y_u64_add[i * 32, j * 16] <- s_u64
  tma.reduce max y_u64_max[i * 32, j * 16] <- s_u64
  bulk.commit
  bulk.wait 0
}
