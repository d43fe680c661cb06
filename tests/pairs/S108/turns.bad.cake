// shape: N = 1024
// the sum of x and how many blocks of 128 have a sum above 0: two warps take turns on both
target sm_80
kernel counts(x: i32[N], out y: i32[2])
where 1 <= N <= 1048576
grid tile(i: 1)
roles { all: warps 2 }
shared s: i32[2]
baton turn over all
role all(w) {
  if w == 0 { store s[:] <- iota(2) * 0 }
  sync cta
  for k in 0 .. cdiv(N, 256) {
    let v = sum(load x[k * 256 + w * 128 :+ 128] clip 0)
    if v > 0 {
      take turn
      let total = load s[0]
      let above = load s[1]
      sync team
      store s[0] <- total + v
      store s[1] <- above + select(v > 0, 1, 0)
      pass turn
    }
  }
  sync cta
  if w == 0 { store y[:] <- load s[:] }
}
