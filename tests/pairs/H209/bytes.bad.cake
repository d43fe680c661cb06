target sm_80
// the largest element of each column
kernel maxima(x: i8[M, N], inout top: i16[N])
where 1 <= M <= 65535, 1 <= N <= 65536
grid tile(j: cdiv(N, 128), i: M)
roles { all: warps 4 }
role all {
  let at = j * 128 + iota(128)
  atomic.max top[at] <- 100 where ((at < N) & ((load x[i, j * 128 :+ 128] clip 0) > 99))
}
