/* What is reported: once for each operation and code, with the dimensions, the tile and the loops of the run.
 *
 * A read of what nobody wrote may be a read that came too early: then the write that follows is a race, and only that
 * is reported. So such reads are held back until the CTAs of the machine have ended. */
#include <stdio.h>
#include <string.h>

#include "simulator/state.h"

/* Whether this operation and code were reported before; notes it. */
static bool is_known(cake_sim_launch *launch, const cake_plan_op *op, cake_diagnostic_code code) {
    uint64_t key = (uint64_t)op->span.begin << 32 | (uint64_t)code;
    for (uint32_t i = 0; i < launch->reported.count; i++)
        if (launch->reported.items[i] == key) return true;
    *CAKE_PUSH(launch->arena, &launch->reported) = key;
    return false;
}

void cake_sim_describe_warp(const cake_plan *plan, uint32_t warp_number, uint32_t cta_number, cake_text *out) {
    for (uint32_t i = 0; i < plan->roles.count; i++) {
        const cake_plan_role *role = plan->roles.items[i];
        if (warp_number < role->first_warp || warp_number >= role->first_warp + role->warps) continue;
        uint32_t within = warp_number - role->first_warp, per_team = role->warps_per_team;
        cake_text_add_string(out, role->name);
        if (role->team_count > 1) cake_text_format(out, "[%u]", within / per_team);
        if (per_team > 1 && !role->first_warp_only) cake_text_format(out, " warp %u", within % per_team);
    }
    cake_text_format(out, " of CTA %u", cta_number);
}

/* ---- the situation, in the author's terms ---- */

static void add_value(cake_sim_launch *launch, cake_diagnostic *diagnostic, const char *name, int64_t value) {
    if (name) cake_diagnostic_value(launch->diagnostics, diagnostic, name, value);
}

static void add_dimensions(cake_sim_launch *launch, cake_diagnostic *diagnostic) {
    for (uint32_t i = 0; i < launch->plan->dimensions.count; i++)
        add_value(launch, diagnostic, launch->plan->dimensions.items[i]->definition->u.leaf.name,
                  launch->kernel->dimensions[i]);
}

void cake_sim_report_loops(cake_sim_warp *warp, cake_diagnostic *diagnostic) {
    cake_sim_launch *launch = cake_sim_launch_of(warp);
    add_value(launch, diagnostic, "cta_number", warp->team->cta->number);
    for (uint32_t i = 1; i < warp->depth; i++) {
        const cake_plan_op *owner = warp->frames[i].owner;
        if (owner->kind == CAKE_PLAN_FOR)
            add_value(launch, diagnostic, owner->u.loop.tiles ? "tile" : owner->u.loop.induction->name,
                      warp->frames[i].value);
    }
}

cake_diagnostic *cake_sim_fault(cake_sim_warp *warp, const cake_plan_op *op, cake_diagnostic_code code,
                                const char *format, ...) {
    cake_sim_launch *launch = cake_sim_launch_of(warp);
    if (launch->out_of_step || is_known(launch, op, code)) return NULL;
    va_list arguments;
    va_start(arguments, format);
    const char *what = cake_arena_vformat(launch->arena, format, arguments);
    va_end(arguments);
    cake_text who;
    cake_text_init(&who, launch->arena);
    if (warp->team->role) cake_sim_describe_warp(launch->plan, warp->number, warp->team->cta->number, &who);
    cake_diagnostic *d = cake_report(code == CAKE_S102 ? &launch->held_back : launch->diagnostics, code, op->span,
                                     "%s%s%s", what, warp->team->role ? ", in " : "", cake_text_string(&who));
    d->observed = true;
    d->path = cake_arena_format(launch->diagnostics->arena, "%s%s%s", launch->plan->kernel->name,
                                warp->team->role ? "/" : "", warp->team->role ? warp->team->role->name : "");
    add_dimensions(launch, d);
    cake_sim_report_loops(warp, d);
    /* pipelines out of step make further findings that say nothing */
    launch->out_of_step = code == CAKE_S105 || code == CAKE_S107;
    bool error = cake_diagnostic_info_of(code)->severity == CAKE_SEVERITY_ERROR;
    if (launch->out_of_step || (error && ++launch->finding_count >= CAKE_SIM_MOST_FINDINGS)) launch->stopped = true;
    return d;
}

void cake_sim_note_race(cake_sim_launch *launch, const cake_plan_op *op) {
    (void)is_known(launch, op, CAKE_S103);
}

void cake_sim_report_held_back(cake_sim_launch *launch) {
    for (uint32_t i = 0; i < launch->held_back.list.count; i++) {
        cake_diagnostic *diagnostic = launch->held_back.list.items[i];
        const cake_plan_op op = {.span = diagnostic->span};
        if (is_known(launch, &op, CAKE_S103)) continue;
        cake_diagnostics_take(launch->diagnostics, diagnostic);
    }
    launch->held_back.list.count = 0;
}
