/* Plain loads and stores. */
#include <string.h>

#include "simulator/state.h"

static cake_dtype dtype_of(const cake_plan_place *place) {
    return place->tensor ? place->tensor->dtype : place->buffer->dtype;
}

/* Offsets of tensors count elements, those of shared memory bytes. */
static int64_t byte_of(const cake_plan_place *place, cake_dtype dtype, int64_t offset) {
    return place->tensor ? offset * cake_dtype_bits(dtype) / 8 : offset;
}

/* Registers and memory hold elements of a byte or more alike; bool is 0 or 1 in both. */
static void move_in(unsigned char *registers, const unsigned char *memory, const int64_t *bytes_at, uint32_t count,
                    uint32_t element_bytes) {
    switch (element_bytes) {
    case 1:
        for (uint32_t i = 0; i < count; i++)
            if (bytes_at[i] >= 0) registers[i] = memory[bytes_at[i]];
        return;
    case 2:
        for (uint32_t i = 0; i < count; i++)
            if (bytes_at[i] >= 0) memcpy(registers + 2 * i, memory + bytes_at[i], 2);
        return;
    case 4:
        for (uint32_t i = 0; i < count; i++)
            if (bytes_at[i] >= 0) memcpy(registers + 4 * i, memory + bytes_at[i], 4);
        return;
    default:
        for (uint32_t i = 0; i < count; i++)
            if (bytes_at[i] >= 0) memcpy(registers + 8 * i, memory + bytes_at[i], 8);
        return;
    }
}

static void fill_clipped(cake_sim_warp *warp, const cake_plan_op *op, unsigned char *registers, const int64_t *offsets,
                         uint32_t count, uint32_t element_bytes) {
    unsigned char zero[8] = {0};
    const void *value = op->u.access->clip_value ? cake_sim_data(warp, op->u.access->clip_value) : zero;
    for (uint32_t i = 0; i < count; i++)
        if (offsets[i] < 0) memcpy(registers + (size_t)i * element_bytes, value, element_bytes);
}

/* ---- 4-bit elements: the lower half of a byte first ---- */

static void move_halves_in(cake_dtype dtype, unsigned char *registers, const unsigned char *memory,
                           const int64_t *halves_at, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (halves_at[i] < 0) continue;
        uint32_t bits = memory[halves_at[i] / 2] >> 4 * (halves_at[i] % 2) & 15;
        registers[i] = (unsigned char)(dtype == CAKE_DTYPE_I4 && bits > 7 ? bits | 0xf0 : bits);
    }
}

static void store_half(unsigned char *memory, int64_t at, unsigned char element) {
    uint32_t shift = 4 * (uint32_t)(at % 2);
    memory[at / 2] = (unsigned char)((memory[at / 2] & ~(15u << shift)) | (element & 15u) << shift);
}

/* Records which cells the lanes touch. Where threads share elements, the owner stands for all of them. */
static void touch_elements(cake_sim_warp *warp, const cake_plan_op *op, const cake_plan_place *place,
                           const cake_sim_elements *elements, const cake_layout *layout, uint32_t flags) {
    if (!elements->shadow) return;
    cake_sim_touch touch = cake_sim_touch_begin(warp, op, elements->shadow, place, flags);
    uint32_t bits = cake_dtype_bits(dtype_of(place)), cells = place->tensor || bits < 8 ? 1 : bits / 8;
    int64_t per_cell = place->buffer && bits < 8 ? 2 : 1;
    uint32_t repeated = layout ? cake_layout_repeated_lanes(layout) : CAKE_SIM_LANES - 1;
    bool reads = !(flags & CAKE_SIM_WRITES);
    for (uint32_t r = 0; r < elements->registers; r++)
        for (uint32_t lane = 0; lane < CAKE_SIM_LANES; lane++) {
            int64_t offset = elements->offsets[r * CAKE_SIM_LANES + lane];
            if (offset < 0 || lane & repeated) continue;
            cake_sim_touch_cells(&touch, (uint64_t)(offset / per_cell), cells,
                                 reads && repeated ? CAKE_SIM_ALL_LANES : lane);
        }
}

