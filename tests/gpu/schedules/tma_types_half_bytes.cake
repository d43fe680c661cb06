// Copies of tensors of 4-bit elements: by bulk copies into slots, by lanes into other buffers, by bulk copies back.
target sm_90a
kernel tma_types_half_bytes(a: i4[M, N], b: u4[M, N], out y: i4[M, N], out z: u4[M, N])
where 1 <= M <= 1048576, 32 <= N <= 1048576, N % 32 == 0
grid tile(m: cdiv(M, 16), n: cdiv(N, 128))
roles {
  load: warps 1
  all: warps 2
}
pipeline p stages 1 from load to all {
  sa: i4[16, 128]
  sb: u4[16, 128]
}
shared ta: i4[16, 128]
shared tb: u4[16, 128]
role load {
  acquire p
  tma.load sa <- a[m * 16, n * 128]
  tma.load sb <- b[m * 16, n * 128]
  commit p
}
role all {
  wait p
  store ta <- (load sa vec 8) vec 8
  store tb <- (load sb vec 8) vec 8
  release p keep 0
  fence async
  sync team
  tma.store y[m * 16, n * 128] <- ta
  tma.store z[m * 16, n * 128] <- tb
  bulk.commit
  bulk.wait 0
}
