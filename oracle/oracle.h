/* The oracle: what a kernel should compute, on which data, and how near is near enough.
 *
 * A workload file (.work; docs/workload.md) names a kernel's tensors, says how inputs are made and gives each output as
 * an expression. A case is a workload with a value for every dimension and a seed: it makes the inputs as bytes in the
 * tensors' own dtypes, and judges the bytes that a kernel wrote. References are evaluated in double, each value beside
 * a bound on the error that arithmetic in f32 may leave in it, which is where a derived tolerance comes from.
 *
 *     cake_workload *workload = cake_workload_parse(&arena, &source, &diagnostics);
 *     if (diagnostics.error_count) ...                                   // print them; the workload is not usable
 *     cake_case_dimension chosen[] = {{"M", 300}};                       // -D M=300
 *     cake_case *one;
 *     cake_status status = cake_case_create(&arena, workload, NULL, chosen, 1, seed, &one);    // first shape
 *     status = cake_case_generate(one);                                  // inputs made, outputs filled with 0xFF
 *     for (uint32_t i = 0; i < one->tensors.count; i++) ...              // data, bytes, name, use: upload, launch
 *     cake_comparison result;
 *     status = cake_case_compare(one, output, downloaded, &result);      // result.mismatches == 0: right
 *
 * Same workload, dimensions and seed: same bytes and same verdict. Outputs with more elements than
 * the reference can work out in about two seconds are judged on a seeded sample that begins with the corners and
 * favours the ends of every axis, and where the norms of their parts stand out; elements that were never written are
 * found everywhere where the dtype has a NaN.
 *
 * A case owns nothing but memory of its arena. Memory for data is asked for once, after its total was checked against
 * the arena's limit: give the case an arena of its own with a limit that fits the machine (CAKE_CASE_ARENA_LIMIT).
 */
#ifndef CAKE_ORACLE_ORACLE_H
#define CAKE_ORACLE_ORACLE_H

#include "ir/type.h"
#include "support/diagnostic.h"
#include "support/intern.h"
#include "support/status.h"

/* A limit for an arena that holds a case: 64 GiB, more than a case that anyone waits for. */
#define CAKE_CASE_ARENA_LIMIT ((size_t)64 << 30)

typedef enum cake_tensor_use {
    CAKE_USE_INPUT,
    CAKE_USE_OUTPUT,
    CAKE_USE_INOUT /* made like an input, may be judged like an output */
} cake_tensor_use;

/* ---- workloads ---- */

typedef struct cake_workload_body cake_workload_body; /* expressions and what was resolved: private to the oracle */

typedef struct cake_workload_tensor {
    cake_name name;
    cake_span span;
    cake_tensor_use use;
    cake_dtype dtype;
    uint32_t rank; /* 0: a scalar parameter */
    bool judged;   /* by its contents: '=' or 'holds' is given */
} cake_workload_tensor;

/* What a workload file says, as far as others need to know. */
typedef struct cake_workload {
    cake_name name;
    cake_name kernel;                          /* kernel or program that it is for */
    CAKE_VECTOR(cake_name) shapes;             /* in the file's order; the first is the default */
    CAKE_VECTOR(cake_name) dimensions;         /* every name that a shape or an extent mentions */
    CAKE_VECTOR(cake_workload_tensor) tensors; /* in the file's order; scalars are tensors of rank 0 */
    CAKE_VECTOR(cake_name) properties;         /* in the file's order */
    cake_workload_body *body;
} cake_workload;

/* Parses and resolves a workload (codes W1xx, and L1xx for tokens and expressions). Never null. The source must outlive
 * it. A workload with errors may be looked at, but no case can be made of it. */
cake_workload *cake_workload_parse(cake_arena *arena, const cake_source *source, cake_diagnostics *diagnostics);

bool cake_workload_has_dimension(const cake_workload *workload, const char *name);

/* The value that the named shape (null: the first) gives a dimension; false where it gives none or there is no such
 * shape. The arena is for scratch. */
bool cake_workload_shape_value(cake_arena *arena, const cake_workload *workload, const char *shape,
                               const char *dimension, int64_t *out_value);

/* ---- cases ---- */

typedef struct cake_case_dimension {
    const char *name;
    int64_t value;
} cake_case_dimension;

/* A tensor of a case: contiguous, row-major; 4-bit elements two in a byte, the lower index in the low half. */
typedef struct cake_case_tensor {
    const char *name;
    cake_tensor_use use;
    cake_dtype dtype;
    bool judged;
    uint32_t rank;
    int64_t extents[CAKE_MAX_RANK];
    uint64_t count; /* elements */
    size_t bytes;   /* (count * bits + 7) / 8 */
    void *data;     /* null before cake_case_generate and for 0 bytes; 16-byte aligned */
} cake_case_tensor;

