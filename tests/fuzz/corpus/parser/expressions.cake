target sm_80
let a = (x ^ x >> 32) * 0x9E + -1 - (2 - 3) % 4 << 1 & 7 | 3
let b = a < b <= c + (d == e)
let c = (a < b) & (c < d) in {true, false}
let d = cast f16 cast f32 x sat round rz
let e = cast f16 (cast f32 x) sat
let g = load p[i] vec 4 where load q[i] clip 0
let h = load p[i] where (load q[i]) clip 0
let j = (atomic.add t[0] <- 1) + 2 * atomic.cas t[0] <- 1, 2 scope cta
let k = max(sum(x, axis=1) within lane, -inf, nan, 1.5e-3)
let l = exp2.approx.ftz(x.T[:, None, 3 :+ 4]@2)
let m = await s[0] until it == 1 from (1)
let n = ~!-relayout bitcast u32 x
let o = peer(q, 1)[3]
