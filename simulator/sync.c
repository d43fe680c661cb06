/* Synchronisation: what each statement waits for, and what it orders (docs/language.md, 'Synchronisation'). */
#include "simulator/state.h"

bool cake_sim_elected(const cake_sim_warp *warp) {
    return warp->team_number == 0;
}

/* ---- what is known ---- */

static uint32_t own_actor(cake_sim_warp *warp, uint32_t first) {
    return first + warp->number;
}

void cake_sim_lanes_meet(cake_sim_warp *warp) {
    cake_sim_machine *machine = cake_sim_machine_of(warp);
    if (warp->elected_knows) cake_sim_learn(machine, &warp->knows, &warp->elected);
    warp->elected_knows = false;
    cake_sim_hear(machine, &warp->knows.order, warp->team->cta->index, own_actor(warp, machine->actors.warps),
                  warp->clock++);
}

const cake_sim_knowledge *cake_sim_release(cake_sim_warp *warp) {
    cake_sim_lanes_meet(warp);
    return &warp->knows;
}

void cake_sim_acquire(cake_sim_warp *warp, const cake_sim_knowledge *known) {
    cake_sim_learn(cake_sim_machine_of(warp), &warp->knows, known);
}

const cake_sim_knowledge *cake_sim_elected_knowledge(cake_sim_warp *warp) {
    cake_sim_learn(cake_sim_machine_of(warp), &warp->elected, &warp->knows);
    warp->elected_knows = true;
    return &warp->elected;
}

const cake_sim_knowledge *cake_sim_release_elected(cake_sim_warp *warp) {
    cake_sim_machine *machine = cake_sim_machine_of(warp);
    (void)cake_sim_elected_knowledge(warp);
    cake_sim_hear(machine, &warp->elected.order, warp->team->cta->index, own_actor(warp, machine->actors.elected),
                  ++warp->elected_clock);
    return &warp->elected;
}

/* ---- pipelines ---- */

static cake_sim_pipeline_state *state_of(cake_sim_cta *cta, const cake_plan_pipeline *pipeline) {
    return &cta->pipelines[pipeline->number];
}

static cake_sim_step ran_ahead(cake_sim_warp *warp, const cake_plan_op *op, const char *name, uint64_t phase,
                               uint64_t wanted) {
    (void)cake_sim_fault(warp, op, CAKE_S107, "'%s' is in phase %llu while phase %llu is waited for", name,
                         (unsigned long long)phase, (unsigned long long)wanted);
    return CAKE_SIM_BLOCKED;
}

static cake_sim_step acquire_slot(cake_sim_warp *warp, const cake_plan_op *op) {
    const cake_plan_pipeline *pipeline = op->u.slot.pipeline;
    cake_sim_slots *slots = &warp->slots[pipeline->number];
    cake_sim_mbarrier *empty = &state_of(warp->team->cta, pipeline)->empty[slots->acquired % pipeline->stages];
    uint64_t wanted = slots->acquired / pipeline->stages;
    if (empty->phases < wanted) return CAKE_SIM_BLOCKED;
    if (empty->phases > wanted) return ran_ahead(warp, op, pipeline->name, empty->phases, wanted);
    cake_sim_acquire(warp, &empty->done);
    slots->acquired++;
    return CAKE_SIM_NEXT;
}

static cake_sim_step wait_slot(cake_sim_warp *warp, const cake_plan_op *op) {
    const cake_plan_pipeline *pipeline = op->u.slot.pipeline;
    cake_sim_slots *slots = &warp->slots[pipeline->number];
    cake_sim_mbarrier *full = &state_of(warp->team->cta, pipeline)->full[slots->waited % pipeline->stages];
    uint64_t wanted = slots->waited / pipeline->stages + 1;
    if (full->phases < wanted) return CAKE_SIM_BLOCKED;
    if (full->phases > wanted) return ran_ahead(warp, op, pipeline->name, full->phases, wanted);
    cake_sim_acquire(warp, &full->done);
    slots->waited++;
    if (slots->waited - slots->released > pipeline->stages)
        (void)cake_sim_fault(warp, op, CAKE_S105, "%llu slots of '%s' are held at once",
                             (unsigned long long)(slots->waited - slots->released), pipeline->name);
    return CAKE_SIM_NEXT;
}

