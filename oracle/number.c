/* Encoding and decoding of elements.
 *
 * All small floats share one description (exponent bits, mantissa bits, how the top of the range is used), so that one
 * pair of routines serves them. Both work on the bits of a double: rounding adds just under half of the last place that
 * is kept, one more where that place is odd, and lets the carry run into the exponent.
 */
#include "oracle/number.h"

#include <math.h>
#include <string.h>

#include "support/status.h"

typedef struct small_float {
    int exponent_bits, mantissa_bits;
    bool has_infinity; /* else the top exponent holds numbers, and only its last mantissa is NaN */
    int padding;       /* unused low bits in memory */
} small_float;

/* The layout of a float dtype narrower than f64. */
static small_float layout_of(cake_dtype dtype) {
    if (dtype == CAKE_DTYPE_F32) return (small_float){8, 23, true, 0};
    if (dtype == CAKE_DTYPE_TF32) return (small_float){8, 10, true, 13};
    if (dtype == CAKE_DTYPE_F16) return (small_float){5, 10, true, 0};
    if (dtype == CAKE_DTYPE_BF16) return (small_float){8, 7, true, 0};
    if (dtype == CAKE_DTYPE_E5M2) return (small_float){5, 2, true, 0};
    CAKE_ASSERT(dtype == CAKE_DTYPE_E4M3);
    return (small_float){4, 3, false, 0};
}

static int bias_of(small_float layout) {
    return (1 << (layout.exponent_bits - 1)) - 1;
}

static double double_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Exponent of the last place of a finite value. */
static int last_place(small_float layout, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7FF) - 1023, lowest = 1 - bias_of(layout);
    return (exponent < lowest ? lowest : exponent) - layout.mantissa_bits;
}

static double decode_small(small_float layout, uint64_t bits) {
    bits >>= layout.padding;
    uint64_t top = (UINT64_C(1) << layout.exponent_bits) - 1, full = (UINT64_C(1) << layout.mantissa_bits) - 1;
    uint64_t mantissa = bits & full, exponent = bits >> layout.mantissa_bits & top;
    uint64_t sign = bits >> (layout.mantissa_bits + layout.exponent_bits) & 1;
    double value;
    if (exponent == top && layout.has_infinity)
        value = mantissa ? (double)NAN : (double)INFINITY;
    else if (exponent == top && mantissa == full)
        value = (double)NAN;
    else if (exponent == 0)
        value = ldexp((double)mantissa, 1 - bias_of(layout) - layout.mantissa_bits);
    else
        value =
            double_of((exponent + 1023 - (uint64_t)bias_of(layout)) << 52 | mantissa << (52 - layout.mantissa_bits));
    return sign ? -value : value;
}

/* Bits of a finite, non-negative value, rounded; they count on past the largest finite ones. */
static uint64_t round_magnitude(small_float layout, double magnitude) {
    uint64_t whole;
    memcpy(&whole, &magnitude, sizeof whole);
    if ((int)(whole >> 52) - 1023 < 1 - bias_of(layout))
        return (uint64_t)rint(ldexp(magnitude, bias_of(layout) - 1 + layout.mantissa_bits));
    int shift = 52 - layout.mantissa_bits;
    uint64_t nudge = (UINT64_C(1) << (shift - 1)) - 1 + (whole >> shift & 1);
    return ((whole + nudge) >> shift) - ((uint64_t)(1023 - bias_of(layout)) << layout.mantissa_bits);
}

static uint64_t encode_small(small_float layout, double value, bool saturate) {
    uint64_t exponent_mask = ((UINT64_C(1) << layout.exponent_bits) - 1) << layout.mantissa_bits;
    uint64_t not_a_number = exponent_mask | ((UINT64_C(1) << layout.mantissa_bits) - 1);
    uint64_t beyond = layout.has_infinity ? exponent_mask : not_a_number; /* largest finite bits, plus one */
    uint64_t sign = signbit(value) ? UINT64_C(1) << (layout.mantissa_bits + layout.exponent_bits) : 0;
    uint64_t bits = not_a_number;
    if (!isnan(value)) {
        bits = isinf(value) ? beyond : round_magnitude(layout, fabs(value));
        if (bits >= beyond) bits = saturate ? beyond - 1 : beyond;
    }
    return (sign | bits) << layout.padding;
}

