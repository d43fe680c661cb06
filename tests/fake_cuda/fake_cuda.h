/* A stand-in for libcuda.so.1: device memory is host memory, kernels are a few C functions, time is counted, not taken.
 *
 * Kernels by the name of their entry point; arguments in this order:
 *   copy(x, y, N)     y[i] = x[i] for N floats            overrun(x, y, N)  copy, and one float behind the end of y
 *   skip(x, y, N)     copy all but the last element       wrong(x, y, N)    copy, with y[0] replaced by 2 x[0] + 1
 *   hang(...)         waiting for it never ends           crash(...)        ends the process by a signal
 *   fault(...)        later calls answer 700, illegal address
 * A launch takes 10 microseconds of the counted time, filling and copying memory 5.
 *
 * Environment, read at each call: FAKE_CUDA_FAIL=SYMBOL:RESULT makes that function answer RESULT; FAKE_CUDA_ARCH=80 is
 * the compute capability (default 90); FAKE_CUDA_VERSION the driver's version (13000); FAKE_CUDA_NAME the device's
 * name.
 */
#ifndef CAKE_TESTS_FAKE_CUDA_H
#define CAKE_TESTS_FAKE_CUDA_H

#include "runtime/cuda.h"

#define CAKE_CUDA_ENTRY(member, symbol, parameters) int symbol parameters;
#include "runtime/cuda_entry_points.def"
#undef CAKE_CUDA_ENTRY

/* What was launched and encoded since the last call, one line each, at most some kilobytes. */
const char *fake_cuda_take_log(void);

/* Allocations, streams, events, graphs, modules and contexts that were made and not yet given back. */
int fake_cuda_live(void);

#endif
