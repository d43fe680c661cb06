/* The builder of plans: choices, contract, held slots, bulk copies, swizzled buffers, and the printer of values. */
#include "tests/unit/plan_fixture.h"

/* ---- choices ---- */

typedef struct choice_row {
    const char *declarations; /* behind 'where', from line 3 */
    cake_choice choices[2];
    const char *expected;
} choice_row;

static void test_choices(void **state) {
    (void)state;
    static const choice_row rows[] = {
        {"static M\ntune P in {1, 2, 4} = 2", {{"M", 64}, {"P", 4}}, ""},
        {"static M\ntune P in {1, 2, 4} = 2", {{"M", 64}, {"P", 3}}, "L406 4"},
        {"static M\ntune P in 1 .. 4 = 2", {{"M", 64}, {"P", 4}}, "L406 4"},
        {"static M\ntune P in 1 .. 4 = 2", {{"M", 64}, {"P", 3}}, ""},
        {"static M\ntune P = 2", {{"M", 64}, {"P", 2}}, ""},
        {"static M\ntune P = 2", {{"M", 64}, {"P", 3}}, "L406 4"},
        {"static M\ntune P in {1, 2} = 3", {{"M", 64}, {"Q", 0}}, "L406 4"},
        {"static M\ntune P = 2", {{"Q", 64}, {"R", 2}}, "L401 2"},
        {"static M, M % 8 == 0", {{"M", 64}, {"Q", 0}}, ""},
        {"static M, M % 8 == 0", {{"M", 65}, {"Q", 0}}, "L406 3"},
        {"static M, M in {64, 128}", {{"M", 96}, {"Q", 0}}, "L406 3"},
        {"static M, 1 <= M <= 64", {{"M", 65}, {"Q", 0}}, "L406 3"},
        {"static M\ntune P = 2\ncheck P % 2 == 0", {{"M", 64}, {"Q", 0}}, ""},
        {"static M\ntune P = 3\ncheck P % 2 == 0", {{"M", 64}, {"Q", 0}}, "L407 5"},
        {"1 <= M <= 64", {{"M", 1000}, {"Q", 0}}, ""}, /* a dimension's value is for the launch */
    };
    static plan_fixture test;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1024];
        (void)snprintf(text, sizeof text,
                       "target sm_80\nkernel k(out y: i32[M])\nwhere %s\ngrid tile(i: 4)\nroles { all: warps 1 }\n"
                       "role all { store y[i] <- 1 }\n",
                       rows[i].declarations);
        plan_open(&test, text, rows[i].choices, 2, false);
        const char *got = plan_findings(&test);
        if (strcmp(got, rows[i].expected) != 0) fail_msg("row %zu: '%s', not '%s'", i, got, rows[i].expected);
        cake_arena_fini(&test.arena);
    }
}

/* ---- contract ---- */

typedef struct contract_row {
    const char *where, *ranges, *trust;
} contract_row;

static const char *ranges(plan_fixture *test) {
    cake_text text;
    cake_text_init(&text, &test->arena);
    for (uint32_t i = 0; i < test->plan->dimensions.count; i++) {
        const cake_plan_value *dimension = test->plan->dimensions.items[i];
        cake_text_format(&text, "%s%s %lld %lld", i ? ", " : "", dimension->definition->u.leaf.name,
                         (long long)dimension->low, (long long)dimension->high);
    }
    return cake_text_string(&text);
}

