// y[b] = the sum of what the CTA before it left, which posts when it has
target sm_80
kernel chain(x: i32[N], inout left: i32[B, 128], inout posted: u32[B], inout ticket: u32[1], out y: i32[B])
where 1 <= N <= 131072, B == cdiv(N, 1024), all(posted == 0), all(ticket == 0)
grid tile(b: B) claim ticket
roles { all: warps 4 }
role all {
  let v = load x[b * 1024 :+ 128] clip 0
  store left[b, :] <- v
  sync team
  atomic.store posted[b] <- 1 order release
  if b > 0 {
    let flag = await posted[max(b - 1, 0)] until it == 1 from (max(b - 1, 0))
    store y[b] <- sum(load left[max(b - 1, 0), :])
  } else {
    store y[b] <- 0
  }
}
