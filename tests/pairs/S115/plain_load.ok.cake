// adds up how many of x are above 0, and how many in each block
target sm_80
kernel above(x: f32[N], inout total: i32[1], out part: i32[B])
where 1 <= N <= 1073741824, B == cdiv(N, 1024)
grid tile(i: B)
roles { all: warps 8 }
role all {
  let v = load x[i * 1024 :+ 1024] clip 0
  let n = cast i32 (count(v > 0.0))
  atomic.add total[0] <- n
  store part[i] <- n
}
