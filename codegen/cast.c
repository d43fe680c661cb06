/* Casts.
 *
 * 'sat' clamps before the conversion, so that rounding can't leave the range again: floats to the largest finite number
 * of the result's type, integers to its ends. What stands for NaN in integers is 0 (LLVM 'llvm.fptosi.sat').
 * 8-bit floats are converted in pairs, through f16 on the way up, which holds them all, and from f32 on the way down,
 * which the hardware always saturates (PTX ISA 'cvt', .e4m3x2 and .e5m2x2).
 */
#include <float.h>

#include "codegen/emit.h"

static bool is_float(cake_dtype dtype) {
    cake_dtype_class class_ = cake_dtype_class_of(dtype);
    return class_ == CAKE_CLASS_FLOAT || class_ == CAKE_CLASS_REAL;
}

static bool is_signed(cake_dtype dtype) {
    cake_dtype_class class_ = cake_dtype_class_of(dtype);
    return class_ == CAKE_CLASS_SIGNED || class_ == CAKE_CLASS_INDEX;
}

/* ---- float to float ---- */

static LLVMValueRef resize_float(cake_emitter *e, LLVMValueRef value, LLVMTypeRef type) {
    LLVMTypeRef from = LLVMTypeOf(value), f64 = LLVMDoubleTypeInContext(e->context);
    if (from == type) return value;
    bool widens = type == f64 || (type == e->f32 && from != f64);
    return widens ? LLVMBuildFPExt(e->builder, value, type, "") : LLVMBuildFPTrunc(e->builder, value, type, "");
}

static LLVMValueRef to_f32(cake_emitter *e, LLVMValueRef value) {
    if (LLVMTypeOf(value) != LLVMBFloatTypeInContext(e->context)) return resize_float(e, value, e->f32);
    /* the upper half: one shift or mask */
    LLVMValueRef bits = LLVMBuildZExt(e->builder, LLVMBuildBitCast(e->builder, value, e->i16, ""), e->i32, "");
    return LLVMBuildBitCast(e->builder, LLVMBuildShl(e->builder, bits, cake_emit_i32(e, 16), ""), e->f32, "");
}

static double largest_finite(cake_dtype dtype) {
    if (dtype == CAKE_DTYPE_F64) return DBL_MAX;
    if (dtype == CAKE_DTYPE_F16) return 65504.0;
    if (dtype == CAKE_DTYPE_BF16) return 0x1.FEp127;
    return dtype == CAKE_DTYPE_TF32 ? 0x1.FFCp127 : FLT_MAX; /* 8-bit floats saturate by themselves */
}

/* NaN compares false and so stays. */
static LLVMValueRef clamp_float(cake_emitter *e, LLVMValueRef value, double limit) {
    LLVMValueRef high = LLVMConstReal(LLVMTypeOf(value), limit), low = LLVMConstReal(LLVMTypeOf(value), -limit);
    LLVMValueRef above = LLVMBuildFCmp(e->builder, LLVMRealOGT, value, high, "");
    value = LLVMBuildSelect(e->builder, above, high, value, "");
    LLVMValueRef below = LLVMBuildFCmp(e->builder, LLVMRealOLT, value, low, "");
    return LLVMBuildSelect(e->builder, below, low, value, "");
}

static LLVMValueRef convert(cake_emitter *e, LLVMValueRef value, LLVMTypeRef type, const char *text,
                            const char *constraints) {
    return cake_emit_asm_value(e, type, text, constraints, &value, 1, false);
}

