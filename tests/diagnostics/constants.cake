// What must be known when compiling.
target sm_80

kernel unknown(x: f32[M, N], out y: f32[M, N])
where 1 <= M <= 100, 1 <= N <= 100
grid tile(i: M)
roles { all: warps 1 }
role all {
  var t: f32[M] = 0 //~ L403
  let b = load x[i, 0 :+ N] //~ L403
  let c = iota(M) //~ L403
}

kernel unknown_role(x: f32[M])
where 1 <= M <= 100
grid tile(i: M)
roles { all: warps M } //~ L403
role all { }

kernel unknown_buffer(x: f32[M])
where 1 <= M <= 100
grid tile(i: M)
roles { all: warps 1 }
shared s: f32[M] //~ L403
role all { }
