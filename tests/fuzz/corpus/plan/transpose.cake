// y = x transposed, 64 x 64 tiles through shared memory; both sides move 16 bytes a thread
target sm_80
kernel transpose(x: bf16[M, N], out y: bf16[N, M])
where 8 <= M <= 1048576, 8 <= N <= 1048576, M % 8 == 0, N % 8 == 0
grid tile(i: cdiv(M, 64), j: cdiv(N, 64))
roles { all: warps 8 }
shared s: bf16[64, 64] pad 2  // an odd number of words a row: columns fall on different banks

role all {
  store s <- load x[i * 64 :+ 64, j * 64 :+ 64] vec 8 clip 0
  sync team
  store y[j * 64 :+ 64, i * 64 :+ 64] <- (load s.T) vec 8 clip
}