/* Towards zero; twice towards zero is once. */
static LLVMValueRef truncate_float(cake_emitter *e, LLVMValueRef value, cake_dtype to) {
    LLVMTypeRef f64 = LLVMDoubleTypeInContext(e->context), type = cake_emit_type(e, to);
    if (to == CAKE_DTYPE_F64) return resize_float(e, value, f64);
    if (LLVMTypeOf(value) == f64) value = convert(e, value, e->f32, "cvt.rz.f32.f64 $0, $1;", "=f,d");
    value = to_f32(e, value);
    if (to == CAKE_DTYPE_TF32) {
        LLVMValueRef bits = LLVMBuildBitCast(e->builder, value, e->i32, "");
        bits = LLVMBuildAnd(e->builder, bits, cake_emit_i32(e, 0xFFFFE000u), "");
        return LLVMBuildBitCast(e->builder, bits, e->f32, "");
    }
    if (type == e->f32) return value;
    const char *text = to == CAKE_DTYPE_F16 ? "cvt.rz.f16.f32 $0, $1;" : "cvt.rz.bf16.f32 $0, $1;";
    return LLVMBuildBitCast(e->builder, convert(e, value, e->i16, text, "=h,f"), type, "");
}

/* A finite f64 that f32 does not hold is rounded to odd, which the second rounding can't mistake for a tie. */
static LLVMValueRef to_odd_f32(cake_emitter *e, LLVMValueRef value) {
    LLVMTypeRef f64 = LLVMDoubleTypeInContext(e->context);
    if (LLVMTypeOf(value) != f64) return to_f32(e, value);
    LLVMValueRef single = convert(e, value, e->f32, "cvt.rz.f32.f64 $0, $1;", "=f,d");
    LLVMValueRef inexact =
        LLVMBuildFCmp(e->builder, LLVMRealUNE, LLVMBuildFPExt(e->builder, single, f64, ""), value, "");
    LLVMValueRef bits = LLVMBuildBitCast(e->builder, single, e->i32, "");
    bits = LLVMBuildOr(e->builder, bits, LLVMBuildZExt(e->builder, inexact, e->i32, ""), "");
    return LLVMBuildBitCast(e->builder, bits, e->f32, "");
}

/* To nearest, ties to even: half of the last kept place is added, less one where that is even. */
static LLVMValueRef round_tf32(cake_emitter *e, LLVMValueRef value) {
    LLVMValueRef bits = LLVMBuildBitCast(e->builder, value, e->i32, "");
    LLVMValueRef odd = LLVMBuildLShr(e->builder, bits, cake_emit_i32(e, 13), "");
    odd = LLVMBuildAnd(e->builder, odd, cake_emit_i32(e, 1), "");
    bits = LLVMBuildAdd(e->builder, LLVMBuildAdd(e->builder, bits, cake_emit_i32(e, 0xFFF), ""), odd, "");
    bits = LLVMBuildAnd(e->builder, bits, cake_emit_i32(e, 0xFFFFE000u), "");
    LLVMValueRef rounded = LLVMBuildBitCast(e->builder, bits, e->f32, "");
    LLVMValueRef is_number = LLVMBuildFCmp(e->builder, LLVMRealORD, value, value, "");
    return LLVMBuildSelect(e->builder, is_number, rounded, value, "");
}

static LLVMValueRef float_to_float(cake_emitter *e, const cake_plan_op *op, LLVMValueRef value, cake_dtype to) {
    LLVMTypeRef type = cake_emit_type(e, to), f64 = LLVMDoubleTypeInContext(e->context);
    bool wide = LLVMTypeOf(value) == f64 || type == f64;
    if (op->u.cast.saturate) {
        value = wide ? resize_float(e, value, f64) : to_f32(e, value);
        value = clamp_float(e, value, largest_finite(to));
    }
    if (op->u.cast.rounding == CAKE_ROUND_TOWARD_ZERO) return truncate_float(e, value, to);
    if (to == CAKE_DTYPE_TF32) return round_tf32(e, to_odd_f32(e, value));
    if (LLVMTypeOf(value) != type && !wide) value = to_f32(e, value); /* between the 16-bit floats too */
    return resize_float(e, value, type);
}

/* ---- floats and integers ---- */

