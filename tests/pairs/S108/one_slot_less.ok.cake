// y = 2 * x: a warp loads slots, four warps double them
target sm_90a
kernel double(x: f32[M, N], out y: f32[M, N])
where 1 <= M <= 65536, 4 <= N <= 65536, N % 4 == 0
grid tile(i: cdiv(M, 64))
roles { math: warps 4; load: warps 1 }
pipeline p stages 2 from load to math { s: f32[64, 32] swizzle 128 }
role load {
  for j in 0 .. cdiv(N, 32) {
    acquire p
    tma.load s <- x[i * 64, j * 32]
    commit p
  }
}
role math {
  for j in 0 .. cdiv(N, 32) {
    wait p
    let v = load s
    fence async
    release p keep 0
    store y[i * 64 :+ 64, j * 32 :+ 32] <- v + v clip
  }
  release p keep 0
}
