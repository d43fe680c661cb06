// shape: N = 4096
// counts how many of x are above 0
target sm_80
kernel above(x: f32[N], inout total: i32[1])
where 1 <= N <= 1073741824
grid tile(i: cdiv(N, 1024))
roles { all: warps 8 }
role all {
  let v = load x[i * 1024 :+ 1024] clip 0
  let n = cast i32 (count(v > 0.0))
  atomic.add total[0] <- n
  if i == 1 { store total[0] <- 0 }
}
