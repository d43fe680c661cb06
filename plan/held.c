/* Held slots: how many slots of a pipeline a consumer holds before each statement, as a set of counts.
 *
 * 'wait' adds one, 'release keep n' clamps to n; a loop's set is closed under its body, zero trips included unless the
 * ranges exclude them. The set is exact but for branches that depend on each other (semantics: the local state).
 *
 * What a block does to a set is the union of what it does to each count, so a table over counts describes it. Tables
 * are made bottom-up and give each loop its closed set; then one walk over the body in order checks every statement.
 * Working cost: statements times nesting depth, however loops nest.
 */
#include "plan/internal.h"

#define COUNTS 32 /* counts 0 .. stages, and stages are at most 30 */

typedef struct counting {
    cake_builder *builder;
    const cake_plan_pipeline *pipeline;
    bool reported;
} counting;

typedef struct effect {
    uint64_t after[COUNTS]; /* by the count before: the set of counts after */
} effect;

static void refuse(counting *c, const cake_plan_op *op, const char *what) {
    if (c->reported) return;
    c->reported = true;
    cake_diagnostic *d = cake_report(c->builder->diagnostics, CAKE_H208, op->span, "%s", what);
    cake_diagnostic_note(c->builder->diagnostics, d, c->pipeline->span, "'%s' has %u stages", c->pipeline->name,
                         c->pipeline->stages);
}

/* ---- effects ---- */

static uint64_t legal_counts(const counting *c) {
    return ((uint64_t)2 << c->pipeline->stages) - 1;
}

static uint64_t after_release(const cake_plan_op *op, uint64_t held) {
    uint64_t kept = ((uint64_t)2 << op->u.slot.keep) - 1;
    return (held & kept) | (held & ~kept ? (uint64_t)1 << op->u.slot.keep : 0);
}

static uint64_t apply(const effect *e, uint64_t held) {
    uint64_t after = 0;
    for (uint32_t h = 0; h < COUNTS; h++)
        if (held >> h & 1) after |= e->after[h];
    return after;
}

static effect chain(const effect *first, const effect *second) {
    effect both;
    for (uint32_t h = 0; h < COUNTS; h++)
        both.after[h] = apply(second, first->after[h]);
    return both;
}

/* All counts that turns of a loop may begin with, and the one behind the last turn. */
static uint64_t closure(const effect *turn, uint64_t held) {
    for (uint64_t known = 0; held != known;) {
        known = held;
        held |= apply(turn, known);
    }
    return held;
}

static effect effect_of(const counting *c, const cake_plan_block *block);

static uint64_t after_loop(const effect *turn, uint64_t held, bool at_least_once) {
    uint64_t before = closure(turn, held);
    return at_least_once ? apply(turn, before) : before;
}

static void add_loop(const counting *c, const cake_plan_block *body, bool at_least_once, effect *e) {
    effect turn = effect_of(c, body);
    for (uint32_t h = 0; h < COUNTS; h++)
        e->after[h] = after_loop(&turn, e->after[h], at_least_once);
}

/* The condition once, then turns of body and condition. */
static void add_while(const counting *c, const cake_plan_op *op, effect *e) {
    effect condition = effect_of(c, &op->u.loop_while.condition), body = effect_of(c, &op->u.loop_while.body);
    effect turn = chain(&body, &condition);
    for (uint32_t h = 0; h < COUNTS; h++)
        e->after[h] = closure(&turn, apply(&condition, e->after[h]));
}

static void add_branch(const counting *c, const cake_plan_op *op, effect *e) {
    effect then = effect_of(c, &op->u.branch.then), otherwise = effect_of(c, &op->u.branch.otherwise);
    for (uint32_t h = 0; h < COUNTS; h++)
        e->after[h] = apply(&then, e->after[h]) | apply(&otherwise, e->after[h]);
}

