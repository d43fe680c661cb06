/* Casts, through 64 bits: a float as binary64 or binary32, an integer extended to 64 bits. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "simulator/number.h"

static bool is_signed(cake_dtype dtype) {
    cake_dtype_class class_ = cake_dtype_class_of(dtype);
    return class_ == CAKE_CLASS_SIGNED || class_ == CAKE_CLASS_INDEX;
}

/* ---- integers of 64 bits ---- */

#define EXTEND(type)                                                                                                   \
    for (uint32_t i = 0; i < count; i++)                                                                               \
    out[i] = (uint64_t)((const type *)in)[i]

static void extend(cake_dtype dtype, const void *in, uint64_t *out, uint32_t count) {
    uint32_t bytes = cake_sim_element_bytes(dtype);
    bool sign = is_signed(dtype);
    if (bytes == 8)
        memcpy(out, in, count * sizeof *out);
    else if (bytes == 4 && sign)
        EXTEND(int32_t);
    else if (bytes == 4)
        EXTEND(uint32_t);
    else if (bytes == 2 && sign)
        EXTEND(int16_t);
    else if (bytes == 2)
        EXTEND(uint16_t);
    else if (sign)
        EXTEND(int8_t);
    else
        EXTEND(uint8_t);
}

#define WRAP(type)                                                                                                     \
    for (uint32_t i = 0; i < count; i++)                                                                               \
    ((type *)out)[i] = (type)in[i]

static void wrap(cake_dtype dtype, const uint64_t *in, void *out, uint32_t count) {
    uint32_t bytes = cake_sim_element_bytes(dtype);
    bool *bools = out;
    if (dtype == CAKE_DTYPE_BOOL)
        for (uint32_t i = 0; i < count; i++)
            bools[i] = in[i] != 0;
    else if (bytes == 8)
        memcpy(out, in, count * sizeof *in);
    else if (bytes == 4)
        WRAP(uint32_t);
    else if (bytes == 2)
        WRAP(uint16_t);
    else
        WRAP(uint8_t);
    cake_sim_normalise(dtype, out, count);
}

static uint64_t greatest(cake_dtype dtype) {
    return UINT64_MAX >> (64 - cake_dtype_bits(dtype) + (is_signed(dtype) ? 1 : 0));
}

static void clamp_integers(cake_dtype from, cake_dtype to, uint64_t *values, uint32_t count) {
    uint64_t high = greatest(to);
    int64_t low = is_signed(to) ? -(int64_t)high - 1 : 0;
    for (uint32_t i = 0; i < count; i++) {
        bool below = is_signed(from) && (int64_t)values[i] < low;
        bool natural = !is_signed(from) || (int64_t)values[i] >= 0;
        if (below)
            values[i] = (uint64_t)low;
        else if (natural && values[i] > high)
            values[i] = high;
    }
}

static void integer_to_integer(cake_dtype from, cake_dtype to, bool saturate, const cake_sim_strip *strip) {
    uint64_t values[CAKE_SIM_STRIP];
    extend(from, strip->in[0], values, strip->count);
    if (saturate && to != CAKE_DTYPE_BOOL) clamp_integers(from, to, values, strip->count);
    wrap(to, values, strip->out, strip->count);
}

/* ---- floats ---- */

static double largest_finite(cake_dtype dtype) {
    if (dtype == CAKE_DTYPE_F64) return DBL_MAX;
    if (dtype == CAKE_DTYPE_TF32) return 0x1.FFCp127;
    if (dtype == CAKE_DTYPE_F16) return 65504;
    if (dtype == CAKE_DTYPE_BF16) return 0x1.FEp127;
    if (dtype == CAKE_DTYPE_E4M3) return 448;
    return dtype == CAKE_DTYPE_E5M2 ? 57344 : FLT_MAX;
}

/* NaN compares false and so stays. */
static void clamp_floats(cake_dtype to, double *values, uint32_t count) {
    double limit = largest_finite(to);
    for (uint32_t i = 0; i < count; i++) {
        double least = values[i] > limit ? limit : values[i];
        values[i] = least < -limit ? -limit : least;
    }
}

