// What the target has.
target sm_90a

kernel much_memory(x: f32[64]) //~ H201
where 1 <= 1
grid tile(i: 1)
roles { all: warps 1 }
shared s: f32[65536]
role all { }

kernel much_memory_for_two(x: f32[64]) //~ H201
where 1 <= 1
grid persistent 2 tile(i: 1)
roles { all: warps 1 }
shared s: f32[32768]
role all { }

kernel small_other(x: f32[64])
where 1 <= 1
grid tile(i: 1)
roles { all: warps 1 }
shared s: f32[64]
shared t: f32[65] over s //~ H201
role all { }

kernel barriers(x: f32[64]) //~ H202
where 1 <= 1
grid tile(i: 1)
roles { a: warps 2; b: warps 16 }
baton t over b
role a { sync team; bulk.wait 7 }
role b(w) { take t; pass t }

kernel odd_budget(x: f32[64])
where 1 <= 1
grid tile(i: 1)
roles { a: warpgroups 1 regs 41 } //~ H203
role a { }

kernel budget_of_warps(x: f32[64])
where 1 <= 1
grid tile(i: 1)
roles { a: warps 4 regs 40 } //~ H203
role a { }

kernel large_budgets(x: f32[64])
where 1 <= 1
grid tile(i: 1)
roles { a: warpgroups 1 regs 240; b: warpgroups 2 regs 240 } //~ H203
role a { }
role b { }

kernel copies(a: bf16[M, K], s1: bf16[M, K] strides [K, 2], s6: f32[4, 4, 4, 4, 4, 64])
where 8 <= M <= 1000, 8 <= K <= 1000, K % 8 == 0
grid tile(i: 1)
roles { load: warps 1; math: warps 1 }
pipeline p stages 1 from load to math {
  wide: bf16[64, 512]
  short: bf16[4, 12]
  panel: bf16[64, 64] swizzle 128
  line: f32[64]
}
role load {
  acquire p
  tma.load wide <- a[0, 0] //~ H204
  tma.load short <- a[0, 0] //~ H204
  tma.load panel <- s1[0, 0] //~ H204
  tma.load panel[:, 0 :+ 32] <- a[0 :+ 64, 0 :+ 32] //~ H204
  tma.load line <- s6[0, 0, 0, 0, 0, 0] //~ H204
  commit p
}
role math { wait p; release p keep 0 }

kernel products(x: f32[64])
where 1 <= 1
grid tile(i: 1)
roles { math: warpgroups 1; small: warps 1 }
shared a: bf16[64, 64] swizzle 128
shared b: bf16[64, 64] swizzle 128
shared c: bf16[96, 64] swizzle 128
shared d: bf16[512, 64] swizzle 128
shared plain: bf16[64, 64]
role math {
  var acc: f32[64, 64] = 0
  var tall: f32[96, 64] = 0
  var wide: f32[64, 512] = 0
  wgmma acc += plain * b.T //~ H205
  wgmma tall += c * b.T //~ H205
  wgmma wide += a * d.T //~ H205
  wgmma acc += a[:, 0 :+ 8] * b[:, 0 :+ 8].T //~ H205
}
role small {
  var acc: f32[64, 64] = 0
  wgmma acc += a * b.T //~ H205
}

kernel swizzles(x: f32[64])
where 1 <= 1
grid tile(i: 1)
roles { all: warps 1 }
shared a: bf16[64, 64] swizzle 48 //~ H206
shared b: bf16[64, 32] swizzle 128 //~ H206
shared c: bf16[60, 64] swizzle 128 //~ H206
shared d: bf16[64, 96] swizzle 128 //~ H206
shared e: bf16[64, 64] swizzle 128 pad 8 //~ H206
shared f: u4[64, 63] //~ H206
role all { }

kernel many_threads(x: f32[64]) //~ H207
where 1 <= 1
grid tile(i: 1)
roles { a: warps 16; b: warps 16; c: warps 8 }
role a { }
role b { }
role c { }

kernel large_role(x: f32[64])
where 1 <= 1
grid tile(i: 1)
roles { a: warpgroups 9; b: warps 0 } //~ H207 H207
role a { }
role b { }

kernel slots(a: f32[M])
where 1 <= M <= 1000
grid tile(i: 1)
roles { load: warps 1; math: warps 1; third: warps 1 }
pipeline p stages 2 from load to math, third { s: f32[64] }
role load { acquire p; tma.load s <- a[0]; commit p }
role math {
  let early = load s //~ H208
  wait p
  release p keep 0
}
role third { wait p; release p keep 0 }

kernel slot_at_end(a: f32[M])
where 1 <= M <= 1000
grid tile(i: 1)
roles { load: warps 1; math: warps 1 }
pipeline p stages 2 from load to math { s: f32[64] }
role load { acquire p; tma.load s <- a[0]; commit p }
role math { wait p } //~ H208

kernel keeps_all(a: f32[M])
where 1 <= M <= 1000
grid tile(i: 1)
roles { load: warps 1; math: warps 1 }
pipeline p stages 2 from load to math { s: f32[64] }
role load { acquire p; tma.load s <- a[0]; commit p }
role math {
  wait p
  release p keep 2 //~ H208
}
