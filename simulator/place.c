/* Places: where in memory the elements of an access lie. */
#include <string.h>

#include "simulator/state.h"

/* ---- shared memory ---- */

static bool consumes(const cake_plan_pipeline *pipeline, const cake_plan_role *role) {
    for (uint32_t i = 0; i < pipeline->consumers.count; i++)
        if (pipeline->consumers.items[i] == role) return true;
    return false;
}

/* The slot acquired last, or the one waited for 'age' waits ago. */
uint32_t cake_sim_stage_offset(cake_sim_warp *warp, const cake_plan_op *op, const cake_plan_place *place) {
    const cake_plan_buffer *buffer = place->buffer;
    const cake_plan_pipeline *pipeline = buffer->pipeline;
    if (!pipeline) return buffer->offset;
    const cake_sim_slots *slots = &warp->slots[pipeline->number];
    uint64_t slot;
    if (place->fills || !consumes(pipeline, warp->team->role)) {
        if (slots->acquired == slots->committed)
            (void)cake_sim_fault(warp, op, CAKE_S105, "a slot of '%s' is filled that was not acquired", pipeline->name);
        slot = slots->acquired ? slots->acquired - 1 : 0;
    } else {
        if (slots->waited - slots->released <= place->age)
            (void)cake_sim_fault(warp, op, CAKE_S105, "a slot of '%s' is used that is not held", pipeline->name);
        slot = slots->waited > place->age ? slots->waited - 1 - place->age : 0;
    }
    return buffer->offset + (uint32_t)(slot % pipeline->stages) * buffer->stage_stride;
}

/* Row and column of a tile: panels of one swizzle span a row, chunks of 16 bytes permuted by the row. */
static uint32_t matrix_offset(const cake_plan_buffer *buffer, uint32_t row, uint32_t byte) {
    uint32_t line = row * buffer->row_bytes;
    if (!buffer->swizzle) return line + byte;
    uint32_t panel = byte / buffer->swizzle, within = byte % buffer->swizzle;
    within ^= (line >> 7 & (buffer->swizzle / 16 - 1)) << 4;
    return panel * buffer->panel_bytes + line + within;
}

uint32_t cake_sim_buffer_offset(const cake_plan_buffer *buffer, uint8_t rank, const int64_t *position) {
    uint64_t tile = 0;
    for (uint8_t d = 0; d + 2 < rank; d++)
        tile = tile * buffer->shape.extents[d] + (uint64_t)position[d];
    uint32_t row = rank > 1 ? (uint32_t)position[rank - 2] : 0;
    uint32_t byte = (uint32_t)position[rank - 1] * cake_dtype_bits(buffer->dtype) / 8;
    return (uint32_t)tile * buffer->tile_bytes + matrix_offset(buffer, row, byte);
}

cake_sim_cta *cake_sim_place_cta(cake_sim_warp *warp, const cake_plan_place *place) {
    cake_sim_cta *own = warp->team->cta;
    if (!place->peer) return own;
    int64_t rank = cake_sim_integer(warp, place->peer);
    CAKE_ASSERT(rank >= 0 && rank < cake_sim_machine_of(warp)->plan->launch.cluster);
    return &cake_sim_machine_of(warp)->ctas[own->index - own->rank + (uint32_t)rank];
}

void cake_sim_origin(cake_sim_warp *warp, const cake_plan_place *place, int64_t out[CAKE_MAX_RANK]) {
    for (uint8_t d = 0; d < place->dimensions; d++)
        out[d] = place->index[d].kind == CAKE_INDEX_GATHER ? 0 : cake_sim_integer(warp, place->index[d].base);
}

/* ---- elements of an access ---- */

typedef struct locator {
    cake_sim_warp *warp;
    const cake_plan_op *op;
    const cake_plan_access *access;
    const cake_plan_place *place;
    const cake_layout *layout; /* null: scalar */
    uint32_t thread[CAKE_MAX_RANK][CAKE_SIM_LANES];
    int64_t origin[CAKE_MAX_RANK], extents[CAKE_MAX_RANK], strides[CAKE_MAX_RANK];
    const uint32_t *gathered[CAKE_MAX_RANK]; /* register of the index tile, by register */
    uint32_t stage;
} locator;

/* By register of the access: the register of the index tile that goes with it. */
static const uint32_t *gather_table(locator *l, const cake_plan_index *index) {
    cake_sim_launch *launch = cake_sim_launch_of(l->warp);
    uint64_t key = (uint64_t)l->layout->number << 32 | (uint64_t)index->base->layout->number << 8 | index->axis;
    uint32_t *table = cake_sim_cache_find(launch, launch, key);
    if (table) return table;
    table = CAKE_NEW_ARRAY(launch->arena, uint32_t, l->layout->register_count);
    for (uint32_t r = 0; r < l->layout->register_count; r++) {
        cake_coordinate coordinate = {{0}};
        for (uint8_t k = 0; k < index->base->shape.rank; k++)
            if (index->base->shape.extents[k] > 1) coordinate.at[k] = l->layout->registers[r].at[index->axis + k];
        table[r] = cake_layout_find(index->base->layout, &coordinate);
        CAKE_ASSERT(table[r] != UINT32_MAX);
    }
    cake_sim_cache_put(launch, launch, key, table);
    return table;
}

