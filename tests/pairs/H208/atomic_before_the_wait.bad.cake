target sm_80
// counts of low and high bytes: a role counts a block into a slot, another adds the slots up
kernel tally(x: u8[N], inout counts: u32[256])
where 1 <= N <= 1073741824, N % 16 == 0
grid tile(c: 64)
roles { all: warps 8 }
pipeline p stages 2 from all to all { h: u32[256] }
role all {
  for t in c .. cdiv(N, 4096) step 64 {
    acquire p
    store h <- 0
    commit p
    atomic.add h[iota(256)] <- 1
    wait p
    atomic.add h[cast i32 (load x[t * 4096 :+ 4096] vec 16 clip 0)] <- 1 where (t * 4096 + iota(4096) < N)
    sync team
    atomic.add counts[iota(256)] <- load h
    release p keep 0
  }
}
