/* Values: constants, and pure scalar and elementwise operations, one LLVM value per register. */
#include <math.h>

#include "codegen/emit.h"
#include "codegen/math.h"
#include "plan/range.h"

LLVMTypeRef cake_emit_type(cake_emitter *e, cake_dtype dtype) {
    switch (dtype) {
    case CAKE_DTYPE_F64:
        return LLVMDoubleTypeInContext(e->context);
    case CAKE_DTYPE_F32:
    case CAKE_DTYPE_TF32:
    case CAKE_DTYPE_REAL:
        return e->f32;
    case CAKE_DTYPE_F16:
        return LLVMHalfTypeInContext(e->context);
    case CAKE_DTYPE_BF16:
        return LLVMBFloatTypeInContext(e->context);
    case CAKE_DTYPE_BOOL:
        return e->i1;
    case CAKE_DTYPE_I64:
    case CAKE_DTYPE_U64:
    case CAKE_DTYPE_INDEX:
        return e->i64;
    case CAKE_DTYPE_I32:
    case CAKE_DTYPE_U32:
        return e->i32;
    case CAKE_DTYPE_I16:
    case CAKE_DTYPE_U16:
        return e->i16;
    case CAKE_DTYPE_I8:
    case CAKE_DTYPE_U8:
    case CAKE_DTYPE_E4M3:
    case CAKE_DTYPE_E5M2:
    case CAKE_DTYPE_I4:
    case CAKE_DTYPE_U4:
        return e->i8;
    case CAKE_DTYPE_NONE:
    case CAKE_DTYPE_COUNT:
        break;
    }
    CAKE_ASSERT(!"a dtype without an LLVM type");
}

static bool narrow(const cake_plan_value *value) {
    return cake_range_fits_i32((cake_range){value->low, value->high});
}

LLVMTypeRef cake_emit_value_type(cake_emitter *e, const cake_plan_value *value) {
    if (value->dtype == CAKE_DTYPE_INDEX) return narrow(value) ? e->i32 : e->i64;
    return cake_emit_type(e, value->dtype);
}

LLVMValueRef cake_emit_constant(cake_emitter *e, cake_dtype dtype, int64_t integer, double real) {
    LLVMTypeRef type = cake_emit_type(e, dtype);
    cake_dtype_class class_ = cake_dtype_class_of(dtype);
    if (cake_dtype_is_byte_float(dtype)) {
        cake_plan_value constant = {.dtype = dtype, .real = real};
        return LLVMConstInt(type, cake_plan_constant_bits(dtype, &constant), 0);
    }
    if (class_ == CAKE_CLASS_FLOAT || class_ == CAKE_CLASS_REAL) return LLVMConstReal(type, real);
    return LLVMConstInt(type, (unsigned long long)integer, 1);
}

uint32_t cake_emit_register_count(const cake_plan_value *value) {
    return value->shape.rank ? value->layout->register_count : 1;
}

void cake_emit_define(cake_emitter *e, const cake_plan_value *value, LLVMValueRef *registers) {
    e->values[value->number] = registers;
}

/* Launch-scope values and leaves are computed where they are first used, in the prologue, which dominates all roles. */
static void define_in_prologue(cake_emitter *e, const cake_plan_value *value) {
    LLVMBuilderRef outer = e->builder;
    e->builder = e->prologue;
    LLVMSetCurrentDebugLocation2(e->builder, LLVMGetCurrentDebugLocation2(outer));
    cake_emit_pure(e, value->definition);
    e->builder = outer;
}

LLVMValueRef cake_emit_register(cake_emitter *e, const cake_plan_value *value, uint32_t r) {
    if (value->is_constant) {
        if (value->dtype == CAKE_DTYPE_INDEX)
            return LLVMConstInt(cake_emit_value_type(e, value), (unsigned long long)value->integer, 1);
        return cake_emit_constant(e, value->dtype, value->integer, value->real);
    }
    if (value->definition->kind == CAKE_PLAN_TEAM_INDEX) return e->team;
    if (value->definition->kind == CAKE_PLAN_CLAIMED) return e->claimed;
    if (!e->values[value->number]) define_in_prologue(e, value);
    return e->values[value->number][value->shape.rank ? r : 0];
}

LLVMValueRef cake_emit_scalar(cake_emitter *e, const cake_plan_value *value) {
    return cake_emit_register(e, value, 0);
}

