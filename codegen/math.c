#include "codegen/math_internal.h"

#include <stdio.h>

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

static LLVMValueRef emit_min_max(LLVMBuilderRef builder, bool is_min, bool keep_nan, uint8_t operand,
                                 LLVMValueRef *arguments) {
    static const char *const names[][2] = {
        {"maximumnum", "minimumnum"}, {"maximum", "minimum"}, {"smax", "smin"}, {"umax", "umin"}};
    size_t row = operand == CAKE_OPERAND_SIGNED ? 2 : operand == CAKE_OPERAND_UNSIGNED ? 3 : keep_nan ? 1 : 0;
    return call_overloaded(builder, names[row][is_min], arguments, 2);
}

static LLVMValueRef emit_integer(LLVMBuilderRef builder, cake_builtin function, uint8_t operand,
                                 LLVMValueRef *arguments) {
    LLVMValueRef x = arguments[0];
    if (function == CAKE_BUILTIN_POPC) return call_overloaded(builder, "ctpop", arguments, 1);
    if (function == CAKE_BUILTIN_ABS && operand == CAKE_OPERAND_UNSIGNED) return x;
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
 * others are allowed 2 ulp. For exp and exp2 the hardware's error of some 2^-20 is less than these types can show. */
static LLVMValueRef emit_narrow(cake_math_emitter emitter, cake_builtin function, LLVMValueRef x) {
    if (function == CAKE_BUILTIN_EXP || function == CAKE_BUILTIN_EXP2) emitter.approx = true;
    LLVMValueRef wide = LLVMBuildFPExt(emitter.builder, x, LLVMFloatTypeInContext(emitter.context), "");
    return LLVMBuildFPTrunc(emitter.builder, emit_single(&emitter, function, &wide), LLVMTypeOf(x), "");
}

LLVMValueRef cake_math_emit_on(const cake_math_hardware *hardware, LLVMBuilderRef builder, cake_builtin function,
                               uint8_t modifiers, cake_dtype dtype, LLVMValueRef *arguments) {
    if (!cake_builtin_has_form(function, modifiers, dtype)) return NULL;
    uint8_t operand = cake_dtype_operand(dtype);
    if (function == CAKE_BUILTIN_MIN || function == CAKE_BUILTIN_MAX)
        return emit_min_max(builder, function == CAKE_BUILTIN_MIN, modifiers & CAKE_MODIFIER_NAN, operand, arguments);
    if (operand & (CAKE_OPERAND_SIGNED | CAKE_OPERAND_UNSIGNED))
        return emit_integer(builder, function, operand, arguments);
    cake_math_emitter emitter = {.context = LLVMGetTypeContext(LLVMTypeOf(arguments[0])),
                                 .builder = builder,
                                 .hardware = hardware,
                                 .approx = modifiers & CAKE_MODIFIER_APPROX,
                                 .ftz = modifiers & CAKE_MODIFIER_FTZ};
    if (operand == CAKE_OPERAND_SINGLE) return emit_single(&emitter, function, arguments);
    if (operand == CAKE_OPERAND_DOUBLE || function == CAKE_BUILTIN_FMA || function == CAKE_BUILTIN_ABS)
        return emit_float(builder, function, arguments);
    return emit_narrow(emitter, function, arguments[0]);
}

LLVMValueRef cake_math_emit(LLVMBuilderRef builder, cake_builtin function, uint8_t modifiers, cake_dtype dtype,
                            LLVMValueRef *arguments) {
    return cake_math_emit_on(&cake_math_nvptx, builder, function, modifiers, dtype, arguments);
}
