/* Combining in order, on intervals: whatever is combined must follow each other without a gap. The steps are those that
 * generated code takes: registers that a step spans, then a lane's bit, and so on; then all warps' chunks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "plan/lines.h"

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

#define MAX_SEGMENTS 256

typedef struct interval {
    uint32_t begin, end;
} interval;

/* One line of one thread. */
typedef struct thread_line {
    uint32_t count;
    uint32_t positions[MAX_SEGMENTS]; /* of the segments' first registers */
    interval totals[MAX_SEGMENTS];
} thread_line;

static interval combine(interval left, interval right) {
    assert_int_equal(left.end, right.begin);
    return (interval){left.begin, right.end};
}

static uint32_t thread_position(const cake_layout_lines *lines, uint32_t thread) {
    uint32_t position = 0;
    for (uint32_t i = 0; i < lines->lane_count; i++)
        if (thread >> lines->lanes[i].bit & 1) position += lines->lanes[i].step;
    for (uint32_t i = 0; i < lines->warp_count; i++)
        if (thread >> (CAKE_LANE_BITS + lines->warps[i].bit) & 1) position += lines->warps[i].step;
    return position;
}

static void join(thread_line *line, uint32_t step) {
    uint32_t kept = 0;
    for (uint32_t i = 1; i < line->count; i++) {
        if (line->positions[i] / step == line->positions[kept] / step) {
            line->totals[kept] = combine(line->totals[kept], line->totals[i]);
        } else {
            kept++;
            line->positions[kept] = line->positions[i];
            line->totals[kept] = line->totals[i];
        }
    }
    line->count = kept + 1;
}

static void exchange(thread_line *threads, uint32_t count, uint32_t bit) {
    thread_line *before = CAKE_NEW_ARRAY(&arena, thread_line, count);
    memcpy(before, threads, count * sizeof *threads);
    for (uint32_t t = 0; t < count; t++)
        for (uint32_t i = 0; i < threads[t].count; i++) {
            interval mine = before[t].totals[i], other = before[t ^ 1u << bit].totals[i];
            threads[t].totals[i] = t >> bit & 1 ? combine(other, mine) : combine(mine, other);
        }
}

/* All chunks of all warps, as lane 0 sees them, by rising position. */
static interval walk(const cake_layout_lines *lines, const thread_line *threads, uint32_t count) {
    interval all = {0, 0};
    bool done[32][MAX_SEGMENTS] = {{false}};
    for (;;) {
        uint32_t nearest = UINT32_MAX, warp = 0, chunk = 0;
        for (uint32_t t = 0; t < count; t += 32)
            for (uint32_t i = 0; i < threads[t].count; i++) {
                uint32_t position = threads[t].positions[i] + thread_position(lines, t);
                bool repeats = false; /* warps that only repeat another's elements */
                for (uint32_t u = 0; u < t; u += 32)
                    repeats = repeats || thread_position(lines, u) == thread_position(lines, t);
                if (repeats || done[t / 32][i] || position >= nearest) continue;
                nearest = position;
                warp = t / 32;
                chunk = i;
            }
        if (nearest == UINT32_MAX) return all;
        done[warp][chunk] = true;
        all = combine(all, threads[32 * warp].totals[chunk]);
    }
}

