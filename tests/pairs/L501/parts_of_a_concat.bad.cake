target sm_80
// two blocks of rows below each other
kernel stack(x: f32[M, 64], y: f32[M, 64], out z: f32[M, 2])
where 64 <= M <= 65536, M % 64 == 0
grid tile(i: M / 64)
roles { all: warps 4 }
role all {
  let both = concat(load x[i * 64 :+ 64, :] vec 4, load y[i * 64 :+ 64, :] vec 2, axis=0)
  store z[i * 64, 0] <- sum(both)
}
