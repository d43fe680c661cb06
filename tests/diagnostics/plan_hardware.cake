// What the target has not: each kernel asks for one thing too much.
target sm_90a

kernel shared_memory(x: f32[N], out y: f32[N])  //~ H201
where 1 <= N <= 1048576
grid tile(i: N)
roles { all: warps 1 }
shared s: f32[64, 1024]
role all {
  store s[0, 0 :+ 32] <- load x[0 :+ 32] clip 0
}

kernel over_a_smaller(x: f32[N], out y: f32[N])
where 1 <= N <= 1048576
grid tile(i: N)
roles { all: warps 1 }
shared s: f32[32]
shared t: f32[64] over s  //~ H201
role all {
  store t[0 :+ 32] <- load x[0 :+ 32] clip 0
}

kernel barriers(x: f32[N], out y: f32[N])  //~ H202
where 1 <= N <= 1048576
grid tile(i: N)
roles {
  r0: warps 2
  r1: warps 2
  r2: warps 2
  r3: warps 2
  r4: warps 2
  r5: warps 2
  r6: warps 2
  r7: warps 2
  r8: warps 2
  r9: warps 2
  r10: warps 2
  r11: warps 2
  r12: warps 2
  r13: warps 2
  r14: warps 2
  r15: warps 2
}
role r0 { sync team }
role r1 { sync team }
role r2 { sync team }
role r3 { sync team }
role r4 { sync team }
role r5 { sync team }
role r6 { sync team }
role r7 { sync team }
role r8 { sync team }
role r9 { sync team }
role r10 { sync team }
role r11 { sync team }
role r12 { sync team }
role r13 { sync team }
role r14 { sync team }
role r15 { sync team }

kernel budgets(x: f32[N], out y: f32[N])
where 1 <= N <= 1048576
grid tile(i: N)
roles {
  a: warpgroups 1 regs 240  //~ H203
  b: warpgroups 2 regs 240
}
role a { sync team }
role b(w) { sync team }

kernel no_warpgroup(x: f32[N], out y: f32[N])
where 1 <= N <= 1048576
grid tile(i: N)
roles { a: warps 2 regs 240 }  //~ H203
role a { sync team }

kernel threads(x: f32[N], out y: f32[N])  //~ H207
where 1 <= N <= 1048576
grid tile(i: N)
roles {
  a: warps 16
  b: warps 32
}
role a { }
role b { }

kernel atomics(x: u8[N], inout y: u8[N])
where 1 <= N <= 1048576
grid tile(i: cdiv(N, 128))
roles { a: warps 4 }
role a {
  atomic.add y[i * 128 :+ 128] <- load x[i * 128 :+ 128] clip 0  //~ H209
}

kernel matrix(a: bf16[M, K], b: bf16[N, K], out c: f32[M, N])
where 1 <= M <= 1048576, 1 <= N <= 1048576, 8 <= K <= 1048576, K % 8 == 0
grid tile(i: M)
roles { load: warpgroups 1; math: warpgroups 1 }
pipeline ab stages 2 from load to math { sa: bf16[32, 64] swizzle 128; sb: bf16[64, 64] swizzle 128 }
role load {
  acquire ab
  tma.load sa <- a[0, 0]
  tma.load sb <- b[0, 0]
  commit ab
}
role math {
  var acc: f32[32, 64] = 0
  wait ab
  wgmma acc += sa * sb.T  //~ H205
  wgmma.commit
  wgmma.wait 0
  release ab keep 0
  store c[0 :+ 32, 0 :+ 64] <- acc clip
}
