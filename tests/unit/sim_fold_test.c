/* Reductions, scans, topk and relayout of the simulator, against references that go through one element after the other
 * in the documented order. Functions that are neither commutative nor associative show each change of the order. The
 * machine is a small one: registers, one team whose warps are called in any order, and elementwise operations. */

#include "tests/unit/sim_team.h"

/* ---- functions ---- */

typedef struct pair {
    scalar of[2];
} pair;

typedef enum fold_form {
    FORM_BUILTIN,
    FORM_SKEW,   /* 3 a + b: neither commutative nor associative */
    FORM_RIGHT,  /* the right element */
    FORM_PAIR,   /* (a0 + b1, 3 a1 + b0) */
    FORM_SWAP,   /* (b1, a0) */
    FORM_EXTREME /* argmin, argmax */
} fold_form;

typedef struct fold_case {
    fold_form form;
    cake_plan_op op;
    cake_plan_reduction reduction;
    cake_plan_combiner combiner;
    const cake_layout *layout;
    scalar *tiles[2];
} fold_case;

static cake_plan_value *append(cake_plan_block *body, cake_plan_op op, cake_dtype dtype) {
    cake_plan_op *row = CAKE_NEW(&arena, cake_plan_op);
    *row = op;
    for (row->operand_count = 0; row->operand_count < 3 && row->operands[row->operand_count];)
        row->operand_count++;
    row->result = new_value(0, dtype, NULL);
    row->result->definition = row;
    if (body->last)
        body->last->next = row;
    else
        body->first = row;
    return (body->last = row)->result;
}

static cake_plan_value *binary(cake_plan_block *body, cake_binary_op op, cake_plan_value *a, cake_plan_value *b) {
    cake_dtype dtype = cake_binary_level(op) == 0 ? CAKE_DTYPE_BOOL : a->dtype;
    return append(body, (cake_plan_op){.kind = CAKE_PLAN_BINARY, .operands = {a, b}, .u.binary = op}, dtype);
}

static cake_plan_value *choose(cake_plan_block *body, cake_plan_value *c, cake_plan_value *a, cake_plan_value *b) {
    return append(body,
                  (cake_plan_op){.kind = CAKE_PLAN_CALL, .operands = {c, a, b}, .u.call.function = CAKE_BUILTIN_SELECT},
                  a->dtype);
}

/* 3 a + b; the 3 is a value from outside. */
static cake_plan_value *skew(cake_plan_block *body, cake_plan_value *a, cake_plan_value *b) {
    cake_plan_value *three = new_value(0, a->dtype, NULL);
    three->is_constant = true;
    three->integer = 3;
    if (a->dtype == CAKE_DTYPE_F32) store(CAKE_DTYPE_F32, (scalar){.real = 3}, &three->integer);
    return binary(body, CAKE_BINARY_ADD, binary(body, CAKE_BINARY_MUL, three, a), b);
}

static void extreme_body(fold_case *c, cake_plan_block *body) {
    cake_plan_value **l = c->combiner.left, **r = c->combiner.right;
    bool largest = c->reduction.function == CAKE_BUILTIN_ARGMAX;
    cake_plan_value *better = binary(body, largest ? CAKE_BINARY_GT : CAKE_BINARY_LT, r[0], l[0]);
    cake_plan_value *first = binary(body, CAKE_BINARY_LT, r[1], l[1]);
    cake_plan_value *same = binary(body, CAKE_BINARY_EQ, r[0], l[0]);
    cake_plan_value *takes = binary(body, CAKE_BINARY_OR, better, binary(body, CAKE_BINARY_AND, same, first));
    cake_plan_value *number = binary(body, CAKE_BINARY_OR, binary(body, CAKE_BINARY_EQ, r[0], r[0]), first);
    cake_plan_value *replaces = binary(body, CAKE_BINARY_AND, binary(body, CAKE_BINARY_NE, l[0], l[0]), number);
    takes = binary(body, CAKE_BINARY_OR, takes, replaces);
    c->combiner.results[0] = choose(body, takes, r[0], l[0]);
    c->combiner.results[1] = choose(body, takes, r[1], l[1]);
}

