// stream-K: U workers share all (tile, k) steps evenly; whoever finishes a tile adds the earlier workers' partial sums
target sm_90a
const U = 132  // workers; any number is correct
kernel streamk(a: bf16[M, K], b: bf16[N, K], out c: bf16[M, N], inout part: f32[U, 2, 64, 128], inout flag: u32[U, 2], inout ticket: u32[1])
where 1 <= M <= 65536, 8 <= N <= 65536, 8 <= K <= 65536, N % 8 == 0, K % 8 == 0, all(flag == 0), all(ticket == 0)
grid tile(u: U) claim ticket
roles { load: warpgroups 1 regs 40; math: warpgroups 2 regs 232 }
pipeline ab stages 4 from load to math { sa: bf16[128, 64] swizzle 128; sb: bf16[128, 64] swizzle 128 }
let KT = cdiv(K, 64)
let NT = cdiv(N, 128)
let all_steps = cdiv(M, 128) * NT * KT
let lo = u * all_steps / U
let hi = (u + 1) * all_steps / U
role load {
  for t in lo / KT .. cdiv(hi, KT) {
    for k in max(lo - t * KT, 0) .. min(hi - t * KT, KT) {
      acquire ab
      tma.load sa <- a[t / NT * 128, k * 64]
      tma.load sb <- b[t % NT * 128, k * 64]
      commit ab
    }
  }
}
role math(w) {
  for t in lo / KT .. cdiv(hi, KT) {
    let k0 = max(lo - t * KT, 0)
    let k1 = min(hi - t * KT, KT)
    if k0 < k1 {
      var acc: f32[64, 128] = 0
      for k in k0 .. k1 {
        wait ab
        wgmma acc += sa[w * 64 :+ 64, :] * sb.T
        wgmma.commit
        wgmma.wait 1
        release ab keep 1
      }
      wgmma.wait 0
      release ab keep 0
      if k1 < KT {  // tile unfinished: hand the sum on. At most once per worker
        store part[u, w, :, :] <- acc
        sync team
        atomic.store flag[u, w] <- 1 scope gpu order release
      } else {
        if k0 > 0 {
          for p in t * KT * U / all_steps .. u {  // every worker that may hold a step of this tile before mine
            if ((p + 1) * all_steps / U > t * KT) & (p * all_steps / U < (p + 1) * all_steps / U) {
              await flag[p, w] until it == 1 from (p)
              acc += load part[p, w, :, :]
            }
          }
        }
        store c[t / NT * 128 + w * 64 :+ 64, t % NT * 128 :+ 128] <- cast bf16 acc vec 2 clip
      }
    }
  }
}
