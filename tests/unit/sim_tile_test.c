/* Tiles in the simulator: broadcasting, renamed registers, and variables. */
#include "tests/unit/sim_machine.h"

/* ---- values ---- */

static cake_plan_value *new_value(uint32_t number, cake_dtype dtype, const cake_layout *layout) {
    cake_plan_value *value = CAKE_NEW(&arena, cake_plan_value);
    value->number = number;
    value->dtype = dtype;
    value->layout = layout;
    if (layout) value->shape = layout->shape;
    warp.places[number] = cake_arena_alloc(&arena, (size_t)cake_sim_count(value) * cake_sim_element_bytes(dtype) + 8);
    return value;
}

/* A tile of i32 whose elements are their row-major index, plus 'first'. */
static cake_plan_value *numbered(uint32_t number, const cake_layout *layout, int32_t first) {
    cake_plan_value *value = new_value(number, CAKE_DTYPE_I32, layout);
    int32_t *data = warp.places[number];
    uint32_t thread[CAKE_MAX_RANK][CAKE_SIM_LANES];
    cake_sim_thread_coordinates(layout, warp.number, thread);
    for (uint32_t r = 0; r < layout->register_count; r++)
        for (uint32_t lane = 0; lane < CAKE_SIM_LANES; lane++) {
            uint32_t index = 0;
            for (uint8_t d = 0; d < layout->shape.rank; d++)
                index = index * layout->shape.extents[d] + layout->registers[r].at[d] + thread[d][lane];
            data[r * CAKE_SIM_LANES + lane] = first + (int32_t)index;
        }
    return value;
}

typedef int32_t expected_element(const uint32_t *at);

static void check_tile(const cake_plan_value *value, expected_element *expected) {
    const int32_t *data = warp.places[value->number];
    uint32_t thread[CAKE_MAX_RANK][CAKE_SIM_LANES];
    cake_sim_thread_coordinates(value->layout, warp.number, thread);
    for (uint32_t r = 0; r < value->layout->register_count; r++)
        for (uint32_t lane = 0; lane < CAKE_SIM_LANES; lane++) {
            uint32_t at[CAKE_MAX_RANK] = {0};
            for (uint8_t d = 0; d < value->shape.rank; d++)
                at[d] = value->layout->registers[r].at[d] + thread[d][lane];
            assert_int_equal(data[r * CAKE_SIM_LANES + lane], expected(at));
        }
}

static const cake_layout *runs(uint32_t rows, uint32_t columns, uint32_t run) {
    cake_shape shape = {.rank = 2, .extents = {rows, columns}};
    const cake_layout *layout = cake_layout_runs(&layouts, &shape, run, 1);
    assert_non_null(layout);
    return layout;
}

/* ---- tiles ---- */

static int32_t plus_row(const uint32_t *at) {
    return (int32_t)(at[0] * 64 + at[1] + 1000 + at[0]);
}

static int32_t row_alone(const uint32_t *at) {
    return (int32_t)(1000 + at[0]);
}

static int32_t index_alone(const uint32_t *at) {
    return (int32_t)at[0];
}

static void test_broadcast(void **state) {
    (void)state;
    begin_case();
    const cake_layout *layout = runs(16, 64, 4), *column = cake_layout_collapse(&layouts, layout, 2);
    cake_plan_value *a = numbered(0, layout, 0), *b = numbered(1, column, 1000);
    cake_plan_op op = {.kind = CAKE_PLAN_BINARY, .operands = {a, b}, .operand_count = 2, .u.binary = CAKE_BINARY_ADD};
    op.result = new_value(2, CAKE_DTYPE_I32, layout);
    cake_sim_pure(&warp, &op);
    check_tile(op.result, plus_row);
    op = (cake_plan_op){.kind = CAKE_PLAN_SPLAT, .operands = {b}, .operand_count = 1, .result = op.result};
    cake_sim_pure(&warp, &op);
    check_tile(op.result, row_alone);
    cake_shape line = {.rank = 1, .extents = {256}};
    op = (cake_plan_op){.kind = CAKE_PLAN_IOTA};
    op.result = new_value(3, CAKE_DTYPE_INDEX, cake_layout_runs(&layouts, &line, 2, 1));
    cake_sim_pure(&warp, &op);
    cake_plan_op cast = {.kind = CAKE_PLAN_CAST, .operands = {op.result}, .operand_count = 1};
    cast.result = new_value(4, CAKE_DTYPE_I32, op.result->layout);
    cake_sim_pure(&warp, &cast);
    check_tile(cast.result, index_alone);
    cake_arena_fini(&arena);
}

static int32_t sliced(const uint32_t *at) {
    return (int32_t)(at[0] * 512 + at[1] + 256);
}

static int32_t transposed(const uint32_t *at) {
    return (int32_t)(at[1] * 64 + at[0]);
}

static int32_t reshaped(const uint32_t *at) {
    return (int32_t)(at[0] * 256 + at[1] * 64 + at[2]);
}

static int32_t with_axis(const uint32_t *at) {
    return (int32_t)(at[0] * 64 + at[2] + at[1]);
}

