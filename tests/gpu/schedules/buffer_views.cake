// Views of shared buffers: another shape, matrices joined under a swizzle, strides.
target sm_80
kernel buffer_views(x: f32[M, 32, 32], out y: f32[M, 4, 8, 32], out z: f32[M, 32, 32], out w: f32[M, 16, 2], out h: f16[M, 64, 64])
where 1 <= M <= 100000
grid tile(i: M)
roles { all: warps 4 }
shared s: f32[32, 32]
view blocks: f32[4, 8, 32] = s
view line: f32[1024] = s
view diagonal: f32[16, 2] = s strides [66, 1]
shared t: f16[2, 32, 64] swizzle 128
view joined: f16[64, 64] = t
role all {
  store s <- load x[i, :, :] vec 4
  store t[0] <- cast f16 (iota(32)[:, None] + iota(64)[None, :])
  store t[1] <- cast f16 (iota(32)[:, None] * 2 - iota(64)[None, :])
  sync team
  store y[i, :, :, :] <- load blocks vec 4
  store z[i, :, :] <- reshape(load line[1023 - iota(1024)], 32, 32)
  store w[i, :, :] <- load diagonal
  store h[i, :, :] <- load joined vec 8
}
