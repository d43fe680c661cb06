/* Registers under other names. Which one is which follows from their coordinates; what lanes and warps add to them
 * corresponds in the same way, or the plan is wrong. */
#include <string.h>

#include "simulator/machine.h"

/* By register of the result: register of the first operand, or that many more of the second. Null: the same ones. */
typedef struct rename_table {
    uint32_t *registers;
} rename_table;

/* ---- coordinates ---- */

static cake_coordinate reshaped(const cake_shape *from, const cake_shape *to, const cake_coordinate *at) {
    uint64_t linear = 0;
    cake_coordinate out = {{0}};
    for (uint8_t d = 0; d < from->rank; d++)
        linear = linear * from->extents[d] + at->at[d];
    for (uint8_t d = to->rank; d-- > 0;) {
        out.at[d] = (uint32_t)(linear % to->extents[d]);
        linear /= to->extents[d];
    }
    return out;
}

/* What the operation makes of the operand's axes, backwards. */
static cake_coordinate source_axes(const cake_plan_op *op, const cake_coordinate *at) {
    cake_coordinate out = *at;
    switch ((int)op->kind) {
    case CAKE_PLAN_RESHAPE:
        return reshaped(&op->result->shape, &op->operands[0]->shape, at);
    case CAKE_PLAN_TRANSPOSE:
        out.at[0] = at->at[1];
        out.at[1] = at->at[0];
        return out;
    case CAKE_PLAN_INSERT_AXIS:
        memmove(&out.at[op->u.axis], &at->at[op->u.axis + 1], sizeof out.at[0] * (CAKE_MAX_RANK - 1u - op->u.axis));
        out.at[CAKE_MAX_RANK - 1] = 0;
        return out;
    default:
        return out;
    }
}

static bool equal(const cake_coordinate *a, const cake_coordinate *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

static void check_threads(const cake_plan_op *op) {
    const cake_layout *result = op->result->layout;
    for (uint32_t k = 0; k < op->operand_count; k++) {
        const cake_layout *operand = op->operands[k]->layout;
        for (uint32_t i = 0; i < CAKE_LANE_BITS; i++) {
            cake_coordinate at = source_axes(op, &result->lane[i]);
            CAKE_ASSERT(equal(&at, &operand->lane[i]));
        }
        for (uint32_t i = 0; i < result->warp_bits; i++) {
            cake_coordinate at = source_axes(op, &result->warp[i]);
            CAKE_ASSERT(equal(&at, &operand->warp[i]));
        }
    }
}

/* ---- tables ---- */

static uint32_t source_register(const cake_plan_op *op, const cake_coordinate *result) {
    cake_coordinate at = source_axes(op, result);
    const cake_layout *first = op->operands[0]->layout;
    uint32_t found, before = 0;
    if (op->kind == CAKE_PLAN_SLICE)
        for (uint8_t d = 0; d < op->result->shape.rank; d++)
            at.at[d] += op->u.offsets[d];
    if (op->kind == CAKE_PLAN_CONCAT && at.at[op->u.axis] >= first->shape.extents[op->u.axis]) {
        at.at[op->u.axis] -= first->shape.extents[op->u.axis];
        before = first->register_count;
        found = cake_layout_find(op->operands[1]->layout, &at);
    } else {
        found = cake_layout_find(first, &at);
    }
    CAKE_ASSERT(found != UINT32_MAX);
    return before + found;
}

static const rename_table *table_of(cake_sim_warp *warp, const cake_plan_op *op) {
    rename_table *table = cake_sim_table(warp, op);
    if (table) return table;
    const cake_layout *layout = op->result->layout;
    table = CAKE_NEW(cake_sim_arena(warp), rename_table);
    uint32_t *registers = CAKE_NEW_ARRAY(cake_sim_arena(warp), uint32_t, layout->register_count);
    check_threads(op);
    for (uint32_t r = 0; r < layout->register_count; r++) {
        registers[r] = source_register(op, &layout->registers[r]);
        if (registers[r] != r) table->registers = registers;
    }
    cake_sim_table_put(warp, op, table);
    return table;
}

/* ---- the operation ---- */

void cake_sim_rename(cake_sim_warp *warp, const cake_plan_op *op) {
    const rename_table *table = table_of(warp, op);
    uint32_t count = op->result->layout->register_count, first = op->operands[0]->layout->register_count;
    size_t bytes = (size_t)CAKE_SIM_LANES * cake_sim_element_bytes(op->result->dtype);
    const unsigned char *parts[2] = {cake_sim_data(warp, op->operands[0]), NULL};
    unsigned char *out = cake_sim_data(warp, op->result);
    if (op->operand_count > 1) parts[1] = cake_sim_data(warp, op->operands[1]);
    if (!table->registers && count <= first) {
        memcpy(out, parts[0], count * bytes);
        return;
    }
    for (uint32_t r = 0; r < count; r++) {
        uint32_t from = table->registers ? table->registers[r] : r;
        const unsigned char *data = from < first ? parts[0] + from * bytes : parts[1] + (from - first) * bytes;
        memcpy(out + r * bytes, data, bytes);
    }
}
