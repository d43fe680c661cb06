// The largest elements of rows, sorted: first of two halves, then of both.
target sm_80
kernel top_rows(x: i32[M, N], out y: i32[M, K], out z: u64[M, 8])
where 1 <= M <= 1000000, 64 <= N <= 8192, N % 2 == 0, static N, static K, 1 <= K <= 32
tune WARPS in {1, 2, 4} = 4
grid tile(m: M)
roles { all: warps WARPS }
const H = ceilto(N / 2, WARPS * 32)
role all {
  let a = load x[m, 0 :+ H] where (iota(H) < N / 2) clip 0
  let b = load x[m, N / 2 :+ H] clip -2147483648
  let low = topk(select(iota(H) < N / 2, a, -2147483648), K)
  store y[m, :] <- topk(concat(low, topk(b, K)), K)
  let key = cast u64 (cast u32 (a + 1000)) << 32 | cast u64 (cast u32 iota(H))
  store z[m, :] <- topk(select(iota(H) < N / 2, key, 0), 8)
}