static void make_combiner(fold_case *c) {
    cake_plan_block *body = CAKE_NEW(&arena, cake_plan_block);
    cake_plan_value **l = c->combiner.left, **r = c->combiner.right;
    if (c->form == FORM_BUILTIN) return;
    c->combiner.tiles = c->op.operand_count;
    c->combiner.body = body;
    c->reduction.combiner = &c->combiner;
    for (uint32_t i = 0; i < c->combiner.tiles; i++) {
        l[i] = new_value(0, c->op.operands[i]->dtype, NULL);
        r[i] = new_value(0, c->op.operands[i]->dtype, NULL);
    }
    if (c->form == FORM_SKEW) {
        c->combiner.results[0] = skew(body, l[0], r[0]);
    } else if (c->form == FORM_RIGHT) {
        c->combiner.results[0] = r[0];
    } else if (c->form == FORM_PAIR) {
        c->combiner.results[0] = binary(body, CAKE_BINARY_ADD, l[0], r[1]);
        c->combiner.results[1] = skew(body, l[1], r[0]);
    } else if (c->form == FORM_SWAP) {
        c->combiner.results[0] = r[1];
        c->combiner.results[1] = l[0];
    } else {
        extreme_body(c, body);
    }
}

static pair combine_extremes(const fold_case *c, pair a, pair b) {
    cake_dtype dtype = c->op.result->dtype;
    bool a_nan = is_float(dtype) && isnan(a.of[0].real), b_nan = is_float(dtype) && isnan(b.of[0].real);
    bool first = a.of[1].integer < b.of[1].integer;
    if (a_nan != b_nan) return a_nan ? b : a;
    if (a_nan || equal(dtype, a.of[0], b.of[0])) return first ? a : b;
    return less(dtype, a.of[0], b.of[0]) == (c->reduction.function == CAKE_BUILTIN_ARGMAX) ? b : a;
}

static pair combine_builtin(const fold_case *c, pair a, pair b) {
    cake_dtype dtype = c->op.result->dtype;
    bool keeps_nan = c->reduction.modifiers & CAKE_MODIFIER_NAN;
    switch ((int)c->reduction.function) {
    case CAKE_BUILTIN_MIN:
        return (pair){{extreme(dtype, false, keeps_nan, a.of[0], b.of[0])}};
    case CAKE_BUILTIN_MAX:
        return (pair){{extreme(dtype, true, keeps_nan, a.of[0], b.of[0])}};
    case CAKE_BUILTIN_ANY:
        return (pair){{{.integer = a.of[0].integer | b.of[0].integer}}};
    case CAKE_BUILTIN_ALL:
        return (pair){{{.integer = a.of[0].integer & b.of[0].integer}}};
    default:
        return (pair){{add(dtype, a.of[0], b.of[0])}};
    }
}

static scalar skewed(cake_dtype dtype, scalar a, scalar b) {
    scalar three = {.integer = 3};
    if (is_float(dtype)) three.real = 3;
    return add(dtype, multiply(dtype, three, a), b);
}

static pair combine(const fold_case *c, pair a, pair b) {
    cake_dtype dtype = c->op.result->dtype;
    switch (c->form) {
    case FORM_BUILTIN:
        break;
    case FORM_SKEW:
        return (pair){{skewed(dtype, a.of[0], b.of[0])}};
    case FORM_RIGHT:
        return b;
    case FORM_PAIR:
        return (pair){{add(dtype, a.of[0], b.of[1]), skewed(dtype, a.of[1], b.of[0])}};
    case FORM_SWAP:
        return (pair){{b.of[1], a.of[0]}};
    case FORM_EXTREME:
        return combine_extremes(c, a, b);
    }
    return combine_builtin(c, a, b);
}

/* ---- the order ---- */

/* A line of the whole tile: its elements by position, from those of a coordinate that lies on it. */
typedef struct whole_line {
    uint32_t length;
    pair elements[MAX_TILE];
} whole_line;