static void test_contract(void **state) {
    (void)state;
    static const contract_row rows[] = {
        {"1 <= M <= 100, 2 <= N <= 50", "M 1 100, N 2 50", ""},
        {"1 <= M <= 100, 2 <= N <= 50, M <= N", "M 1 50, N 2 50", ""},
        {"M < N, N <= 50", "M 0 49, N 1 50", ""},
        {"N >= M, 3 <= M, N <= 9", "M 3 9, N 3 9", ""},
        {"4 <= N <= M <= 12", "M 4 12, N 4 12", ""},
        {"M in {128, 64}, N == 2 * M", "M 64 128, N 128 256", ""},
        {"M in 5 .. 9, 0 < N < M", "M 5 8, N 1 7", ""},
        {"M > 3, N >= 7, M < 8, N < 9", "M 4 7, N 7 8", ""},
        {"M == 7, N <= 7", "M 7 7, N 0 7", ""},
        {"M <= 10, N <= 10, M % 8 == 0", "M 0 10, N 0 10", ""},
        {"M <= 1 << 20, N <= 3 * 5 - 1", "M 0 1048576, N 0 14", ""},
        {"M <= 10, N <= 10, x > 0", "M 0 10, N 0 10", "x > 0"},
        {"M <= 10, N <= 10, finite(a), a[0, 0] > 0.5", "M 0 10, N 0 10", "finite(a); a[0, 0] > 0.5"},
    };
    static plan_fixture test;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1024];
        (void)snprintf(text, sizeof text,
                       "target sm_80\nkernel k(a: f32[M, N], x: f32, out y: i32[M, N])\nwhere %s\ngrid tile(i: 4)\n"
                       "roles { all: warps 1 }\nrole all { store y[i, 0] <- 1 }\n",
                       rows[i].where);
        plan_open_good(&test, text, NULL, 0, false);
        const char *got = ranges(&test);
        if (strcmp(got, rows[i].ranges) != 0) fail_msg("row %zu: '%s', not '%s'", i, got, rows[i].ranges);
        cake_text trust;
        cake_text_init(&trust, &test.arena);
        for (uint32_t k = 0; k < test.plan->trust.count; k++)
            cake_text_format(&trust, "%s%s", k ? "; " : "", test.plan->trust.items[k]);
        assert_string_equal(cake_text_string(&trust), rows[i].trust);
        cake_arena_fini(&test.arena);
    }
}

/* What ranges alone can't say: a dimension that bounds another keeps their quotient positive. */
static void test_known_order(void **state) {
    (void)state;
    static const plan_row rows[] = {
        {"1 <= H <= Q <= 64", ""},
        {"1 <= Q <= 64, 1 <= H <= 64", "L402 6"},
    };
    plan_check_rows(rows, sizeof rows / sizeof *rows, "target sm_80\nkernel k(out y: i32[Q, H])\nwhere ",
                    "\ngrid tile(i: Q)\nroles { all: warps 1 }\nrole all { store y[i / (Q / H), 0] <- 1 }\n");
}

/* ---- held slots ---- */

static const char pipeline_schedule[] = "target sm_90a\n"
                                        "kernel k(a: f32[M], out y: f32[M])\n"
                                        "where 1 <= M <= 1000000\n"
                                        "grid tile(i: 4)\n"
                                        "roles { load: warps 1; math: warps 1 }\n"
                                        "pipeline p stages 3 from load to math { s: f32[64] }\n"
                                        "role load { for k in 0 .. M { acquire p\n"
                                        "tma.load s <- a[k * 64]\n"
                                        "commit p } }\n"
                                        "role math {\n";

