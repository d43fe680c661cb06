/* Functions of one binary32 argument.
 *
 * Each follows the same plan: reduce the argument to a small interval without losing bits, evaluate a polynomial or one
 * hardware instruction there, and undo the reduction. All paths are computed and the right one is selected, since a
 * branch would diverge within a warp. scripts/math_coefficients.py derives the polynomials and their bounds. A step
 * that looks roundabout mostly serves the last bit: products are fused where the error would show.
 */
#include "codegen/math_internal.h"

#include <math.h>

/* 1.5 * 2^23: adding it rounds to an integer, which then stands in the low bits. */
#define ROUND_SHIFT 0x1.8p23f
/* ln(2), and what rounding it to binary32 left off */
#define LN_2      0x1.62e43p-1f
#define LN_2_REST -0x1.05c61p-29f
#define LOG2_E    0x1.715476p0f
/* pi / 2 in three parts, most significant first, each rounded down: with equal signs sin(-0) stays -0 */
#define HALF_PI_1   0x1.921fb4p0f
#define HALF_PI_2   0x1.4442dp-24f
#define HALF_PI_3   0x1.846988p-48f
#define TWO_OVER_PI 0x1.45f306p-1f

#define SMALLEST_NORMAL 0x1p-126f

typedef const cake_math_emitter emitter;

/* ---- one instruction each ---- */

static LLVMTypeRef f32(emitter *e) {
    return LLVMFloatTypeInContext(e->context);
}

static LLVMTypeRef i32(emitter *e) {
    return LLVMInt32TypeInContext(e->context);
}

static LLVMValueRef number(emitter *e, float value) {
    return LLVMConstReal(f32(e), (double)value);
}

static LLVMValueRef integer(emitter *e, uint32_t value) {
    return LLVMConstInt(i32(e), value, false);
}

static LLVMValueRef add(emitter *e, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildFAdd(e->builder, a, b, "");
}

static LLVMValueRef subtract(emitter *e, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildFSub(e->builder, a, b, "");
}

static LLVMValueRef multiply(emitter *e, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildFMul(e->builder, a, b, "");
}

static LLVMValueRef fused(emitter *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c) {
    return cake_math_call(e->builder, "llvm.fma.f32", (LLVMValueRef[]){a, b, c}, 3);
}

static LLVMValueRef absolute(emitter *e, LLVMValueRef x) {
    return cake_math_call(e->builder, "llvm.fabs.f32", &x, 1);
}

/* x within low .. high, NaN for NaN. */
static LLVMValueRef clamped(emitter *e, LLVMValueRef x, float low, float high) {
    x = cake_math_call(e->builder, "llvm.maximum.f32", (LLVMValueRef[]){x, number(e, low)}, 2);
    return cake_math_call(e->builder, "llvm.minimum.f32", (LLVMValueRef[]){x, number(e, high)}, 2);
}

static LLVMValueRef with_sign_of(emitter *e, LLVMValueRef magnitude, LLVMValueRef sign) {
    return cake_math_call(e->builder, "llvm.copysign.f32", (LLVMValueRef[]){magnitude, sign}, 2);
}

static LLVMValueRef less(emitter *e, LLVMValueRef a, float b) {
    return LLVMBuildFCmp(e->builder, LLVMRealOLT, a, number(e, b), "");
}

static LLVMValueRef choose(emitter *e, LLVMValueRef condition, LLVMValueRef yes, LLVMValueRef no) {
    return LLVMBuildSelect(e->builder, condition, yes, no, "");
}

static LLVMValueRef as_integer(emitter *e, LLVMValueRef x) {
    return LLVMBuildBitCast(e->builder, x, i32(e), "");
}

static LLVMValueRef as_float(emitter *e, LLVMValueRef bits) {
    return LLVMBuildBitCast(e->builder, bits, f32(e), "");
}

static LLVMValueRef hardware(emitter *e, cake_math_instruction instruction, LLVMValueRef x) {
    return cake_math_emit_instruction(e, instruction, &x);
}

/* A product that may be subnormal, which '.ftz' flushes. */
static LLVMValueRef scale(emitter *e, LLVMValueRef a, LLVMValueRef b) {
    if (!e->ftz) return multiply(e, a, b);
    return cake_math_emit_instruction(e, CAKE_MATH_MUL_FTZ, (LLVMValueRef[]){a, b});
}

