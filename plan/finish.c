/* What is known once all bodies are: idle warps, arrival counts, transaction bytes, named barriers, shared memory. */
#include "plan/internal.h"

#define NAMED_BARRIERS 16

/* ---- which operations a body has ---- */

typedef bool op_test(const cake_plan_op *op, const void *context);

static bool any_op(const cake_plan_block *block, op_test *test, const void *context) {
    for (cake_plan_op *op = block->first; op; op = op->next) {
        cake_plan_block *nested[CAKE_MAX_NESTED];
        uint32_t count = cake_plan_nested(op, nested);
        if (test(op, context)) return true;
        for (uint32_t i = 0; i < count; i++)
            if (any_op(nested[i], test, context)) return true;
    }
    return false;
}

/* Needs more than the first warp: tiles, and statements that the whole team executes. */
static bool needs_team(const cake_plan_op *op, const void *context) {
    (void)context;
    switch (op->kind) {
    case CAKE_PLAN_STORE:
    case CAKE_PLAN_AWAIT:
    case CAKE_PLAN_TAKE:
    case CAKE_PLAN_PASS:
    case CAKE_PLAN_ASYNC_LOAD:
    case CAKE_PLAN_MMA:
    case CAKE_PLAN_WGMMA:
    case CAKE_PLAN_WGMMA_COMMIT:
    case CAKE_PLAN_WGMMA_WAIT:
    case CAKE_PLAN_FENCE_ASYNC:
    case CAKE_PLAN_SYNC_TEAM:
    case CAKE_PLAN_SYNC_ROLE:
    case CAKE_PLAN_SYNC_CTA:
    case CAKE_PLAN_GRID_WAIT:
    case CAKE_PLAN_GRID_TRIGGER:
        return true;
    default:
        return op->result && op->result->shape.rank > 0;
    }
}

static bool is_kind(const cake_plan_op *op, const void *kind) {
    return op->kind == *(const cake_plan_op_kind *)kind;
}

static bool has_kind(const cake_plan_role *role, cake_plan_op_kind kind) {
    return any_op(&role->body, is_kind, &kind);
}

static bool crosses_warps(const cake_plan_op *op, const void *context) {
    (void)context;
    return op->kind == CAKE_PLAN_SYNC_TEAM || op->kind == CAKE_PLAN_AWAIT || cake_plan_scratch(op);
}

static uint32_t running_warps(const cake_plan_role *role) {
    return role->first_warp_only ? 1 : role->warps_per_team;
}

/* ---- pipelines ---- */

static bool stores_into(const cake_plan_op *op, const void *pipeline) {
    return op->kind == CAKE_PLAN_STORE && op->u.access->place.buffer &&
           op->u.access->place.buffer->pipeline == pipeline;
}

/* Bytes that tma.load brings between an acquire and its commit, walking the body in order. Both branches of an 'if'
 * must bring the same, and a loop inside a slot has a constant trip count. */
static uint32_t fill_bytes(cake_builder *builder, const cake_plan_block *block, const cake_plan_pipeline *pipeline) {
    uint32_t bytes = 0;
    for (const cake_plan_op *op = block->first; op; op = op->next) {
        if (op->kind == CAKE_PLAN_TMA_LOAD && op->u.copy->shared.buffer->pipeline == pipeline)
            bytes += op->u.copy->bytes * (op->u.copy->multicast ? builder->plan->launch.cluster : 1);
        if (op->kind == CAKE_PLAN_COMMIT && op->u.slot.pipeline == pipeline) {
            if (pipeline->bytes_per_stage && pipeline->bytes_per_stage != bytes)
                cake_report(builder->diagnostics, CAKE_H208, op->span,
                            "this slot of '%s' is filled with %u bytes, another one with %u", pipeline->name, bytes,
                            pipeline->bytes_per_stage);
            ((cake_plan_pipeline *)pipeline)->bytes_per_stage = bytes;
            bytes = 0;
        }
        if (op->kind == CAKE_PLAN_IF) {
            uint32_t then = fill_bytes(builder, &op->u.branch.then, pipeline);
            uint32_t otherwise = fill_bytes(builder, &op->u.branch.otherwise, pipeline);
            if (then != otherwise)
                cake_report(builder->diagnostics, CAKE_H208, op->span,
                            "the branches fill a slot of '%s' with %u and %u bytes", pipeline->name, then, otherwise);
            bytes += then;
        }
        if (op->kind == CAKE_PLAN_FOR && fill_bytes(builder, &op->u.loop.body, pipeline))
            cake_report(builder->diagnostics, CAKE_U001, op->span,
                        "copies of one slot spread over a loop are not lowered yet: unroll it");
    }
    return bytes;
}

