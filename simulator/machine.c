/* Machines: CTAs that run interleaved, and the scheduler.
 *
 * A CTA's memory is made when the CTA starts and used again when it has ended, so that a machine needs as much as its
 * resident CTAs, however many there are.
 */
#include <string.h>

#include "simulator/state.h"

#define TASK_CHANCE 8 /* one in so many turns ends a task while warps could go on */

/* ---- making CTAs ---- */

static void make_actors(const cake_plan *plan, cake_sim_actors *actors) {
    uint32_t warps = plan->launch.warps, at = 0;
    actors->warps = at;
    actors->elected = at += warps;
    actors->full = at += warps;
    for (uint32_t i = 0; i < plan->pipelines.count; i++)
        at += plan->pipelines.items[i]->stages;
    actors->async = at;
    actors->wgmma = at += warps;
    actors->bulk_read = at += warps;
    actors->bulk_write = at += warps;
    actors->grid = at += warps;
    actors->count = at + 1;
}

static void make_pipelines(cake_sim_machine *machine, cake_sim_cta *cta) {
    const cake_plan *plan = machine->plan;
    uint32_t actor = machine->actors.full;
    cta->pipelines = CAKE_NEW_ARRAY(machine->arena, cake_sim_pipeline_state, plan->pipelines.count + 1);
    for (uint32_t i = 0; i < plan->pipelines.count; i++) {
        const cake_plan_pipeline *pipeline = plan->pipelines.items[i];
        cake_sim_pipeline_state *state = &cta->pipelines[pipeline->number];
        state->full = CAKE_NEW_ARRAY(machine->arena, cake_sim_mbarrier, pipeline->stages);
        state->empty = CAKE_NEW_ARRAY(machine->arena, cake_sim_mbarrier, pipeline->stages);
        state->first_actor = actor;
        actor += pipeline->stages;
        for (uint32_t k = 0; k < pipeline->stages; k++) {
            cake_sim_mbarrier_init(machine, &state->full[k], pipeline->full_count);
            cake_sim_mbarrier_init(machine, &state->empty[k], pipeline->empty_count);
        }
    }
    cta->signals = CAKE_NEW_ARRAY(machine->arena, cake_sim_mbarrier, plan->signals.count + 1);
    for (uint32_t i = 0; i < plan->signals.count; i++)
        cake_sim_mbarrier_init(machine, &cta->signals[plan->signals.items[i]->number],
                               plan->signals.items[i]->arrivals);
}

static bool runs_here(const cake_plan_role *role, const cake_sim_cta *cta) {
    return !role->leader || cta->rank == 0;
}

/* Team 0's first turn is free: the last team's warps have arrived for it. */
static void make_barriers(cake_sim_machine *machine, cake_sim_cta *cta) {
    const cake_plan *plan = machine->plan;
    uint32_t warps = 0;
    for (uint32_t i = 0; i < plan->roles.count; i++)
        warps += runs_here(plan->roles.items[i], cta) ? plan->roles.items[i]->warps : 0;
    cake_sim_barrier_init(machine, &cta->cta_barrier, warps);
    cta->role_barriers = CAKE_NEW_ARRAY(machine->arena, cake_sim_barrier, plan->roles.count + 1);
    for (uint32_t i = 0; i < plan->roles.count; i++)
        cake_sim_barrier_init(machine, &cta->role_barriers[plan->roles.items[i]->number], plan->roles.items[i]->warps);
    cta->batons = CAKE_NEW_ARRAY(machine->arena, cake_sim_barrier *, plan->batons.count + 1);
    for (uint32_t i = 0; i < plan->batons.count; i++) {
        const cake_plan_role *role = plan->batons.items[i]->role;
        cta->batons[i] = CAKE_NEW_ARRAY(machine->arena, cake_sim_barrier, role->team_count);
        for (uint32_t team = 0; team < role->team_count; team++)
            cake_sim_barrier_init(machine, &cta->batons[i][team], 2 * role->warps_per_team);
        cta->batons[i][0].arrived = role->warps_per_team;
    }
}