/* All cp.async of the warp so far have come. */
static void arrive_async(cake_sim_task *task) {
    cake_sim_machine *machine = cake_sim_machine_of(task->warp);
    cake_sim_mbarrier *barrier = task->data;
    cake_sim_hear(machine, &barrier->gathering.order, task->warp->team->cta->index,
                  own_actor(task->warp, machine->actors.async), (uint32_t)task->group);
    cake_sim_mbarrier_arrive(machine, barrier, CAKE_SIM_LANES, 0, &barrier->gathering);
}

/* A leader's arrival in each CTA. */
static void commit_led(cake_sim_warp *warp, const cake_plan_op *op, uint64_t slot) {
    const cake_plan_pipeline *pipeline = op->u.slot.pipeline;
    cake_sim_machine *machine = cake_sim_machine_of(warp);
    const cake_sim_cta *own = warp->team->cta;
    if (!cake_sim_elected(warp)) return;
    (void)cake_sim_release(warp);
    for (uint32_t i = own->index; i < own->index + machine->plan->launch.cluster; i++) {
        cake_sim_visit_cta(warp, op, &machine->ctas[i], warp->clock - 1);
        cake_sim_mbarrier_arrive(machine, &state_of(&machine->ctas[i], pipeline)->full[slot], 1,
                                 pipeline->bytes_per_stage, &warp->knows);
    }
}

static void commit_slot(cake_sim_warp *warp, const cake_plan_op *op) {
    const cake_plan_pipeline *pipeline = op->u.slot.pipeline;
    cake_sim_machine *machine = cake_sim_machine_of(warp);
    cake_sim_slots *slots = &warp->slots[pipeline->number];
    if (slots->committed == slots->acquired) {
        (void)cake_sim_fault(warp, op, CAKE_S105, "'%s' is committed without a slot that was acquired", pipeline->name);
        return;
    }
    uint64_t slot = slots->committed++ % pipeline->stages;
    if (pipeline->led) {
        commit_led(warp, op, slot);
        return;
    }
    cake_sim_mbarrier *full = &state_of(warp->team->cta, pipeline)->full[slot];
    int64_t bytes = cake_sim_elected(warp) ? pipeline->bytes_per_stage : 0;
    if (pipeline->filled_by_async) {
        warp->async_commits++;
        (void)cake_sim_task_add(warp, op, CAKE_SIM_TASK_ARRIVE, arrive_async, full, warp->async_commits);
    }
    if (pipeline->filled_by_store)
        cake_sim_mbarrier_arrive(machine, full, 1, bytes, cake_sim_release(warp));
    else if (cake_sim_elected(warp) && (bytes || !pipeline->filled_by_async))
        cake_sim_mbarrier_arrive(machine, full, 1, bytes, cake_sim_release_elected(warp));
}

void cake_sim_visit_cta(cake_sim_warp *warp, const cake_plan_op *op, cake_sim_cta *cta, uint32_t clock) {
    const cake_sim_visit visit = {warp, op, clock};
    if (cta == warp->team->cta) return;
    if (cta->ended) (void)cake_sim_fault(warp, op, CAKE_S114, "CTA %u of the cluster has ended", cta->rank);
    for (uint32_t i = 0; i < cta->visits.count; i++)
        if (cta->visits.items[i].warp == warp) {
            cta->visits.items[i] = visit;
            return;
        }
    *CAKE_PUSH(cake_sim_machine_of(warp)->arena, &cta->visits) = visit;
}

static void arrive_empty(cake_sim_warp *warp, const cake_plan_op *op, uint64_t slot) {
    const cake_plan_pipeline *pipeline = op->u.slot.pipeline;
    cake_sim_machine *machine = cake_sim_machine_of(warp);
    cake_sim_cta *own = warp->team->cta;
    uint32_t first = pipeline->multicast ? own->index - own->rank : own->index;
    uint32_t count = pipeline->multicast && !pipeline->led ? machine->plan->launch.cluster : 1;
    for (uint32_t i = first; i < first + count; i++) {
        cake_sim_visit_cta(warp, op, &machine->ctas[i], warp->clock - 1);
        cake_sim_mbarrier_arrive(machine, &state_of(&machine->ctas[i], pipeline)->empty[slot], 1, 0, &warp->knows);
    }
}

static void release_slots(cake_sim_warp *warp, const cake_plan_op *op) {
    const cake_plan_pipeline *pipeline = op->u.slot.pipeline;
    cake_sim_slots *slots = &warp->slots[pipeline->number];
    if (slots->waited - slots->released <= op->u.slot.keep) return;
    (void)cake_sim_release(warp);
    while (slots->waited - slots->released > op->u.slot.keep)
        arrive_empty(warp, op, slots->released++ % pipeline->stages);
}

