/* Pipelines, signals and barriers.
 *
 * One-lane statements are predicated instructions, not branches. A waiting thread polls mbarrier.try_wait.parity in a
 * loop inside one asm statement; the slot and its parity are running counters that flip on wrap, so no division is
 * needed and they run on over tiles (PTX ISA 'mbarrier.try_wait').
 */
#include "codegen/emit.h"

static LLVMValueRef new_counter(cake_emitter *e) {
    LLVMValueRef alloca = LLVMBuildAlloca(e->builder, e->i32, "");
    LLVMBuildStore(e->builder, cake_emit_i32(e, 0), alloca);
    return alloca;
}

static ring_cursor new_cursor(cake_emitter *e) {
    return (ring_cursor){new_counter(e), new_counter(e), new_counter(e)};
}

void cake_emit_slot_states(cake_emitter *e) {
    LLVMBuilderRef outer = e->builder;
    e->slots = CAKE_NEW_ARRAY(e->arena, slot_state, e->plan->pipelines.count + 1);
    e->builder = LLVMCreateBuilderInContext(e->context);
    LLVMPositionBuilderBefore(e->builder, LLVMGetBasicBlockTerminator(e->entry));
    for (uint32_t i = 1; i <= e->plan->pipelines.count; i++)
        e->slots[i] = (slot_state){new_cursor(e), new_cursor(e), new_counter(e), new_counter(e)};
    e->signals = CAKE_NEW_ARRAY(e->arena, LLVMValueRef, e->plan->signals.count + 1);
    for (uint32_t i = 1; i <= e->plan->signals.count; i++)
        e->signals[i] = new_counter(e);
    LLVMDisposeBuilder(e->builder);
    e->builder = outer;
}

static LLVMValueRef get(cake_emitter *e, LLVMValueRef counter) {
    return LLVMBuildLoad2(e->builder, e->i32, counter, "");
}

static void set(cake_emitter *e, LLVMValueRef counter, LLVMValueRef value) {
    LLVMBuildStore(e->builder, value, counter);
}

static LLVMValueRef is_equal(cake_emitter *e, LLVMValueRef value, uint32_t constant) {
    return LLVMBuildICmp(e->builder, LLVMIntEQ, value, cake_emit_i32(e, constant), "");
}

/* slot + 1, or 0 at the end of the ring. */
static LLVMValueRef following(cake_emitter *e, LLVMValueRef slot, uint32_t stages) {
    LLVMValueRef next = LLVMBuildAdd(e->builder, slot, cake_emit_i32(e, 1), "");
    return LLVMBuildSelect(e->builder, is_equal(e, next, stages), cake_emit_i32(e, 0), next, "");
}

/* Address of the mbarrier of a slot. */
static LLVMValueRef barrier_of(cake_emitter *e, uint32_t barriers, LLVMValueRef slot) {
    LLVMValueRef offset = LLVMBuildShl(e->builder, slot, cake_emit_i32(e, 3), "");
    return LLVMBuildAdd(e->builder, cake_emit_shared_address(e, barriers), offset, "");
}

static void sync_warp(cake_emitter *e) {
    cake_emit_asm(e, "bar.warp.sync 0xffffffff;", "", NULL, 0);
}

/* sm_80 has no waiting form: it tests, and sleeps a little where it is in vain. */
static void poll_by_tests(cake_emitter *e, LLVMValueRef *operands) {
    cake_emit_asm(e,
                  "{ .reg .pred p;\n"
                  "mbarrier.test_wait.parity.shared::cta.b64 p, [$0], $1;\n"
                  "@p bra D${:uid};\n"
                  "W${:uid}: nanosleep.u32 20;\n"
                  "mbarrier.test_wait.parity.shared::cta.b64 p, [$0], $1;\n"
                  "@!p bra W${:uid};\n"
                  "D${:uid}: }",
                  "r,r", operands, 2);
}

/* Acquires at cluster scope where other CTAs arrive. */
static void poll(cake_emitter *e, LLVMValueRef barrier, LLVMValueRef parity, bool cluster) {
    LLVMValueRef operands[2] = {barrier, parity};
    if (!(cake_target_info_of(e->plan->target)->features & CAKE_FEATURE_ASYNC_PROXY)) {
        poll_by_tests(e, operands);
        return;
    }
    const char *text = cake_arena_format(e->arena,
                                         "{ .reg .pred p;\n"
                                         "W${:uid}: mbarrier.try_wait.parity%s.shared::cta.b64 p, [$0], $1, 0x989680;\n"
                                         "@!p bra W${:uid}; }",
                                         cluster ? ".acquire.cluster" : "");
    cake_emit_asm(e, text, "r,r", operands, 2);
}

