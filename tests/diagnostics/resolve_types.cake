// types: nothing converts by itself, places are not values, ranks are said
target sm_90a
kernel types(x: f32[M, N], h: bf16[M, N], n: i32[M], out y: f32[M, N], inout z: i32[M], s: f32, out r: f32)   //~ L303
where 1 <= M <= 4096, static N, x > 0, M, all(x > 0) & finite(x), i < 3   //~ L304 L321 L312
grid tile(i: M, j: cdiv(s, 2))                                      //~ L302
roles { all: warpgroups 1; other: warps M }                         //~ L403
pipeline ring stages 2 from all to other { slot: f32[64]; wide: f32[1, 64, 64] }
shared b: bf16[64, 64]
shared e: f32                                                       //~ L303
view v: f16[M * N] = x                                              //~ L301
view w: f32[M] = s                                                  //~ L306
role other { }
role all {
  let p = load x[i, 0 :+ 64]
  let q = load h[i, 0 :+ 64]
  let a1 = p + q                                                    //~ L301
  let a2 = a1 * a1
  let a3 = load n[0 :+ 64] + 0.5                                    //~ L301
  let a4 = p % 2.0                                                  //~ L302
  let a5 = !1                                                       //~ L302
  let a6 = p[:, None] + q                                           //~ L301
  let a7 = p[:, None] + p                                           //~ L303
  let a8 = x + 1.0                                                  //~ L305
  let a9 = load s                                                   //~ L306
  let b1 = load x[0, 0, 0]                                          //~ L309
  let b2 = load x[None, 0, 0, 0]                                    //~ L309
  let b3 = p[3]                                                     //~ L309
  let b4 = p[i :+ 4]                                                //~ L403
  let b5 = load x[s, 0]                                             //~ L302
  let b6 = load x[0 :+ 4, 0 :+ 4] where (iota(4) < 2)               //~ L303
  let b7 = bitcast u64 s                                            //~ L311
  let b8 = load b.T.T
  let b9 = load slot.T                                              //~ L303
  if p > 0 { }                                                      //~ L304
  if i { }                                                          //~ L321
  for k in 0 .. p { }                                               //~ L302
  var c1                                                            //~ L315
  var c2: f32[64] = iota(64)
  c2 = q                                                            //~ L301
  store y[i, 0 :+ 64] <- q                                          //~ L301
  store y[i, 0] <- p                                                //~ L303
  atomic.or y[i, 0] <- 1                                            //~ L302
  let d1 = await z[i] until it > 0 from (i)                         //~ L308
  let d2 = sum(p, axis=1)                                           //~ L317
  let d3 = sum(s)                                                   //~ L303
  let d4 = exp(p within warp)                                       //~ L314
  let d5 = cdiv(1, 2, 3)                                            //~ L308
  let d6 = exp(3)                                                   //~ L302
  let d7 = iota(M)                                                  //~ L403
  let d8, d9 = sum(p)                                               //~ L313
  acquire ring
  tma.load slot <- x[i]                                             //~ L318
  tma.load slot <- h[i, 0]                                          //~ L301
  tma.load wide <- x[i, 0]                                          //~ L318
  var acc: f32[64, 64] = 0
  wgmma acc += b * acc                                              //~ L319
  wgmma b += b * b.T                                                //~ L319
  wgmma acc += (cast bf16 acc).T * b                                //~ L319
  wgmma acc += q * b                                                //~ L319
}
