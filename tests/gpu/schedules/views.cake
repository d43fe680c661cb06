// The same tensors under other shapes and strides: views for loads and for stores, a copy into a view's box.
target sm_90a
kernel views(x: f32[B, R, 64] strides [R * 64, 64, 1], w: bf16[M, 32], out y: f32[B, R * 64], out z: f32[64, B] strides [B, 1],
    out even: bf16[M, 32])
where 1 <= B <= 65536, 8 <= R <= 65536, R % 8 == 0, M == B * 4, M <= 262144
grid tile(b: B)
roles {
  load: warps 1
  all: warps 4
}
view flat: f32[B * R, 64] = y
view first: f32[B, 64] = x strides [R * 64, 1]
view turned: f32[B, 64] = z strides [1, B]
view pairs: bf16[M * 16, 2] = w
view blocks: bf16[B, 128] = w
pipeline p stages 2 from load to all { s: bf16[128] }
role load {
  acquire p
  tma.load s <- blocks[b, 0]
  commit p
}
role all {
  for r in 0 .. R step 8 {
    let v = load x[b, r :+ 8, :] vec 4
    store flat[b * R + r :+ 8, :] <- v * 2 vec 4
  }
  let top = load first[b, :]
  let q = load pairs[b * 64 :+ 64, 0]
  store turned[b, :] <- top + cast f32 q
  wait p
  store even[b * 4 :+ 4, :] <- reshape(load s[:], 4, 32)
  release p keep 0
}