LLVMValueRef cake_emit_cluster_rank(cake_emitter *e) {
    return cake_emit_intrinsic(e, "llvm.nvvm.read.ptx.sreg.cluster.ctarank", NULL, 0, NULL, 0);
}

/* Waits for the next slot of the ring and makes it the current one. 'flipped' is 1 for producers: an empty ring counts
 * as released. */
static void enter_slot(cake_emitter *e, const cake_plan_pipeline *pipeline, uint32_t barriers, uint32_t flipped) {
    slot_state *state = &e->slots[pipeline->number];
    ring_cursor *cursor = flipped ? &state->filling : &state->reading;
    LLVMValueRef slot = get(e, cursor->next), phase = get(e, cursor->phase);
    LLVMValueRef parity = flipped ? LLVMBuildXor(e->builder, phase, cake_emit_i32(e, 1), "") : phase;
    poll(e, barrier_of(e, barriers, slot), parity, flipped ? pipeline->multicast : pipeline->led);
    LLVMValueRef next = following(e, slot, pipeline->stages);
    LLVMValueRef wraps = LLVMBuildZExt(e->builder, is_equal(e, next, 0), e->i32, "");
    set(e, cursor->current, slot);
    set(e, cursor->next, next);
    set(e, cursor->phase, LLVMBuildXor(e->builder, phase, wraps, ""));
}

static void wait(cake_emitter *e, const cake_plan_pipeline *pipeline) {
    slot_state *state = &e->slots[pipeline->number];
    enter_slot(e, pipeline, pipeline->full_barrier, 0);
    set(e, state->held, LLVMBuildAdd(e->builder, get(e, state->held), cake_emit_i32(e, 1), ""));
}

/* 1 in the first lanes of the warp, one for each CTA of the cluster. */
static LLVMValueRef lane_for_rank(cake_emitter *e) {
    LLVMValueRef ranks = cake_emit_i32(e, e->plan->launch.cluster);
    return LLVMBuildZExt(e->builder, LLVMBuildICmp(e->builder, LLVMIntULT, e->lane, ranks, ""), e->i32, "");
}

/* The leader's arrival in each CTA, by a lane of the team's first warp each. Bytes may come before it: the phase can't
 * complete without it (PTX ISA 'Contents of the mbarrier object'). */
static void commit_led(cake_emitter *e, const cake_plan_pipeline *pipeline, LLVMValueRef barrier) {
    LLVMValueRef first_warp = LLVMBuildZExt(e->builder, is_equal(e, e->team_warp, 0), e->i32, "");
    LLVMValueRef operands[4] = {LLVMBuildAnd(e->builder, lane_for_rank(e), first_warp, ""), barrier, e->lane,
                                cake_emit_i32(e, pipeline->bytes_per_stage)};
    sync_warp(e);
    cake_emit_asm(e,
                  "{ .reg .pred p; .reg .b32 a; setp.ne.b32 p, $0, 0; @p mapa.shared::cluster.u32 a, $1, $2;\n"
                  "@p mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [a], $3; }",
                  "r,r,r,r", operands, 4);
}

static void commit(cake_emitter *e, const cake_plan_pipeline *pipeline) {
    LLVMValueRef barrier = cake_emit_full_barrier(e, pipeline);
    if (pipeline->led) {
        commit_led(e, pipeline, barrier);
        return;
    }
    if (pipeline->filled_by_async) cake_emit_async_commit(e, barrier);
    LLVMValueRef operands[3] = {e->elected, barrier, cake_emit_i32(e, pipeline->bytes_per_stage)};
    if (pipeline->filled_by_store) {
        /* one arrival a warp after its own stores; the elected lane's also announces the bytes of copies */
        sync_warp(e);
        LLVMValueRef others =
            LLVMBuildAnd(e->builder, e->first_lane, LLVMBuildXor(e->builder, e->elected, cake_emit_i32(e, 1), ""), "");
        LLVMValueRef arrive[2] = {pipeline->bytes_per_stage ? others : e->first_lane, barrier};
        cake_emit_asm(e, "{ .reg .pred p; setp.ne.b32 p, $0, 0; @p mbarrier.arrive.shared::cta.b64 _, [$1]; }", "r,r",
                      arrive, 2);
    }
    if ((pipeline->filled_by_store || pipeline->filled_by_async) && !pipeline->bytes_per_stage) return;
    if (!pipeline->bytes_per_stage) {
        cake_emit_asm(e, "{ .reg .pred p; setp.ne.b32 p, $0, 0; @p mbarrier.arrive.shared::cta.b64 _, [$1]; }", "r,r",
                      operands, 2);
        return;
    }
    cake_emit_asm(e,
                  "{ .reg .pred p; setp.ne.b32 p, $0, 0; @p mbarrier.arrive.expect_tx.shared::cta.b64 _, [$1], $2; }",
                  "r,r,r", operands, 3);
}