/* ---- barriers ---- */

static cake_sim_step pass_barrier(cake_sim_warp *warp, const cake_plan_op *op, cake_sim_barrier *barrier) {
    if (warp->stage == 0) {
        if (barrier->arrived && barrier->op && barrier->op != op && op->kind == CAKE_PLAN_SYNC_TEAM) {
            cake_diagnostic *d = cake_sim_fault(warp, op, CAKE_S109, "warps of one team are at different statements");
            if (d)
                cake_diagnostic_note(cake_sim_launch_of(warp)->diagnostics, d, barrier->op->span,
                                     "another warp is here");
        }
        warp->phase_awaited = barrier->phases + 1;
        barrier->op = op;
        warp->stage = 1;
        cake_sim_barrier_arrive(cake_sim_machine_of(warp), barrier, cake_sim_release(warp));
    }
    if (barrier->phases < warp->phase_awaited) return CAKE_SIM_BLOCKED;
    warp->stage = 0;
    cake_sim_acquire(warp, &barrier->done);
    return CAKE_SIM_NEXT;
}

cake_sim_step cake_sim_sync_team(cake_sim_warp *warp, const cake_plan_op *op) {
    if (warp->team->warp_count > 1) return pass_barrier(warp, op, &warp->team->sync);
    cake_sim_lanes_meet(warp);
    return CAKE_SIM_NEXT;
}

static cake_sim_step sync_cluster(cake_sim_warp *warp, const cake_plan_op *op) {
    cake_sim_machine *machine = cake_sim_machine_of(warp);
    return pass_barrier(warp, op, &machine->clusters[warp->team->cta->index / machine->plan->launch.cluster]);
}

/* Team i waits at barrier i for the team before it, which arrives there when it passes. */
static cake_sim_step baton(cake_sim_warp *warp, const cake_plan_op *op) {
    const cake_sim_machine *machine = cake_sim_machine_of(warp);
    uint32_t index = 0, teams = op->u.baton->role->team_count, team = warp->team->index;
    if (teams == 1) return CAKE_SIM_NEXT;
    while (machine->plan->batons.items[index] != op->u.baton)
        index++;
    cake_sim_barrier *barriers = warp->team->cta->batons[index];
    if (op->kind == CAKE_PLAN_TAKE) return pass_barrier(warp, op, &barriers[team]);
    cake_sim_barrier_arrive(cake_sim_machine_of(warp), &barriers[(team + 1) % teams], cake_sim_release(warp));
    return CAKE_SIM_NEXT;
}

static void arrive_signal(cake_sim_warp *warp, const cake_plan_op *op) {
    cake_sim_machine *machine = cake_sim_machine_of(warp);
    cake_sim_cta *cta = warp->team->cta;
    if (op->operand_count) cta = &machine->ctas[cta->index - cta->rank + cake_sim_integer(warp, op->operands[0])];
    (void)cake_sim_release(warp);
    cake_sim_visit_cta(warp, op, cta, warp->clock - 1);
    cake_sim_mbarrier_arrive(machine, &cta->signals[op->u.signal->number],
                             op->u.signal->team_arrivals / warp->team->warp_count, 0, &warp->knows);
}

static cake_sim_step await_signal(cake_sim_warp *warp, const cake_plan_op *op) {
    const cake_plan_signal *signal = op->u.signal;
    cake_sim_mbarrier *barrier = &warp->team->cta->signals[signal->number];
    uint64_t wanted = warp->signals[signal->number] + 1;
    if (barrier->phases < wanted) return CAKE_SIM_BLOCKED;
    if (barrier->phases > wanted) return ran_ahead(warp, op, signal->name, barrier->phases, wanted);
    cake_sim_acquire(warp, &barrier->done);
    warp->signals[signal->number]++;
    return CAKE_SIM_NEXT;
}

/* ---- groups ---- */

static cake_sim_step wait_wgmma(cake_sim_warp *warp, const cake_plan_op *op) {
    cake_sim_machine *machine = cake_sim_machine_of(warp);
    if (warp->wgmma_groups <= op->u.count) return CAKE_SIM_NEXT;
    uint64_t over = warp->wgmma_groups - op->u.count;
    if (cake_sim_task_pending(warp, CAKE_SIM_TASK_WGMMA, over)) return CAKE_SIM_BLOCKED;
    cake_sim_hear(machine, &warp->knows.order, warp->team->cta->index, own_actor(warp, machine->actors.wgmma),
                  (uint32_t)over);
    warp->wgmma_done = over > warp->wgmma_done ? over : warp->wgmma_done;
    return CAKE_SIM_NEXT;
}

