// Well formed, but not lowered.
target sm_100a
kernel tensor_memory(x: f32[64])
where 1 <= 1
grid tile(i: 1)
roles { all: warpgroups 1 }
tmem t: f32[128, 64] //~ U001
role all { }

kernel functions(x: i32[64], out y: i32[64])
where 1 <= 1
grid tile(i: 1)
roles { all: warps 1 }
role all {
  let a = load x[:]
  let b = scan(a) //~ U001
  let c = topk(a, 4) //~ U001
}
