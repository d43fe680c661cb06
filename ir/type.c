#include "ir/type.h"

#include <string.h>

typedef struct dtype_row {
    const char *name;
    uint32_t bits;
    cake_dtype_class class;
} dtype_row;

static const dtype_row dtype_rows[CAKE_DTYPE_COUNT] = {
    [CAKE_DTYPE_NONE] = {"none", 0, CAKE_CLASS_NONE},
#define CAKE_DTYPE(enumerator, spelling, bits, class, comment)                                                         \
    [CAKE_DTYPE_##enumerator] = {spelling, bits, CAKE_CLASS_##class},
#include "ir/dtypes.def"
#undef CAKE_DTYPE
};

static const cake_target_info target_rows[CAKE_TARGET_COUNT] = {
    [CAKE_TARGET_NONE] = {"none", 0, 0, 0, 0, 0, 0},
#define CAKE_TARGET(enumerator, spelling, ptx, per_cta, per_sm, threads, ctas, features)                               \
    [CAKE_TARGET_##enumerator] = {spelling, ptx, per_cta, per_sm, threads, ctas, features},
#include "ir/targets.def"
#undef CAKE_TARGET
};

const char *cake_dtype_name(cake_dtype dtype) {
    return dtype_rows[dtype].name;
}

uint32_t cake_dtype_bits(cake_dtype dtype) {
    return dtype_rows[dtype].bits;
}

cake_dtype_class cake_dtype_class_of(cake_dtype dtype) {
    return dtype_rows[dtype].class;
}

bool cake_dtype_is_byte_float(cake_dtype dtype) {
    return cake_dtype_class_of(dtype) == CAKE_CLASS_FLOAT && cake_dtype_bits(dtype) == 8;
}

cake_dtype cake_dtype_find(const char *name) {
    for (cake_dtype dtype = CAKE_DTYPE_NONE + 1; dtype < CAKE_DTYPE_INDEX; dtype++)
        if (strcmp(dtype_rows[dtype].name, name) == 0) return dtype;
    return CAKE_DTYPE_NONE;
}

const cake_target_info *cake_target_info_of(cake_target target) {
    return &target_rows[target];
}

cake_target cake_target_find(const char *name) {
    for (cake_target target = CAKE_TARGET_NONE + 1; target < CAKE_TARGET_COUNT; target++)
        if (strcmp(target_rows[target].name, name) == 0) return target;
    return CAKE_TARGET_NONE;
}