/* One arrival of the warp; where the ring spans the cluster, one in each of its CTAs, a lane each. */
static void arrive_empty(cake_emitter *e, const cake_plan_pipeline *pipeline, LLVMValueRef on, LLVMValueRef barrier) {
    LLVMValueRef flag = LLVMBuildZExt(e->builder, on, e->i32, "");
    if (!pipeline->multicast) {
        LLVMValueRef operands[2] = {LLVMBuildAnd(e->builder, e->first_lane, flag, ""), barrier};
        cake_emit_asm(e, "{ .reg .pred p; setp.ne.b32 p, $0, 0; @p mbarrier.arrive.shared::cta.b64 _, [$1]; }", "r,r",
                      operands, 2);
        return;
    }
    LLVMValueRef mine = pipeline->led ? e->first_lane : lane_for_rank(e); /* rank 0, or all */
    LLVMValueRef operands[3] = {LLVMBuildAnd(e->builder, mine, flag, ""), barrier, e->lane};
    cake_emit_asm(e,
                  "{ .reg .pred p; .reg .b32 a; setp.ne.b32 p, $0, 0; @p mapa.shared::cluster.u32 a, $1, $2;\n"
                  "@p mbarrier.arrive.release.cluster.shared::cluster.b64 _, [a]; }",
                  "r,r,r", operands, 3);
}

/* Gives back the oldest slots until 'keep' are held: as many predicated arrivals as the plan says may be needed. */
static void release(cake_emitter *e, const cake_plan_op *op) {
    const cake_plan_pipeline *pipeline = op->u.slot.pipeline;
    slot_state *state = &e->slots[pipeline->number];
    uint64_t before = op->u.slot.held_before;
    uint32_t fewest = 0, most = 0;
    for (uint32_t h = 0; h < 64; h++)
        if (before >> h & 1) most = h;
    while (fewest < most && !(before >> fewest & 1))
        fewest++;
    if (most <= op->u.slot.keep) return;
    sync_warp(e);
    LLVMValueRef held = get(e, state->held), tail = get(e, state->tail);
    for (uint32_t i = op->u.slot.keep; i < most; i++) {
        LLVMValueRef more = fewest > i ? LLVMConstInt(e->i1, 1, 0)
                                       : LLVMBuildICmp(e->builder, LLVMIntUGT, held, cake_emit_i32(e, i), "");
        arrive_empty(e, pipeline, more, barrier_of(e, pipeline->empty_barrier, tail));
        tail = LLVMBuildSelect(e->builder, more, following(e, tail, pipeline->stages), tail, "");
    }
    LLVMValueRef keep = cake_emit_i32(e, op->u.slot.keep);
    LLVMValueRef above = LLVMBuildICmp(e->builder, LLVMIntUGT, held, keep, "");
    set(e, state->held, fewest >= op->u.slot.keep ? keep : LLVMBuildSelect(e->builder, above, keep, held, ""));
    set(e, state->tail, tail);
}

static void init_barrier(cake_emitter *e, LLVMValueRef on, uint32_t offset, uint32_t count) {
    LLVMValueRef operands[3] = {on, cake_emit_shared_address(e, offset), cake_emit_i32(e, count)};
    cake_emit_asm(e, "{ .reg .pred p; setp.ne.b32 p, $0, 0; @p mbarrier.init.shared::cta.b64 [$1], $2; }", "r,r,r",
                  operands, 3);
}

static void sync_cluster(cake_emitter *e) {
    cake_emit_asm(e, "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;", "", NULL, 0);
}

