/* A small machine for tests of the simulator's collective operations: registers, one team whose warps are called in any
 * order, and elementwise operations on one element after the other. */
#ifndef CAKE_TESTS_SIM_TEAM_H
#define CAKE_TESTS_SIM_TEAM_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "plan/lines.h"
#include "simulator/machine.h"

#define LANES     32u
#define MAX_WARPS 16u
#define MAX_TILE  4096u

static jmp_buf out_of_memory;
static cake_arena arena;
static cake_layouts layouts;
static uint64_t random_state = 1;

static uint32_t pick(uint32_t below) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % below;
}

/* ---- elements ---- */

typedef union scalar {
    double real;
    int64_t integer;
} scalar;

static bool is_float(cake_dtype dtype) {
    return cake_dtype_class_of(dtype) == CAKE_CLASS_FLOAT;
}

/* Significant bits, and the exponent of the smallest normal number. */
static double round_to(double value, int bits, int least) {
    int exponent;
    if (value == 0 || isnan(value) || isinf(value)) return value;
    (void)frexp(value, &exponent);
    if (exponent < least) exponent = least;
    return ldexp(nearbyint(ldexp(value, bits - exponent)), exponent - bits);
}

static double rounded(cake_dtype dtype, double value) {
    if (dtype == CAKE_DTYPE_F16) return fabs(value) >= 65520 ? copysign(INFINITY, value) : round_to(value, 11, -13);
    if (dtype == CAKE_DTYPE_BF16) return round_to(value, 8, -125);
    return dtype == CAKE_DTYPE_F32 ? (double)(float)value : value;
}

/* bf16 is the upper half of a binary32; normal binary16 numbers are one with another bias. */
static uint16_t half_bits(cake_dtype dtype, double value) {
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, 4);
    if (dtype == CAKE_DTYPE_BF16) return (uint16_t)(bits >> 16);
    if (isnan(value)) return 0x7e00;
    if (isinf(value)) return value > 0 ? 0x7c00 : 0xfc00;
    if (value == 0) return (uint16_t)(bits >> 16);
    return (uint16_t)((bits >> 16 & 0x8000) | (((bits >> 13) & 0x3ffff) - (112u << 10)));
}

static double half_value(cake_dtype dtype, uint16_t half) {
    uint32_t bits = (uint32_t)half << 16;
    float single;
    if (dtype == CAKE_DTYPE_F16) {
        if ((half & 0x7fff) > 0x7c00) return NAN;
        if ((half & 0x7fff) == 0x7c00) return half >> 15 ? -INFINITY : INFINITY;
        bits = (half & 0x8000u) << 16 | ((half & 0x7fffu) ? ((half & 0x7fffu) + (112u << 10)) << 13 : 0);
    }
    memcpy(&single, &bits, 4);
    return single;
}

static scalar load(cake_dtype dtype, const void *element) {
    uint32_t bytes = cake_sim_element_bytes(dtype);
    cake_dtype_class class_ = cake_dtype_class_of(dtype);
    scalar value = {.integer = 0};
    float single;
    uint16_t half;
    memcpy(&value, element, bytes);
    if (dtype == CAKE_DTYPE_F32) {
        memcpy(&single, element, 4);
        value.real = (double)single;
    } else if (is_float(dtype) && bytes == 2) {
        memcpy(&half, element, 2);
        value.real = half_value(dtype, half);
    } else if (class_ == CAKE_CLASS_SIGNED && bytes < 8) {
        int64_t sign = (int64_t)1 << (8 * bytes - 1);
        value.integer = (value.integer ^ sign) - sign;
    }
    return value;
}

static void store(cake_dtype dtype, scalar value, void *element) {
    float single;
    uint16_t half;
    if (dtype == CAKE_DTYPE_F32) {
        single = (float)value.real;
        memcpy(element, &single, 4);
    } else if (is_float(dtype) && cake_sim_element_bytes(dtype) == 2) {
        half = half_bits(dtype, value.real);
        memcpy(element, &half, 2);
    } else {
        memcpy(element, &value, cake_sim_element_bytes(dtype));
    }
}

