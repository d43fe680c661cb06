/* Layouts by enumeration: which thread holds what is worked out from the definition in layout.h, and constructors are
 * compared with independent formulas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "plan/layout.h"

static jmp_buf out_of_memory;
static cake_arena arena;
static cake_layouts layouts;

static int open_arena(void **state) {
    (void)state;
    if (setjmp(out_of_memory)) return -1;
    cake_arena_init(&arena, CAKE_ARENA_DEFAULT_LIMIT, &out_of_memory);
    layouts = (cake_layouts){.arena = &arena};
    return 0;
}

static int close_arena(void **state) {
    (void)state;
    cake_arena_fini(&arena);
    return 0;
}

static uint32_t threads_of(const cake_layout *layout) {
    return 32u << layout->warp_bits;
}

static cake_coordinate element(const cake_layout *layout, uint32_t thread, uint32_t r) {
    cake_coordinate at = layout->registers[r];
    for (uint8_t d = 0; d < layout->shape.rank; d++) {
        for (uint32_t bit = 0; bit < CAKE_LANE_BITS; bit++)
            if (thread >> bit & 1) at.at[d] += layout->lane[bit].at[d];
        for (uint32_t bit = 0; bit < layout->warp_bits; bit++)
            if (thread >> (bit + CAKE_LANE_BITS) & 1) at.at[d] += layout->warp[bit].at[d];
    }
    return at;
}

static uint64_t flatten(const cake_shape *shape, const cake_coordinate *at) {
    uint64_t linear = 0;
    for (uint8_t d = 0; d < shape->rank; d++)
        linear = linear * shape->extents[d] + at->at[d];
    return linear;
}

static bool inside(const cake_shape *shape, const cake_coordinate *at) {
    for (uint8_t d = 0; d < shape->rank; d++)
        if (at->at[d] >= shape->extents[d]) return false;
    return true;
}

static uint32_t ones(uint32_t bits) {
    uint32_t count = 0;
    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

/* Every element is held equally often: once, times the threads that repeat the tile. */
static void assert_deals(const cake_layout *layout) {
    uint32_t repeats = 1u << (ones(cake_layout_repeated_lanes(layout)) + ones(cake_layout_repeated_warps(layout)));
    uint64_t elements = cake_shape_elements(&layout->shape);
    uint32_t *holders = CAKE_NEW_ARRAY(&arena, uint32_t, elements);
    for (uint32_t t = 0; t < threads_of(layout); t++)
        for (uint32_t r = 0; r < layout->register_count; r++) {
            cake_coordinate at = element(layout, t, r);
            assert_true(inside(&layout->shape, &at));
            holders[flatten(&layout->shape, &at)]++;
        }
    for (uint64_t i = 0; i < elements; i++)
        assert_int_equal(holders[i], repeats);
}

typedef struct runs_row {
    cake_shape shape;
    uint32_t run;
    uint8_t warp_bits;
    bool deals;
} runs_row;

static const runs_row runs_rows[] = {
    {{1, {1024}}, 4, 3, true},
    {{1, {4096}}, 8, 3, true},
    {{1, {32}}, 1, 0, true},
    {{1, {32}}, 1, 3, true},
    {{1, {8}}, 8, 2, true},
    {{1, {1}}, 1, 5, true},
    {{2, {64, 64}}, 8, 2, true},
    {{2, {4, 256}}, 2, 0, true},
    {{2, {128, 1}}, 1, 2, true},
    {{2, {1, 128}}, 1, 2, true},
    {{3, {2, 8, 32}}, 4, 1, true},
    {{2, {3, 1024}}, 4, 3, true},
    {{3, {3, 5, 128}}, 4, 0, true},
    {{2, {2, 96}}, 1, 1, false},
    {{1, {96}}, 1, 0, true},
    {{1, {100}}, 1, 0, false},
    {{1, {33}}, 1, 0, false},
    {{1, {64}}, 3, 0, false},
    {{1, {64}}, 0, 0, false},
    {{1, {24}}, 1, 0, false},
    {{2, {6, 16}}, 1, 0, true},
    {{1, {1u << 20}}, 1, 0, false},
    {{2, {65536, 65536}}, 1, 5, false},
    {{1, {0}}, 1, 0, false},
    {{1, {32768}}, 1, 0, true},
    {{1, {65536}}, 1, 0, false},
};