LLVMValueRef cake_emit_operand(cake_emitter *e, const cake_plan_value *operand, const cake_layout *layout, uint32_t r) {
    if (operand->shape.rank == 0 || operand->layout == layout) return cake_emit_register(e, operand, r);
    cake_coordinate coordinate = layout->registers[r];
    for (uint8_t d = 0; d < operand->shape.rank; d++)
        if (operand->shape.extents[d] == 1) coordinate.at[d] = 0;
    uint32_t found = cake_layout_find(operand->layout, &coordinate);
    CAKE_ASSERT(found != UINT32_MAX);
    return cake_emit_register(e, operand, found);
}

static LLVMValueRef resize(cake_emitter *e, LLVMValueRef value, LLVMTypeRef type) {
    unsigned from = LLVMGetIntTypeWidth(LLVMTypeOf(value)), to = LLVMGetIntTypeWidth(type);
    if (from == to) return value;
    return from < to ? LLVMBuildSExt(e->builder, value, type, "") : LLVMBuildTrunc(e->builder, value, type, "");
}

LLVMValueRef cake_emit_index(cake_emitter *e, const cake_plan_value *value, LLVMTypeRef type) {
    return resize(e, cake_emit_scalar(e, value), type);
}

/* Sum over the bits of lane or warp; bits whose summands double are taken together. */
static LLVMValueRef bits_coordinate(cake_emitter *e, LLVMValueRef source, const cake_coordinate *bits, uint32_t count,
                                    uint8_t axis, LLVMValueRef sum) {
    for (uint32_t first = 0; first < count; first++) {
        uint32_t step = bits[first].at[axis], length = 1;
        if (!step) continue;
        while (first + length < count && bits[first + length].at[axis] == step << length)
            length++;
        LLVMValueRef part = LLVMBuildAnd(e->builder, LLVMBuildLShr(e->builder, source, cake_emit_i32(e, first), ""),
                                         cake_emit_i32(e, (1u << length) - 1), "");
        part = LLVMBuildMul(e->builder, part, cake_emit_i32(e, step), "");
        sum = LLVMBuildAdd(e->builder, sum, part, "");
        first += length - 1;
    }
    return sum;
}

LLVMValueRef cake_emit_thread_coordinate(cake_emitter *e, const cake_layout *layout, uint8_t axis) {
    LLVMValueRef sum = bits_coordinate(e, e->lane, layout->lane, CAKE_LANE_BITS, axis, cake_emit_i32(e, 0));
    return bits_coordinate(e, e->team_warp, layout->warp, layout->warp_bits, axis, sum);
}

/* ---- arithmetic ---- */

static LLVMValueRef divide(cake_emitter *e, LLVMValueRef a, LLVMValueRef b, bool is_signed, bool modulo) {
    LLVMBuilderRef builder = e->builder;
    if (!is_signed) return modulo ? LLVMBuildURem(builder, a, b, "") : LLVMBuildUDiv(builder, a, b, "");
    LLVMValueRef rest = LLVMBuildSRem(builder, a, b, "");
    LLVMValueRef zero = LLVMConstInt(LLVMTypeOf(a), 0, 0), one = LLVMConstInt(LLVMTypeOf(a), 1, 0);
    LLVMValueRef below = LLVMBuildICmp(builder, LLVMIntSLT, rest, zero, "");
    if (modulo) return LLVMBuildSelect(builder, below, LLVMBuildAdd(builder, rest, b, ""), rest, "");
    LLVMValueRef quotient = LLVMBuildSDiv(builder, a, b, "");
    return LLVMBuildSelect(builder, below, LLVMBuildSub(builder, quotient, one, ""), quotient, "");
}

static LLVMValueRef compare(cake_emitter *e, cake_binary_op op, LLVMValueRef a, LLVMValueRef b,
                            cake_dtype_class class_) {
    bool real = class_ == CAKE_CLASS_FLOAT || class_ == CAKE_CLASS_REAL;
    bool is_signed = class_ == CAKE_CLASS_SIGNED || class_ == CAKE_CLASS_INDEX;
    static const LLVMRealPredicate reals[] = {LLVMRealOEQ, LLVMRealUNE, LLVMRealOLT,
                                              LLVMRealOLE, LLVMRealOGT, LLVMRealOGE};
    static const LLVMIntPredicate signeds[] = {LLVMIntEQ, LLVMIntNE, LLVMIntSLT, LLVMIntSLE, LLVMIntSGT, LLVMIntSGE};
    static const LLVMIntPredicate unsigneds[] = {LLVMIntEQ, LLVMIntNE, LLVMIntULT, LLVMIntULE, LLVMIntUGT, LLVMIntUGE};
    int row = (int)op - (int)CAKE_BINARY_EQ;
    if (real) return LLVMBuildFCmp(e->builder, reals[row], a, b, "");
    return LLVMBuildICmp(e->builder, is_signed ? signeds[row] : unsigneds[row], a, b, "");
}

