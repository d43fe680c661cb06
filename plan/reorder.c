/* Combining in order where lanes are farther apart along the axes than warps: no sequence of exchanges between lanes
 * and then warps meets the elements as they follow each other. The tiles are relaid out in row-major runs, where bits
 * of lane and warp rise with the position along any axes, and results go back to the layout that their uses have. */
#include "plan/internal.h"

/* ---- operations beside another one ---- */

typedef struct spot {
    cake_plan_block *block;
    cake_plan_op *before; /* null: first of the block */
} spot;

static bool find(cake_plan_block *block, const cake_plan_op *op, spot *out_spot) {
    cake_plan_op *before = NULL;
    for (cake_plan_op *at = block->first; at; before = at, at = at->next) {
        cake_plan_block *nested[CAKE_MAX_NESTED];
        uint32_t count = cake_plan_nested(at, nested);
        *out_spot = (spot){block, before};
        if (at == op) return true;
        for (uint32_t i = 0; i < count; i++)
            if (find(nested[i], op, out_spot)) return true;
    }
    return false;
}

static void insert(const spot *at, cake_plan_op *op) {
    cake_plan_op **link = at->before ? &at->before->next : &at->block->first;
    op->next = *link;
    *link = op;
    if (!op->next) at->block->last = op;
}

static cake_plan_op *relayout(cake_builder *builder, cake_plan_value *from, cake_plan_value *to) {
    cake_plan_op *op = CAKE_NEW(builder->arena, cake_plan_op);
    op->kind = CAKE_PLAN_RELAYOUT;
    op->span = to->span;
    op->operands[op->operand_count++] = from;
    op->result = to;
    to->definition = op;
    *CAKE_PUSH(builder->arena, &builder->exchanges) = op;
    return op;
}

static cake_plan_value *with_layout(cake_builder *builder, const cake_plan_value *value, const cake_layout *layout) {
    cake_plan_value *copy = CAKE_NEW(builder->arena, cake_plan_value);
    *copy = *value;
    copy->name = NULL;
    copy->layout = layout;
    copy->number = ++builder->plan->value_count;
    return copy;
}

/* ---- what is combined, and what comes out ---- */

static const cake_layout *result_layout(cake_builder *builder, const cake_plan_op *op, const cake_layout *layout) {
    if (op->kind == CAKE_PLAN_SCAN) return layout;
    uint32_t axes = op->u.reduction->axes;
    uint8_t rank = layout->shape.rank;
    layout = cake_layout_collapse(&builder->plan->layouts, layout, axes);
    for (uint8_t d = rank; d-- > 0;)
        if (axes >> d & 1) layout = cake_layout_drop_axis(&builder->plan->layouts, layout, d);
    return layout;
}

/* The value that the operation gives in place of 'result', which follows from it; scalars stay. */
static cake_plan_value *move_result(cake_builder *builder, const cake_plan_op *op, cake_plan_value *result,
                                    const cake_layout *layout, spot *behind) {
    if (!result || !result->shape.rank) return result;
    cake_plan_value *own = with_layout(builder, result, layout);
    own->definition = op;
    cake_plan_op *move = relayout(builder, own, result);
    insert(behind, move);
    behind->before = move;
    return own;
}

bool cake_plan_reorder(cake_builder *builder, cake_plan_op *op) {
    spot at;
    const cake_layout *layout =
        cake_layout_runs(&builder->plan->layouts, &op->operands[0]->shape, 1, cake_plan_warp_bits(builder));
    if (!layout || !find(&builder->role->body, op, &at)) return false;
    for (uint8_t i = 0; i < op->operand_count; i++) {
        cake_plan_value *operand = with_layout(builder, op->operands[i], layout);
        cake_plan_op *move = relayout(builder, op->operands[i], operand);
        move->span = op->span;
        op->operands[i] = operand;
        insert(&at, move);
        at.before = move;
    }
    spot behind = {at.block, op};
    const cake_layout *reduced = op->result->shape.rank ? result_layout(builder, op, layout) : NULL;
    op->result = move_result(builder, op, op->result, reduced, &behind);
    op->second = move_result(builder, op, op->second, reduced, &behind);
    return true;
}
