// y = 2 * x, stored by the copy engine; one lane waits until it has read the buffer
target sm_90a
kernel double(x: f32[M, N], out y: f32[M, N])
where 1 <= M <= 65536, 4 <= N <= 65536, N % 4 == 0
grid tile(i: cdiv(M, 64))
roles { all: warps 4 }
shared s: f32[64, 32] swizzle 128
role all {
  for j in 0 .. cdiv(N, 32) {
    let v = load x[i * 64 :+ 64, j * 32 :+ 32] vec 4 clip 0
    bulk.wait.read 0
    sync team  // tells the others
    store s <- v + v
    fence async
    sync team
    tma.store y[i * 64, j * 32] <- s
    bulk.commit
  }
  bulk.wait 0
}
