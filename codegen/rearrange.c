/* Tiles from tiles: what only renames registers, and relayout, which goes through the team's scratch. */
#include "codegen/emit.h"

/* The register of operand 'of' that is register r of the result. */
static uint32_t source_register(const cake_plan_op *op, uint32_t r, uint32_t *out_of) {
    cake_coordinate at = op->result->layout->registers[r];
    *out_of = 0;
    /* layouts of both follow from each other in order */
    if (op->kind == CAKE_PLAN_RESHAPE || op->kind == CAKE_PLAN_TRANSPOSE) return r;
    if (op->kind == CAKE_PLAN_CONCAT) {
        uint32_t first = op->operands[0]->shape.extents[op->u.axis];
        *out_of = at.at[op->u.axis] >= first;
        if (*out_of) at.at[op->u.axis] -= first;
    } else {
        for (uint8_t d = 0; d < op->result->shape.rank; d++)
            at.at[d] += op->u.offsets[d];
    }
    return cake_layout_find(op->operands[*out_of]->layout, &at);
}

void cake_emit_rename(cake_emitter *e, const cake_plan_op *op) {
    uint32_t count = cake_emit_register_count(op->result);
    LLVMTypeRef type = cake_emit_value_type(e, op->result);
    LLVMValueRef *registers = CAKE_NEW_ARRAY(e->arena, LLVMValueRef, count);
    for (uint32_t r = 0; r < count; r++) {
        uint32_t of, from = source_register(op, r, &of);
        LLVMValueRef value = cake_emit_register(e, op->operands[of], from);
        /* exact integers are as wide as the range of all parts needs */
        registers[r] = LLVMTypeOf(value) == type ? value : LLVMBuildIntCast2(e->builder, value, type, 1, "");
    }
    cake_emit_define(e, op->result, registers);
}

/* ---- relayout ---- */

/* Row-major index of register r's element in this thread. */
static LLVMValueRef element_index(cake_emitter *e, const cake_layout *layout, uint32_t r) {
    LLVMValueRef index = cake_emit_i32(e, 0);
    for (uint8_t d = 0; d < layout->shape.rank; d++) {
        LLVMValueRef at = LLVMBuildAdd(e->builder, cake_emit_thread_coordinate(e, layout, d),
                                       cake_emit_i32(e, layout->registers[r].at[d]), "");
        index = LLVMBuildMul(e->builder, index, cake_emit_i32(e, layout->shape.extents[d]), "");
        index = LLVMBuildAdd(e->builder, index, at, "");
    }
    return index;
}

/* Elements of one access: registers that are neighbours in memory, up to 16 bytes. */
static uint32_t access_width(const cake_layout *layout, uint32_t bytes) {
    uint32_t run = cake_layout_run(layout), width = 1;
    while (width * 2 <= run && width * 2 * bytes <= 16 &&
           layout->shape.extents[layout->shape.rank - 1] % (width * 2) == 0)
        width *= 2;
    return width;
}

static LLVMValueRef as_bits(cake_emitter *e, LLVMValueRef value, LLVMTypeRef integer) {
    if (LLVMTypeOf(value) == e->i1) return LLVMBuildZExt(e->builder, value, integer, "");
    return LLVMBuildBitCast(e->builder, value, integer, "");
}

static LLVMValueRef from_bits(cake_emitter *e, LLVMValueRef bits, LLVMTypeRef type) {
    return type == e->i1 ? LLVMBuildTrunc(e->builder, bits, type, "") : LLVMBuildBitCast(e->builder, bits, type, "");
}

static void write_all(cake_emitter *e, const cake_plan_value *value, uint32_t bytes) {
    uint32_t width = access_width(value->layout, bytes);
    LLVMTypeRef integer = LLVMIntTypeInContext(e->context, bytes * 8);
    for (uint32_t r = 0; r < value->layout->register_count; r += width) {
        LLVMValueRef all = LLVMGetUndef(LLVMVectorType(integer, width));
        for (uint32_t i = 0; i < width; i++)
            all = LLVMBuildInsertElement(e->builder, all, as_bits(e, cake_emit_register(e, value, r + i), integer),
                                         cake_emit_i32(e, i), "");
        LLVMValueRef to = cake_emit_scratch(e, element_index(e, value->layout, r), bytes, 0);
        LLVMSetAlignment(LLVMBuildStore(e->builder, all, to), width * bytes);
    }
}

static void read_all(cake_emitter *e, const cake_plan_value *value, uint32_t bytes, LLVMValueRef *out_registers) {
    uint32_t width = access_width(value->layout, bytes);
    LLVMTypeRef integer = LLVMIntTypeInContext(e->context, bytes * 8), type = cake_emit_value_type(e, value);
    for (uint32_t r = 0; r < value->layout->register_count; r += width) {
        LLVMValueRef from = cake_emit_scratch(e, element_index(e, value->layout, r), bytes, 0);
        LLVMValueRef all = LLVMBuildLoad2(e->builder, LLVMVectorType(integer, width), from, "");
        LLVMSetAlignment(all, width * bytes);
        for (uint32_t i = 0; i < width; i++)
            out_registers[r + i] =
                from_bits(e, LLVMBuildExtractElement(e->builder, all, cake_emit_i32(e, i), ""), type);
    }
}

/* Threads that hold the same elements write them all: benign. */
void cake_emit_relayout(cake_emitter *e, const cake_plan_op *op) {
    uint32_t count = cake_emit_register_count(op->result), bytes = cake_plan_element_bytes(op->result);
    LLVMValueRef *registers = CAKE_NEW_ARRAY(e->arena, LLVMValueRef, count);
    for (uint32_t r = 0; r < count && !op->u.bytes; r++)
        registers[r] = cake_emit_register(e, op->operands[0], r);
    if (op->u.bytes) {
        write_all(e, op->operands[0], bytes);
        cake_emit_sync_team(e);
        read_all(e, op->result, bytes, registers);
        cake_emit_sync_team(e);
    }
    cake_emit_define(e, op->result, registers);
}