/* Arrivals of one producing team: of every thread for async.load, of every warp for stores, of one lane for the bytes
 * of tma.load or where nothing else arrives. */
static uint32_t full_arrivals(const cake_plan_pipeline *pipeline) {
    uint32_t warps = running_warps(pipeline->producer), threads = pipeline->filled_by_async ? 32 * warps : 0;
    if (pipeline->filled_by_store) return threads + warps;
    return threads + (!threads || pipeline->bytes_per_stage ? 1 : 0);
}

static void finish_pipeline(cake_builder *builder, cake_plan_pipeline *pipeline) {
    const cake_plan_role *producer = pipeline->producer;
    if (!producer) return;
    pipeline->filled_by_store = any_op(&producer->body, stores_into, pipeline);
    fill_bytes(builder, &producer->body, pipeline);
    if (pipeline->bytes_per_stage >= 1u << 20)
        cake_report(builder->diagnostics, CAKE_H204, pipeline->span,
                    "a slot of %u bytes: an mbarrier counts fewer than 1048576", pipeline->bytes_per_stage);
    pipeline->full_count = producer->team_count * full_arrivals(pipeline);
    for (uint32_t i = 0; i < pipeline->consumers.count; i++)
        if (pipeline->consumers.items[i])
            pipeline->empty_count +=
                pipeline->consumers.items[i]->team_count * running_warps(pipeline->consumers.items[i]);
    if (pipeline->multicast) pipeline->empty_count *= builder->plan->launch.cluster;
}

/* ---- signals ---- */

static bool arrives_at(const cake_plan_op *op, const void *signal) {
    return op->kind == CAKE_PLAN_ARRIVE && op->u.signal == signal;
}

static void finish_signal(cake_builder *builder, cake_plan_signal *signal) {
    uint32_t warps = 0;
    for (uint32_t i = 0; i < builder->plan->roles.count; i++) {
        const cake_plan_role *role = builder->plan->roles.items[i];
        if (!any_op(&role->body, arrives_at, signal)) continue;
        if (warps && warps != running_warps(role))
            cake_report(builder->diagnostics, CAKE_U001, signal->span,
                        "a signal from teams of different sizes is not lowered yet");
        warps = running_warps(role);
    }
    signal->arrivals = signal->count * (warps ? warps : 1);
}

/* ---- named barriers: 0 for the CTA, then teams, roles, batons ---- */

static void finish_barriers(cake_builder *builder) {
    uint32_t next = 1;
    for (uint32_t i = 0; i < builder->plan->roles.count; i++) {
        cake_plan_role *role = builder->plan->roles.items[i];
        if (role->warps_per_team > 1 && any_op(&role->body, crosses_warps, NULL)) {
            role->first_team_barrier = next;
            next += role->team_count;
        }
        if (has_kind(role, CAKE_PLAN_SYNC_ROLE)) role->role_barrier = next++;
    }
    for (uint32_t i = 0; i < builder->plan->batons.count; i++) {
        cake_plan_baton *baton = builder->plan->batons.items[i];
        baton->first_barrier = next;
        if (baton->role) next += baton->role->team_count;
    }
    if (next > NAMED_BARRIERS)
        cake_report(builder->diagnostics, CAKE_H202, builder->kernel->span,
                    "%u named barriers are needed; a CTA has %u", next, NAMED_BARRIERS);
}

