/* What is known once all bodies are: idle warps, arrival counts, transaction bytes, named barriers, shared memory. */
#include "plan/internal.h"

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

/* The walk over a producer's body in order that counts the bytes of each slot. */
typedef struct filling {
    cake_builder *builder;
    cake_plan_pipeline *pipeline;
    uint64_t bytes;   /* since the commit before; at most TOO_MANY */
    uint32_t commits; /* in the text so far */
} filling;

#define TOO_MANY ((uint64_t)CAKE_LIMIT_TRANSACTION_BYTES + 1)

static uint64_t most(uint64_t bytes) {
    return bytes < TOO_MANY ? bytes : TOO_MANY;
}

static void refuse_fill(const filling *f, const cake_plan_op *op, const char *where, uint64_t one, uint64_t other) {
    cake_report(f->builder->diagnostics, CAKE_H208, op->span,
                "%s '%s' is filled with %llu bytes, and with %llu on another way", where, f->pipeline->name,
                (unsigned long long)one, (unsigned long long)other);
}

/* A multicast comes from each CTA that runs the producer. */
static void fill_copy(filling *f, const cake_plan_op *op) {
    const cake_plan_copy *copy = op->u.copy;
    bool everywhere = copy->multicast && !f->pipeline->producer->leader;
    f->bytes = most(f->bytes + (uint64_t)copy->bytes * (everywhere ? f->builder->plan->launch.cluster : 1));
    if (f->pipeline->led && !copy->multicast)
        cake_report(f->builder->diagnostics, CAKE_H208, op->span,
                    "a leader fills slots that other CTAs read with 'multicast'");
    if (f->pipeline->producer->leader && !f->pipeline->led && copy->multicast)
        cake_report(f->builder->diagnostics, CAKE_H208, op->span,
                    "only the leader reads this slot: fill it without 'multicast'");
}

static void fill_commit(filling *f, const cake_plan_op *op) {
    if (f->commits++ && f->pipeline->bytes_per_stage != f->bytes)
        refuse_fill(f, op, "this slot of", f->bytes, f->pipeline->bytes_per_stage);
    f->pipeline->bytes_per_stage = (uint32_t)f->bytes;
    f->bytes = 0;
}

static void fill_block(filling *f, const cake_plan_block *block);

static void fill_branch(filling *f, const cake_plan_op *op) {
    uint64_t before = f->bytes;
    fill_block(f, &op->u.branch.then);
    uint64_t then = f->bytes;
    f->bytes = before;
    fill_block(f, &op->u.branch.otherwise);
    if (then != f->bytes) refuse_fill(f, op, "behind these branches a slot of", then, f->bytes);
}

/* Turns of a loop with constant bounds; 0: not known. */
static uint64_t known_trips(const cake_plan_op *op) {
    if (op->kind != CAKE_PLAN_FOR) return 0;
    const cake_plan_value *from = op->u.loop.from, *to = op->u.loop.to, *step = op->u.loop.step;
    if (!from->is_constant || !to->is_constant || !step->is_constant || to->low <= from->low) return 0;
    return ((uint64_t)to->low - (uint64_t)from->low + (uint64_t)step->low - 1) / (uint64_t)step->low;
}

/* A turn that ends a slot leaves as much for the next one as it found; what turns without an end bring adds up. */
static void fill_loop(filling *f, const cake_plan_op *op, const cake_plan_block *body) {
    uint64_t before = f->bytes, trips = known_trips(op);
    uint32_t commits = f->commits;
    fill_block(f, body);
    if (f->bytes == before) return;
    uint64_t added = f->bytes - before;
    if (f->commits != commits) {
        refuse_fill(f, op, "between turns of this loop a slot of", before, f->bytes);
        f->bytes = before;
    } else if (!trips)
        cake_report(f->builder->diagnostics, CAKE_H208, op->span,
                    "a slot of '%s' is filled in a loop whose number of turns is not known at compile time",
                    f->pipeline->name);
    else
        f->bytes = trips > TOO_MANY / added ? TOO_MANY : most(before + trips * added);
}

