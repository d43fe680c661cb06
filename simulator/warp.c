/* Warps: stepping through a role's operations. */
#include "simulator/state.h"

#define SWITCH_CHANCE 4 /* one in so many syncs lets others go first */

/* ---- blocks ---- */

static void enter_block(cake_sim_warp *warp, const cake_plan_op *owner, const cake_plan_block *block) {
    CAKE_ASSERT(warp->depth < CAKE_SIM_MAX_DEPTH);
    warp->frames[warp->depth++] = (cake_sim_frame){.owner = owner, .next = block->first};
}

static void set_index(cake_sim_warp *warp, const cake_plan_value *value, int64_t to) {
    *(int64_t *)cake_sim_data(warp, value) = to;
}

static void begin_for(cake_sim_warp *warp, const cake_plan_op *op) {
    int64_t from = cake_sim_integer(warp, op->u.loop.from), to = cake_sim_integer(warp, op->u.loop.to);
    if (from >= to) return;
    enter_block(warp, op, &op->u.loop.body);
    cake_sim_frame *frame = &warp->frames[warp->depth - 1];
    frame->value = from;
    frame->to = to;
    frame->step = cake_sim_integer(warp, op->u.loop.step);
    set_index(warp, op->u.loop.induction, from);
}

static bool truth(cake_sim_warp *warp, const cake_plan_value *value) {
    return value->is_constant ? value->integer != 0 : *(const bool *)cake_sim_data(warp, value);
}

/* for t < bound while condition. */
static void judge_while(cake_sim_warp *warp, cake_sim_frame *frame) {
    const cake_plan_op *op = frame->owner;
    bool holds = truth(warp, op->u.loop_while.value);
    if (holds && frame->rounds < op->u.loop_while.bound) {
        frame->rounds++;
        frame->condition = false;
        frame->next = op->u.loop_while.body.first;
        return;
    }
    if (holds)
        (void)cake_sim_fault(warp, op, CAKE_S110, "the condition still holds after %lld rounds",
                             (long long)op->u.loop_while.bound);
    warp->depth--;
}

static void end_block(cake_sim_warp *warp) {
    cake_sim_frame *frame = &warp->frames[warp->depth - 1];
    const cake_plan_op *owner = frame->owner;
    if (owner->kind == CAKE_PLAN_FOR && frame->value < frame->to - frame->step) {
        frame->value += frame->step;
        set_index(warp, owner->u.loop.induction, frame->value);
        frame->next = owner->u.loop.body.first;
    } else if (owner->kind == CAKE_PLAN_WHILE && frame->condition) {
        judge_while(warp, frame);
    } else if (owner->kind == CAKE_PLAN_WHILE) {
        frame->condition = true;
        frame->next = owner->u.loop_while.condition.first;
    } else {
        warp->depth--;
    }
}

/* ---- operations ---- */

/* Registers of products that are under way are nobody else's. */
static void check_busy(cake_sim_warp *warp, const cake_plan_op *op) {
    const cake_plan_variable *variable = op->u.variable.variable;
    if (warp->busy[variable->number] <= warp->wgmma_done) return;
    (void)cake_sim_fault(warp, op, CAKE_S103, "'%s' is %s while a wgmma may still work on it", variable->name,
                         op->kind == CAKE_PLAN_READ ? "read" : "written");
}

static void enter(cake_sim_warp *warp, const cake_plan_op *op) {
    switch (op->kind) {
    case CAKE_PLAN_FOR:
        begin_for(warp, op);
        return;
    case CAKE_PLAN_WHILE:
        enter_block(warp, op, &op->u.loop_while.condition);
        warp->frames[warp->depth - 1].condition = true;
        return;
    default:
        enter_block(warp, op, truth(warp, op->u.branch.condition) ? &op->u.branch.then : &op->u.branch.otherwise);
        return;
    }
}

