// Gathers by several tiles of indices, scatters, masked stores; facts on contents and a sum that is equal on every run.
target sm_80
kernel indices(a: f32[M, N], r: i32[K], c: i32[K], p: i32[K], out y: f32[K], inout z: f32[K], inout odd: f32[K],
    out total: f32[B])
where 1 <= M <= 1048576, 1 <= N <= 1048576, 1 <= K <= 1048576, B == cdiv(K, 128), all(0 <= r), all(r < M), all(0 <= c),
    all(c < N), all(0 <= p), all(p < K), distinct(p), finite(a), deterministic
assume M * N <= 1099511627776
grid tile(b: B)
roles { all: warps 4 }
role all {
  let at = b * 128 + iota(128)
  let rows = load r[b * 128 :+ 128] clip 0
  let columns = load c[b * 128 :+ 128] clip 0
  let v = load a[rows, columns] where (at < K)
  store y[b * 128 :+ 128] <- v clip
  let places = load p[b * 128 :+ 128] clip 0
  store z[places] <- v where (at < K)
  store odd[b * 128 :+ 128] <- v clip where (places & 1 == 1)
  store total[b] <- sum(v)
}