static void test_held_slots(void **state) {
    (void)state;
    static const plan_row rows[] = {
        {"for k in 0 .. M { wait p; release p keep 0 }", ""},
        {"for k in 0 .. M { wait p; release p keep 1 }\nrelease p keep 0", ""},
        {"for k in 0 .. M { wait p; release p keep 2 }\nrelease p keep 0", ""},
        {"for k in 0 .. M { wait p; release p keep 2 }", "H208 11"},
        {"for k in 0 .. M { wait p; release p keep 3 }", "H208 11"},
        {"for k in 0 .. M {\nwait p }", "H208 12"},
        {"wait p", "H208 11"},
        {"release p keep 0", ""},
        {"wait p\nwait p\nwait p\nrelease p keep 0", ""},
        {"wait p\nwait p\nwait p\nwait p\nrelease p keep 0", "H208 14"},
        {"let x = load s", "H208 11"},
        {"wait p\nlet x = load s\nrelease p keep 0", ""},
        {"wait p\nlet x = load s@1\nrelease p keep 0", "H208 12"},
        {"wait p; wait p\nlet x = load s@1\nrelease p keep 0", ""},
        {"wait p; wait p; release p keep 1\nlet x = load s@1\nrelease p keep 0", "H208 12"},
        {"wait p; release p keep 0\nlet x = load s", "H208 12"},
        {"for k in 0 .. M { wait p; release p keep 1 }\nlet x = load s\nrelease p keep 0", ""},
        {"for k in 1 .. M { wait p; release p keep 1 }\nlet x = load s\nrelease p keep 0", "H208 12"},
        {"if M > 5 { wait p }\nrelease p keep 0", ""},
        {"if M > 5 { wait p }", "H208 11"},
        {"if M > 5 { wait p } else { wait p }\nlet x = load s\nrelease p keep 0", ""},
        {"if M > 5 { wait p }\nlet x = load s\nrelease p keep 0", "H208 12"},
        {"if M > 0 { wait p }\nlet x = load s\nrelease p keep 0", ""}, /* decided by the contract */
        {"for k in 0 .. 2 unroll { wait p }\nlet x = load s@1\nrelease p keep 0", ""},
        {"for k in 0 .. 4 unroll {\nwait p }\nrelease p keep 0", "H208 12"},
        {"for k in 0 .. M { for j in 0 .. 2 { wait p; release p keep 1 } }\nrelease p keep 0", ""},
        {"for k in 0 .. M { wait p; for j in 0 .. k { release p keep 0 } }\nrelease p keep 0", "H208 11"},
        {"var go: bool = true\nwhile go max 9 { wait p; release p keep 0; go = false }", ""},
        {"var go: bool = true\nwhile go max 9 { wait p; release p keep 1; go = false }", "H208 12"},
    };
    plan_check_rows(rows, sizeof rows / sizeof *rows, pipeline_schedule, "\n}\n");
}

static void test_fill_bytes(void **state) {
    (void)state;
    static const plan_row rows[] = {
        {"acquire p; tma.load s <- a[0]; commit p", ""},
        {"acquire p; if M > 5 { tma.load s <- a[0] } else { tma.load s <- a[64] }\ncommit p", ""},
        {"acquire p\nif M > 5 { tma.load s <- a[0] }\ncommit p", "H208 8"},
        {"acquire p; tma.load s <- a[0]; commit p\nacquire p; tma.load s <- a[0]; tma.load t <- a[0]; commit p",
         "H208 8"},
        {"acquire p\nfor k in 0 .. 2 { tma.load s <- a[k * 64] }\ncommit p", ""},
        {"acquire p\nfor k in 0 .. M { tma.load s <- a[k * 64] }\ncommit p", "H208 8"},
        {"acquire p\nfor k in 0 .. 2 unroll { tma.load s <- a[k * 64] }\ncommit p", ""},
    };
    plan_check_rows(rows, sizeof rows / sizeof *rows,
                    "target sm_90a\nkernel k(a: f32[M], out y: f32[M])\nwhere 1 <= M <= 1000000\ngrid tile(i: 4)\n"
                    "roles { load: warps 1; math: warps 1 }\n"
                    "pipeline p stages 3 from load to math { s: f32[64]; t: f32[64] }\nrole load { ",
                    "\n}\nrole math { wait p; release p keep 0 }\n");
}

/* ---- buffers and bulk copies ---- */

typedef struct tile_row {
    uint32_t rows, columns, swizzle;
    const char *expected; /* findings */
} tile_row;

static const tile_row tiles[] = {
    {64, 64, 128, ""},      {128, 128, 128, ""},     {256, 64, 128, ""},      {512, 64, 128, ""},
    {272, 128, 128, ""},    {64, 32, 64, ""},        {64, 96, 64, ""},        {64, 16, 32, ""},
    {8, 256, 128, ""},      {16, 32, 0, ""},         {1, 256, 0, ""},         {1, 1024, 0, ""},
    {512, 16, 0, ""},       {3, 8, 0, "H204 6"},     {64, 256, 0, ""},        {64, 512, 0, "H204 6"},
    {1, 300, 0, "H204 6"},  {4, 12, 0, "H204 6"},    {64, 32, 128, "H206 5"}, {12, 64, 128, "H206 5"},
    {64, 64, 48, "H206 5"}, {64, 96, 128, "H206 5"}, {64, 64, 256, "H206 5"},
};

