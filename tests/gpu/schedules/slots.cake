// Slots that a role fills by stores and two other roles read; an older slot beside the newest; narrow swizzles; reuse of memory.
target sm_90a
kernel slots(x: f16[M, 128], w: f16[M, 16], out left: f16[M, 128], out right: f32[M], out steps: f16[M, 128],
    out narrow: f16[M, 16], out again: f16[M, 16])
where 1 <= M <= 1048576, deterministic
grid tile(b: cdiv(M, 64))
roles {
  fill: warps 4
  copy: warps 1
  sums: warps 4
}
pipeline p stages 3 from fill to copy, sums { s: f16[8, 128] align 256 }
shared narrow_in: f16[64, 16] swizzle 32
shared narrow_out: f16[64, 16] swizzle 32 align 1024
shared late: f16[64, 16] over narrow_in

role fill {
  for i in 0 .. 8 {
    acquire p
    store s <- load x[b * 64 + i * 8 :+ 8, :] vec 8 clip 0
    commit p
  }
  sync cta
}
role copy {
  for i in 0 .. 8 {
    wait p
    store left[b * 64 + i * 8 :+ 8, :] <- (load s vec 8) clip
    release p keep 0
  }
  sync cta
}
role sums {
  store narrow_in <- load w[b * 64 :+ 64, :] vec 8 clip 0
  sync team
  store narrow_out <- load narrow_in
  fence async
  sync team
  tma.store narrow[b * 64, 0] <- narrow_out
  bulk.commit
  store late <- load w[b * 64 :+ 64, :] vec 8 clip 0
  sync team
  store again[b * 64 :+ 64, :] <- (load late vec 8) clip
  wait p
  let first = load s vec 8
  store right[b * 64 :+ 8] <- sum(cast f32 first, axis=1) clip
  store steps[b * 64 :+ 8, :] <- first clip
  for i in 1 .. 8 {
    wait p
    let v = load s vec 8
    store right[b * 64 + i * 8 :+ 8] <- sum(cast f32 v, axis=1) clip
    store steps[b * 64 + i * 8 :+ 8, :] <- v - (load s@1 vec 8) clip
    release p keep 1
  }
  release p keep 0
  bulk.wait 0
  sync cta
}
