/* The expansions of codegen/math_f32.c on the CPU, compiled by LLVM for the host, with the GPU's approximate
 * instructions replaced by models: the correctly rounded result, moved by one unit in the last place up or down unless
 * it is exact. What the instructions really do is measured on a GPU by tests/gpu/math.
 *
 * Usage: math_test [POINTS [FUNCTION]]: sweeps POINTS mantissas of every binade and sign (default 1500; 8388608 are all
 * there are) and prints the largest error of each function, or of one. What no approximate instruction is part of gets
 * eight times as many; for that, all points are a proof.
 */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/ExecutionEngine.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include "codegen/math_internal.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* ---- models of the instructions ---- */

typedef float model(float a, float b, float c, int32_t direction);

static float flushed(float x) {
    return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

/* exact, changed by 'direction' * 2^-24 of itself and rounded, unless binary32 has it. */
static float moved(double exact, int32_t direction) {
    if ((double)(float)exact == exact || isnan(exact)) return (float)exact;
    return (float)(exact * (1 + (double)direction * 0x1p-24));
}

#define MODEL(name, expression)                                                                                        \
    static float model_##name(float a, float b, float c, int32_t direction) {                                          \
        (void)b, (void)c;                                                                                              \
        double x = (double)a;                                                                                          \
        return moved(expression, direction);                                                                           \
    }
#define MODEL_WITH_FTZ(name, expression)                                                                               \
    MODEL(name, expression)                                                                                            \
    static float model_##name##_ftz(float a, float b, float c, int32_t direction) {                                    \
        return flushed(model_##name(flushed(a), b, c, direction));                                                     \
    }

MODEL_WITH_FTZ(ex2, exp2(x))
MODEL_WITH_FTZ(lg2, log2(x))
MODEL_WITH_FTZ(rcp, 1 / x)
MODEL_WITH_FTZ(rsqrt, 1 / sqrt(x))
MODEL_WITH_FTZ(sqrt, sqrt(x))
MODEL(sin, sin(x))
MODEL(cos, cos(x))
MODEL(tanh, tanh(x))

static float model_sqrt_rn(float a, float b, float c, int32_t direction) {
    (void)direction;
    return model_sqrt(a, b, c, 0);
}

static float model_sqrt_rn_ftz(float a, float b, float c, int32_t direction) {
    (void)direction;
    return model_sqrt_ftz(a, b, c, 0);
}

static float model_mul_ftz(float a, float b, float c, int32_t direction) {
    (void)c, (void)direction;
    return flushed(flushed(a) * flushed(b));
}

static float model_fma_ftz(float a, float b, float c, int32_t direction) {
    (void)direction;
    return flushed(fmaf(flushed(a), flushed(b), flushed(c)));
}

static model *const models[CAKE_MATH_INSTRUCTION_COUNT] = {
    [CAKE_MATH_EX2] = model_ex2,         [CAKE_MATH_EX2_FTZ] = model_ex2_ftz,
    [CAKE_MATH_LG2] = model_lg2,         [CAKE_MATH_LG2_FTZ] = model_lg2_ftz,
    [CAKE_MATH_RCP] = model_rcp,         [CAKE_MATH_RCP_FTZ] = model_rcp_ftz,
    [CAKE_MATH_RSQRT] = model_rsqrt,     [CAKE_MATH_RSQRT_FTZ] = model_rsqrt_ftz,
    [CAKE_MATH_SQRT] = model_sqrt,       [CAKE_MATH_SQRT_FTZ] = model_sqrt_ftz,
    [CAKE_MATH_SQRT_RN] = model_sqrt_rn, [CAKE_MATH_SQRT_RN_FTZ] = model_sqrt_rn_ftz,
    [CAKE_MATH_SIN] = model_sin,         [CAKE_MATH_COS] = model_cos,
    [CAKE_MATH_TANH] = model_tanh,       [CAKE_MATH_MUL_FTZ] = model_mul_ftz,
    [CAKE_MATH_FMA_FTZ] = model_fma_ftz,
};

/* Directions: of rcp, and of all other instructions. */
typedef struct modelled {
    cake_math_hardware hardware;
    int rcp, others;
} modelled;

