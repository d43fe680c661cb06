// 8-bit floats from and to the wider ones. What is too large becomes the largest finite number.
target sm_90a
kernel cast_bytes(x: f32[M, 64], h: f16[M, 64], d: f64[M, 64], n: i32[M, 64], e: e4m3[M, 64], g: e5m2[M, 64], t: e4m3[M],
    out xe: e4m3[M, 64], out xg: e5m2[M, 64], out he: e4m3[M, 64], out dg: e5m2[M, 64], out ne: e4m3[M, 64],
    out ef: f32[M, 64], out gh: f16[M, 64], out eb: bf16[M, 64], out eg: e5m2[M, 64], out gn: i32[M, 64], out tf: f32[M])
where 1 <= M <= 1000000
grid tile(i: cdiv(M, 8))
roles { all: warps 1 }
let r = i * 8
role all {
  let v = load x[r :+ 8, :] vec 4 clip 0
  let a = load e[r :+ 8, :] vec 4 clip 0.5
  let b = load g[r :+ 8, :] vec 4 clip 0
  store xe[r :+ 8, :] <- cast e4m3 v vec 4 clip
  store xg[r :+ 8, :] <- cast e5m2 v vec 4 clip
  store he[r :+ 8, :] <- cast e4m3 (load h[r :+ 8, :] clip 0) clip
  store dg[r :+ 8, :] <- cast e5m2 (load d[r :+ 8, :] clip 0) clip
  store ne[r :+ 8, :] <- cast e4m3 (load n[r :+ 8, :] clip 0) clip
  store ef[r :+ 8, :] <- cast f32 a clip
  store gh[r :+ 8, :] <- cast f16 b clip
  store eb[r :+ 8, :] <- cast bf16 a clip
  store eg[r :+ 8, :] <- cast e5m2 a clip
  store gn[r :+ 8, :] <- cast i32 b clip
  for k in 0 .. 8 {
    if r + k < M { store tf[r + k] <- cast f32 (load t[r + k]) }
  }
}
