// 4-bit elements: vectors, single ones, from shared memory, cp.async, and stores in pairs.
target sm_80
kernel half_bytes(a: u4[M, 64], b: i4[M, 64], x: f32[M, 64], col: i32[32], out y: bf16[M, 64], out z: i32[M, 32], out v: i8[M, 64],
    out w: i32[M, 64], out p: i4[M, 64], out q: u4[M, 64])
where 1 <= M <= 1000000, all(0 <= col), all(col < 64)
grid tile(i: cdiv(M, 8))
roles { all: warps 2 }
pipeline stream stages 1 from all to all { s: u4[8, 64] }
role all {
  let r = i * 8
  acquire stream
  async.load s <- a[r :+ 8, :] clip 0
  commit stream
  store y[r :+ 8, :] <- cast bf16 (load a[r :+ 8, :] vec 8 clip 3) * 0.5 clip
  store z[r :+ 8, :] <- cast i32 (load b[(r + iota(8))[:, None], (load col[:])[None, :]] clip -1) clip
  store v[r :+ 8, :] <- cast i8 (load b[r :+ 8, :] vec 2 clip 0) clip
  wait stream
  store w[r :+ 8, :] <- cast i32 (load s) + cast i32 (bitcast i4 (load s)) clip
  release stream keep 0
  let t = load x[r :+ 8, :] vec 4 clip 0
  store p[r :+ 8, :] <- cast i4 t sat vec 4 clip
  store q[r :+ 8, :] <- cast u4 (cast i32 t) vec 4 clip
}
