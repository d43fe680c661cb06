// Copies, products and atomics that the instruction set has not.
target sm_80

kernel misaligned(x: f16[M, N], out y: f16[M, 32])
where 1 <= M <= 1048576, 32 <= N <= 1048576
grid tile(i: M)
roles { all: warps 1 }
pipeline p stages 2 from all to all { s: f16[32] }
role all {
  acquire p
  async.load s <- x[i, 0 :+ 32]  //~ H211
  commit p
  wait p
  store y[i, :] <- load s
  release p keep 0
}

kernel eight_rows(a: f16[M, 64], b: f16[8, 64], out c: f32[M, 8])
where 1 <= M <= 1048576
grid tile(i: cdiv(M, 8))
roles { all: warps 1 }
role all {
  var acc: f32[8, 8] = 0
  let x = load a[i * 8 :+ 8, :] clip 0
  let y = load b[:, :] clip 0
  mma acc += x * y.T  //~ H210
  store c[i * 8 :+ 8, :] <- acc clip
}

kernel orders(inout y: u32[8], out z: u32[8])
where 1 <= 1
grid tile(i: 1)
roles { all: warps 1 }
role all {
  atomic.store y[0] <- 1 order acquire         //~ H209
  atomic.store y[1] <- 1 order acq_rel         //~ H209
  store z[0] <- atomic.load y[0] order release //~ H209
  store z[1] <- atomic.load y[1] order acquire
}

kernel moved(x: u8[N], inout y: u8[N])
where 1 <= N <= 1048576
grid tile(i: cdiv(N, 128))
roles { all: warps 4 }
role all {
  atomic.add y[i * 128 :+ 128] <- load x[i * 128 :+ 128] clip 0  //~ H209
}

kernel refused(x: f16[M, 32], y: i8[M, 32], odd: f16[M, N], out c: f32[32, 32])
where 32 <= M <= 1048576, 32 <= N <= 1048576
grid tile(i: 1)
roles { all: warps 1 }
pipeline p stages 2 from all to all {
  s: f16[32, 32] swizzle 64
  t: i8[32, 32]
  u: i8[32, 32]
}
role all {
  var acc: f32[32, 32] = 0
  var sum_of: i32[32, 32] = 0
  acquire p
  async.load s <- x[0 :+ 32, :].T         //~ H211
  async.load s <- x[0 :+ 32, :] clip 1    //~ H211
  async.load s <- odd[0 :+ 32, 0 :+ 32]   //~ H211
  async.load t <- y[0 :+ 32, :]
  async.load u <- y[0 :+ 32, :]
  commit p
  wait p
  mma sum_of += t * u                     //~ H210
  mma acc += t * u.T                      //~ H210
  mma acc += s * t.T                      //~ H210
  mma acc += s[:, 8 :+ 16] * s[:, 0 :+ 16].T  //~ H210
  mma acc[:, 0 :+ 8] += s * s[0 :+ 8, :].T    //~ H210
  mma sum_of += t * u.T
  release p keep 0
  store c[:, :] <- acc
}

kernel teams(out c: f32[16, 8])
grid tile(i: 1)
roles { all: warps 2 }
shared s: f16[16, 16] pad 8
role all {
  store s <- 0
  sync team
  var acc: f32[16, 8] = 0
  mma acc += s * s[0 :+ 8, :].T  //~ H210
  store c[:, :] <- acc
}