/* Thread t of T holds runs t, t + T, ..; a tile with fewer runs than threads is repeated. */
static void test_runs(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof runs_rows / sizeof *runs_rows; i++) {
        const runs_row *row = &runs_rows[i];
        const cake_layout *layout = cake_layout_runs(&layouts, &row->shape, row->run, row->warp_bits);
        if ((layout != NULL) != row->deals) fail_msg("row %zu: %s", i, layout ? "deals" : "does not deal");
        if (!layout) continue;
        assert_deals(layout);
        uint64_t elements = cake_shape_elements(&row->shape), runs = elements / row->run;
        for (uint32_t t = 0; t < threads_of(layout); t++)
            for (uint32_t r = 0; r < layout->register_count; r++) {
                uint64_t run = (t + (uint64_t)r / row->run * threads_of(layout)) % runs;
                cake_coordinate at = element(layout, t, r);
                assert_int_equal(flatten(&row->shape, &at), run * row->run + r % row->run);
            }
        assert_true(cake_layout_run(layout) >= (row->run & (0 - row->run)));
        assert_ptr_equal(layout, cake_layout_runs(&layouts, &row->shape, row->run, row->warp_bits));
    }
}

/* PTX ISA, 'Register fragments for wgmma.mma_async.m64nNk16': d[i] of a thread lies in row 16 * warp + lane / 4 + 8 *
 * (i / 2 % 2) and column 8 * (i / 4) + 2 * (lane % 4) + i % 2. Warpgroups own consecutive rows. */
static void test_wgmma(void **state) {
    (void)state;
    for (uint8_t warp_bits = 2; warp_bits <= 4; warp_bits++)
        for (uint32_t blocks = 1; blocks <= 2; blocks++)
            for (uint32_t n = 8; n <= 256; n += n < 64 ? 8 : 64) {
                uint32_t warpgroups = 1u << (warp_bits - 2);
                cake_shape shape = {2, {64 * warpgroups * blocks, n}};
                const cake_layout *layout = cake_layout_wgmma(&layouts, &shape, warp_bits);
                assert_non_null(layout);
                assert_deals(layout);
                assert_int_equal(layout->register_count, blocks * n / 2);
                for (uint32_t t = 0; t < threads_of(layout); t++)
                    for (uint32_t r = 0; r < layout->register_count; r++) {
                        uint32_t lane = t % 32, warp = t / 32 % 4, group = t / 128, block = r / (n / 2),
                                 i = r % (n / 2);
                        cake_coordinate at = element(layout, t, r);
                        assert_int_equal(at.at[0],
                                         (group * blocks + block) * 64 + 16 * warp + lane / 4 + 8 * (i / 2 % 2));
                        assert_int_equal(at.at[1], 8 * (i / 4) + 2 * (lane % 4) + i % 2);
                    }
                assert_int_equal(cake_layout_run(layout), 2);
            }
}

static void test_wgmma_refuses(void **state) {
    (void)state;
    assert_null(cake_layout_wgmma(&layouts, &(cake_shape){2, {64, 64}}, 1));
    assert_null(cake_layout_wgmma(&layouts, &(cake_shape){2, {32, 64}}, 2));
    assert_null(cake_layout_wgmma(&layouts, &(cake_shape){2, {64, 64}}, 3));
    assert_null(cake_layout_wgmma(&layouts, &(cake_shape){2, {64, 12}}, 2));
    assert_null(cake_layout_wgmma(&layouts, &(cake_shape){2, {0, 64}}, 2));
    assert_null(cake_layout_wgmma(&layouts, &(cake_shape){1, {64}}, 2));
    assert_null(cake_layout_wgmma(&layouts, &(cake_shape){3, {1, 64, 64}}, 2));
    assert_null(cake_layout_wgmma(&layouts, &(cake_shape){2, {64 * 64, 256}}, 2)); /* too many registers */
}

/* Layouts to transform, of both kinds. */
static uint32_t samples(const cake_layout **out) {
    uint32_t count = 0;
    out[count++] = cake_layout_wgmma(&layouts, &(cake_shape){2, {64, 64}}, 2);
    out[count++] = cake_layout_wgmma(&layouts, &(cake_shape){2, {256, 32}}, 3);
    out[count++] = cake_layout_runs(&layouts, &(cake_shape){2, {16, 64}}, 4, 1);
    out[count++] = cake_layout_runs(&layouts, &(cake_shape){2, {4, 8}}, 2, 2);
    out[count++] = cake_layout_runs(&layouts, &(cake_shape){3, {2, 8, 32}}, 1, 0);
    out[count++] = cake_layout_runs(&layouts, &(cake_shape){3, {3, 5, 128}}, 4, 0);
    for (uint32_t i = 0; i < count; i++)
        assert_non_null(out[i]);
    return count;
}

