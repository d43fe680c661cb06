/* What everybody waits for when nobody can go on. */
#include "simulator/state.h"

static void add_missing(cake_text *out, const cake_sim_mbarrier *barrier) {
    if (barrier->pending) cake_text_format(out, "%u of %u arrivals missing", barrier->pending, barrier->expected);
    if (barrier->bytes > 0)
        cake_text_format(out, "%s%lld bytes missing", barrier->pending ? " and " : "", (long long)barrier->bytes);
    if (barrier->bytes < 0)
        cake_text_format(out, "%s%lld bytes too many", barrier->pending ? " and " : "", -(long long)barrier->bytes);
}

static void add_slot(cake_text *out, const cake_plan_pipeline *pipeline, const char *what, uint64_t use,
                     const cake_sim_mbarrier *barrier) {
    cake_text_format(out, " waits until slot %llu of '%s' is %s, for its use %llu: ",
                     (unsigned long long)(use % pipeline->stages), pipeline->name, what, (unsigned long long)use);
    add_missing(out, barrier);
}

/* The mbarrier that a warp waits at, or null. */
static const cake_sim_mbarrier *mbarrier_of(const cake_sim_warp *warp) {
    const cake_plan_op *op = warp->at;
    const cake_sim_cta *cta = warp->team->cta;
    if (op->kind == CAKE_PLAN_ACQUIRE) {
        const cake_plan_pipeline *pipeline = op->u.slot.pipeline;
        uint64_t use = warp->slots[pipeline->number].acquired;
        return &cta->pipelines[pipeline->number].empty[use % pipeline->stages];
    }
    if (op->kind == CAKE_PLAN_WAIT) {
        const cake_plan_pipeline *pipeline = op->u.slot.pipeline;
        uint64_t use = warp->slots[pipeline->number].waited;
        return &cta->pipelines[pipeline->number].full[use % pipeline->stages];
    }
    return op->kind == CAKE_PLAN_AWAIT_SIGNAL ? &cta->signals[op->u.signal->number] : NULL;
}

static void describe_wait(const cake_sim_warp *warp, cake_text *out) {
    const cake_plan_op *op = warp->at;
    const cake_plan *plan = warp->team->cta->machine->plan;
    const cake_sim_mbarrier *barrier = mbarrier_of(warp);
    cake_sim_describe_warp(plan, warp->number, warp->team->cta->number, out);
    if (!warp->has_registers)
        cake_text_add_string(out, " waits for registers");
    else if (op->kind == CAKE_PLAN_ACQUIRE)
        add_slot(out, op->u.slot.pipeline, "free", warp->slots[op->u.slot.pipeline->number].acquired, barrier);
    else if (op->kind == CAKE_PLAN_WAIT)
        add_slot(out, op->u.slot.pipeline, "full", warp->slots[op->u.slot.pipeline->number].waited, barrier);
    else if (op->kind == CAKE_PLAN_AWAIT_SIGNAL) {
        cake_text_format(out, " waits for '%s': ", op->u.signal->name);
        add_missing(out, barrier);
    } else if (op->kind == CAKE_PLAN_TAKE)
        cake_text_format(out, " waits for its turn of '%s'", op->u.baton->name);
    else if (op->kind == CAKE_PLAN_AWAIT)
        cake_text_add_string(out, " polls");
    else
        cake_text_add_string(out, " waits for other warps");
}

/* Begun, and never completed: what was announced and what came differ. */
static bool is_torn(const cake_sim_mbarrier *barrier) {
    return barrier && (barrier->bytes || barrier->pending < barrier->expected);
}

static const cake_sim_warp *first_waiting(const cake_sim_machine *machine) {
    const cake_sim_warp *first = NULL;
    for (uint32_t i = machine->first_live; i < machine->next_cta; i++)
        for (uint32_t k = 0; machine->ctas[i].started && k < machine->ctas[i].warp_count; k++) {
            const cake_sim_warp *warp = &machine->ctas[i].warps[k];
            if (warp->state != CAKE_SIM_WAITING) continue;
            if (is_torn(mbarrier_of(warp))) return warp;
            if (!first) first = warp;
        }
    return first;
}

/* One note for each statement at which warps wait. */
static void add_notes(cake_sim_machine *machine, cake_diagnostic *diagnostic, const cake_sim_warp *said) {
    cake_sim_launch *launch = machine->launch;
    CAKE_VECTOR(const cake_plan_op *) seen = {0};
    *CAKE_PUSH(machine->arena, &seen) = said->at;
    for (uint32_t i = machine->first_live; i < machine->next_cta; i++)
        for (uint32_t k = 0; machine->ctas[i].started && k < machine->ctas[i].warp_count; k++) {
            const cake_sim_warp *warp = &machine->ctas[i].warps[k];
            bool known = warp->state != CAKE_SIM_WAITING;
            for (uint32_t n = 0; n < seen.count; n++)
                known = known || seen.items[n] == warp->at;
            if (known) continue;
            *CAKE_PUSH(machine->arena, &seen) = warp->at;
            cake_text text;
            cake_text_init(&text, launch->arena);
            describe_wait(warp, &text);
            cake_diagnostic_note(launch->diagnostics, diagnostic, warp->at->span, "%s", cake_text_string(&text));
        }
}

void cake_sim_report_hang(cake_sim_machine *machine) {
    cake_sim_launch *launch = machine->launch;
    cake_sim_warp *warp = (cake_sim_warp *)first_waiting(machine);
    launch->stopped = true;
    CAKE_ASSERT(warp);
    cake_diagnostic_code code = is_torn(mbarrier_of(warp)) ? CAKE_S106 : CAKE_S108;
    cake_text text;
    cake_text_init(&text, launch->arena);
    describe_wait(warp, &text);
    cake_diagnostic *d = cake_sim_fault(warp, warp->at, code, "nobody can go on: %s", cake_text_string(&text));
    if (d) add_notes(machine, d, warp);
}
