target sm_90a
// row sums in two steps: parts of 4096 columns, then their sum
const PART = 4096
kernel parts(x: f32[M, N], out p: f32[M, NB])
where 1 <= M <= 65535, 1 <= N <= 1048576, NB == cdiv(N, PART)
grid tile(j: NB, i: M)
roles { all: warps 8 }
role all {
  store p[i, j] <- sum(load x[i, j * PART :+ PART] clip 0)
}
kernel merge(p: f32[M, NB], out s: f32[M])
where 1 <= M <= 65535, 1 <= NB <= 256
grid tile(i: M)
roles { all: warps 1 }
role all {
  grid.wait
  store s[i] <- sum(load p[i, 0 :+ 256] clip 0)
}
program row_sums(x: f32[M, N], out s: f32[M])
where 1 <= M <= 65535, 1 <= N <= 1048576 {
  temp p: f32[M, cdiv(N, PART)]
  run parts(x, p)
  run merge(p, s) overlap
}
