// programs: contracts that cannot hold, contents that are missing, launches that overlap without order
target sm_90a
kernel copy(x: f32[N], out y: f32[N])
where 1 <= N <= 4096, N % 2 == 0
grid tile(i: cdiv(N, 256))
roles { all: warps 8 }
role all {
  grid.wait
  store y[i * 256 :+ 256] <- (load x[i * 256 :+ 256] clip 0) clip
}
kernel early(x: f32[N], g: f32[N], out y: f32[N])
where 1 <= N <= 4096
grid tile(i: cdiv(N, 256))
roles { all: warps 8 }
role all {
  let gain = load g[i * 256 :+ 256] clip 0
  if N > 8 { grid.wait }
  store y[i * 256 :+ 256] <- (load x[i * 256 :+ 256] clip 0) * gain clip
}
kernel square(x: f32[N, N], out y: f32[N])
where 1 <= N <= 4096, static N
grid tile(i: N)
roles { all: warps 1 }
role all { store y[i] <- load x[i, i] }
program right(a: f32[N], out b: f32[N])
where 1 <= N <= 4096, N % 2 == 0 {
  temp t: f32[N]
  temp u: f32[N]
  run copy(a, t)
  run copy(t, u) overlap
  run copy(u, b) overlap
}
program too_large(a: f32[N], out b: f32[N])
where 4097 <= N <= 8192, N % 2 == 0 {
  run copy(a, b)                                      //~ L410
}
program shapes(a: f32[4, 8], out b: f32[4])
where 1 <= 1 {
  run square(a, b)                                    //~ L410
}
program odd(a: f32[7], out b: f32[7])
where 1 <= 1 {
  run copy(a, b)                                      //~ L410
}
program unwritten(a: f32[N], out b: f32[N], out c: f32[N])            //~ L411
where 1 <= N <= 4096, N % 2 == 0 {
  run copy(a, b)
}
program unwritten_too(out b: f32[N])
where 1 <= N <= 4096, N % 2 == 0 {
  temp t: f32[N]
  run copy(t, b)                                      //~ L411
}
program first(a: f32[N], out b: f32[N])
where 1 <= N <= 4096, N % 2 == 0 {
  run copy(a, b) overlap                              //~ L412
}
program behind_a_fill(out b: f32[N])
where 1 <= N <= 4096, N % 2 == 0 {
  temp t: f32[N]
  fill t <- 0
  run copy(t, b) overlap                              //~ L412
}
program too_early(a: f32[N], g: f32[N], out b: f32[N])
where 1 <= N <= 4096, N % 2 == 0 {
  temp t: f32[N]
  run copy(a, t)
  run early(t, g, b) overlap                          //~ L412
}
kernel careless(x: f32[N], out y: f32[N])
where 1 <= N <= 4096
grid tile(i: cdiv(N, 256))
roles { all: warps 8 }
role all { store y[i * 256 :+ 256] <- (load x[i * 256 :+ 256] clip 0) clip }
program without_wait(a: f32[N], g: f32[N], out b: f32[N], out c: f32[N])
where 1 <= N <= 4096, N % 2 == 0 {
  run copy(a, b)
  run careless(g, c) overlap                          //~ L412
}
