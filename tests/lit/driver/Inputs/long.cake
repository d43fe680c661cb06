target sm_80
// y = how often the loop ran
kernel spin(out y: i32[1], r: i32)
where 1 <= r
grid tile(i: 1)
roles { all: warps 1 }
role all {
  var n: i32 = 0
  for k in 0 .. r {
    n += 1
  }
  store y[0] <- n
}