/* The polynomial with coefficients[k] at x^k. */
static LLVMValueRef polynomial(emitter *e, LLVMValueRef x, const float *coefficients, size_t count) {
    LLVMValueRef sum = number(e, coefficients[count - 1]);
    for (size_t k = count - 1; k-- > 0;)
        sum = fused(e, sum, x, number(e, coefficients[k]));
    return sum;
}

#define POLYNOMIAL(e, x, coefficients) polynomial(e, x, coefficients, sizeof(coefficients) / sizeof *(coefficients))

/* ---- exp, exp2 ---- */

/* A function that doubles per 'step' twice: f(x) = f(r) * 2^h * 2^h with x = h * step + r, h an integer. */
typedef struct exponential {
    float low, high; /* from there on the result is 0 and infinity */
    float per_step;  /* 1 / step */
    float step, step_rest;
    const float *coefficients; /* of f(r), |r| <= step / 2 */
} exponential;

#define EXPONENTIAL_COUNT 8

/* exp(r) for |r| <= ln(2), off by less than 2^-26.0 of itself. */
static const float exp_whole[EXPONENTIAL_COUNT] = {1.0f,          0x1.0p0f,       0x1.00000cp-1f,  0x1.555514p-3f,
                                                   0x1.5549fp-5f, 0x1.1126eap-7f, 0x1.71bee6p-10f, 0x1.9ba68ep-13f};
/* 2^r for |r| <= 1, off by less than 2^-26.2 of itself. */
static const float exp2_whole[EXPONENTIAL_COUNT] = {1.0f,           0x1.62e432p-1f,  0x1.ebfbf8p-3f, 0x1.c6afap-5f,
                                                    0x1.3b1fe4p-7f, 0x1.5dbd96p-10f, 0x1.481e5p-13f, 0x1.f4de78p-17f};

static const exponential natural = {-105, 89, LOG2_E / 2, 2 * LN_2, 2 * LN_2_REST, exp_whole};
static const exponential binary = {-151, 129, 0.5f, 2, 0, exp2_whole};

/* Multiplying by 2^h twice reaches from the least subnormal number to beyond the greatest one, and only the last
 * product rounds. ex2.approx is no part of it: its own error is a little more than 2 ulp. */
static LLVMValueRef emit_exponential(emitter *e, LLVMValueRef x, const exponential *base) {
    x = clamped(e, x, base->low, base->high);
    /* the low bits become h + 127, the exponent field of 2^h */
    LLVMValueRef shifted = fused(e, x, number(e, base->per_step), number(e, ROUND_SHIFT + 127));
    LLVMValueRef minus_h = subtract(e, number(e, ROUND_SHIFT + 127), shifted);
    LLVMValueRef r = fused(e, minus_h, number(e, base->step), x);
    if (base->step_rest != 0) r = fused(e, minus_h, number(e, base->step_rest), r);
    LLVMValueRef value = polynomial(e, r, base->coefficients, EXPONENTIAL_COUNT);
    LLVMValueRef power = as_float(e, LLVMBuildShl(e->builder, as_integer(e, shifted), integer(e, 23), ""));
    return scale(e, multiply(e, value, power), power);
}

static LLVMValueRef emit_exp(emitter *e, LLVMValueRef x) {
    return emit_exponential(e, x, &natural);
}

static LLVMValueRef emit_exp2(emitter *e, LLVMValueRef x) {
    return emit_exponential(e, x, &binary);
}

/* ---- rcp ---- */

/* The instruction flushes subnormal arguments and results: those are moved away from, by 2^24 one way or the other. */
static LLVMValueRef emit_rcp(emitter *e, LLVMValueRef x) {
    if (e->ftz) return hardware(e, CAKE_MATH_RCP_FTZ, x);
    LLVMValueRef factor = choose(e, less(e, absolute(e, x), 1), number(e, 0x1p24f), number(e, 0x1p-24f));
    return multiply(e, hardware(e, CAKE_MATH_RCP_FTZ, multiply(e, x, factor)), factor);
}

/* ---- log, log2 ---- */