static void open_dimension(locator *l, uint8_t d) {
    const cake_plan_index *index = &l->place->index[d];
    const cake_plan_tensor *tensor = l->place->tensor;
    if (tensor) {
        l->extents[d] = cake_sim_integer(l->warp, tensor->extents[d]); /* a view has its own */
        l->strides[d] = cake_sim_integer(l->warp, tensor->strides[d]);
    } else {
        l->extents[d] = l->place->buffer->shape.extents[d];
    }
    if (index->kind == CAKE_INDEX_GATHER) l->gathered[d] = gather_table(l, index);
}

static void open_locator(locator *l) {
    if (l->layout) cake_sim_thread_coordinates(l->layout, l->warp->team_number, l->thread);
    cake_sim_origin(l->warp, l->place, l->origin);
    for (uint8_t d = 0; d < l->place->dimensions; d++)
        open_dimension(l, d);
    if (l->place->buffer) l->stage = cake_sim_stage_offset(l->warp, l->op, l->place);
}

static int64_t read_index(const void *data, cake_dtype dtype, uint32_t at) {
    switch (cake_sim_element_bytes(dtype)) {
    case 8:
        return ((const int64_t *)data)[at];
    case 4:
        return dtype == CAKE_DTYPE_U32 ? (int64_t)((const uint32_t *)data)[at] : ((const int32_t *)data)[at];
    case 2:
        return dtype == CAKE_DTYPE_U16 ? ((const uint16_t *)data)[at] : ((const int16_t *)data)[at];
    default:
        return cake_dtype_class_of(dtype) == CAKE_CLASS_SIGNED ? ((const int8_t *)data)[at]
                                                               : ((const uint8_t *)data)[at];
    }
}

static int64_t position(const locator *l, uint8_t d, uint32_t r, uint32_t lane) {
    const cake_plan_index *index = &l->place->index[d];
    switch (index->kind) {
    case CAKE_INDEX_SCALAR:
        return l->origin[d];
    case CAKE_INDEX_RANGE:
        if (!l->layout) return l->origin[d];
        return l->origin[d] + l->thread[index->axis][lane] + l->layout->registers[r].at[index->axis];
    case CAKE_INDEX_GATHER:
        break;
    }
    return read_index(cake_sim_data(l->warp, index->base), index->base->dtype,
                      l->gathered[d][r] * CAKE_SIM_LANES + lane);
}

static void report_outside(locator *l, uint8_t d, int64_t at, uint32_t lane) {
    const char *name = l->place->tensor ? l->place->tensor->name : l->place->buffer->name;
    cake_diagnostic *diagnostic = cake_sim_fault(l->warp, l->op, CAKE_S101,
                                                 "index %lld of dimension %u of '%s', whose extent is %lld, by lane %u",
                                                 (long long)at, d, name, (long long)l->extents[d], lane);
    if (diagnostic)
        cake_diagnostic_note(cake_sim_launch_of(l->warp)->diagnostics, diagnostic,
                             l->place->tensor ? l->place->tensor->span : l->place->buffer->span, "declared here");
}

/* One element, with every check. */
static int64_t locate_one(locator *l, uint32_t r, uint32_t lane) {
    int64_t at[CAKE_MAX_RANK], offset = 0;
    for (uint8_t d = 0; d < l->place->dimensions; d++) {
        at[d] = position(l, d, r, lane);
        if (at[d] >= 0 && at[d] < l->extents[d]) continue;
        if (!l->access->clip) report_outside(l, d, at[d], lane);
        return -1;
    }
    if (l->place->buffer) {
        offset = (int64_t)l->stage + cake_sim_buffer_offset(l->place->buffer, l->place->dimensions, at);
        bool half = cake_dtype_bits(l->place->buffer->dtype) < 8;
        return half ? 2 * offset + at[l->place->dimensions - 1] % 2 : offset;
    }
    for (uint8_t d = 0; d < l->place->dimensions; d++)
        offset += at[d] * l->strides[d];
    return offset;
}

/* Whether the whole tile lies inside, so that offsets are a sum of what registers and lanes add. */
static bool is_plain(const locator *l) {
    if (l->access->mask || !l->place->tensor) return false;
    for (uint8_t d = 0; d < l->place->dimensions; d++) {
        const cake_plan_index *index = &l->place->index[d];
        if (index->kind == CAKE_INDEX_GATHER) return false;
        int64_t last = l->origin[d] + (index->kind == CAKE_INDEX_RANGE ? (int64_t)index->length : 1);
        if (l->origin[d] < 0 || last > l->extents[d]) return false;
    }
    return true;
}