void cake_emit_barrier_init(cake_emitter *e) {
    const cake_plan *plan = e->plan;
    if (plan->pipelines.count == 0 && plan->signals.count == 0) return;
    LLVMValueRef first = LLVMBuildZExt(e->builder, is_equal(e, e->thread, 0), e->i32, "");
    for (uint32_t i = 0; i < plan->pipelines.count; i++) {
        const cake_plan_pipeline *pipeline = plan->pipelines.items[i];
        for (uint32_t k = 0; k < pipeline->stages; k++) {
            init_barrier(e, first, pipeline->full_barrier + 8 * k, pipeline->full_count);
            init_barrier(e, first, pipeline->empty_barrier + 8 * k, pipeline->empty_count);
        }
    }
    for (uint32_t i = 0; i < plan->signals.count; i++)
        init_barrier(e, first, plan->signals.items[i]->barrier, plan->signals.items[i]->arrivals);
    if (cake_target_info_of(plan->target)->features & CAKE_FEATURE_ASYNC_PROXY)
        cake_emit_asm(e, "fence.mbarrier_init.release.cluster;", "", NULL, 0); /* also orders the async proxy's view */
    if (plan->launch.cluster > 1)
        sync_cluster(e);
    else
        cake_emit_asm(e, "bar.sync 0;", "", NULL, 0);
}

/* ---- signals ---- */

/* The warp's part of the team's arrivals, a lane each. */
static LLVMValueRef arriving_lanes(cake_emitter *e, const cake_plan_signal *signal) {
    uint32_t warps = e->role->first_warp_only ? 1 : e->role->warps_per_team, part = signal->team_arrivals / warps;
    if (part == 1) return e->first_lane;
    LLVMValueRef arrives = LLVMBuildICmp(e->builder, LLVMIntULT, e->lane, cake_emit_i32(e, part), "");
    return LLVMBuildZExt(e->builder, arrives, e->i32, "");
}

static void arrive_signal(cake_emitter *e, const cake_plan_op *op) {
    LLVMValueRef operands[2] = {arriving_lanes(e, op->u.signal), cake_emit_shared_address(e, op->u.signal->barrier)};
    sync_warp(e);
    if (op->operand_count) {
        operands[1] = cake_emit_peer_address(e, operands[1], op->operands[0]);
        cake_emit_asm(e,
                      "{ .reg .pred p; setp.ne.b32 p, $0, 0; @p mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
                      "[$1]; }",
                      "r,r", operands, 2);
        return;
    }
    cake_emit_asm(e, "{ .reg .pred p; .reg .b64 t; setp.ne.b32 p, $0, 0; @p mbarrier.arrive.shared.b64 t, [$1]; }",
                  "r,r", operands, 2);
}

/* The k-th await is for the k-th completion: its parity flips each time. */
static void await_signal(cake_emitter *e, const cake_plan_signal *signal) {
    LLVMValueRef counter = e->signals[signal->number], parity = get(e, counter);
    poll(e, cake_emit_shared_address(e, signal->barrier), parity, signal->remote);
    set(e, counter, LLVMBuildXor(e->builder, parity, cake_emit_i32(e, 1), ""));
}

LLVMValueRef cake_emit_full_barrier(cake_emitter *e, const cake_plan_pipeline *pipeline) {
    return barrier_of(e, pipeline->full_barrier, get(e, e->slots[pipeline->number].filling.current));
}

/* A producer that doesn't consume has only the slot that it fills. */
LLVMValueRef cake_emit_slot(cake_emitter *e, const cake_plan_place *place) {
    const cake_plan_pipeline *pipeline = place->buffer->pipeline;
    bool consumes = false;
    for (uint32_t i = 0; i < pipeline->consumers.count; i++)
        consumes = consumes || pipeline->consumers.items[i] == e->role;
    const slot_state *state = &e->slots[pipeline->number];
    return get(e, place->fills || !consumes ? state->filling.current : state->reading.current);
}

static void named_barrier(cake_emitter *e, LLVMValueRef id, uint32_t threads) {
    LLVMValueRef operands[2] = {id, cake_emit_i32(e, threads)};
    cake_emit_asm(e, "bar.sync $0, $1;", "r,r", operands, 2);
}

void cake_emit_sync_team(cake_emitter *e) {
    if (e->role->warps_per_team == 1) {
        sync_warp(e);
        return;
    }
    LLVMValueRef id = LLVMBuildAdd(e->builder, e->team, cake_emit_i32(e, e->role->first_team_barrier), "");
    named_barrier(e, id, e->role->warps_per_team * 32);
}

