target sm_80
// the largest element of each row and where it stands
let best(a, p, b, q) = (max(a, b), select(b > a, q, p))
kernel argmax_rows(x: f32[M, 1024], out value: f32[M], out at: i32[M])
where 1 <= M <= 1048576
grid tile(i: M)
roles { all: warps 4 }
role all {
  let v = load x[i, :] vec 4
  let top = reduce(best, v, cast i32 iota(1024))
}
