// Kimi delta attention, forward, chunks of 64, per-channel log2 decay g <= 0; state S[k, v] lives in registers.
// With G the running sum of g in the chunk: kp = k 2^G, kn = k 2^-G, A = tril(beta kp kn^T, -1), X = (I + A)^-1,
// u = X beta (v - kp S), o = q 2^G S + tril(q 2^G kn^T) u, S = 2^G_last (S + kn^T u). G >= -100 is assumed.
target sm_90a
kernel kda(q: bf16[B, T, H, 128], k: bf16[B, T, H, 128], v: bf16[B, T, H, 128], g: f32[B, T, H, 128], beta: f32[B, H, T], out o: bf16[B, T, H, 128])
where 1 <= B <= 4096, 1 <= H <= 256, 64 <= T <= 1048576, T % 64 == 0
grid tile(h: H, b: B)
roles { load: warpgroups 1 regs 40; math: warpgroups 1 regs 232 }
pipeline io stages 1 from load to math {  // two stages would need 288,768 bytes of shared memory
  sq: bf16[64, 128] swizzle 128
  sk: bf16[64, 128] swizzle 128
  sv: bf16[64, 128] swizzle 128
  sg: f32[64, 128]
  sb: f32[64]
}
shared sp: bf16[64, 128] swizzle 128   // k 2^G
shared sn: bf16[64, 128] swizzle 128   // k 2^-G
shared sx: bf16[64, 128] swizzle 128   // q 2^G
shared ss: bf16[128, 128] swizzle 128  // S, rounded, as operand
shared sa: f32[64, 64] pad 4           // A, then X in place
shared sw: bf16[64, 64] swizzle 128
shared su: bf16[64, 128] swizzle 128
shared sl: f32[128]  // 2^G_last
role load {
  for c in 0 .. T / 64 {
    acquire io
    tma.load sq <- q[b, c * 64 :+ 64, h, :]
    tma.load sk <- k[b, c * 64 :+ 64, h, :]
    tma.load sv <- v[b, c * 64 :+ 64, h, :]
    tma.load sg <- g[b, c * 64 :+ 64, h, :]
    tma.load sb <- beta[b, h, c * 64]
    commit io
  }
}
role math {
  var st: f32[128, 128] = 0  // one warpgroup: two m64 rows of instructions
  for c in 0 .. T / 64 {
    wait io
    let cum = scan(load sg, axis=0)
    let ga = exp2(cum)
    let kk = cast f32 (load sk)
    store sp <- cast bf16 (kk * ga)
    store sn <- cast bf16 (kk / ga)
    store sx <- cast bf16 (cast f32 (load sq) * ga)
    store sl <- exp2(sum(load sg, axis=0))  // row 63 of cum: a slice of a register tile is not sayable, so summed again
    store ss <- cast bf16 st
    fence async
    sync team
    var a: f32[64, 64]
    var r: f32[64, 64]
    wgmma a = sp * sn.T
    wgmma r = sx * sn.T
    wgmma.commit
    wgmma.wait 0
    let bt = load sb
    let low = iota(64)[:, None] > iota(64)[None, :]
    store sa <- select(low, a * bt[:, None], 0)
    sync team
    for i in 0 .. 64 {         // forward substitution: row i of X = e_i - sum over j < i of A[i, j] X[j, :]
      let row = load sa[i, :]  // A[i, :], zero from i on
      let x = load sa[:, :]    // rows below i hold X already
      let z = sum(select((iota(64) < i)[:, None], row[:, None] * x, 0), axis=0)
      sync team
      store sa[i, :] <- select(iota(64) == i, 1.0, 0.0) - z
      sync team
    }
    store sw <- cast bf16 (load sa * bt[None, :])
    var d: f32[64, 128]
    wgmma d = sp * ss  // kp S
    wgmma.commit
    wgmma.wait 0
    store su <- cast bf16 (cast f32 (load sv) - d)
    fence async
    sync team
    var u: f32[64, 128]
    wgmma u = sw * su
    wgmma.commit
    wgmma.wait 0
    sync team  // all warps' reads of su have retired
    store su <- cast bf16 u
    fence async
    sync team
    var y: f32[64, 128]
    wgmma y = sx * ss
    wgmma y += cast bf16 select(iota(64)[:, None] >= iota(64)[None, :], r, 0) * su
    wgmma st += sn.T * su
    wgmma.commit
    wgmma.wait 0
    st = st * (load sl)[:, None]
    release io keep 0
    store o[b, c * 64 :+ 64, h, :] <- cast bf16 y vec 2
    sync team  // before sp .. ss are rewritten
  }
}