static uint32_t position_of(const fold_case *c, const cake_coordinate *at) {
    uint32_t position = 0;
    for (uint8_t d = 0; d < c->layout->shape.rank; d++)
        if (c->reduction.axes >> d & 1) position = position * c->layout->shape.extents[d] + at->at[d];
    return position;
}

static pair element_of(const fold_case *c, const cake_coordinate *at) {
    uint32_t index = flatten(&c->layout->shape, at);
    return (pair){{c->tiles[0][index], c->op.operand_count == 2 ? c->tiles[1][index] : (scalar){0}}};
}

static void read_line(const fold_case *c, cake_coordinate at, whole_line *out_line) {
    const cake_shape *shape = &c->layout->shape;
    out_line->length = 1;
    for (uint8_t d = 0; d < shape->rank; d++)
        if (c->reduction.axes >> d & 1) out_line->length *= shape->extents[d];
    for (uint32_t p = 0; p < out_line->length; p++) {
        uint32_t rest = p;
        for (uint8_t d = shape->rank; d-- > 0;) {
            if (!(c->reduction.axes >> d & 1)) continue;
            at.at[d] = rest % shape->extents[d];
            rest /= shape->extents[d];
        }
        out_line->elements[p] = element_of(c, &at);
    }
}

static uint32_t step_of(const fold_case *c, const cake_coordinate *bit) {
    return position_of(c, bit);
}

/* Steps of the bits, rising. */
static uint32_t steps_of(const fold_case *c, const cake_coordinate *bits, uint32_t count, uint32_t *out_steps) {
    uint32_t steps = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = steps, step = step_of(c, &bits[i]);
        if (!step) continue;
        for (steps++; at && out_steps[at - 1] > step; at--)
            out_steps[at] = out_steps[at - 1];
        out_steps[at] = step;
    }
    return steps;
}

/* The sizes of the blocks that are made one out of the other: alternately of neighbours that one thread holds, from the
 * left, and of two that lanes hold. */
static uint32_t levels_of(const fold_case *c, uint32_t length, uint32_t *out_sizes) {
    uint32_t lanes[CAKE_LANE_BITS], warps[CAKE_WARP_BITS], levels = 0;
    uint32_t lane_count = steps_of(c, c->layout->lane, CAKE_LANE_BITS, lanes);
    uint32_t warp_count = steps_of(c, c->layout->warp, c->layout->warp_bits, warps);
    for (uint32_t i = 0; i < lane_count; i++) {
        out_sizes[levels++] = lanes[i];
        out_sizes[levels++] = 2 * lanes[i];
    }
    if (warp_count) out_sizes[levels++] = warps[0];
    out_sizes[levels++] = length;
    return levels;
}

/* Elements before 'end' in the block of a level that begins at 'begin'. */
static pair total(const fold_case *c, const whole_line *line, const uint32_t *sizes, uint32_t level, uint32_t begin,
                  uint32_t end) {
    uint32_t step = level ? sizes[level - 1] : 1;
    pair sum = {{{0}}};
    for (uint32_t at = begin; at < end; at += step) {
        pair part = level ? total(c, line, sizes, level - 1, at, at + step) : line->elements[at];
        sum = at == begin ? part : combine(c, sum, part);
    }
    return sum;
}

/* Inclusive: what comes before is gathered from the smallest block outwards, and goes before the run's own prefix. */
static pair prefix(const fold_case *c, const whole_line *line, const uint32_t *sizes, uint32_t levels,
                   uint32_t position) {
    uint32_t begin = position / sizes[0] * sizes[0];
    pair own = total(c, line, sizes, 0, begin, position + 1), before = {{{0}}};
    bool has_before = false;
    for (uint32_t level = 1; level < levels; level++) {
        uint32_t first = position / sizes[level] * sizes[level], last = position / sizes[level - 1] * sizes[level - 1];
        if (first == last) continue;
        pair sum = total(c, line, sizes, level, first, last);
        before = has_before ? combine(c, sum, before) : sum;
        has_before = true;
    }
    return has_before ? combine(c, before, own) : own;
}

/* ---- unordered ---- */

