// names: declared once, seen where they are in scope, of the kind that is needed
target sm_90a
const WIDTH = 64, LOOP = ROUND + 1, ROUND = LOOP                    //~ L205
const WIDTH = 128                                                   //~ L202
let half(v) = v / WIDHT                                             //~ L201
let im2col(v) = v                                                   //~ L202

kernel names(x: f32[M, N], out y: f32[M, N], n: i32[M], big: f32[M, N + Q], s: f32)   //~ L201
where 1 <= M <= 4096, static N, static s                            //~ L204
const WIDTH = 32                                                    //~ L202
let M = 3                                                           //~ L202
view v: f32[M * N] = u
view u: f32[N * M] = v                                              //~ L205
grid tile(i: M, j: WIDTH) order zigzag                              //~ L219
roles { load: warps 1; all: warps 4; idle: warps 1 }                //~ L207
pipeline ring stages 2 from load to all { slot: f32[WIDTH] }
pipeline lost stages 2 from lead to all { other: f32[WIDTH] }       //~ L201
shared flat: f32[WIDTH] over more
shared more: f32[WIDTH] over flat                                   //~ L205
signal done count 1
baton turn over all
role load {
  acquire slot                                                      //~ L204
  acquire ring
  tma.load slot <- x[i, j * WIDTH]
  commit rinng                                                      //~ L201
  let load_local = 1
}
role all(w) {
  let a = load_local                                                //~ L201
  let i = 3                                                         //~ L202
  if w == 0 { let inner = 1 }
  let b = inner                                                     //~ L201
  let c = ring                                                      //~ L307
  let d = sqr(s)                                                    //~ L201
  let e = s(1)                                                      //~ L204
  let f = i.rows                                                    //~ L204
  let g = it                                                        //~ L201
  let h = load flat@1                                               //~ L204
  arrive ring                                                       //~ L204
  take done                                                         //~ L204
  for tile (i, j) { }                                               //~ L214
}
role all { }                                                        //~ L208
role everybody { }                                                  //~ L201
