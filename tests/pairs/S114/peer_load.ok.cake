// y = x in clusters of two, each CTA writing what the other one holds
target sm_90a
kernel swap(x: i32[M, 2, 128], out y: i32[M, 2, 128])
where 1 <= M <= 1048576
grid tile(m: M, q: 2) cluster 2 along q
roles { all: warps 4 }
shared s: i32[128]
role all {
  store s <- load x[m, q, :]
  sync cluster
  let v = load peer(s, 1 - cta)[:]
  sync cluster  // before the memory that is read goes away
  store y[m, 1 - q, :] <- v
}
