/* Types of values and memory, and the tables behind them. */
#ifndef CAKE_IR_TYPE_H
#define CAKE_IR_TYPE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum cake_dtype {
    CAKE_DTYPE_NONE,
#define CAKE_DTYPE(enumerator, spelling, bits, class, comment) CAKE_DTYPE_##enumerator,
#include "ir/dtypes.def"
#undef CAKE_DTYPE
    CAKE_DTYPE_COUNT
} cake_dtype;

typedef enum cake_dtype_class {
    CAKE_CLASS_NONE,
    CAKE_CLASS_FLOAT,
    CAKE_CLASS_SIGNED,
    CAKE_CLASS_UNSIGNED,
    CAKE_CLASS_BOOL,
    CAKE_CLASS_INDEX,
    CAKE_CLASS_REAL
} cake_dtype_class;

const char *cake_dtype_name(cake_dtype dtype);
/* Bits of one element in memory. */
uint32_t cake_dtype_bits(cake_dtype dtype);
cake_dtype_class cake_dtype_class_of(cake_dtype dtype);
/* e4m3 and e5m2. */
bool cake_dtype_is_byte_float(cake_dtype dtype);
/* The dtype spelled name (written ones only, so not 'index'), or NONE. */
cake_dtype cake_dtype_find(const char *name);

#define CAKE_MAX_RANK 8

/* What an expression denotes, as far as it is known without values for tunables and statics: extents come later (plan).
 */
typedef enum cake_type_kind {
    CAKE_TYPE_ERROR,  /* reported already: be silent about consequences */
    CAKE_TYPE_VALUE,  /* rank 0: scalar, equal in the team; rank > 0: tile in registers */
    CAKE_TYPE_MEMORY, /* a place: tensor, shared buffer, tensor memory, view, or a part of one; rank 0: one element */
    CAKE_TYPE_OBJECT  /* pipeline, signal, baton, role, kernel, function: no value */
} cake_type_kind;

typedef struct cake_type {
    cake_type_kind kind;
    cake_dtype dtype; /* VALUE and MEMORY */
    uint8_t rank;     /* VALUE and MEMORY; 0 .. CAKE_MAX_RANK */
} cake_type;

#define CAKE_FEATURE_ASYNC_PROXY 1u
#define CAKE_FEATURE_CLUSTER     2u
#define CAKE_FEATURE_WGMMA       4u
#define CAKE_FEATURE_SETMAXNREG  8u
#define CAKE_FEATURE_TCGEN05     16u
#define CAKE_FEATURE_BYTE_FLOATS 32u

typedef enum cake_target {
    CAKE_TARGET_NONE,
#define CAKE_TARGET(enumerator, spelling, ptx, per_cta, per_sm, threads, ctas, features) CAKE_TARGET_##enumerator,
#include "ir/targets.def"
#undef CAKE_TARGET
    CAKE_TARGET_COUNT
} cake_target;

/* Limits that all targets share, as constants: CAKE_LIMIT_THREADS_PER_CTA. */
typedef enum cake_limit {
#define CAKE_LIMIT(enumerator, value) CAKE_LIMIT_##enumerator = (value),
#include "ir/targets.def"
#undef CAKE_LIMIT
} cake_limit;

typedef struct cake_target_info {
    const char *name;
    uint32_t ptx_version;                   /* times ten */
    uint32_t shared_per_cta, shared_per_sm; /* bytes */
    uint32_t threads_per_sm, ctas_per_sm;
    uint32_t features;
} cake_target_info;

const cake_target_info *cake_target_info_of(cake_target target);
cake_target cake_target_find(const char *name);

#endif
