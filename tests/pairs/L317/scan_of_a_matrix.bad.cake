target sm_90a
// y = x + x^T in tiles that pass through shared memory
kernel symmetric(x: f32[N, N], out y: f32[N, N])
where 4 <= N <= 65536, N % 4 == 0
grid tile(i: cdiv(N, 64), j: cdiv(N, 64))
roles { load: warps 1; add: warps 4 }
pipeline tiles stages 2 from load to add {
  straight: f32[64, 64]
  turned: f32[64, 64]
}
role load {
  acquire tiles
  tma.load straight <- x[i * 64, j * 64]
  tma.load turned <- x[j * 64, i * 64]
  commit tiles
}
role add {
  wait tiles
  let t = (load straight) + (load turned.T)
  release tiles keep 0
  let sums = scan(t)
  store y[i * 64 :+ 64, j * 64 :+ 64] <- t clip
}
