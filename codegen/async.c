/* cp.async: each lane copies its runs of the tile; lanes off by clip write zeros (PTX ISA 'cp.async',
 * 'cp.async.mbarrier.arrive').
 *
 * What differs from run to run is kept out of what differs from lane to lane and from what differs between turns of a
 * loop, so that most of an address is computed once: lane parts before the loop, run parts as constants.
 */
#include "codegen/emit.h"

#define SWIZZLE_ROWS 8 /* after which the permutation of chunks repeats */

typedef struct async_state {
    const cake_plan_async *async;
    uint32_t element_bits;
    cake_access_state global;
    LLVMValueRef shared_position[CAKE_MAX_RANK]; /* i32, base and lane parts */
    LLVMValueRef shared_origin, global_origin;   /* addresses of run 0 but for its constants */
} async_state;

static uint32_t run_part(const async_state *s, const cake_plan_place *place, uint8_t d, uint32_t r) {
    const cake_plan_index *index = &place->index[d];
    return index->kind == CAKE_INDEX_RANGE ? s->async->layout->registers[r].at[index->axis] : 0;
}

/* ---- the tensor's side ---- */

static LLVMValueRef advance(cake_emitter *e, LLVMValueRef pointer, LLVMValueRef elements, LLVMValueRef stride,
                            uint32_t element_bits) {
    /* of 4 bits every part of an address is a whole number of bytes */
    bool halves = element_bits < 8;
    LLVMValueRef bytes = LLVMBuildMul(e->builder, stride, LLVMConstInt(e->i64, halves ? 1 : element_bits / 8, 0), "");
    bytes = LLVMBuildMul(e->builder, elements, bytes, "");
    if (halves) bytes = LLVMBuildAShr(e->builder, bytes, LLVMConstInt(e->i64, 1, 0), "");
    return LLVMBuildGEP2(e->builder, e->i8, pointer, &bytes, 1, "");
}

static void open_global(cake_emitter *e, async_state *s) {
    const cake_plan_place *place = &s->async->global.place;
    s->global = cake_emit_access_open(e, &s->async->global, s->async->layout);
    s->global_origin = cake_emit_tensor_pointer(e, place->tensor);
    for (uint8_t d = 0; d < place->dimensions; d++)
        if (place->index[d].kind != CAKE_INDEX_GATHER)
            s->global_origin = advance(e, s->global_origin, s->global.position[d],
                                       cake_emit_index(e, place->tensor->strides[d], e->i64), s->element_bits);
}

static LLVMValueRef global_address(cake_emitter *e, const async_state *s, uint32_t r) {
    const cake_plan_place *place = &s->async->global.place;
    LLVMValueRef pointer = s->global_origin;
    for (uint8_t d = 0; d < place->dimensions; d++) {
        bool gathers = place->index[d].kind == CAKE_INDEX_GATHER;
        uint32_t part = run_part(s, place, d, r);
        LLVMValueRef elements = gathers ? cake_emit_position(e, &s->global, d, r) : LLVMConstInt(e->i64, part, 0);
        if (gathers || part)
            pointer =
                advance(e, pointer, elements, cake_emit_index(e, place->tensor->strides[d], e->i64), s->element_bits);
    }
    return LLVMBuildPtrToInt(e->builder, pointer, e->i64, "");
}

/* ---- the buffer's side ---- */

static LLVMValueRef shared_address(cake_emitter *e, const cake_plan_place *place, LLVMValueRef *position) {
    LLVMValueRef base = LLVMBuildPtrToInt(e->builder, e->shared, e->i32, "");
    return LLVMBuildAdd(e->builder, base, cake_emit_shared_offset(e, place, position), "");
}

static void open_shared(cake_emitter *e, async_state *s) {
    const cake_plan_place *place = &s->async->shared;
    for (uint8_t d = 0; d < place->dimensions; d++) {
        s->shared_position[d] = cake_emit_index(e, place->index[d].base, e->i32);
        if (place->index[d].kind != CAKE_INDEX_RANGE) continue;
        LLVMValueRef lane = cake_emit_thread_coordinate(e, s->async->layout, place->index[d].axis);
        s->shared_position[d] = LLVMBuildAdd(e->builder, s->shared_position[d], lane, "");
    }
    s->shared_origin = shared_address(e, place, s->shared_position);
}

