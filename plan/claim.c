/* 'claim' of a persistent grid: where the next tile comes from, and how all teams that walk tiles learn of it.
 *
 * One team alone adds to the counter itself. Otherwise the first team of the first role that walks tiles does, and
 * passes the tile to all teams, its own included, through a ring of two slots of one word: so no team starts a tile
 * before another has left the tile before the last one. Counters of the ring are a pipeline's like any other's.
 */
#include "plan/internal.h"

#define STAGES 2

/* ---- who walks tiles ---- */

static bool walks(const cake_block *block) {
    for (uint32_t i = 0; i < block->statements.count; i++)
        if (block->statements.items[i]->kind == CAKE_STMT_FOR_TILE) return true;
    return false;
}

static const cake_role_body *body_of(const cake_builder *builder, const cake_plan_role *role) {
    for (uint32_t i = 0; i < builder->kernel->bodies.count; i++)
        if (builder->kernel->bodies.items[i]->role.name == role->name) return builder->kernel->bodies.items[i];
    return NULL;
}

/* ---- the ring ---- */

static cake_plan_buffer *add_slot(cake_builder *builder, cake_plan_pipeline *ring) {
    cake_plan_buffer *buffer = CAKE_NEW(builder->arena, cake_plan_buffer);
    *buffer = (cake_plan_buffer){.name = "tile",
                                 .span = ring->span,
                                 .dtype = CAKE_DTYPE_U32,
                                 .shape = {.rank = 1, .extents = {1}},
                                 .row_bytes = sizeof(uint32_t),
                                 .panel_bytes = sizeof(uint32_t),
                                 .panels = 1,
                                 .tile_bytes = sizeof(uint32_t),
                                 .bytes = sizeof(uint32_t),
                                 .alignment = 16,
                                 .pipeline = ring};
    *CAKE_PUSH(builder->arena, &builder->plan->buffers) = buffer;
    buffer->number = builder->plan->buffers.count;
    return buffer;
}

void cake_plan_claim_ring(cake_builder *builder) {
    cake_plan *plan = builder->plan;
    if (!plan->launch.claim || !plan->launch.persistent) return;
    cake_plan_pipeline *ring = CAKE_NEW(builder->arena, cake_plan_pipeline);
    *ring = (cake_plan_pipeline){
        .name = "claim", .span = builder->kernel->grid->claim_span, .stages = STAGES, .claims = true};
    uint32_t teams = 0;
    for (uint32_t i = 0; i < plan->roles.count; i++) {
        const cake_role_body *body = body_of(builder, plan->roles.items[i]);
        if (!body || !walks(&body->block)) continue;
        if (!ring->producer) ring->producer = plan->roles.items[i];
        *CAKE_PUSH(builder->arena, &ring->consumers) = plan->roles.items[i];
        teams += plan->roles.items[i]->team_count;
    }
    if (teams < 2) return;
    *CAKE_PUSH(builder->arena, &ring->buffers) = add_slot(builder, ring);
    *CAKE_PUSH(builder->arena, &plan->pipelines) = ring;
    ring->number = plan->pipelines.count;
    cake_plan_cost_add(builder, ring->span, "claim: a ring of %u slots passes the tile from '%s' to %u teams", STAGES,
                       ring->producer->name, teams);
}

static const cake_plan_pipeline *ring_of(const cake_plan *plan) {
    for (uint32_t i = 0; i < plan->pipelines.count; i++)
        if (plan->pipelines.items[i]->claims) return plan->pipelines.items[i];
    return NULL;
}

/* ---- operations ---- */

static cake_plan_place word(cake_builder *builder) {
    cake_plan_place place = {.span = builder->span, .dimensions = 1};
    place.index[0] =
        (cake_plan_index){.kind = CAKE_INDEX_SCALAR, .base = cake_plan_constant_index(builder, 0), .length = 1};
    return place;
}

static cake_plan_value *atomic(cake_builder *builder, cake_plan_place place, cake_atomic_op kind, cake_scope scope,
                               cake_plan_value *operand) {
    cake_plan_atomic_access *access = CAKE_NEW(builder->arena, cake_plan_atomic_access);
    *access = (cake_plan_atomic_access){
        .access = {.place = place, .width = 1}, .op = kind, .scope = scope, .order = CAKE_ORDER_RELAXED};
    access->used = kind != CAKE_ATOMIC_STORE;
    cake_plan_op *op = cake_plan_append(builder, CAKE_PLAN_ATOMIC);
    op->operands[op->operand_count++] = operand;
    op->u.atomic = access;
    return cake_plan_result(builder, op, CAKE_DTYPE_U32, &access->shape);
}

static cake_plan_value *take(cake_builder *builder) {
    cake_plan_place place = word(builder);
    place.tensor = builder->plan->launch.claim;
    cake_plan_value *one = cake_plan_constant(builder, CAKE_DTYPE_U32, 1, 0);
    return atomic(builder, place, CAKE_ATOMIC_ADD, CAKE_SCOPE_GPU, one);
}

static void slot(cake_builder *builder, cake_plan_op_kind kind, const cake_plan_pipeline *ring) {
    cake_plan_append(builder, kind)->u.slot.pipeline = ring;
}

static void post(cake_builder *builder, const cake_plan_pipeline *ring) {
    cake_plan_place place = word(builder);
    place.buffer = ring->buffers.items[0];
    place.fills = true;
    slot(builder, CAKE_PLAN_ACQUIRE, ring);
    atomic(builder, place, CAKE_ATOMIC_STORE, CAKE_SCOPE_CTA, take(builder));
    slot(builder, CAKE_PLAN_COMMIT, ring);
}

/* By team 0 of the producer alone. */
static void post_once(cake_builder *builder, const cake_plan_pipeline *ring) {
    if (builder->role->team_count == 1) {
        post(builder, ring);
        return;
    }
    cake_plan_value *team = (cake_plan_value *)builder->role->team_index;
    cake_plan_value *first = cake_plan_binary(builder, CAKE_BINARY_EQ, team, cake_plan_constant_index(builder, 0));
    cake_plan_op *op = cake_plan_append(builder, CAKE_PLAN_IF);
    cake_plan_block *outer = builder->block;
    op->u.branch.condition = first;
    builder->block = &op->u.branch.then;
    post(builder, ring);
    builder->block = outer;
}

static cake_plan_value *receive(cake_builder *builder, const cake_plan_pipeline *ring) {
    cake_plan_access *access = CAKE_NEW(builder->arena, cake_plan_access);
    access->place = word(builder);
    access->place.buffer = ring->buffers.items[0];
    slot(builder, CAKE_PLAN_WAIT, ring);
    cake_plan_op *op = cake_plan_append(builder, CAKE_PLAN_LOAD);
    op->u.access = access;
    cake_plan_value *tile = cake_plan_result(builder, op, CAKE_DTYPE_U32, &access->place.shape);
    slot(builder, CAKE_PLAN_RELEASE, ring);
    return tile;
}

cake_plan_value *cake_plan_claim(cake_builder *builder) {
    const cake_plan_pipeline *ring = ring_of(builder->plan);
    if (!ring) return take(builder);
    if (builder->role == ring->producer) post_once(builder, ring);
    return receive(builder, ring);
}
