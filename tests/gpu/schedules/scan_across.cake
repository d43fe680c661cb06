// Combining in order where lanes lie farther apart than warps, as in a transposed tile: elements move first.
target sm_80
let last(a, b) = select(b != 0, b, a)
let later(a, i, b, k) = (select(b != 0, b, a), select(b != 0, k, i))
kernel scan_across(x: i32[M, 16, 32], out y: i32[M, 512], out z: i32[M], out w: i32[M, 8], out v: i32[M, 2])
where 1 <= M <= 1000000
grid tile(m: M)
roles { all: warps 4 }
role all {
  let t = (load x[m, :, :]).T
  let r = reshape(t, 512)
  store y[m, :] <- scan(last, r)
  store z[m] <- reduce(last, t)
  store w[m, :] <- reduce(last, reshape(t, 8, 64), axis=1)
  let a, i = reduce(later, r, cast i32 (iota(512)))
  store v[m, 0] <- a
  store v[m, 1] <- i
}
