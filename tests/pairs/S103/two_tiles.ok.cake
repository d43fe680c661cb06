// y = x + 1, in tiles of T
target sm_80
kernel increase(x: f32[N], out y: f32[N])
where 1 <= N <= 1073741824
grid tile(i: cdiv(N, 512))
roles { all: warps 8 }
const T = 512
role all {
  let v = load x[i * 512 :+ T] clip 0
  store y[i * 512 :+ T] <- v + 1.0 clip
}
