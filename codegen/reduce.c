/* Reductions: registers of a thread in order, then lanes by butterflies, then warps through scratch in order of warps.
 * The order is fixed by the layout, so equal inputs give equal bits on every run. */
#include "codegen/emit.h"
#include "codegen/math.h"

static LLVMValueRef combine(cake_emitter *e, const cake_plan_op *op, LLVMValueRef a, LLVMValueRef b) {
    const cake_plan_reduction *reduction = op->u.reduction;
    cake_dtype dtype = op->result->dtype;
    cake_dtype_class class_ = cake_dtype_class_of(dtype);
    LLVMValueRef operands[2] = {a, b};
    switch (reduction->function) {
    case CAKE_BUILTIN_ANY:
        return LLVMBuildOr(e->builder, a, b, "");
    case CAKE_BUILTIN_ALL:
        return LLVMBuildAnd(e->builder, a, b, "");
    case CAKE_BUILTIN_SUM:
    case CAKE_BUILTIN_COUNT:
        return class_ == CAKE_CLASS_FLOAT ? LLVMBuildFAdd(e->builder, a, b, "") : LLVMBuildAdd(e->builder, a, b, "");
    default:
        break;
    }
    if (class_ == CAKE_CLASS_INDEX) {
        LLVMIntPredicate order = reduction->function == CAKE_BUILTIN_MIN ? LLVMIntSLT : LLVMIntSGT;
        return LLVMBuildSelect(e->builder, LLVMBuildICmp(e->builder, order, a, b, ""), a, b, "");
    }
    return cake_math_emit(e->builder, reduction->function, reduction->modifiers, dtype, operands);
}

/* What is reduced: the operand's elements, or 0 and 1 for count. */
static LLVMValueRef input(cake_emitter *e, const cake_plan_op *op, uint32_t r) {
    LLVMValueRef value = cake_emit_register(e, op->operands[0], r);
    LLVMTypeRef type = cake_emit_value_type(e, op->result);
    if (op->u.reduction->function == CAKE_BUILTIN_COUNT) return LLVMBuildZExt(e->builder, value, type, "");
    if (op->operands[0]->dtype == CAKE_DTYPE_INDEX && LLVMTypeOf(value) != type)
        return LLVMBuildSExt(e->builder, value, type, "");
    return value;
}

/* shfl moves 32 bits: smaller values are widened, 64-bit ones go in halves. */
static LLVMValueRef shuffle_word(cake_emitter *e, LLVMValueRef word, uint32_t mask) {
    LLVMValueRef operands[4] = {cake_emit_i32(e, 0xffffffff), word, cake_emit_i32(e, mask), cake_emit_i32(e, 31)};
    return cake_emit_intrinsic(e, "llvm.nvvm.shfl.sync.bfly.i32", NULL, 0, operands, 4);
}

static uint32_t type_bits(LLVMTypeRef type) {
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(type);
    case LLVMFloatTypeKind:
        return 32;
    case LLVMDoubleTypeKind:
        return 64;
    default:
        return 16;
    }
}

static LLVMValueRef shuffle(cake_emitter *e, LLVMValueRef value, uint32_t mask) {
    LLVMTypeRef type = LLVMTypeOf(value);
    uint32_t bits = type_bits(type);
    LLVMTypeRef integer = LLVMIntTypeInContext(e->context, bits);
    LLVMValueRef raw = LLVMBuildBitCast(e->builder, value, integer, "");
    if (bits <= 32) {
        LLVMValueRef word = shuffle_word(e, LLVMBuildZExtOrBitCast(e->builder, raw, e->i32, ""), mask);
        return LLVMBuildBitCast(e->builder, LLVMBuildTruncOrBitCast(e->builder, word, integer, ""), type, "");
    }
    LLVMValueRef high =
        LLVMBuildTrunc(e->builder, LLVMBuildLShr(e->builder, raw, LLVMConstInt(integer, 32, 0), ""), e->i32, "");
    LLVMValueRef low = shuffle_word(e, LLVMBuildTrunc(e->builder, raw, e->i32, ""), mask);
    high = LLVMBuildZExt(e->builder, shuffle_word(e, high, mask), integer, "");
    raw = LLVMBuildOr(e->builder, LLVMBuildShl(e->builder, high, LLVMConstInt(integer, 32, 0), ""),
                      LLVMBuildZExt(e->builder, low, integer, ""), "");
    return LLVMBuildBitCast(e->builder, raw, type, "");
}

/* The operand's register without the reduced axes; the result's layout was derived in the same way. */
static uint32_t result_register(const cake_plan_op *op, uint32_t r) {
    const cake_layout *from = op->operands[0]->layout, *to = op->result->layout;
    if (op->result->shape.rank == 0) return 0;
    cake_coordinate coordinate = {{0}};
    uint8_t kept = 0;
    bool stays = op->u.reduction->within != CAKE_WITHIN_TEAM; /* folded axes are kept */
    for (uint8_t d = 0; d < from->shape.rank; d++) {
        bool folded = op->u.reduction->axes >> d & 1;
        if (!folded || stays) coordinate.at[kept++] = folded ? 0 : from->registers[r].at[d];
    }
    return cake_layout_find(to, &coordinate);
}

