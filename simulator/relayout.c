/* relayout: every warp hands in what it holds, and takes its elements from whoever owns them. */
#include <string.h>

#include "simulator/machine.h"

/* Row-major indices are sums of what register, lane and warp add, as coordinates are. */
typedef struct relayout_table {
    uint32_t *owners;    /* by index: register * 32 + lane of the owner, and its warp above OWNER_BITS */
    uint32_t *registers; /* by register of the result: what it adds to the index */
} relayout_table;

#define OWNER_BITS 16 /* registers * lanes */

static uint32_t index_of(const cake_shape *shape, const uint32_t *at) {
    uint32_t index = 0;
    for (uint8_t d = 0; d < shape->rank; d++)
        index = index * shape->extents[d] + at[d];
    return index;
}

static void thread_indices(const cake_layout *layout, uint32_t warp, uint32_t out_indices[CAKE_SIM_LANES]) {
    uint32_t coordinates[CAKE_MAX_RANK][CAKE_SIM_LANES];
    cake_sim_thread_coordinates(layout, warp, coordinates);
    for (uint32_t lane = 0; lane < CAKE_SIM_LANES; lane++) {
        uint32_t at[CAKE_MAX_RANK];
        for (uint8_t d = 0; d < layout->shape.rank; d++)
            at[d] = coordinates[d][lane];
        out_indices[lane] = index_of(&layout->shape, at);
    }
}

static uint32_t *register_indices(cake_arena *arena, const cake_layout *layout) {
    uint32_t *indices = CAKE_NEW_ARRAY(arena, uint32_t, layout->register_count);
    for (uint32_t r = 0; r < layout->register_count; r++)
        indices[r] = index_of(&layout->shape, layout->registers[r].at);
    return indices;
}

/* Of threads that hold the same elements the first owns them. */
static uint32_t *owners_of(cake_arena *arena, const cake_layout *layout) {
    uint32_t *owners = CAKE_NEW_ARRAY(arena, uint32_t, cake_shape_elements(&layout->shape));
    uint32_t *registers = register_indices(arena, layout);
    for (uint32_t warp = 1u << layout->warp_bits; warp-- > 0;) {
        uint32_t threads[CAKE_SIM_LANES];
        thread_indices(layout, warp, threads);
        for (uint32_t r = 0; r < layout->register_count; r++)
            for (uint32_t lane = CAKE_SIM_LANES; lane-- > 0;)
                owners[registers[r] + threads[lane]] = warp << OWNER_BITS | (r * CAKE_SIM_LANES + lane);
    }
    return owners;
}

static const relayout_table *table_of(cake_sim_warp *warp, const cake_plan_op *op) {
    relayout_table *table = cake_sim_table(warp, op);
    if (table) return table;
    cake_arena *arena = cake_sim_arena(warp);
    table = CAKE_NEW(arena, relayout_table);
    table->owners = owners_of(arena, op->operands[0]->layout);
    table->registers = register_indices(arena, op->result->layout);
    cake_sim_table_put(warp, op, table);
    return table;
}

/* With the size as a constant each copy is one move. */
#define TAKE(bytes)                                                                                                    \
    for (uint32_t r = 0; r < count; r++)                                                                               \
        for (uint32_t lane = 0; lane < CAKE_SIM_LANES; lane++) {                                                       \
            uint32_t owner = table->owners[table->registers[r] + threads[lane]];                                       \
            const unsigned char *from = sources[owner >> OWNER_BITS];                                                  \
            memcpy(to + (size_t)(r * CAKE_SIM_LANES + lane) * (bytes),                                                 \
                   from + (size_t)(owner & ((1u << OWNER_BITS) - 1)) * (bytes), (bytes));                              \
        }

static void take(cake_sim_warp *warp, const cake_plan_op *op, const unsigned char *const *sources) {
    const relayout_table *table = table_of(warp, op);
    unsigned char *to = cake_sim_data(warp, op->result);
    uint32_t bytes = cake_sim_element_bytes(op->result->dtype), count = op->result->layout->register_count;
    uint32_t threads[CAKE_SIM_LANES];
    thread_indices(op->result->layout, cake_sim_team_warp(warp), threads);
    if (bytes == 8) {
        TAKE(8)
    } else if (bytes == 4) {
        TAKE(4)
    } else if (bytes == 2) {
        TAKE(2)
    } else {
        TAKE(1)
    }
}

cake_sim_step cake_sim_relayout(cake_sim_warp *warp, const cake_plan_op *op) {
    const unsigned char *own = cake_sim_data(warp, op->operands[0]), *sources[1u << CAKE_WARP_BITS] = {own};
    uint32_t warps = 1u << op->operands[0]->layout->warp_bits;
    size_t bytes = (size_t)cake_sim_count(op->operands[0]) * cake_sim_element_bytes(op->result->dtype);
    if (op->u.bytes == 0) {
        memcpy(cake_sim_data(warp, op->result), own, bytes);
        return CAKE_SIM_NEXT;
    }
    if (warps > 1) {
        if (!cake_sim_meet(warp, op, own, bytes)) return CAKE_SIM_BLOCKED;
        for (uint32_t i = 0; i < warps; i++)
            sources[i] = cake_sim_met(warp, i);
    }
    take(warp, op, sources);
    return CAKE_SIM_NEXT;
}
