// Sums of blocks, added up by the CTA that comes last: the old value of a counter, known to all warps of a team.
target sm_80
kernel last_arrives(x: i32[N], inout part: i32[NB], inout done: u32[1], out total: i32[1], out early: i32[NB])
where 1 <= N <= 67108864, NB == cdiv(N, 1024), all(done == 0)
grid tile(b: NB)
roles { all: warps 8 }
role all {
  store part[b] <- sum(load x[b * 1024 :+ 1024] clip 0)
  sync team
  let before = atomic.add done[0] <- 1 order acq_rel
  sync team  // what the elected lane acquired, all may read
  store early[b] <- cast i32 (before < NB)
  if before == NB - 1 {
    var sums: i32 = 0
    for i in 0 .. cdiv(NB, 256) { sums += sum(load part[i * 256 :+ 256] clip 0) }
    store total[0] <- sums
  }
}
