target sm_90a
const A = 0x10, B = 1_000
tune P in {1, 2} = 1, Q in 2 .. 7 = 4, R = 3
let f(x, y) = (x + y, x | y)   // a pair
let g = -A
kernel k(a: f32[M, N] strides [N * 2, 1], out b: bf16[M], inout c: u32[1], s: f32)
where static N, deterministic, 1 <= M < 8, N in {64, 128}, N in 1 .. 9, all(c == 0)
grid persistent 2 tile(m: cdiv(M, 8), n: ragged(c, 128)) order grouped(m, 4) claim c cluster 2 along m
roles {
  load: warps 1 leader
  math: warpgroups 2 regs 232
}
pipeline p stages 3 from load to math, load { x: f32[8, N] swizzle 128; tmem t: f32[128, 64] }
shared s1: bf16[64, 64] pad 8 align 128
tmem s2: f32[128, 64] over s1
signal sig count 4
baton turn over math
view v: bf16[M] = b
view w: f32[N, M] = a strides [1, N]
view i: bf16[M, 3, 3, N] = im2col(a, stride=1, pad=1)
assume M > 1, N > 1
check M % 2 == 0
