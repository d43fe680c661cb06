// Slices, concat, reshape and relayout: what rotary embeddings do to rows, and a matrix under another shape.
target sm_80
kernel halves(x: f32[M, 128], out y: f32[M, 128], out z: f32[M, 128], out s: f32[M], out r: f32[M, 8, 16])
where 1 <= M <= 1000000
grid tile(i: cdiv(M, 8))
roles { all: warps 1 }
role all {
  let v = load x[i * 8 :+ 8, :] clip 0
  let w = v * 2.0
  store y[i * 8 :+ 8, :] <- concat(-w[:, 64 :+ 64], w[:, 0 :+ 64], axis=1) clip
  let t = relayout v
  store z[i * 8 :+ 8, :] <- t vec 4 clip
  store s[i * 8 :+ 8] <- relayout sum(t, axis=1) clip
  store r[i * 8 :+ 8, :, :] <- reshape(w, 8, 8, 16) clip
}