static scalar wrapped(cake_dtype dtype, int64_t integer) {
    scalar value = {.integer = integer};
    return load(dtype, &value);
}

static scalar add(cake_dtype dtype, scalar a, scalar b) {
    if (is_float(dtype)) return (scalar){.real = rounded(dtype, a.real + b.real)};
    return wrapped(dtype, (int64_t)((uint64_t)a.integer + (uint64_t)b.integer));
}

static scalar multiply(cake_dtype dtype, scalar a, scalar b) {
    if (is_float(dtype)) return (scalar){.real = rounded(dtype, a.real * b.real)};
    return wrapped(dtype, (int64_t)((uint64_t)a.integer * (uint64_t)b.integer));
}

static bool less(cake_dtype dtype, scalar a, scalar b) {
    if (is_float(dtype)) return a.real < b.real;
    if (cake_dtype_class_of(dtype) == CAKE_CLASS_UNSIGNED) return (uint64_t)a.integer < (uint64_t)b.integer;
    return a.integer < b.integer;
}

static bool equal(cake_dtype dtype, scalar a, scalar b) {
    return is_float(dtype) ? a.real == b.real : a.integer == b.integer;
}

static scalar extreme(cake_dtype dtype, bool largest, bool keeps_nan, scalar a, scalar b) {
    if (is_float(dtype) && isnan(a.real)) return keeps_nan ? a : b;
    if (is_float(dtype) && isnan(b.real)) return keeps_nan ? b : a;
    return less(dtype, a, b) == largest ? b : a;
}

/* ---- the machine ---- */

struct cake_sim_warp {
    uint32_t number, stage;
    void *places[8]; /* by value number */
    unsigned char *handed;
};

static cake_sim_warp team[MAX_WARPS];
static uint32_t team_warps, team_come;
static void *op_table;

uint32_t cake_sim_element_bytes(cake_dtype dtype) {
    return dtype == CAKE_DTYPE_INDEX ? 8 : cake_dtype_bits(dtype) / 8;
}

uint32_t cake_sim_count(const cake_plan_value *value) {
    return value->shape.rank ? value->layout->register_count * LANES : 1;
}

void *cake_sim_data(cake_sim_warp *warp, const cake_plan_value *value) {
    return value->is_constant ? (void *)&((cake_plan_value *)value)->integer : warp->places[value->number];
}

const uint32_t *cake_sim_broadcast(cake_sim_warp *warp, const cake_plan_value *operand, const cake_layout *layout) {
    (void)warp;
    assert_ptr_equal(operand->layout, layout);
    return NULL;
}

void cake_sim_thread_coordinates(const cake_layout *layout, uint32_t team_warp,
                                 uint32_t out[CAKE_MAX_RANK][CAKE_SIM_LANES]) {
    for (uint8_t d = 0; d < layout->shape.rank; d++)
        for (uint32_t lane = 0; lane < LANES; lane++) {
            out[d][lane] = 0;
            for (uint32_t i = 0; i < CAKE_LANE_BITS; i++)
                out[d][lane] += (lane >> i & 1) * layout->lane[i].at[d];
            for (uint32_t i = 0; i < layout->warp_bits; i++)
                out[d][lane] += (team_warp >> i & 1) * layout->warp[i].at[d];
        }
}

cake_arena *cake_sim_arena(cake_sim_warp *warp) {
    (void)warp;
    return &arena;
}

uint32_t cake_sim_team_warp(const cake_sim_warp *warp) {
    return warp->number;
}

uint32_t cake_sim_stage(const cake_sim_warp *warp) {
    return warp->stage;
}

void *cake_sim_table(cake_sim_warp *warp, const cake_plan_op *op) {
    (void)warp;
    (void)op;
    return op_table;
}

void cake_sim_table_put(cake_sim_warp *warp, const cake_plan_op *op, void *table) {
    (void)warp;
    (void)op;
    op_table = table;
}

