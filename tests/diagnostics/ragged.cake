// What the launch of a ragged axis needs.
target sm_90a
kernel unknown(off: i32[G + 1], out y: i32[G])
where 1 <= G <= 100
grid tile(r: ragged(off, 16)) //~ L312
roles { all: warps 1 }
role all { store y[r.group] <- cast i32 r.rows }

kernel empty(off: i32[G + 1], out y: i32[G])
where 1 <= G <= 100, off[G] == 1000
grid tile(r: ragged(off, 0)) //~ L405
roles { all: warps 1 }
role all { store y[r.group] <- cast i32 r.rows }

kernel clustered(off: i32[G + 1], out y: i32[G])
where 1 <= G <= 100, off[G] == 1000
grid tile(r: ragged(off, 16)) cluster 2 along r //~ U001
roles { all: warps 1 }
role all { store y[r.group] <- cast i32 r.rows }