static void open_tile(plan_fixture *test, const tile_row *row) {
    char text[1024];
    char swizzle[32] = "";
    if (row->swizzle) (void)snprintf(swizzle, sizeof swizzle, "swizzle %u", row->swizzle);
    (void)snprintf(text, sizeof text,
                   "target sm_90a\nkernel k(a: bf16[M, K])\nwhere 1 <= M <= 1000000, 8 <= K <= 1000000, K %% 8 == 0\n"
                   "grid tile(i: 4); roles { load: warps 1; math: warps 1 }\n"
                   "pipeline p stages 1 from load to math { s: bf16[2, %u, %u] %s }\n"
                   "role load { acquire p; tma.load s[1] <- a[i :+ %u, i :+ %u]; commit p }\n"
                   "role math { wait p; release p keep 0 }\n",
                   row->rows, row->columns, swizzle, row->rows, row->columns);
    plan_open(test, text, NULL, 0, false);
}

/* Offset of an element by the formula of cake_plan_buffer. */
static uint32_t element_offset(const cake_plan_buffer *buffer, uint32_t row, uint32_t column) {
    uint32_t bytes = column * 2, span = buffer->swizzle;
    if (!span) return row * buffer->row_bytes + bytes;
    uint32_t offset = bytes / span * buffer->panel_bytes + row * buffer->row_bytes + bytes % span;
    return offset ^ (offset >> 7 & (span / 16 - 1)) << 4;
}

/* The inverse of the permutation of chunks is itself: where a copy without it would put the byte. */
static uint32_t plain_offset(const cake_plan_buffer *buffer, uint32_t offset) {
    return buffer->swizzle ? offset ^ (offset >> 7 & (buffer->swizzle / 16 - 1)) << 4 : offset;
}

static const cake_plan_copy *first_copy(const cake_plan *plan) {
    const cake_plan_op *op = plan->roles.items[0]->body.first;
    while (op && op->kind != CAKE_PLAN_TMA_LOAD)
        op = op->next;
    assert_non_null(op);
    return op->u.copy;
}

/* Each element is brought by exactly one box, to where the buffer has it. */
static void check_boxes(plan_fixture *test, const tile_row *row) {
    const cake_plan_copy *copy = first_copy(test->plan);
    const cake_plan_buffer *buffer = copy->shared.buffer;
    uint8_t *filled = CAKE_NEW_ARRAY(&test->arena, uint8_t, buffer->tile_bytes);
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < copy->boxes.count; i++) {
        const cake_plan_box *box = &copy->boxes.items[i];
        uint32_t height = box->map->box[0], width = box->map->box[1];
        assert_true(height >= 1 && height <= 256 && width >= 1 && width <= 256);
        assert_int_equal(width * 2 % 16, 0);
        if (row->swizzle) assert_true(width * 2 <= row->swizzle);
        if (row->swizzle) assert_int_equal(box->shared_offset % (row->swizzle * 8), 0);
        assert_int_equal(box->bytes, width * height * 2);
        assert_int_equal(box->map->swizzle, row->swizzle);
        bytes += box->bytes;
        for (uint32_t y = 0; y < height; y++)
            for (uint32_t x = 0; x < width; x++) {
                uint32_t offset = element_offset(buffer, box->shift[0] + y, box->shift[1] + x);
                assert_int_equal(plain_offset(buffer, offset), box->shared_offset + (y * width + x) * 2);
                assert_int_equal(filled[offset]++, 0);
            }
    }
    assert_int_equal(bytes, row->rows * row->columns * 2);
    assert_int_equal(copy->bytes, bytes);
    assert_int_equal(test->plan->pipelines.items[0]->bytes_per_stage, bytes);
}