static uint64_t mask_of(uint32_t bits) {
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* An integral value modulo 2^64, as two's complement. */
static uint64_t wrap(double integral) {
    double magnitude = fmod(fabs(integral), 0x1p64);
    uint64_t bits = (uint64_t)magnitude;
    return integral < 0 ? 0 - bits : bits;
}

static uint64_t encode_integer(cake_dtype dtype, double value, bool saturate) {
    uint32_t bits = cake_dtype_bits(dtype);
    bool is_signed = cake_dtype_class_of(dtype) == CAKE_CLASS_SIGNED;
    uint64_t mask = mask_of(bits);
    if (isnan(value)) return 0;
    double integral = isfinite(value) ? rint(value) : value;
    if (saturate) {
        double end = ldexp(1.0, (int)bits - (is_signed ? 1 : 0));
        if (integral >= end) return is_signed ? mask >> 1 : mask;
        if (integral < (is_signed ? -end : 0.0)) return is_signed ? (mask >> 1) + 1 : 0;
    }
    return isfinite(integral) ? wrap(integral) & mask : 0;
}

static double decode_integer(cake_dtype dtype, uint64_t bits) {
    uint32_t width = cake_dtype_bits(dtype);
    bits &= mask_of(width);
    if (cake_dtype_class_of(dtype) == CAKE_CLASS_UNSIGNED || !(bits >> (width - 1))) return (double)bits;
    uint64_t magnitude = (0 - bits) & mask_of(width);
    return -(double)magnitude;
}

double cake_number_decode(cake_dtype dtype, uint64_t bits) {
    switch (cake_dtype_class_of(dtype)) {
    case CAKE_CLASS_FLOAT:
        break;
    case CAKE_CLASS_SIGNED:
    case CAKE_CLASS_UNSIGNED:
        return decode_integer(dtype, bits);
    case CAKE_CLASS_BOOL:
        return (bits & 0xFF) != 0;
    case CAKE_CLASS_INDEX:
    case CAKE_CLASS_REAL:
    case CAKE_CLASS_NONE:
        CAKE_ASSERT(false && "a dtype of memory");
    }
    if (dtype != CAKE_DTYPE_F64) return decode_small(layout_of(dtype), bits);
    return double_of(bits);
}

uint64_t cake_number_encode(cake_dtype dtype, double value, bool saturate) {
    switch (cake_dtype_class_of(dtype)) {
    case CAKE_CLASS_FLOAT:
        break;
    case CAKE_CLASS_SIGNED:
    case CAKE_CLASS_UNSIGNED:
        return encode_integer(dtype, value, saturate);
    case CAKE_CLASS_BOOL:
        return value != 0;
    case CAKE_CLASS_INDEX:
    case CAKE_CLASS_REAL:
    case CAKE_CLASS_NONE:
        CAKE_ASSERT(false && "a dtype of memory");
    }
    if (dtype != CAKE_DTYPE_F64) return encode_small(layout_of(dtype), value, saturate);
    uint64_t bits;
    if (saturate && isinf(value)) value = copysign(1.7976931348623157e308, value);
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

double cake_number_round(cake_dtype dtype, double value, bool saturate) {
    if (dtype == CAKE_DTYPE_F64 && !saturate) return value;
    return cake_number_decode(dtype, cake_number_encode(dtype, value, saturate));
}

uint64_t cake_number_bits(cake_dtype dtype, const void *data, uint64_t index) {
    const unsigned char *bytes = data;
    uint32_t bits = cake_dtype_bits(dtype);
    if (bits == 4) return bytes[index / 2] >> (index % 2 * 4) & 0xF;
    uint64_t value = 0;
    for (uint32_t i = 0; i < bits / 8; i++)
        value |= (uint64_t)bytes[index * (bits / 8) + i] << (8 * i);
    return value;
}

double cake_number_load(cake_dtype dtype, const void *data, uint64_t index) {
    double value;
    cake_number_load_many(dtype, data, index, 0, 1, &value);
    return value;
}

/* Stores the low 'bytes' bytes of an element's bits. */
static void store_bits(unsigned char *to, uint64_t bits, uint32_t bytes) {
    for (uint32_t i = 0; i < bytes; i++)
        to[i] = (unsigned char)(bits >> (8 * i));
}

void cake_number_store(cake_dtype dtype, void *data, uint64_t index, double value) {
    unsigned char *bytes = data;
    uint32_t bits = cake_dtype_bits(dtype);
    uint64_t encoded = cake_number_encode(dtype, value, false);
    if (bits == 4) {
        uint32_t shift = (uint32_t)(index % 2 * 4);
        bytes[index / 2] = (unsigned char)((bytes[index / 2] & ~(0xFu << shift)) | encoded << shift);
        return;
    }
    store_bits(bytes + index * (bits / 8), encoded, bits / 8);
}

void cake_number_store_many(cake_dtype dtype, void *data, uint64_t first, uint32_t count, const double *values) {
    unsigned char *bytes = data;
    if (dtype == CAKE_DTYPE_F32) {
        for (uint32_t i = 0; i < count; i++) {
            float value = (float)values[i];
            memcpy(bytes + (first + i) * 4, &value, sizeof value);
        }
    } else if (dtype == CAKE_DTYPE_BF16 || dtype == CAKE_DTYPE_F16) {
        small_float layout = layout_of(dtype);
        for (uint32_t i = 0; i < count; i++)
            store_bits(bytes + (first + i) * 2, encode_small(layout, values[i], false), 2);
    } else {
        for (uint32_t i = 0; i < count; i++)
            cake_number_store(dtype, data, first + i, values[i]);
    }
}

/* Floats and integers that references read most have loops without a call per element. */
static void load_f32(const unsigned char *first, int64_t stride, uint32_t count, double *out_values) {
    for (uint32_t i = 0; i < count; i++, first += stride) {
        float value;
        memcpy(&value, first, sizeof value);
        out_values[i] = (double)value;
    }
}

static void load_bf16(const unsigned char *first, int64_t stride, uint32_t count, double *out_values) {
    for (uint32_t i = 0; i < count; i++, first += stride) {
        uint16_t half;
        memcpy(&half, first, sizeof half);
        uint32_t whole = (uint32_t)half << 16;
        float value;
        memcpy(&value, &whole, sizeof value);
        out_values[i] = (double)value;
    }
}

/* Widens the exponent by a multiplication: the bits of a half, shifted into a float, are the half times 2^-112, also
 * where it is subnormal. Only infinity and NaN need the float's own top exponent. */
static void load_f16(const unsigned char *first, int64_t stride, uint32_t count, double *out_values) {
    for (uint32_t i = 0; i < count; i++, first += stride) {
        uint16_t half;
        memcpy(&half, first, sizeof half);
        uint32_t whole = (uint32_t)(half & 0x7FFF) << 13 | (half >= 0x8000 ? 0x80000000u : 0);
        if ((half & 0x7C00) == 0x7C00) whole |= 0x7F800000u;
        float value;
        memcpy(&value, &whole, sizeof value);
        out_values[i] = (half & 0x7C00) == 0x7C00 ? (double)value : (double)value * 0x1p112;
    }
}

/* The low bits of an element of a signed type, sign and all. */
static double signed_value(uint64_t bits, uint32_t width) {
    return bits >> (width - 1) & 1 ? -(double)((0 - bits) & mask_of(width)) : (double)bits;
}

#define LOAD_INTEGERS(type, width)                                                                                     \
    for (uint32_t i = 0; i < count; i++, first += stride) {                                                            \
        type bits;                                                                                                     \
        memcpy(&bits, first, sizeof bits);                                                                             \
        out_values[i] = is_signed ? signed_value(bits, width) : (double)bits;                                          \
    }

static void load_integers(cake_dtype dtype, const unsigned char *first, int64_t stride, uint32_t count,
                          double *out_values) {
    bool is_signed = cake_dtype_class_of(dtype) == CAKE_CLASS_SIGNED;
    uint32_t width = cake_dtype_bits(dtype);
    if (width == 8) {
        LOAD_INTEGERS(uint8_t, 8)
    } else if (width == 16) {
        LOAD_INTEGERS(uint16_t, 16)
    } else if (width == 32) {
        LOAD_INTEGERS(uint32_t, 32)
    } else {
        LOAD_INTEGERS(uint64_t, 64)
    }
}

void cake_number_load_many(cake_dtype dtype, const void *data, uint64_t first, int64_t stride, uint32_t count,
                           double *out_values) {
    const unsigned char *bytes = data;
    cake_dtype_class class = cake_dtype_class_of(dtype);
    uint32_t size = cake_dtype_bits(dtype) / 8;
    if ((class == CAKE_CLASS_SIGNED || class == CAKE_CLASS_UNSIGNED) && size > 0) {
        load_integers(dtype, bytes + first * size, stride * size, count, out_values);
    } else if (dtype == CAKE_DTYPE_F32 || dtype == CAKE_DTYPE_TF32) {
        load_f32(bytes + first * 4, stride * 4, count, out_values);
    } else if (dtype == CAKE_DTYPE_BF16) {
        load_bf16(bytes + first * 2, stride * 2, count, out_values);
    } else if (dtype == CAKE_DTYPE_F16) {
        load_f16(bytes + first * 2, stride * 2, count, out_values);
    } else {
        for (uint32_t i = 0; i < count; i++)
            out_values[i] = cake_number_decode(dtype, cake_number_bits(dtype, data, first + (uint64_t)(stride * i)));
    }
}

double cake_number_half_ulp(cake_dtype dtype, double value) {
    if (cake_dtype_class_of(dtype) != CAKE_CLASS_FLOAT || !isfinite(value)) return 0;
    if (dtype != CAKE_DTYPE_F64) return ldexp(0.5, last_place(layout_of(dtype), value));
    int exponent = -1021;
    if (value != 0) (void)frexp(value, &exponent);
    return ldexp(0.5, (exponent < -1021 ? -1021 : exponent) - 53);
}

uint64_t cake_number_exact_integers(cake_dtype dtype) {
    uint32_t bits = cake_dtype_bits(dtype);
    switch (cake_dtype_class_of(dtype)) {
    case CAKE_CLASS_FLOAT:
        return UINT64_C(1) << (dtype == CAKE_DTYPE_F64 ? 53 : layout_of(dtype).mantissa_bits + 1);
    case CAKE_CLASS_SIGNED:
        bits -= 1;
        break;
    case CAKE_CLASS_UNSIGNED:
    case CAKE_CLASS_BOOL:
    case CAKE_CLASS_INDEX:
    case CAKE_CLASS_REAL:
    case CAKE_CLASS_NONE:
        break;
    }
    if (dtype == CAKE_DTYPE_BOOL) return 2;
    return UINT64_C(1) << (bits < 53 ? bits : 53);
}
