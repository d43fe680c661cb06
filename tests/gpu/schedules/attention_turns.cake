// the attention of docs/language.md: the two teams take turns on the tensor cores
target sm_90a
kernel turns(q: bf16[B, HQ, S, D], k: bf16[B, HK, T, D], v: bf16[B, HK, T, D], out o: bf16[B, HQ, S, D], scale: f32)
where static D, D in {64, 128}, 1 <= B <= 4096, 1 <= HK <= 128, HK <= HQ <= 256, HQ % HK == 0, 1 <= S <= 1048576, 1 <= T <= 1048576, scale > 0
tune BT in {64, 128} = 128, STAGES = 2
grid persistent tile(b: B, h: HQ, i: cdiv(S, 128)) order row
roles { load: warpgroups 1 regs 40; math: warpgroups 2 regs 232 }
pipeline qs stages 1 from load to math { sq: bf16[128, D] swizzle 128 }
pipeline ks stages STAGES from load to math { sk: bf16[BT, D] swizzle 128 }
pipeline vs stages STAGES from load to math { sv: bf16[BT, D] swizzle 128 }
baton turn over math

role load {
  for tile (b, h, i) {
    acquire qs; tma.load sq <- q[b, h, i * 128, 0]; commit qs
    for j in 0 .. cdiv(T, BT) {
      acquire ks; tma.load sk <- k[b, h / (HQ / HK), j * BT, 0]; commit ks
      acquire vs; tma.load sv <- v[b, h / (HQ / HK), j * BT, 0]; commit vs
    }
  }
}
role math(w) {
  for tile (b, h, i) {
    var acc: f32[64, D] = 0
    var top: f32[64] = -inf
    var den: f32[64] = 0
    wait qs
    for j in 0 .. cdiv(T, BT) {
      var s: f32[64, BT]
      wait ks
      take turn  // the other team does its softmax while this one multiplies
      wgmma s = sq[w * 64 :+ 64, :] * sk.T
      wgmma.commit
      pass turn
      wgmma.wait 0
      release ks keep 0
      if (j + 1) * BT > T { s = select((j * BT + iota(BT) < T)[None, :], s, -inf) }
      let t = max(top, max(s, axis=1) * scale)  // finite: key 0 exists, so every row sees one in step 0
      let p = exp2.approx(s * scale - t[:, None])
      let a = exp2.approx(top - t)
      den = den * a + sum(p, axis=1)
      acc = acc * a[:, None]
      top = t
      wait vs                        // rows past T are zero: tma.load fills them, so 0 * 0 and never 0 * NaN
      wgmma acc += cast bf16 p * sv  // accumulator fragments of 16 bits are A fragments: no conversion
      wgmma.commit
      wgmma.wait 0
      release vs keep 0
    }
    release qs keep 0
    store o[b, h, i * 128 + w * 64 :+ 64, :] <- cast bf16 (acc / den[:, None]) vec 2 clip
  }
}
