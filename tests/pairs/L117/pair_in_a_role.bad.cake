target sm_80
// y = softmax(x * scale) along rows; a team a row
let scaled(v, s) = v * s
kernel softmax(x: f32[M, N], out y: f32[M, N], scale: f32)
where 1 <= M <= 16777216, 4 <= N <= 1024, N % 4 == 0
const W = 1024, ROWS = 4
grid tile(b: cdiv(M, ROWS))
roles { all: warps ROWS }
role all(w) {
  let i = b * ROWS + w
  if i < M {
    let v = load x[i, 0 :+ W] vec 4 clip -inf
    let top = (max(v), min(v))
    let e = exp(scaled(v - top, scale))
    let r = 1.0 / sum(e)
    store y[i, 0 :+ W] <- e * r vec 4 clip
  }
}
