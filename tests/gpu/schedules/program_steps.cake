// A program that runs one kernel three times, with scalars and between filled tensors.
target sm_80
kernel mix(a: f32[M, N], b: f32[N], inout total: f32[M, N], s: f32, k: i32)
where 1 <= M <= 65536, 1 <= N <= 1048576, -1000 <= k <= 1000
grid tile(i: M, j: cdiv(N, 256))
roles { all: warps 4 }
role all {
  let v = load a[i, j * 256 :+ 256] clip 0
  let w = load b[j * 256 :+ 256] clip 0
  let t = load total[i, j * 256 :+ 256] clip 0
  store total[i, j * 256 :+ 256] <- t + v * s + w * cast f32 k clip
}
program program_steps(a: f32[M, N], out y: f32[M, N], out z: f32[M, N], s: f32)
where 1 <= M <= 65536, 1 <= N <= 1048576 {
  temp ones: f32[N]
  temp part: f32[M, N]
  fill ones <- 1
  fill part <- 0.5
  fill y <- 0
  fill z <- -2
  run mix(a, ones, part, s, 3)
  run mix(part, ones, y, 2, -1)
  run mix(a, ones, z, 4, 0)
}
