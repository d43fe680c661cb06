// A running sum over blocks: each CTA waits for the sum before its own, and all its warps learn it from one lane.
target sm_80
kernel chain_sum(x: i32[N], out y: i32[N], inout state: u64[NB], inout ticket: u32[1])
where 1 <= N <= 67108864, N % 4 == 0, NB == cdiv(N, 1024), all(state == 0), all(ticket == 0)
grid tile(b: NB) claim ticket
roles { all: warps 8 }
role all {
  let v = load x[b * 1024 :+ 1024] vec 4 clip 0
  var before: u64 = 0
  if b > 0 { before = await state[max(b - 1, 0)] until it >> 32 == 1 from (max(b - 1, 0)) }
  let base = bitcast i32 (cast u32 (before & 0xffffffff))
  let own = cast u64 (bitcast u32 (base + sum(v)))
  atomic.store state[b] <- own | 0x100000000 scope gpu order release
  store y[b * 1024 :+ 1024] <- base + scan(v) vec 4 clip
}
