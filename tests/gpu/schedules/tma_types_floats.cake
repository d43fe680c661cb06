// Copies of tensors of f64, f32, tf32, f16, e4m3 and e5m2: by bulk copies into slots, by lanes into other buffers, by bulk copies back.
target sm_90a
kernel tma_types_floats(x_f64: f64[M, N], out y_f64: f64[M, N],
    x_f32: f32[M, N], out y_f32: f32[M, N],
    x_tf32: tf32[M, N], out y_tf32: tf32[M, N],
    x_f16: f16[M, N], out y_f16: f16[M, N],
    x_e4m3: e4m3[M, N], out y_e4m3: e4m3[M, N],
    x_e5m2: e5m2[M, N], out y_e5m2: e5m2[M, N])
where 1 <= M <= 1048576, 16 <= N <= 1048576, N % 16 == 0
grid tile(m: cdiv(M, 16), n: cdiv(N, 32))
roles { load: warps 1; all: warps 2 }
pipeline p stages 1 from load to all {
  a_f64: f64[16, 32]
  a_f32: f32[16, 32]
  a_tf32: tf32[16, 32]
  a_f16: f16[16, 32]
  a_e4m3: e4m3[16, 32]
  a_e5m2: e5m2[16, 32]
}
shared b_f64: f64[16, 32]
shared b_f32: f32[16, 32]
shared b_tf32: tf32[16, 32]
shared b_f16: f16[16, 32]
shared b_e4m3: e4m3[16, 32]
shared b_e5m2: e5m2[16, 32]
role load {
  acquire p
  tma.load a_f64 <- x_f64[m * 16, n * 32]
  tma.load a_f32 <- x_f32[m * 16, n * 32]
  tma.load a_tf32 <- x_tf32[m * 16, n * 32]
  tma.load a_f16 <- x_f16[m * 16, n * 32]
  tma.load a_e4m3 <- x_e4m3[m * 16, n * 32]
  tma.load a_e5m2 <- x_e5m2[m * 16, n * 32]
  commit p
}
role all {
  wait p
  store b_f64 <- load a_f64
  store b_f32 <- load a_f32
  store b_tf32 <- load a_tf32
  store b_f16 <- load a_f16
  store b_e4m3 <- load a_e4m3
  store b_e5m2 <- load a_e5m2
  release p keep 0
  fence async
  sync team
  tma.store y_f64[m * 16, n * 32] <- b_f64
  tma.store y_f32[m * 16, n * 32] <- b_f32
  tma.store y_tf32[m * 16, n * 32] <- b_tf32
  tma.store y_f16[m * 16, n * 32] <- b_f16
  tma.store y_e4m3[m * 16, n * 32] <- b_e4m3
  tma.store y_e5m2[m * 16, n * 32] <- b_e5m2
  bulk.commit
  bulk.wait 0
}
