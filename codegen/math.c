#include "codegen/math_internal.h"

#include <stdio.h>

/* ---- what exists ---- */

#define NARROW   1u /* 16-bit floats */
#define SINGLE   2u
#define DOUBLE   4u
#define SIGNED   8u
#define UNSIGNED 16u
#define FLOATS   (NARROW | SINGLE | DOUBLE)
#define INTEGERS (SIGNED | UNSIGNED)

typedef struct form_row {
    cake_builtin function;
    unsigned kinds;
} form_row;

static const form_row forms[] = {
    {CAKE_BUILTIN_MIN, FLOATS | INTEGERS}, {CAKE_BUILTIN_MAX, FLOATS | INTEGERS},
    {CAKE_BUILTIN_ABS, FLOATS | INTEGERS}, {CAKE_BUILTIN_FMA, FLOATS},
    {CAKE_BUILTIN_FLOOR, FLOATS},          {CAKE_BUILTIN_CEIL, FLOATS},
    {CAKE_BUILTIN_ROUND, FLOATS},          {CAKE_BUILTIN_SQRT, FLOATS},
    {CAKE_BUILTIN_RSQRT, FLOATS},          {CAKE_BUILTIN_RCP, FLOATS},
    {CAKE_BUILTIN_EXP, NARROW | SINGLE},   {CAKE_BUILTIN_EXP2, NARROW | SINGLE},
    {CAKE_BUILTIN_LOG, NARROW | SINGLE},   {CAKE_BUILTIN_LOG2, NARROW | SINGLE},
    {CAKE_BUILTIN_TANH, NARROW | SINGLE},  {CAKE_BUILTIN_ERF, NARROW | SINGLE},
    {CAKE_BUILTIN_SIN, NARROW | SINGLE},   {CAKE_BUILTIN_COS, NARROW | SINGLE},
    {CAKE_BUILTIN_POPC, INTEGERS},         {CAKE_BUILTIN_CLZ, INTEGERS},
};

static unsigned kind_of(cake_dtype dtype) {
    switch (cake_dtype_class_of(dtype)) {
    case CAKE_CLASS_FLOAT:
        if (dtype == CAKE_DTYPE_F64) return DOUBLE;
        if (dtype == CAKE_DTYPE_F32) return SINGLE;
        return dtype == CAKE_DTYPE_F16 || dtype == CAKE_DTYPE_BF16 ? NARROW : 0;
    case CAKE_CLASS_SIGNED:
        return dtype == CAKE_DTYPE_I4 ? 0 : SIGNED;
    case CAKE_CLASS_UNSIGNED:
        return dtype == CAKE_DTYPE_U4 ? 0 : UNSIGNED;
    case CAKE_CLASS_INDEX:
        return SIGNED;
    case CAKE_CLASS_REAL:
        return SINGLE;
    case CAKE_CLASS_NONE:
    case CAKE_CLASS_BOOL:
        return 0;
    }
    return 0;
}

bool cake_math_supported(cake_builtin function, uint8_t modifiers, cake_dtype dtype) {
    unsigned kind = kind_of(dtype);
    if (modifiers & ~cake_builtin_info_of(function)->modifiers) return false;
    if (modifiers && (kind & INTEGERS)) return false;
    if ((modifiers & (CAKE_MODIFIER_APPROX | CAKE_MODIFIER_FTZ)) && kind == DOUBLE) return false;
    if (function == CAKE_BUILTIN_FMA && modifiers && kind == NARROW) return false;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i].function == function) return (forms[i].kinds & kind) != 0;
    return false;
}

/* ---- functions that LLVM has ---- */

/* Calls the overloaded intrinsic 'base' for the first argument's type. */
static LLVMValueRef call_overloaded(LLVMBuilderRef builder, const char *base, LLVMValueRef *arguments, unsigned count) {
    LLVMTypeRef type = LLVMTypeOf(arguments[0]);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    unsigned bits = kind == LLVMIntegerTypeKind  ? LLVMGetIntTypeWidth(type)
                    : kind == LLVMDoubleTypeKind ? 64
                    : kind == LLVMFloatTypeKind  ? 32
                                                 : 16;
    const char *prefix = kind == LLVMIntegerTypeKind ? "i" : kind == LLVMBFloatTypeKind ? "bf" : "f";
    char name[48];
    snprintf(name, sizeof name, "llvm.%s.%s%u", base, prefix, bits);
    return cake_math_call(builder, name, arguments, count);
}

static LLVMValueRef emit_min_max(LLVMBuilderRef builder, bool is_min, bool keep_nan, unsigned kind,
                                 LLVMValueRef *arguments) {
    static const char *const names[][2] = {
        {"maximumnum", "minimumnum"}, {"maximum", "minimum"}, {"smax", "smin"}, {"umax", "umin"}};
    size_t row = kind == SIGNED ? 2 : kind == UNSIGNED ? 3 : keep_nan ? 1 : 0;
    return call_overloaded(builder, names[row][is_min], arguments, 2);
}

