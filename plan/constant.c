/* Constants as bytes of an element. */
#include <math.h>
#include <string.h>

#include "plan/plan.h"

typedef struct float_format {
    int exponent_bits, mantissa_bits;
    bool finite; /* no infinity; the largest pattern is NaN */
} float_format;

/* Assembles sign, exponent and mantissa by scaling: the value in units of its last place is a small integer. */
static uint64_t small_float_bits(double value, float_format format) {
    int bias = (1 << (format.exponent_bits - 1)) - 1;
    uint64_t sign = (uint64_t)(signbit(value) != 0) << (format.exponent_bits + format.mantissa_bits);
    uint64_t infinity = (((uint64_t)1 << format.exponent_bits) - 1) << format.mantissa_bits;
    uint64_t largest = format.finite ? infinity + ((uint64_t)1 << format.mantissa_bits) - 2 : infinity - 1;
    if (isnan(value)) return sign | (largest + (format.finite ? 1 : 2));
    if (isinf(value)) return sign | (largest + 1);
    int exponent = value == 0 ? 1 - bias : ilogb(value);
    if (exponent < 1 - bias) exponent = 1 - bias;
    if (exponent > bias + 1) return sign | (largest + 1);
    uint64_t units = (uint64_t)nearbyint(scalbn(fabs(value), format.mantissa_bits - exponent));
    /* The hidden bit adds one to the exponent field, and so does a mantissa that rounds up to the next power. */
    uint64_t bits = ((uint64_t)(exponent + bias - 1) << format.mantissa_bits) + units;
    return sign | (bits > largest ? largest + 1 : bits);
}

static uint64_t float_bits(cake_dtype dtype, double value) {
    float single = (float)value;
    uint64_t bits = 0;
    switch (cake_dtype_bits(dtype)) {
    case 64:
        memcpy(&bits, &value, sizeof value);
        return bits;
    case 32:
        memcpy(&bits, &single, sizeof single);
        return bits;
    default:
        break;
    }
    if (dtype == CAKE_DTYPE_F16) return small_float_bits(value, (float_format){5, 10, false});
    if (dtype == CAKE_DTYPE_BF16) return small_float_bits(value, (float_format){8, 7, false});
    if (dtype == CAKE_DTYPE_E5M2) return small_float_bits(value, (float_format){5, 2, false});
    return small_float_bits(value, (float_format){4, 3, true});
}

uint64_t cake_plan_constant_bits(cake_dtype dtype, const cake_plan_value *constant) {
    uint32_t width = cake_dtype_bits(dtype);
    bool integer = constant->dtype == CAKE_DTYPE_INDEX || cake_dtype_class_of(constant->dtype) == CAKE_CLASS_SIGNED ||
                   cake_dtype_class_of(constant->dtype) == CAKE_CLASS_UNSIGNED;
    if (cake_dtype_class_of(dtype) == CAKE_CLASS_FLOAT)
        return float_bits(dtype, integer ? (double)constant->integer : constant->real);
    uint64_t bits = (uint64_t)constant->integer;
    return width < 64 ? bits & (((uint64_t)1 << width) - 1) : bits;
}
