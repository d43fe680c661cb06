/* What a program's steps do to memory in which order.
 *
 * A step without 'overlap' begins when all steps before it have ended. A chain of launches with 'overlap' begins with
 * one launch that waits like that; each further one starts early, and its 'grid.wait' is what waits for the launches
 * before it. Until then a role may only touch memory that no earlier launch of the chain writes, and write only what
 * none of them touches.
 */
#include "plan/program_internal.h"

static const char *name_of(const cake_plan_program_builder *p, uint32_t memory) {
    return p->memory.items[memory]->name;
}

static bool is_set(cake_span span) {
    return span.end > span.begin;
}

/* ---- contents ---- */

static void need_contents(cake_plan_program_builder *p, const cake_step *step, uint32_t memory) {
    cake_plan_memory_state *state = &p->states.items[memory];
    if (state->written) return;
    state->written = true; /* reported once */
    cake_report(p->scope.diagnostics, CAKE_L411, step->span, "'%s' is read here, and no step before has written it",
                name_of(p, memory));
}

/* ---- accesses before grid.wait ---- */

typedef struct early_access {
    cake_plan_program_builder *p;
    const cake_step *step;
    const cake_plan_step *row;
    const cake_plan *plan;
    bool reported;
} early_access;

static void refuse(early_access *e, cake_span at, uint32_t memory, const char *does, cake_span earlier) {
    if (e->reported) return;
    e->reported = true;
    cake_diagnostics *diagnostics = e->p->scope.diagnostics;
    cake_diagnostic *diagnostic =
        cake_report(diagnostics, CAKE_L412, e->step->span,
                    "kernel '%s' %s '%s' before its 'grid.wait', while a launch before it may still use it",
                    e->step->object.name, does, name_of(e->p, memory));
    cake_diagnostic_note(diagnostics, diagnostic, at, "the access");
    cake_diagnostic_note(diagnostics, diagnostic, earlier, "the launch before");
}

static void access_tensor(early_access *e, cake_span at, const cake_plan_tensor *tensor, bool writes) {
    if (!tensor) return;
    uint32_t memory = e->row->tensors.items[cake_plan_tensor_base(tensor)->number - 1];
    const cake_plan_memory_state *state = &e->p->states.items[memory];
    if (is_set(state->pending_write))
        refuse(e, at, memory, writes ? "writes" : "reads", state->pending_write);
    else if (writes && is_set(state->pending_read))
        refuse(e, at, memory, "writes", state->pending_read);
}

static void access_operation(early_access *e, const cake_plan_op *op) {
    switch (op->kind) {
    case CAKE_PLAN_LOAD:
    case CAKE_PLAN_STORE:
        access_tensor(e, op->span, op->u.access->place.tensor, op->kind == CAKE_PLAN_STORE);
        break;
    case CAKE_PLAN_ATOMIC:
        access_tensor(e, op->span, op->u.atomic->access.place.tensor, true);
        break;
    case CAKE_PLAN_ASYNC_LOAD:
    case CAKE_PLAN_TMA_LOAD:
    case CAKE_PLAN_TMA_STORE:
        access_tensor(e, op->span, op->u.copy->global.tensor, op->kind == CAKE_PLAN_TMA_STORE);
        break;
    default:
        break;
    }
}

/* Whether 'grid.wait' has been executed on every path through the block. A loop may have no trip. */
static bool walk(early_access *e, const cake_plan_block *block) {
    for (cake_plan_op *op = block->first; op; op = op->next) {
        if (op->kind == CAKE_PLAN_GRID_WAIT) return true;
        access_operation(e, op);
        cake_plan_block *nested[CAKE_MAX_NESTED];
        uint32_t count = cake_plan_nested(op, nested), waited = 0;
        for (uint32_t i = 0; i < count; i++)
            waited += walk(e, nested[i]);
        bool always = op->kind == CAKE_PLAN_IF || (op->kind == CAKE_PLAN_FOR && op->u.loop.at_least_once);
        if (always && count && waited == count) return true;
    }
    return false;
}

/* Some role of every CTA waits: so the launch ends after the launches before it, and what follows need wait for it
 * alone. */
static void check_overlap(early_access *e) {
    const cake_plan_launch *launch = &e->plan->launch;
    bool waits = false;
    if (launch->claim && !launch->persistent) access_tensor(e, launch->claim->span, launch->claim, true);
    for (uint32_t i = 0; i < e->plan->roles.count; i++)
        waits |= walk(e, &e->plan->roles.items[i]->body);
    if (!waits && !e->reported)
        cake_report(e->p->scope.diagnostics, CAKE_L412, e->step->span,
                    "kernel '%s' has no 'grid.wait' that every CTA executes", e->step->object.name);
}

static void end_chain(cake_plan_program_builder *p) {
    for (uint32_t i = 0; i < p->states.count; i++)
        p->states.items[i].pending_read = p->states.items[i].pending_write = (cake_span){0};
}

/* ---- steps ---- */

void cake_plan_program_order_run(cake_plan_program_builder *p, const cake_step *step, const cake_plan_step *row) {
    const cake_plan *plan = p->plans->instances.items[row->instance].plan;
    const cake_plan_step *before =
        p->program->steps.count ? &p->program->steps.items[p->program->steps.count - 1] : NULL;
    early_access e = {p, step, row, plan, false};
    if (p->scope.diagnostics->error_count) return; /* a step may be missing */
    if (!step->overlap)
        end_chain(p);
    else if (!before || before->kind != CAKE_STEP_RUN)
        cake_report(p->scope.diagnostics, CAKE_L412, step->span, "'overlap' needs a 'run' as the step before");
    else
        check_overlap(&e);
    for (uint32_t i = 0; i < row->tensors.count; i++) {
        uint32_t memory = row->tensors.items[i];
        cake_parameter_mode mode = plan->tensors.items[i]->mode;
        cake_plan_memory_state *state = &p->states.items[memory];
        if (mode != CAKE_PARAMETER_OUT) need_contents(p, step, memory);
        if (mode != CAKE_PARAMETER_IN) state->written = true;
        *(mode == CAKE_PARAMETER_IN ? &state->pending_read : &state->pending_write) = step->span;
    }
}

void cake_plan_program_order_fill(cake_plan_program_builder *p, uint32_t memory) {
    end_chain(p);
    p->states.items[memory].written = true;
}

void cake_plan_program_order_end(cake_plan_program_builder *p) {
    for (uint32_t i = 0; i < p->states.count; i++) {
        const cake_plan_tensor *tensor = p->memory.items[i];
        if (p->states.items[i].written || tensor->mode != CAKE_PARAMETER_OUT) continue;
        cake_report(p->scope.diagnostics, CAKE_L411, tensor->span, "'%s' is 'out', and no step writes it",
                    tensor->name);
    }
}