static void add_op(const counting *c, const cake_plan_op *op, effect *e) {
    switch (op->kind) {
    case CAKE_PLAN_WAIT:
        for (uint32_t h = 0; op->u.slot.pipeline == c->pipeline && h < COUNTS; h++)
            e->after[h] = e->after[h] << 1 & legal_counts(c);
        return;
    case CAKE_PLAN_RELEASE:
        for (uint32_t h = 0; op->u.slot.pipeline == c->pipeline && h < COUNTS; h++)
            e->after[h] = after_release(op, e->after[h]);
        return;
    case CAKE_PLAN_FOR:
        add_loop(c, &op->u.loop.body, op->u.loop.at_least_once, e);
        return;
    case CAKE_PLAN_WHILE:
        add_while(c, op, e);
        return;
    case CAKE_PLAN_IF:
        add_branch(c, op, e);
        return;
    default:
        return;
    }
}

static effect effect_of(const counting *c, const cake_plan_block *block) {
    effect e;
    for (uint32_t h = 0; h < COUNTS; h++)
        e.after[h] = (uint64_t)1 << h & legal_counts(c);
    for (const cake_plan_op *op = block->first; op; op = op->next)
        add_op(c, op, &e);
    return e;
}

/* ---- checks ---- */

static uint64_t check_wait(counting *c, const cake_plan_op *op, uint64_t held) {
    held <<= 1;
    if (held & ~legal_counts(c)) refuse(c, op, "after this wait more slots may be held than the pipeline has");
    return held & legal_counts(c);
}

static void check_read(counting *c, const cake_plan_op *op, const cake_plan_place *place, uint64_t held) {
    if (!place->buffer || place->buffer->pipeline != c->pipeline) return;
    uint64_t too_few = ((uint64_t)2 << place->age) - 1;
    if (held & too_few) refuse(c, op, "a slot is read here that may not be held");
}

static uint64_t check(counting *c, const cake_plan_block *block, uint64_t held);

static uint64_t check_loop(counting *c, const cake_plan_block *body, uint64_t held, bool at_least_once) {
    effect turn = effect_of(c, body);
    uint64_t before = closure(&turn, held), after = check(c, body, before);
    return at_least_once ? after : before;
}

static uint64_t check_while(counting *c, const cake_plan_op *op, uint64_t held) {
    effect condition = effect_of(c, &op->u.loop_while.condition), body = effect_of(c, &op->u.loop_while.body);
    effect turn = chain(&condition, &body);
    uint64_t before = closure(&turn, held), after = check(c, &op->u.loop_while.condition, before);
    check(c, &op->u.loop_while.body, after);
    return after;
}

static uint64_t check_op(counting *c, cake_plan_op *op, uint64_t held) {
    switch (op->kind) {
    case CAKE_PLAN_WAIT:
        return op->u.slot.pipeline == c->pipeline ? check_wait(c, op, held) : held;
    case CAKE_PLAN_RELEASE:
        if (op->u.slot.pipeline != c->pipeline) return held;
        op->u.slot.held_before |= held;
        return after_release(op, held);
    case CAKE_PLAN_FOR:
        return check_loop(c, &op->u.loop.body, held, op->u.loop.at_least_once);
    case CAKE_PLAN_WHILE:
        return check_while(c, op, held);
    case CAKE_PLAN_IF:
        return check(c, &op->u.branch.then, held) | check(c, &op->u.branch.otherwise, held);
    case CAKE_PLAN_LOAD:
        check_read(c, op, &op->u.access->place, held);
        return held;
    case CAKE_PLAN_ATOMIC:
        if (!op->u.atomic->access.place.fills) check_read(c, op, &op->u.atomic->access.place, held);
        return held;
    case CAKE_PLAN_MMA:
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

static uint64_t check(counting *c, const cake_plan_block *block, uint64_t held) {
    for (cake_plan_op *op = block->first; op; op = op->next)
        held = check_op(c, op, held);
    return held;
}

void cake_plan_held_slots(cake_builder *builder, cake_plan_role *role) {
    for (uint32_t i = 0; i < builder->plan->pipelines.count; i++) {
        counting c = {.builder = builder, .pipeline = builder->plan->pipelines.items[i]};
        bool consumes = false;
        for (uint32_t k = 0; k < c.pipeline->consumers.count; k++)
            consumes = consumes || c.pipeline->consumers.items[k] == role;
        if (!consumes) continue;
        uint64_t end = check(&c, &role->body, 1);
        if (end != 1 && role->body.last)
            refuse(&c, role->body.last, "the role may end with slots that were not released");
    }
}
