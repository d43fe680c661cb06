/* Floats of all formats. Smaller ones than binary32 go through binary32, which holds them all. From binary64 they are
 * rounded to odd in between, so that the second rounding sees on which side of a tie the number was (Boldo and
 * Melquiond, 'Emulation of FMA and correctly rounded sums'). */
#include "simulator/number.h"

#include <math.h>
#include <string.h>

#define SIGN      0x80000000u
#define MAGNITUDE 0x7fffffffu
#define INFINITE  0x7f800000u /* of binary32 */

static inline uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

bool cake_sim_is_real(cake_dtype dtype) {
    cake_dtype_class class_ = cake_dtype_class_of(dtype);
    return class_ == CAKE_CLASS_FLOAT || class_ == CAKE_CLASS_REAL;
}

/* ---- formats ---- */

/* Formats of less than 32 bits but bf16. 'top': code of the largest magnitude that results have, infinity or finite. */
typedef struct float_format {
    uint32_t bits, mantissa, bias, top, nan;
} float_format;

static const float_format f16_format = {16, 10, 15, 0x7c00, 0x7fff};
static const float_format e4m3_format = {8, 3, 7, 0x7e, 0x7f};
static const float_format e5m2_format = {8, 2, 15, 0x7b, 0x7f};

/* Below the least normal number the result is a multiple of the unit; adding the binary32 number whose last place is
 * that unit rounds to it. */
static inline uint32_t round_nearest(float_format format, float value) {
    uint32_t magnitude = bits_of(value) & MAGNITUDE, sign = bits_of(value) >> 31 << (format.bits - 1);
    uint32_t shift = 23 - format.mantissa, rebias = (127 - format.bias) << 23;
    float unit = float_of((127 + 24 - format.bias - format.mantissa) << 23);
    uint32_t subnormal = bits_of(float_of(magnitude) + unit) - bits_of(unit);
    uint32_t normal = (magnitude + (1u << (shift - 1)) - 1 + (magnitude >> shift & 1) - rebias) >> shift;
    uint32_t code = magnitude < rebias + (1u << 23) ? subnormal : normal;
    code = code > format.top ? format.top : code;
    return magnitude > INFINITE ? format.nan : sign | code;
}

static inline uint32_t truncate_f16(float value) {
    uint32_t magnitude = bits_of(value) & MAGNITUDE, sign = bits_of(value) >> 31 << 15;
    uint32_t rebias = 112u << 23;
    float small = magnitude < rebias + (1u << 23) ? float_of(magnitude) : 0;
    uint32_t code = magnitude < rebias + (1u << 23) ? (uint32_t)(int32_t)(small * 0x1p24f) : (magnitude - rebias) >> 13;
    code = code > 0x7bff ? 0x7bff : code;
    code = magnitude == INFINITE ? 0x7c00 : code;
    return magnitude > INFINITE ? 0x7fff : sign | code;
}