/* The thread's own registers of the line of register 'first', by rising position. */
static pair own_registers(const fold_case *c, uint32_t warp, uint32_t lane, uint32_t first) {
    const cake_layout *layout = c->layout;
    cake_coordinate line_at = coordinate_of(layout, warp, lane, first);
    pair sum = {{{0}}};
    for (int64_t last = -1, found = 0;; found++) {
        uint32_t next = UINT32_MAX;
        cake_coordinate next_at = {{0}};
        for (uint32_t r = 0; r < layout->register_count; r++) {
            cake_coordinate at = coordinate_of(layout, warp, lane, r);
            bool same = true;
            for (uint8_t d = 0; d < layout->shape.rank; d++)
                same = same && ((c->reduction.axes >> d & 1) || at.at[d] == line_at.at[d]);
            uint32_t position = position_of(c, &at);
            if (!same || position <= last || position >= next) continue;
            next = position;
            next_at = at;
        }
        if (next == UINT32_MAX) return sum;
        last = next;
        sum = found ? combine(c, sum, element_of(c, &next_at)) : element_of(c, &next_at);
    }
}

static pair across_lanes(const fold_case *c, uint32_t warp, uint32_t lane, uint32_t first, uint32_t bits) {
    while (bits && !(c->reduction.lane_bits >> (bits - 1) & 1))
        bits--;
    if (!bits || c->reduction.within == CAKE_WITHIN_LANE) return own_registers(c, warp, lane, first);
    bits--;
    return combine(c, across_lanes(c, warp, lane, first, bits), across_lanes(c, warp, lane ^ 1u << bits, first, bits));
}

static pair unordered(const fold_case *c, uint32_t warp, uint32_t lane, uint32_t first) {
    uint32_t mask = c->reduction.within == CAKE_WITHIN_TEAM ? c->reduction.warp_bits : 0;
    pair sum = {{{0}}};
    bool begun = false;
    for (uint32_t w = 0; w < 1u << c->layout->warp_bits; w++) {
        if (((w ^ warp) & ~mask) % (1u << c->layout->warp_bits)) continue;
        pair part = across_lanes(c, w, lane, first, CAKE_LANE_BITS);
        sum = begun ? combine(c, sum, part) : part;
        begun = true;
    }
    return sum;
}

/* ---- cases ---- */

static uint32_t bits_of(const fold_case *c, const cake_coordinate *bits, uint32_t count) {
    uint32_t mask = 0;
    for (uint32_t i = 0; i < count; i++)
        mask |= (uint32_t)(step_of(c, &bits[i]) != 0) << i;
    return mask;
}

static const cake_layout *result_layout(const fold_case *c) {
    uint32_t axes = c->reduction.axes;
    if (c->reduction.within != CAKE_WITHIN_TEAM)
        return cake_layout_fold(&layouts, c->layout, axes, c->reduction.within == CAKE_WITHIN_WARP);
    if (axes == (1u << c->layout->shape.rank) - 1) return NULL;
    const cake_layout *layout = cake_layout_collapse(&layouts, c->layout, axes);
    for (uint8_t d = c->layout->shape.rank; d-- > 0;)
        if (axes >> d & 1) layout = cake_layout_drop_axis(&layouts, layout, d);
    return layout;
}

static void make_case(fold_case *c, cake_plan_op_kind kind, const cake_dtype *dtypes) {
    bool counts = c->reduction.function == CAKE_BUILTIN_COUNT;
    uint32_t tiles = c->form >= FORM_PAIR ? 2 : 1;
    const cake_layout *results = kind == CAKE_PLAN_SCAN ? c->layout : result_layout(c);
    set_team(c->layout->warp_bits);
    c->op = (cake_plan_op){.kind = kind, .u.reduction = &c->reduction};
    for (uint32_t i = 0; i < tiles; i++) {
        cake_plan_value *operand = new_value(i, dtypes[i], c->layout);
        cake_plan_value *result = new_value(2 + i, counts ? CAKE_DTYPE_INDEX : dtypes[i], results);
        c->op.operands[c->op.operand_count++] = operand;
        *(i ? &c->op.second : &c->op.result) = result;
        make_places(result);
        c->tiles[i] = CAKE_NEW_ARRAY(&arena, scalar, MAX_TILE);
        make_tile(operand, c->tiles[i], c->form == FORM_EXTREME || c->reduction.function != CAKE_BUILTIN_SUM);
    }
    if (c->form == FORM_EXTREME)
        for (uint32_t i = 0; i < cake_shape_elements(&c->layout->shape); i++)
            c->tiles[1][i].integer = i; /* rising along each line, as positions are */
    for (uint32_t i = 0; i < tiles; i++)
        spread_tile(c->op.operands[i], c->tiles[i]);
    c->reduction.lane_bits = bits_of(c, c->layout->lane, CAKE_LANE_BITS);
    c->reduction.warp_bits = bits_of(c, c->layout->warp, c->layout->warp_bits);
    make_combiner(c);
}

