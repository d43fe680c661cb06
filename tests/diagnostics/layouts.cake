// Layouts of tiles.
target sm_90a

kernel two_layouts(x: f32[64, 64], out y: f32[64, 64])
where 1 <= 1
grid tile(i: 1)
roles { math: warpgroups 1 }
shared a: bf16[64, 64] swizzle 128
shared b: bf16[64, 64] swizzle 128
role math {
  var acc: f32[64, 64] = 0
  wgmma acc += a * b.T
  wgmma.commit
  wgmma.wait 0
  let r = sum(acc, axis=1) + sum(acc, axis=0) //~ L501
}

kernel uneven(x: f32[100, 64], out y: f32[100, 64])
where 1 <= 1
grid tile(i: 1)
roles { all: warps 1 }
role all {
  let a = load x[0 :+ 100, 0] //~ L502
  let b = load x[0, 0 :+ 33] //~ L502
  let c = load x[0 :+ 3, 0 :+ 64]
}

kernel too_many_registers(x: f32[64, 1024])
where 1 <= 1
grid tile(i: 1)
roles { all: warps 1 }
role all {
  let a = load x[:, :] //~ L502
}

kernel unequal_share(x: f32[64, 64], out y: f32[64, 64])
where 1 <= 1
grid tile(i: 1)
roles { all: warps 4 }
role all {
  var v: f32[64, 64] = load x[:, :]
  var w: f32[64, 16] = 0
  w = v[:, 0 :+ 16] //~ L503
}

kernel vectors(x: f32[64, 64], out y: f32[64, 64])
where 1 <= 1
grid tile(i: 1)
roles { all: warps 4 }
role all {
  let a = load x[:, :] vec 3 //~ L504
  let b = load x[:, :] vec 8 //~ L504
}

kernel short_runs(x: f32[64, 64], out y: f32[64, 64])
where 1 <= 1
grid tile(i: 1)
roles { math: warpgroups 1 }
shared a: bf16[64, 64] swizzle 128
shared b: bf16[64, 64] swizzle 128
role math {
  var acc: f32[64, 64] = 0
  wgmma acc += a * b.T
  wgmma.commit
  wgmma.wait 0
  store y[:, :] <- acc vec 4 //~ L504
}