/* ---- across warps ---- */

/* Number among the warps that share the reduction: the bits of the mask, packed. */
static LLVMValueRef packed_bits(cake_emitter *e, LLVMValueRef source, uint32_t mask) {
    LLVMValueRef number = cake_emit_i32(e, 0);
    uint32_t to = 0;
    for (uint32_t from = 0; from < 32; from++) {
        if (!(mask >> from & 1)) continue;
        LLVMValueRef bit = LLVMBuildAnd(e->builder, LLVMBuildLShr(e->builder, source, cake_emit_i32(e, from), ""),
                                        cake_emit_i32(e, 1), "");
        number = LLVMBuildOr(e->builder, number, LLVMBuildShl(e->builder, bit, cake_emit_i32(e, to++), ""), "");
    }
    return number;
}

/* Row-major index of the result's register r in this thread. */
static LLVMValueRef element_index(cake_emitter *e, const cake_plan_op *op, uint32_t r) {
    LLVMValueRef index = cake_emit_i32(e, 0);
    const cake_layout *layout = op->result->layout;
    for (uint8_t d = 0; d < op->result->shape.rank; d++) {
        LLVMValueRef at = LLVMBuildAdd(e->builder, cake_emit_thread_coordinate(e, layout, d),
                                       cake_emit_i32(e, layout->registers[r].at[d]), "");
        index = LLVMBuildAdd(
            e->builder, LLVMBuildMul(e->builder, index, cake_emit_i32(e, op->result->shape.extents[d]), ""), at, "");
    }
    return index;
}

static void across_warps(cake_emitter *e, const cake_plan_op *op, LLVMValueRef *registers, uint32_t count) {
    const cake_plan_reduction *reduction = op->u.reduction;
    LLVMTypeRef type = LLVMTypeOf(registers[0]), stored = type == e->i1 ? e->i32 : type;
    uint32_t bytes = type_bits(type) > 32 ? 8 : 4, warps = 1;
    uint32_t elements = (uint32_t)cake_shape_elements(&op->result->shape);
    for (uint32_t bits = reduction->warp_bits; bits; bits &= bits - 1)
        warps *= 2;
    LLVMValueRef base = LLVMBuildMul(e->builder, e->team, cake_emit_i32(e, e->role->scratch_bytes), "");
    base = LLVMBuildAdd(e->builder, base, cake_emit_i32(e, e->role->scratch_offset), "");
    LLVMValueRef row =
        LLVMBuildMul(e->builder, packed_bits(e, e->team_warp, reduction->warp_bits), cake_emit_i32(e, elements), "");
    for (uint32_t r = 0; r < count; r++) { /* lanes that share an element store the same value: benign and cheap */
        LLVMValueRef at = LLVMBuildAdd(e->builder, row, element_index(e, op, r), "");
        at = LLVMBuildAdd(e->builder, base, LLVMBuildMul(e->builder, at, cake_emit_i32(e, bytes), ""), "");
        LLVMValueRef value = type == e->i1 ? LLVMBuildZExt(e->builder, registers[r], e->i32, "") : registers[r];
        LLVMBuildStore(e->builder, value, cake_emit_shared_pointer(e, at));
    }
    cake_emit_sync_team(e);
    for (uint32_t r = 0; r < count; r++) {
        LLVMValueRef first = LLVMBuildMul(e->builder, element_index(e, op, r), cake_emit_i32(e, bytes), "");
        first = LLVMBuildAdd(e->builder, base, first, "");
        for (uint32_t w = 0; w < warps; w++) {
            LLVMValueRef at = LLVMBuildAdd(e->builder, first, cake_emit_i32(e, w * elements * bytes), "");
            LLVMValueRef value = LLVMBuildLoad2(e->builder, stored, cake_emit_shared_pointer(e, at), "");
            if (type == e->i1) value = LLVMBuildTrunc(e->builder, value, e->i1, "");
            registers[r] = w ? combine(e, op, registers[r], value) : value;
        }
    }
    cake_emit_sync_team(e);
}

void cake_emit_reduce(cake_emitter *e, const cake_plan_op *op) {
    uint32_t count = cake_emit_register_count(op->result);
    LLVMValueRef *registers = CAKE_NEW_ARRAY(e->arena, LLVMValueRef, count);
    const cake_plan_reduction *reduction = op->u.reduction;
    for (uint32_t r = 0; r < op->operands[0]->layout->register_count; r++) {
        uint32_t into = result_register(op, r);
        LLVMValueRef value = input(e, op, r);
        registers[into] = registers[into] ? combine(e, op, registers[into], value) : value;
    }
    for (uint32_t r = 0; r < count && reduction->within != CAKE_WITHIN_LANE; r++)
        for (uint32_t bit = 0; bit < CAKE_LANE_BITS; bit++)
            if (reduction->lane_bits >> bit & 1)
                registers[r] = combine(e, op, registers[r], shuffle(e, registers[r], 1u << bit));
    if (reduction->scratch_bytes) across_warps(e, op, registers, count);
    cake_emit_define(e, op->result, registers);
}
