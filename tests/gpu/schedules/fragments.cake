// Scans, extremes and the largest of an accumulator: two warpgroups, whose fragments lie over registers, lanes, warps and
// again registers along each axis.
target sm_90a
let last(a, b) = select(b > 0.0, b, a)
kernel fragments(a: bf16[B, 256, 64], b: bf16[32, 64], out down: f32[B, 256, 32], out right: f32[B, 256, 32], out rows: i32[B, 256], out columns: i32[B, 32], out lasts: f32[B, 32], out top: i32[B, 2, 32])
where 1 <= B <= 65535
grid tile(g: B)
roles { math: warpgroups 2 }
shared sa: bf16[256, 64] swizzle 128
shared sb: bf16[32, 64] swizzle 128
role math {
  store sa[:, :] <- load a[g, :, :] vec 8
  store sb[:, :] <- load b[:, :] vec 8
  fence async
  sync team
  var c: f32[256, 32]
  wgmma c = sa * sb.T
  wgmma.commit
  wgmma.wait 0
  store down[g, :, :] <- scan(c, axis=0)
  store right[g, :, :] <- scan(c, axis=1)
  store rows[g, :] <- cast i32 argmax(c, axis=1)
  store columns[g, :] <- cast i32 argmin(c, axis=0)
  store lasts[g, :] <- reduce(last, c, axis=0)
  store top[g, :, :] <- topk(cast i32 c, 2, axis=0)
}
