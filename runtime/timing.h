/* Timing: how long launches of a kernel take on the device.
 *
 * Warm times are of launches back to back, over several sets of tensors in turn, so that no launch finds its data in L2
 * because the one before left it there; the launches are captured in a CUDA graph, which hides the host's part. A set
 * may hold tensors to be put back before each launch (what the kernel changes in place); then, and when L2 is flushed
 * for cold times, each launch is measured by itself, and the work before it hides the host's part.
 */
#ifndef CAKE_RUNTIME_TIMING_H
#define CAKE_RUNTIME_TIMING_H

#include "runtime/libcake.h"

typedef struct cake_timing_restore {
    cake_address to, from;
    uint64_t bytes;
} cake_timing_restore;

typedef struct cake_timing_set {
    const cake_call *call;
    const cake_timing_restore *restores; /* done before each launch, not timed */
    uint32_t restore_count;
} cake_timing_set;

typedef struct cake_timing_request {
    const cake_timing_set *sets;
    uint32_t set_count;           /* at least 1 */
    uint32_t reps;                /* times to take */
    bool cold;                    /* flush L2 before each launch */
    void (*alive)(void *context); /* called whenever the device has answered; may be null */
    void *alive_context;
} cake_timing_request;

/* Fills out_microseconds[0 .. reps) with times of one launch each (of the mean of a graph's launches when warm). */
CAKE_MUST_USE cake_status cake_timing_measure(const cake_device *device, const cake_timing_request *request,
                                              double *out_microseconds);

typedef struct cake_timing_summary {
    double median, p10, p90;
} cake_timing_summary;

/* Sorts the times. count at least 1. */
cake_timing_summary cake_timing_summarise(double *times, uint32_t count);

#endif
