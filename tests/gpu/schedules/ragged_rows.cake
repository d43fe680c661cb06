// Rows of groups of any length, empty ones too, with a CTA a block.
target sm_80
kernel ragged_rows(x: f32[T, 32], w: f32[G], off: i32[G + 1], out y: f32[T, 32], out at: i32[T])
where 1 <= T <= 1000000, 1 <= G <= 5000, off[0] == 0, off[G] == T, nondecreasing(off)
grid tile(r: ragged(off, 16), h: 2) order reverse(r)
roles { all: warps 4 }
role all {
  let mine = (iota(16) < r.rows)[:, None]
  let v = load x[r.row :+ 16, h * 16 :+ 16] where mine
  store y[r.row :+ 16, h * 16 :+ 16] <- v * (load w[r.group]) where mine
  if h == 0 { store at[r.row :+ 16] <- cast i32 (iota(16) + r.row - (load off[r.group])) where (iota(16) < r.rows) }
}
