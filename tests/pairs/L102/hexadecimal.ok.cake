target sm_80
// open addressing: each lane inserts its key, an empty slot holds -1
let mix(v) = (v ^ v >> 32) * 0x9E3779B97F4A7C15
kernel insert(keys: i64[N], inout table: i64[C], inout dropped: i32[1])
where 1 <= N <= 2147483647, 256 <= C <= 1073741824, ispow2(C)
grid tile(b: cdiv(N, 256))
roles { all: warps 8 }
role all(w) {
  let at = b * 256 + w * 32 + iota(32)
  let key = load keys[at] clip -1
  var slot = cast i32 (mix(bitcast u64 key) >> 32 & (C - 1))
  var todo = at < N
  while any(todo) max 4096 {
    let old = atomic.cas table[slot] <- -1, key where todo
    todo = todo & (old != -1) & (old != key)
    slot = (slot + 1) & (C - 1)
  }
  if any(todo) { atomic.add dropped[0] <- count(todo) }
}