static void make_warp(cake_sim_machine *machine, cake_sim_team *team, uint32_t number, cake_sim_warp *warp) {
    const cake_plan *plan = machine->plan;
    cake_arena *arena = machine->arena;
    uint32_t first = team->role->first_warp + team->index * team->role->warps_per_team;
    warp->team = team;
    warp->team_number = number;
    warp->number = first + number;
    warp->places = CAKE_NEW_ARRAY(arena, void *, plan->value_count + 1);
    warp->variables = CAKE_NEW_ARRAY(arena, cake_sim_variable *, plan->variables.count + 1);
    warp->busy = CAKE_NEW_ARRAY(arena, uint64_t, plan->variables.count + 1);
    warp->slots = CAKE_NEW_ARRAY(arena, cake_sim_slots, plan->pipelines.count + 1);
    warp->signals = CAKE_NEW_ARRAY(arena, uint64_t, plan->signals.count + 1);
    cake_sim_knowledge_init(machine, &warp->knows);
    cake_sim_knowledge_init(machine, &warp->elected);
    warp->clock = 1;
    warp->frames[0] = (cake_sim_frame){.next = team->role->body.first};
    warp->depth = 1;
    warp->at = team->role->body.first;
}

static void make_team(cake_sim_machine *machine, cake_sim_cta *cta, const cake_plan_role *role, uint32_t index,
                      cake_sim_team *team, cake_sim_warp *warps) {
    *team = (cake_sim_team){.cta = cta, .role = role, .index = index, .warps = warps};
    team->warp_count = role->first_warp_only ? 1 : role->warps_per_team;
    cake_sim_barrier_init(machine, &team->sync, team->warp_count);
    for (uint32_t i = 0; i < 2; i++) {
        team->handed[i] = CAKE_NEW_ARRAY(machine->arena, unsigned char *, team->warp_count);
        team->handed_bytes[i] = CAKE_NEW_ARRAY(machine->arena, size_t, team->warp_count);
    }
    for (uint32_t i = 0; i < team->warp_count; i++)
        make_warp(machine, team, i, &warps[i]);
}

/* Warps that end at once have changed their registers before. */
static void give_registers(cake_sim_cta *cta, const cake_plan_role *role) {
    int64_t entry = cta->machine->plan->launch.entry_registers;
    if (role->registers) cta->free_registers += (entry - role->registers) * role->warps;
}

static void make_teams(cake_sim_machine *machine, cake_sim_cta *cta) {
    const cake_plan *plan = machine->plan;
    uint32_t teams = 0;
    for (uint32_t i = 0; i < plan->roles.count; i++)
        teams += plan->roles.items[i]->team_count;
    cta->teams = CAKE_NEW_ARRAY(machine->arena, cake_sim_team, teams);
    cta->warps = CAKE_NEW_ARRAY(machine->arena, cake_sim_warp, plan->launch.warps);
    for (uint32_t i = 0; i < plan->roles.count; i++) {
        const cake_plan_role *role = plan->roles.items[i];
        if (!runs_here(role, cta)) give_registers(cta, role);
        for (uint32_t k = 0; k < role->team_count && runs_here(role, cta); k++) {
            make_team(machine, cta, role, k, &cta->teams[cta->team_count], &cta->warps[cta->warp_count]);
            cta->warp_count += cta->teams[cta->team_count++].warp_count;
        }
    }
    cta->live = cta->warp_count;
    machine->clusters[cta->index / plan->launch.cluster].expected += cta->warp_count;
}

/* ---- shared memory ---- */

static void take_memory(cake_sim_machine *machine, cake_sim_cta *cta) {
    size_t bytes = machine->plan->launch.shared_bytes + 16u;
    cta->shadow = (cake_sim_shadow){.cells = bytes, .cta = cta};
    if (machine->spare_memory.count) {
        cake_sim_cta *old = machine->spare_memory.items[--machine->spare_memory.count];
        cta->shared = old->shared;
        cta->async_view = old->async_view;
        cta->shadow.writes = old->shadow.writes;
        cta->shadow.readers = old->shadow.readers;
        memset(cta->shadow.writes, 0, bytes * sizeof *cta->shadow.writes);
        memset(cta->shadow.readers, 0, bytes * sizeof *cta->shadow.readers);
    } else {
        cta->shared = cake_arena_alloc(machine->arena, bytes);
        cta->async_view = cake_arena_alloc(machine->arena, bytes);
        cta->shadow.writes = CAKE_NEW_ARRAY(machine->arena, uint32_t, bytes);
        cta->shadow.readers = CAKE_NEW_ARRAY(machine->arena, uint32_t, bytes);
    }
    memset(cta->shared, 0xff, bytes);
    memset(cta->async_view, 0xff, bytes);
}