cake_sim_step cake_sim_load(cake_sim_warp *warp, const cake_plan_op *op) {
    const cake_plan_place *place = &op->u.access->place;
    const cake_layout *layout = op->result->layout;
    cake_dtype dtype = dtype_of(place);
    cake_sim_elements elements = cake_sim_locate(warp, op, op->u.access, layout);
    uint32_t count = layout ? elements.registers * CAKE_SIM_LANES : 1, bytes = cake_sim_element_bytes(dtype);
    touch_elements(warp, op, place, &elements, layout, 0);
    unsigned char *registers = cake_sim_data(warp, op->result);
    if (elements.clipped) fill_clipped(warp, op, registers, elements.offsets, count, bytes);
    if (cake_dtype_bits(dtype) < 8) {
        move_halves_in(dtype, registers, elements.memory, elements.offsets, count);
        return CAKE_SIM_NEXT;
    }
    for (uint32_t i = 0; i < count; i++)
        if (elements.offsets[i] >= 0) elements.offsets[i] = byte_of(place, dtype, elements.offsets[i]);
    move_in(registers, elements.memory, elements.offsets, count, bytes);
    return CAKE_SIM_NEXT;
}

static void store_one(cake_sim_warp *warp, const cake_plan_place *place, const cake_sim_elements *elements,
                      cake_dtype dtype, int64_t offset, const void *element) {
    uint32_t bytes = cake_sim_element_bytes(dtype);
    bool half = cake_dtype_bits(dtype) < 8;
    if (half)
        store_half(elements->memory, offset, *(const unsigned char *)element);
    else
        memcpy(elements->memory + byte_of(place, dtype, offset), element, bytes);
    if (!place->buffer) return;
    uint32_t at = (uint32_t)(half ? offset / 2 : offset);
    if (place->peer) /* its fences are another CTA's */
        memcpy(cake_sim_place_cta(warp, place)->async_view + at, elements->memory + at, bytes);
    else
        cake_sim_note_unfenced(warp, at, bytes);
}

cake_sim_step cake_sim_store(cake_sim_warp *warp, const cake_plan_op *op) {
    const cake_plan_place *place = &op->u.access->place;
    const cake_plan_value *value = op->operands[0];
    cake_dtype dtype = dtype_of(place);
    cake_sim_elements elements = cake_sim_locate(warp, op, op->u.access, value->layout);
    const unsigned char *registers = cake_sim_data(warp, value);
    uint32_t bytes = cake_sim_element_bytes(dtype);
    for (uint32_t lane = 0; lane < CAKE_SIM_LANES; lane++) {
        if (cake_sim_owns(warp, value->layout, lane)) continue;
        for (uint32_t r = 0; r < elements.registers; r++)
            elements.offsets[r * CAKE_SIM_LANES + lane] = -1;
    }
    touch_elements(warp, op, place, &elements, value->layout, CAKE_SIM_WRITES);
    for (uint32_t i = 0; i < elements.registers * CAKE_SIM_LANES; i++)
        if (elements.offsets[i] >= 0)
            store_one(warp, place, &elements, dtype, elements.offsets[i],
                      registers + (size_t)(value->shape.rank ? i : 0) * bytes);
    if (place->tensor) cake_sim_machine_of(warp)->changes++; /* somebody may await it */
    return CAKE_SIM_NEXT;
}

/* ---- the asynchronous view of shared memory ---- */

void cake_sim_note_unfenced(cake_sim_warp *warp, uint32_t offset, uint32_t bytes) {
    cake_sim_ranges *list = &warp->unfenced;
    if (list->count) {
        cake_sim_range *last = &list->items[list->count - 1];
        if (last->offset + last->bytes == offset) {
            last->bytes += bytes;
            return;
        }
    }
    *CAKE_PUSH(cake_sim_machine_of(warp)->arena, list) = (cake_sim_range){offset, bytes};
}

void cake_sim_fence(cake_sim_warp *warp) {
    cake_sim_cta *cta = warp->team->cta;
    for (uint32_t i = 0; i < warp->unfenced.count; i++) {
        const cake_sim_range *range = &warp->unfenced.items[i];
        memcpy(cta->async_view + range->offset, cta->shared + range->offset, range->bytes);
    }
    warp->unfenced.count = 0;
}
