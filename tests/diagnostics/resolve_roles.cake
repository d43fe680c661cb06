// who may do what: sides of pipelines, batons, written tensors, tiles of a persistent grid
target sm_90a
kernel sides(x: f32[M, N], out y: f32[M, N], inout z: i32[M], off: i32[G], c: u32[1])
where 1 <= M <= 4096, 8 <= N <= 4096
grid persistent tile(i: M, g: ragged(off, 64)) claim c              //~ L213
roles { load: warpgroups 1; math: warpgroups 1; tail: warps 1 leader }   //~ L218
pipeline ring stages 2 from load to math { slot: f32[64] }
shared flat: f32[64]
baton turn over math
let first = i * 2
let written = load z[0]                                             //~ L217
let effect = atomic.add z[0] <- 1                                   //~ L217
let held = load flat                                                //~ L217
role load {
  let a = first                                                     //~ L206
  let b = i                                                         //~ L206
  wait ring                                                         //~ L210
  take turn                                                         //~ L211
  for tile (g, i) {                                                 //~ L214
    acquire ring
    tma.load slot <- x[i, 0]
    tma.load flat <- x[i, 0]                                        //~ L223
    tma.load slot <- x[i, 0] multicast                              //~ L218
    tma.load y[i, 0] <- x[i, 0]                                     //~ L223
    commit ring
    let d = g.group + g.row + g.rows + g.col                        //~ L219
    let e = g                                                       //~ L307
  }
  for tile (i, g) { }                                               //~ L214
}
role math {
  acquire ring                                                      //~ L209
  if true {
    for tile (i, g) {                                               //~ L214
      wait ring
      store slot <- 0                                               //~ L212
      store x[i, 0] <- 1                                            //~ L213
      tma.store x[i, 0] <- flat                                     //~ L213
      tma.store y[i, 0] <- y                                        //~ L223
      tma.reduce mul y[i, 0] <- flat                                //~ L219
      let f = load slot cache keep                               //~ L219
      release ring keep 0
    }
  }
  let p = peer(flat, 0)                                             //~ L218 L305
  sync cluster                                                      //~ L218
}
role tail {
  let q = load slot                                                 //~ L212
  let r = nondecreasing(off)                                        //~ L224
  let t = 1
  t = 2                                                             //~ L222
}