/* The counter is taken once a CTA, before anything else. */
static void claim(cake_sim_machine *machine, cake_sim_cta *cta) {
    const cake_plan_tensor *counter = machine->plan->launch.claim;
    if (!counter || machine->plan->launch.persistent) return;
    uint32_t next;
    unsigned char *memory = machine->launch->memory[counter->number];
    memcpy(&next, memory, sizeof next);
    cta->claimed = next++;
    memcpy(memory, &next, sizeof next);
}

static void start(cake_sim_machine *machine, cake_sim_cta *cta) {
    cta->started = true;
    take_memory(machine, cta);
    make_pipelines(machine, cta);
    make_barriers(machine, cta);
    make_teams(machine, cta);
    claim(machine, cta);
    machine->changes++;
}

/* ---- the scheduler ---- */

uint32_t cake_sim_random(cake_sim_launch *launch, uint32_t below) {
    launch->random ^= launch->random << 13; /* xorshift64, Marsaglia 2003 */
    launch->random ^= launch->random >> 7;
    launch->random ^= launch->random << 17;
    return (uint32_t)((launch->random >> 32) % below);
}

static bool can_go_on(const cake_sim_machine *machine, const cake_sim_warp *warp) {
    return warp->state == CAKE_SIM_RUNNING || (warp->state == CAKE_SIM_WAITING && warp->seen != machine->changes);
}

/* With given choices: first all that any order suits, and only then one of the others. */
static bool is_candidate(const cake_sim_machine *machine, const cake_sim_warp *warp, bool choosing) {
    return can_go_on(machine, warp) && (!machine->launch->options->choices || cake_sim_must_choose(warp) == choosing);
}

static bool is_resident(const cake_sim_cta *cta) {
    return cta->started && !cta->ended;
}

/* One of the candidates; null: there is none. */
static cake_sim_warp *choose_among(cake_sim_machine *machine, bool choosing) {
    cake_sim_launch *launch = machine->launch;
    uint32_t count = 0;
    for (uint32_t i = machine->first_live; i < machine->next_cta; i++)
        for (uint32_t k = 0; is_resident(&machine->ctas[i]) && k < machine->ctas[i].warp_count; k++)
            count += is_candidate(machine, &machine->ctas[i].warps[k], choosing);
    if (!count) return NULL;
    uint32_t chosen = 0;
    if (!launch->options->choices)
        chosen = cake_sim_random(launch, count);
    else if (choosing)
        chosen = cake_sim_choose(launch->options->choices, count);
    for (uint32_t i = machine->first_live; i < machine->next_cta; i++)
        for (uint32_t k = 0; is_resident(&machine->ctas[i]) && k < machine->ctas[i].warp_count; k++)
            if (is_candidate(machine, &machine->ctas[i].warps[k], choosing) && chosen-- == 0)
                return &machine->ctas[i].warps[k];
    return NULL;
}

/* The warp that goes on; null: none can before a task ends. */
static cake_sim_warp *choose(cake_sim_machine *machine) {
    cake_sim_warp *warp = choose_among(machine, false);
    if (warp || !machine->launch->options->choices || machine->tasks.count) return warp;
    warp = choose_among(machine, true);
    if (warp) warp->chosen = true;
    return warp;
}

static bool consumes(const cake_plan_pipeline *pipeline, const cake_plan_role *role) {
    for (uint32_t i = 0; i < pipeline->consumers.count; i++)
        if (pipeline->consumers.items[i] == role) return true;
    return false;
}

