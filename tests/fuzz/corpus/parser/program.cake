target sm_80
kernel f(a: f32[N])
grid tile(i: N)
roles { role: warps 1 }
role role { sync team
}
program p(a: f32[N], out b: f32[N])
where N > 0 { temp t: f32[N]; fill t <- 0
  run f(a)
  run f(t) overlap }
