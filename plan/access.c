/* The form of each plain access, once layouts are known: how many elements an instruction moves, and stmatrix. */
#include "plan/internal.h"

/* Whether the last memory dimension is the tile's last axis, so that runs of registers are runs of addresses. */
static bool runs_are_contiguous(const cake_plan_place *place) {
    const cake_plan_index *last = &place->index[place->dimensions - 1];
    return place->shape.rank && last->kind == CAKE_INDEX_RANGE && last->axis == place->shape.rank - 1;
}

static uint32_t element_bytes(const cake_plan_place *place) {
    return cake_dtype_bits(place->tensor ? place->tensor->dtype : place->buffer->dtype) / 8;
}

/* Widest vector that the layout and the buffer's constant offsets allow. */
static uint32_t shared_width(const cake_plan_place *place, uint32_t run) {
    const cake_plan_value *base = place->index[place->dimensions - 1].base;
    uint32_t bits = cake_dtype_bits(place->buffer->dtype), width = 1;
    while (width * 2 <= run && width * 2 * bits <= 8 * CAKE_LIMIT_VECTOR_BYTES && base->is_constant &&
           base->integer % (width * 2) == 0 && place->buffer->row_bytes * 8 % (width * 2 * bits) == 0)
        width *= 2;
    return width;
}

/* Accumulator fragments, eight registers at a time: two 8x8 blocks below each other, two beside each other. */
static bool is_stmatrix(const cake_layout *layout) {
    static const uint32_t rows[8] = {0, 0, 8, 8, 0, 0, 8, 8}, columns[8] = {0, 1, 0, 1, 8, 9, 8, 9};
    static const uint32_t lane_rows[CAKE_LANE_BITS] = {0, 0, 1, 2, 4}, lane_columns[CAKE_LANE_BITS] = {2, 4, 0, 0, 0};
    uint8_t rank = layout->shape.rank;
    if (rank != 2 || layout->register_count % 8 != 0) return false;
    for (uint32_t r = 0; r < layout->register_count; r++) {
        const cake_coordinate *first = &layout->registers[r / 8 * 8], *at = &layout->registers[r];
        if (at->at[0] != first->at[0] + rows[r % 8] || at->at[1] != first->at[1] + columns[r % 8]) return false;
        if (first->at[1] % 16 != 0) return false;
    }
    for (uint32_t i = 0; i < CAKE_LANE_BITS; i++)
        if (layout->lane[i].at[0] != lane_rows[i] || layout->lane[i].at[1] != lane_columns[i]) return false;
    return cake_layout_repeated_warps(layout) == 0;
}

static bool stmatrix_fits(const cake_builder *builder, const cake_plan_access *access, const cake_layout *layout) {
    const cake_plan_place *place = &access->place;
    const cake_plan_value *base = place->index[place->dimensions - 1].base;
    return place->buffer && !place->peer && !access->mask && !access->clip && element_bytes(place) == 2 &&
           !place->transposed && runs_are_contiguous(place) && place->buffer->row_bytes % 16 == 0 &&
           base->is_constant && base->integer % 8 == 0 && is_stmatrix(layout) &&
           builder->role->warps_per_team == 1u << layout->warp_bits &&
           (cake_target_info_of(builder->plan->target)->features & CAKE_FEATURE_ASYNC_PROXY);
}

/* Operand fragments of mma: four words a lane from 16 rows of 32 bytes. */
static bool ldmatrix_fits(cake_builder *builder, const cake_plan_access *access, const cake_layout *layout) {
    const cake_plan_place *place = &access->place;
    if (!place->buffer || place->peer || access->mask || access->clip || place->transposed) return false;
    if (layout->shape.rank != 2) return false;
    uint32_t bytes = element_bytes(place);
    return bytes >= 1 && bytes <= 4 && layout->shape.extents[1] * bytes % 32 == 0 &&
           layout ==
               cake_layout_mma(&builder->plan->layouts, &layout->shape, 4 / bytes, cake_plan_warp_bits(builder)) &&
           !cake_plan_ldmatrix_obstacle(builder, place);
}

static void finish(cake_builder *builder, cake_plan_access *access, const cake_layout *layout, bool store) {
    access->width = 1;
    access->place.fills = store;
    if (!layout) return;
    uint32_t run = runs_are_contiguous(&access->place) ? cake_layout_run(layout) : 1;
    if (access->vec > run) {
        cake_report(builder->diagnostics, CAKE_L504, access->place.span,
                    "'vec %u' needs lanes that hold runs of %u consecutive elements; here they hold runs of %u",
                    access->vec, access->vec, run);
        return;
    }
    if (store && !access->vec && stmatrix_fits(builder, access, layout)) {
        access->form = CAKE_ACCESS_STMATRIX;
        access->width = 8;
    } else if (!store && !access->vec && ldmatrix_fits(builder, access, layout)) {
        access->form = CAKE_ACCESS_LDMATRIX;
        access->width = 4 * 4 / element_bytes(&access->place);
    } else if (access->vec) {
        access->width = access->vec;
    } else if (access->place.buffer && !access->mask && !access->clip) {
        access->width = shared_width(&access->place, run);
    }
}

static void finish_block(cake_builder *builder, const cake_plan_block *block) {
    for (cake_plan_op *op = block->first; op; op = op->next) {
        cake_plan_block *nested[CAKE_MAX_NESTED];
        uint32_t count = cake_plan_nested(op, nested);
        if (op->kind == CAKE_PLAN_LOAD) finish(builder, op->u.access, op->result->layout, false);
        if (op->kind == CAKE_PLAN_STORE) finish(builder, op->u.access, op->operands[0]->layout, true);
        for (uint32_t i = 0; i < count; i++)
            finish_block(builder, nested[i]);
    }
}

void cake_plan_finish_accesses(cake_builder *builder) {
    finish_block(builder, &builder->role->body);
}
