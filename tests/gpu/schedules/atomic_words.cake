// Atomic stores and loads of words of each type and size: what one warp stores, another one loads.
target sm_80
kernel atomic_words(a: i8[N], b: u8[N], c: i16[N], d: u16[N], e: f16[N], f: bf16[N],
    g: f64[N], h: tf32[N], i: e4m3[N], j: e5m2[N], k: bool[N], l: i64[N],
    inout a2: i8[N], inout b2: u8[N], inout c2: i16[N], inout d2: u16[N], inout e2: f16[N], inout f2: bf16[N],
    inout g2: f64[N], inout h2: tf32[N], inout i2: e4m3[N], inout j2: e5m2[N], inout k2: bool[N], inout l2: i64[N],
    out a3: i8[N], out b3: u8[N], out c3: i16[N], out d3: u16[N], out e3: f16[N], out f3: bf16[N],
    out g3: f64[N], out h3: tf32[N], out i3: e4m3[N], out j3: e5m2[N], out k3: bool[N], out l3: i64[N])
where 1 <= N <= 16777216
grid tile(t: cdiv(N, 128))
roles { all: warps 4 }
role all {
  let at = t * 128 + iota(128)
  let mirrored = t * 128 + 127 - iota(128)
  atomic.store a2[at] <- (load a[t * 128 :+ 128] clip 0) where (at < N) order relaxed
  atomic.store b2[at] <- (load b[t * 128 :+ 128] clip 0) where (at < N) order release
  atomic.store c2[at] <- (load c[t * 128 :+ 128] clip 0) where (at < N) scope gpu order relaxed
  atomic.store d2[at] <- (load d[t * 128 :+ 128] clip 0) where (at < N) scope sys order release
  atomic.store e2[at] <- (load e[t * 128 :+ 128] clip 0) where (at < N) order relaxed
  atomic.store f2[at] <- (load f[t * 128 :+ 128] clip 0) where (at < N) order release
  atomic.store g2[at] <- (load g[t * 128 :+ 128] clip 0) where (at < N) scope gpu order relaxed
  atomic.store h2[at] <- (load h[t * 128 :+ 128] clip 0) where (at < N) scope sys order release
  atomic.store i2[at] <- (load i[t * 128 :+ 128] clip 0) where (at < N) order relaxed
  atomic.store j2[at] <- (load j[t * 128 :+ 128] clip 0) where (at < N) order release
  atomic.store k2[at] <- (load k[t * 128 :+ 128] clip false) where (at < N) scope gpu order relaxed
  atomic.store l2[at] <- (load l[t * 128 :+ 128] clip 0) where (at < N) scope sys order release
  sync team
  store a3[t * 128 :+ 128] <- (atomic.load a2[mirrored] where (mirrored < N) order relaxed) clip
  store b3[t * 128 :+ 128] <- (atomic.load b2[mirrored] where (mirrored < N) scope gpu order acquire) clip
  store c3[t * 128 :+ 128] <- (atomic.load c2[mirrored] where (mirrored < N) scope sys order relaxed) clip
  store d3[t * 128 :+ 128] <- (atomic.load d2[mirrored] where (mirrored < N) order acquire) clip
  store e3[t * 128 :+ 128] <- (atomic.load e2[mirrored] where (mirrored < N) order relaxed) clip
  store f3[t * 128 :+ 128] <- (atomic.load f2[mirrored] where (mirrored < N) scope gpu order acquire) clip
  store g3[t * 128 :+ 128] <- (atomic.load g2[mirrored] where (mirrored < N) scope sys order relaxed) clip
  store h3[t * 128 :+ 128] <- (atomic.load h2[mirrored] where (mirrored < N) order acquire) clip
  store i3[t * 128 :+ 128] <- (atomic.load i2[mirrored] where (mirrored < N) order relaxed) clip
  store j3[t * 128 :+ 128] <- (atomic.load j2[mirrored] where (mirrored < N) scope gpu order acquire) clip
  store k3[t * 128 :+ 128] <- (atomic.load k2[mirrored] where (mirrored < N) scope sys order relaxed) clip
  store l3[t * 128 :+ 128] <- (atomic.load l2[mirrored] where (mirrored < N) order acquire) clip
}