/* Combining in order is not planned where lanes are farther apart than warps. */
static bool is_nested(const fold_case *c) {
    uint32_t lanes[CAKE_LANE_BITS], warps[CAKE_WARP_BITS];
    uint32_t lane_count = steps_of(c, c->layout->lane, CAKE_LANE_BITS, lanes);
    uint32_t warp_count = steps_of(c, c->layout->warp, c->layout->warp_bits, warps);
    return !lane_count || !warp_count || lanes[lane_count - 1] < warps[0];
}

static void check_pair(const fold_case *c, uint32_t warp, uint32_t lane, uint32_t r, pair expected) {
    check_element(c->op.result, warp, lane, r, expected.of[0]);
    if (c->op.second) check_element(c->op.second, warp, lane, r, expected.of[1]);
}

/* Register of the result that holds the line of the operand's register r. */
static uint32_t result_of(const fold_case *c, uint32_t r) {
    cake_coordinate at = {{0}};
    uint8_t kept = 0;
    if (c->op.result->shape.rank == 0) return 0;
    for (uint8_t d = 0; d < c->layout->shape.rank; d++) {
        bool folded = c->reduction.axes >> d & 1;
        if (folded && c->reduction.within == CAKE_WITHIN_TEAM) continue;
        at.at[kept++] = folded ? 0 : c->layout->registers[r].at[d];
    }
    return cake_layout_find(c->op.result->layout, &at);
}

#define CHECKED 24 /* elements of a case */

static void check_unordered(fold_case *c, const cake_dtype *dtypes) {
    make_case(c, CAKE_PLAN_REDUCE, dtypes);
    run_team(cake_sim_reduce, &c->op);
    for (uint32_t i = 0; i < CHECKED; i++) {
        uint32_t w = pick(team_warps), r = pick(c->layout->register_count);
        uint32_t lane = c->op.result->shape.rank ? pick(LANES) : 0;
        check_pair(c, w, lane, result_of(c, r), unordered(c, w, lane, r));
    }
}

static void check_ordered(fold_case *c, cake_plan_op_kind kind, const cake_dtype *dtypes) {
    static whole_line line;
    uint32_t sizes[2 * CAKE_LANE_BITS + 2];
    c->reduction.ordered = true;
    if (!is_nested(c)) return;
    make_case(c, kind, dtypes);
    run_team(kind == CAKE_PLAN_SCAN ? cake_sim_scan : cake_sim_reduce, &c->op);
    for (uint32_t i = 0; i < CHECKED; i++) {
        uint32_t w = pick(team_warps), lane = pick(LANES), r = pick(c->layout->register_count);
        cake_coordinate at = coordinate_of(c->layout, w, lane, r);
        read_line(c, at, &line);
        uint32_t levels = levels_of(c, line.length, sizes);
        if (kind == CAKE_PLAN_SCAN)
            check_pair(c, w, lane, r, prefix(c, &line, sizes, levels, position_of(c, &at)));
        else
            check_pair(c, w, lane, result_of(c, r), total(c, &line, sizes, levels - 1, 0, line.length));
    }
}

/* ---- layouts ---- */