typedef struct cake_case_private cake_case_private;

typedef struct cake_case {
    const cake_workload *workload;
    const char *shape; /* name of the shape it started from, or null */
    uint64_t seed;
    CAKE_VECTOR(cake_case_dimension) dimensions; /* all of them, in the workload's order */
    CAKE_VECTOR(cake_case_tensor) tensors;       /* in the workload's order */
    double flops;                                /* of the workload's 'flops' line; 0: not said */
    double bytes;                                /* of its 'bytes' line; not said: each tensor once, inout ones twice */
    cake_case_private *hidden;
} cake_case;

/* Chooses the dimensions: those of the named shape (null: the first one), replaced by the given ones. INVALID for an
 * unknown shape or dimension, a dimension without a value or below 0, dimensions outside of the workload's domain,
 * sizes that overflow, an extent below 0, a workload with errors. Makes no data. */
CAKE_MUST_USE cake_status cake_case_create(cake_arena *arena, const cake_workload *workload, const char *shape,
                                           const cake_case_dimension *chosen, uint32_t chosen_count, uint64_t seed,
                                           cake_case **out_case);

/* Makes the data of all tensors: inputs from the seed or their expression, outputs with every byte 0xFF. NO_MEMORY when
 * the arena's limit does not allow it, INVALID when an input's expression reads outside of a tensor or takes too long.
 */
CAKE_MUST_USE cake_status cake_case_generate(cake_case *one);

/* The tensor of that name, or null. */
cake_case_tensor *cake_case_tensor_find(cake_case *one, const char *name);

/* ---- comparison ---- */

/* An element and what is wrong with it. */
typedef struct cake_mismatch {
    uint32_t rank;
    int64_t index[CAKE_MAX_RANK];
    double got, want; /* want: not rounded to the dtype */
    double allowed;   /* |got - want| up to this passes */
} cake_mismatch;

/* Errors over the elements that were checked; 0 where none was. Elements where both are the same infinity or both NaN
 * count as equal; an infinity or NaN on one side only is a mismatch and stays out of max_abs, max_rel and rel_norm. */
typedef struct cake_comparison {
    const char *name;
    uint64_t count;      /* elements of the tensor */
    uint64_t checked;    /* elements with a reference value: all, or the sample */
    uint64_t mismatches; /* among the checked ones, and NaNs elsewhere that no reference explains */
    uint64_t unwritten;  /* of the mismatches: elements that still hold the fill pattern */
    double max_abs;      /* max |got - want| */
    double max_rel;      /* max |got - want| / |want|, over want != 0 */
    double rel_norm;     /* |got - want| / |want| as Euclidean norms */
    double norm;         /* Euclidean norm of what was written, all finite elements */
    double worst;        /* max |got - want| / allowed: how much of the tolerance was used; 1 is all of it */
    bool has_first;
    cake_mismatch first; /* lowest linear index */
} cake_comparison;

/* Judges what a kernel wrote: got has the tensor's bytes. Inputs must be as cake_case_generate made them (an INOUT
 * tensor's reference reads its initial contents in 'data'). tensor: index of a judged one. INVALID when the reference
 * reads outside of a tensor, is too much work even for a sample, or no tolerance can be derived for it; of a tensor
 * that holds values in any order, when these do not fill it. There 'first' is an element too many, and what it wants is
 * the least value that is missing. */
CAKE_MUST_USE cake_status cake_case_compare(cake_case *one, uint32_t tensor, const void *got,
                                            cake_comparison *out_comparison);

/* Judges a property, by its place in workload->properties: an index where it does not hold is a mismatch that got 0 and
 * wants 1. written: by tensor, what the kernel left in it; inputs are not looked at. What the property reads outside of
 * a tensor is NaN, since a wrong output may send it there. INVALID when it is too much work even for a sample. */
CAKE_MUST_USE cake_status cake_case_judge_property(cake_case *one, uint32_t property, const void *const *written,
                                                   cake_comparison *out_comparison);

/* One reference value, of a tensor with an expression, for tests and tools: the value and the error that the derived
 * tolerance allows before rounding to the dtype. */
CAKE_MUST_USE cake_status cake_case_reference(cake_case *one, uint32_t tensor, const int64_t *index, double *out_value,
                                              double *out_error);

#endif