static LLVMValueRef emit_integer(LLVMBuilderRef builder, cake_builtin function, unsigned kind,
                                 LLVMValueRef *arguments) {
    LLVMValueRef x = arguments[0];
    if (function == CAKE_BUILTIN_POPC) return call_overloaded(builder, "ctpop", arguments, 1);
    if (function == CAKE_BUILTIN_ABS && kind == UNSIGNED) return x;
    /* their second argument would make the result of 0, or of the least number, undefined */
    LLVMValueRef undefined = LLVMConstInt(LLVMInt1TypeInContext(LLVMGetTypeContext(LLVMTypeOf(x))), 0, false);
    const char *name = function == CAKE_BUILTIN_CLZ ? "ctlz" : "abs";
    return call_overloaded(builder, name, (LLVMValueRef[]){x, undefined}, 2);
}

/* abs fma floor ceil round of any float type, sqrt rsqrt rcp of binary64. */
static LLVMValueRef emit_float(LLVMBuilderRef builder, cake_builtin function, LLVMValueRef *arguments) {
    static const struct {
        cake_builtin function;
        const char *name;
        unsigned count;
    } rows[] = {{CAKE_BUILTIN_ABS, "fabs", 1},  {CAKE_BUILTIN_FMA, "fma", 3},         {CAKE_BUILTIN_FLOOR, "floor", 1},
                {CAKE_BUILTIN_CEIL, "ceil", 1}, {CAKE_BUILTIN_ROUND, "roundeven", 1}, {CAKE_BUILTIN_SQRT, "sqrt", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].function == function) return call_overloaded(builder, rows[i].name, arguments, rows[i].count);
    LLVMValueRef x = arguments[0];
    if (function == CAKE_BUILTIN_RSQRT) x = call_overloaded(builder, "sqrt", arguments, 1);
    return LLVMBuildFDiv(builder, LLVMConstReal(LLVMTypeOf(x), 1.0), x, "");
}

/* ---- choice ---- */

static LLVMValueRef emit_single(const cake_math_emitter *emitter, cake_builtin function, LLVMValueRef *arguments) {
    if (function == CAKE_BUILTIN_FMA && emitter->ftz)
        return cake_math_emit_instruction(emitter, CAKE_MATH_FMA_FTZ, arguments);
    LLVMValueRef value = cake_math_emit_f32(emitter, function, arguments[0]);
    return value ? value : emit_float(emitter->builder, function, arguments);
}

/* A 16-bit float through binary32. Rounding twice is harmless: sqrt, floor, ceil and round are exact that way, and the
 * others are allowed 2 ulp. */
static LLVMValueRef emit_narrow(const cake_math_emitter *emitter, cake_builtin function, LLVMValueRef x) {
    LLVMValueRef wide = LLVMBuildFPExt(emitter->builder, x, LLVMFloatTypeInContext(emitter->context), "");
    return LLVMBuildFPTrunc(emitter->builder, emit_single(emitter, function, &wide), LLVMTypeOf(x), "");
}

LLVMValueRef cake_math_emit_on(const cake_math_hardware *hardware, LLVMBuilderRef builder, cake_builtin function,
                               uint8_t modifiers, cake_dtype dtype, LLVMValueRef *arguments) {
    if (!cake_math_supported(function, modifiers, dtype)) return NULL;
    unsigned kind = kind_of(dtype);
    if (function == CAKE_BUILTIN_MIN || function == CAKE_BUILTIN_MAX)
        return emit_min_max(builder, function == CAKE_BUILTIN_MIN, modifiers & CAKE_MODIFIER_NAN, kind, arguments);
    if (kind & INTEGERS) return emit_integer(builder, function, kind, arguments);
    cake_math_emitter emitter = {.context = LLVMGetTypeContext(LLVMTypeOf(arguments[0])),
                                 .builder = builder,
                                 .hardware = hardware,
                                 .approx = modifiers & CAKE_MODIFIER_APPROX,
                                 .ftz = modifiers & CAKE_MODIFIER_FTZ};
    if (kind == SINGLE) return emit_single(&emitter, function, arguments);
    if (kind == DOUBLE || function == CAKE_BUILTIN_FMA || function == CAKE_BUILTIN_ABS)
        return emit_float(builder, function, arguments);
    return emit_narrow(&emitter, function, arguments[0]);
}

LLVMValueRef cake_math_emit(LLVMBuilderRef builder, cake_builtin function, uint8_t modifiers, cake_dtype dtype,
                            LLVMValueRef *arguments) {
    return cake_math_emit_on(&cake_math_nvptx, builder, function, modifiers, dtype, arguments);
}
