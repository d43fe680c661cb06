target sm_80
// clears the counters of a histogram
kernel clear(out counts: u32[256])
roles { all: warps 8 }
role all { store counts[:] <- 0 }
