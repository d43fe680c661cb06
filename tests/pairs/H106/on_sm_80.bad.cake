target sm_80
// y = x * s with a scale a row; x has 8 bits
kernel dequantise(x: e4m3[M, 1024], s: f32[M], out y: f32[M, 1024])
where 1 <= M <= 1048576
grid tile(i: M)
roles { all: warps 4 }
role all {
  let v = cast f32 (load x[i, :] vec 4)
  store y[i, :] <- v * (load s[i]) vec 4
}
