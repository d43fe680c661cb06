// relayout of narrow, wide and bool tiles in a team of several warps.
target sm_80
kernel relayout_types(a: u8[B, 32, 64], c: f64[B, 16, 64], out x: u8[B, 32, 64], out y: f64[B, 16, 64], out n: i32[B, 32])
where 1 <= B <= 65535
grid tile(b: B)
roles { all: warps 4 }
role all {
  let p = load a[b, :, :] vec 16
  store x[b, :, :] <- relayout p
  let q = load c[b, :, :] vec 2
  store y[b, :, :] <- relayout q
  let odd = relayout (p & 1 == 1)
  store n[b, :] <- cast i32 (sum(select(odd, iota(64)[None, :], 0), axis=1))
}