static LLVMValueRef arithmetic(cake_emitter *e, cake_binary_op op, LLVMValueRef a, LLVMValueRef b,
                               cake_dtype_class class_, bool may_be_negative) {
    LLVMBuilderRef builder = e->builder;
    bool real = class_ == CAKE_CLASS_FLOAT || class_ == CAKE_CLASS_REAL;
    switch (op) {
    case CAKE_BINARY_OR:
        return LLVMBuildOr(builder, a, b, "");
    case CAKE_BINARY_XOR:
        return LLVMBuildXor(builder, a, b, "");
    case CAKE_BINARY_AND:
        return LLVMBuildAnd(builder, a, b, "");
    case CAKE_BINARY_SHL:
        return LLVMBuildShl(builder, a, b, "");
    case CAKE_BINARY_SHR:
        return may_be_negative ? LLVMBuildAShr(builder, a, b, "") : LLVMBuildLShr(builder, a, b, "");
    case CAKE_BINARY_ADD:
        return real ? LLVMBuildFAdd(builder, a, b, "") : LLVMBuildAdd(builder, a, b, "");
    case CAKE_BINARY_SUB:
        return real ? LLVMBuildFSub(builder, a, b, "") : LLVMBuildSub(builder, a, b, "");
    case CAKE_BINARY_MUL:
        return real ? LLVMBuildFMul(builder, a, b, "") : LLVMBuildMul(builder, a, b, "");
    case CAKE_BINARY_DIV:
        return real ? LLVMBuildFDiv(builder, a, b, "") : divide(e, a, b, may_be_negative, false);
    case CAKE_BINARY_MOD:
        return divide(e, a, b, may_be_negative, true);
    case CAKE_BINARY_EQ:
    case CAKE_BINARY_NE:
    case CAKE_BINARY_LT:
    case CAKE_BINARY_LE:
    case CAKE_BINARY_GT:
    case CAKE_BINARY_GE:
        return compare(e, op, a, b, class_);
    case CAKE_BINARY_COUNT:
        break;
    }
    CAKE_ASSERT(!"unknown operator");
}

/* Exact integers: in 32 bits where operands and result fit, else in 64. */
static LLVMValueRef index_binary(cake_emitter *e, const cake_plan_op *op, LLVMValueRef a, LLVMValueRef b) {
    const cake_plan_value *result = op->result;
    bool wide =
        LLVMTypeOf(a) == e->i64 || LLVMTypeOf(b) == e->i64 || (result->dtype == CAKE_DTYPE_INDEX && !narrow(result));
    LLVMTypeRef type = wide ? e->i64 : e->i32;
    LLVMValueRef value =
        arithmetic(e, op->u.binary, resize(e, a, type), resize(e, b, type), CAKE_CLASS_INDEX, op->operands[0]->low < 0);
    return result->dtype == CAKE_DTYPE_INDEX ? resize(e, value, cake_emit_value_type(e, result)) : value;
}

static LLVMValueRef binary(cake_emitter *e, const cake_plan_op *op, LLVMValueRef a, LLVMValueRef b) {
    cake_dtype dtype = op->operands[0]->dtype;
    if (dtype == CAKE_DTYPE_INDEX) return index_binary(e, op, a, b);
    cake_dtype_class class_ = cake_dtype_class_of(dtype);
    return arithmetic(e, op->u.binary, a, b, class_, class_ == CAKE_CLASS_SIGNED);
}

static LLVMValueRef unary(cake_emitter *e, const cake_plan_op *op, LLVMValueRef a) {
    cake_dtype_class class_ = cake_dtype_class_of(op->operands[0]->dtype);
    if (op->u.unary != CAKE_UNARY_NEG) return LLVMBuildNot(e->builder, a, "");
    return class_ == CAKE_CLASS_FLOAT || class_ == CAKE_CLASS_REAL ? LLVMBuildFNeg(e->builder, a, "")
                                                                   : LLVMBuildNeg(e->builder, a, "");
}

