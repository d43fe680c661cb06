// Roles of the cluster's first CTA alone, and the pipelines that join them to others.
target sm_90a
kernel reads_what_all_fill(x: f32[M, 64])
where 1 <= M <= 1000000
grid tile(i: M) cluster 2 along i
roles { one: warps 1 leader; all: warps 1 }
pipeline p stages 1 from all to one { s: f32[16, 64] } //~ U001
role one { wait p; release p keep 0; sync cluster }
role all { acquire p; tma.load s <- x[i, 0]; commit p; sync cluster }

kernel fills_its_own(x: f32[M, 64])
where 1 <= M <= 1000000
grid tile(i: M) cluster 2 along i
roles { one: warps 1 leader; all: warps 1 }
pipeline p stages 1 from one to all { s: f32[16, 64] }
role one { acquire p; tma.load s <- x[i, 0]; commit p; sync cluster } //~ H208
role all { wait p; release p keep 0; sync cluster }

kernel stores_its_own(x: f32[M, 64])
where 1 <= M <= 1000000
grid tile(i: M) cluster 2 along i
roles { one: warps 1 leader; all: warps 1 }
pipeline p stages 1 from one to all { s: f32[16, 64] } //~ H208
role one { acquire p; store s <- 0; commit p; sync cluster }
role all { wait p; release p keep 0; sync cluster }

kernel fills_what_nobody_reads(x: f32[M, 64])
where 1 <= M <= 1000000
grid tile(i: M) cluster 2 along i
roles { one: warps 1 leader; two: warps 1 leader }
pipeline p stages 1 from one to two { s: f32[16, 64] }
role one { acquire p; tma.load s <- x[i, 0] multicast; commit p; sync cluster } //~ H208
role two { wait p; release p keep 0; sync cluster }
