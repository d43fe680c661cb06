// o = softmax(q k^T * scale' + mask) v, forward, grouped queries; scale holds log2(e) / sqrt(D). The last query sees all keys,
// each one before it a key less.
target sm_90a
kernel attention(q: bf16[B, HQ, S, D], k: bf16[B, HK, T, D], v: bf16[B, HK, T, D], out o: bf16[B, HQ, S, D], scale: f32)
where static D, D in {64, 128}, 1 <= B <= 4096, 1 <= HK <= 128, HK <= HQ <= 256, HQ % HK == 0, 1 <= S <= 1048576, S <= T <= 1048576, scale > 0
tune BT in {64, 128} = 128, STAGES = 2
grid persistent tile(b: B, h: HQ, i: cdiv(S, 128)) order reverse(i)
let steps = cdiv(min(T, i * 128 + 128 + T - S), BT)  // up to the diagonal
roles {
  load: warpgroups 1 regs 24
  math: warpgroups 2 regs 240
}
pipeline qs stages 1 from load to math {
  sq: bf16[128, D] swizzle 128
}
pipeline ks stages STAGES from load to math {
  sk: bf16[BT, D] swizzle 128
}
pipeline vs stages STAGES from load to math {
  sv: bf16[BT, D] swizzle 128
}

role load {
  for tile (b, h, i) {
    acquire qs
    tma.load sq <- q[b, h, i * 128, 0]
    commit qs
    for j in 0 .. steps {
      acquire ks
      tma.load sk <- k[b, h / (HQ / HK), j * BT, 0]
      commit ks
      acquire vs
      tma.load sv <- v[b, h / (HQ / HK), j * BT, 0]
      commit vs
    }
  }
}

role math(w) {
  for tile (b, h, i) {
    let first = i * 128 + w * 64 + T - S  // the last key that this team's first row sees
    var acc: f32[64, D] = 0
    var top: f32[64] = -inf
    var den: f32[64, 4] = 0
    var s: f32[64, BT]
    wait qs
    wait ks
    wgmma s = sq[w * 64 :+ 64, :] * sk.T
    wgmma.commit
    wgmma.wait 0
    release ks keep 0
    for j in 0 .. steps {
      if (j + 1) * BT > first + 1 {
        s = select((j * BT - first + iota(BT))[None, :] <= iota(64)[:, None], s, -inf)
      }
      let t = max(top, max(s, axis=1) * scale)
      let p = exp2.approx.ftz(fma(s, scale, -t[:, None]))
      let a = exp2.approx.ftz(top - t)
      den = den * a[:, None] + sum(p, axis=1 within lane)
      acc = acc * a[:, None]
      top = t
      wait vs
      if j + 1 < steps {
        wait ks
        wgmma s = sq[w * 64 :+ 64, :] * sk.T
        wgmma.commit
      }
      wgmma acc += cast bf16 p * sv
      wgmma.commit
      wgmma.wait 0
      release ks keep 0
      release vs keep 0
    }
    release qs keep 0
    store o[b, h, i * 128 + w * 64 :+ 64, :] <- cast bf16 (acc * rcp(sum(den, axis=1))[:, None]) vec 2 clip
  }
}
