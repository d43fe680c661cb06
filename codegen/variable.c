/* Variables: one alloca a register, which mem2reg turns into SSA values.
 *
 * An accumulator that is set to zero is only marked 'fresh': the next wgmma then ignores its old contents (scale-d =
 * 0), which saves writing every register once a tile. Any other use writes the zeros first.
 */
#include "codegen/emit.h"

static LLVMValueRef new_alloca(cake_emitter *e, LLVMTypeRef type) {
    LLVMValueRef last = LLVMGetBasicBlockTerminator(e->entry);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(e->context);
    LLVMPositionBuilderBefore(builder, last);
    LLVMValueRef alloca = LLVMBuildAlloca(builder, type, "");
    LLVMDisposeBuilder(builder);
    return alloca;
}

void cake_emit_variables(cake_emitter *e) {
    e->variables = CAKE_NEW_ARRAY(e->arena, variable_state, e->plan->variables.count + 1);
}

variable_state *cake_emit_variable(cake_emitter *e, const cake_plan_variable *variable) {
    variable_state *state = &e->variables[variable->number];
    if (state->registers) return state;
    state->count = variable->shape.rank ? variable->layout->register_count : 1;
    state->registers = CAKE_NEW_ARRAY(e->arena, LLVMValueRef, state->count);
    for (uint32_t r = 0; r < state->count; r++)
        state->registers[r] = new_alloca(e, cake_emit_type(e, variable->dtype));
    if (variable->accumulator && !variable->computed) state->fresh = new_alloca(e, e->i1);
    return state;
}

/* Register of the whole variable that is register r of its slice. */
static uint32_t whole_register(const cake_plan_op *op, const cake_layout *slice, uint32_t r) {
    if (op->u.variable.whole) return r;
    cake_coordinate coordinate = slice->registers[r];
    for (uint8_t d = 0; d < slice->shape.rank; d++)
        coordinate.at[d] += op->u.variable.offsets[d];
    return cake_layout_find(op->u.variable.variable->layout, &coordinate);
}

void cake_emit_read(cake_emitter *e, const cake_plan_op *op) {
    const cake_plan_variable *variable = op->u.variable.variable;
    variable_state *state = cake_emit_variable(e, variable);
    uint32_t count = cake_emit_register_count(op->result);
    LLVMTypeRef type = cake_emit_type(e, variable->dtype);
    LLVMValueRef *registers = CAKE_NEW_ARRAY(e->arena, LLVMValueRef, count);
    LLVMValueRef fresh = state->fresh ? LLVMBuildLoad2(e->builder, e->i1, state->fresh, "") : NULL;
    for (uint32_t r = 0; r < count; r++) {
        uint32_t from = op->result->shape.rank ? whole_register(op, op->result->layout, r) : 0;
        registers[r] = LLVMBuildLoad2(e->builder, type, state->registers[from], "");
        if (fresh) registers[r] = LLVMBuildSelect(e->builder, fresh, LLVMConstNull(type), registers[r], "");
    }
    cake_emit_define(e, op->result, registers);
}

static bool is_zero(const cake_plan_value *value) {
    return value->is_constant && value->shape.rank == 0 && value->integer == 0 && value->real == 0.0;
}

static void store_fresh(cake_emitter *e, const variable_state *state, bool fresh) {
    if (state->fresh) LLVMBuildStore(e->builder, LLVMConstInt(e->i1, fresh, 0), state->fresh);
}

/* Before a part of a fresh accumulator is written, all of it is. */
static void write_zeros(cake_emitter *e, const variable_state *state, LLVMTypeRef type) {
    if (!state->fresh) return;
    LLVMValueRef fresh = LLVMBuildLoad2(e->builder, e->i1, state->fresh, "");
    for (uint32_t r = 0; r < state->count; r++) {
        LLVMValueRef old = LLVMBuildLoad2(e->builder, type, state->registers[r], "");
        LLVMBuildStore(e->builder, LLVMBuildSelect(e->builder, fresh, LLVMConstNull(type), old, ""),
                       state->registers[r]);
    }
}

void cake_emit_write(cake_emitter *e, const cake_plan_op *op) {
    const cake_plan_variable *variable = op->u.variable.variable;
    const cake_plan_value *value = op->operands[0];
    variable_state *state = cake_emit_variable(e, variable);
    if (state->fresh && op->u.variable.whole && is_zero(value)) {
        store_fresh(e, state, true);
        return;
    }
    if (!op->u.variable.whole) write_zeros(e, state, cake_emit_type(e, variable->dtype));
    if (value->shape.rank) {
        for (uint32_t r = 0; r < value->layout->register_count; r++)
            LLVMBuildStore(e->builder, cake_emit_register(e, value, r),
                           state->registers[whole_register(op, value->layout, r)]);
    } else {
        for (uint32_t r = 0; r < state->count; r++) {
            bool inside = true;
            for (uint8_t d = 0; variable->shape.rank && d < op->u.variable.shape.rank; d++) {
                uint32_t at = variable->layout->registers[r].at[d], from = op->u.variable.offsets[d];
                inside = inside && at >= from && at - from < op->u.variable.shape.extents[d];
            }
            if (inside) LLVMBuildStore(e->builder, cake_emit_scalar(e, value), state->registers[r]);
        }
    }
    store_fresh(e, state, false);
}