/* ---- calls ---- */

static LLVMValueRef index_call(cake_emitter *e, const cake_plan_op *op, LLVMValueRef *a) {
    LLVMBuilderRef builder = e->builder;
    bool wide = !narrow(op->result);
    for (uint8_t i = 0; i < op->operand_count; i++)
        wide = wide || LLVMTypeOf(a[i]) == e->i64;
    if (op->u.call.function == CAKE_BUILTIN_CEILTO || op->u.call.function == CAKE_BUILTIN_CDIV)
        wide = wide || op->operands[0]->high > INT32_MAX - op->operands[1]->high;
    LLVMTypeRef type = wide ? e->i64 : e->i32;
    LLVMValueRef x = resize(e, a[0], type), y = op->operand_count > 1 ? resize(e, a[1], type) : NULL, value;
    LLVMValueRef one = LLVMConstInt(type, 1, 0), zero = LLVMConstInt(type, 0, 0);
    switch (op->u.call.function) {
    case CAKE_BUILTIN_MIN:
        value = LLVMBuildSelect(builder, LLVMBuildICmp(builder, LLVMIntSLT, x, y, ""), x, y, "");
        break;
    case CAKE_BUILTIN_MAX:
        value = LLVMBuildSelect(builder, LLVMBuildICmp(builder, LLVMIntSGT, x, y, ""), x, y, "");
        break;
    case CAKE_BUILTIN_ABS:
        value = LLVMBuildSelect(builder, LLVMBuildICmp(builder, LLVMIntSLT, x, zero, ""), LLVMBuildNeg(builder, x, ""),
                                x, "");
        break;
    case CAKE_BUILTIN_CDIV:
    case CAKE_BUILTIN_CEILTO:
        value = LLVMBuildAdd(builder, x, LLVMBuildSub(builder, y, one, ""), "");
        value = divide(e, value, y, op->operands[0]->low < 0, false);
        if (op->u.call.function == CAKE_BUILTIN_CEILTO) value = LLVMBuildMul(builder, value, y, "");
        break;
    default:
        CAKE_ASSERT(!"no function of exact integers");
    }
    return resize(e, value, cake_emit_value_type(e, op->result));
}

/* cdiv and ceilto of typed integers, without a sum that may leave the type. */
static LLVMValueRef rounded_up(cake_emitter *e, const cake_plan_op *op, LLVMValueRef x, LLVMValueRef y) {
    bool is_signed = cake_dtype_class_of(op->operands[0]->dtype) == CAKE_CLASS_SIGNED;
    LLVMValueRef quotient = divide(e, x, y, is_signed, false), rest = divide(e, x, y, is_signed, true);
    LLVMValueRef more = LLVMBuildICmp(e->builder, LLVMIntNE, rest, LLVMConstNull(LLVMTypeOf(rest)), "");
    more = LLVMBuildZExt(e->builder, more, LLVMTypeOf(quotient), "");
    quotient = LLVMBuildAdd(e->builder, quotient, more, "");
    return op->u.call.function == CAKE_BUILTIN_CDIV ? quotient : LLVMBuildMul(e->builder, quotient, y, "");
}

static LLVMValueRef call(cake_emitter *e, const cake_plan_op *op, LLVMValueRef *a) {
    LLVMBuilderRef builder = e->builder;
    if (op->u.call.function == CAKE_BUILTIN_SELECT) {
        if (op->result->dtype != CAKE_DTYPE_INDEX) return LLVMBuildSelect(builder, a[0], a[1], a[2], "");
        LLVMTypeRef type = cake_emit_value_type(e, op->result);
        return LLVMBuildSelect(builder, a[0], resize(e, a[1], type), resize(e, a[2], type), "");
    }
    if (op->u.call.function == CAKE_BUILTIN_ISPOW2) {
        LLVMTypeRef type = LLVMTypeOf(a[0]);
        LLVMValueRef less = LLVMBuildSub(builder, a[0], LLVMConstInt(type, 1, 0), ""), zero = LLVMConstInt(type, 0, 0);
        LLVMValueRef single = LLVMBuildICmp(builder, LLVMIntEQ, LLVMBuildAnd(builder, a[0], less, ""), zero, "");
        return LLVMBuildAnd(builder, single, LLVMBuildICmp(builder, LLVMIntSGT, a[0], zero, ""), "");
    }
    if (op->operands[0]->dtype == CAKE_DTYPE_INDEX) return index_call(e, op, a);
    if (op->u.call.function == CAKE_BUILTIN_CDIV || op->u.call.function == CAKE_BUILTIN_CEILTO)
        return rounded_up(e, op, a[0], a[1]);
    LLVMValueRef value = cake_math_emit(builder, op->u.call.function, op->u.call.modifiers, op->operands[0]->dtype, a);
    CAKE_ASSERT(value != NULL);
    return value;
}