/* Slots that were filled and never waited for: their copies may come when the CTA is gone. */
static void check_drained(cake_sim_cta *cta, const cake_plan_pipeline *pipeline) {
    uint64_t committed = 0;
    for (uint32_t i = 0; i < cta->warp_count; i++)
        if (cta->warps[i].slots[pipeline->number].committed > committed)
            committed = cta->warps[i].slots[pipeline->number].committed;
    for (uint32_t i = 0; i < cta->warp_count; i++) {
        cake_sim_warp *warp = &cta->warps[i];
        uint64_t waited = warp->slots[pipeline->number].waited;
        if (!consumes(pipeline, warp->team->role) || waited >= committed) continue;
        const cake_plan_op end = {.span = warp->team->role->span};
        (void)cake_sim_fault(warp, &end, CAKE_S111, "%llu slots of '%s' were filled, and only %llu were waited for",
                             (unsigned long long)committed, pipeline->name, (unsigned long long)waited);
        return;
    }
}

/* Visits of other CTAs that none of its warps has heard of: they might as well come after its end. */
static void check_visits(const cake_sim_machine *machine, const cake_sim_cta *cta) {
    for (uint32_t i = 0; i < cta->visits.count; i++) {
        const cake_sim_visit *visit = &cta->visits.items[i];
        uint32_t from = visit->warp->team->cta->index, actor = machine->actors.warps + visit->warp->number;
        bool heard = false;
        for (uint32_t k = 0; k < cta->warp_count; k++)
            heard = heard || cake_sim_heard(&cta->warps[k].knows.order, from, actor) >= visit->clock;
        if (!heard)
            (void)cake_sim_fault(visit->warp, visit->op, CAKE_S114, "CTA %u of the cluster may have ended before this",
                                 cta->rank);
    }
}

/* A CTA ends with its last warp; copies that it asked for may still be under way. */
static void end_ctas(cake_sim_machine *machine) {
    for (uint32_t i = machine->first_live; i < machine->next_cta; i++) {
        cake_sim_cta *cta = &machine->ctas[i];
        if (!is_resident(cta) || cta->live) continue;
        while (cake_sim_task_end_of(machine, cta)) {
        }
        for (uint32_t k = 0; k < machine->plan->pipelines.count; k++)
            check_drained(cta, machine->plan->pipelines.items[k]);
        check_visits(machine, cta);
        cta->ended = true;
        machine->resident--;
        machine->changes++;
        *CAKE_PUSH(machine->arena, &machine->spare_memory) = cta;
    }
    while (machine->first_live < machine->next_cta && machine->ctas[machine->first_live].ended)
        machine->first_live++;
}

/* Whole clusters start together. */
static void start_ctas(cake_sim_machine *machine) {
    uint32_t cluster = machine->plan->launch.cluster;
    while (machine->next_cta < machine->cta_count &&
           (machine->resident == 0 || machine->resident + cluster <= machine->resident_limit))
        for (uint32_t i = 0; i < cluster && machine->next_cta < machine->cta_count; i++) {
            start(machine, &machine->ctas[machine->next_cta++]);
            machine->resident++;
        }
}

void cake_sim_machine_run(cake_sim_machine *machine) {
    cake_sim_launch *launch = machine->launch;
    make_actors(machine->plan, &machine->actors);
    uint32_t cluster = machine->plan->launch.cluster;
    machine->clusters = CAKE_NEW_ARRAY(machine->arena, cake_sim_barrier, machine->cta_count / cluster + 1);
    for (uint32_t i = 0; i < machine->cta_count / cluster; i++)
        cake_sim_barrier_init(machine, &machine->clusters[i], 0);
    while (!launch->stopped) {
        end_ctas(machine);
        start_ctas(machine);
        if (machine->resident == 0) return;
        bool task_first =
            machine->tasks.count && !launch->options->choices && cake_sim_random(launch, TASK_CHANCE) == 0;
        cake_sim_warp *warp = task_first ? NULL : choose(machine);
        if (warp)
            cake_sim_warp_run(warp);
        else if (!cake_sim_task_end_one(machine))
            cake_sim_report_hang(machine);
    }
}