/* (ln(1 + f) - f) / f^2 with 1 + f between the roots of 1/2 and 2; ln is off by less than 2^-25.0 of itself. */
static const float log_tail[] = {-0x1.fffffap-2f, 0x1.5556f2p-2f, -0x1.0004aep-2f, 0x1.98d32ap-3f,
                                 -0x1.535aa2p-3f, 0x1.317f4p-3f,  -0x1.2511ccp-3f, 0x1.6602bcp-4f};
/* log2(1 + f) / f there; log2 is off by less than 2^-25.1 of itself. */
static const float log2_ratio[] = {0x1.715476p0f,   -0x1.715472p-1f, 0x1.ec7368p-2f,  -0x1.715b7ap-2f, 0x1.26dcfep-2f,
                                   -0x1.e9813cp-3f, 0x1.b95468p-3f,  -0x1.a77deap-3f, 0x1.01a5acp-3f};

/* x = (1 + f) * 2^n with 1 + f from sqrt(1/2) to sqrt(2): the logarithm is f's alone near 1, and at the seams, where n
 * changes, the two summands cancel no more than half. */
static LLVMValueRef emit_logarithm(emitter *e, LLVMValueRef x, bool base_2) {
    LLVMValueRef round_shift = number(e, ROUND_SHIFT);
    if (!e->ftz) {
        LLVMValueRef tiny = less(e, x, SMALLEST_NORMAL);
        x = choose(e, tiny, multiply(e, x, number(e, 0x1p24f)), x);
        round_shift = choose(e, tiny, number(e, ROUND_SHIFT + 24), round_shift);
    }
    LLVMValueRef bits = as_integer(e, x);
    LLVMValueRef above = LLVMBuildSub(e->builder, bits, integer(e, 0x3f3504f3), ""); /* that of sqrt(1/2) */
    LLVMValueRef exponent = LLVMBuildAShr(e->builder, above, integer(e, 23), "");
    exponent = LLVMBuildAdd(e->builder, exponent, integer(e, 0x4b400000), ""); /* that of ROUND_SHIFT */
    LLVMValueRef n = subtract(e, as_float(e, exponent), round_shift);
    LLVMValueRef field = LLVMBuildAnd(e->builder, above, integer(e, 0xff800000), "");
    LLVMValueRef f = subtract(e, as_float(e, LLVMBuildSub(e->builder, bits, field, "")), number(e, 1));

    LLVMValueRef result;
    if (base_2) {
        result = add(e, n, multiply(e, POLYNOMIAL(e, f, log2_ratio), f));
    } else {
        LLVMValueRef tail = multiply(e, POLYNOMIAL(e, f, log_tail), f);
        result = fused(e, n, number(e, LN_2), fused(e, tail, f, f));
    }
    /* zeros, negative numbers, infinity and NaN: the instruction knows what they give */
    LLVMValueRef offset = LLVMBuildSub(e->builder, bits, integer(e, 0x00800000), "");
    LLVMValueRef ordinary = LLVMBuildICmp(e->builder, LLVMIntULT, offset, integer(e, 0x7f000000), "");
    return choose(e, ordinary, result, hardware(e, CAKE_MATH_LG2_FTZ, x));
}

static LLVMValueRef emit_log(emitter *e, LLVMValueRef x) {
    return emit_logarithm(e, x, false);
}

static LLVMValueRef emit_log2(emitter *e, LLVMValueRef x) {
    return emit_logarithm(e, x, true);
}

/* ---- tanh, erf ---- */

#define TANH_EDGE 0.875f
/* (tanh(x) / x - 1) / x^2 in x^2 for |x| <= TANH_EDGE; tanh is off by less than 2^-26.4 of itself. */
static const float tanh_tail[] = {-0x1.555518p-2f, 0x1.1104a8p-3f, -0x1.b86926p-5f,
                                  0x1.58524ep-6f,  -0x1.cadb2p-8f, 0x1.67339ep-10f};

/* tanh(x) = 1 - 2 / (exp(2 x) + 1), which cancels for small x: a polynomial there. */
static LLVMValueRef emit_tanh(emitter *e, LLVMValueRef x) {
    LLVMValueRef size = absolute(e, x);
    LLVMValueRef power = hardware(e, CAKE_MATH_EX2_FTZ, multiply(e, size, number(e, 2 * LOG2_E)));
    LLVMValueRef inverse = hardware(e, CAKE_MATH_RCP_FTZ, add(e, power, number(e, 1)));
    LLVMValueRef large = fused(e, inverse, number(e, -2), number(e, 1));
    LLVMValueRef square = multiply(e, x, x);
    LLVMValueRef tail = multiply(e, POLYNOMIAL(e, square, tanh_tail), square);
    LLVMValueRef small = fused(e, tail, size, size);
    return with_sign_of(e, choose(e, less(e, size, TANH_EDGE), small, large), x);
}

