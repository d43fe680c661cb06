// A role of the cluster's first CTA alone: well formed, but not lowered.
target sm_90a
kernel first_alone(x: f32[M], out y: f32[M])
where 1 <= M <= 1000000
grid tile(i: cdiv(M, 128)) cluster 2 along i
roles {
  one: warps 1 leader //~ U001
  all: warps 4
}
role one { }
role all {
  store y[i * 128 :+ 128] <- (load x[i * 128 :+ 128] clip 0) clip
}