static void fill_block(filling *f, const cake_plan_block *block) {
    for (const cake_plan_op *op = block->first; op; op = op->next) {
        if (op->kind == CAKE_PLAN_TMA_LOAD && op->u.copy->shared.buffer->pipeline == f->pipeline) fill_copy(f, op);
        if (op->kind == CAKE_PLAN_COMMIT && op->u.slot.pipeline == f->pipeline) fill_commit(f, op);
        if (op->kind == CAKE_PLAN_IF) fill_branch(f, op);
        if (op->kind == CAKE_PLAN_FOR) fill_loop(f, op, &op->u.loop.body);
        if (op->kind == CAKE_PLAN_WHILE) fill_loop(f, op, &op->u.loop_while.body);
    }
}

/* Arrivals of one producing team: of every thread for async.load, of every warp for stores, of one lane for the bytes
 * of tma.load or where nothing else arrives. */
static uint32_t full_arrivals(const cake_plan_pipeline *pipeline) {
    uint32_t warps = running_warps(pipeline->producer), threads = pipeline->filled_by_async ? 32 * warps : 0;
    if (pipeline->filled_by_store) return threads + warps;
    return threads + (!threads || pipeline->bytes_per_stage ? 1 : 0);
}

/* Arrivals at a slot's empty barrier by the warps of a consumer, in all CTAs that it runs in. */
static uint32_t releases(const cake_builder *builder, const cake_plan_pipeline *pipeline, const cake_plan_role *role) {
    if (!role) return 0;
    bool everywhere = pipeline->multicast && !role->leader;
    return role->team_count * running_warps(role) * (everywhere ? builder->plan->launch.cluster : 1);
}

/* Who of producer and consumers runs in rank 0 alone. */
static void finish_leaders(cake_builder *builder, cake_plan_pipeline *pipeline) {
    uint32_t leaders = 0;
    for (uint32_t i = 0; i < pipeline->consumers.count; i++)
        leaders += pipeline->consumers.items[i] && pipeline->consumers.items[i]->leader;
    if (leaders && !pipeline->producer->leader)
        cake_report(builder->diagnostics, CAKE_U001, pipeline->span,
                    "a leader that reads slots which all CTAs fill is not lowered yet");
    pipeline->led = pipeline->producer->leader && leaders < pipeline->consumers.count;
    pipeline->multicast = pipeline->multicast || pipeline->led;
    if (pipeline->led && (pipeline->filled_by_store || pipeline->filled_by_async))
        cake_report(builder->diagnostics, CAKE_H208, pipeline->span,
                    "a leader fills slots that other CTAs read with 'multicast'");
}

static void finish_pipeline(cake_builder *builder, cake_plan_pipeline *pipeline) {
    const cake_plan_role *producer = pipeline->producer;
    if (!producer) return;
    pipeline->filled_by_store = any_op(&producer->body, stores_into, pipeline);
    finish_leaders(builder, pipeline);
    filling f = {.builder = builder, .pipeline = pipeline};
    fill_block(&f, &producer->body);
    if (pipeline->bytes_per_stage > CAKE_LIMIT_TRANSACTION_BYTES)
        cake_report(builder->diagnostics, CAKE_H204, pipeline->span,
                    "a slot of %u bytes: an mbarrier counts at most %u", pipeline->bytes_per_stage,
                    (uint32_t)CAKE_LIMIT_TRANSACTION_BYTES);
    pipeline->full_count = (pipeline->claims ? 1 : producer->team_count) * full_arrivals(pipeline);
    for (uint32_t i = 0; i < pipeline->consumers.count; i++)
        pipeline->empty_count += releases(builder, pipeline, pipeline->consumers.items[i]);
}

/* ---- signals ---- */

static bool arrives_at(const cake_plan_op *op, const void *signal) {
    return op->kind == CAKE_PLAN_ARRIVE && op->u.signal == signal;
}

#define MAX_PART 32 /* of one warp: a lane makes one arrival */

static uint32_t common_multiple(uint32_t a, uint32_t b) {
    uint32_t multiple = a;
    while (multiple % b != 0)
        multiple += a;
    return multiple;
}

