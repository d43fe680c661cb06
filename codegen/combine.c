/* What reductions and scans share: their elements, how two of them combine, and how threads exchange them. */
#include "codegen/emit.h"
#include "codegen/math.h"

/* The element of tile i has the type of its result. */
static LLVMTypeRef element_type(cake_emitter *e, const cake_plan_op *op, uint32_t i) {
    return cake_emit_value_type(e, i ? op->second : op->result);
}

/* Exact integers are as wide as the result needs. */
static LLVMValueRef widened(cake_emitter *e, LLVMValueRef value, LLVMTypeRef type) {
    if (LLVMTypeOf(value) == type) return value;
    return LLVMBuildIntCast2(e->builder, value, type, 1, "");
}

/* What is combined: the operands' elements, or 0 and 1 for count. */
cake_element cake_emit_element(cake_emitter *e, const cake_plan_op *op, uint32_t r) {
    cake_element element = {{0}};
    for (uint32_t i = 0; i < op->operand_count; i++) {
        LLVMValueRef value = cake_emit_operand(e, op->operands[i], op->operands[0]->layout, r);
        LLVMTypeRef type = element_type(e, op, i);
        element.of[i] = op->u.reduction->function == CAKE_BUILTIN_COUNT ? LLVMBuildZExt(e->builder, value, type, "")
                                                                        : widened(e, value, type);
    }
    return element;
}

static LLVMValueRef combine_one(cake_emitter *e, const cake_plan_op *op, LLVMValueRef a, LLVMValueRef b) {
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
    case CAKE_BUILTIN_SCAN:
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

static void bind(cake_emitter *e, const cake_plan_value *leaf, LLVMValueRef value) {
    LLVMValueRef *registers = CAKE_NEW_ARRAY(e->arena, LLVMValueRef, 1);
    registers[0] = value;
    cake_emit_define(e, leaf, registers);
}

cake_element cake_emit_combine(cake_emitter *e, const cake_plan_op *op, cake_element left, cake_element right) {
    const cake_plan_combiner *combiner = op->u.reduction->combiner;
    cake_element result = {{0}};
    if (!combiner) {
        result.of[0] = combine_one(e, op, left.of[0], right.of[0]);
        return result;
    }
    for (uint32_t i = 0; i < combiner->tiles; i++) {
        bind(e, combiner->left[i], left.of[i]);
        bind(e, combiner->right[i], right.of[i]);
    }
    cake_emit_block(e, combiner->body);
    for (uint32_t i = 0; i < combiner->tiles; i++) {
        LLVMTypeRef type = element_type(e, op, i);
        result.of[i] = widened(e, cake_emit_scalar(e, combiner->results[i]), type);
    }
    return result;
}

cake_element cake_emit_select_element(cake_emitter *e, LLVMValueRef condition, cake_element yes, cake_element no) {
    for (uint32_t i = 0; i < 2 && yes.of[i]; i++)
        yes.of[i] = LLVMBuildSelect(e->builder, condition, yes.of[i], no.of[i], "");
    return yes;
}

cake_element cake_emit_shuffle_element(cake_emitter *e, cake_element element, uint32_t mask) {
    for (uint32_t i = 0; i < 2 && element.of[i]; i++)
        element.of[i] = cake_emit_shuffle(e, element.of[i], mask);
    return element;
}

/* ---- scratch: the slots of the first tile, then those of the second from a multiple of 8 bytes on ---- */

static LLVMValueRef slot_pointer(cake_emitter *e, const cake_plan_op *op, uint32_t i, LLVMValueRef slot) {
    uint32_t slots = (op->u.reduction->scratch_slots + 1) / 2 * 2;
    uint32_t offset = i ? slots * cake_plan_slot_bytes(op->result) : 0;
    return cake_emit_scratch(e, slot, cake_plan_slot_bytes(i ? op->second : op->result), offset);
}

void cake_emit_put(cake_emitter *e, const cake_plan_op *op, LLVMValueRef slot, cake_element element) {
    for (uint32_t i = 0; i < 2 && element.of[i]; i++) {
        LLVMValueRef value = element.of[i];
        if (LLVMTypeOf(value) == e->i1) value = LLVMBuildZExt(e->builder, value, e->i32, "");
        LLVMBuildStore(e->builder, value, slot_pointer(e, op, i, slot));
    }
}

cake_element cake_emit_get(cake_emitter *e, const cake_plan_op *op, LLVMValueRef slot) {
    cake_element element = {{0}};
    for (uint32_t i = 0; i < op->operand_count; i++) {
        LLVMTypeRef type = element_type(e, op, i);
        LLVMTypeRef stored = type == e->i1 ? e->i32 : type;
        LLVMValueRef value = LLVMBuildLoad2(e->builder, stored, slot_pointer(e, op, i, slot), "");
        element.of[i] = type == e->i1 ? LLVMBuildTrunc(e->builder, value, e->i1, "") : value;
    }
    return element;
}

LLVMValueRef cake_emit_line_index(cake_emitter *e, const cake_plan_op *op, uint32_t r) {
    LLVMValueRef index = cake_emit_i32(e, 0);
    const cake_layout *layout = op->operands[0]->layout;
    for (uint8_t d = 0; d < layout->shape.rank; d++) {
        if (op->u.reduction->axes >> d & 1) continue;
        LLVMValueRef at = LLVMBuildAdd(e->builder, cake_emit_thread_coordinate(e, layout, d),
                                       cake_emit_i32(e, layout->registers[r].at[d]), "");
        index = LLVMBuildMul(e->builder, index, cake_emit_i32(e, layout->shape.extents[d]), "");
        index = LLVMBuildAdd(e->builder, index, at, "");
    }
    return index;
}

uint32_t cake_emit_line_count(const cake_plan_op *op) {
    const cake_shape *shape = &op->operands[0]->shape;
    uint32_t count = 1;
    for (uint8_t d = 0; d < shape->rank; d++)
        if (!(op->u.reduction->axes >> d & 1)) count *= shape->extents[d];
    return count;
}
