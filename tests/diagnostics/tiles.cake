// Functions and indexing that make tiles from tiles.
target sm_90a
let last(a, b) = b
let loads(a, b) = a + b + cast i32 sum(iota(32))
let grows(a, b) = a * b + 1

kernel moves(x: f32[96, 64], out z: f32[96])
where 1 <= 1
grid tile(i: 1)
roles { all: warps 4 }
role all {
  let v = load x[0 :+ 64, :]
  let w = v + 1.0
  let a = w[:, 0 :+ 32] //~ L503
  let b = reshape(load x[:, 0 :+ 32] vec 4, 32, 96) //~ L505
  let c = load x[0, 0 :+ 32] vec 1
  let d = load x[0, 0 :+ 32]
  store z[0 :+ 64] <- concat(c, d) vec 2 //~ L503
}

kernel parts(x: f32[256, 64])
where 1 <= 1
grid tile(i: 1)
roles { all: warps 4 }
role all {
  let a = load x[0 :+ 64, :] vec 4
  let b = load x[64 :+ 64, :] vec 2
  let c = concat(a, b, axis=0) //~ L501
}

kernel shapes(x: i32[64, 64], y: e4m3[64])
where 1 <= 1
grid tile(i: 1)
roles { all: warps 1 }
role all {
  let v = load x[:, :]
  let a = reshape(v, 64, 63) //~ L404
  let b = reshape(v, 0, 64) //~ L405
  let c = concat(v, load x[0 :+ 32, 0 :+ 32], axis=0) //~ L404
  let d = topk(v, 65, axis=0) //~ L405
  let e = topk(v, 0, axis=0) //~ L405
  let g = v[32 :+ 64, :] //~ L404
  let h = sum(load y[:]) //~ L302
  let k = scan(load y[:]) //~ L302
}

kernel combiners(x: i32[64, 64])
where 1 <= 1
grid tile(i: 1)
roles { all: warps 1 }
role all {
  let v = load x[:, :]
  let a = reduce(loads, v, axis=1) //~ L316
  let b = reduce(last, v, axis=1)
  let d = reduce(last, v within warp, axis=1)
  let e = scan(grows, iota(64))
}
