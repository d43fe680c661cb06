/* How fast a launch can be at most on a device, by its work alone: a roofline. Internal to driver/. */
#ifndef CAKE_DRIVER_CEILING_H
#define CAKE_DRIVER_CEILING_H

#include "oracle/oracle.h"

typedef struct cake_ceiling {
    const char *bound; /* "memory" or "compute": what takes longer */
    double us;         /* no launch is shorter */
} cake_ceiling;

/* From the peaks of the device of that name (device_peaks.def): the bytes at the bandwidth of its memory; the flops at
 * the rate of its tensor cores for the fastest of the dtypes that the workload reads (f32 as tf32). Without a case, or
 * where none of its dtypes is one of the tensor cores', bytes alone count. False for another device, or no work. */
bool cake_ceiling_find(const char *device, const cake_case *one, double flops, double bytes, cake_ceiling *out_ceiling);

#endif
