// One report for each root cause, and the reader goes on at the next statement.
target sm_90a
kernel k(a: f32[N], out b: f32[N])
where 1 <= N
grid tile(i: N)
roles { all: warps 8 }
shared s: f32[64] pad 4 pad 8                  //~ L109
pipeline p stages 2 all to all { }             //~ L105
target sm_80                                   //~ L111

role all {
  store b[i] = load a[i]                       //~ L108
  x <- 3                                       //~ L108
  release p                                    //~ L115
  if a < b & c < d { x = 1 }                   //~ L107
  tma.lod s <- a[i]                            //~ L114
  let load = 3                                 //~ L106
  let y = f(1, 2                               //~ L105
  let z = 4 5                                  //~ L105
  break                                        //~ L116
  while x { y = 2 }                            //~ L105
  for i in 0 .. { acquire p; commit }          //~ L105 L105
  store b[i] <- load a[i] vec 4 clip           //~ L109
  let q = a && b                               //~ L116
  let w = a[0:4]                               //~ L105
  sync                                         //~ L105
  shared t: f32[2]                             //~ L111
  let v = 0x                                   //~ L102
  let u = 99999999999999999999                 //~ L103
  let r = $                                    //~ L101
  if x = 3 { }                                 //~ L105
  else { }                                     //~ L105
  let a, b, c = f(x)                           //~ L117
  let n = exp2.fast(x)                         //~ L114
  let o = f32 x                                //~ L106
  let e = -----------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------1
  //~^ L104
}
}                                              //~ L110
roles { all: warps 8 }                         //~ L112

role other {
  if x {
    wait p
}

role last {                                    //~ L110
  let m = (1, 2)                               //~ L117
}
