/* Floats. f32 and f64 compute as the machine does; 16-bit floats in binary64, whose result is rounded once more: with
 * 53 bits that never shows for + - * / and sqrt (Figueroa, 'When is double rounding innocuous?'). Functions are those
 * of the C library on binary64, and so within 0.51 ulp. */
#include "simulator/number.h"

#include <math.h>
#include <string.h>

#define TYPE    float
#define BITS    uint32_t
#define NAME(x) x##_f32
#include "simulator/float_kernels.h"

#define TYPE    double
#define BITS    uint64_t
#define NAME(x) x##_f64
#include "simulator/float_kernels.h"

static bool is_single(cake_dtype dtype) {
    return cake_sim_element_bytes(dtype) == 4;
}

static bool is_comparison(cake_binary_op op) {
    return cake_binary_level(op) == 0;
}

/* ---- operators ---- */

/* The strip's operands as binary64, and room for a result. */
typedef struct wide_strip {
    cake_sim_strip strip;
    double in[3][CAKE_SIM_STRIP], out[CAKE_SIM_STRIP];
} wide_strip;

static void widen(cake_dtype dtype, const cake_sim_strip *strip, uint32_t operands, wide_strip *out_wide) {
    out_wide->strip = *strip;
    out_wide->strip.out = out_wide->out;
    for (uint32_t k = 0; k < operands; k++) {
        out_wide->strip.in[k] = out_wide->in[k];
        cake_sim_widen_double(dtype, strip->in[k], out_wide->in[k], strip->count);
    }
}

static void narrow(cake_dtype dtype, const wide_strip *wide, const cake_sim_strip *strip) {
    cake_sim_narrow_double(dtype, CAKE_ROUND_NEAREST_EVEN, wide->out, strip->out, strip->count);
}

void cake_sim_float_binary(cake_binary_op op, cake_dtype dtype, const cake_sim_strip *strip) {
    wide_strip wide;
    if (is_single(dtype) && is_comparison(op)) {
        compare_f32(op, strip);
    } else if (is_single(dtype)) {
        binary_f32(op, strip);
    } else if (is_comparison(op)) {
        widen(dtype, strip, 2, &wide);
        wide.strip.out = strip->out;
        compare_f64(op, &wide.strip);
    } else if (dtype == CAKE_DTYPE_F64) {
        binary_f64(op, strip);
    } else {
        widen(dtype, strip, 2, &wide);
        binary_f64(op, &wide.strip);
        narrow(dtype, &wide, strip);
    }
}

/* The sign changed, or cleared. */
static void set_signs(cake_dtype dtype, bool change, const cake_sim_strip *strip) {
    uint32_t bytes = cake_sim_element_bytes(dtype);
    const uint16_t *a16 = strip->in[0];
    const uint32_t *a32 = strip->in[0];
    const uint64_t *a64 = strip->in[0];
    uint16_t *out16 = strip->out;
    uint32_t *out32 = strip->out;
    uint64_t *out64 = strip->out, top = (uint64_t)1 << (8 * bytes - 1), flip = change ? top : 0;
    uint64_t keep = change ? UINT64_MAX : ~top;
    if (bytes == 2)
        for (uint32_t i = 0; i < strip->count; i++)
            out16[i] = (uint16_t)((a16[i] & keep) ^ flip);
    else if (bytes == 4)
        for (uint32_t i = 0; i < strip->count; i++)
            out32[i] = (a32[i] & (uint32_t)keep) ^ (uint32_t)flip;
    else
        for (uint32_t i = 0; i < strip->count; i++)
            out64[i] = (a64[i] & keep) ^ flip;
}

void cake_sim_float_negate(cake_dtype dtype, const cake_sim_strip *strip) {
    CAKE_ASSERT(!cake_dtype_is_byte_float(dtype));
    set_signs(dtype, true, strip);
}

/* ---- fused multiply-add ---- */

/* 'product' is exact. The sum is rounded to odd: its error, which a sum of binary64 gives exactly (Knuth's TwoSum),
 * decides the last bit. */
static inline double add_to_odd(double product, double addend) {
    double sum = product + addend, rest = sum - product;
    double error = (product - (sum - rest)) + (addend - rest);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    bool lost = fabs(error) > 0, outwards = (error > 0) == (sum > 0);
    bits += lost && !(bits & 1) ? (outwards ? 1 : UINT64_MAX) : 0;
    memcpy(&sum, &bits, sizeof sum);
    return sum;
}