/* A phase counts teams, the mbarrier arrivals: teams of all sizes make equally many. */
static void finish_signal(cake_builder *builder, cake_plan_signal *signal) {
    uint32_t arrivals = 1, fewest = MAX_PART;
    for (uint32_t i = 0; i < builder->plan->roles.count; i++) {
        const cake_plan_role *role = builder->plan->roles.items[i];
        if (!any_op(&role->body, arrives_at, signal)) continue;
        arrivals = common_multiple(arrivals, running_warps(role));
        if (running_warps(role) < fewest) fewest = running_warps(role);
    }
    if (arrivals > fewest * MAX_PART)
        cake_report(builder->diagnostics, CAKE_U001, signal->span,
                    "a signal from teams of such different sizes is not lowered yet: %u arrivals of each team",
                    arrivals);
    signal->team_arrivals = arrivals;
    signal->arrivals = signal->count * arrivals;
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
    if (next > CAKE_LIMIT_NAMED_BARRIERS)
        cake_report(builder->diagnostics, CAKE_H202, builder->kernel->span,
                    "%u named barriers are needed; a CTA has %u", next, (uint32_t)CAKE_LIMIT_NAMED_BARRIERS);
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
        if (buffer->bytes > room)
            cake_report(builder->diagnostics, CAKE_H201, buffer->span,
                        "'%s' of %u bytes does not fit over '%s' of %u bytes", buffer->name, buffer->bytes,
                        buffer->over->name, room);
        const cake_plan_buffer *base = buffer->over;
        while (base->over)
            base = base->over;
        buffer->offset = base->offset;
    }
    for (uint32_t i = 0; i < plan->buffer_views.count; i++) {
        cake_plan_buffer *view = plan->buffer_views.items[i];
        view->offset = view->view_of->offset;
        view->stage_stride = view->view_of->stage_stride;
    }
    for (uint32_t i = 0; i < plan->roles.count; i++) {
        cake_plan_role *role = plan->roles.items[i];
        if (role->scratch_bytes) role->scratch_offset = place(&next, role->scratch_bytes * role->team_count, 16);
    }
    for (uint32_t i = 0; i < plan->pipelines.count; i++) {
        uint32_t bytes = CAKE_LIMIT_MBARRIER_BYTES * plan->pipelines.items[i]->stages;
        plan->pipelines.items[i]->full_barrier = place(&next, bytes, CAKE_LIMIT_MBARRIER_BYTES);
        plan->pipelines.items[i]->empty_barrier = place(&next, bytes, CAKE_LIMIT_MBARRIER_BYTES);
    }
    if (plan->launch.claim && !plan->launch.persistent) plan->launch.claim_offset = place(&next, 16, 16);
    for (uint32_t i = 0; i < plan->signals.count; i++)
        plan->signals.items[i]->barrier = place(&next, CAKE_LIMIT_MBARRIER_BYTES, CAKE_LIMIT_MBARRIER_BYTES);
    plan->launch.shared_bytes = next;
    const cake_target_info *target = cake_target_info_of(plan->target);
    uint32_t ctas = plan->launch.ctas_per_sm ? plan->launch.ctas_per_sm : 1;
    uint32_t room = ctas > 1 ? target->shared_per_sm / ctas - CAKE_LIMIT_SHARED_RESERVED : target->shared_per_cta;
    if (next > room)
        cake_report(builder->diagnostics, CAKE_H201, builder->kernel->span,
                    "%u bytes of shared memory are needed; %s has %u for a CTA%s", next, target->name, room,
                    ctas > 1 ? " at this many a multiprocessor" : "");
}

void cake_plan_finish_objects(cake_builder *builder) {
    cake_plan *plan = builder->plan;
    for (uint32_t i = 0; i < plan->roles.count; i++) {
        builder->role = plan->roles.items[i];
        builder->role->first_warp_only = !any_op(&builder->role->body, needs_team, NULL);
        cake_plan_finish_broadcasts(builder);
    }
    for (uint32_t i = 0; i < plan->pipelines.count; i++)
        finish_pipeline(builder, plan->pipelines.items[i]);
    for (uint32_t i = 0; i < plan->signals.count; i++)
        finish_signal(builder, plan->signals.items[i]);
    finish_barriers(builder);
    finish_shared(builder);
}
