// Hints to the L2 cache on every access that takes one: they change no result.
target sm_90a
kernel cache_hints(x: bf16[M, N], w: bf16[M, N], g: f32[N], out y: bf16[M, N], out z: f32[M, N], out t: bf16[M, N])
where 1 <= M <= 1048576, 64 <= N <= 1048576, N % 64 == 0
grid tile(m: cdiv(M, 64), n: N / 64)
roles {
  load: warps 1
  more: warps 4
  all: warps 4
}
pipeline xs stages 2 from load to all {
  sx: bf16[64, 64]
  sv: bf16[64, 64]
}
pipeline ws stages 2 from more to all {
  sw: bf16[32, 64]
}
role load {
  acquire xs
  tma.load sx <- x[m * 64, n * 64] cache evict_first
  tma.load sv <- w[m * 64, n * 64] cache evict_last
  commit xs
}
role more {
  for i in 0 .. 2 {
    acquire ws
    async.load sw <- w[m * 64 + i * 32 :+ 32, n * 64 :+ 64] clip 0
    commit ws
  }
}
role all {
  let a = load g[n * 64 :+ 64] cache evict_last
  wait xs
  for i in 0 .. 2 {
    wait ws
    let p = cast f32 (load sx[i * 32 :+ 32, :])
    let q = cast f32 (load sw[:, :])
    let r = cast f32 (load sv[i * 32 :+ 32, :])
    let old = load w[m * 64 + i * 32 :+ 32, n * 64 :+ 64] clip 0 cache evict_first
    store y[m * 64 + i * 32 :+ 32, n * 64 :+ 64] <- cast bf16 (p + q) clip cache evict_first
    store z[m * 64 + i * 32 :+ 32, n * 64 :+ 64] <- p * a[None, :] + r clip cache evict_last
    store t[m * 64 + i * 32 :+ 32, n * 64 :+ 64] <- old clip
    release ws keep 0
  }
  release xs keep 0
}
