// Each atomic operation on tensors and shared memory, in each scope, with the old values of those that have them.
target sm_80
kernel atomic_ops(x: i32[N], u: u64[N], f: f32[N], d: f64[N],
    inout low: i32[8], inout high: i64[8], inout least: u32[8], inout most: u64[8], inout all_: u32[8], inout some: u64[8],
    inout odd: i32[8], inout sum_: f32[8], inout sum2: f64[8], inout count_: u64[1], inout top: i32[1],
    inout held: i32[N], out before: i32[N], inout real: f32[N], out real_before: f32[N])
where 1 <= N <= 16777216
grid tile(b: cdiv(N, 256))
roles { all: warps 4 }
shared s_low: i32[8]
shared s_bits: u32[8]
shared s_sum: f32[8]
role all {
  store s_low[:] <- 2147483647
  store s_bits[:] <- 0xFFFFFFFF
  store s_sum[:] <- 0
  sync team
  let at = b * 256 + iota(256)
  let on = at < N
  let v = load x[b * 256 :+ 256] clip 0
  let w = load u[b * 256 :+ 256] clip 0
  let p = load f[b * 256 :+ 256] clip 0
  let q = load d[b * 256 :+ 256] clip 0
  let group = cast i32 at & 7
  atomic.min s_low[group] <- v where on
  atomic.and s_bits[group] <- bitcast u32 v where on
  atomic.add s_sum[group] <- p where on
  atomic.max high[group] <- cast i64 v where on scope sys
  atomic.max most[group] <- w where on
  atomic.or some[group] <- w where on order release
  atomic.xor odd[group] <- v where on order acq_rel
  atomic.add sum2[group] <- q where on scope gpu
  sync team
  atomic.min low[:] <- load s_low[:]
  atomic.min least[:] <- bitcast u32 (load s_low[:]) order acquire
  atomic.and all_[:] <- load s_bits[:]
  atomic.add sum_[:] <- load s_sum[:]
  atomic.add count_[0] <- 1 scope sys order acq_rel
  atomic.max top[0] <- max(v)
  store before[b * 256 :+ 256] <- (atomic.exch held[at] <- v where on) clip
  store real_before[b * 256 :+ 256] <- (atomic.exch real[at] <- p where on) clip
}
