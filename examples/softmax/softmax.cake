// y = exp(x - max(x)) / sum(exp(x - max(x))), a row a CTA; bf16, in f32
target sm_80
kernel softmax(x: bf16[M, N], out y: bf16[M, N])
where 1 <= M <= 2147483647, 8 <= N <= 16384, N % 8 == 0, static N
tune WARPS in {2, 4, 8, 16} = 4
grid tile(i: M)
roles { all: warps WARPS }
const W = ceilto(N, WARPS * 256)
role all {
  let v = cast f32 (load x[i, 0 :+ W] vec 8 clip -inf)
  let m = max(v)      // finite: N >= 8 and inputs are finite
  let e = exp(v - m)  // exp(-inf) is 0, neutral for the sum
  let r = rcp(sum(e))
  store y[i, 0 :+ W] <- cast bf16 (e * r) vec 8 clip
}