/* ---- operations ---- */

static LLVMValueRef leaf(cake_emitter *e, const cake_plan_op *op) {
    if (op->kind == CAKE_PLAN_CTA_ID)
        return cake_emit_intrinsic(e, "llvm.nvvm.read.ptx.sreg.ctaid.x", NULL, 0, NULL, 0);
    if (op->kind == CAKE_PLAN_CLUSTER_RANK) return cake_emit_cluster_rank(e);
    if (op->kind == CAKE_PLAN_GRID_SIZE)
        return cake_emit_intrinsic(e, "llvm.nvvm.read.ptx.sreg.nctaid.x", NULL, 0, NULL, 0);
    for (uint32_t i = 0; i < e->argument_count; i++) {
        bool dimension = e->arguments[i].kind == CAKE_ARGUMENT_DIMENSION && op->kind == CAKE_PLAN_DIMENSION &&
                         e->plan->dimensions.items[e->arguments[i].index] == op->result;
        bool scalar = e->arguments[i].kind == CAKE_ARGUMENT_SCALAR && op->kind == CAKE_PLAN_PARAMETER &&
                      e->plan->scalars.items[e->arguments[i].index] == op->result;
        if (!dimension && !scalar) continue;
        LLVMValueRef value = LLVMGetParam(e->function, i);
        return op->result->dtype == CAKE_DTYPE_BOOL ? LLVMBuildTrunc(e->builder, value, e->i1, "") : value;
    }
    CAKE_ASSERT(!"a leaf that is no argument");
}

/* Coordinate of register r along the axis, as an index value. */
static LLVMValueRef iota(cake_emitter *e, const cake_plan_op *op, uint32_t r) {
    const cake_layout *layout = op->result->layout;
    LLVMValueRef thread = cake_emit_thread_coordinate(e, layout, 0);
    return LLVMBuildAdd(e->builder, thread, cake_emit_i32(e, layout->registers[r].at[0]), "");
}

static LLVMValueRef element(cake_emitter *e, const cake_plan_op *op, uint32_t r) {
    LLVMValueRef a[3] = {0};
    const cake_layout *layout = op->result->layout;
    if (op->kind == CAKE_PLAN_INSERT_AXIS) return cake_emit_register(e, op->operands[0], r);
    for (uint8_t i = 0; i < op->operand_count; i++)
        a[i] = cake_emit_operand(e, op->operands[i], layout, r);
    switch (op->kind) {
    case CAKE_PLAN_SPLAT:
        return a[0];
    case CAKE_PLAN_UNARY:
        return unary(e, op, a[0]);
    case CAKE_PLAN_BINARY:
        return binary(e, op, a[0], a[1]);
    case CAKE_PLAN_CALL:
        return call(e, op, a);
    case CAKE_PLAN_BITCAST:
        if (cake_dtype_bits(op->result->dtype) < 8)
            return cake_emit_half(e, a[0], cake_emit_i32(e, 0), op->result->dtype);
        return LLVMBuildBitCast(e->builder, a[0], cake_emit_type(e, op->result->dtype), "");
    case CAKE_PLAN_IOTA:
        return iota(e, op, r);
    default:
        return leaf(e, op);
    }
}

void cake_emit_pure(cake_emitter *e, const cake_plan_op *op) {
    uint32_t count = cake_emit_register_count(op->result);
    LLVMValueRef *registers = CAKE_NEW_ARRAY(e->arena, LLVMValueRef, count);
    if (op->kind == CAKE_PLAN_CAST)
        cake_emit_cast(e, op, count, registers);
    else
        for (uint32_t r = 0; r < count; r++)
            registers[r] = element(e, op, r);
    cake_emit_define(e, op->result, registers);
}