/* Team i waits at barrier i for the team before it, which arrives there when it passes; team 0's first turn is free. */
static void baton(cake_emitter *e, const cake_plan_op *op) {
    const cake_plan_baton *baton = op->u.baton;
    uint32_t teams = baton->role->team_count, threads = baton->role->warps_per_team * 64;
    LLVMValueRef first = cake_emit_i32(e, baton->first_barrier), id;
    if (teams == 1) return;
    if (op->kind == CAKE_PLAN_TAKE) {
        named_barrier(e, LLVMBuildAdd(e->builder, first, e->team, ""), threads);
        return;
    }
    id = LLVMBuildAdd(e->builder, first, following(e, e->team, teams), "");
    LLVMValueRef operands[2] = {id, cake_emit_i32(e, threads)};
    cake_emit_asm(e, "bar.arrive $0, $1;", "r,r", operands, 2);
}

/* Only warps of roles that run here come: neither padding nor, in other ranks than 0, leaders. */
static void sync_cta(cake_emitter *e) {
    uint32_t all = 0, leaders = 0;
    for (uint32_t i = 0; i < e->plan->roles.count; i++) {
        all += e->plan->roles.items[i]->warps;
        if (e->plan->roles.items[i]->leader) leaders += e->plan->roles.items[i]->warps;
    }
    LLVMValueRef threads = cake_emit_i32(e, all * 32);
    if (leaders)
        threads = LLVMBuildSelect(e->builder, is_equal(e, cake_emit_cluster_rank(e), 0), threads,
                                  cake_emit_i32(e, (all - leaders) * 32), "");
    LLVMValueRef operands[2] = {cake_emit_i32(e, 0), threads};
    cake_emit_asm(e, "bar.sync $0, $1;", "r,r", operands, 2);
}

static void predicated(cake_emitter *e, const char *instruction) {
    LLVMValueRef operands[1] = {e->elected};
    const char *text = cake_arena_format(e->arena, "{ .reg .pred p; setp.ne.b32 p, $0, 0; @p %s; }", instruction);
    cake_emit_asm(e, text, "r", operands, 1);
}

/* Where nothing overlaps there is nothing to wait for: programmatic launch came with the async proxy, in sm_90. */
static void grid_control(cake_emitter *e, const char *instruction) {
    if (cake_target_info_of(e->plan->target)->features & CAKE_FEATURE_ASYNC_PROXY)
        cake_emit_asm(e, instruction, "", NULL, 0);
}

void cake_emit_sync(cake_emitter *e, const cake_plan_op *op) {
    switch (op->kind) {
    case CAKE_PLAN_ACQUIRE:
        enter_slot(e, op->u.slot.pipeline, op->u.slot.pipeline->empty_barrier, 1);
        return;
    case CAKE_PLAN_WAIT:
        wait(e, op->u.slot.pipeline);
        return;
    case CAKE_PLAN_COMMIT:
        commit(e, op->u.slot.pipeline);
        return;
    case CAKE_PLAN_RELEASE:
        release(e, op);
        return;
    case CAKE_PLAN_TAKE:
    case CAKE_PLAN_PASS:
        baton(e, op);
        return;
    case CAKE_PLAN_BULK_COMMIT:
        predicated(e, "cp.async.bulk.commit_group");
        return;
    case CAKE_PLAN_BULK_WAIT:
        predicated(e, cake_arena_format(e->arena, "cp.async.bulk.wait_group %u", op->u.count));
        return;
    case CAKE_PLAN_BULK_WAIT_READ:
        predicated(e, cake_arena_format(e->arena, "cp.async.bulk.wait_group.read %u", op->u.count));
        return;
    case CAKE_PLAN_FENCE_ASYNC:
        if (cake_target_info_of(e->plan->target)->features & CAKE_FEATURE_ASYNC_PROXY)
            cake_emit_asm(e, "fence.proxy.async.shared::cta;", "", NULL, 0);
        return;
    case CAKE_PLAN_SYNC_TEAM:
        cake_emit_sync_team(e);
        return;
    case CAKE_PLAN_SYNC_ROLE:
        named_barrier(e, cake_emit_i32(e, e->role->role_barrier), e->role->warps * 32);
        return;
    case CAKE_PLAN_SYNC_CTA:
        sync_cta(e);
        return;
    case CAKE_PLAN_SYNC_CLUSTER:
        sync_cluster(e);
        return;
    case CAKE_PLAN_ARRIVE:
        arrive_signal(e, op);
        return;
    case CAKE_PLAN_AWAIT_SIGNAL:
        await_signal(e, op->u.signal);
        return;
    case CAKE_PLAN_GRID_WAIT:
        grid_control(e, "griddepcontrol.wait;");
        return;
    case CAKE_PLAN_GRID_TRIGGER:
        grid_control(e, "griddepcontrol.launch_dependents;");
        return;
    default:
        CAKE_ASSERT(!"no synchronisation");
    }
}
