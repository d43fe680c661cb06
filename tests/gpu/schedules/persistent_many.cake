// Three resident CTAs on each multiprocessor walk the tiles.
target sm_80
kernel persistent_many(x: f32[M, N], out y: f32[N, M])
where 1 <= M <= 1048576, 1 <= N <= 1048576, deterministic
grid persistent 3 tile(m: cdiv(M, 32), n: cdiv(N, 32)) order snake(n)
roles { all: warps 4 }
shared s: f32[32, 32] pad 1
role all {
  for tile (m, n) {
    store s <- load x[m * 32 :+ 32, n * 32 :+ 32] clip 0
    sync team
    store y[n * 32 :+ 32, m * 32 :+ 32] <- (load s.T) clip
    sync team
  }
}
