// Copies of tensors of i64, i32, i16, i8, u64, u32, u16, u8 and bool: by bulk copies into slots, by lanes into other buffers, by bulk copies back.
target sm_90a
kernel tma_types_integers(x_i64: i64[M, N], out y_i64: i64[M, N],
    x_i32: i32[M, N], out y_i32: i32[M, N],
    x_i16: i16[M, N], out y_i16: i16[M, N],
    x_i8: i8[M, N], out y_i8: i8[M, N],
    x_u64: u64[M, N], out y_u64: u64[M, N],
    x_u32: u32[M, N], out y_u32: u32[M, N],
    x_u16: u16[M, N], out y_u16: u16[M, N],
    x_u8: u8[M, N], out y_u8: u8[M, N],
    x_bool: bool[M, N], out y_bool: bool[M, N])
where 1 <= M <= 1048576, 16 <= N <= 1048576, N % 16 == 0
grid tile(m: cdiv(M, 16), n: cdiv(N, 32))
roles { load: warps 1; all: warps 2 }
pipeline p stages 1 from load to all {
  a_i64: i64[16, 32]
  a_i32: i32[16, 32]
  a_i16: i16[16, 32]
  a_i8: i8[16, 32]
  a_u64: u64[16, 32]
  a_u32: u32[16, 32]
  a_u16: u16[16, 32]
  a_u8: u8[16, 32]
  a_bool: bool[16, 32]
}
shared b_i64: i64[16, 32]
shared b_i32: i32[16, 32]
shared b_i16: i16[16, 32]
shared b_i8: i8[16, 32]
shared b_u64: u64[16, 32]
shared b_u32: u32[16, 32]
shared b_u16: u16[16, 32]
shared b_u8: u8[16, 32]
shared b_bool: bool[16, 32]
role load {
  acquire p
  tma.load a_i64 <- x_i64[m * 16, n * 32]
  tma.load a_i32 <- x_i32[m * 16, n * 32]
  tma.load a_i16 <- x_i16[m * 16, n * 32]
  tma.load a_i8 <- x_i8[m * 16, n * 32]
  tma.load a_u64 <- x_u64[m * 16, n * 32]
  tma.load a_u32 <- x_u32[m * 16, n * 32]
  tma.load a_u16 <- x_u16[m * 16, n * 32]
  tma.load a_u8 <- x_u8[m * 16, n * 32]
  tma.load a_bool <- x_bool[m * 16, n * 32]
  commit p
}
role all {
  wait p
  store b_i64 <- load a_i64
  store b_i32 <- load a_i32
  store b_i16 <- load a_i16
  store b_i8 <- load a_i8
  store b_u64 <- load a_u64
  store b_u32 <- load a_u32
  store b_u16 <- load a_u16
  store b_u8 <- load a_u8
  store b_bool <- load a_bool
  release p keep 0
  fence async
  sync team
  tma.store y_i64[m * 16, n * 32] <- b_i64
  tma.store y_i32[m * 16, n * 32] <- b_i32
  tma.store y_i16[m * 16, n * 32] <- b_i16
  tma.store y_i8[m * 16, n * 32] <- b_i8
  tma.store y_u64[m * 16, n * 32] <- b_u64
  tma.store y_u32[m * 16, n * 32] <- b_u32
  tma.store y_u16[m * 16, n * 32] <- b_u16
  tma.store y_u8[m * 16, n * 32] <- b_u8
  tma.store y_bool[m * 16, n * 32] <- b_bool
  bulk.commit
  bulk.wait 0
}
