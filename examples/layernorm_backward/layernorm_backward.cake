// Layer norm backward: dx row by row; dg and db are sums over rows, first per CTA and then over CTAs, in a fixed order
target sm_90a
tune R in {132, 264, 528} = 264  // CTAs that walk over the rows

kernel rows(x: bf16[M, N], g: bf16[N], dy: bf16[M, N], mean: f32[M], rstd: f32[M], out dx: bf16[M, N], out pg: f32[R, N], out pb: f32[R, N])
where 1 <= M <= 1048576, 8 <= N <= 8192, N % 8 == 0, static N
tune WARPS in {4, 8, 16} = 8
grid tile(r: R)
roles { all: warps WARPS }
const W = ceilto(N, WARPS * 256)

role all {
  let gain = cast f32 (load g[0 :+ W] vec 8 clip 0)
  var sg: f32[W] = 0
  var sb: f32[W] = 0
  for i in r .. M step R {  // CTAs past the last row have no trip and write zeros
    let d = cast f32 (load dy[i, 0 :+ W] vec 8 clip 0)
    let s = load rstd[i]
    let h = (cast f32 (load x[i, 0 :+ W] vec 8 clip 0) - load mean[i]) * s
    let e = d * gain  // 0 past the row, so that both sums are right
    let c = sum(e * h) / N
    let f = sum(e) / N
    store dx[i, 0 :+ W] <- cast bf16 ((e - h * c - f) * s) vec 8 clip
    sg += d * h
    sb += d
  }
  grid.trigger
  store pg[r, 0 :+ W] <- sg vec 4 clip
  store pb[r, 0 :+ W] <- sb vec 4 clip
}

kernel columns(pg: f32[R, N], pb: f32[R, N], out dg: bf16[N], out db: bf16[N])
where 8 <= N <= 8192, N % 8 == 0
grid tile(j: cdiv(N, 32))
roles { all: warps 8 }
role all {
  grid.wait
  var a: f32[32, 32] = 0
  var b: f32[32, 32] = 0
  for r in 0 .. R step 32 {
    a += load pg[r :+ 32, j * 32 :+ 32] vec 4 clip 0
    b += load pb[r :+ 32, j * 32 :+ 32] vec 4 clip 0
  }
  store dg[j * 32 :+ 32] <- cast bf16 sum(a, axis=0) clip
  store db[j * 32 :+ 32] <- cast bf16 sum(b, axis=0) clip
}

program layernorm_backward(x: bf16[M, N], g: bf16[N], dy: bf16[M, N], mean: f32[M], rstd: f32[M], out dx: bf16[M, N], out dg: bf16[N], out db: bf16[N])
where 1 <= M <= 1048576, 8 <= N <= 8192, N % 8 == 0, static N {
  temp pg: f32[R, N]
  temp pb: f32[R, N]
  run rows(x, g, dy, mean, rstd, dx, pg, pb)
  run columns(pg, pb, dg, db) overlap
}
