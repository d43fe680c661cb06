// user-defined functions: expanded per call, never recursive, one value or two
target sm_80
let twice(a) = a + a
let both(a, b) = (a, b)
let best(a, p, b, q) = (max(a, b), select(b > a, q, p))
let smaller(a, b) = a < b
let round_trip(a) = back(a)
let back(a) = round_trip(a)                                         //~ L215
let odd(a) = !a                                                     //~ L302
let local(a) = a + N                                                //~ L201
kernel functions(x: f32[N])
where 8 <= N <= 4096
grid tile(i: N)
roles { all: warps 1 }
role all {
  let v = load x[0 :+ 32]
  let a = twice(v) + twice(1)
  let b = twice(v, v)                                               //~ L308
  let c = twice(x)                                                  //~ L305
  let d = both(1, 2)                                                //~ L313
  let e, f = both(v, i)
  let g, h = twice(v)                                               //~ L313
  let j = round_trip(1)
  let k = odd(v)
  let l, m = reduce(best, v, iota(32))
  let n = reduce(smaller, v)                                        //~ L316
  let o = reduce(twice, v)                                          //~ L316
  let p = scan(v, v)                                                //~ L204
  let q = twice                                                     //~ L307
  let r = local(1)
  let s = sum(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)   //~ L225
}
