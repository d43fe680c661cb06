// y[i] = sum over j of x[i, j], a row a warp, eight rows a CTA; the loop bounds registers for any N
target sm_80
kernel rowsum(x: bf16[M, N], out y: f32[M])
where 1 <= M <= 2147483647, 8 <= N <= 1048576, N % 8 == 0
grid tile(b: cdiv(M, 8))
roles { all: warps 8 }

role all(w) {
  let i = b * 8 + w
  var part: f32[1024] = 0
  for j in 0 .. cdiv(N, 1024) {
    part += cast f32 (load x[i, j * 1024 :+ 1024] vec 8 clip 0)
  }
  let s = sum(part)
  if i < M { store y[i] <- s }
}
