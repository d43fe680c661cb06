target sm_80
// the first CTA that sees a negative element leaves it in the slot
kernel claim_first(x: i32[N], inout slot: i32[1])
where 1 <= N <= 1048576
grid tile(i: N)
roles { all: warps 1 }
role all {
  let v = load x[i]
  if v < 0 { atomic.cas slot[0] <- 0, v }
}