/* An integer of its own width in the register's type. */
static LLVMValueRef extend(cake_emitter *e, LLVMValueRef value, const cake_plan_value *result) {
    LLVMTypeRef type = cake_emit_value_type(e, result);
    return is_signed(result->dtype) ? LLVMBuildSExtOrBitCast(e->builder, value, type, "")
                                    : LLVMBuildZExtOrBitCast(e->builder, value, type, "");
}

static LLVMValueRef float_to_integer(cake_emitter *e, const cake_plan_op *op, LLVMValueRef value) {
    cake_dtype to = op->result->dtype;
    LLVMBuilderRef builder = e->builder;
    if (to == CAKE_DTYPE_BOOL)
        return LLVMBuildFCmp(builder, LLVMRealUNE, value, LLVMConstReal(LLVMTypeOf(value), 0), "");
    LLVMTypeRef type = LLVMIntTypeInContext(e->context, cake_dtype_bits(to));
    if (to == CAKE_DTYPE_INDEX) type = cake_emit_value_type(e, op->result);
    if (LLVMTypeOf(value) != LLVMDoubleTypeInContext(e->context)) value = to_f32(e, value);
    LLVMValueRef integer;
    if (op->u.cast.saturate) {
        LLVMTypeRef types[2] = {type, LLVMTypeOf(value)};
        const char *name = is_signed(to) ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
        integer = cake_emit_intrinsic(e, name, types, 2, &value, 1);
    } else {
        integer = is_signed(to) ? LLVMBuildFPToSI(builder, value, type, "") : LLVMBuildFPToUI(builder, value, type, "");
    }
    return extend(e, integer, op->result);
}

/* An integer of 32 or 64 bits as f32 or f64, towards zero. */
static LLVMValueRef truncate_integer(cake_emitter *e, LLVMValueRef value, bool is_signed_, LLVMTypeRef type) {
    bool wide = LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 32, real_wide = type != e->f32;
    if (!wide)
        value = is_signed_ ? LLVMBuildSExtOrBitCast(e->builder, value, e->i32, "")
                           : LLVMBuildZExtOrBitCast(e->builder, value, e->i32, "");
    const char *text = cake_arena_format(e->arena, "cvt.rz.f%u.%c%u $0, $1;", real_wide ? 64u : 32u,
                                         is_signed_ ? 's' : 'u', wide ? 64u : 32u);
    const char *constraints = cake_arena_format(e->arena, "=%c,%c", real_wide ? 'd' : 'f', wide ? 'l' : 'r');
    return convert(e, value, type, text, constraints);
}

static LLVMValueRef integer_to_float(cake_emitter *e, const cake_plan_op *op, LLVMValueRef value, cake_dtype to) {
    bool signed_ = is_signed(op->operands[0]->dtype);
    LLVMTypeRef f64 = LLVMDoubleTypeInContext(e->context);
    LLVMTypeRef via = to == CAKE_DTYPE_F64 ? f64 : e->f32; /* exact for what fits the smaller floats */
    LLVMValueRef real;
    if (op->u.cast.rounding == CAKE_ROUND_TOWARD_ZERO)
        real = truncate_integer(e, value, signed_, via);
    else
        real = signed_ ? LLVMBuildSIToFP(e->builder, value, via, "") : LLVMBuildUIToFP(e->builder, value, via, "");
    return float_to_float(e, op, real, to);
}

/* ---- integer to integer ---- */

