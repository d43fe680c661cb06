/* One kernel: launch scope, contract, grid, and the machines that run its CTAs. */
#include <string.h>

#include "simulator/run.h"

/* ---- launch scope ---- */

/* A warp that belongs to no role, for values that the host could work out as well. */
static cake_sim_warp *launch_warp(cake_sim_launch *launch) {
    cake_sim_machine *machine = CAKE_NEW(launch->arena, cake_sim_machine);
    cake_sim_cta *cta = CAKE_NEW(launch->arena, cake_sim_cta);
    cake_sim_team *team = CAKE_NEW(launch->arena, cake_sim_team);
    cake_sim_warp *warp = CAKE_NEW(launch->arena, cake_sim_warp);
    *machine = (cake_sim_machine){.arena = launch->arena, .launch = launch, .plan = launch->plan};
    cta->machine = machine;
    *team = (cake_sim_team){.cta = cta, .warps = warp, .warp_count = 1};
    warp->team = team;
    warp->places = launch->places;
    return warp;
}

static void set_leaves(cake_sim_launch *launch, cake_sim_warp *warp) {
    const cake_plan *plan = launch->plan;
    for (uint32_t i = 0; i < plan->dimensions.count; i++)
        *(int64_t *)cake_sim_data(warp, plan->dimensions.items[i]) = launch->kernel->dimensions[i];
    for (uint32_t i = 0; i < plan->scalars.count; i++)
        memcpy(cake_sim_data(warp, plan->scalars.items[i]), &launch->kernel->scalars[i],
               cake_sim_element_bytes(plan->scalars.items[i]->dtype));
}

static cake_status check_conditions(cake_sim_warp *warp, const cake_plan_condition_list *conditions) {
    for (uint32_t i = 0; i < conditions->count; i++) {
        const cake_plan_condition *condition = &conditions->items[i];
        if (!condition->value) continue;
        bool holds = condition->value->is_constant ? condition->value->integer != 0
                                                   : *(const bool *)cake_sim_data(warp, condition->value);
        if (!holds)
            return cake_status_make(CAKE_STATUS_INVALID, "the contract excludes these dimensions: %s", condition->text);
    }
    return cake_status_ok();
}

/* CTAs: one a tile, or as many as are resident; whole clusters in both cases. */
static cake_status size_grid(cake_sim_launch *launch, cake_sim_warp *warp) {
    const cake_plan_launch *plan = &launch->plan->launch;
    int64_t clusters = cake_sim_integer(warp, plan->tiles);
    int64_t resident = (int64_t)launch->sms * plan->ctas_per_sm / plan->cluster;
    if (resident < 1) resident = 1;
    if (plan->persistent && clusters > resident) clusters = resident;
    launch->grid = clusters * plan->cluster;
    if (launch->grid > INT32_MAX)
        return cake_status_make(CAKE_STATUS_INVALID, "a grid of %lld CTAs", (long long)launch->grid);
    return cake_status_ok();
}

static void bind_tensors(cake_sim_launch *launch, cake_sim_shadow *const *shadows) {
    const cake_plan *plan = launch->plan;
    size_t count = plan->tensors.count + 1;
    launch->memory = CAKE_NEW_ARRAY(launch->arena, unsigned char *, count);
    launch->shadows = CAKE_NEW_ARRAY(launch->arena, cake_sim_shadow *, count);
    launch->cells = CAKE_NEW_ARRAY(launch->arena, int64_t, count);
    for (uint32_t i = 0; i < plan->tensors.count; i++) {
        const cake_plan_tensor *tensor = plan->tensors.items[i];
        const cake_sim_memory *memory = &launch->kernel->tensors[i];
        launch->memory[tensor->number] = memory->data;
        launch->shadows[tensor->number] = shadows[i];
        launch->cells[tensor->number] = (int64_t)(memory->bytes * 8 / cake_dtype_bits(tensor->dtype));
    }
}

static cake_sim_warp *open_scope(cake_sim_launch *launch) {
    size_t values = launch->plan->value_count + 1u;
    launch->places = CAKE_NEW_ARRAY(launch->arena, void *, values);
    launch->constants = CAKE_NEW_ARRAY(launch->arena, void *, values);
    cake_sim_warp *warp = launch_warp(launch);
    set_leaves(launch, warp);
    cake_sim_execute_block(warp, &launch->plan->launch_scope);
    return warp;
}

cake_status cake_sim_open_scope(cake_sim_run *run, const cake_sim_program *program, cake_sim_warp **out_scope) {
    cake_sim_launch *launch = CAKE_NEW(run->arena, cake_sim_launch);
    cake_sim_kernel *kernel = CAKE_NEW(run->arena, cake_sim_kernel);
    const cake_plan *scope = program->program->scope;
    *kernel = (cake_sim_kernel){scope, program->dimensions, program->scalars, program->tensors};
    *launch = (cake_sim_launch){.arena = run->arena, .kernel = kernel, .plan = scope, .diagnostics = run->diagnostics};
    *out_scope = open_scope(launch);
    cake_status status = check_conditions(*out_scope, &scope->contract);
    return status.kind == CAKE_STATUS_OK ? check_conditions(*out_scope, &program->program->required) : status;
}

