// Teams of three, five and six warps: warps beyond a power of two repeat the tile of those before; and a signal that
// teams of one, three and six warps arrive at.
target sm_80
kernel odd_teams(x: i32[M, 256], out y: i32[M, 256], out z: i32[M, 256], out s: i32[M], out t: i32[M, 256], out u: u32[M], inout n: u32[M])
where 1 <= M <= 1000000
grid tile(m: M)
roles { three: warps 3; one: warps 1; six: warps 6; five: warps 5 }
shared part: i32[3]
shared row: i32[256]
signal done count 3
role three {
  let v = load x[m, :]
  store y[m, :] <- scan(v)
  store row[:] <- v * 2
  store part[0] <- sum(v)
  arrive done
}
role one {
  store part[1] <- m
  arrive done
}
role six {
  let v = load x[m, :] vec 4
  store z[m, :] <- relayout (v * 3)
  store part[2] <- max(v)
  let before = atomic.add n[m] <- 5
  let after = atomic.add n[m] <- 1
  store u[m] <- after - before
  arrive done
}
role five {
  await done
  store s[m] <- load part[0] + load part[1] + load part[2]
  store t[m, :] <- load row[:]
  sync team
}