static const cake_layout *random_runs(void) {
    static const uint32_t extents[] = {1, 2, 3, 4, 5, 8, 12, 16, 24, 32, 64, 128, 256};
    const cake_layout *layout = NULL;
    while (!layout) {
        cake_shape shape = {.rank = (uint8_t)(1 + pick(3))};
        for (uint8_t d = 0; d < shape.rank; d++)
            shape.extents[d] = extents[pick(sizeof extents / sizeof *extents)];
        if (cake_shape_elements(&shape) <= MAX_TILE)
            layout = cake_layout_runs(&layouts, &shape, 1u << pick(4), (uint8_t)pick(4));
        if (layout && layout->register_count > 64) layout = NULL;
    }
    return layout;
}

/* Some of the layouts that do not come from runs: fragments, with other shapes, and tiles that threads share. */
static const cake_layout *random_layout(void) {
    static const uint32_t second_half[CAKE_MAX_RANK] = {0, 32};
    const cake_layout *wgmma = cake_layout_wgmma(&layouts, &(cake_shape){2, {64, 64}}, 2);
    const cake_layout *runs = random_runs();
    switch (pick(12)) {
    case 0:
        return wgmma;
    case 1:
        return cake_layout_wgmma(&layouts, &(cake_shape){2, {128, 24}}, 3);
    case 2:
        return cake_layout_mma(&layouts, &(cake_shape){2, {32, 64}}, 1u << pick(3), 0);
    case 3:
        return cake_layout_slice(&layouts, wgmma, second_half, &(cake_shape){2, {64, 32}});
    case 4:
        return cake_layout_reshape(&layouts, wgmma, &(cake_shape){3, {2, 32, 64}});
    case 5:
        return cake_layout_transpose(&layouts, wgmma);
    case 6:
        return cake_layout_collapse(&layouts, runs, 1u << pick(runs->shape.rank));
    case 7:
        return cake_layout_spread(&layouts, wgmma, 1, 5);
    default:
        return runs;
    }
}

static fold_case random_case(fold_form form, cake_builtin function, cake_within within) {
    fold_case c = {.form = form, .layout = random_layout()};
    c.reduction.function = function;
    c.reduction.within = within;
    c.reduction.axes = 1 + pick((1u << c.layout->shape.rank) - 1);
    return c;
}

/* ---- tests ---- */

/* Each case has its own memory. */
static void begin_case(void) {
    cake_arena_init(&arena, CAKE_ARENA_DEFAULT_LIMIT, &out_of_memory);
    layouts = (cake_layouts){.arena = &arena};
}

static const cake_dtype number_dtypes[] = {
    CAKE_DTYPE_F64, CAKE_DTYPE_F32, CAKE_DTYPE_F16, CAKE_DTYPE_BF16, CAKE_DTYPE_I64, CAKE_DTYPE_I32,  CAKE_DTYPE_I16,
    CAKE_DTYPE_I8,  CAKE_DTYPE_U64, CAKE_DTYPE_U32, CAKE_DTYPE_U16,  CAKE_DTYPE_U8,  CAKE_DTYPE_INDEX};
#define NUMBERS (sizeof number_dtypes / sizeof *number_dtypes)

static void check_builtin(cake_builtin function, cake_dtype dtype, uint8_t modifiers) {
    begin_case();
    fold_case c = random_case(FORM_BUILTIN, function, (cake_within)pick(3));
    c.reduction.modifiers = modifiers;
    check_unordered(&c, &dtype);
    cake_arena_fini(&arena);
}

static void test_builtins(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 4 * NUMBERS; i++) {
        cake_dtype dtype = number_dtypes[i % NUMBERS];
        check_builtin(CAKE_BUILTIN_SUM, dtype, 0);
        check_builtin(CAKE_BUILTIN_MIN, dtype, i & 1 ? CAKE_MODIFIER_NAN : 0);
        check_builtin(CAKE_BUILTIN_MAX, dtype, i & 1 ? CAKE_MODIFIER_NAN : 0);
        check_builtin(CAKE_BUILTIN_ANY, CAKE_DTYPE_BOOL, 0);
        check_builtin(CAKE_BUILTIN_ALL, CAKE_DTYPE_BOOL, 0);
        check_builtin(CAKE_BUILTIN_COUNT, CAKE_DTYPE_BOOL, 0);
    }
}

