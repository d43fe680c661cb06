/* Operations that move elements between the team's threads: what they need, once layouts are known, and what it costs.
 */
#include "plan/internal.h"
#include "plan/lines.h"

uint32_t cake_plan_slot_bytes(const cake_plan_value *value) {
    if (value->dtype == CAKE_DTYPE_INDEX) return cake_range_fits_i32((cake_range){value->low, value->high}) ? 4 : 8;
    return cake_dtype_bits(value->dtype) > 32 ? 8 : 4;
}

uint32_t cake_plan_element_bytes(const cake_plan_value *value) {
    return value->dtype == CAKE_DTYPE_INDEX ? cake_plan_slot_bytes(value) : (cake_dtype_bits(value->dtype) + 7) / 8;
}

uint32_t cake_plan_scratch(const cake_plan_op *op) {
    if (op->kind == CAKE_PLAN_RELAYOUT) return op->u.bytes;
    if (op->kind == CAKE_PLAN_ATOMIC) return op->u.atomic->scratch_bytes;
    if (op->kind == CAKE_PLAN_AWAIT) return op->u.await->scratch_bytes;
    bool combines = op->kind == CAKE_PLAN_REDUCE || op->kind == CAKE_PLAN_SCAN || op->kind == CAKE_PLAN_TOPK;
    return combines ? op->u.reduction->scratch_bytes : 0;
}

static uint32_t mask_of(const cake_layout_step *steps, uint32_t count) {
    uint32_t mask = 0;
    for (uint32_t i = 0; i < count; i++)
        mask |= 1u << steps[i].bit;
    return mask;
}

static uint64_t kept_elements(const cake_shape *shape, uint32_t axes) {
    uint64_t elements = 1;
    for (uint8_t d = 0; d < shape->rank; d++)
        if (!(axes >> d & 1)) elements *= shape->extents[d];
    return elements;
}

#define MAX_SCRATCH (1u << 20) /* more than any target has, and far from overflow */

static bool reserve(cake_builder *builder, const cake_plan_op *op, uint64_t bytes) {
    cake_plan_role *role = builder->role;
    if (bytes > MAX_SCRATCH) {
        cake_report(builder->diagnostics, CAKE_H201, op->span, "this needs %llu bytes of scratch",
                    (unsigned long long)bytes);
        return false;
    }
    if (bytes > role->scratch_bytes) role->scratch_bytes = (uint32_t)(bytes + 15) & ~15u;
    return true;
}

/* Slots that a warp needs for each line: one for each chunk, which is one where the order is free; the largest of the
 * line, sorted. */
static uint32_t slots_of_line(const cake_plan_op *op, const cake_layout_lines *lines) {
    if (op->kind == CAKE_PLAN_TOPK) return op->u.reduction->count;
    return op->u.reduction->ordered ? lines->chunks : 1;
}

static void finish_reduction(cake_builder *builder, cake_plan_op *op) {
    cake_plan_reduction *reduction = op->u.reduction;
    const cake_layout *layout = op->operands[0]->layout;
    if (!layout) return;
    cake_layout_lines lines = cake_layout_lines_along(builder->arena, layout, reduction->axes);
    reduction->lane_bits = mask_of(lines.lanes, lines.lane_count);
    reduction->warp_bits = mask_of(lines.warps, lines.warp_count);
    if (!lines.warp_count || reduction->within != CAKE_WITHIN_TEAM) return;
    if (reduction->ordered && !lines.nested) {
        if (cake_plan_reorder(builder, op))
            finish_reduction(builder, op);
        else
            cake_report(builder->diagnostics, CAKE_L502, op->span,
                        "these elements can't be put in order: the tile does not deal evenly to the team's threads");
        return;
    }
    uint32_t warps = 1u << lines.warp_count;
    uint64_t slots = kept_elements(&layout->shape, reduction->axes) * warps * slots_of_line(op, &lines), bytes = 0;
    for (uint32_t i = 0; i < op->operand_count; i++)
        bytes += (slots + 1) / 2 * 2 * cake_plan_slot_bytes(i ? op->second : op->result);
    if (!reserve(builder, op, bytes)) return;
    reduction->scratch_slots = (uint32_t)slots;
    reduction->scratch_bytes = (uint32_t)bytes;
    cake_plan_cost_add(builder, op->span, "%s across %u warps: %u bytes of scratch and two 'sync team'",
                       cake_builtin_info_of(reduction->function)->name, warps, reduction->scratch_bytes);
}

/* Every element once, row-major, unless it lies where it is wanted. */
static void finish_relayout(cake_builder *builder, cake_plan_op *op) {
    if (op->operands[0]->layout == op->result->layout) return;
    uint64_t bytes = cake_shape_elements(&op->result->shape) * cake_plan_element_bytes(op->result);
    if (!reserve(builder, op, bytes)) return;
    op->u.bytes = (uint32_t)bytes;
    cake_plan_cost_add(builder, op->span, "relayout: %u bytes of scratch and two 'sync team'", op->u.bytes);
}

static void finish_top(cake_builder *builder, cake_plan_op *op) {
    finish_reduction(builder, op);
    if (op->u.reduction->lane_bits)
        cake_plan_cost_add(builder, op->span, "topk: %u searches across lanes in every warp", op->u.reduction->count);
}

void cake_plan_finish_exchanges(cake_builder *builder) {
    for (uint32_t i = 0; i < builder->exchanges.count; i++) {
        cake_plan_op *op = builder->exchanges.items[i];
        if (op->kind == CAKE_PLAN_RELAYOUT)
            finish_relayout(builder, op);
        else if (op->kind == CAKE_PLAN_TOPK)
            finish_top(builder, op);
        else
            finish_reduction(builder, op);
    }
}

/* ---- values that one thread gets for others ---- */

static void finish_tile(cake_builder *builder, const cake_plan_op *op) {
    const cake_layout *layout = op->result->layout;
    if (cake_layout_repeated_warps(layout) == 0 && builder->role->warps_per_team == 1u << layout->warp_bits) return;
    cake_report(builder->diagnostics, CAKE_U001, op->span,
                "the values of an atomic or 'await' on a tile that several warps repeat are not lowered yet");
}

static void finish_broadcast(cake_builder *builder, cake_plan_op *op, bool used, uint32_t *out_bytes) {
    uint32_t bytes = cake_plan_slot_bytes(op->result);
    if (!used) return;
    if (op->result->shape.rank) {
        finish_tile(builder, op);
        return;
    }
    if (!reserve(builder, op, bytes)) return;
    *out_bytes = bytes;
    cake_plan_cost_add(builder, op->span,
                       "the value goes from one lane to %u warps: %u bytes of scratch and two 'sync team'",
                       builder->role->warps_per_team, bytes);
}

static void finish_broadcasts(cake_builder *builder, const cake_plan_block *block) {
    for (cake_plan_op *op = block->first; op; op = op->next) {
        cake_plan_block *nested[CAKE_MAX_NESTED];
        uint32_t count = cake_plan_nested(op, nested);
        if (op->kind == CAKE_PLAN_ATOMIC)
            finish_broadcast(builder, op, op->u.atomic->used, &op->u.atomic->scratch_bytes);
        if (op->kind == CAKE_PLAN_AWAIT) finish_broadcast(builder, op, op->u.await->used, &op->u.await->scratch_bytes);
        for (uint32_t i = 0; i < count; i++)
            finish_broadcasts(builder, nested[i]);
    }
}

void cake_plan_finish_broadcasts(cake_builder *builder) {
    if (builder->role->first_warp_only || builder->role->warps_per_team == 1) return;
    finish_broadcasts(builder, &builder->role->body);
}
