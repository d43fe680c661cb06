// y[q] = x[q] + x[1 - q]: two CTAs fill each other's box, and say when it is empty
target sm_90a
kernel exchange(x: i32[M, 2, 128], out y: i32[M, 2, 128])
where 1 <= M <= 1048576
grid tile(m: M, q: 2) cluster 2 along q
roles { all: warps 4 }
shared box: i32[128]
signal full count 1
signal empty count 1
role all {
  let v = load x[m, q, :]
  arrive peer(empty, 1 - cta)
  await empty
  store peer(box, 1 - cta)[:] <- v
  arrive peer(full, 1 - cta)
  await full
  store y[m, q, :] <- v + load box
  arrive peer(empty, 1 - cta)
  sync cluster
}
