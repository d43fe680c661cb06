#include "plan/plan.h"

uint32_t cake_plan_nested(cake_plan_op *op, cake_plan_block **out_blocks) {
    uint32_t count = 0;
    if (op->kind == CAKE_PLAN_FOR) out_blocks[count++] = &op->u.loop.body;
    if (op->kind == CAKE_PLAN_WHILE) out_blocks[count++] = &op->u.loop_while.condition;
    if (op->kind == CAKE_PLAN_WHILE) out_blocks[count++] = &op->u.loop_while.body;
    if (op->kind == CAKE_PLAN_IF) out_blocks[count++] = &op->u.branch.then;
    if (op->kind == CAKE_PLAN_IF) out_blocks[count++] = &op->u.branch.otherwise;
    if (op->kind == CAKE_PLAN_AWAIT) out_blocks[count++] = op->u.await->condition;
    return count;
}
