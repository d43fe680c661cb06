/* Register files: a place for each value in each warp, made when it is first asked for. */
#include <string.h>

#include "simulator/state.h"

uint32_t cake_sim_element_bytes(cake_dtype dtype) {
    switch (dtype) {
    case CAKE_DTYPE_F64:
    case CAKE_DTYPE_I64:
    case CAKE_DTYPE_U64:
    case CAKE_DTYPE_INDEX:
        return 8;
    case CAKE_DTYPE_F32:
    case CAKE_DTYPE_TF32:
    case CAKE_DTYPE_REAL:
    case CAKE_DTYPE_I32:
    case CAKE_DTYPE_U32:
        return 4;
    case CAKE_DTYPE_F16:
    case CAKE_DTYPE_BF16:
    case CAKE_DTYPE_I16:
    case CAKE_DTYPE_U16:
        return 2;
    case CAKE_DTYPE_BOOL:
    case CAKE_DTYPE_I8:
    case CAKE_DTYPE_U8:
    case CAKE_DTYPE_E4M3:
    case CAKE_DTYPE_E5M2:
    case CAKE_DTYPE_I4:
    case CAKE_DTYPE_U4:
        return 1;
    case CAKE_DTYPE_NONE:
    case CAKE_DTYPE_COUNT:
        break;
    }
    CAKE_ASSERT(!"a dtype without registers");
}

uint32_t cake_sim_count(const cake_plan_value *value) {
    return value->shape.rank ? value->layout->register_count * CAKE_SIM_LANES : 1;
}

/* ---- constants ---- */

static void *make_constant(cake_sim_launch *launch, const cake_plan_value *value) {
    void *place = cake_arena_alloc(launch->arena, 8);
    cake_dtype_class class_ = cake_dtype_class_of(value->dtype);
    if (value->dtype == CAKE_DTYPE_F64)
        memcpy(place, &value->real, sizeof value->real);
    else if (class_ == CAKE_CLASS_FLOAT || class_ == CAKE_CLASS_REAL)
        cake_sim_from_float(value->dtype, (float)value->real, place);
    else
        memcpy(place, &value->integer, cake_sim_element_bytes(value->dtype)); /* two's complement, lowest byte first */
    return place;
}

static void *constant(cake_sim_launch *launch, const cake_plan_value *value) {
    void **place = &launch->constants[value->number];
    if (!*place) *place = make_constant(launch, value);
    return *place;
}

/* ---- leaves ---- */

static bool leaf(cake_sim_warp *warp, const cake_plan_value *value, int64_t *out_integer) {
    const cake_sim_cta *cta = warp->team ? warp->team->cta : NULL;
    switch (value->definition->kind) {
    case CAKE_PLAN_CTA_ID:
        *out_integer = cta->number;
        return true;
    case CAKE_PLAN_GRID_SIZE:
        *out_integer = cta->machine->launch->grid;
        return true;
    case CAKE_PLAN_TEAM_INDEX:
        *out_integer = warp->team->index;
        return true;
    case CAKE_PLAN_CLUSTER_RANK:
        *out_integer = cta->rank;
        return true;
    case CAKE_PLAN_CLAIMED:
        *out_integer = cta->claimed;
        return true;
    default:
        return false;
    }
}

static void *make_place(cake_sim_warp *warp, const cake_plan_value *value) {
    size_t bytes = (size_t)cake_sim_count(value) * cake_sim_element_bytes(value->dtype);
    void *place = cake_arena_alloc(cake_sim_machine_of(warp)->arena, bytes < 8 ? 8 : bytes);
    int64_t integer;
    if (value->definition && leaf(warp, value, &integer))
        memcpy(place, &integer, cake_sim_element_bytes(value->dtype));
    else
        memset(place, 0xff, bytes); /* poison: NaN in every float */
    return place;
}

void *cake_sim_data(cake_sim_warp *warp, const cake_plan_value *value) {
    void *place = warp->places[value->number];
    if (place) return place;
    cake_sim_launch *launch = cake_sim_launch_of(warp);
    if (value->is_constant)
        place = constant(launch, value);
    else if (launch->places[value->number])
        place = launch->places[value->number];
    else
        place = make_place(warp, value);
    warp->places[value->number] = place;
    return place;
}

int64_t cake_sim_integer(cake_sim_warp *warp, const cake_plan_value *value) {
    if (value->is_constant) return value->integer;
    const void *data = cake_sim_data(warp, value);
    uint32_t bytes = cake_sim_element_bytes(value->dtype);
    cake_dtype_class class_ = cake_dtype_class_of(value->dtype);
    bool is_signed = class_ == CAKE_CLASS_SIGNED || class_ == CAKE_CLASS_INDEX;
    uint64_t bits = 0;
    memcpy(&bits, data, bytes);
    if (is_signed && bytes < 8 && bits >> (8 * bytes - 1) & 1) bits |= ~(uint64_t)0 << (8 * bytes);
    return (int64_t)bits;
}

/* ---- layouts ---- */