/* No two elements share an address, and all lie in the tile. */
static void check_offsets(plan_fixture *test, const tile_row *row) {
    const cake_plan_buffer *buffer = test->plan->buffers.items[0];
    uint8_t *used = CAKE_NEW_ARRAY(&test->arena, uint8_t, buffer->tile_bytes);
    for (uint32_t y = 0; y < row->rows; y++)
        for (uint32_t x = 0; x < row->columns; x++) {
            uint32_t offset = element_offset(buffer, y, x);
            assert_true(offset + 2 <= buffer->tile_bytes);
            assert_int_equal(used[offset]++, 0);
        }
    assert_int_equal(buffer->bytes, 2 * buffer->tile_bytes);
    assert_int_equal(buffer->tile_bytes, buffer->panels * buffer->panel_bytes);
    if (row->swizzle) assert_int_equal(buffer->offset % (row->swizzle * 8), 0);
}

static void test_tiles(void **state) {
    (void)state;
    static plan_fixture test;
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        open_tile(&test, &tiles[i]);
        const char *got = plan_findings(&test);
        if (strcmp(got, tiles[i].expected) != 0) fail_msg("row %zu: '%s', not '%s'", i, got, tiles[i].expected);
        if (test.plan) check_boxes(&test, &tiles[i]);
        if (test.plan) check_offsets(&test, &tiles[i]);
        cake_arena_fini(&test.arena);
    }
}

/* ---- values as text ---- */

static const cake_plan_op *find_store(const cake_plan_block *block) {
    const cake_plan_op *op = block->first;
    while (op && op->kind != CAKE_PLAN_STORE)
        op = op->next;
    return op;
}

typedef struct text_row {
    const char *written, *printed; /* null: as written */
} text_row;

static void test_value_text(void **state) {
    (void)state;
    static const text_row rows[] = {
        {"i", NULL},
        {"i * 4 + j", NULL},
        {"(i + 1) * 4", NULL},
        {"i - (j - 1)", NULL},
        {"i - j - 1", NULL},
        {"i * (j * 3)", NULL},
        {"i / 3 * 3", NULL},
        {"i % 4 * 2 + (i << 2 & 255)", NULL},
        {"(i + 2 & j) << 1", NULL},
        {"-i + 5", "0 - i + 5"},
        {"min(i, j + 1)", NULL},
        {"cdiv(M, 3) - ceilto(i, 8)", NULL},
        {"select(i < j, i, j + 1)", NULL},
        {"3 * 4 + i * 1 + 0", "12 + i"},
        {"~i + M", NULL},
    };
    static plan_fixture test;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1024];
        (void)snprintf(text, sizeof text,
                       "target sm_80\nkernel k(out y: i32[M])\nwhere 1 <= M <= 1000\ngrid tile(i: M, j: 7)\n"
                       "roles { all: warps 1 }\nrole all { store y[%s] <- 1 }\n",
                       rows[i].written);
        plan_open_good(&test, text, NULL, 0, false);
        cake_text shown;
        cake_text_init(&shown, &test.arena);
        const cake_plan_op *store = find_store(&test.plan->roles.items[0]->body);
        cake_plan_value_print(store->u.access->place.index[0].base, &shown);
        assert_string_equal(cake_text_string(&shown), rows[i].printed ? rows[i].printed : rows[i].written);
        cake_arena_fini(&test.arena);
    }
}

/* A shared operand is written once for each use; the text stays short however often it doubles. */
static void test_value_text_is_short(void **state) {
    (void)state;
    static plan_fixture test;
    plan_open_good(&test,
                   "target sm_80\nlet d(x) = x + x\nkernel k(out y: i32[M])\nwhere 1 <= M <= 1000\ngrid tile(i: M)\n"
                   "roles { all: warps 1 }\nrole all { store y[d(d(d(d(d(d(d(d(d(d(i))))))))))] <- 1 }\n",
                   NULL, 0, false);
    cake_text shown;
    cake_text_init(&shown, &test.arena);
    cake_plan_print(test.plan, &shown);
    assert_true(shown.size < 2000);
    cake_text again;
    cake_text_init(&again, &test.arena);
    cake_plan_print(test.plan, &again);
    assert_string_equal(cake_text_string(&again), cake_text_string(&shown));
    cake_arena_fini(&test.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choices),     cmocka_unit_test(test_contract),
        cmocka_unit_test(test_known_order), cmocka_unit_test(test_held_slots),
        cmocka_unit_test(test_fill_bytes),  cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_value_text),  cmocka_unit_test(test_value_text_is_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