#define ERF_EDGE 0.9375f
/* erf(x) / x - 1 in x^2 for |x| <= ERF_EDGE; erf is off by less than 2^-25.6 of itself. */
static const float erf_tail[] = {0x1.06eba6p-3f, -0x1.8126dcp-2f, 0x1.ce185ap-4f,
                                 -0x1.b66ap-6f,  0x1.466d96p-8f,  -0x1.36b68ap-11f};
/* log2(1 - erf(x)) on [ERF_EDGE, 4]; erf is off by less than 2^-25.4 of itself, and 1 beyond. */
static const float erfc_exponent[] = {-0x1.8c9e2cp-9f, -0x1.9d6f3p0f,  -0x1.e178fcp-1f,
                                      -0x1.0b15cap-3f, 0x1.6ab85ep-6f, -0x1.ce0eacp-10f};

static LLVMValueRef emit_erf(emitter *e, LLVMValueRef x) {
    LLVMValueRef size = absolute(e, x);
    LLVMValueRef rest = hardware(e, CAKE_MATH_EX2_FTZ, POLYNOMIAL(e, size, erfc_exponent));
    LLVMValueRef large = with_sign_of(e, subtract(e, number(e, 1), rest), x);
    LLVMValueRef small = fused(e, POLYNOMIAL(e, multiply(e, x, x), erf_tail), x, x);
    return choose(e, LLVMBuildFCmp(e->builder, LLVMRealOGE, size, number(e, ERF_EDGE), ""), large, small);
}

/* ---- sin, cos ---- */

/* (sin(r) / r - 1) / r^2 in r^2 for |r| a little beyond pi / 4; sin is off by less than 2^-32.5 of itself. */
static const float sin_tail[] = {-0x1.555556p-3f, 0x1.111172p-7f, -0x1.a056a4p-13f, 0x1.7b59bap-19f};
/* cos(r) in r^2 there; off by less than 2^-32.7 of itself. */
static const float cos_whole[] = {1.0f, -0.5f, 0x1.55554ap-5f, -0x1.6c0c14p-10f, 0x1.99de66p-16f};

/* From here on the nearest multiple of pi / 2 is not found any more. */
#define CIRCULAR_LIMIT 0x1p22f

/* x = r + n * pi / 2. The first part of pi / 2 leaves no rounding error at all: x and the product share their lowest
 * bit, and the difference is small. sin(x + pi / 2) = cos(x) makes cos a sine one quarter turn further. The sine is a
 * product since a sum would lose the sign of -0. */
static LLVMValueRef emit_circular(emitter *e, LLVMValueRef x, uint32_t quarters) {
    LLVMValueRef shifted = fused(e, x, number(e, TWO_OVER_PI), number(e, ROUND_SHIFT));
    LLVMValueRef n = subtract(e, shifted, number(e, ROUND_SHIFT));
    LLVMValueRef r = fused(e, n, number(e, -HALF_PI_1), x);
    r = fused(e, n, number(e, -HALF_PI_2), r);
    r = fused(e, n, number(e, -HALF_PI_3), r);
    r = choose(e, less(e, absolute(e, x), CIRCULAR_LIMIT), r, number(e, NAN));

    LLVMValueRef square = multiply(e, r, r);
    LLVMValueRef sine = multiply(e, fused(e, POLYNOMIAL(e, square, sin_tail), square, number(e, 1)), r);
    LLVMValueRef cosine = POLYNOMIAL(e, square, cos_whole);
    LLVMValueRef turn = LLVMBuildAdd(e->builder, as_integer(e, shifted), integer(e, quarters), "");
    LLVMValueRef odd = LLVMBuildTrunc(e->builder, turn, LLVMInt1TypeInContext(e->context), "");
    LLVMValueRef sign = LLVMBuildShl(e->builder, turn, integer(e, 30), "");
    sign = LLVMBuildAnd(e->builder, sign, integer(e, 0x80000000), "");
    LLVMValueRef value = as_integer(e, choose(e, odd, cosine, sine));
    return as_float(e, LLVMBuildXor(e->builder, value, sign, ""));
}

