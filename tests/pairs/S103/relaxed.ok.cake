// The sum of x: CTAs leave their parts, and the one that comes last adds them up.
target sm_80
kernel total(x: i32[N], inout part: i32[B], inout done: i32[1], out y: i32[1])
where 1 <= N <= 131072, B == cdiv(N, 1024)
grid tile(i: B)
roles { all: warps 4 }
role all {
  store part[i] <- sum(load x[i * 1024 :+ 1024] clip 0)
  sync team
  let before = atomic.add done[0] <- 1 order acq_rel
  sync team  // what one lane acquired, all may read
  if before == cast i32 B - 1 {
    store y[0] <- sum(load part[0 :+ 128] clip 0)
  }
}
