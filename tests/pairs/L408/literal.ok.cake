target sm_80
// counts of 256 byte values: counters of each CTA in shared memory, merged at its end
kernel histogram(x: u8[N], inout counts: u32[256])
where 1 <= N <= 1099511627776, N % 16 == 0
grid tile(c: 528)
roles { all: warps 8 }
shared h: u32[256]
role all {
  store h[:] <- 0
  sync team
  for t in c .. cdiv(N, 4096) step 528 {
    let v = load x[t * 4096 :+ 4096] vec 16 clip 0
    atomic.add h[cast i32 v] <- 1 where (t * 4096 + iota(4096) < N) scope cta
  }
  sync team
  atomic.add counts[iota(256)] <- load h
}