static void test_extremes(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 4 * NUMBERS; i++) {
        cake_dtype dtypes[2] = {number_dtypes[i % NUMBERS], CAKE_DTYPE_INDEX};
        begin_case();
        fold_case c =
            random_case(FORM_EXTREME, i & 1 ? CAKE_BUILTIN_ARGMIN : CAKE_BUILTIN_ARGMAX, (cake_within)pick(3));
        check_unordered(&c, dtypes);
        cake_arena_fini(&arena);
    }
}

static const cake_dtype skewed_dtypes[] = {CAKE_DTYPE_U32, CAKE_DTYPE_F32, CAKE_DTYPE_U8, CAKE_DTYPE_U64,
                                           CAKE_DTYPE_U16};

static void check_combined(cake_plan_op_kind kind, fold_form form) {
    cake_dtype dtype = skewed_dtypes[pick(sizeof skewed_dtypes / sizeof *skewed_dtypes)], dtypes[2] = {dtype, dtype};
    begin_case();
    fold_case c = random_case(form, kind == CAKE_PLAN_SCAN ? CAKE_BUILTIN_SCAN : CAKE_BUILTIN_REDUCE, CAKE_WITHIN_TEAM);
    check_ordered(&c, kind, dtypes);
    cake_arena_fini(&arena);
}

static void test_ordered(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 50; i++)
        for (fold_form form = FORM_SKEW; form <= FORM_SWAP; form++)
            check_combined(CAKE_PLAN_REDUCE, form);
}

static void test_scans(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 50; i++)
        for (fold_form form = FORM_SKEW; form <= FORM_SWAP; form++)
            check_combined(CAKE_PLAN_SCAN, form);
}

static void test_sums(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 10 * NUMBERS; i++) {
        begin_case();
        fold_case c = random_case(FORM_BUILTIN, CAKE_BUILTIN_SCAN, CAKE_WITHIN_TEAM);
        check_ordered(&c, CAKE_PLAN_SCAN, &number_dtypes[i % NUMBERS]);
        cake_arena_fini(&arena);
    }
}

/* Within lane or warp a function combines what the lane or warp has, by rising position. */
static void test_ordered_within(void **state) {
    cake_dtype dtype = CAKE_DTYPE_U32;
    (void)state;
    for (uint32_t i = 0; i < 60; i++) {
        begin_case();
        fold_case c = random_case(FORM_RIGHT, CAKE_BUILTIN_REDUCE, i & 1 ? CAKE_WITHIN_LANE : CAKE_WITHIN_WARP);
        c.reduction.ordered = true;
        make_case(&c, CAKE_PLAN_REDUCE, &dtype);
        run_team(cake_sim_reduce, &c.op);
        for (uint32_t w = 0; w < team_warps; w++)
            for (uint32_t lane = 0; lane < LANES; lane++)
                for (uint32_t r = 0; r < c.layout->register_count; r++) {
                    uint32_t last = c.reduction.within == CAKE_WITHIN_WARP ? lane | c.reduction.lane_bits : lane;
                    check_pair(&c, w, lane, result_of(&c, r), own_registers(&c, w, last, r));
                }
        cake_arena_fini(&arena);
    }
}

static void check_top(const cake_plan_op *op, const scalar *tile) {
    const cake_layout *to = op->result->layout;
    const cake_shape *shape = &op->operands[0]->shape;
    cake_dtype dtype = op->result->dtype;
    for (uint32_t w = 0; w < team_warps; w++)
        for (uint32_t r = 0; r < to->register_count; r++)
            for (uint32_t lane = 0; lane < LANES; lane++) {
                cake_coordinate at = coordinate_of(to, w, lane, r);
                uint32_t rank = 0, above = 0, same = 0;
                scalar found = load(dtype, element_at(op->result, w, lane, r));
                for (uint8_t d = 0; d < shape->rank; d++)
                    if (op->u.reduction->axes >> d & 1) rank = at.at[d];
                for (uint8_t d = 0; d < shape->rank; d++)
                    for (uint32_t i = 0; (op->u.reduction->axes >> d & 1) && i < shape->extents[d]; i++) {
                        at.at[d] = i;
                        scalar other = tile[flatten(shape, &at)];
                        above += less(dtype, found, other);
                        same += equal(dtype, found, other);
                    }
                assert_true(above <= rank && rank < above + same); /* as it is in the sorted line */
            }
}

