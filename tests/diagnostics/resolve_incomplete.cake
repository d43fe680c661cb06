// A kernel without a grid or roles.
target sm_80
kernel no_grid(x: f32[N])  //~ L226
where 1 <= N <= 1024
roles { all: warps 1 }
role all {
}

kernel no_roles(x: f32[N])  //~ L226
where 1 <= N <= 1024
grid tile(i: N)