static inline uint32_t round_bf16(float value) {
    uint32_t bits = bits_of(value), magnitude = bits & MAGNITUDE;
    return magnitude > INFINITE ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static inline uint32_t truncate_bf16(float value) {
    return (bits_of(value) & MAGNITUDE) > INFINITE ? 0x7fff : bits_of(value) >> 16;
}

static inline float round_tf32(float value) {
    uint32_t bits = bits_of(value), rounded = (bits + 0xfff + (bits >> 13 & 1)) & 0xffffe000u;
    return isnan(value) ? value : float_of(rounded);
}

/* 'infinite': code of infinity, larger ones are NaN. */
static inline float value_of(float_format format, uint32_t infinite, uint32_t code) {
    uint32_t magnitude = code & ((1u << (format.bits - 1)) - 1), sign = code >> (format.bits - 1) << 31;
    uint32_t rebias = (127 - format.bias) << 23;
    float unit = float_of((127 + 1 - format.bias - format.mantissa) << 23);
    uint32_t subnormal = bits_of((float)(int32_t)magnitude * unit);
    uint32_t normal = (magnitude << (23 - format.mantissa)) + rebias;
    uint32_t special = (magnitude << (23 - format.mantissa)) | INFINITE;
    uint32_t bits = magnitude < 1u << format.mantissa ? subnormal : normal;
    return float_of(sign | (magnitude >= infinite ? special : bits));
}

/* ---- binary32 ---- */

void cake_sim_widen(cake_dtype dtype, const void *in, float *out, uint32_t count) {
    const uint16_t *halves = in;
    const uint8_t *bytes = in;
    if (dtype == CAKE_DTYPE_BF16)
        for (uint32_t i = 0; i < count; i++)
            out[i] = float_of((uint32_t)halves[i] << 16);
    else if (dtype == CAKE_DTYPE_F16)
        for (uint32_t i = 0; i < count; i++)
            out[i] = value_of(f16_format, 0x7c00, halves[i]);
    else if (dtype == CAKE_DTYPE_E4M3)
        for (uint32_t i = 0; i < count; i++)
            out[i] = value_of(e4m3_format, 0x7f, bytes[i]);
    else if (dtype == CAKE_DTYPE_E5M2)
        for (uint32_t i = 0; i < count; i++)
            out[i] = value_of(e5m2_format, 0x7c, bytes[i]);
    else
        memcpy(out, in, count * sizeof *out);
}

static void round_to_nearest(cake_dtype dtype, const float *in, void *out, uint32_t count) {
    uint16_t *halves = out;
    uint8_t *bytes = out;
    float *floats = out;
    if (dtype == CAKE_DTYPE_TF32)
        for (uint32_t i = 0; i < count; i++)
            floats[i] = round_tf32(in[i]);
    else if (dtype == CAKE_DTYPE_BF16)
        for (uint32_t i = 0; i < count; i++)
            halves[i] = (uint16_t)round_bf16(in[i]);
    else if (dtype == CAKE_DTYPE_F16)
        for (uint32_t i = 0; i < count; i++)
            halves[i] = (uint16_t)round_nearest(f16_format, in[i]);
    else if (dtype == CAKE_DTYPE_E4M3)
        for (uint32_t i = 0; i < count; i++)
            bytes[i] = (uint8_t)round_nearest(e4m3_format, in[i]);
    else if (dtype == CAKE_DTYPE_E5M2)
        for (uint32_t i = 0; i < count; i++)
            bytes[i] = (uint8_t)round_nearest(e5m2_format, in[i]);
    else
        memcpy(out, in, count * sizeof *in);
}

static void round_to_zero(cake_dtype dtype, const float *in, void *out, uint32_t count) {
    uint16_t *halves = out;
    float *floats = out;
    if (dtype == CAKE_DTYPE_BF16)
        for (uint32_t i = 0; i < count; i++)
            halves[i] = (uint16_t)truncate_bf16(in[i]);
    else if (dtype == CAKE_DTYPE_F16)
        for (uint32_t i = 0; i < count; i++)
            halves[i] = (uint16_t)truncate_f16(in[i]);
    else if (dtype == CAKE_DTYPE_TF32)
        for (uint32_t i = 0; i < count; i++)
            floats[i] = isnan(in[i]) ? in[i] : float_of(bits_of(in[i]) & 0xffffe000u);
    else
        memcpy(out, in, count * sizeof *in);
}

void cake_sim_narrow(cake_dtype dtype, cake_rounding rounding, const float *in, void *out, uint32_t count) {
    if (rounding == CAKE_ROUND_TOWARD_ZERO && !cake_dtype_is_byte_float(dtype))
        round_to_zero(dtype, in, out, count);
    else
        round_to_nearest(dtype, in, out, count);
}

/* ---- binary64 ---- */

void cake_sim_widen_double(cake_dtype dtype, const void *in, double *out, uint32_t count) {
    float floats[CAKE_SIM_STRIP];
    if (dtype == CAKE_DTYPE_F64) {
        memcpy(out, in, count * sizeof *out);
        return;
    }
    cake_sim_widen(dtype, in, floats, count);
    for (uint32_t i = 0; i < count; i++)
        out[i] = (double)floats[i];
}

/* Towards zero, with the last bit set where 'odd' asks for it and something was lost. The largest finite number is odd
 * itself. */
static inline float truncate_double(double value, uint32_t odd) {
    float nearest = (float)value;
    uint32_t away = fabs((double)nearest) > fabs(value), lost = (double)nearest != value;
    uint32_t bits = (bits_of(nearest) - away) | (lost ? odd : 0);
    return value != value ? nearest : float_of(bits);
}

void cake_sim_narrow_double(cake_dtype dtype, cake_rounding rounding, const double *in, void *out, uint32_t count) {
    float floats[CAKE_SIM_STRIP];
    bool single = dtype == CAKE_DTYPE_F32 || dtype == CAKE_DTYPE_REAL;
    if (dtype == CAKE_DTYPE_F64) {
        memcpy(out, in, count * sizeof *in);
        return;
    }
    if (rounding == CAKE_ROUND_TOWARD_ZERO && !cake_dtype_is_byte_float(dtype))
        for (uint32_t i = 0; i < count; i++)
            floats[i] = truncate_double(in[i], 0);
    else if (single)
        for (uint32_t i = 0; i < count; i++)
            floats[i] = (float)in[i];
    else
        for (uint32_t i = 0; i < count; i++)
            floats[i] = truncate_double(in[i], 1);
    cake_sim_narrow(dtype, rounding, floats, out, count);
}

/* ---- one element ---- */

float cake_sim_to_float(cake_dtype dtype, const void *element) {
    float value;
    cake_sim_widen(dtype, element, &value, 1);
    return value;
}

void cake_sim_from_float(cake_dtype dtype, float value, void *out_element) {
    cake_sim_narrow(dtype, CAKE_ROUND_NEAREST_EVEN, &value, out_element, 1);
}
