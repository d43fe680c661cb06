// Well formed, but not lowered.
target sm_100a
kernel tensor_memory(x: f32[64])
where 1 <= 1
grid tile(i: 1)
roles { all: warpgroups 1 }
tmem t: f32[128, 64] //~ U001
role all { }
