/* Held slots: how many slots of a pipeline a consumer holds before each statement, as a set of counts.
 *
 * 'wait' adds one, 'release keep n' clamps to n; a loop is iterated until its set is closed, zero trips included unless
 * the ranges exclude them. The set is exact but for branches that depend on each other (semantics: the local state).
 */
#include "plan/internal.h"

typedef struct counting {
    cake_builder *builder;
    const cake_plan_pipeline *pipeline;
    bool reported;
} counting;

static void refuse(counting *c, const cake_plan_op *op, const char *what) {
    if (c->reported) return;
    c->reported = true;
    cake_diagnostic *d = cake_report(c->builder->diagnostics, CAKE_H208, op->span, "%s", what);
    cake_diagnostic_note(c->builder->diagnostics, d, c->pipeline->span, "'%s' has %u stages", c->pipeline->name,
                         c->pipeline->stages);
}

static uint64_t after_wait(counting *c, const cake_plan_op *op, uint64_t held) {
    held <<= 1;
    uint64_t legal = ((uint64_t)2 << c->pipeline->stages) - 1;
    if (held & ~legal) refuse(c, op, "after this wait more slots may be held than the pipeline has");
    return held & legal;
}

static uint64_t after_release(cake_plan_op *op, uint64_t held) {
    uint64_t kept = ((uint64_t)2 << op->u.slot.keep) - 1;
    op->u.slot.held_before |= held;
    return (held & kept) | (held & ~kept ? (uint64_t)1 << op->u.slot.keep : 0);
}

static void check_read(counting *c, const cake_plan_op *op, const cake_plan_place *place, uint64_t held) {
    if (!place->buffer || place->buffer->pipeline != c->pipeline) return;
    uint64_t too_few = ((uint64_t)2 << place->age) - 1;
    if (held & too_few) refuse(c, op, "a slot is read here that may not be held");
}

static uint64_t walk(counting *c, const cake_plan_block *block, uint64_t held);

static uint64_t walk_loop(counting *c, const cake_plan_block *body, uint64_t held, bool at_least_once) {
    uint64_t before = held, after = 0;
    for (uint64_t known = 0; before != known;) {
        known = before;
        after = walk(c, body, known);
        before = known | after;
    }
    return at_least_once ? after : before;
}

static uint64_t step(counting *c, cake_plan_op *op, uint64_t held) {
    switch (op->kind) {
    case CAKE_PLAN_WAIT:
        return op->u.slot.pipeline == c->pipeline ? after_wait(c, op, held) : held;
    case CAKE_PLAN_RELEASE:
        return op->u.slot.pipeline == c->pipeline ? after_release(op, held) : held;
    case CAKE_PLAN_FOR:
        return walk_loop(c, &op->u.loop.body, held, op->u.loop.at_least_once);
    case CAKE_PLAN_WHILE:
        return walk_loop(c, &op->u.loop_while.body, held, false);
    case CAKE_PLAN_IF:
        return walk(c, &op->u.branch.then, held) | walk(c, &op->u.branch.otherwise, held);
    case CAKE_PLAN_LOAD:
        check_read(c, op, &op->u.access->place, held);
        return held;
    case CAKE_PLAN_WGMMA:
        if (!op->u.matrix->x_registers) check_read(c, op, &op->u.matrix->x, held);
        check_read(c, op, &op->u.matrix->y, held);
        return held;
    case CAKE_PLAN_TMA_STORE:
        check_read(c, op, &op->u.copy->shared, held);
        return held;
    default:
        return held;
    }
}

static uint64_t walk(counting *c, const cake_plan_block *block, uint64_t held) {
    for (cake_plan_op *op = block->first; op; op = op->next)
        held = step(c, op, held);
    return held;
}

void cake_plan_held_slots(cake_builder *builder, cake_plan_role *role) {
    for (uint32_t i = 0; i < builder->plan->pipelines.count; i++) {
        counting c = {.builder = builder, .pipeline = builder->plan->pipelines.items[i]};
        bool consumes = false;
        for (uint32_t k = 0; k < c.pipeline->consumers.count; k++)
            consumes = consumes || c.pipeline->consumers.items[k] == role;
        if (!consumes || c.pipeline->producer == role) continue;
        uint64_t end = walk(&c, &role->body, 1);
        if (end != 1 && role->body.last)
            refuse(&c, role->body.last, "the role may end with slots that were not released");
    }
}
