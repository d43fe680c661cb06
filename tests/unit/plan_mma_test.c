/* Fragments of mma against the formulas of the PTX ISA, 'Matrix fragments for mma.m16n8k16' and its neighbours. */
#include "tests/unit/plan_fixture.h"

static plan_fixture test;
static cake_layouts layouts;

static int open_arena(void **state) {
    (void)state;
    if (setjmp(test.out_of_memory)) return -1;
    cake_arena_init(&test.arena, CAKE_ARENA_DEFAULT_LIMIT, &test.out_of_memory);
    layouts = (cake_layouts){.arena = &test.arena};
    return 0;
}

static int close_arena(void **state) {
    (void)state;
    cake_arena_fini(&test.arena);
    return 0;
}

static cake_coordinate held(const cake_layout *layout, uint32_t lane, uint32_t r) {
    cake_coordinate at = layout->registers[r];
    for (uint32_t bit = 0; bit < CAKE_LANE_BITS; bit++)
        for (uint32_t d = 0; d < 2; d++)
            if (lane >> bit & 1) at.at[d] += layout->lane[bit].at[d];
    return at;
}

static void assert_holds(const cake_layout *layout, uint32_t lane, uint32_t r, uint32_t row, uint32_t column) {
    cake_coordinate at = held(layout, lane, r);
    if (at.at[0] != row || at.at[1] != column)
        fail_msg("lane %u register %u holds (%u, %u), not (%u, %u)", lane, r, at.at[0], at.at[1], row, column);
}

static const cake_layout *fragments(uint32_t rows, uint32_t columns, uint32_t per_word) {
    cake_shape shape = {2, {rows, columns}};
    const cake_layout *layout = cake_layout_mma(&layouts, &shape, per_word, 0);
    assert_non_null(layout);
    return layout;
}

/* c0 .. c3 of the tile at (16 i, 8 j): rows groupID and groupID + 8, columns 2 threadID_in_group + (0, 1). */
static void test_accumulator(void **state) {
    (void)state;
    const cake_layout *layout = fragments(32, 24, 2);
    assert_int_equal(layout->register_count, 2 * 3 * 4);
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t r = 0; r < layout->register_count; r++) {
            uint32_t i = r / 12, j = r / 4 % 3, c = r % 4, group = lane / 4, thread = lane % 4;
            assert_holds(layout, lane, r, 16 * i + group + (c < 2 ? 0 : 8), 8 * j + thread * 2 + (c & 1));
        }
}

/* Operands of 16, 32 and 8 bits: m16n8k16, m16n8k8, m16n8k32. */
typedef struct operand_row {
    uint32_t per_word, step; /* elements of the reduced dimension in a step */
} operand_row;

static const operand_row operands[] = {{2, 16}, {1, 8}, {4, 32}};

/* a_i of block b and step s. */
static void test_left_operand(void **state) {
    (void)state;
    for (size_t o = 0; o < sizeof operands / sizeof *operands; o++) {
        uint32_t e = operands[o].per_word, step = operands[o].step;
        const cake_layout *layout = fragments(32, 3 * step, e);
        for (uint32_t lane = 0; lane < 32; lane++)
            for (uint32_t b = 0; b < 2; b++)
                for (uint32_t s = 0; s < 3; s++)
                    for (uint32_t i = 0; i < 4 * e; i++) {
                        uint32_t group = lane / 4, thread = lane % 4;
                        uint32_t row = i / e % 2 ? group + 8 : group;
                        uint32_t column = thread * e + i % e + (i < 2 * e ? 0 : step / 2);
                        assert_holds(layout, lane, ((b * 3 + s) * 4) * e + i, 16 * b + row, step * s + column);
                    }
    }
}

/* b_i of the product's columns 8 j ..: words j % 2 and j % 2 + 2 of block j / 2, rows being columns of the product. */
static void test_right_operand(void **state) {
    (void)state;
    for (size_t o = 0; o < sizeof operands / sizeof *operands; o++) {
        uint32_t e = operands[o].per_word, step = operands[o].step;
        const cake_layout *layout = fragments(32, 2 * step, e);
        for (uint32_t lane = 0; lane < 32; lane++)
            for (uint32_t j = 0; j < 4; j++)
                for (uint32_t s = 0; s < 2; s++)
                    for (uint32_t i = 0; i < 2 * e; i++) {
                        uint32_t k = lane % 4 * e + i % e + (i < e ? 0 : step / 2), n = lane / 4;
                        uint32_t word = (j / 2 * 2 + s) * 4 + j % 2 + 2 * (i / e);
                        assert_holds(layout, lane, word * e + i % e, 8 * j + n, step * s + k);
                    }
    }
}

static void test_refused(void **state) {
    (void)state;
    cake_shape good = {2, {16, 16}}, rows = {2, {8, 16}}, columns = {2, {16, 12}}, vector = {1, {16}};
    assert_null(cake_layout_mma(&layouts, &good, 2, 1)); /* of one warp alone */
    assert_null(cake_layout_mma(&layouts, &good, 3, 0));
    assert_null(cake_layout_mma(&layouts, &rows, 2, 0));
    assert_null(cake_layout_mma(&layouts, &columns, 2, 0));
    assert_null(cake_layout_mma(&layouts, &vector, 2, 0));
    assert_ptr_equal(cake_layout_mma(&layouts, &good, 2, 0), fragments(16, 16, 2));
}

/* ---- statements ---- */