static void float_to_float(cake_dtype from, cake_dtype to, bool saturate, cake_rounding rounding,
                           const cake_sim_strip *strip) {
    double doubles[CAKE_SIM_STRIP];
    float floats[CAKE_SIM_STRIP];
    if (!saturate && from != CAKE_DTYPE_F64 && to != CAKE_DTYPE_F64) {
        cake_sim_widen(from, strip->in[0], floats, strip->count);
        cake_sim_narrow(to, rounding, floats, strip->out, strip->count);
        return;
    }
    cake_sim_widen_double(from, strip->in[0], doubles, strip->count);
    if (saturate) clamp_floats(to, doubles, strip->count);
    cake_sim_narrow_double(to, rounding, doubles, strip->out, strip->count);
}

/* Towards zero. With 'sat' to the nearer end, NaN to 0; else what does not fit is not defined. */
static bool float_to_integer(cake_dtype from, cake_dtype to, bool saturate, const cake_sim_strip *strip) {
    double doubles[CAKE_SIM_STRIP];
    uint64_t values[CAKE_SIM_STRIP], high = greatest(to), low = is_signed(to) ? ~high : 0;
    double end = ldexp(1, (int)cake_dtype_bits(to) - (is_signed(to) ? 1 : 0)), begin = is_signed(to) ? -end : 0;
    bool defined = true;
    cake_sim_widen_double(from, strip->in[0], doubles, strip->count);
    for (uint32_t i = 0; i < strip->count; i++) {
        double whole = trunc(doubles[i]);
        bool inside = whole >= begin && whole < end;
        if (inside)
            values[i] = whole < 0 ? (uint64_t)(int64_t)whole : (uint64_t)whole;
        else
            values[i] = !saturate || isnan(whole) ? 0 : whole < 0 ? low : high;
        defined = defined && (inside || saturate);
    }
    wrap(to, values, strip->out, strip->count);
    return defined;
}

static void float_to_bool(cake_dtype from, const cake_sim_strip *strip) {
    double doubles[CAKE_SIM_STRIP];
    bool *out = strip->out;
    cake_sim_widen_double(from, strip->in[0], doubles, strip->count);
    for (uint32_t i = 0; i < strip->count; i++)
        out[i] = doubles[i] != 0;
}

/* ---- integer to float ---- */

/* Bits of a magnitude that binary64 has no room for. */
static uint32_t excess(uint64_t magnitude) {
    uint32_t bits = 0;
    while (magnitude >> bits >> DBL_MANT_DIG)
        bits++;
    return bits;
}

/* To odd (number.c), or towards zero. */
static double magnitude_to_double(uint64_t magnitude, bool odd) {
    uint32_t bits = excess(magnitude);
    uint64_t kept = magnitude >> bits;
    if (odd && kept << bits != magnitude) kept |= 1;
    return ldexp((double)kept, (int)bits);
}

static void integer_to_float(cake_dtype from, cake_dtype to, bool saturate, cake_rounding rounding,
                             const cake_sim_strip *strip) {
    double doubles[CAKE_SIM_STRIP];
    uint64_t values[CAKE_SIM_STRIP];
    bool nearest = to == CAKE_DTYPE_F64 && rounding == CAKE_ROUND_NEAREST_EVEN, sign = is_signed(from);
    extend(from, strip->in[0], values, strip->count);
    for (uint32_t i = 0; i < strip->count; i++) {
        bool negative = sign && (int64_t)values[i] < 0;
        uint64_t magnitude = negative ? 0 - values[i] : values[i];
        double value = nearest || magnitude >> DBL_MANT_DIG == 0 ? (double)magnitude
                                                                 : magnitude_to_double(magnitude, to != CAKE_DTYPE_F64);
        doubles[i] = negative ? -value : value;
    }
    if (saturate) clamp_floats(to, doubles, strip->count);
    cake_sim_narrow_double(to, rounding, doubles, strip->out, strip->count);
}

bool cake_sim_cast(const cake_plan_op *op, const cake_sim_strip *strip) {
    cake_dtype from = op->operands[0]->dtype, to = op->result->dtype;
    bool saturate = op->u.cast.saturate;
    if (cake_sim_is_real(from) && cake_sim_is_real(to))
        float_to_float(from, to, saturate, op->u.cast.rounding, strip);
    else if (cake_sim_is_real(from) && to == CAKE_DTYPE_BOOL)
        float_to_bool(from, strip);
    else if (cake_sim_is_real(from))
        return float_to_integer(from, to, saturate, strip);
    else if (cake_sim_is_real(to))
        integer_to_float(from, to, saturate, op->u.cast.rounding, strip);
    else
        integer_to_integer(from, to, saturate, strip);
    return true;
}