static void test_topk(void **state) {
    static const cake_dtype dtypes[] = {CAKE_DTYPE_I64, CAKE_DTYPE_I32, CAKE_DTYPE_U16,  CAKE_DTYPE_I8,
                                        CAKE_DTYPE_U64, CAKE_DTYPE_U32, CAKE_DTYPE_INDEX};
    static scalar tile[MAX_TILE];
    (void)state;
    for (uint32_t i = 0; i < 100; i++) {
        begin_case();
        fold_case c = {.layout = random_layout(), .reduction = {.function = CAKE_BUILTIN_TOPK}};
        uint8_t axis = (uint8_t)pick(c.layout->shape.rank);
        uint32_t extent = c.layout->shape.extents[axis];
        c.reduction.axes = 1u << axis;
        c.reduction.count = 1 + pick(extent < 12 ? extent : 12);
        set_team(c.layout->warp_bits);
        const cake_layout *to = cake_layout_spread(&layouts, c.layout, axis, c.reduction.count);
        c.reduction.lane_bits = bits_of(&c, c.layout->lane, CAKE_LANE_BITS);
        c.reduction.warp_bits = bits_of(&c, c.layout->warp, c.layout->warp_bits);
        cake_dtype dtype = dtypes[i % (sizeof dtypes / sizeof *dtypes)];
        c.op = (cake_plan_op){.kind = CAKE_PLAN_TOPK, .u.reduction = &c.reduction, .operand_count = 1};
        c.op.operands[0] = new_value(0, dtype, c.layout);
        c.op.result = new_value(2, dtype, to);
        if (to) {
            make_tile(c.op.operands[0], tile, false);
            spread_tile(c.op.operands[0], tile);
            make_places(c.op.result);
            run_team(cake_sim_topk, &c.op);
            check_top(&c.op, tile);
        }
        cake_arena_fini(&arena);
    }
}

static void check_relayout(const cake_layout *from, const cake_layout *to, cake_dtype dtype) {
    static scalar tile[MAX_TILE];
    cake_plan_op op = {.kind = CAKE_PLAN_RELAYOUT, .operand_count = 1, .u.bytes = from != to};
    set_team(from->warp_bits);
    op.operands[0] = new_value(0, dtype, from);
    op.result = new_value(2, dtype, to);
    make_tile(op.operands[0], tile, false);
    spread_tile(op.operands[0], tile);
    make_places(op.result);
    run_team(cake_sim_relayout, &op);
    for (uint32_t w = 0; w < team_warps; w++)
        for (uint32_t r = 0; r < to->register_count; r++)
            for (uint32_t lane = 0; lane < LANES; lane++) {
                cake_coordinate at = coordinate_of(to, w, lane, r);
                check_element(op.result, w, lane, r, tile[flatten(&to->shape, &at)]);
            }
}

static void test_relayouts(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 8 * NUMBERS; i++) {
        begin_case();
        const cake_layout *from = random_layout();
        const cake_layout *to = cake_layout_runs(&layouts, &from->shape, 1u << pick(3), from->warp_bits);
        if (to) check_relayout(i & 1 ? to : from, i & 1 ? from : to, number_dtypes[i % NUMBERS]);
        check_relayout(from, from, CAKE_DTYPE_F32);
        cake_arena_fini(&arena);
    }
}

int main(void) {
    if (setjmp(out_of_memory)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builtins), cmocka_unit_test(test_extremes),  cmocka_unit_test(test_ordered),
        cmocka_unit_test(test_scans),    cmocka_unit_test(test_sums),      cmocka_unit_test(test_ordered_within),
        cmocka_unit_test(test_topk),     cmocka_unit_test(test_relayouts),
    };
    return cmocka_run_group_tests_name("simulated folds", tests, NULL, NULL);
}