void cake_sim_thread_coordinates(const cake_layout *layout, uint32_t team_warp,
                                 uint32_t out[CAKE_MAX_RANK][CAKE_SIM_LANES]) {
    for (uint8_t d = 0; d < layout->shape.rank; d++) {
        uint32_t base = 0;
        for (uint32_t j = 0; j < layout->warp_bits; j++)
            if (team_warp >> j & 1) base += layout->warp[j].at[d];
        for (uint32_t lane = 0; lane < CAKE_SIM_LANES; lane++) {
            uint32_t sum = base;
            for (uint32_t i = 0; i < CAKE_LANE_BITS; i++)
                if (lane >> i & 1) sum += layout->lane[i].at[d];
            out[d][lane] = sum;
        }
    }
}

const uint32_t *cake_sim_broadcast(cake_sim_warp *warp, const cake_plan_value *operand, const cake_layout *layout) {
    if (operand->shape.rank == 0 || operand->layout == layout) return NULL;
    cake_sim_launch *launch = cake_sim_launch_of(warp);
    uint32_t *table = cake_sim_cache_find(launch, operand->layout, layout->number);
    if (table) return table;
    table = CAKE_NEW_ARRAY(launch->arena, uint32_t, layout->register_count);
    for (uint32_t r = 0; r < layout->register_count; r++) {
        cake_coordinate coordinate = layout->registers[r];
        for (uint8_t d = 0; d < operand->shape.rank; d++)
            if (operand->shape.extents[d] == 1) coordinate.at[d] = 0;
        table[r] = cake_layout_find(operand->layout, &coordinate);
        CAKE_ASSERT(table[r] != UINT32_MAX);
    }
    cake_sim_cache_put(launch, operand->layout, layout->number, table);
    return table;
}

/* ---- tables ---- */

cake_arena *cake_sim_arena(cake_sim_warp *warp) {
    return cake_sim_launch_of(warp)->arena;
}

static cake_sim_cached *slot_of(const cake_sim_launch *launch, const void *key, uint64_t second) {
    uint64_t hash = ((uint64_t)(uintptr_t)key ^ second * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
    uint32_t at = (uint32_t)(hash >> 32) & (launch->cache_capacity - 1);
    while (launch->cache[at].key && (launch->cache[at].key != key || launch->cache[at].second != second))
        at = (at + 1) & (launch->cache_capacity - 1);
    return &launch->cache[at];
}

void *cake_sim_cache_find(cake_sim_launch *launch, const void *key, uint64_t second) {
    return launch->cache_capacity ? slot_of(launch, key, second)->table : NULL;
}

void cake_sim_cache_put(cake_sim_launch *launch, const void *key, uint64_t second, void *table) {
    if (2 * launch->cache_count >= launch->cache_capacity) {
        cake_sim_cached *old = launch->cache;
        uint32_t count = launch->cache_capacity;
        launch->cache_capacity = count ? 2 * count : 256;
        launch->cache = CAKE_NEW_ARRAY(launch->arena, cake_sim_cached, launch->cache_capacity);
        for (uint32_t i = 0; i < count; i++)
            if (old[i].key) *slot_of(launch, old[i].key, old[i].second) = old[i];
    }
    *slot_of(launch, key, second) = (cake_sim_cached){key, second, table};
    launch->cache_count++;
}

#define TABLE_OF_OP UINT64_MAX

void *cake_sim_table(cake_sim_warp *warp, const cake_plan_op *op) {
    return cake_sim_cache_find(cake_sim_launch_of(warp), op, TABLE_OF_OP);
}

void cake_sim_table_put(cake_sim_warp *warp, const cake_plan_op *op, void *table) {
    cake_sim_cache_put(cake_sim_launch_of(warp), op, TABLE_OF_OP, table);
}

/* ---- variables and scratch ---- */

cake_sim_variable *cake_sim_variable_of(cake_sim_warp *warp, const cake_plan_variable *variable) {
    cake_sim_variable **place = &warp->variables[variable->number];
    if (*place) return *place;
    cake_arena *arena = cake_sim_machine_of(warp)->arena;
    uint32_t registers = variable->shape.rank ? variable->layout->register_count : 1;
    size_t bytes =
        (size_t)registers * (variable->shape.rank ? CAKE_SIM_LANES : 1) * cake_sim_element_bytes(variable->dtype);
    *place = CAKE_NEW(arena, cake_sim_variable);
    (*place)->data = cake_arena_alloc(arena, bytes);
    memset((*place)->data, 0xff, bytes);
    (*place)->written = CAKE_NEW_ARRAY(arena, bool, registers);
    return *place;
}

void *cake_sim_scratch(cake_sim_warp *warp, size_t bytes) {
    if (bytes > warp->scratch_bytes) {
        warp->scratch = cake_arena_alloc(cake_sim_machine_of(warp)->arena, 2 * bytes);
        warp->scratch_bytes = 2 * bytes;
    }
    return warp->scratch;
}

uint32_t cake_sim_team_warp(const cake_sim_warp *warp) {
    return warp->team_number;
}

uint32_t cake_sim_team_warps(const cake_sim_warp *warp) {
    return warp->team->warp_count;
}

uint32_t cake_sim_stage(const cake_sim_warp *warp) {
    return warp->stage;
}

cake_sim_machine *cake_sim_machine_of(cake_sim_warp *warp) {
    return warp->team->cta->machine;
}

cake_sim_launch *cake_sim_launch_of(cake_sim_warp *warp) {
    return cake_sim_machine_of(warp)->launch;
}
