// Chains of branches, loops unrolled by a factor, slices of variables, pairs, ranges of values; barriers of a role and of a CTA.
target sm_80
let ordered(a, b) = (min(a, b), max(a, b))
kernel control(x: f32[M, 128], n: i32[M], out y: f32[M, 128], out kind: i32[M], out low: f32[M, 32], out high: f32[M, 32],
    out sums: f32[M, 4], out swapped: f32[M, 128], out seen: i32[M])
where 1 <= M <= 1048576, all(0 <= n), all(n <= 100)
grid tile(i: M)
roles {
  one: warps 1
  teams: warps 4
}
shared part: f32[4]
shared row: f32[128]
shared word: i32[1]
role one {
  check 128 % 32 == 0
  let k = load n[i]
  if k == 0 { store kind[i] <- 0 } else if k in 1 .. 10 { store kind[i] <- 1 } else if k < 50 {
    store kind[i] <- 2
  } else { store kind[i] <- 3 }
  var acc: f32[128] = 0
  for j in 0 .. 4 unroll { acc[j * 32 :+ 32] = load x[i, j * 32 :+ 32] }
  for j in 0 .. 3 unroll { acc[j * 32 :+ 32] += acc[(j + 1) * 32 :+ 32] }
  var times: f32[32] = 0
  for j in 0 .. cast i64 k unroll 4 { times += 1 }
  acc[96 :+ 32] = times
  store y[i, :] <- acc
  let a, b = ordered(acc[0 :+ 32], acc[32 :+ 32])
  store low[i, :] <- a
  store high[i, :] <- b
  store word[0] <- k
  sync cta
}
role teams(w) {
  let v = load x[i, w * 32 :+ 32]
  store part[w] <- sum(v)
  store row[w * 32 :+ 32] <- v
  sync role
  store sums[i, w] <- load part[(w + 1) % 4]
  store swapped[i, w * 32 :+ 32] <- load row[(3 - w) * 32 :+ 32]
  sync cta
  if w == 2 { store seen[i] <- load word[0] }
}
