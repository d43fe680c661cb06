// C[m,n] = sum over k of A[m,k] * B[n,k] of u8 and u8, of u8 and i8, of e5m2 and e5m2 and of e5m2 and e4m3, each with k32 steps.
target sm_90a
kernel wgmma_bytes(ua: u8[M, K], ub: u8[N, K], sb: i8[N, K], fa: e5m2[M, K], fb: e5m2[N, K], gb: e4m3[N, K],
    out uu: i32[M, N], out us: i32[M, N], out ff: f32[M, N], out fg: f32[M, N])
where 1 <= M <= 1048576, 2 <= N <= 1048576, 16 <= K <= 32768, N % 2 == 0, K % 16 == 0
grid tile(m: cdiv(M, 64), n: cdiv(N, 32))
roles {
  load: warps 4
  math: warpgroups 1
}
pipeline p stages 2 from load to math {
  a: u8[64, 64] swizzle 64
  b: u8[32, 64] swizzle 64
  c: i8[32, 64] swizzle 64
  d: e5m2[64, 64] swizzle 64
  e: e5m2[32, 64] swizzle 64
  f: e4m3[32, 64] swizzle 64
}
role load {
  for k in 0 .. cdiv(K, 64) {
    acquire p
    tma.load a <- ua[m * 64, k * 64]
    tma.load b <- ub[n * 32, k * 64]
    tma.load c <- sb[n * 32, k * 64]
    tma.load d <- fa[m * 64, k * 64]
    tma.load e <- fb[n * 32, k * 64]
    tma.load f <- gb[n * 32, k * 64]
    commit p
  }
}
role math {
  var x: i32[64, 32] = 0
  var y: i32[64, 32] = 0
  var z: f32[64, 32] = 0
  var w: f32[64, 32] = 0
  for k in 0 .. cdiv(K, 64) {
    wait p
    wgmma x += a * b.T
    wgmma y += a * c.T
    wgmma z += d * e.T
    wgmma w += d * f.T
    wgmma.commit
    wgmma.wait 0
    release p keep 0
  }
  store uu[m * 64 :+ 64, n * 32 :+ 32] <- x vec 2 clip
  store us[m * 64 :+ 64, n * 32 :+ 32] <- y vec 2 clip
  store ff[m * 64 :+ 64, n * 32 :+ 32] <- z vec 2 clip
  store fg[m * 64 :+ 64, n * 32 :+ 32] <- w vec 2 clip
}
