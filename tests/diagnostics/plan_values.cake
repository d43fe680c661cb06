// Values and layouts that only the plan can judge: each kernel is wrong in one way.
target sm_90a

kernel shapes(x: f32[N], out y: f32[N])
where 1 <= N <= 1048576
grid tile(i: cdiv(N, 1024))
roles { all: warps 8 }
role all {
  let a = load x[i * 1024 :+ 1024] clip 0
  store y[i * 1024 :+ 512] <- a clip  //~ L404
}

kernel past_the_tile(x: f32[N], out y: f32[N])
where 1 <= N <= 1048576
grid tile(i: cdiv(N, 1024))
roles { all: warps 8 }
role all {
  var a = load x[i * 1024 :+ 1024] clip 0
  store y[i * 1024 :+ 512] <- a[768 :+ 512] clip  //~ L404
}

kernel narrow(x: f32[N], out y: i32[N])
where 1 <= N <= 1099511627776
grid tile(i: cdiv(N, 1024))
roles { all: warps 8 }
role all {
  let k = cast i32 (load x[i * 1024 :+ 1024] clip 0)
  store y[i * 1024 :+ 1024] <- k + N clip  //~ L408
}

kernel unbounded(x: f32[N, M], out y: f32[N])  //~ L409
where 1 <= N <= 1099511627776, 1 <= M <= 1099511627776
grid tile(i: cdiv(N, 32))
roles { all: warps 1 }
role all {
  store y[i * 32 + N * M - N * M :+ 32] <- (load x[0, 0 :+ 32] clip 0) clip
}

kernel uneven(x: f32[N], out y: f32[N])
where 1 <= N <= 1048576
grid tile(i: cdiv(N, 1000))
roles { all: warps 8 }
role all {
  store y[i * 1000 :+ 1000] <- (load x[i * 1000 :+ 1000] clip 0) clip  //~ L502
}

kernel unequal_share(x: f32[N], out y: f32[N])
where 1 <= N <= 1048576
grid tile(i: cdiv(N, 1024))
roles { all: warps 8 }
role all {
  var a = load x[i * 1024 :+ 1024] clip 0
  store y[i * 1024 :+ 512] <- a[4 :+ 512] clip  //~ L503
}

kernel wide(x: f32[N], out y: f32[N])
where 1 <= N <= 1048576, N % 8 == 0
grid tile(i: cdiv(N, 1024))
roles { all: warps 8 }
role all {
  let a = load x[i * 1024 :+ 1024] vec 8 clip 0  //~ L504
  store y[i * 1024 :+ 1024] <- a vec 4 clip
}

kernel runs_of_an_accumulator(a: bf16[M, 64], b: bf16[64, 64], r: f32[M, 64], out c: f32[M, 64])
where 1 <= M <= 1048576
grid tile(i: cdiv(M, 64))
roles { load: warpgroups 1; math: warpgroups 1 }
pipeline ab stages 2 from load to math { sa: bf16[64, 64] swizzle 128; sb: bf16[64, 64] swizzle 128 }
role load {
  acquire ab
  tma.load sa <- a[i * 64, 0]
  tma.load sb <- b[0, 0]
  commit ab
}
role math {
  var acc: f32[64, 64] = 0
  wait ab
  wgmma acc += sa * sb.T
  wgmma.commit
  wgmma.wait 0
  release ab keep 0
  let old = load r[i * 64 :+ 64, :] vec 4 clip 0  //~ L504
  store c[i * 64 :+ 64, :] <- acc + old clip
}
