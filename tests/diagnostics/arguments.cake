// Values given on the command line.
//~ args -D N=96 -D P=5
target sm_80
kernel outside(x: f32[N], out y: f32[N])
where static N, N in {64, 128} //~ L406
grid tile(i: 1)
roles { all: warps 1 }
role all { store y[0] <- load x[0] }

kernel tuned(x: f32[N], out y: f32[N])
where static N
tune P in {1, 2} = 1 //~ L406
grid tile(i: 1)
roles { all: warps 1 }
role all { store y[0] <- load x[0] }