/* Whether a run lies at a constant distance from run 0: in whole periods of the swizzle. */
static bool is_constant_apart(const async_state *s, uint32_t r) {
    const cake_plan_place *place = &s->async->shared;
    const cake_plan_buffer *buffer = place->buffer;
    uint8_t rank = place->dimensions;
    if (!buffer->swizzle) return true;
    if (rank > 1 && run_part(s, place, (uint8_t)(rank - 2), r) % SWIZZLE_ROWS != 0) return false;
    uint32_t column = run_part(s, place, (uint8_t)(rank - 1), r) * s->element_bits / 8;
    const cake_plan_value *base = place->index[rank - 1].base;
    return column == 0 || (column % buffer->swizzle == 0 && base->is_constant &&
                           base->integer * s->element_bits / 8 % buffer->swizzle == 0);
}

static uint32_t constant_distance(const async_state *s, uint32_t r) {
    const cake_plan_place *place = &s->async->shared;
    const cake_plan_buffer *buffer = place->buffer;
    uint8_t rank = place->dimensions;
    uint32_t tile = 0, column = run_part(s, place, (uint8_t)(rank - 1), r) * s->element_bits / 8;
    for (uint8_t d = 0; d + 2 < rank; d++)
        tile = tile * buffer->shape.extents[d] + run_part(s, place, d, r);
    uint32_t row = rank > 1 ? run_part(s, place, (uint8_t)(rank - 2), r) : 0;
    if (buffer->swizzle) column = column / buffer->swizzle * buffer->panel_bytes;
    return tile * buffer->tile_bytes + row * buffer->row_bytes + column;
}

static LLVMValueRef shared_run_address(cake_emitter *e, const async_state *s, uint32_t r) {
    const cake_plan_place *place = &s->async->shared;
    if (is_constant_apart(s, r))
        return LLVMBuildAdd(e->builder, s->shared_origin, cake_emit_i32(e, constant_distance(s, r)), "");
    LLVMValueRef position[CAKE_MAX_RANK];
    for (uint8_t d = 0; d < place->dimensions; d++)
        position[d] = LLVMBuildAdd(e->builder, s->shared_position[d], cake_emit_i32(e, run_part(s, place, d, r)), "");
    return shared_address(e, place, position);
}

/* ---- the copy ---- */

static void copy_run(cake_emitter *e, const async_state *s, uint32_t r, LLVMValueRef owner) {
    uint32_t bytes = s->async->width * s->element_bits / 8, count = 2;
    LLVMValueRef operands[5] = {shared_run_address(e, s, r), global_address(e, s, r)};
    cake_text constraints;
    cake_text_init(&constraints, e->arena);
    cake_text_add_string(&constraints, "r,l");
    LLVMValueRef on = cake_emit_access_predicate(e, &s->global, r);
    if (on) {
        LLVMValueRef zero = cake_emit_i32(e, 0);
        operands[count++] = LLVMBuildSelect(e->builder, on, cake_emit_i32(e, bytes), zero, "");
        cake_text_add_string(&constraints, ",r");
    }
    const char *copy = cake_arena_format(e->arena, "cp.async.%s.shared.global [$0], [$1], %u%s;",
                                         bytes == 16 ? "cg" : "ca", bytes, on ? ", $2" : "");
    if (owner) {
        copy = cake_arena_format(e->arena, "{ .reg .pred p; setp.ne.b32 p, $%u, 0; @p %s }", count, copy);
        operands[count++] = owner;
        cake_text_add_string(&constraints, ",r");
    }
    cake_emit_asm(e, copy, cake_text_string(&constraints), operands, count);
}

void cake_emit_async_load(cake_emitter *e, const cake_plan_op *op) {
    async_state s = {.async = op->u.async};
    s.element_bits = cake_dtype_bits(s.async->shared.buffer->dtype);
    open_global(e, &s);
    open_shared(e, &s);
    LLVMValueRef owner = cake_emit_owner(e, s.async->layout);
    if (owner) owner = LLVMBuildZExt(e->builder, owner, e->i32, "");
    for (uint32_t r = 0; r < s.async->layout->register_count; r += s.async->width)
        copy_run(e, &s, r, owner);
}

void cake_emit_async_commit(cake_emitter *e, LLVMValueRef barrier) {
    cake_emit_asm(e, "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [$0];", "r", &barrier, 1);
}
