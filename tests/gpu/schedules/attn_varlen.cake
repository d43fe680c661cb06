// causal self-attention, grouped queries, packed sequences cu[b] .. cu[b+1]; scale holds log2(e) / sqrt(D)
target sm_90a
kernel attn_varlen(q: bf16[T, HQ, D], k: bf16[T, HK, D], v: bf16[T, HK, D], cu: i32[B + 1], out o: bf16[T, HQ, D], scale: f32)
where static D, D in {64, 128}, 1 <= B <= 65536, 1 <= HK <= 128, HK <= HQ <= 256, HQ % HK == 0, 1 <= T <= 1048576, scale > 0,
    cu[0] == 0, cu[B] == T, nondecreasing(cu), finite(v)
tune BT in {64, 128} = 128
grid persistent tile(h: HQ, i: ragged(cu, 128)) order reverse(i)
roles { load: warpgroups 1 regs 40; math: warpgroups 2 regs 232 }
pipeline qs stages 1 from load to math { sq: bf16[128, D] swizzle 128 }
pipeline ks stages 2 from load to math { sk: bf16[BT, D] swizzle 128 }
pipeline vs stages 2 from load to math { sv: bf16[BT, D] swizzle 128 }
baton turn over math
let hk = h / (HQ / HK)
let lo = load cu[i.group]
let at = i.row - lo  // first query's position in its sequence
let steps = min(cdiv(at + i.rows, BT), cdiv(T, BT))
role load {
  for tile (h, i) {
    acquire qs; tma.load sq <- q[i.row :+ 128, h, :]; commit qs
    for j in 0 .. steps {
      acquire ks; tma.load sk <- k[lo + j * BT :+ BT, hk, :]; commit ks
      acquire vs; tma.load sv <- v[lo + j * BT :+ BT, hk, :]; commit vs
    }
  }
}
role math(w) {
  for tile (h, i) {
    let mine = at + w * 64 + iota(64)
    var acc: f32[64, D] = 0
    var top: f32[64] = -inf
    var den: f32[64] = 0
    wait qs
    for j in 0 .. steps {
      var s: f32[64, BT]
      wait ks
      take turn
      wgmma s = sq[w * 64 :+ 64, :] * sk.T
      wgmma.commit
      pass turn
      wgmma.wait 0
      release ks keep 0
      if (j + 1) * BT > at + w * 64 { s = select(mine[:, None] >= j * BT + iota(BT)[None, :], s, -inf) }  // key 0 is seen by every row: top is finite after j = 0
      let t = max(top, max(s, axis=1) * scale)
      let p = exp2.approx(s * scale - t[:, None])
      let f = exp2.approx(top - t)
      den = den * f + sum(p, axis=1)
      acc = acc * f[:, None]
      top = t
      wait vs
      wgmma acc += cast bf16 p * sv
      wgmma.commit
      wgmma.wait 0
      release vs keep 0
    }
    release qs keep 0
    store o[i.row + w * 64 :+ 64, h, :] <- cast bf16 (acc / den[:, None]) vec 2 clip where (w * 64 + iota(64) < i.rows)[:, None]
  }
}