static void locate_plain(const locator *l, cake_sim_elements *out) {
    int64_t lanes[CAKE_SIM_LANES] = {0}, base = 0;
    for (uint8_t d = 0; d < l->place->dimensions; d++) {
        base += l->origin[d] * l->strides[d];
        if (l->place->index[d].kind != CAKE_INDEX_RANGE || !l->layout) continue;
        for (uint32_t lane = 0; lane < CAKE_SIM_LANES; lane++)
            lanes[lane] += l->thread[l->place->index[d].axis][lane] * l->strides[d];
    }
    for (uint32_t r = 0; r < out->registers; r++) {
        int64_t offset = base;
        for (uint8_t d = 0; d < l->place->dimensions && l->layout; d++)
            if (l->place->index[d].kind == CAKE_INDEX_RANGE)
                offset += l->layout->registers[r].at[l->place->index[d].axis] * l->strides[d];
        for (uint32_t lane = 0; lane < CAKE_SIM_LANES; lane++)
            out->offsets[r * CAKE_SIM_LANES + lane] = offset + lanes[lane];
    }
}

static void locate_each(locator *l, cake_sim_elements *out) {
    const bool *mask = l->access->mask ? cake_sim_data(l->warp, l->access->mask) : NULL;
    const uint32_t *mask_register = mask && l->layout ? cake_sim_broadcast(l->warp, l->access->mask, l->layout) : NULL;
    bool scalar_mask = mask && !l->access->mask->shape.rank;
    for (uint32_t r = 0; r < out->registers; r++)
        for (uint32_t lane = 0; lane < CAKE_SIM_LANES; lane++) {
            uint32_t at = (mask_register ? mask_register[r] : r) * CAKE_SIM_LANES + lane;
            bool on = !mask || mask[scalar_mask ? 0 : at];
            int64_t offset = on && (l->layout || lane == 0) ? locate_one(l, r, lane) : -1;
            out->clipped |= offset < 0;
            out->offsets[r * CAKE_SIM_LANES + lane] = offset;
        }
}

/* A view may show more than the memory holds. */
static void check_memory(locator *l, cake_sim_elements *out) {
    const cake_sim_launch *launch = cake_sim_launch_of(l->warp);
    const cake_plan_tensor *tensor = l->place->tensor;
    int64_t cells = launch->cells[tensor->number], least = 0, most = -1;
    for (uint32_t i = 0; i < out->registers * CAKE_SIM_LANES; i++) {
        int64_t at = out->offsets[i];
        least = at < least ? at : least;
        most = at > most ? at : most;
    }
    if (least >= -1 && most < cells) return;
    (void)cake_sim_fault(l->warp, l->op, CAKE_S101, "element %lld of the memory behind '%s', which has %lld elements",
                         (long long)(most < cells ? least : most), tensor->name, (long long)cells);
    out->clipped = true;
    for (uint32_t i = 0; i < out->registers * CAKE_SIM_LANES; i++)
        if (out->offsets[i] < 0 || out->offsets[i] >= cells) out->offsets[i] = -1;
}

cake_sim_elements cake_sim_locate(cake_sim_warp *warp, const cake_plan_op *op, const cake_plan_access *access,
                                  const cake_layout *layout) {
    locator l = {.warp = warp, .op = op, .access = access, .place = &access->place, .layout = layout};
    cake_sim_launch *launch = cake_sim_launch_of(warp);
    const cake_plan_tensor *tensor = access->place.tensor;
    cake_sim_elements out = {.registers = layout ? layout->register_count : 1};
    open_locator(&l);
    out.offsets = cake_sim_scratch(warp, (size_t)out.registers * CAKE_SIM_LANES * sizeof *out.offsets);
    if (tensor) {
        out.memory = launch->memory[tensor->number];
        out.shadow = launch->shadows[tensor->number];
    } else {
        cake_sim_cta *cta = cake_sim_place_cta(warp, &access->place);
        cake_sim_visit_cta(warp, op, cta, warp->clock);
        out.memory = cta->shared;
        out.shadow = &cta->shadow;
    }
    if (is_plain(&l))
        locate_plain(&l, &out);
    else
        locate_each(&l, &out);
    if (tensor) check_memory(&l, &out);
    return out;
}

bool cake_sim_owns(const cake_sim_warp *warp, const cake_layout *layout, uint32_t lane) {
    if (!layout) return warp->team_number == 0 && lane == 0;
    if (warp->team_number >> layout->warp_bits) return false; /* of a team of no power of two: all repeat */
    return !(lane & cake_layout_repeated_lanes(layout)) && !(warp->team_number & cake_layout_repeated_warps(layout));
}