/* Clamps in the source's type to the ends of 'bits' bits that lie inside it. */
static LLVMValueRef clamp_integer(cake_emitter *e, LLVMValueRef value, bool from_signed, cake_dtype to) {
    LLVMTypeRef type = LLVMTypeOf(value);
    uint32_t from_bits = LLVMGetIntTypeWidth(type), bits = cake_dtype_bits(to);
    uint32_t from_positive = from_bits - (from_signed ? 1 : 0), positive = bits - (is_signed(to) ? 1 : 0);
    if (from_signed && (!is_signed(to) || bits < from_bits)) {
        int64_t end = is_signed(to) ? -((int64_t)1 << (bits - 1)) : 0;
        LLVMValueRef low = LLVMConstInt(type, (unsigned long long)end, 1);
        value = LLVMBuildSelect(e->builder, LLVMBuildICmp(e->builder, LLVMIntSLT, value, low, ""), low, value, "");
    }
    if (positive < from_positive) {
        LLVMValueRef high = LLVMConstInt(type, ((unsigned long long)1 << positive) - 1, 0);
        LLVMIntPredicate above = from_signed ? LLVMIntSGT : LLVMIntUGT;
        value = LLVMBuildSelect(e->builder, LLVMBuildICmp(e->builder, above, value, high, ""), high, value, "");
    }
    return value;
}

static LLVMValueRef integer_to_integer(cake_emitter *e, const cake_plan_op *op, LLVMValueRef value) {
    cake_dtype from = op->operands[0]->dtype, to = op->result->dtype;
    if (to == CAKE_DTYPE_BOOL)
        return LLVMBuildICmp(e->builder, LLVMIntNE, value, LLVMConstInt(LLVMTypeOf(value), 0, 0), "");
    bool signed_ = is_signed(from);
    if (op->u.cast.saturate && from != CAKE_DTYPE_BOOL) value = clamp_integer(e, value, signed_, to);
    LLVMTypeRef type = LLVMIntTypeInContext(e->context, cake_dtype_bits(to));
    if (to == CAKE_DTYPE_INDEX) type = cake_emit_value_type(e, op->result);
    unsigned from_bits = LLVMGetIntTypeWidth(LLVMTypeOf(value)), to_bits = LLVMGetIntTypeWidth(type);
    if (from_bits >= to_bits)
        value = LLVMBuildTruncOrBitCast(e->builder, value, type, "");
    else
        value = signed_ ? LLVMBuildSExt(e->builder, value, type, "") : LLVMBuildZExt(e->builder, value, type, "");
    return extend(e, value, op->result);
}

/* ---- 8-bit floats ---- */

/* Two as halves. */
static void widen_pair(cake_emitter *e, cake_dtype dtype, LLVMValueRef *bytes, LLVMValueRef *out_halves) {
    const char *name = dtype == CAKE_DTYPE_E4M3 ? "llvm.nvvm.e4m3x2.to.f16x2.rn" : "llvm.nvvm.e5m2x2.to.f16x2.rn";
    LLVMValueRef low = LLVMBuildZExt(e->builder, bytes[0], e->i16, "");
    LLVMValueRef high = LLVMBuildZExt(e->builder, bytes[1], e->i16, "");
    high = LLVMBuildShl(e->builder, high, LLVMConstInt(e->i16, 8, 0), "");
    LLVMValueRef pair = LLVMBuildOr(e->builder, low, high, "");
    LLVMValueRef halves = cake_emit_intrinsic(e, name, NULL, 0, &pair, 1);
    for (uint32_t i = 0; i < 2; i++)
        out_halves[i] = LLVMBuildExtractElement(e->builder, halves, cake_emit_i32(e, i), "");
}

static void narrow_pair(cake_emitter *e, cake_dtype dtype, LLVMValueRef *floats, LLVMValueRef *out_bytes) {
    const char *name = dtype == CAKE_DTYPE_E4M3 ? "llvm.nvvm.ff.to.e4m3x2.rn" : "llvm.nvvm.ff.to.e5m2x2.rn";
    LLVMValueRef operands[2] = {floats[1], floats[0]}; /* the first one becomes the upper byte */
    LLVMValueRef pair = cake_emit_intrinsic(e, name, NULL, 0, operands, 2);
    out_bytes[0] = LLVMBuildTrunc(e->builder, pair, e->i8, "");
    pair = LLVMBuildLShr(e->builder, pair, LLVMConstInt(e->i16, 8, 0), "");
    out_bytes[1] = LLVMBuildTrunc(e->builder, pair, e->i8, "");
}

