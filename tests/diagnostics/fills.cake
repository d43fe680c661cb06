// The bytes of a pipeline's slots, on all ways through the role that fills them.
target sm_90a

kernel unequal(x: f32[M, 64])
where 1 <= M <= 1000
grid tile(m: cdiv(M, 64))
roles { load: warps 1; all: warps 1 }
pipeline p stages 2 from load to all { s: f32[64, 64] }
role load {
  acquire p
  tma.load s[0 :+ 32, :] <- x[m * 64 :+ 32, :]
  commit p
  acquire p
  tma.load s <- x[m * 64, 0]
  commit p //~ H208
}
role all { wait p; release p keep 0; wait p; release p keep 0 }

kernel nothing_first(x: f32[M, 64])
where 1 <= M <= 1000
grid tile(m: cdiv(M, 64))
roles { load: warps 1; all: warps 1 }
pipeline p stages 2 from load to all { s: f32[64, 64] }
role load {
  acquire p
  commit p
  acquire p
  tma.load s <- x[m * 64, 0]
  commit p //~ H208
}
role all { wait p; release p keep 0; wait p; release p keep 0 }

kernel branches(x: f32[M, 64])
where 1 <= M <= 1000
grid tile(m: cdiv(M, 64))
roles { load: warps 1; all: warps 1 }
pipeline p stages 2 from load to all { s: f32[64, 64] }
role load {
  acquire p
  if m > 0 { tma.load s <- x[m * 64, 0] } //~ H208
  commit p
}
role all { wait p; release p keep 0 }

kernel unknown_turns(x: f32[M, 64])
where 1 <= M <= 1000
grid tile(m: cdiv(M, 64))
roles { load: warps 1; all: warps 1 }
pipeline p stages 2 from load to all { s: f32[64, 64] }
role load {
  acquire p
  for j in 0 .. min(m, 4) { tma.load s[j * 16 :+ 16, :] <- x[m * 64 + j * 16 :+ 16, :] } //~ H208
  commit p
}
role all { wait p; release p keep 0 }

kernel turns_that_differ(x: f32[M, 64])
where 1 <= M <= 1000
grid tile(m: cdiv(M, 64))
roles { load: warps 1; all: warps 1 }
pipeline p stages 2 from load to all { s: f32[64, 64] }
role load {
  acquire p
  tma.load s <- x[m * 64, 0]
  for j in 0 .. 3 { //~ H208
    commit p
    acquire p
    tma.load s[0 :+ 32, :] <- x[m * 64 :+ 32, :]
  }
  commit p
}
role all { for j in 0 .. 4 { wait p; release p keep 0 } }
