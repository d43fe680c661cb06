target sm_80
// the larger element of two vectors
kernel larger(x: i32[N], y: i32[N], out z: i32[N])
where 1 <= N <= 1048576
grid tile(i: cdiv(N, 128))
roles { all: warps 4 }
role all {
  let a = load x[i * 128 :+ 128] clip 0
  store z[i * 128 :+ 128] <- max(a, load y[i * 128 :+ 128] clip 0) clip
}