/* ---- shared memory: buffers by falling alignment in order of declaration, then scratch, then mbarriers ---- */

static uint32_t place(uint32_t *next, uint32_t bytes, uint32_t alignment) {
    uint32_t offset = (*next + alignment - 1) / alignment * alignment;
    *next = offset + bytes;
    return offset;
}

static void place_buffer(cake_plan_buffer *buffer, uint32_t *next) {
    uint32_t stages = 1;
    if (buffer->pipeline) {
        stages = buffer->pipeline->stages;
        buffer->stage_stride = (buffer->bytes + buffer->alignment - 1) / buffer->alignment * buffer->alignment;
    }
    buffer->offset = place(next, stages > 1 ? buffer->stage_stride * stages : buffer->bytes, buffer->alignment);
}

static void finish_shared(cake_builder *builder) {
    cake_plan *plan = builder->plan;
    uint32_t next = 0;
    for (uint32_t alignment = 4096; alignment >= 16; alignment /= 2)
        for (uint32_t i = 0; i < plan->buffers.count; i++)
            if (plan->buffers.items[i]->alignment == alignment && !plan->buffers.items[i]->over)
                place_buffer(plan->buffers.items[i], &next);
    for (uint32_t i = 0; i < plan->buffers.count; i++) {
        cake_plan_buffer *buffer = plan->buffers.items[i];
        if (!buffer->over) continue;
        uint32_t room = buffer->over->stage_stride ? buffer->over->stage_stride * buffer->over->pipeline->stages
                                                   : buffer->over->bytes;
        if (buffer->bytes > room || buffer->alignment > buffer->over->alignment)
            cake_report(builder->diagnostics, CAKE_H201, buffer->span,
                        "'%s' of %u bytes does not fit over '%s' of %u bytes", buffer->name, buffer->bytes,
                        buffer->over->name, room);
        buffer->offset = buffer->over->offset;
    }
    for (uint32_t i = 0; i < plan->roles.count; i++) {
        cake_plan_role *role = plan->roles.items[i];
        if (role->scratch_bytes) role->scratch_offset = place(&next, role->scratch_bytes * role->team_count, 16);
    }
    for (uint32_t i = 0; i < plan->pipelines.count; i++) {
        plan->pipelines.items[i]->full_barrier = place(&next, 8 * plan->pipelines.items[i]->stages, 8);
        plan->pipelines.items[i]->empty_barrier = place(&next, 8 * plan->pipelines.items[i]->stages, 8);
    }
    if (plan->launch.claim) plan->launch.claim_offset = place(&next, 16, 16);
    for (uint32_t i = 0; i < plan->signals.count; i++)
        plan->signals.items[i]->barrier = place(&next, 8, 8);
    plan->launch.shared_bytes = next;
    const cake_target_info *target = cake_target_info_of(plan->target);
    uint32_t ctas = plan->launch.ctas_per_sm ? plan->launch.ctas_per_sm : 1;
    uint32_t room = ctas > 1 ? target->shared_per_sm / ctas - 1024 : target->shared_per_cta;
    if (next > room)
        cake_report(builder->diagnostics, CAKE_H201, builder->kernel->span,
                    "%u bytes of shared memory are needed; %s has %u for a CTA%s", next, target->name, room,
                    ctas > 1 ? " at this many a multiprocessor" : "");
}

void cake_plan_finish_objects(cake_builder *builder) {
    cake_plan *plan = builder->plan;
    for (uint32_t i = 0; i < plan->roles.count; i++)
        plan->roles.items[i]->first_warp_only = !any_op(&plan->roles.items[i]->body, needs_team, NULL);
    for (uint32_t i = 0; i < plan->pipelines.count; i++)
        finish_pipeline(builder, plan->pipelines.items[i]);
    for (uint32_t i = 0; i < plan->signals.count; i++)
        finish_signal(builder, plan->signals.items[i]);
    finish_barriers(builder);
    finish_shared(builder);
}
