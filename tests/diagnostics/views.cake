// Views of buffers that have no such layout.
target sm_80
kernel views(out y: f32[32])
grid tile(i: 1)
roles { all: warps 1 }
shared s: f32[32, 32]
shared p: f32[32, 32] pad 4
shared w: f16[2, 16, 128] swizzle 128
shared q: f16[2, 8, 64] swizzle 128
view a: f32[32, 31] = s                //~ L404
view b: f32[16, 64] = p                //~ L404
view c: f32[4, 8, 32] = p
view d: f16[32, 128] = w               //~ L404
view e: f16[1, 2, 16, 128] = w
view f: f16[4, 4, 64] = q              //~ L404
view g: f32[32] = s strides [33]       //~ L404
view h: f32[40, 32] = s strides [32, 1] //~ L404
view j: f32[2, 2] = p strides [36, 1]  //~ L404
view k: f32[31, 2] = s strides [33, 1]
view l: f32[32, 32] = s strides [1, 32] //~ L404
role all {
  store y[:] <- load c[0, 0]
}
