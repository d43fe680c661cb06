// one query token per sequence, keys in pages, context cut in SPLIT parts, then combined
target sm_90a
const SPLIT = 8, PAGE = 64
kernel part_attn(q: bf16[B, HQ, D], kc: bf16[P, HK, PAGE, D], vc: bf16[P, HK, PAGE, D], table: i32[B, MAXP], len: i32[B],
    out po: f32[SPLIT, B, HQ, D], out pl: f32[SPLIT, B, HQ], scale: f32)
where static D, D in {64, 128}, 1 <= B <= 4096, 1 <= HK <= 128, HQ % HK == 0, HK <= HQ <= 64 * HK, 1 <= P <= 16777216, 1 <= MAXP <= 65536, scale > 0,
    all(0 <= table), all(table < P), all(0 <= len), all(len <= MAXP * PAGE), finite(vc)
grid tile(z: SPLIT, h: HK, b: B)
roles { load: warps 1; math: warpgroups 1 }
pipeline qs stages 1 from load to math { sq: bf16[64, D] swizzle 128 }
pipeline kv stages 3 from load to math { sk: bf16[PAGE, D] swizzle 128; sv: bf16[PAGE, D] swizzle 128 }
let G = HQ / HK
let n = load len[b]
let pages = min(cdiv(n, PAGE), MAXP)
let per = cdiv(pages, SPLIT)
let j0 = max(min(z * per, pages), 0)
let j1 = min(j0 + per, pages)
role load {
  acquire qs; tma.load sq <- q[b, h * G, 0]; commit qs  // 64 rows; those past G are other heads, never stored
  for j in j0 .. j1 {
    let page = load table[b, j]
    acquire kv
    tma.load sk <- kc[page, h, 0, 0]
    tma.load sv <- vc[page, h, 0, 0]
    commit kv
  }
}
role math {  // one team of one warpgroup
  var acc: f32[64, D] = 0
  var top: f32[64] = -inf
  var den: f32[64] = 0
  wait qs
  for j in j0 .. j1 {
    var s: f32[64, PAGE]
    wait kv
    wgmma s = sq * sk.T
    wgmma.commit
    wgmma.wait 0
    s = select((j * PAGE + iota(PAGE) < n)[None, :], s, -inf)
    let t = max(top, max(s, axis=1) * scale)  // each page has at least one key: finite
    let p = exp2.approx(s * scale - t[:, None])
    let f = exp2.approx(top - t)
    den = den * f + sum(p, axis=1)
    acc = acc * f[:, None]
    top = t
    wgmma acc += cast bf16 p * sv
    wgmma.commit
    wgmma.wait 0
    release kv keep 0
  }
  release qs keep 0
  let ok = iota(64) < G
  store po[z, b, h * G :+ 64, :] <- select(den > 0, 1 / den, 0)[:, None] * acc vec 2 clip where ok[:, None]
  store pl[z, b, h * G :+ 64] <- select(den > 0, top + log2(den), -inf) clip where ok  // empty part: -inf
}
kernel combine(po: f32[SPLIT, B, HQ, D], pl: f32[SPLIT, B, HQ], out o: bf16[B, HQ, D])
where static D, D in {64, 128}, 1 <= B <= 4096, 1 <= HQ <= 8192
grid tile(h: HQ, b: B)
roles { all: warps 1 }
role all {
  grid.wait
  let l = load pl[:, b, h]  // f32[SPLIT], strided gather; SPLIT = 8 < 32 lanes
  let t = max(l)
  let w = select(l == -inf, 0.0, exp2(l - t))  // t = -inf only when len = 0; the branch not taken may be NaN, select drops it
  let d = sum(w)
  let x = load po[:, b, h, :]  // f32[SPLIT, D]
  store o[b, h, :] <- cast bf16 select(d > 0, sum(x * w[:, None], axis=0) / d, 0.0)
}
program decode(q: bf16[B, HQ, D], kc: bf16[P, HK, PAGE, D], vc: bf16[P, HK, PAGE, D], table: i32[B, MAXP], len: i32[B], out o: bf16[B, HQ, D], scale: f32)
where static D, D in {64, 128}, 1 <= B <= 4096, 1 <= HK <= 128, HQ % HK == 0, HK <= HQ <= 64 * HK, 1 <= P <= 16777216, 1 <= MAXP <= 65536, scale > 0,
    all(0 <= table), all(table < P), all(0 <= len), all(len <= MAXP * PAGE), finite(vc) {
  temp po: f32[SPLIT, B, HQ, D]
  temp pl: f32[SPLIT, B, HQ]
  run part_attn(q, kc, vc, table, len, po, pl, scale)
  run combine(po, pl, o) overlap
}
