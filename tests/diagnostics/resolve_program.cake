// programs: arguments bind by position to parameters of the same type
target sm_80
const SPLIT = 4
kernel first(x: f32[M, N], out y: f32[M], s: f32)
where 1 <= M <= 4096, static N
grid tile(i: M)
roles { all: warps 1 }
role all { }
program right(a: f32[M, N], out b: f32[M]) {
  temp t: f32[M]
  fill t <- 0
  run first(a, t, 0.5)
  run first(a, b, 1)
}
program wrong(a: f32[M, N], out b: f32[M], h: f16)
where 1 <= M <= 4096, b > 0, static SPLIT {                         //~ L304 L204
  temp t: f32[SPLIT, L]                                             //~ L201
  temp one: f32                                                     //~ L303
  temp h: f32[M]                                                    //~ L202
  fill a <- 0                                                       //~ L213
  fill b <- true                                                    //~ L301
  run first(a, b)                                                   //~ L308
  run second(a, b)                                                  //~ L201
  run first(b, a, 1)                                                //~ L320 L320
  run first(a, a, 1)                                                //~ L320 L320
  run first(a, b, h)                                                //~ L301
  run first(M, b, 1)                                                //~ L320
}
program right(a: f32[M]) { }                                        //~ L202
program first(a: f32[M]) { }                                        //~ L202
