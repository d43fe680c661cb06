// shape: M = 64, N = 64
// y = x * 2 by two teams, each half of the rows
target sm_80
kernel double(x: f32[M, N], out y: f32[M, N])
where 1 <= M <= 65536, 1 <= N <= 32768
grid tile(i: cdiv(M, 64), j: cdiv(N, 64))
roles { all: warps 8 }
role all(w) {
  for r in 0 .. 8 {
    let v = load x[i * 64 + w * 8 + r, j * 64 :+ 64] clip 0
    store y[i * 64 + w * 8 + r, j * 64 :+ 32] <- v[0 :+ 32] + v[0 :+ 32] clip
  }
}