/* Whether the thread holds the element. */
static bool holds(const cake_layout *layout, uint32_t thread, const cake_coordinate *at) {
    for (uint32_t r = 0; r < layout->register_count; r++) {
        cake_coordinate own = element(layout, thread, r);
        if (memcmp(&own, at, sizeof own) == 0) return true;
    }
    return false;
}

static void test_collapse(void **state) {
    (void)state;
    const cake_layout *from[8];
    uint32_t count = samples(from);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t axes = 0; axes < 1u << from[i]->shape.rank; axes++) {
            const cake_layout *to = cake_layout_collapse(&layouts, from[i], axes);
            for (uint8_t d = 0; d < to->shape.rank; d++)
                assert_int_equal(to->shape.extents[d], axes >> d & 1 ? 1 : from[i]->shape.extents[d]);
            assert_deals(to);
            for (uint32_t t = 0; t < threads_of(to); t += 7)
                for (uint32_t r = 0; r < from[i]->register_count; r++) {
                    cake_coordinate at = element(from[i], t, r);
                    for (uint8_t d = 0; d < to->shape.rank; d++)
                        if (axes >> d & 1) at.at[d] = 0;
                    assert_true(holds(to, t, &at));
                }
            if (axes == 0) assert_ptr_equal(to, from[i]);
        }
}

static void test_insert_and_drop(void **state) {
    (void)state;
    const cake_layout *from[8];
    uint32_t count = samples(from);
    for (uint32_t i = 0; i < count; i++)
        for (uint8_t axis = 0; axis <= from[i]->shape.rank; axis++) {
            const cake_layout *to = cake_layout_insert_axis(&layouts, from[i], axis);
            assert_int_equal(to->shape.rank, from[i]->shape.rank + 1);
            assert_int_equal(to->shape.extents[axis], 1);
            assert_deals(to);
            assert_ptr_equal(cake_layout_drop_axis(&layouts, to, axis), from[i]);
            for (uint32_t t = 0; t < threads_of(to); t += 5)
                for (uint32_t r = 0; r < to->register_count; r++) {
                    cake_coordinate a = element(from[i], t, r), b = element(to, t, r);
                    assert_int_equal(flatten(&from[i]->shape, &a), flatten(&to->shape, &b));
                }
        }
}

static bool slice_holds(const cake_layout *layout, const uint32_t *offsets, const cake_shape *shape, uint32_t thread,
                        uint32_t r) {
    cake_coordinate at = element(layout, thread, r);
    for (uint8_t d = 0; d < shape->rank; d++)
        if (at.at[d] < offsets[d] || at.at[d] - offsets[d] >= shape->extents[d]) return false;
    return true;
}

/* The slice exists exactly when the registers that fall into it are the same in every thread, and at least one. */
static bool has_slice(const cake_layout *layout, const uint32_t *offsets, const cake_shape *shape) {
    bool any = false;
    for (uint32_t r = 0; r < layout->register_count; r++) {
        bool first = slice_holds(layout, offsets, shape, 0, r);
        any = any || first;
        for (uint32_t t = 1; t < threads_of(layout); t++)
            if (slice_holds(layout, offsets, shape, t, r) != first) return false;
    }
    return any;
}

static void check_slice(const cake_layout *layout, const uint32_t *offsets, const cake_shape *shape) {
    const cake_layout *to = cake_layout_slice(&layouts, layout, offsets, shape);
    assert_int_equal(to != NULL, has_slice(layout, offsets, shape));
    if (!to) return;
    assert_deals(to);
    for (uint32_t t = 0; t < threads_of(to); t++)
        for (uint32_t r = 0, next = 0; r < layout->register_count; r++) {
            if (!slice_holds(layout, offsets, shape, t, r)) continue;
            cake_coordinate at = element(layout, t, r), kept = element(to, t, next++);
            for (uint8_t d = 0; d < shape->rank; d++)
                assert_int_equal(kept.at[d], at.at[d] - offsets[d]);
        }
}

