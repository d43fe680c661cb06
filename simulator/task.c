/* Work of asynchronous units that is under way. It ends when the scheduler says so, as late as a wait for it allows. */
#include "simulator/state.h"

cake_sim_task *cake_sim_task_add(cake_sim_warp *warp, const cake_plan_op *op, cake_sim_task_kind kind,
                                 cake_sim_task_run *run, void *data, uint64_t group) {
    cake_sim_machine *machine = cake_sim_machine_of(warp);
    cake_sim_task *task = CAKE_NEW(machine->arena, cake_sim_task);
    *task = (cake_sim_task){kind, run, warp, op, data, group, machine->launch->steps};
    *CAKE_PUSH(machine->arena, &machine->tasks) = task;
    return task;
}

bool cake_sim_task_pending(const cake_sim_warp *warp, cake_sim_task_kind kind, uint64_t group) {
    const cake_sim_machine *machine = warp->team->cta->machine;
    for (uint32_t i = 0; i < machine->tasks.count; i++) {
        const cake_sim_task *task = machine->tasks.items[i];
        if (task->warp == warp && task->kind == kind && task->group < group) return true;
    }
    return false;
}

/* Whether two tasks of one warp end in the order in which they began. */
static bool in_one_queue(const cake_sim_task *a, const cake_sim_task *b) {
    bool copies = (a->kind == CAKE_SIM_TASK_CP_ASYNC || a->kind == CAKE_SIM_TASK_ARRIVE) &&
                  (b->kind == CAKE_SIM_TASK_CP_ASYNC || b->kind == CAKE_SIM_TASK_ARRIVE);
    bool products = a->kind == CAKE_SIM_TASK_WGMMA && b->kind == CAKE_SIM_TASK_WGMMA;
    return a->warp == b->warp && (copies || products);
}

static void end_task(cake_sim_machine *machine, uint32_t at) {
    cake_sim_task *task = machine->tasks.items[at];
    for (uint32_t i = at + 1; i < machine->tasks.count; i++)
        machine->tasks.items[i - 1] = machine->tasks.items[i];
    machine->tasks.count--;
    machine->changes++;
    cake_sim_tell(task->warp, CAKE_SIM_EVENT_TASK, task->op, task->began);
    task->run(task);
}

bool cake_sim_task_end_one(cake_sim_machine *machine) {
    if (!machine->tasks.count) return false;
    uint32_t at = cake_sim_random(machine->launch, machine->tasks.count);
    const cake_sim_task *task = machine->tasks.items[at];
    for (uint32_t i = 0; i < at; i++)
        if (in_one_queue(machine->tasks.items[i], task)) {
            at = i;
            break;
        }
    end_task(machine, at);
    return true;
}

bool cake_sim_task_end_of(cake_sim_machine *machine, const cake_sim_cta *cta) {
    for (uint32_t i = 0; i < machine->tasks.count; i++) {
        if (machine->tasks.items[i]->warp->team->cta != cta) continue;
        end_task(machine, i);
        return true;
    }
    return false;
}

cake_sim_staging *cake_sim_staging_take(cake_sim_machine *machine, size_t bytes) {
    for (cake_sim_staging **at = &machine->spare; *at; at = &(*at)->next) {
        cake_sim_staging *found = *at;
        if (found->capacity < bytes) continue;
        *at = found->next;
        return found;
    }
    cake_sim_staging *staging = CAKE_NEW(machine->arena, cake_sim_staging);
    staging->bytes = cake_arena_alloc(machine->arena, bytes);
    staging->capacity = bytes;
    return staging;
}

void cake_sim_staging_give(cake_sim_machine *machine, cake_sim_staging *staging) {
    staging->next = machine->spare;
    machine->spare = staging;
}
