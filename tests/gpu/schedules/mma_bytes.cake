// Sums of squares of groups of K: u8 by u8 and u8 by i8 in m16n8k32, each group a fresh product.
target sm_80
kernel mma_bytes(a: u8[M, K], b: u8[N, K], c: i8[N, K], out y: i32[M, N], out z: i64[M, N])
where 1 <= M <= 1048576, 1 <= N <= 1048576, 16 <= K <= 32768, K % 16 == 0
grid tile(m: cdiv(M, 32), n: cdiv(N, 16))
roles { math: warps 1 }
pipeline p stages 2 from math to math {
  sa: u8[32, 64] swizzle 64
  sb: u8[16, 64] swizzle 64
  sc: i8[16, 64] swizzle 64
}
role math {
  var total: i32[32, 16] = 0
  var squares: i64[32, 16] = 0
  for k in 0 .. cdiv(K, 64) {
    acquire p
    async.load sa <- a[m * 32 :+ 32, k * 64 :+ 64] clip 0
    async.load sb <- b[n * 16 :+ 16, k * 64 :+ 64] clip 0
    async.load sc <- c[n * 16 :+ 16, k * 64 :+ 64] clip 0
    commit p
    wait p
    mma total += sa * sb.T
    var part: i32[32, 16]
    mma part = sa * sc.T
    let wide = cast i64 part
    squares += wide * wide
    release p keep 0
  }
  store y[m * 32 :+ 32, n * 16 :+ 16] <- total clip
  store z[m * 32 :+ 32, n * 16 :+ 16] <- squares clip
}
