// y += x by bulk reductions: tiles of x go through shared memory, the copy engine adds them to y
target sm_90a
kernel tma_add(x: f32[M, N], inout y: f32[M, N])
where 1 <= M <= 65536, 4 <= N <= 65536, N % 4 == 0
grid tile(i: cdiv(M, 64), j: cdiv(N, 32))
roles { all: warps 4 }
shared s: f32[64, 32] swizzle 128

role all {
  store s <- load x[i * 64 :+ 64, j * 32 :+ 32] vec 4 clip 0
  fence async
  sync team
  tma.reduce add y[i * 64, j * 32] <- s
  bulk.commit
  bulk.wait 0
}