static void test_slice(void **state) {
    (void)state;
    const cake_layout *from[8];
    uint32_t count = samples(from);
    for (uint32_t i = 0; i < count; i++) {
        const cake_shape *whole = &from[i]->shape;
        for (uint8_t d = 0; d < whole->rank; d++)
            for (uint32_t length = 1; length <= whole->extents[d]; length += length < 4 ? 1 : 4)
                for (uint32_t offset = 0; offset + length <= whole->extents[d]; offset += offset < 4 ? 1 : 4) {
                    uint32_t offsets[CAKE_MAX_RANK] = {0};
                    cake_shape shape = *whole;
                    offsets[d] = offset;
                    shape.extents[d] = length;
                    check_slice(from[i], offsets, &shape);
                }
    }
}

static void test_fold(void **state) {
    (void)state;
    const cake_layout *from[8];
    uint32_t count = samples(from);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t axes = 1; axes < 1u << from[i]->shape.rank; axes++)
            for (int across = 0; across < 2; across++) {
                const cake_layout *to = cake_layout_fold(&layouts, from[i], axes, across);
                assert_deals(to);
                /* unfolded axes are as they were; a folded one has an element for every thread bit that spread it */
                for (uint8_t d = 0; d < to->shape.rank; d++) {
                    uint32_t sharers = 1;
                    for (uint32_t b = 0; b < CAKE_LANE_BITS && !across; b++)
                        sharers <<= from[i]->lane[b].at[d] != 0;
                    for (uint32_t b = 0; b < from[i]->warp_bits; b++)
                        sharers <<= from[i]->warp[b].at[d] != 0;
                    assert_int_equal(to->shape.extents[d], axes >> d & 1 ? sharers : from[i]->shape.extents[d]);
                }
            }
}

/* The row-major index of what a register holds in a thread stays the same, and none is refused without need. */
static void check_reshape(const cake_layout *from, const cake_shape *shape) {
    const cake_layout *to = cake_layout_reshape(&layouts, from, shape);
    if (!to) return;
    assert_true(cake_shape_equal(&to->shape, shape));
    assert_int_equal(to->register_count, from->register_count);
    for (uint32_t t = 0; t < threads_of(from); t++)
        for (uint32_t r = 0; r < from->register_count; r++) {
            cake_coordinate old = element(from, t, r), new = element(to, t, r);
            assert_true(inside(shape, &new));
            assert_int_equal(flatten(&from->shape, &old), flatten(shape, &new));
        }
    assert_ptr_equal(cake_layout_reshape(&layouts, to, &from->shape), from);
}

static void test_reshape(void **state) {
    (void)state;
    const cake_layout *from[8];
    uint32_t count = samples(from);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t elements = (uint32_t)cake_shape_elements(&from[i]->shape);
        for (uint32_t rows = 1; rows <= elements; rows++)
            if (elements % rows == 0) check_reshape(from[i], &(cake_shape){2, {rows, elements / rows}});
        assert_non_null(cake_layout_reshape(&layouts, from[i], &(cake_shape){1, {elements}}));
    }
    const cake_layout *runs = cake_layout_runs(&layouts, &(cake_shape){2, {96, 32}}, 4, 2);
    assert_null(cake_layout_reshape(&layouts, runs, &(cake_shape){2, {32, 96}}));
    assert_non_null(cake_layout_reshape(&layouts, runs, &(cake_shape){2, {3, 1024}}));
}

static void test_concat(void **state) {
    (void)state;
    const cake_layout *from[8];
    uint32_t count = samples(from);
    for (uint32_t i = 0; i < count; i++)
        for (uint8_t axis = 0; axis < from[i]->shape.rank; axis++) {
            const cake_layout *both = cake_layout_concat(&layouts, from[i], from[i], axis);
            assert_deals(both);
            uint32_t offsets[CAKE_MAX_RANK] = {0};
            assert_ptr_equal(cake_layout_slice(&layouts, both, offsets, &from[i]->shape), from[i]);
            offsets[axis] = from[i]->shape.extents[axis];
            assert_ptr_equal(cake_layout_slice(&layouts, both, offsets, &from[i]->shape), from[i]);
        }
    const cake_layout *narrow = cake_layout_runs(&layouts, &(cake_shape){1, {32}}, 1, 2);
    const cake_layout *wide = cake_layout_runs(&layouts, &(cake_shape){1, {128}}, 1, 2);
    assert_null(cake_layout_concat(&layouts, narrow, wide, 0));
}

/* Another extent along an axis is shared in the same way, so the two go together; 'like' itself changes nothing but the
 * order of registers. */