/* Only the elected lane waits; what it learns the others learn from its next sync. */
static cake_sim_step wait_bulk(cake_sim_warp *warp, const cake_plan_op *op) {
    cake_sim_machine *machine = cake_sim_machine_of(warp);
    bool reads_only = op->kind == CAKE_PLAN_BULK_WAIT_READ;
    if (!cake_sim_elected(warp) || warp->bulk_groups <= op->u.count) return CAKE_SIM_NEXT;
    uint64_t over = warp->bulk_groups - op->u.count;
    if (cake_sim_task_pending(warp, CAKE_SIM_TASK_BULK_READ, over)) return CAKE_SIM_BLOCKED;
    if (!reads_only && cake_sim_task_pending(warp, CAKE_SIM_TASK_BULK_WRITE, over)) return CAKE_SIM_BLOCKED;
    (void)cake_sim_elected_knowledge(warp);
    uint32_t cta = warp->team->cta->index;
    cake_sim_hear(machine, &warp->elected.order, cta, own_actor(warp, machine->actors.bulk_read), (uint32_t)over);
    if (!reads_only)
        cake_sim_hear(machine, &warp->elected.order, cta, own_actor(warp, machine->actors.bulk_write), (uint32_t)over);
    return CAKE_SIM_NEXT;
}

static void fence(cake_sim_warp *warp) {
    cake_sim_machine *machine = cake_sim_machine_of(warp);
    uint32_t cta = warp->team->cta->index, async = own_actor(warp, machine->actors.async);
    cake_sim_hear(machine, &warp->knows.fenced, cta, own_actor(warp, machine->actors.warps), ++warp->fences);
    uint32_t copies = cake_sim_heard(&warp->knows.order, cta, async);
    if (copies) cake_sim_hear(machine, &warp->knows.fenced, cta, async, copies);
    cake_sim_fence(warp);
}

static cake_sim_step one_thing(cake_sim_warp *warp, const cake_plan_op *op) {
    cake_sim_machine *machine = cake_sim_machine_of(warp);
    cake_sim_cta *cta = warp->team->cta;
    switch (op->kind) {
    case CAKE_PLAN_COMMIT:
        commit_slot(warp, op);
        break;
    case CAKE_PLAN_RELEASE:
        release_slots(warp, op);
        break;
    case CAKE_PLAN_ARRIVE:
        arrive_signal(warp, op);
        break;
    case CAKE_PLAN_WGMMA_COMMIT:
        warp->wgmma_groups++;
        warp->wgmma_open = 0;
        break;
    case CAKE_PLAN_BULK_COMMIT:
        if (!cake_sim_elected(warp)) break;
        warp->bulk_groups++;
        warp->bulk_open = 0;
        break;
    case CAKE_PLAN_FENCE_ASYNC:
        fence(warp);
        break;
    case CAKE_PLAN_GRID_WAIT:
        cake_sim_hear(machine, &warp->knows.order, cta->index, machine->actors.grid, 1);
        break;
    default:
        break; /* GRID_TRIGGER orders nothing */
    }
    return CAKE_SIM_NEXT;
}

cake_sim_step cake_sim_sync(cake_sim_warp *warp, const cake_plan_op *op) {
    switch (op->kind) {
    case CAKE_PLAN_ACQUIRE:
        return acquire_slot(warp, op);
    case CAKE_PLAN_WAIT:
        return wait_slot(warp, op);
    case CAKE_PLAN_TAKE:
    case CAKE_PLAN_PASS:
        return baton(warp, op);
    case CAKE_PLAN_WGMMA_WAIT:
        return wait_wgmma(warp, op);
    case CAKE_PLAN_BULK_WAIT:
    case CAKE_PLAN_BULK_WAIT_READ:
        return wait_bulk(warp, op);
    case CAKE_PLAN_SYNC_TEAM:
        return cake_sim_sync_team(warp, op);
    case CAKE_PLAN_SYNC_ROLE:
        return pass_barrier(warp, op, &warp->team->cta->role_barriers[warp->team->role->number]);
    case CAKE_PLAN_SYNC_CTA:
        return pass_barrier(warp, op, &warp->team->cta->cta_barrier);
    case CAKE_PLAN_SYNC_CLUSTER:
        return sync_cluster(warp, op);
    case CAKE_PLAN_AWAIT_SIGNAL:
        return await_signal(warp, op);
    default:
        return one_thing(warp, op);
    }
}
