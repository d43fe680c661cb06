/* Binding: a kernel's manifest with values for its names. Host arithmetic only, no driver.
 *
 *     cake_bound bound;
 *     cake_status status = cake_bind(&arena, kernel, &request, sm_count, &bound);   // names, contract
 *     cake_tensor_layout layout;
 *     status = cake_bound_tensor(&bound, 0, &layout);                               // extents, strides, bytes
 */
#ifndef CAKE_RUNTIME_BIND_H
#define CAKE_RUNTIME_BIND_H

#include "ir/type.h"
#include "runtime/libcake.h"

typedef struct cake_bound {
    const cake_manifest_kernel *kernel;
    CAKE_VECTOR(cake_binding) values; /* dimensions, statics, tunables, integer scalars, sm_count */
    const void **scalars;             /* by the manifest's index; as in the request */
} cake_bound;

/* INVALID for an unknown or missing name, another value of a static, a contract that does not hold. */
CAKE_MUST_USE cake_status cake_bind(cake_arena *arena, const cake_manifest_kernel *kernel,
                                    const cake_call_request *request, uint32_t sm_count, cake_bound *out_bound);

/* INVALID when the value does not exist or lies outside low .. high (inclusive); 'what' names it in the message. */
CAKE_MUST_USE cake_status cake_bound_evaluate(const cake_bound *bound, const cake_launch_expr *expr, const char *what,
                                              int64_t low, int64_t high, int64_t *out_value);

typedef struct cake_tensor_layout {
    uint32_t rank;
    int64_t extents[CAKE_MAX_RANK], strides[CAKE_MAX_RANK]; /* elements, outermost first */
    uint64_t bytes;                                         /* from the first element to the end of the last */
} cake_tensor_layout;

CAKE_MUST_USE cake_status cake_bound_tensor(const cake_bound *bound, uint32_t tensor, cake_tensor_layout *out_layout);

/* CTAs to launch; 0: none. */
CAKE_MUST_USE cake_status cake_bound_grid(const cake_bound *bound, uint32_t *out_grid);

/* The kernel of that name, or the only one for null. INVALID if there is none. */
CAKE_MUST_USE cake_status cake_manifest_kernel_find(const cake_manifest *manifest, const char *name,
                                                    uint32_t *out_index);

/* a * b and a + b; false on overflow. */
bool cake_size_multiply(uint64_t a, uint64_t b, uint64_t *out_product);
bool cake_size_add(uint64_t a, uint64_t b, uint64_t *out_sum);

#endif