static void test_like(void **state) {
    (void)state;
    const cake_layout *from[8];
    uint32_t count = samples(from);
    for (uint32_t i = 0; i < count; i++)
        for (uint8_t axis = 0; axis < from[i]->shape.rank; axis++) {
            cake_shape shape = from[i]->shape;
            const cake_layout *same = cake_layout_like(&layouts, from[i], &shape);
            assert_int_equal(same->register_count, from[i]->register_count);
            shape.extents[axis] *= 3;
            const cake_layout *longer = cake_layout_like(&layouts, from[i], &shape);
            assert_deals(longer);
            assert_non_null(cake_layout_concat(&layouts, from[i], longer, axis));
        }
    const cake_layout *runs = cake_layout_runs(&layouts, &(cake_shape){1, {64}}, 1, 0);
    assert_ptr_equal(cake_layout_like(&layouts, runs, &(cake_shape){1, {64}}), runs);
    assert_null(cake_layout_like(&layouts, runs, &(cake_shape){1, {48}}));
    assert_null(cake_layout_like(&layouts, runs, &(cake_shape){1, {65536}}));
}

/* Every thread that held a part of the axis holds all of it. */
static void test_spread(void **state) {
    (void)state;
    const cake_layout *from[8];
    uint32_t count = samples(from);
    for (uint32_t i = 0; i < count; i++)
        for (uint8_t axis = 0; axis < from[i]->shape.rank; axis++) {
            const cake_layout *one = cake_layout_collapse(&layouts, from[i], 1u << axis);
            const cake_layout *to = cake_layout_spread(&layouts, from[i], axis, 3);
            assert_deals(to);
            assert_int_equal(to->shape.extents[axis], 3);
            assert_int_equal(to->register_count, 3 * one->register_count);
            assert_memory_equal(to->lane, one->lane, sizeof to->lane);
            assert_memory_equal(to->warp, one->warp, sizeof to->warp);
        }
    const cake_layout *large = cake_layout_runs(&layouts, &(cake_shape){2, {64, 32}}, 1, 0);
    assert_null(cake_layout_spread(&layouts, large, 1, 64));
}

static void test_find(void **state) {
    (void)state;
    const cake_layout *from[8];
    uint32_t count = samples(from);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t r = 0; r < from[i]->register_count; r++)
            assert_int_equal(cake_layout_find(from[i], &from[i]->registers[r]), r);
        assert_int_equal(cake_layout_find(from[i], &(cake_coordinate){{1u << 30}}), UINT32_MAX);
    }
}

static void test_repeats(void **state) {
    (void)state;
    const cake_layout *layout = cake_layout_runs(&layouts, &(cake_shape){1, {8}}, 1, 2);
    assert_int_equal(cake_layout_repeated_lanes(layout), 0x18);
    assert_int_equal(cake_layout_repeated_warps(layout), 0x3);
    layout = cake_layout_runs(&layouts, &(cake_shape){1, {1024}}, 4, 3);
    assert_int_equal(cake_layout_repeated_lanes(layout), 0);
    assert_int_equal(cake_layout_repeated_warps(layout), 0);
}

static void test_print(void **state) {
    (void)state;
    cake_text text;
    cake_text_init(&text, &arena);
    cake_layout_print(cake_layout_wgmma(&layouts, &(cake_shape){2, {64, 16}}, 2), &text);
    assert_string_equal(cake_text_string(&text), "[64, 16] 8 registers, runs of 2; lane bits(0,2)(0,4)(1,0)(2,0)(4,0); "
                                                 "warp bits(16,0)(32,0)");
}

#define LAYOUT_TEST(function) cmocka_unit_test_setup_teardown(function, open_arena, close_arena)

int main(void) {
    const struct CMUnitTest tests[] = {
        LAYOUT_TEST(test_runs),     LAYOUT_TEST(test_wgmma),           LAYOUT_TEST(test_wgmma_refuses),
        LAYOUT_TEST(test_collapse), LAYOUT_TEST(test_insert_and_drop), LAYOUT_TEST(test_slice),
        LAYOUT_TEST(test_fold),     LAYOUT_TEST(test_reshape),         LAYOUT_TEST(test_concat),
        LAYOUT_TEST(test_like),     LAYOUT_TEST(test_spread),          LAYOUT_TEST(test_find),
        LAYOUT_TEST(test_repeats),  LAYOUT_TEST(test_print),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
