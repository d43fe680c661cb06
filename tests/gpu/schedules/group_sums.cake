// Sums of groups of rows: loop bounds of a type, loaded from memory; votes and counts over whole warps.
target sm_80
kernel group_sums(off: i32[G1], v: i32[T], out total: i64[G], out positive: i32[G], out hit: u8[G])
where 1 <= G <= 1000000, G1 == G + 1, 1 <= T <= 1000000000, nondecreasing(off), all(0 <= off), all(off <= T)
grid tile(g: G)
roles { all: warps 1 }
role all {
  let first = load off[g]
  let end = load off[g + 1]
  var sum_: i64 = 0
  var count_: i64 = 0
  var any_: bool = false
  for p in first .. end step 32 {
    let on = p + iota(32) < cast i64 end
    let x = load v[p :+ 32] clip 0 where on
    sum_ += cast i64 (sum(x))
    count_ += count(x > 0)
    any_ = any_ | any(x == 100)
  }
  store total[g] <- sum_
  store positive[g] <- cast i32 count_
  store hit[g] <- select(any_, cast u8 1, cast u8 0)
}