bool cake_sim_meet(cake_sim_warp *warp, const cake_plan_op *op, const void *data, size_t bytes) {
    (void)op;
    if (warp->stage == 0) {
        warp->handed = cake_arena_alloc(&arena, bytes);
        memcpy(warp->handed, data, bytes);
        warp->stage = 1;
        team_come++;
    }
    if (team_come < team_warps) return false;
    warp->stage = 0;
    return true;
}

const void *cake_sim_met(const cake_sim_warp *warp, uint32_t team_warp) {
    (void)warp;
    return team[team_warp].handed;
}

static scalar compute(const cake_plan_op *op, const scalar *x) {
    cake_dtype dtype = op->operands[0]->dtype;
    if (op->kind == CAKE_PLAN_SPLAT) return x[0];
    if (op->kind == CAKE_PLAN_CALL) {
        if (op->u.call.function == CAKE_BUILTIN_SELECT) return x[0].integer ? x[1] : x[2];
        return extreme(dtype, op->u.call.function == CAKE_BUILTIN_MAX, op->u.call.modifiers & CAKE_MODIFIER_NAN, x[0],
                       x[1]);
    }
    assert_int_equal(op->kind, CAKE_PLAN_BINARY);
    if (op->u.binary == CAKE_BINARY_ADD) return add(dtype, x[0], x[1]);
    if (op->u.binary == CAKE_BINARY_MUL) return multiply(dtype, x[0], x[1]);
    if (op->u.binary == CAKE_BINARY_AND) return (scalar){.integer = x[0].integer & x[1].integer};
    if (op->u.binary == CAKE_BINARY_OR) return (scalar){.integer = x[0].integer | x[1].integer};
    if (op->u.binary == CAKE_BINARY_EQ) return (scalar){.integer = equal(dtype, x[0], x[1])};
    if (op->u.binary == CAKE_BINARY_NE) return (scalar){.integer = !equal(dtype, x[0], x[1])};
    if (op->u.binary == CAKE_BINARY_GT) return (scalar){.integer = less(dtype, x[1], x[0])};
    assert_int_equal(op->u.binary, CAKE_BINARY_LT);
    return (scalar){.integer = less(dtype, x[0], x[1])};
}

void cake_sim_elementwise(cake_sim_warp *warp, const cake_plan_op *op, void *out, const cake_sim_operand *operands,
                          uint32_t count) {
    (void)warp;
    for (uint32_t i = 0; i < count; i++) {
        scalar x[3] = {{0}};
        for (uint32_t k = 0; k < op->operand_count; k++) {
            cake_dtype dtype = op->operands[k]->dtype;
            const unsigned char *data = operands[k].data;
            x[k] = load(dtype, data + (size_t)i * operands[k].stride * cake_sim_element_bytes(dtype));
        }
        store(op->result->dtype, compute(op, x),
              (unsigned char *)out + (size_t)i * cake_sim_element_bytes(op->result->dtype));
    }
}

/* ---- tiles and values ---- */

static cake_coordinate coordinate_of(const cake_layout *layout, uint32_t warp, uint32_t lane, uint32_t r) {
    cake_coordinate at = layout->registers[r];
    for (uint8_t d = 0; d < layout->shape.rank; d++) {
        for (uint32_t i = 0; i < CAKE_LANE_BITS; i++)
            at.at[d] += (lane >> i & 1) * layout->lane[i].at[d];
        for (uint32_t i = 0; i < layout->warp_bits; i++)
            at.at[d] += (warp >> i & 1) * layout->warp[i].at[d];
    }
    return at;
}

static uint32_t flatten(const cake_shape *shape, const cake_coordinate *at) {
    uint32_t index = 0;
    for (uint8_t d = 0; d < shape->rank; d++)
        index = index * shape->extents[d] + at->at[d];
    return index;
}

static cake_plan_value *new_value(uint32_t number, cake_dtype dtype, const cake_layout *layout) {
    cake_plan_value *value = CAKE_NEW(&arena, cake_plan_value);
    value->number = number;
    value->dtype = dtype;
    value->layout = layout;
    if (layout) value->shape = layout->shape;
    return value;
}

