// layer norm backward: dx per row; dgamma, dbeta summed over rows in two steps, in a fixed order
target sm_80
const R = 264  // resident row walkers
kernel rows(x: bf16[M, N], gm: bf16[N], dy: bf16[M, N], mean: f32[M], rstd: f32[M], out dx: bf16[M, N], out pg: f32[R, N], out pb: f32[R, N])
where 1 <= M <= 1048576, 8 <= N <= 8192, N % 8 == 0, static N
grid tile(r: R)
roles { all: warps 8 }
const W = ceilto(N, 2048)
role all {
  let gv = cast f32 (load gm[0 :+ W] vec 8 clip 0)
  var ag: f32[W] = 0
  var ab: f32[W] = 0
  for i in r .. M step R {  // rows r >= M: no trip, zeros are written
    let d = cast f32 (load dy[i, 0 :+ W] vec 8 clip 0)
    let rs = load rstd[i]
    let xh = (cast f32 (load x[i, 0 :+ W] vec 8 clip 0) - load mean[i]) * rs
    let wd = d * gv
    let c1 = sum(wd * xh) / N
    let c2 = sum(wd) / N
    store dx[i, 0 :+ W] <- cast bf16 ((wd - xh * c1 - c2) * rs) vec 8 clip
    ag += d * xh
    ab += d
  }
  store pg[r, 0 :+ W] <- ag vec 4 clip
  store pb[r, 0 :+ W] <- ab vec 4 clip
}
kernel cols(pg: f32[R, N], pb: f32[R, N], out dg: bf16[N], out db: bf16[N])
where 8 <= N <= 8192
grid tile(j: cdiv(N, 32))
roles { all: warps 8 }
role all {
  grid.wait
  var a: f32[8, 32] = 0
  var b: f32[8, 32] = 0
  for r in 0 .. R step 8 {  // R % 8 == 0
    a += load pg[r :+ 8, j * 32 :+ 32] clip 0
    b += load pb[r :+ 8, j * 32 :+ 32] clip 0
  }
  store dg[j * 32 :+ 32] <- cast bf16 sum(a, axis=0) clip
  store db[j * 32 :+ 32] <- cast bf16 sum(b, axis=0) clip
}
program layernorm_backward(x: bf16[M, N], gm: bf16[N], dy: bf16[M, N], mean: f32[M], rstd: f32[M], out dx: bf16[M, N], out dg: bf16[N], out db: bf16[N])
where 1 <= M <= 1048576, 8 <= N <= 8192, N % 8 == 0, static N {
  temp pg: f32[R, N]
  temp pb: f32[R, N]
  run rows(x, gm, dy, mean, rstd, dx, pg, pb)
  run cols(pg, pb, dg, db) overlap
}
