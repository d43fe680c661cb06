/* How two elements combine: the operations of the combiner's body, over blocks. Built-in functions have a body of one
 * operation, made here, so that they round and treat NaN as the elementwise ones do. */
#include <string.h>

#include "simulator/fold.h"

/* ---- bodies of built-in functions ---- */

static cake_plan_value *new_leaf(cake_arena *arena, const cake_plan_value *result) {
    cake_plan_value *leaf = CAKE_NEW(arena, cake_plan_value);
    leaf->dtype = result->dtype;
    leaf->low = result->low;
    leaf->high = result->high;
    leaf->span = result->span;
    return leaf;
}

static void set_function(cake_plan_op *op, const cake_plan_reduction *reduction) {
    op->kind = CAKE_PLAN_BINARY;
    if (reduction->function == CAKE_BUILTIN_MIN || reduction->function == CAKE_BUILTIN_MAX) {
        op->kind = CAKE_PLAN_CALL;
        op->u.call.function = reduction->function;
        op->u.call.modifiers = reduction->modifiers;
    } else if (reduction->function == CAKE_BUILTIN_ANY) {
        op->u.binary = CAKE_BINARY_OR;
    } else if (reduction->function == CAKE_BUILTIN_ALL) {
        op->u.binary = CAKE_BINARY_AND;
    } else { /* sum, count, scan */
        op->u.binary = CAKE_BINARY_ADD;
    }
}

static const cake_plan_combiner *built_in(cake_arena *arena, const cake_plan_op *op) {
    cake_plan_combiner *combiner = CAKE_NEW(arena, cake_plan_combiner);
    cake_plan_op *step = CAKE_NEW(arena, cake_plan_op);
    combiner->tiles = 1;
    combiner->left[0] = step->operands[0] = new_leaf(arena, op->result);
    combiner->right[0] = step->operands[1] = new_leaf(arena, op->result);
    combiner->results[0] = step->result = new_leaf(arena, op->result);
    set_function(step, op->u.reduction);
    step->span = op->span;
    step->operand_count = 2;
    step->result->definition = step;
    combiner->body = CAKE_NEW(arena, cake_plan_block);
    combiner->body->first = combiner->body->last = step;
    return combiner;
}

/* ---- programs ---- */

/* Where the value's elements are found: a leaf's, or those that an earlier step makes. */
static const void *const *find(const cake_sim_combiner *combiner, const cake_plan_value *value) {
    for (uint32_t i = 0; i < combiner->plan->tiles; i++) {
        if (value == combiner->plan->left[i]) return &combiner->left[i];
        if (value == combiner->plan->right[i]) return &combiner->right[i];
    }
    for (uint32_t i = 0; i < combiner->step_count; i++)
        if (value == combiner->steps[i].op->result) return &combiner->steps[i].out;
    return NULL;
}

static const void *const *add_step(cake_arena *arena, cake_sim_fold *fold, const cake_plan_op *op) {
    cake_sim_combiner *combiner = &fold->combiner;
    cake_sim_combine_step *step = &combiner->steps[combiner->step_count];
    for (uint32_t i = 0; i < op->operand_count; i++)
        step->operands[i] = find(combiner, op->operands[i]);
    step->op = op;
    step->room = cake_arena_alloc(arena, (size_t)fold->width * cake_sim_element_bytes(op->result->dtype));
    step->out = step->room;
    combiner->step_count++;
    return &step->out;
}

static bool is_made_by_step(const cake_sim_combiner *combiner, const void *const *elements) {
    for (uint32_t i = 0; i < combiner->step_count; i++)
        if (elements == &combiner->steps[i].out) return true;
    return false;
}

/* Leaves and values from outside are copied, so that results never lie in the operands. */
static const void *const *result_of(cake_arena *arena, cake_sim_fold *fold, cake_plan_value *value) {
    const void *const *found = find(&fold->combiner, value);
    if (is_made_by_step(&fold->combiner, found)) return found;
    cake_plan_op *copy = CAKE_NEW(arena, cake_plan_op);
    copy->kind = CAKE_PLAN_SPLAT;
    copy->span = fold->op->span;
    copy->operands[copy->operand_count++] = value;
    copy->result = new_leaf(arena, value);
    copy->result->definition = copy;
    return add_step(arena, fold, copy);
}

void cake_sim_combiner_build(cake_arena *arena, cake_sim_fold *fold) {
    cake_sim_combiner *combiner = &fold->combiner;
    const cake_plan_op *op = fold->op;
    combiner->plan = op->u.reduction->combiner ? op->u.reduction->combiner : built_in(arena, op);
    uint32_t count = 0;
    for (const cake_plan_op *step = combiner->plan->body->first; step; step = step->next)
        count++;
    combiner->steps = CAKE_NEW_ARRAY(arena, cake_sim_combine_step, count + fold->tiles);
    for (const cake_plan_op *step = combiner->plan->body->first; step; step = step->next)
        (void)add_step(arena, fold, step);
    for (uint32_t i = 0; i < fold->tiles; i++)
        combiner->results[i] = result_of(arena, fold, combiner->plan->results[i]);
}

static void run_step(cake_sim_warp *warp, const cake_sim_combine_step *step, uint32_t width) {
    cake_sim_operand operands[3];
    for (uint32_t i = 0; i < step->op->operand_count; i++) {
        bool inside = step->operands[i] != NULL;
        operands[i].data = inside ? *step->operands[i] : cake_sim_data(warp, step->op->operands[i]);
        operands[i].stride = inside ? 1 : 0;
    }
    cake_sim_elementwise(warp, step->op, step->room, operands, width);
}

void cake_sim_fold_combine(cake_sim_warp *warp, cake_sim_fold *fold, cake_sim_view left, cake_sim_view right,
                           unsigned char *out_block) {
    cake_sim_combiner *combiner = &fold->combiner;
    cake_sim_view results = {{NULL}};
    for (uint32_t i = 0; i < fold->tiles; i++) {
        combiner->left[i] = left.of[i];
        combiner->right[i] = right.of[i];
    }
    for (uint32_t i = 0; i < combiner->step_count; i++)
        run_step(warp, &combiner->steps[i], fold->width);
    for (uint32_t i = 0; i < fold->tiles; i++)
        results.of[i] = *combiner->results[i];
    cake_sim_block_copy(fold, results, out_block);
}
