// C = A * B^T with K cut into SPLIT parts, for outputs of few tiles; a second kernel adds the parts in a fixed order
target sm_90a
tune SPLIT in {2, 4, 8, 16} = 4

kernel partial(a: bf16[M, K], b: bf16[N, K], out p: f32[SPLIT, M, N])
where 1 <= M <= 65536, 8 <= N <= 65536, 8 <= K <= 1048576, N % 8 == 0, K % 8 == 0
tune STAGES in 2 .. 7 = 6
grid tile(m: cdiv(M, 128), n: cdiv(N, 128), z: SPLIT)
roles { load: warpgroups 1 regs 40; math: warpgroups 2 regs 232 }
pipeline ab stages STAGES from load to math {
  sa: bf16[128, 64] swizzle 128
  sb: bf16[128, 64] swizzle 128
}
let steps = cdiv(K, 64)
let per = cdiv(steps, SPLIT)
let lo = min(z * per, steps)
let hi = min(lo + per, steps)  // lo == hi for parts past the end: no trip, and zeros are written

role load {
  for k in lo .. hi {
    acquire ab
    tma.load sa <- a[m * 128, k * 64]
    tma.load sb <- b[n * 128, k * 64]
    commit ab
  }
}

role math(w) {
  var acc: f32[64, 128] = 0
  for k in lo .. hi {
    wait ab
    wgmma acc += sa[w * 64 :+ 64, :] * sb.T
    wgmma.commit
    wgmma.wait 1
    release ab keep 1
  }
  wgmma.wait 0
  release ab keep 0
  grid.trigger  // the CTAs of 'merge' may come as those of this kernel go
  store p[z, m * 128 + w * 64 :+ 64, n * 128 :+ 128] <- acc vec 2 clip
}

kernel merge(p: f32[SPLIT, M, N], out c: bf16[M, N])
where 1 <= M <= 65536, 8 <= N <= 65536, N % 8 == 0
grid tile(i: cdiv(M, 8), j: cdiv(N, 128))
roles { all: warps 8 }
role all {
  grid.wait  // the parts are complete and visible
  var s: f32[8, 128] = 0
  for z in 0 .. SPLIT unroll { s += load p[z, i * 8 :+ 8, j * 128 :+ 128] vec 4 clip 0 }
  store c[i * 8 :+ 8, j * 128 :+ 128] <- cast bf16 s vec 4 clip
}

program gemm_splitk(a: bf16[M, K], b: bf16[N, K], out c: bf16[M, N])
where 1 <= M <= 65536, 8 <= N <= 65536, 8 <= K <= 1048576, N % 8 == 0, K % 8 == 0 {
  temp p: f32[SPLIT, M, N]
  run partial(a, b, p)
  run merge(p, c) overlap
}
