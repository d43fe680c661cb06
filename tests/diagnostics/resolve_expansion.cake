// functions that call functions several times grow exponentially
target sm_80
let f1(a) = a + a + a + a
let f2(a) = f1(a) + f1(a) + f1(a) + f1(a)                           //~ L216
let f3(a) = f2(a) + f2(a) + f2(a) + f2(a)
let f4(a) = f3(a) + f3(a) + f3(a) + f3(a)
let f5(a) = f4(a) + f4(a) + f4(a) + f4(a)
let f6(a) = f5(a) + f5(a) + f5(a) + f5(a)
let f7(a) = f6(a) + f6(a) + f6(a) + f6(a)
let g8(a) = f7(a) + f7(a) + f7(a) + f7(a)
let f9(a) = g8(a) + g8(a) + g8(a) + g8(a)
let h1(a) = f9(a) + f9(a) + f9(a) + f9(a)
kernel expansion(n: i32[N])
where 8 <= N <= 4096
grid tile(i: N)
roles { all: warps 1 }
role all { let a = h1(load n[i]) }