static cake_sim_step execute(cake_sim_warp *warp, const cake_plan_op *op) {
    switch (op->kind) {
    case CAKE_PLAN_DIMENSION:
    case CAKE_PLAN_PARAMETER:
    case CAKE_PLAN_CTA_ID:
    case CAKE_PLAN_GRID_SIZE:
    case CAKE_PLAN_TEAM_INDEX:
    case CAKE_PLAN_CLUSTER_RANK:
    case CAKE_PLAN_CLAIMED:
    case CAKE_PLAN_POLLED:
    case CAKE_PLAN_COMBINED:
    case CAKE_PLAN_INDUCTION:
        return CAKE_SIM_NEXT;
    case CAKE_PLAN_UNARY:
    case CAKE_PLAN_BINARY:
    case CAKE_PLAN_CALL:
    case CAKE_PLAN_CAST:
    case CAKE_PLAN_BITCAST:
    case CAKE_PLAN_IOTA:
    case CAKE_PLAN_INSERT_AXIS:
    case CAKE_PLAN_SPLAT:
        cake_sim_pure(warp, op);
        return CAKE_SIM_NEXT;
    case CAKE_PLAN_SLICE:
    case CAKE_PLAN_RESHAPE:
    case CAKE_PLAN_TRANSPOSE:
    case CAKE_PLAN_CONCAT:
        cake_sim_rename(warp, op);
        return CAKE_SIM_NEXT;
    case CAKE_PLAN_RELAYOUT:
        return cake_sim_relayout(warp, op);
    case CAKE_PLAN_REDUCE:
        return cake_sim_reduce(warp, op);
    case CAKE_PLAN_SCAN:
        return cake_sim_scan(warp, op);
    case CAKE_PLAN_TOPK:
        return cake_sim_topk(warp, op);
    case CAKE_PLAN_READ:
        check_busy(warp, op);
        cake_sim_read(warp, op);
        return CAKE_SIM_NEXT;
    case CAKE_PLAN_WRITE:
        check_busy(warp, op);
        cake_sim_write(warp, op);
        return CAKE_SIM_NEXT;
    case CAKE_PLAN_LOAD:
        return cake_sim_load(warp, op);
    case CAKE_PLAN_STORE:
        return cake_sim_store(warp, op);
    case CAKE_PLAN_ATOMIC:
        return cake_sim_atomic(warp, op);
    case CAKE_PLAN_AWAIT:
        return cake_sim_await(warp, op);
    case CAKE_PLAN_FOR:
    case CAKE_PLAN_WHILE:
    case CAKE_PLAN_IF:
        CAKE_ASSERT(!"entered, not executed");
        return CAKE_SIM_NEXT;
    case CAKE_PLAN_ASYNC_LOAD:
        cake_sim_async_load(warp, op);
        return CAKE_SIM_NEXT;
    case CAKE_PLAN_TMA_LOAD:
    case CAKE_PLAN_TMA_STORE:
        cake_sim_copy(warp, op);
        return CAKE_SIM_NEXT;
    case CAKE_PLAN_MMA:
        cake_sim_mma(warp, op);
        return CAKE_SIM_NEXT;
    case CAKE_PLAN_WGMMA:
        cake_sim_wgmma(warp, op);
        return CAKE_SIM_NEXT;
    case CAKE_PLAN_ACQUIRE:
    case CAKE_PLAN_COMMIT:
    case CAKE_PLAN_WAIT:
    case CAKE_PLAN_RELEASE:
    case CAKE_PLAN_TAKE:
    case CAKE_PLAN_PASS:
    case CAKE_PLAN_WGMMA_COMMIT:
    case CAKE_PLAN_WGMMA_WAIT:
    case CAKE_PLAN_BULK_COMMIT:
    case CAKE_PLAN_BULK_WAIT:
    case CAKE_PLAN_BULK_WAIT_READ:
    case CAKE_PLAN_FENCE_ASYNC:
    case CAKE_PLAN_SYNC_TEAM:
    case CAKE_PLAN_SYNC_ROLE:
    case CAKE_PLAN_SYNC_CTA:
    case CAKE_PLAN_SYNC_CLUSTER:
    case CAKE_PLAN_ARRIVE:
    case CAKE_PLAN_AWAIT_SIGNAL:
    case CAKE_PLAN_GRID_WAIT:
    case CAKE_PLAN_GRID_TRIGGER:
        return cake_sim_sync(warp, op);
    }
    CAKE_ASSERT(!"an unknown operation");
}

void cake_sim_execute_block(cake_sim_warp *warp, const cake_plan_block *block) {
    for (const cake_plan_op *op = block->first; op; op = op->next)
        CAKE_ASSERT(execute(warp, op) == CAKE_SIM_NEXT);
}

/* ---- the end ---- */