static cake_status open_launch(cake_sim_launch *launch, cake_sim_shadow *const *shadows) {
    cake_sim_warp *warp = open_scope(launch);
    cake_status status = check_conditions(warp, &launch->plan->contract);
    if (status.kind == CAKE_STATUS_OK) status = size_grid(launch, warp);
    if (status.kind == CAKE_STATUS_OK) bind_tensors(launch, shadows);
    return status;
}

/* ---- machines ---- */

static bool communicates(const cake_plan_block *block) {
    for (cake_plan_op *op = block->first; op; op = op->next) {
        cake_plan_block *nested[CAKE_MAX_NESTED];
        uint32_t count = cake_plan_nested(op, nested);
        if (op->kind == CAKE_PLAN_AWAIT) return true;
        if (op->kind == CAKE_PLAN_ATOMIC && op->u.atomic->order != CAKE_ORDER_RELAXED) return true;
        for (uint32_t i = 0; i < count; i++)
            if (communicates(nested[i])) return true;
    }
    return false;
}

/* Whether a CTA may wait for what another one does, or rely on it. */
static bool ctas_communicate(const cake_plan *plan) {
    for (uint32_t i = 0; i < plan->roles.count; i++)
        if (communicates(&plan->roles.items[i]->body)) return true;
    return false;
}

static void run_machine(cake_sim_run *run, cake_sim_launch *launch, uint32_t first, uint32_t count, uint32_t limit) {
    cake_arena_init(&run->machine_arena, CAKE_SIM_ARENA_LIMIT, run->arena->out_of_memory);
    run->has_machine = true;
    cake_sim_machine machine = {.arena = &run->machine_arena,
                                .launch = launch,
                                .plan = launch->plan,
                                .cta_count = count,
                                .resident_limit = limit};
    launch->wave++;
    machine.ctas = CAKE_NEW_ARRAY(machine.arena, cake_sim_cta, count);
    for (uint32_t i = 0; i < count; i++) {
        machine.ctas[i].machine = &machine;
        machine.ctas[i].index = i;
        machine.ctas[i].number = first + i;
        machine.ctas[i].rank = i % launch->plan->launch.cluster;
    }
    cake_sim_machine_run(&machine);
    cake_sim_report_held_back(launch);
    run->has_machine = false;
    cake_arena_fini(&run->machine_arena);
}

static void run_machines(cake_sim_run *run, cake_sim_launch *launch) {
    const cake_plan_launch *plan = &launch->plan->launch;
    uint32_t per_sm = plan->ctas_per_sm ? plan->ctas_per_sm : 1;
    bool together = ctas_communicate(launch->plan);
    uint32_t count = together ? (uint32_t)launch->grid : plan->cluster;
    for (uint32_t first = 0; first < launch->grid && !launch->stopped; first += count)
        run_machine(run, launch, first, count, launch->sms * per_sm);
}

cake_status cake_sim_launch_kernel(cake_sim_run *run, const cake_sim_kernel *kernel, cake_sim_shadow *const *shadows,
                                   bool overlapped) {
    cake_sim_launch *launch = CAKE_NEW(run->arena, cake_sim_launch);
    const cake_sim_options *options = run->options;
    *launch = (cake_sim_launch){.arena = run->arena,
                                .kernel = kernel,
                                .plan = kernel->plan,
                                .options = options,
                                .diagnostics = run->diagnostics,
                                .history = &run->history,
                                .kernel_number = run->kernel_number++,
                                .overlapped = overlapped,
                                .wave = run->wave,
                                .sms = options->sms ? options->sms : CAKE_SIM_DEFAULT_SMS,
                                .most_steps = options->max_steps ? options->max_steps : CAKE_SIM_DEFAULT_STEPS};
    cake_diagnostics_init(&launch->held_back, run->diagnostics->arena, run->diagnostics->source);
    launch->random = (options->seed + run->kernel_number) * 0x9e3779b97f4a7c15u | 1;
    cake_status status = open_launch(launch, shadows);
    if (status.kind != CAKE_STATUS_OK) return status;
    run_machines(run, launch);
    run->wave = launch->wave;
    run->stopped = launch->stopped;
    if (launch->gave_up)
        return cake_status_make(CAKE_STATUS_TIMEOUT, "kernel '%s' was given up after %llu steps",
                                kernel->plan->kernel->name, (unsigned long long)launch->steps);
    return cake_status_ok();
}