/* ---- casts ---- */

static LLVMValueRef cast(cake_emitter *e, const cake_plan_op *op, LLVMValueRef value, bool from_float) {
    cake_dtype to = op->result->dtype;
    if (from_float) return is_float(to) ? float_to_float(e, op, value, to) : float_to_integer(e, op, value);
    return is_float(to) ? integer_to_float(e, op, value, to) : integer_to_integer(e, op, value);
}

static LLVMValueRef operand(cake_emitter *e, const cake_plan_op *op, uint32_t r) {
    return cake_emit_operand(e, op->operands[0], op->result->layout, r);
}

/* Two registers with an 8-bit float on either side. */
static void cast_pair(cake_emitter *e, const cake_plan_op *op, LLVMValueRef *values, LLVMValueRef *out_values) {
    cake_dtype from = op->operands[0]->dtype, to = op->result->dtype;
    LLVMValueRef floats[2];
    if (cake_dtype_is_byte_float(from)) widen_pair(e, from, values, values);
    for (uint32_t i = 0; i < 2; i++) {
        if (!cake_dtype_is_byte_float(to))
            out_values[i] = cast(e, op, values[i], true);
        else
            floats[i] = is_float(from) ? to_odd_f32(e, values[i]) : integer_to_float(e, op, values[i], CAKE_DTYPE_F32);
    }
    if (cake_dtype_is_byte_float(to)) narrow_pair(e, to, floats, out_values);
}

static void cast_pairs(cake_emitter *e, const cake_plan_op *op, uint32_t count, LLVMValueRef *out_registers) {
    for (uint32_t r = 0; r < count; r += 2) {
        LLVMValueRef values[2] = {operand(e, op, r), NULL}, results[2];
        values[1] = r + 1 < count ? operand(e, op, r + 1) : LLVMConstNull(LLVMTypeOf(values[0]));
        cast_pair(e, op, values, results);
        out_registers[r] = results[0];
        if (r + 1 < count) out_registers[r + 1] = results[1];
    }
}

/* Two f32 to two bf16 or f16 in one instruction, where the layout pairs registers. */
static bool packs(const cake_plan_op *op, uint32_t count) {
    cake_dtype to = op->result->dtype;
    bool halves = op->operands[0]->dtype == CAKE_DTYPE_F32 && (to == CAKE_DTYPE_BF16 || to == CAKE_DTYPE_F16);
    return halves && count % 2 == 0 && op->u.cast.rounding == CAKE_ROUND_NEAREST_EVEN && !op->u.cast.saturate;
}

static void pack_halves(cake_emitter *e, const cake_plan_op *op, uint32_t count, LLVMValueRef *out_registers) {
    const char *name = op->result->dtype == CAKE_DTYPE_BF16 ? "llvm.nvvm.ff2bf16x2.rn" : "llvm.nvvm.ff2f16x2.rn";
    for (uint32_t r = 0; r < count; r += 2) {
        LLVMValueRef operands[2] = {operand(e, op, r + 1), operand(e, op, r)};
        LLVMValueRef pair = cake_emit_intrinsic(e, name, NULL, 0, operands, 2);
        for (uint32_t i = 0; i < 2; i++)
            out_registers[r + i] = LLVMBuildExtractElement(e->builder, pair, cake_emit_i32(e, i), "");
    }
}

void cake_emit_cast(cake_emitter *e, const cake_plan_op *op, uint32_t count, LLVMValueRef *out_registers) {
    cake_dtype from = op->operands[0]->dtype;
    if (cake_dtype_is_byte_float(from) || cake_dtype_is_byte_float(op->result->dtype)) {
        cast_pairs(e, op, count, out_registers);
    } else if (packs(op, count)) {
        pack_halves(e, op, count, out_registers);
    } else {
        for (uint32_t r = 0; r < count; r++)
            out_registers[r] = cast(e, op, operand(e, op, r), is_float(from));
    }
}