static void fused(cake_dtype dtype, wide_strip *wide) {
    const double *a = wide->in[0], *b = wide->in[1], *c = wide->in[2];
    uint32_t count = wide->strip.count;
    if (dtype == CAKE_DTYPE_F64)
        for (uint32_t i = 0; i < count; i++)
            wide->out[i] = fma(a[i], b[i], c[i]);
    else
        for (uint32_t i = 0; i < count; i++)
            wide->out[i] = add_to_odd(a[i] * b[i], c[i]);
}

/* ---- functions ---- */

#define FAR_ANGLE 0x1p22 /* from there on sin and cos are not reduced (docs/math.md) */

typedef double real_function(double x);

static double near_sin(double x) {
    return fabs(x) < FAR_ANGLE ? sin(x) : (double)NAN;
}

static double near_cos(double x) {
    return fabs(x) < FAR_ANGLE ? cos(x) : (double)NAN;
}

static double reciprocal_sqrt(double x) {
    return 1 / sqrt(x);
}

static double reciprocal(double x) {
    return 1 / x;
}

static real_function *const functions[CAKE_BUILTIN_END] = {
    [CAKE_BUILTIN_EXP] = exp,        [CAKE_BUILTIN_EXP2] = exp2,    [CAKE_BUILTIN_LOG] = log,
    [CAKE_BUILTIN_LOG2] = log2,      [CAKE_BUILTIN_SQRT] = sqrt,    [CAKE_BUILTIN_RSQRT] = reciprocal_sqrt,
    [CAKE_BUILTIN_RCP] = reciprocal, [CAKE_BUILTIN_TANH] = tanh,    [CAKE_BUILTIN_ERF] = erf,
    [CAKE_BUILTIN_SIN] = near_sin,   [CAKE_BUILTIN_COS] = near_cos, [CAKE_BUILTIN_FLOOR] = floor,
    [CAKE_BUILTIN_CEIL] = ceil,      [CAKE_BUILTIN_ROUND] = rint, /* ties to even, as nobody changes the rounding mode
                                                                   */
};

static real_function *function_of(cake_builtin function, bool approx) {
    if (approx && function == CAKE_BUILTIN_SIN) return sin;
    if (approx && function == CAKE_BUILTIN_COS) return cos;
    CAKE_ASSERT(functions[function] != NULL);
    return functions[function];
}

/* What binary32 holds as a subnormal number becomes a zero of its sign. */
static void flush(double *values, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        values[i] = fabs(values[i]) < 0x1p-126 ? copysign(0, values[i]) : values[i];
}

static void apply(cake_builtin function, uint8_t modifiers, cake_dtype dtype, wide_strip *wide) {
    if (function == CAKE_BUILTIN_FMA) {
        fused(dtype, wide);
        return;
    }
    real_function *f = function_of(function, modifiers & CAKE_MODIFIER_APPROX);
    for (uint32_t i = 0; i < wide->strip.count; i++)
        wide->out[i] = f(wide->in[0][i]);
}

static void min_max(bool largest, bool keep_nan, cake_dtype dtype, const cake_sim_strip *strip) {
    wide_strip wide;
    if (is_single(dtype)) {
        min_max_f32(largest, keep_nan, strip);
        return;
    }
    widen(dtype, strip, 2, &wide);
    min_max_f64(largest, keep_nan, &wide.strip);
    narrow(dtype, &wide, strip);
}

void cake_sim_float_call(cake_builtin function, uint8_t modifiers, cake_dtype dtype, const cake_sim_strip *strip) {
    wide_strip wide;
    if (function == CAKE_BUILTIN_ABS) {
        set_signs(dtype, false, strip);
        return;
    }
    if (function == CAKE_BUILTIN_MIN || function == CAKE_BUILTIN_MAX) {
        min_max(function == CAKE_BUILTIN_MAX, modifiers & CAKE_MODIFIER_NAN, dtype, strip);
        return;
    }
    uint32_t operands = function == CAKE_BUILTIN_FMA ? 3 : 1;
    widen(dtype, strip, operands, &wide);
    for (uint32_t k = 0; k < operands && modifiers & CAKE_MODIFIER_FTZ; k++)
        flush(wide.in[k], strip->count);
    apply(function, modifiers, dtype, &wide);
    if (modifiers & CAKE_MODIFIER_FTZ) flush(wide.out, strip->count);
    narrow(dtype, &wide, strip);
}