static int32_t joined(const uint32_t *at) {
    return (int32_t)(at[1] < 64 ? at[0] * 64 + at[1] : 5000 + at[0] * 64 + at[1] - 64);
}

static void rename_tile(cake_plan_op op, const cake_layout *layout, expected_element *expected) {
    assert_non_null(layout);
    warp.table_op = NULL;
    op.result = new_value(2, CAKE_DTYPE_I32, layout);
    for (uint32_t i = 0; i < 2; i++) { /* the second time with the table */
        memset(warp.places[2], 0xff, (size_t)cake_sim_count(op.result) * 4);
        cake_sim_rename(&warp, &op);
        check_tile(op.result, expected);
    }
}

static void test_renames(void **state) {
    (void)state;
    begin_case();
    const cake_layout *wide = runs(8, 512, 4), *layout = runs(16, 64, 2);
    const uint32_t offsets[2] = {0, 256};
    cake_shape half = {.rank = 2, .extents = {8, 256}}, cube = {.rank = 3, .extents = {4, 4, 64}};
    cake_plan_value *a = numbered(0, wide, 0), *b = numbered(1, layout, 5000);
    rename_tile((cake_plan_op){.kind = CAKE_PLAN_SLICE, .operands = {a}, .operand_count = 1, .u.offsets = {0, 256}},
                cake_layout_slice(&layouts, wide, offsets, &half), sliced);
    a = numbered(0, layout, 0);
    rename_tile((cake_plan_op){.kind = CAKE_PLAN_TRANSPOSE, .operands = {a}, .operand_count = 1},
                cake_layout_transpose(&layouts, layout), transposed);
    rename_tile((cake_plan_op){.kind = CAKE_PLAN_RESHAPE, .operands = {a}, .operand_count = 1},
                cake_layout_reshape(&layouts, layout, &cube), reshaped);
    rename_tile((cake_plan_op){.kind = CAKE_PLAN_INSERT_AXIS, .operands = {a}, .operand_count = 1, .u.axis = 1},
                cake_layout_insert_axis(&layouts, layout, 1), with_axis);
    rename_tile((cake_plan_op){.kind = CAKE_PLAN_CONCAT, .operands = {a, b}, .operand_count = 2, .u.axis = 1},
                cake_layout_concat(&layouts, layout, layout, 1), joined);
    cake_arena_fini(&arena);
}

/* ---- variables ---- */

static int32_t half_written(const uint32_t *at) {
    return at[1] < 256 ? 9 : (int32_t)(at[0] * 256 + at[1] - 256);
}

static cake_plan_op access_of(cake_plan_op_kind kind, cake_plan_variable *variable, uint32_t first, uint32_t columns) {
    cake_plan_op op = {.kind = kind};
    op.u.variable.variable = variable;
    op.u.variable.whole = columns == 512;
    op.u.variable.offsets[1] = first;
    op.u.variable.shape = (cake_shape){.rank = 2, .extents = {8, columns}};
    return op;
}

static void test_variables(void **state) {
    (void)state;
    begin_case();
    const uint32_t offsets[2] = {0, 256};
    cake_shape half = {.rank = 2, .extents = {8, 256}};
    const cake_layout *layout = runs(8, 512, 4), *right = cake_layout_slice(&layouts, layout, offsets, &half);
    cake_plan_variable variable = {.number = 1, .name = "v", .dtype = CAKE_DTYPE_I32, .shape = layout->shape};
    bool written[CAKE_MAX_REGISTERS] = {false};
    variable.layout = layout;
    warp.variables.data = cake_arena_alloc(&arena, (size_t)layout->register_count * 128);
    warp.variables.written = written;
    cake_plan_value *nine = new_value(0, CAKE_DTYPE_I32, NULL), *part = numbered(1, right, 0);
    *(int32_t *)warp.places[0] = 9;
    cake_plan_op read = access_of(CAKE_PLAN_READ, &variable, 0, 512),
                 write = access_of(CAKE_PLAN_WRITE, &variable, 0, 256);
    cake_plan_op write_right = access_of(CAKE_PLAN_WRITE, &variable, 256, 256);
    write.operands[0] = nine;
    write_right.operands[0] = part;
    read.result = new_value(2, CAKE_DTYPE_I32, layout);
    cake_sim_write(&warp, &write);
    cake_sim_read(&warp, &read);
    assert_int_equal(warp.faults, 1); /* the right half was not written */
    assert_int_equal(warp.code, CAKE_S102);
    cake_sim_write(&warp, &write_right);
    cake_sim_read(&warp, &read);
    assert_int_equal(warp.faults, 1);
    check_tile(read.result, half_written);
    cake_plan_op read_right = access_of(CAKE_PLAN_READ, &variable, 256, 256);
    read_right.result = new_value(3, CAKE_DTYPE_I32, right);
    cake_sim_read(&warp, &read_right);
    assert_memory_equal(warp.places[3], warp.places[1], cake_sim_count(part) * sizeof(int32_t));
    cake_arena_fini(&arena);
}

int main(void) {
    if (setjmp(out_of_memory)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_broadcast),
        cmocka_unit_test(test_renames),
        cmocka_unit_test(test_variables),
    };
    return cmocka_run_group_tests_name("simulated tiles", tests, NULL, NULL);
}
