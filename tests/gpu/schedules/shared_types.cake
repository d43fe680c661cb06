// Transposition of matrices of each element type through shared memory.
target sm_80
kernel shared_types(x_f64: f64[B, 32, 16], out y_f64: f64[B, 16, 32],
    x_tf32: tf32[B, 32, 16], out y_tf32: tf32[B, 16, 32],
    x_f16: f16[B, 32, 16], out y_f16: f16[B, 16, 32],
    x_e4m3: e4m3[B, 32, 16], out y_e4m3: e4m3[B, 16, 32],
    x_e5m2: e5m2[B, 32, 16], out y_e5m2: e5m2[B, 16, 32],
    x_i64: i64[B, 32, 16], out y_i64: i64[B, 16, 32],
    x_i32: i32[B, 32, 16], out y_i32: i32[B, 16, 32],
    x_i16: i16[B, 32, 16], out y_i16: i16[B, 16, 32],
    x_i8: i8[B, 32, 16], out y_i8: i8[B, 16, 32],
    x_u64: u64[B, 32, 16], out y_u64: u64[B, 16, 32],
    x_u32: u32[B, 32, 16], out y_u32: u32[B, 16, 32],
    x_u16: u16[B, 32, 16], out y_u16: u16[B, 16, 32],
    x_u8: u8[B, 32, 16], out y_u8: u8[B, 16, 32],
    x_bool: bool[B, 32, 16], out y_bool: bool[B, 16, 32])
where 1 <= B <= 65535
grid tile(b: B)
roles { all: warps 2 }
shared s_f64: f64[32, 16] pad 2
shared s_tf32: tf32[32, 16] pad 4
shared s_f16: f16[32, 16] pad 8
shared s_e4m3: e4m3[32, 16] pad 16
shared s_e5m2: e5m2[32, 16] pad 16
shared s_i64: i64[32, 16] pad 2
shared s_i32: i32[32, 16] pad 4
shared s_i16: i16[32, 16] pad 8
shared s_i8: i8[32, 16] pad 16
shared s_u64: u64[32, 16] pad 2
shared s_u32: u32[32, 16] pad 4
shared s_u16: u16[32, 16] pad 8
shared s_u8: u8[32, 16] pad 16
shared s_bool: bool[32, 16] pad 16
role all {
  store s_f64 <- load x_f64[b, :, :]
  store s_tf32 <- load x_tf32[b, :, :]
  store s_f16 <- load x_f16[b, :, :]
  store s_e4m3 <- load x_e4m3[b, :, :]
  store s_e5m2 <- load x_e5m2[b, :, :]
  store s_i64 <- load x_i64[b, :, :]
  store s_i32 <- load x_i32[b, :, :]
  store s_i16 <- load x_i16[b, :, :]
  store s_i8 <- load x_i8[b, :, :]
  store s_u64 <- load x_u64[b, :, :]
  store s_u32 <- load x_u32[b, :, :]
  store s_u16 <- load x_u16[b, :, :]
  store s_u8 <- load x_u8[b, :, :]
  store s_bool <- load x_bool[b, :, :]
  sync team
  store y_f64[b, :, :] <- load s_f64.T
  store y_tf32[b, :, :] <- load s_tf32.T
  store y_f16[b, :, :] <- load s_f16.T
  store y_e4m3[b, :, :] <- load s_e4m3.T
  store y_e5m2[b, :, :] <- load s_e5m2.T
  store y_i64[b, :, :] <- load s_i64.T
  store y_i32[b, :, :] <- load s_i32.T
  store y_i16[b, :, :] <- load s_i16.T
  store y_i8[b, :, :] <- load s_i8.T
  store y_u64[b, :, :] <- load s_u64.T
  store y_u32[b, :, :] <- load s_u32.T
  store y_u16[b, :, :] <- load s_u16.T
  store y_u8[b, :, :] <- load s_u8.T
  store y_bool[b, :, :] <- load s_bool.T
}