/* Calls the model by its address. */
static LLVMValueRef emit_model(const cake_math_hardware *hardware, LLVMBuilderRef builder,
                               cake_math_instruction instruction, LLVMValueRef *arguments) {
    const modelled *self = (const modelled *)hardware;
    bool is_rcp = instruction == CAKE_MATH_RCP || instruction == CAKE_MATH_RCP_FTZ;
    LLVMTypeRef f32 = LLVMTypeOf(arguments[0]);
    LLVMContextRef context = LLVMGetTypeContext(f32);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(context), i64 = LLVMInt64TypeInContext(context);
    LLVMTypeRef type = LLVMFunctionType(f32, (LLVMTypeRef[]){f32, f32, f32, i32}, 4, false);
    LLVMValueRef given[4] = {arguments[0], arguments[0], arguments[0],
                             LLVMConstInt(i32, (unsigned long long)(is_rcp ? self->rcp : self->others), true)};
    for (unsigned i = 0; i < cake_math_instruction_info_of(instruction)->argument_count; i++)
        given[i] = arguments[i];
    LLVMValueRef address = LLVMConstInt(i64, (uintptr_t)models[instruction], false);
    LLVMValueRef pointer = LLVMConstIntToPtr(address, LLVMPointerTypeInContext(context, 0));
    return LLVMBuildCall2(builder, type, pointer, given, 4, "");
}

/* ---- compilation for the host ---- */

typedef struct compiled {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMExecutionEngineRef engine; /* owns the module */
    uintptr_t address;
} compiled;

static LLVMTypeRef type_of(LLVMContextRef context, cake_dtype dtype) {
    if (cake_dtype_class_of(dtype) != CAKE_CLASS_FLOAT && dtype != CAKE_DTYPE_REAL)
        return LLVMIntTypeInContext(context, cake_dtype_bits(dtype));
    if (dtype == CAKE_DTYPE_BF16) return LLVMBFloatTypeInContext(context);
    if (dtype == CAKE_DTYPE_REAL) return LLVMFloatTypeInContext(context);
    uint32_t bits = cake_dtype_bits(dtype);
    return bits == 64   ? LLVMDoubleTypeInContext(context)
           : bits == 32 ? LLVMFloatTypeInContext(context)
                        : LLVMHalfTypeInContext(context);
}

/* A 16-bit float travels as an integer: C has no such type. */
static LLVMTypeRef passed_as(LLVMTypeRef element) {
    LLVMTypeKind kind = LLVMGetTypeKind(element);
    bool narrow = kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind;
    return narrow ? LLVMInt16TypeInContext(LLVMGetTypeContext(element)) : element;
}

/* Adds 'dtype f(dtype a, ..)' to the module; false if the form is not supported. */
static bool add_function(LLVMModuleRef module, const cake_math_hardware *hardware, cake_builtin function,
                         uint8_t modifiers, cake_dtype dtype) {
    LLVMContextRef context = LLVMGetModuleContext(module);
    unsigned count = cake_builtin_info_of(function)->max_args;
    LLVMTypeRef element = type_of(context, dtype), passed = passed_as(element);
    LLVMTypeRef type = LLVMFunctionType(passed, (LLVMTypeRef[]){passed, passed, passed}, count > 3 ? 3 : count, false);
    LLVMValueRef value = LLVMAddFunction(module, "f", type);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, value, ""));
    LLVMValueRef arguments[3];
    LLVMGetParams(value, arguments);
    for (unsigned i = 0; i < count && i < 3; i++)
        arguments[i] = LLVMBuildBitCast(builder, arguments[i], element, "");
    LLVMValueRef result = cake_math_emit_on(hardware, builder, function, modifiers, dtype, arguments);
    if (result) LLVMBuildRet(builder, LLVMBuildBitCast(builder, result, passed, ""));
    LLVMDisposeBuilder(builder);
    return result != NULL;
}