static void check_order(const cake_layout *layout, uint32_t axes) {
    cake_layout_lines lines = cake_layout_lines_along(&arena, layout, axes);
    uint32_t count = 32u << layout->warp_bits, length = 1, seen = 0;
    thread_line *threads = CAKE_NEW_ARRAY(&arena, thread_line, count);
    for (uint8_t d = 0; d < layout->shape.rank; d++)
        if (axes >> d & 1) length *= layout->shape.extents[d];
    assert_true(lines.nested);
    for (uint32_t line = 0; line < lines.count; line++) {
        const cake_layout_line *registers = &lines.lines[line];
        seen += registers->count;
        assert_true(registers->count <= MAX_SEGMENTS);
        for (uint32_t t = 0; t < count; t++) {
            threads[t].count = registers->count;
            for (uint32_t i = 0; i < registers->count; i++) {
                uint32_t at = lines.positions[registers->registers[i]];
                threads[t].positions[i] = at;
                threads[t].totals[i] = (interval){at + thread_position(&lines, t), at + thread_position(&lines, t) + 1};
            }
        }
        for (uint32_t done = 0; done <= lines.lane_count; done++) {
            uint32_t step = cake_layout_lane_step(&lines, done);
            if (step == UINT32_MAX) step = cake_layout_warp_step(&lines, 0);
            for (uint32_t t = 0; t < count; t++)
                join(&threads[t], step);
            if (done < lines.lane_count) exchange(threads, count, lines.lanes[done].bit);
        }
        assert_true(threads[0].count <= lines.chunks);
        interval all = walk(&lines, threads, count);
        assert_int_equal(all.begin, 0);
        assert_int_equal(all.end, length);
    }
    assert_int_equal(seen, layout->register_count);
}

static void check_all_axes(const cake_layout *layout) {
    assert_non_null(layout);
    for (uint32_t axes = 1; axes < 1u << layout->shape.rank; axes++)
        check_order(layout, axes);
}

typedef struct runs_row {
    cake_shape shape;
    uint32_t run;
    uint8_t warp_bits;
} runs_row;

static void test_runs(void **state) {
    static const runs_row rows[] = {
        {{1, {1024}}, 4, 2},   {{1, {4096}}, 8, 1},        {{1, {1536}}, 4, 2},     {{1, {96}}, 1, 0},
        {{1, {16}}, 1, 1},     {{2, {64, 64}}, 4, 2},      {{2, {64, 4}}, 4, 2},    {{2, {8, 64}}, 1, 3},
        {{2, {3, 256}}, 2, 1}, {{2, {256, 2}}, 1, 1},      {{3, {4, 8, 16}}, 2, 1}, {{3, {3, 5, 128}}, 4, 0},
        {{2, {128, 1}}, 1, 2}, {{4, {2, 2, 8, 64}}, 8, 2}, {{1, {32}}, 1, 3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_all_axes(cake_layout_runs(&layouts, &rows[i].shape, rows[i].run, rows[i].warp_bits));
}

static void test_fragments(void **state) {
    (void)state;
    check_all_axes(cake_layout_wgmma(&layouts, &(cake_shape){2, {64, 64}}, 2));
    check_all_axes(cake_layout_wgmma(&layouts, &(cake_shape){2, {128, 24}}, 2));
    check_all_axes(cake_layout_wgmma(&layouts, &(cake_shape){2, {256, 32}}, 3));
    check_all_axes(cake_layout_mma(&layouts, &(cake_shape){2, {32, 64}}, 2, 0));
    check_all_axes(cake_layout_mma(&layouts, &(cake_shape){2, {16, 64}}, 4, 0));
    check_all_axes(cake_layout_mma(&layouts, &(cake_shape){2, {48, 24}}, 1, 0));
}

static void test_derived(void **state) {
    static const uint32_t offsets[CAKE_MAX_RANK] = {0, 32};
    (void)state;
    const cake_layout *acc = cake_layout_wgmma(&layouts, &(cake_shape){2, {128, 64}}, 2);
    const cake_layout *half = cake_layout_slice(&layouts, acc, offsets, &(cake_shape){2, {128, 32}});
    check_all_axes(half);
    check_all_axes(cake_layout_concat(&layouts, acc, half, 1));
    check_all_axes(cake_layout_reshape(&layouts, acc, &(cake_shape){3, {2, 64, 64}}));
    const cake_layout *runs = cake_layout_runs(&layouts, &(cake_shape){1, {2048}}, 4, 2);
    check_all_axes(cake_layout_reshape(&layouts, runs, &(cake_shape){3, {4, 16, 32}}));
    check_all_axes(cake_layout_spread(&layouts, acc, 1, 5));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_runs, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_fragments, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_derived, open_arena, close_arena),
    };
    return cmocka_run_group_tests_name("plan lines", tests, NULL, NULL);
}
