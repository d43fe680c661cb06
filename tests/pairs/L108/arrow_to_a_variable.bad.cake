target sm_80
// places of the elements that pass, by a look-back over the CTAs before
kernel compact(x: i32[N], inout state: u32[B], out at: i32[N])
where 4 <= N <= 1073741824, N % 4 == 0, B == cdiv(N, 1024), all(state == 0)
grid tile(b: B)
roles { all: warps 4 }
let passes(v) = v > 0
role all {
  let v = load x[b * 1024 :+ 1024] vec 4 clip 0
  let inside = scan(cast i32 passes(v))
  var before: i32 = 0
  if b > 0 {
    await state[b - 1] until it != 0 from (b - 1)
    before <- cast i32 (load state[b - 1]) - 1
  }
  sync team
  if true { atomic.store state[b] <- cast u32 (before + max(inside)) + 1 order release }
  store at[b * 1024 :+ 1024] <- inside + before vec 4 clip
}
