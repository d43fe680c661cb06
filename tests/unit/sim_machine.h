/* One warp with registers, for tests of the simulator's pure operations. */
#ifndef CAKE_TESTS_SIM_MACHINE_H
#define CAKE_TESTS_SIM_MACHINE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "simulator/number.h"

struct cake_sim_warp {
    uint32_t number;
    void *places[16];            /* by value number */
    cake_sim_variable variables; /* one */
    const cake_plan_op *table_op;
    void *table;
    uint32_t faults;
    cake_diagnostic_code code; /* of the last fault */
};

static jmp_buf out_of_memory;
static cake_arena arena;
static cake_layouts layouts;
static cake_sim_warp warp;

uint32_t cake_sim_element_bytes(cake_dtype dtype) {
    uint32_t bits = dtype == CAKE_DTYPE_REAL ? 32 : cake_dtype_bits(dtype);
    return bits < 8 ? 1 : bits / 8;
}

uint32_t cake_sim_count(const cake_plan_value *value) {
    return value->shape.rank ? value->layout->register_count * CAKE_SIM_LANES : 1;
}

void *cake_sim_data(cake_sim_warp *of, const cake_plan_value *value) {
    return of->places[value->number];
}

const uint32_t *cake_sim_broadcast(cake_sim_warp *of, const cake_plan_value *operand, const cake_layout *layout) {
    (void)of;
    if (operand->shape.rank == 0 || operand->layout == layout) return NULL;
    uint32_t *table = CAKE_NEW_ARRAY(&arena, uint32_t, layout->register_count);
    for (uint32_t r = 0; r < layout->register_count; r++) {
        cake_coordinate at = layout->registers[r];
        for (uint8_t d = 0; d < operand->shape.rank; d++)
            at.at[d] = operand->shape.extents[d] == 1 ? 0 : at.at[d];
        table[r] = cake_layout_find(operand->layout, &at);
        assert_int_not_equal(table[r], UINT32_MAX);
    }
    return table;
}

void cake_sim_thread_coordinates(const cake_layout *layout, uint32_t team_warp,
                                 uint32_t out[CAKE_MAX_RANK][CAKE_SIM_LANES]) {
    for (uint8_t d = 0; d < layout->shape.rank; d++)
        for (uint32_t lane = 0; lane < CAKE_SIM_LANES; lane++) {
            out[d][lane] = 0;
            for (uint32_t i = 0; i < CAKE_LANE_BITS; i++)
                out[d][lane] += (lane >> i & 1) * layout->lane[i].at[d];
            for (uint32_t i = 0; i < layout->warp_bits; i++)
                out[d][lane] += (team_warp >> i & 1) * layout->warp[i].at[d];
        }
}

cake_arena *cake_sim_arena(cake_sim_warp *of) {
    (void)of;
    return &arena;
}

void *cake_sim_scratch(cake_sim_warp *of, size_t bytes) {
    (void)of;
    return cake_arena_alloc(&arena, bytes);
}

uint32_t cake_sim_team_warp(const cake_sim_warp *of) {
    return of->number;
}

void *cake_sim_table(cake_sim_warp *of, const cake_plan_op *op) {
    return of->table_op == op ? of->table : NULL;
}

void cake_sim_table_put(cake_sim_warp *of, const cake_plan_op *op, void *table) {
    of->table_op = op;
    of->table = table;
}

cake_sim_variable *cake_sim_variable_of(cake_sim_warp *of, const cake_plan_variable *variable) {
    (void)variable;
    return &of->variables;
}

cake_diagnostic *cake_sim_fault(cake_sim_warp *of, const cake_plan_op *op, cake_diagnostic_code code,
                                const char *format, ...) {
    (void)op;
    (void)format;
    of->faults++;
    of->code = code;
    return NULL;
}

static void begin_case(void) {
    cake_arena_init(&arena, CAKE_ARENA_DEFAULT_LIMIT, &out_of_memory);
    layouts = (cake_layouts){.arena = &arena};
    warp = (cake_sim_warp){.number = 1};
}

#endif
