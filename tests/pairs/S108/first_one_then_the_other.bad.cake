// shape: M = 64, N = 256
// y = a + b; one warp loads both, each through slots of its own
target sm_90a
kernel add(a: f32[M, N], b: f32[M, N], out y: f32[M, N])
where 1 <= M <= 65536, 4 <= N <= 65536, N % 4 == 0
grid tile(i: cdiv(M, 64))
roles { math: warps 4; load: warps 1 }
pipeline p stages 3 from load to math { sa: f32[64, 32] swizzle 128 }
pipeline q stages 3 from load to math { sb: f32[64, 32] swizzle 128 }
role load {
  for j in 0 .. cdiv(N, 32) {
    acquire p
    tma.load sa <- a[i * 64, j * 32]
    commit p
    }; for j in 0 .. cdiv(N, 32) {
    acquire q
    tma.load sb <- b[i * 64, j * 32]
    commit q
  }
}
role math {
  for j in 0 .. cdiv(N, 32) {
    wait p
    wait q
    let v = (load sa) + (load sb)
    fence async
    release p keep 0
    release q keep 0
    store y[i * 64 :+ 64, j * 32 :+ 32] <- v clip
  }
}
