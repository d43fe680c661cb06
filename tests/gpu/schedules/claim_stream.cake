// One team of several warps takes blocks from a counter; uneven work: row i has i % 7 + 1 rounds.
target sm_80
kernel claim_stream(x: i32[M, N], out y: i32[M, N], inout ticket: u32[1])
where 1 <= M <= 1000000, 4 <= N <= 8192, N % 4 == 0, static N, all(ticket == 0)
grid persistent 2 tile(i: M) order reverse(i) claim ticket
roles { all: warps 8 }
const W = ceilto(N, 1024)
role all {
  for tile (i) {
    var v = load x[i, 0 :+ W] vec 4 clip 0
    for r in 0 .. i % 7 + 1 { v = v * 3 + 1 }
    store y[i, 0 :+ W] <- v vec 4 clip
  }
}
