// Compile-time values and shapes: one kernel for each stage at which building a plan stops.
target sm_80

kernel no_static(x: f32[N], out y: f32[N]) //~ L401
where static N
grid tile(i: 1)
roles { all: warps 1 }
role all { store y[0] <- load x[0] }

kernel divisors(x: f32[M, N], out y: f32[M, N])
where 1 <= M <= 100, N <= 100
grid tile(i: M)
roles { all: warps 1 }
role all {
  store y[i / N, 0] <- 1 //~ L402
  store y[i % (M - 5), 0] <- 1 //~ L402
  store y[cdiv(i, N), 0] <- 1 //~ L402
  store y[i << M, 0] <- 1 //~ L402
  for k in 0 .. M step N { store y[k, 0] <- 1 } //~ L402
  store y[i / (N + 1), 0] <- 1
}

kernel empty_extents_are_fine(out y: f32[M, N])
where 0 <= M <= 100, 0 <= N <= 100
grid tile(i: M, j: N)
roles { all: warps 1 }
role all { store y[i, j] <- 1 }

kernel unknown(x: f32[M, N], out y: f32[M, N])
where 1 <= M <= 100, 1 <= N <= 100
grid tile(i: M)
roles { all: warps 1 }
role all {
  let a = load x[i, :] //~ L403
  for k in 0 .. M unroll { store y[k, 0] <- 1 } //~ L403
}

kernel shapes(x: f32[M, 64], out y: f32[M, 64])
where 1 <= M <= 100
grid tile(i: 1)
roles { all: warps 1 }
role all {
  let a = load x[0, :]
  let b = load x[0, 0 :+ 32]
  let c = a + b //~ L404
  store y[0, :] <- b //~ L404
  var v: f32[64] = 0
  v = b //~ L404
  v[32 :+ 64] = 0.0 //~ L404
  store y[0, :] <- a where (b > 0.0) //~ L404
  let e = a[:, None] + b[None, :]
}

kernel sizes(out y: f32[M])
where 1 <= M <= 100
grid tile(i: M)
roles { all: warps 1 }
role all {
  var a: f32[0] = 0 //~ L405
  var b: f32[33554432] = 0 //~ L405
  let c = iota(0) //~ L405
  for k in 0 .. 1000000000 unroll { store y[0] <- 1 } //~ L405
  for k in 0 .. 1000000 unroll { for j in 0 .. 1000000 unroll { } } //~ L405
}

kernel large_buffers(out y: f32[M])
where 1 <= M <= 100
grid tile(i: M)
roles { all: warps 1 }
shared s: f32[16777216, 16777216, 16777216, 16777216] //~ L405
shared t: f32[64] align 8192 //~ L405
role all { }

kernel many_tiles(out y: f32[M])
where 1 <= M <= 100
grid tile(i: M, j: 2147483648) //~ L405
roles { all: warps 1 }
role all { }

kernel bad_default(out y: f32[M])
where 1 <= M <= 100
tune P in {1, 2} = 3, Q in 1 .. 4 = 4, R in 1 .. 4 = 3 //~ L406 L406
grid tile(i: M)
roles { all: warps 1 }
role all { }

kernel bad_check(out y: f32[M])
where 1 <= M <= 100
tune P = 3
check P % 2 == 0, P == 3 //~ L407
grid tile(i: M)
roles { all: warps 1 }
role all { }

kernel bad_check_in_role(out y: f32[M])
where 1 <= M <= 100
tune P = 3
grid tile(i: M)
roles { all: warps 1 }
role all { check P % 2 == 0 } //~ L407

kernel fits(x: i8[M], out y: i8[M], out z: bf16[M], out u: u64[M], out s: i64[M])
where 1 <= M <= 1000
grid tile(i: M)
roles { all: warps 1 }
role all {
  store y[i] <- i //~ L408
  store y[i] <- 127
  store y[i] <- 128 //~ L408
  store y[i] <- (load x[i]) + 128 //~ L408
  store z[i] <- i //~ L408
  store z[i] <- 256
  store z[i] <- 257 //~ L408
  store u[i] <- 0x9E3779B97F4A7C15
  store u[i] <- -1 //~ L408
  store s[i] <- 0x7FFFFFFFFFFFFFFF
  store s[i] <- -0x8000000000000000
  store s[i] <- 0x8000000000000000 //~ L408
}

kernel unbounded(out y: f32[M, N]) //~ L409
where 1 <= M, 1 <= N
grid tile(i: 1)
roles { all: warps 1 }
role all { store y[0, 0] <- 1 }