/* Refusals come from the wanted rule, and its neighbours are accepted. */
static void test_mma_statements(void **state) {
    (void)state;
    static const plan_row rows[] = {
        {"mma c += sa * sb.T", ""},
        {"mma c = sa * sb.T", ""},
        {"mma c += sa * sk", ""},
        {"mma c += sm.T * sb.T", ""},
        {"mma c += load sa * (load sb).T", ""},
        {"mma c += sa * (load sb).T", ""},
        {"mma d += pa * pb.T", ""},
        {"mma e += ia * ib.T", ""},
        {"mma e += ia * ub.T", ""},
        {"mma d += pa * pa", "H210 1"},                           /* only 16 bits are transposed */
        {"mma c += sa[:, 8 :+ 16] * sb[:, 0 :+ 16].T", "H210 1"}, /* inside a chunk pair of the swizzle */
        {"mma c += sa[:, 16 :+ 16] * sb[:, 0 :+ 16].T", ""},
        {"mma c += sa[:, 0 :+ 8] * sb[:, 0 :+ 8].T", "H210 1"},
        {"mma c += sb[4 :+ 32, :] * sb.T", "H210 1"},
        {"mma c += sa * sb[0 :+ 16, :].T", "L404 1"},
        {"mma e += sa * sb.T", "H210 1"},
        {"var h: f32[32, 8]\nmma h += sa * sb[0 :+ 8, :].T", ""},
        {"var h: f32[32, 8]\nmma h += sa * (load sb[0 :+ 8, :]).T", "H210 2"},
        {"mma d += (load pa) * pb.T\nlet v = load pa\nmma d += v * pb.T", ""},
        {"mma c += cast bf16 c[:, 0 :+ 32] * sk", ""}, /* an accumulator of 16 bits is an operand */
        {"mma c += sa * sb.T\nmma d += cast tf32 c[:, 0 :+ 16] * pb.T", "L501 2"}, /* of 32 bits it is not */
    };
    char head[1600];
    (void)snprintf(
        head, sizeof head,
        "target sm_80; kernel k(x: bf16[64, 64], out y: f32[64, 64]); grid tile(i: 1); roles { all: warps 1 };"
        "shared sa: bf16[32, 32] swizzle 64; shared sb: bf16[64, 32] swizzle 64; "
        "shared sk: bf16[32, 64] swizzle 128; shared sm: bf16[32, 32] swizzle 64; "
        "shared pa: tf32[32, 16] pad 4; shared pb: tf32[64, 16] pad 4; "
        "shared ia: i8[32, 64] swizzle 64; shared ib: i8[64, 64] swizzle 64; shared ub: u8[64, 64] swizzle 64;"
        "role all { var c: f32[32, 64] = 0; var d: f32[32, 64] = 0; var e: i32[32, 64] = 0; ");
    plan_check_rows(rows, sizeof rows / sizeof *rows, head, "\n}\n");
}

static void test_async_statements(void **state) {
    (void)state;
    static const plan_row rows[] = {
        {"async.load s <- x[i * 32 :+ 32, j * 64 :+ 64] clip 0", ""},
        {"async.load s[0 :+ 8, :] <- x[i * 32 :+ 8, 0 :+ 64] clip 0", ""},
        {"async.load s <- x[i * 32 :+ 32, j * 64 + 4 :+ 64] clip 0", ""}, /* runs of 8 bytes */
        {"async.load s <- x[i * 32 :+ 32, j * 64 + 1 :+ 64] clip 0", "H211 1"},
        {"async.load s <- x[i * 32 :+ 32, j * 64 :+ 64] clip 1", "H211 1"},
        {"async.load s <- x[i * 32 :+ 16, j * 64 :+ 64] clip 0", "L404 1"},
        {"async.load s <- odd[i * 32 :+ 32, j * 64 :+ 64] clip 0", "H211 1"},
        {"async.load s <- x[j * 64 :+ 64, i * 32 :+ 32].T clip 0", "H211 1"},
        {"async.load s[0 :+ 3, :] <- x[i * 32 :+ 3, 0 :+ 64] clip 0", "L502 1"},
    };
    plan_check_rows(rows, sizeof rows / sizeof *rows,
                    "target sm_80; kernel k(x: f16[M, N], odd: f16[M, P], out y: f16[32, 64]); "
                    "where 1 <= M <= 65536, 8 <= N <= 65536, N % 8 == 0, 1 <= P <= 65536; grid tile(i: 4, j: 4); "
                    "roles { all: warps 1 }; pipeline p stages 2 from all to all { s: f16[32, 64] swizzle 128 }; "
                    "role all { acquire p; ",
                    "\ncommit p; wait p; store y[:, :] <- load s; release p keep 0 }\n");
}

/* A role that fills and reads the same ring holds what it waited for, not what it acquired. */
static void test_own_pipeline(void **state) {
    (void)state;
    static const plan_row rows[] = {
        {"acquire p; store s <- 1; commit p; wait p; store y[:] <- load s; release p keep 0", ""},
        {"acquire p; store s <- 1; commit p; store y[:] <- load s; wait p; release p keep 0", "H208 1"},
        {"acquire p; store s <- 1; commit p; wait p; store y[:] <- load s", "H208 1"},
        {"acquire p; store s <- 1; commit p; wait p; wait p; wait p; release p keep 0", "H208 1"},
    };
    plan_check_rows(rows, sizeof rows / sizeof *rows,
                    "target sm_80; kernel k(out y: f32[32]); grid tile(i: 1); roles { all: warps 1 }; "
                    "pipeline p stages 2 from all to all { s: f32[32] }; role all { ",
                    "\n}\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_accumulator, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_left_operand, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_right_operand, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_refused, open_arena, close_arena),
        cmocka_unit_test(test_mma_statements),
        cmocka_unit_test(test_async_statements),
        cmocka_unit_test(test_own_pipeline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
