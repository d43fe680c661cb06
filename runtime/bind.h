/* Binding: the manifest of a kernel or program with values for its names. Host arithmetic only, no driver.
 *
 *     cake_unit unit;
 *     cake_status status = cake_unit_find(manifest, NULL, &unit);
 *     cake_bound bound;
 *     status = cake_bind(&arena, unit.interface, &request, sm_count, &bound);   // names, contract
 *     cake_tensor_layout layout;
 *     status = cake_bound_tensor(&bound, 0, &layout);                               // extents, strides, bytes
 */
#ifndef CAKE_RUNTIME_BIND_H
#define CAKE_RUNTIME_BIND_H

#include "ir/type.h"
#include "runtime/libcake.h"

typedef struct cake_bound {
    const cake_manifest_interface *interface;
    CAKE_VECTOR(cake_binding) values; /* dimensions, statics, tunables, scalars, sm_count */
    const void **scalars;             /* by the manifest's index; as in the request */
} cake_bound;

/* INVALID for an unknown or missing name, another value of a static, a contract that does not hold. */
CAKE_MUST_USE cake_status cake_bind(cake_arena *arena, const cake_manifest_interface *interface,
                                    const cake_call_request *request, uint32_t sm_count, cake_bound *out_bound);

/* INVALID when a condition does not hold: 'whose' is "the contract of", .. */
CAKE_MUST_USE cake_status cake_bound_check(cake_arena *arena, const cake_bound *bound, const char *whose,
                                           const cake_manifest_condition *conditions, uint32_t count);

/* INVALID when the value does not exist or lies outside low .. high (inclusive); 'what' names it in the message. */
CAKE_MUST_USE cake_status cake_bound_evaluate(const cake_bound *bound, const cake_launch_expr *expr, const char *what,
                                              int64_t low, int64_t high, int64_t *out_value);

typedef struct cake_tensor_layout {
    uint32_t rank;
    int64_t extents[CAKE_MAX_RANK], strides[CAKE_MAX_RANK]; /* elements, outermost first */
    uint64_t bytes;                                         /* from the first element to the end of the last */
} cake_tensor_layout;

typedef struct cake_memory_shape {
    const char *name, *dtype;
    const cake_launch_expr_list *shape, *strides; /* strides null or empty: contiguous */
} cake_memory_shape;

CAKE_MUST_USE cake_status cake_bound_memory(const cake_bound *bound, const cake_memory_shape *memory,
                                            cake_tensor_layout *out_layout);
CAKE_MUST_USE cake_status cake_bound_tensor(const cake_bound *bound, uint32_t tensor, cake_tensor_layout *out_layout);

/* CTAs to launch; 0: none. */
CAKE_MUST_USE cake_status cake_bound_grid(const cake_bound *bound, const cake_manifest_kernel *kernel,
                                          uint32_t *out_grid);

/* What a call is of: a program or a kernel. */
typedef struct cake_unit {
    const cake_manifest_interface *interface;
    const cake_manifest_program *program; /* or */
    const cake_manifest_kernel *kernel;
    uint32_t index; /* in the manifest's list */
} cake_unit;

/* The program or kernel of that name; for null the only program, else the only kernel. INVALID if there is none. */
CAKE_MUST_USE cake_status cake_unit_find(const cake_manifest *manifest, const char *name, cake_unit *out_unit);

/* ---- program.c ---- */

/* Where a program's temporaries lie in one block, and how large that is. */
#define CAKE_TEMPORARY_ALIGNMENT 256
CAKE_MUST_USE cake_status cake_bound_temporary(const cake_bound *bound, const cake_manifest_temporary *temporary,
                                               uint64_t *bytes);

/* a * b and a + b; false on overflow. */
bool cake_size_multiply(uint64_t a, uint64_t b, uint64_t *out_product);
bool cake_size_add(uint64_t a, uint64_t b, uint64_t *out_sum);

#endif
