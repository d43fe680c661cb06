// y = x transposed, in registers: the store goes where the lanes hold the elements
target sm_80
kernel transpose_tile(x: f32[M, N], out y: f32[N, M])
where 1 <= M <= 65536, 1 <= N <= 65536
grid tile(i: cdiv(M, 32), j: cdiv(N, 64))
roles { all: warps 4 }

role all {
  let a = load x[i * 32 :+ 32, j * 64 :+ 64] clip 0
  store y[j * 64 :+ 64, i * 32 :+ 32] <- a.T + 0.0 clip
}