static LLVMValueRef emit_sin(emitter *e, LLVMValueRef x) {
    return emit_circular(e, x, 0);
}

static LLVMValueRef emit_cos(emitter *e, LLVMValueRef x) {
    return emit_circular(e, x, 1);
}

/* ---- choice ---- */

/* The instruction that stands for a function, with factors for its argument and result (0: none). */
typedef struct instruction_row {
    cake_builtin function;
    cake_math_instruction plain, ftz;
    float before, after;
} instruction_row;

static const instruction_row approx_rows[] = {
    {CAKE_BUILTIN_EXP, CAKE_MATH_EX2, CAKE_MATH_EX2_FTZ, LOG2_E, 0},
    {CAKE_BUILTIN_EXP2, CAKE_MATH_EX2, CAKE_MATH_EX2_FTZ, 0, 0},
    {CAKE_BUILTIN_LOG, CAKE_MATH_LG2, CAKE_MATH_LG2_FTZ, 0, LN_2},
    {CAKE_BUILTIN_LOG2, CAKE_MATH_LG2, CAKE_MATH_LG2_FTZ, 0, 0},
    {CAKE_BUILTIN_SQRT, CAKE_MATH_SQRT, CAKE_MATH_SQRT_FTZ, 0, 0},
    {CAKE_BUILTIN_RSQRT, CAKE_MATH_RSQRT, CAKE_MATH_RSQRT_FTZ, 0, 0},
    {CAKE_BUILTIN_RCP, CAKE_MATH_RCP, CAKE_MATH_RCP_FTZ, 0, 0},
    {CAKE_BUILTIN_TANH, CAKE_MATH_TANH, CAKE_MATH_TANH, 0, 0},
    {CAKE_BUILTIN_SIN, CAKE_MATH_SIN, CAKE_MATH_SIN, 0, 0},
    {CAKE_BUILTIN_COS, CAKE_MATH_COS, CAKE_MATH_COS, 0, 0},
};

/* rsqrt is accurate enough as the hardware has it. */
static const instruction_row plain_rows[] = {
    {CAKE_BUILTIN_SQRT, CAKE_MATH_SQRT_RN, CAKE_MATH_SQRT_RN_FTZ, 0, 0},
    {CAKE_BUILTIN_RSQRT, CAKE_MATH_RSQRT, CAKE_MATH_RSQRT_FTZ, 0, 0},
};

static const struct {
    cake_builtin function;
    LLVMValueRef (*emit)(emitter *e, LLVMValueRef x);
} expansions[] = {
    {CAKE_BUILTIN_RCP, emit_rcp}, {CAKE_BUILTIN_EXP, emit_exp},   {CAKE_BUILTIN_EXP2, emit_exp2},
    {CAKE_BUILTIN_LOG, emit_log}, {CAKE_BUILTIN_LOG2, emit_log2}, {CAKE_BUILTIN_TANH, emit_tanh},
    {CAKE_BUILTIN_ERF, emit_erf}, {CAKE_BUILTIN_SIN, emit_sin},   {CAKE_BUILTIN_COS, emit_cos},
};

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static LLVMValueRef emit_instruction(emitter *e, const instruction_row *row, LLVMValueRef x) {
    if (row->before != 0) x = scale(e, x, number(e, row->before));
    x = hardware(e, e->ftz ? row->ftz : row->plain, x);
    return row->after != 0 ? scale(e, x, number(e, row->after)) : x;
}

LLVMValueRef cake_math_emit_f32(emitter *e, cake_builtin function, LLVMValueRef x) {
    const instruction_row *rows = e->approx ? approx_rows : plain_rows;
    size_t count = e->approx ? LENGTH(approx_rows) : LENGTH(plain_rows);
    for (size_t i = 0; i < count; i++)
        if (rows[i].function == function) return emit_instruction(e, &rows[i], x);
    for (size_t i = 0; i < LENGTH(expansions); i++)
        if (expansions[i].function == function) return expansions[i].emit(e, x);
    return NULL;
}
