// Rows of pages through a table: cp.async with gathered rows, and keys beyond the length left out.
target sm_80
kernel paged_rows(k: bf16[P, 16, 64], table: i32[B, 64], len: i32[B], out y: f32[B, 1024, 64])
where 1 <= P <= 1000000, 1 <= B <= 65535, all(0 <= table), all(table < P), all(0 <= len), all(len <= 1024)
grid tile(b: B)
roles { all: warps 4 }
pipeline rows stages 3 from all to all { s: bf16[64, 64] swizzle 128 }
role all {
  let n = load len[b]
  for j in 0 .. 18 {
    if j < 16 {
      let at = j * 64 + iota(64)
      let page = select(at < n, load table[b, at / 16], -1)
      acquire rows
      async.load s <- k[page, at % 16, :] clip 0
      commit rows
    }
    if j >= 2 {
      wait rows
      store y[b, (j - 2) * 64 :+ 64, :] <- cast f32 (load s)
      release rows keep 0
    }
  }
}