/* Lets the function use what this machine has, fused multiply-add above all. */
static void tune_for_host(LLVMModuleRef module) {
    char *cpu = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures();
    const char *const rows[][2] = {{"target-cpu", cpu}, {"target-features", features}};
    for (size_t i = 0; i < LENGTH(rows); i++)
        LLVMAddAttributeAtIndex(LLVMGetNamedFunction(module, "f"), (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                LLVMCreateStringAttribute(LLVMGetModuleContext(module), rows[i][0],
                                                          (unsigned)strlen(rows[i][0]), rows[i][1],
                                                          (unsigned)strlen(rows[i][1])));
    LLVMDisposeMessage(cpu);
    LLVMDisposeMessage(features);
}

static compiled compile(const modelled *hardware, cake_builtin function, uint8_t modifiers, cake_dtype dtype) {
    compiled self = {.context = LLVMContextCreate()};
    self.module = LLVMModuleCreateWithNameInContext("test", self.context);
    assert_true(add_function(self.module, &hardware->hardware, function, modifiers, dtype));
    tune_for_host(self.module);
    char *message = NULL;
    if (LLVMCreateExecutionEngineForModule(&self.engine, self.module, &message)) fail_msg("%s", message);
    self.address = (uintptr_t)LLVMGetFunctionAddress(self.engine, "f");
    assert_true(self.address != 0);
    return self;
}

static void discard(compiled *self) {
    LLVMDisposeExecutionEngine(self->engine);
    LLVMContextDispose(self->context);
}

static const modelled exact = {{emit_model}, 0, 0};

/* ---- accuracy ---- */

static double exact_rcp(double x) {
    return 1 / x;
}

static double exact_rsqrt(double x) {
    return 1 / sqrt(x);
}

static double exact_round(double x) {
    return nearbyint(x);
}

typedef struct accuracy_row {
    cake_builtin function;
    double (*reference)(double);
    float limit;  /* largest |x| */
    double bound; /* in ulp */
} accuracy_row;

/* binary64 functions of the C library are exact enough to stand for the truth. */
static const accuracy_row accuracy_rows[] = {
    {CAKE_BUILTIN_EXP, exp, INFINITY, 2},
    {CAKE_BUILTIN_EXP2, exp2, INFINITY, 2},
    {CAKE_BUILTIN_LOG, log, INFINITY, 2},
    {CAKE_BUILTIN_LOG2, log2, INFINITY, 2},
    {CAKE_BUILTIN_TANH, tanh, INFINITY, 2},
    {CAKE_BUILTIN_ERF, erf, INFINITY, 2},
    {CAKE_BUILTIN_RCP, exact_rcp, INFINITY, 2},
    {CAKE_BUILTIN_RSQRT, exact_rsqrt, INFINITY, 2},
    {CAKE_BUILTIN_SIN, sin, 0x1p17f, 2},
    {CAKE_BUILTIN_COS, cos, 0x1p17f, 2},
    {CAKE_BUILTIN_SQRT, sqrt, INFINITY, 0.5},
    {CAKE_BUILTIN_ABS, fabs, INFINITY, 0},
    {CAKE_BUILTIN_FLOOR, floor, INFINITY, 0},
    {CAKE_BUILTIN_CEIL, ceil, INFINITY, 0},
    {CAKE_BUILTIN_ROUND, exact_round, INFINITY, 0},
};

static float of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

typedef struct float_format {
    cake_dtype dtype;
    int mantissa_bits, least_exponent, greatest_exponent;
} float_format;

static const float_format binary32 = {CAKE_DTYPE_F32, 23, -126, 127};
static const float_format binary16 = {CAKE_DTYPE_F16, 10, -14, 15};
static const float_format bfloat16 = {CAKE_DTYPE_BF16, 7, -126, 127};

/* |result - wanted| in units of wanted's last place; infinity counts as the number that would follow the greatest. */
static double error_in_ulp(const float_format *format, double result, double wanted) {
    if (isnan(result) || isnan(wanted)) return isnan(result) && isnan(wanted) ? 0 : (double)INFINITY;
    double beyond = ldexp(1, format->greatest_exponent + 1);
    double got = isinf(result) ? copysign(beyond, result) : result;
    if (fabs(wanted) > beyond) wanted = copysign(beyond, wanted);
    int exponent = wanted == 0 ? format->least_exponent : ilogb(wanted);
    if (exponent < format->least_exponent) exponent = format->least_exponent;
    if (exponent > format->greatest_exponent) exponent = format->greatest_exponent;
    return fabs(got - wanted) / ldexp(1, exponent - format->mantissa_bits);
}

typedef struct worst {
    double error;
    float x;
} worst;

static void look_at(worst *worst_seen, const accuracy_row *row, float (*function)(float), uint32_t bits, bool ftz) {
    float x = of_bits(bits);
    if (fabsf(x) > row->limit) return;
    float seen = ftz ? flushed(x) : x;
    double wanted = row->reference((double)seen);
    float result = function(x);
    double error = error_in_ulp(&binary32, (double)result, wanted);
    if (ftz && fabs(wanted) < 0x1.000004p-126 && result == 0) error = 0;
    if (error > worst_seen->error) *worst_seen = (worst){error, x};
}

/* The others' results do not depend on an approximate instruction, so they need one sweep, which is denser. */
static bool uses_models(cake_builtin function) {
    return function == CAKE_BUILTIN_TANH || function == CAKE_BUILTIN_ERF || function == CAKE_BUILTIN_RCP ||
           function == CAKE_BUILTIN_RSQRT;
}

static uint32_t points = 1500;
static const char *only; /* function, or null: all */

static void sweep(worst *worst_seen, const accuracy_row *row, float (*function)(float), bool ftz) {
    const uint32_t all = UINT32_C(1) << 23, count = uses_models(row->function) ? points : points * 8;
    for (uint32_t top = 0; top < 512; top++) { /* sign and exponent */
        if (count >= all) {
            for (uint32_t i = 0; i < all; i++)
                look_at(worst_seen, row, function, top << 23 | i, ftz);
            continue;
        }
        /* multiples of an odd number, taken modulo 2^23, are spread evenly and never repeat */
        for (uint32_t i = 0; i < count; i++)
            look_at(worst_seen, row, function, top << 23 | (i * UINT32_C(5184443) & (all - 1)), ftz);
        for (uint32_t i = 0; i < 8; i++)
            look_at(worst_seen, row, function, top << 23 | (all - 1 - i), ftz);
        for (uint32_t i = 0; i < 8; i++)
            look_at(worst_seen, row, function, top << 23 | i, ftz);
    }
}

static void check_accuracy(const accuracy_row *row, uint8_t modifiers) {
    worst all = {0, 0};
    bool ftz = modifiers & CAKE_MODIFIER_FTZ;
    for (int variant = 0; variant < 9; variant++) {
        const modelled hardware = {{emit_model}, variant % 3 - 1, variant / 3 - 1};
        if (!uses_models(row->function) && (hardware.rcp || hardware.others)) continue;
        if (row->function != CAKE_BUILTIN_TANH && hardware.rcp != hardware.others) continue;
        compiled code = compile(&hardware, row->function, modifiers, CAKE_DTYPE_F32);
        sweep(&all, row, (float (*)(float))code.address, ftz);
        discard(&code);
    }
    print_message("    %-6s%-5s %.3f ulp at %a\n", cake_builtin_info_of(row->function)->name, ftz ? ".ftz" : "",
                  all.error, (double)all.x);
    if (all.error > row->bound) fail_msg("more than %g ulp", row->bound);
}

static void test_accuracy(void **state) {
    (void)state;
    for (size_t i = 0; i < LENGTH(accuracy_rows); i++) {
        const char *name = cake_builtin_info_of(accuracy_rows[i].function)->name;
        if (only && strcmp(only, name) != 0) continue;
        check_accuracy(&accuracy_rows[i], 0);
        if (cake_builtin_has_form(accuracy_rows[i].function, CAKE_MODIFIER_FTZ, CAKE_DTYPE_F32))
            check_accuracy(&accuracy_rows[i], CAKE_MODIFIER_FTZ);
    }
}

/* The value that 16 bits stand for. */
static double of_narrow(const float_format *format, uint32_t bits) {
    if (format->dtype == CAKE_DTYPE_BF16) return (double)of_bits(bits << 16);
    int field = (int)(bits >> 10 & 31), mantissa = (int)(bits & 1023);
    double size = field == 31 ? (mantissa ? (double)NAN : (double)INFINITY)
                              : ldexp(field ? 1024 + mantissa : mantissa, field ? field - 25 : -24);
    return bits >> 15 ? -size : size;
}

/* All inputs; the bound of 2 ulp is met by far, as these are binary32 results rounded. Subnormal results are left to
 * the test on a GPU, since the host's conversion to bfloat16 may flush them. */
static void check_narrow(const accuracy_row *row, const float_format *format) {
    double worst_error = 0, place = 0;
    for (int direction = -1; direction <= 1; direction++) {
        const modelled hardware = {{emit_model}, direction, direction};
        compiled code = compile(&hardware, row->function, 0, format->dtype);
        for (uint32_t bits = 0; bits <= UINT16_MAX; bits++) {
            double x = of_narrow(format, bits);
            if (fabs(x) > (double)row->limit) continue;
            double wanted = row->reference(x);
            if (fabs(wanted) < ldexp(1, format->least_exponent)) continue;
            double result = of_narrow(format, ((uint16_t (*)(uint16_t))code.address)((uint16_t)bits));
            double error = error_in_ulp(format, result, wanted);
            if (error > worst_error) worst_error = error, place = x;
        }
        discard(&code);
    }
    print_message("    %-6s %-4s %.3f ulp at %a\n", cake_builtin_info_of(row->function)->name,
                  cake_dtype_name(format->dtype), worst_error, place);
    if (worst_error > 0.51) fail_msg("more than rounding explains");
}

static void test_narrow(void **state) {
    (void)state;
    for (size_t i = 0; i < LENGTH(accuracy_rows); i++) {
        if (only && strcmp(only, cake_builtin_info_of(accuracy_rows[i].function)->name) != 0) continue;
        check_narrow(&accuracy_rows[i], &binary16);
        check_narrow(&accuracy_rows[i], &bfloat16);
    }
}

/* ---- special values ---- */

#define ZERO         UINT32_C(0x00000000)
#define MINUS_ZERO   UINT32_C(0x80000000)
#define ONE          UINT32_C(0x3f800000)
#define MINUS_ONE    UINT32_C(0xbf800000)
#define INF          UINT32_C(0x7f800000)
#define MINUS_INF    UINT32_C(0xff800000)
#define NOT_A_NUMBER UINT32_C(0x7fc00000)
#define LEAST        UINT32_C(0x00000001)
#define MINUS_LEAST  UINT32_C(0x80000001)

static const struct {
    cake_builtin function;
    uint32_t x, wanted;
} special_rows[] = {
    {CAKE_BUILTIN_EXP, ZERO, ONE},
    {CAKE_BUILTIN_EXP, MINUS_ZERO, ONE},
    {CAKE_BUILTIN_EXP, INF, INF},
    {CAKE_BUILTIN_EXP, MINUS_INF, ZERO},
    {CAKE_BUILTIN_EXP, NOT_A_NUMBER, NOT_A_NUMBER},
    {CAKE_BUILTIN_EXP, 0x7f7fffff, INF},
    {CAKE_BUILTIN_EXP, 0xff7fffff, ZERO},
    {CAKE_BUILTIN_EXP2, ZERO, ONE},
    {CAKE_BUILTIN_EXP2, 0x42fe0000, 0x7f000000}, /* 2^127 */
    {CAKE_BUILTIN_EXP2, 0x43000000, INF},        /* 2^128 */
    {CAKE_BUILTIN_EXP2, 0xc2fe0000, 0x00400000}, /* 2^-127 */
    {CAKE_BUILTIN_EXP2, 0xc3150000, LEAST},      /* 2^-149 */
    {CAKE_BUILTIN_EXP2, 0xc3160000, ZERO},       /* 2^-150 */
    {CAKE_BUILTIN_EXP2, INF, INF},
    {CAKE_BUILTIN_EXP2, MINUS_INF, ZERO},
    {CAKE_BUILTIN_EXP2, NOT_A_NUMBER, NOT_A_NUMBER},
    {CAKE_BUILTIN_LOG, ONE, ZERO},
    {CAKE_BUILTIN_LOG, ZERO, MINUS_INF},
    {CAKE_BUILTIN_LOG, MINUS_ZERO, MINUS_INF},
    {CAKE_BUILTIN_LOG, MINUS_LEAST, NOT_A_NUMBER},
    {CAKE_BUILTIN_LOG, MINUS_ONE, NOT_A_NUMBER},
    {CAKE_BUILTIN_LOG, INF, INF},
    {CAKE_BUILTIN_LOG, MINUS_INF, NOT_A_NUMBER},
    {CAKE_BUILTIN_LOG, NOT_A_NUMBER, NOT_A_NUMBER},
    {CAKE_BUILTIN_LOG2, ONE, ZERO},
    {CAKE_BUILTIN_LOG2, LEAST, 0xc3150000}, /* -149 */
    {CAKE_BUILTIN_LOG2, ZERO, MINUS_INF},
    {CAKE_BUILTIN_LOG2, MINUS_ONE, NOT_A_NUMBER},
    {CAKE_BUILTIN_LOG2, INF, INF},
    {CAKE_BUILTIN_SQRT, MINUS_ZERO, MINUS_ZERO},
    {CAKE_BUILTIN_SQRT, MINUS_ONE, NOT_A_NUMBER},
    {CAKE_BUILTIN_RCP, MINUS_ZERO, MINUS_INF},
    {CAKE_BUILTIN_RCP, MINUS_INF, MINUS_ZERO},
    {CAKE_BUILTIN_TANH, MINUS_ZERO, MINUS_ZERO},
    {CAKE_BUILTIN_TANH, MINUS_LEAST, MINUS_LEAST},
    {CAKE_BUILTIN_TANH, INF, ONE},
    {CAKE_BUILTIN_TANH, MINUS_INF, MINUS_ONE},
    {CAKE_BUILTIN_TANH, NOT_A_NUMBER, NOT_A_NUMBER},
    {CAKE_BUILTIN_ERF, ZERO, ZERO},
    {CAKE_BUILTIN_ERF, MINUS_ZERO, MINUS_ZERO},
    {CAKE_BUILTIN_ERF, LEAST, LEAST},
    {CAKE_BUILTIN_ERF, INF, ONE},
    {CAKE_BUILTIN_ERF, MINUS_INF, MINUS_ONE},
    {CAKE_BUILTIN_ERF, NOT_A_NUMBER, NOT_A_NUMBER},
    {CAKE_BUILTIN_SIN, ZERO, ZERO},
    {CAKE_BUILTIN_SIN, MINUS_ZERO, MINUS_ZERO},
    {CAKE_BUILTIN_SIN, MINUS_LEAST, MINUS_LEAST},
    {CAKE_BUILTIN_SIN, INF, NOT_A_NUMBER},
    {CAKE_BUILTIN_SIN, 0x7149f2ca, NOT_A_NUMBER}, /* 1e30 */
    {CAKE_BUILTIN_SIN, NOT_A_NUMBER, NOT_A_NUMBER},
    {CAKE_BUILTIN_COS, MINUS_ZERO, ONE},
    {CAKE_BUILTIN_COS, MINUS_INF, NOT_A_NUMBER},
    {CAKE_BUILTIN_COS, NOT_A_NUMBER, NOT_A_NUMBER},
    {CAKE_BUILTIN_ROUND, 0x3f000000, ZERO},       /* 0.5 */
    {CAKE_BUILTIN_ROUND, 0xbf000000, MINUS_ZERO}, /* -0.5 */
    {CAKE_BUILTIN_ROUND, 0x40200000, 0x40000000}, /* 2.5: to even */
    {CAKE_BUILTIN_FLOOR, MINUS_ZERO, MINUS_ZERO},
    {CAKE_BUILTIN_ABS, MINUS_ZERO, ZERO},
    {CAKE_BUILTIN_ABS, MINUS_INF, INF},
};

static void test_special_values(void **state) {
    (void)state;
    for (size_t i = 0; i < LENGTH(special_rows); i++) {
        compiled code = compile(&exact, special_rows[i].function, 0, CAKE_DTYPE_F32);
        float result = ((float (*)(float))code.address)(of_bits(special_rows[i].x));
        discard(&code);
        uint32_t got = isnan(result) ? NOT_A_NUMBER : bits_of(result);
        if (got != special_rows[i].wanted)
            fail_msg("%s(0x%08" PRIx32 ") is 0x%08" PRIx32 ", not 0x%08" PRIx32,
                     cake_builtin_info_of(special_rows[i].function)->name, special_rows[i].x, got,
                     special_rows[i].wanted);
    }
}

/* ---- functions of several arguments, integers, binary64 ---- */

static void test_min_max(void **state) {
    (void)state;
    static const struct {
        cake_builtin function;
        uint8_t modifiers;
        uint32_t a, b, wanted;
    } rows[] = {
        {CAKE_BUILTIN_MIN, 0, ONE, MINUS_ONE, MINUS_ONE},
        {CAKE_BUILTIN_MAX, 0, ONE, MINUS_ONE, ONE},
        {CAKE_BUILTIN_MIN, 0, NOT_A_NUMBER, ONE, ONE},
        {CAKE_BUILTIN_MAX, 0, ONE, NOT_A_NUMBER, ONE},
        {CAKE_BUILTIN_MAX, 0, NOT_A_NUMBER, NOT_A_NUMBER, NOT_A_NUMBER},
        {CAKE_BUILTIN_MIN, CAKE_MODIFIER_NAN, NOT_A_NUMBER, ONE, NOT_A_NUMBER},
        {CAKE_BUILTIN_MAX, CAKE_MODIFIER_NAN, ONE, NOT_A_NUMBER, NOT_A_NUMBER},
        {CAKE_BUILTIN_MIN, 0, ZERO, MINUS_ZERO, MINUS_ZERO},
        {CAKE_BUILTIN_MAX, 0, MINUS_ZERO, ZERO, ZERO},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        compiled code = compile(&exact, rows[i].function, rows[i].modifiers, CAKE_DTYPE_F32);
        float result = ((float (*)(float, float))code.address)(of_bits(rows[i].a), of_bits(rows[i].b));
        discard(&code);
        assert_int_equal(isnan(result) ? NOT_A_NUMBER : bits_of(result), rows[i].wanted);
    }
}

static void test_integers(void **state) {
    (void)state;
    static const struct {
        cake_builtin function;
        cake_dtype dtype;
        uint64_t a, b, wanted;
    } rows[] = {
        {CAKE_BUILTIN_ABS, CAKE_DTYPE_I32, 0xfffffffb, 0, 5},
        {CAKE_BUILTIN_ABS, CAKE_DTYPE_I32, 0x80000000, 0, 0x80000000}, /* wraps */
        {CAKE_BUILTIN_ABS, CAKE_DTYPE_U32, 0xfffffffb, 0, 0xfffffffb},
        {CAKE_BUILTIN_MIN, CAKE_DTYPE_I32, 0xffffffff, 1, 0xffffffff},
        {CAKE_BUILTIN_MIN, CAKE_DTYPE_U32, 0xffffffff, 1, 1},
        {CAKE_BUILTIN_MAX, CAKE_DTYPE_I8, 0xff, 1, 1},
        {CAKE_BUILTIN_MAX, CAKE_DTYPE_U64, UINT64_MAX, 1, UINT64_MAX},
        {CAKE_BUILTIN_POPC, CAKE_DTYPE_U32, 0xf0f0, 0, 8},
        {CAKE_BUILTIN_POPC, CAKE_DTYPE_I64, UINT64_MAX, 0, 64},
        {CAKE_BUILTIN_CLZ, CAKE_DTYPE_U8, 1, 0, 7},
        {CAKE_BUILTIN_CLZ, CAKE_DTYPE_U32, 0, 0, 32},
        {CAKE_BUILTIN_CLZ, CAKE_DTYPE_U64, 1, 0, 63},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        compiled code = compile(&exact, rows[i].function, 0, rows[i].dtype);
        uint64_t result = ((uint64_t (*)(uint64_t, uint64_t))code.address)(rows[i].a, rows[i].b);
        discard(&code);
        uint32_t bits = cake_dtype_bits(rows[i].dtype);
        assert_int_equal(bits < 64 ? result & ((UINT64_C(1) << bits) - 1) : result, rows[i].wanted);
    }
}

static void test_binary64(void **state) {
    (void)state;
    static const struct {
        cake_builtin function;
        uint8_t modifiers;
        double a, b, wanted;
    } rows[] = {
        {CAKE_BUILTIN_SQRT, 0, 2, 0, 0x1.6a09e667f3bcdp0},
        {CAKE_BUILTIN_RCP, 0, 3, 0, 1.0 / 3},
        {CAKE_BUILTIN_RSQRT, 0, 4, 0, 0.5},
        {CAKE_BUILTIN_ABS, 0, -1.5, 0, 1.5},
        {CAKE_BUILTIN_FLOOR, 0, -1.5, 0, -2},
        {CAKE_BUILTIN_CEIL, 0, -1.5, 0, -1},
        {CAKE_BUILTIN_ROUND, 0, 2.5, 0, 2},
        {CAKE_BUILTIN_MIN, 0, (double)NAN, 1, 1},
        {CAKE_BUILTIN_MAX, 0, 2, 1, 2},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        compiled code = compile(&exact, rows[i].function, rows[i].modifiers, CAKE_DTYPE_F64);
        assert_true(((double (*)(double, double))code.address)(rows[i].a, rows[i].b) == rows[i].wanted);
        discard(&code);
    }
    compiled code = compile(&exact, CAKE_BUILTIN_FMA, 0, CAKE_DTYPE_F64);
    double product_error = ((double (*)(double, double, double))code.address)(0x1.0000001p0, 0x1.0000001p0, -1.0);
    assert_true(product_error == 0x1.00000008p-27);
    discard(&code);
}

/* ---- every form is selected by NVPTX ---- */

static LLVMTargetMachineRef nvptx_machine(void) {
    LLVMTargetRef target;
    char *message = NULL;
    if (LLVMGetTargetFromTriple("nvptx64-nvidia-cuda", &target, &message)) {
        LLVMDisposeMessage(message);
        return NULL;
    }
    return LLVMCreateTargetMachine(target, "nvptx64-nvidia-cuda", "sm_80", "+ptx70", LLVMCodeGenLevelDefault,
                                   LLVMRelocDefault, LLVMCodeModelDefault);
}

static void check_form(LLVMTargetMachineRef machine, cake_builtin function, uint8_t modifiers, cake_dtype dtype) {
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("form", context);
    LLVMSetTarget(module, "nvptx64-nvidia-cuda");
    bool emitted = add_function(module, &cake_math_nvptx, function, modifiers, dtype);
    assert_int_equal(emitted, cake_builtin_has_form(function, modifiers, dtype));
    if (emitted) {
        char *message = NULL;
        LLVMMemoryBufferRef text;
        assert_false(LLVMVerifyModule(module, LLVMReturnStatusAction, &message));
        LLVMDisposeMessage(message);
        assert_false(LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMAssemblyFile, &message, &text));
        assert_null(strstr(LLVMGetBufferStart(text), "call.uni")); /* no library behind it */
        LLVMDisposeMemoryBuffer(text);
    }
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}

static void test_forms(void **state) {
    (void)state;
    LLVMTargetMachineRef machine = nvptx_machine();
    if (!machine) skip();
    for (int function = 1; function < CAKE_BUILTIN_END; function++)
        for (int dtype = 1; dtype < CAKE_DTYPE_COUNT; dtype++)
            for (uint8_t modifiers = 0; modifiers < 8; modifiers++)
                check_form(machine, (cake_builtin)function, modifiers, (cake_dtype)dtype);
    LLVMDisposeTargetMachine(machine);
}

int main(int count, char **words) {
    if (count > 1) points = (uint32_t)strtoul(words[1], NULL, 10);
    if (count > 2) only = words[2];
    LLVMLinkInMCJIT();
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accuracy), cmocka_unit_test(test_narrow),   cmocka_unit_test(test_special_values),
        cmocka_unit_test(test_min_max),  cmocka_unit_test(test_integers), cmocka_unit_test(test_binary64),
        cmocka_unit_test(test_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