static void make_places(const cake_plan_value *value) {
    for (uint32_t w = 0; w < team_warps; w++) {
        size_t bytes = (size_t)cake_sim_count(value) * cake_sim_element_bytes(value->dtype);
        team[w].places[value->number] = cake_arena_alloc(&arena, bytes < 8 ? 8 : bytes);
        memset(team[w].places[value->number], 0xff, bytes);
    }
}

static void *element_at(const cake_plan_value *value, uint32_t warp, uint32_t lane, uint32_t r) {
    unsigned char *data = team[warp].places[value->number];
    size_t at = value->shape.rank ? (size_t)r * LANES + lane : 0;
    return data + at * cake_sim_element_bytes(value->dtype);
}

static scalar random_scalar(cake_dtype dtype, bool with_nan) {
    scalar value = {.integer =
                        (int64_t)((uint64_t)pick(UINT32_MAX) << 33 ^ (uint64_t)pick(UINT32_MAX) << 7 ^ pick(99))};
    if (dtype == CAKE_DTYPE_BOOL) return (scalar){.integer = pick(64) != 0};
    if (dtype == CAKE_DTYPE_INDEX) return (scalar){.integer = (int64_t)pick(2000) - 1000};
    if (!is_float(dtype)) return pick(3) ? wrapped(dtype, value.integer) : (scalar){.integer = pick(8)};
    if (with_nan && pick(4) == 0) return (scalar){.real = NAN};
    return (scalar){.real = rounded(dtype, ldexp(1 + pick(4096) / 4096.0, (int)pick(6) - 3))};
}

static void make_tile(cake_plan_value *value, scalar *out_tile, bool with_nan) {
    uint32_t elements = (uint32_t)cake_shape_elements(&value->shape);
    assert_true(elements <= MAX_TILE);
    for (uint32_t i = 0; i < elements; i++)
        out_tile[i] = random_scalar(value->dtype, with_nan);
}

static void spread_tile(const cake_plan_value *value, const scalar *tile) {
    make_places(value);
    for (uint32_t w = 0; w < team_warps; w++)
        for (uint32_t r = 0; r < value->layout->register_count; r++)
            for (uint32_t lane = 0; lane < LANES; lane++) {
                cake_coordinate at = coordinate_of(value->layout, w, lane, r);
                store(value->dtype, tile[flatten(&value->shape, &at)], element_at(value, w, lane, r));
            }
}

static void check_element(const cake_plan_value *value, uint32_t warp, uint32_t lane, uint32_t r, scalar expected) {
    unsigned char bits[8] = {0};
    store(value->dtype, expected, bits);
    const void *element = element_at(value, warp, lane, r);
    if (is_float(value->dtype) && isnan(expected.real) && isnan(load(value->dtype, element).real)) return;
    if (memcmp(bits, element, cake_sim_element_bytes(value->dtype)) == 0) return;
    fail_msg("%s, value %u, warp %u, lane %u, register %u", cake_dtype_name(value->dtype), value->number, warp, lane,
             r);
}

typedef cake_sim_step execute(cake_sim_warp *warp, const cake_plan_op *op);

/* Warps come in any order, and again until they are through. */
static void run_team(execute *function, const cake_plan_op *op) {
    bool done[MAX_WARPS] = {false};
    uint32_t left = team_warps;
    op_table = NULL;
    for (uint32_t round = 0; round < 2; round++, left = team_warps) { /* with the table that the first round made */
        team_come = 0;
        memset(done, 0, sizeof done);
        while (left) {
            uint32_t w = pick(team_warps);
            if (done[w]) continue;
            done[w] = function(&team[w], op) == CAKE_SIM_NEXT;
            left -= done[w];
        }
    }
}

/* Warps beyond a power of two repeat the tile. */
static void set_team(uint8_t warp_bits) {
    team_warps = (1u << warp_bits) + pick(1u << warp_bits);
    for (uint32_t w = 0; w < team_warps; w++)
        team[w] = (cake_sim_warp){.number = w};
}

#endif
