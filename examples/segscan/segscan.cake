// inclusive segmented sum in one pass, decoupled look-back; head[i] != 0 starts a segment
target sm_80
const BLOCK = 4096
let seg(a, ha, b, hb) = (select(hb, b, a + b), ha | hb)
let pack(status, h, v) = cast u64 status << 33 | cast u64 h << 32 | cast u64 (bitcast u32 v)
kernel segscan(x: f32[N], head: u8[N], out y: f32[N], inout state: u64[NB], inout ticket: u32[1])
where 1 <= N <= 2147483647, N % 4 == 0, NB == cdiv(N, BLOCK), all(state == 0), all(ticket == 0)
grid tile(b: NB) claim ticket
roles { main: warps 8; look: warps 1 }
shared tv: f32[1]
shared th: u32[1]
shared pv: f32[1]
signal total count 1
signal prefix count 1
role main {
  let v = load x[b * BLOCK :+ BLOCK] vec 4 clip 0
  let h = load head[b * BLOCK :+ BLOCK] vec 4 clip 0 != 0
  let sv, sh = scan(seg, v, h)
  let lv, lh = reduce(seg, v, h)
  store tv[0] <- lv
  store th[0] <- cast u32 lh
  arrive total
  await prefix
  let carry = load pv[0]
  store y[b * BLOCK :+ BLOCK] <- select(sh, sv, carry + sv) vec 4 clip
}
role look {
  await total
  let v = load tv[0]
  let h = load th[0]
  var carry: f32 = 0
  var open = b > 0
  if b > 0 { atomic.store state[b] <- pack(1, h, v) scope gpu order release }
  var p = b - 1
  while open max 65536 {  // windows of 32 predecessors, newest first
    let at = p - iota(32)
    let s = await state[max(at, 0)] until it >> 33 != 0 from (max(at, 0))
    let full = s >> 33 == 2
    let cut = full | (s >> 32 & 1 == 1)                    // a prefix, or a segment head inside: nothing older matters
    let stop = min(select(cut & (at >= 0), iota(32), 31))  // tile 0 always posts status 2, so some lane cuts or all 32 count
    carry += sum(select((iota(32) <= stop) & (at >= 0), bitcast f32 (cast u32 (s & 0xffffffff)), 0.0))
    open = !any(cut & (at >= 0))
    p = p - 32
  }
  atomic.store state[b] <- pack(2, h, select(h == 1, v, carry + v)) scope gpu order release
  store pv[0] <- carry
  arrive prefix
}
