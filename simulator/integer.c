/* Integers, exact ones and bools. Typed integers wrap; '/' and '%' round down, and their divisor is positive. */
#include "simulator/number.h"

/* ---- bits ---- */

static bool is_power_of_two(int64_t value, uint32_t *out_log2) {
    uint32_t log2 = 0;
    if (value <= 0 || (value & (value - 1)) != 0) return false;
    while (value >> log2 != 1)
        log2++;
    *out_log2 = log2;
    return true;
}

static inline uint32_t count_ones(uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    return (uint32_t)(((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
}

/* All bits below the highest one. */
static inline uint64_t smear(uint64_t bits) {
    for (uint32_t step = 1; step < 64; step *= 2)
        bits |= bits >> step;
    return bits;
}

/* ---- by type ---- */

#define TYPE     int8_t
#define UNSIGNED uint8_t
#define WIDE     uint32_t
#define SIGNED   1
#define NAME(x)  x##_i8
#include "simulator/integer_kernels.h"

#define TYPE     int16_t
#define UNSIGNED uint16_t
#define WIDE     uint32_t
#define SIGNED   1
#define NAME(x)  x##_i16
#include "simulator/integer_kernels.h"

#define TYPE     int32_t
#define UNSIGNED uint32_t
#define WIDE     uint32_t
#define SIGNED   1
#define NAME(x)  x##_i32
#include "simulator/integer_kernels.h"

#define TYPE     int64_t
#define UNSIGNED uint64_t
#define WIDE     uint64_t
#define SIGNED   1
#define NAME(x)  x##_i64
#include "simulator/integer_kernels.h"

#define TYPE     uint8_t
#define UNSIGNED uint8_t
#define WIDE     uint32_t
#define SIGNED   0
#define NAME(x)  x##_u8
#include "simulator/integer_kernels.h"

#define TYPE     uint16_t
#define UNSIGNED uint16_t
#define WIDE     uint32_t
#define SIGNED   0
#define NAME(x)  x##_u16
#include "simulator/integer_kernels.h"

#define TYPE     uint32_t
#define UNSIGNED uint32_t
#define WIDE     uint32_t
#define SIGNED   0
#define NAME(x)  x##_u32
#include "simulator/integer_kernels.h"

#define TYPE     uint64_t
#define UNSIGNED uint64_t
#define WIDE     uint64_t
#define SIGNED   0
#define NAME(x)  x##_u64
#include "simulator/integer_kernels.h"

typedef struct integer_kernels {
    bool (*binary)(cake_binary_op op, uint32_t bits, const cake_sim_strip *strip);
    void (*unary)(cake_unary_op op, const cake_sim_strip *strip);
    void (*call)(cake_builtin function, const cake_sim_strip *strip);
} integer_kernels;

/* By whether there is a sign, and log2 of the bytes. */
static const integer_kernels kernels[2][4] = {
    {{binary_u8, unary_u8, call_u8},
     {binary_u16, unary_u16, call_u16},
     {binary_u32, unary_u32, call_u32},
     {binary_u64, unary_u64, call_u64}},
    {{binary_i8, unary_i8, call_i8},
     {binary_i16, unary_i16, call_i16},
     {binary_i32, unary_i32, call_i32},
     {binary_i64, unary_i64, call_i64}},
};

static const integer_kernels *kernels_of(cake_dtype dtype) {
    uint32_t bytes = cake_sim_element_bytes(dtype), size = 0;
    cake_dtype_class class_ = cake_dtype_class_of(dtype);
    while (1u << size < bytes)
        size++;
    return &kernels[class_ == CAKE_CLASS_SIGNED || class_ == CAKE_CLASS_INDEX][size];
}

void cake_sim_normalise(cake_dtype dtype, void *elements, uint32_t count) {
    uint8_t *bytes = elements;
    if (dtype == CAKE_DTYPE_BOOL)
        for (uint32_t i = 0; i < count; i++)
            bytes[i] = bytes[i] != 0;
    else if (dtype == CAKE_DTYPE_U4)
        for (uint32_t i = 0; i < count; i++)
            bytes[i] &= 15;
    else if (dtype == CAKE_DTYPE_I4)
        for (uint32_t i = 0; i < count; i++)
            bytes[i] = (uint8_t)(((bytes[i] & 15) ^ 8) - 8);
}

static bool is_comparison(cake_binary_op op) {
    return cake_binary_level(op) == 0;
}

bool cake_sim_integer_binary(cake_binary_op op, cake_dtype dtype, const cake_sim_strip *strip) {
    bool defined = kernels_of(dtype)->binary(op, cake_dtype_bits(dtype), strip);
    if (!is_comparison(op)) cake_sim_normalise(dtype, strip->out, strip->count);
    return defined;
}

void cake_sim_integer_unary(cake_unary_op op, cake_dtype dtype, const cake_sim_strip *strip) {
    const bool *bools = strip->in[0];
    bool *out = strip->out;
    if (dtype == CAKE_DTYPE_BOOL) {
        for (uint32_t i = 0; i < strip->count; i++)
            out[i] = !bools[i];
        return;
    }
    kernels_of(dtype)->unary(op, strip);
    cake_sim_normalise(dtype, strip->out, strip->count);
}

/* ---- exact integers only ---- */

static bool round_up(bool to_multiple, const cake_sim_strip *strip) {
    const int64_t *a = strip->in[0], *b = strip->in[1];
    int64_t *out = strip->out;
    bool defined = true;
    for (uint32_t i = 0; i < strip->count; i++) {
        bool positive = b[i] > 0;
        int64_t divisor = positive ? b[i] : 1, quotient = a[i] / divisor;
        quotient += quotient * divisor < a[i];
        out[i] = !positive ? 0 : to_multiple ? quotient * divisor : quotient;
        defined = defined && positive;
    }
    return defined;
}

bool cake_sim_integer_call(cake_builtin function, cake_dtype dtype, const cake_sim_strip *strip) {
    const int64_t *a = strip->in[0];
    bool *out = strip->out;
    if (function == CAKE_BUILTIN_CDIV || function == CAKE_BUILTIN_CEILTO)
        return round_up(function == CAKE_BUILTIN_CEILTO, strip);
    if (function == CAKE_BUILTIN_ISPOW2)
        for (uint32_t i = 0; i < strip->count; i++)
            out[i] = a[i] > 0 && (a[i] & (a[i] - 1)) == 0;
    else
        kernels_of(dtype)->call(function, strip);
    return true;
}