static void check_end(cake_sim_warp *warp) {
    const cake_plan *plan = cake_sim_machine_of(warp)->plan;
    const cake_sim_actors *actors = &cake_sim_machine_of(warp)->actors;
    const cake_plan_op end = {.span = warp->team->role->span};
    uint32_t cta = warp->team->cta->index;
    if (warp->wgmma_open || warp->wgmma_done < warp->wgmma_groups)
        (void)cake_sim_fault(warp, &end, CAKE_S111,
                             "the role ends before its matrix products: 'wgmma.wait 0' is missing");
    (void)cake_sim_elected_knowledge(warp);
    uint32_t written = cake_sim_heard(&warp->elected.order, cta, actors->bulk_write + warp->number);
    if (warp->bulk_open || written < warp->bulk_groups)
        (void)cake_sim_fault(warp, &end, CAKE_S111, "the role ends before its stores: 'bulk.wait 0' is missing");
    for (uint32_t i = 1; i <= plan->pipelines.count; i++) {
        const cake_sim_slots *slots = &warp->slots[i];
        if (slots->acquired != slots->committed || slots->waited != slots->released)
            (void)cake_sim_fault(warp, &end, CAKE_S111, "the role ends with slots of '%s'",
                                 plan->pipelines.items[i - 1]->name);
    }
}

static void end_warp(cake_sim_warp *warp) {
    cake_sim_machine *machine = cake_sim_machine_of(warp);
    check_end(warp);
    warp->state = CAKE_SIM_ENDED;
    warp->team->cta->live--;
    cake_sim_barrier_leave(machine, &machine->clusters[warp->team->cta->index / machine->plan->launch.cluster]);
    machine->changes++;
}

void cake_sim_tell(cake_sim_warp *warp, cake_sim_event_kind kind, const cake_plan_op *op, uint64_t begin) {
    const cake_sim_launch *launch = cake_sim_launch_of(warp);
    const cake_sim_observer *observer = launch->options->observer;
    if (!observer) return;
    cake_sim_event event = {
        kind,         launch->plan,      op,           launch->kernel_number, warp->team->cta->number,
        warp->number, begin ? begin : 1, launch->steps};
    observer->event(observer->context, &event);
}

/* setmaxnreg: more registers come from those that other warps of the CTA gave back (PTX ISA 'setmaxnreg'). */
static bool take_registers(cake_sim_warp *warp) {
    const cake_plan_role *role = warp->team->role;
    int64_t entry = cake_sim_machine_of(warp)->plan->launch.entry_registers;
    int64_t more = role->registers ? (int64_t)role->registers - entry : 0;
    if (role->first_warp_only) more *= role->warps_per_team; /* the idle ones change theirs too */
    if (more > warp->team->cta->free_registers) return false;
    warp->team->cta->free_registers -= more;
    warp->has_registers = true;
    cake_sim_machine_of(warp)->changes++;
    return true;
}

static bool is_sync(const cake_plan_op *op) {
    return op->kind >= CAKE_PLAN_ACQUIRE || op->kind == CAKE_PLAN_ATOMIC || op->kind == CAKE_PLAN_AWAIT;
}

static void wait_for_change(cake_sim_warp *warp) {
    warp->state = CAKE_SIM_WAITING;
    warp->seen = cake_sim_machine_of(warp)->changes;
}

void cake_sim_warp_run(cake_sim_warp *warp) {
    cake_sim_launch *launch = cake_sim_launch_of(warp);
    warp->state = CAKE_SIM_RUNNING;
    if (!warp->has_registers && !take_registers(warp)) {
        wait_for_change(warp);
        return;
    }
    while (!launch->stopped) {
        cake_sim_frame *frame = &warp->frames[warp->depth - 1];
        const cake_plan_op *op = frame->next;
        if (!op && warp->depth == 1) {
            end_warp(warp);
            return;
        }
        if (!op) {
            end_block(warp);
            continue;
        }
        if (launch->options->choices && !warp->chosen && cake_sim_must_choose(warp)) return;
        warp->chosen = false;
        if (!warp->stage && !warp->part && (warp->at != op || warp->began == 0)) warp->began = launch->steps;
        warp->at = op;
        if (++launch->steps > launch->most_steps) launch->stopped = launch->gave_up = true;
        if (op->kind == CAKE_PLAN_FOR || op->kind == CAKE_PLAN_WHILE || op->kind == CAKE_PLAN_IF) {
            frame->next = op->next;
            enter(warp, op);
            continue;
        }
        if (execute(warp, op) == CAKE_SIM_BLOCKED) {
            wait_for_change(warp);
            return;
        }
        frame->next = op->next;
        warp->stage = warp->part = 0;
        cake_sim_tell(warp, CAKE_SIM_EVENT_OPERATION, op, warp->began);
        warp->began = 0;
        if (is_sync(op) && !launch->options->choices && cake_sim_random(launch, SWITCH_CHANCE) == 0) return;
    }
}
