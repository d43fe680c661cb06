/* Launches of single kernels: what calls are made of. Internal to runtime/. */
#ifndef CAKE_RUNTIME_LAUNCH_H
#define CAKE_RUNTIME_LAUNCH_H

#include "runtime/bind.h"
#include "runtime/image.h"

/* A kernel with its arguments; it must not move, since the configuration points into it. */
typedef struct cake_launch {
    cake_cuda_function function;
    cake_cuda_launch_config config; /* without a stream */
    cake_cuda_launch_attribute attributes[2];
    void **arguments; /* one pointer per parameter of the entry point */
} cake_launch;

/* Checks names, contract, sizes and alignments, encodes tensor maps and lays out arguments in the arena. 'overlap': it
 * may start before the launch before it has ended. */
CAKE_MUST_USE cake_status cake_launch_prepare(cake_arena *arena, const cake_image *image, uint32_t kernel,
                                              const cake_call_request *request, bool overlap, cake_launch *out_launch);

typedef struct cake_tensor_place {
    const cake_tensor_argument *argument;
    uint64_t bytes;
} cake_tensor_place;

/* Finds the memory of each tensor of the bound interface and checks that it may be there. */
CAKE_MUST_USE cake_status cake_place_tensors(const cake_bound *bound, const cake_call_request *request,
                                             cake_tensor_place *out_places);

#endif
