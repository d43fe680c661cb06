/* Layouts are built by one of the constructors below into a scratch row and then interned. */
#include "plan/layout.h"

#include <string.h>

uint64_t cake_shape_elements(const cake_shape *shape) {
    uint64_t elements = 1;
    for (uint8_t d = 0; d < shape->rank; d++) {
        elements *= shape->extents[d];
        if (elements > UINT32_MAX) return UINT32_MAX; /* larger than any tile may be */
    }
    return elements;
}

bool cake_shape_equal(const cake_shape *a, const cake_shape *b) {
    if (a->rank != b->rank) return false;
    for (uint8_t d = 0; d < a->rank; d++)
        if (a->extents[d] != b->extents[d]) return false;
    return true;
}

void cake_shape_print(const cake_shape *shape, cake_text *out) {
    cake_text_add_string(out, "[");
    for (uint8_t d = 0; d < shape->rank; d++)
        cake_text_format(out, "%s%u", d ? ", " : "", shape->extents[d]);
    cake_text_add_string(out, "]");
}

static bool layouts_equal(const cake_layout *a, const cake_layout *b) {
    return cake_shape_equal(&a->shape, &b->shape) && a->warp_bits == b->warp_bits &&
           a->register_count == b->register_count && memcmp(a->lane, b->lane, sizeof a->lane) == 0 &&
           memcmp(a->warp, b->warp, sizeof a->warp) == 0 &&
           memcmp(a->registers, b->registers, a->register_count * sizeof *a->registers) == 0;
}

static const cake_layout *intern(cake_layouts *layouts, const cake_layout *candidate) {
    for (uint32_t i = 0; i < layouts->rows.count; i++)
        if (layouts_equal(layouts->rows.items[i], candidate)) return layouts->rows.items[i];
    cake_layout *row = CAKE_NEW(layouts->arena, cake_layout);
    *row = *candidate;
    cake_coordinate *registers = CAKE_NEW_ARRAY(layouts->arena, cake_coordinate, candidate->register_count);
    memcpy(registers, candidate->registers, candidate->register_count * sizeof *registers);
    row->registers = registers;
    row->number = layouts->rows.count + 1;
    *CAKE_PUSH(layouts->arena, &layouts->rows) = row;
    return row;
}

/* Row-major coordinate of a linear index. */
static cake_coordinate unflatten(const cake_shape *shape, uint64_t linear) {
    cake_coordinate coordinate = {{0}};
    for (uint8_t d = shape->rank; d-- > 0;) {
        coordinate.at[d] = (uint32_t)(linear % shape->extents[d]);
        linear /= shape->extents[d];
    }
    return coordinate;
}

static cake_coordinate add(cake_coordinate a, const cake_coordinate *b) {
    for (uint8_t d = 0; d < CAKE_MAX_RANK; d++)
        a.at[d] += b->at[d];
    return a;
}

/* The largest coordinate that any thread and register reaches is the sum of all summands; without carries it stays
 * below the extents exactly when the map is one to one on the bits that are used. */
static bool stays_inside(const cake_layout *layout) {
    cake_coordinate threads = {{0}};
    for (uint32_t i = 0; i < CAKE_LANE_BITS; i++)
        threads = add(threads, &layout->lane[i]);
    for (uint32_t i = 0; i < CAKE_WARP_BITS; i++)
        threads = add(threads, &layout->warp[i]);
    for (uint32_t r = 0; r < layout->register_count; r++) {
        cake_coordinate last = add(threads, &layout->registers[r]);
        for (uint8_t d = 0; d < layout->shape.rank; d++)
            if (last.at[d] >= layout->shape.extents[d]) return false;
    }
    return true;
}

const cake_layout *cake_layout_runs(cake_layouts *layouts, const cake_shape *shape, uint32_t run, uint8_t warp_bits) {
    uint64_t elements = cake_shape_elements(shape);
    uint32_t last = shape->rank ? shape->extents[shape->rank - 1] : 1;
    if (run == 0 || elements == 0 || last % run != 0) return NULL;
    uint64_t runs = elements / run, threads = 32ull << warp_bits;
    uint64_t wraps = runs >= threads ? runs / threads : 1;
    if (runs >= threads ? runs % threads != 0 : threads % runs != 0) return NULL;
    if (wraps * run > CAKE_MAX_REGISTERS) return NULL;
    cake_layout layout = {.shape = *shape, .warp_bits = warp_bits, .register_count = (uint32_t)(wraps * run)};
    cake_coordinate *registers = CAKE_NEW_ARRAY(layouts->arena, cake_coordinate, layout.register_count);
    for (uint32_t r = 0; r < layout.register_count; r++)
        registers[r] = unflatten(shape, (uint64_t)(r / run) * threads * run + r % run);
    layout.registers = registers;
    for (uint32_t bit = 0; bit < (uint32_t)CAKE_LANE_BITS + warp_bits; bit++) {
        uint64_t thread = 1ull << bit;
        cake_coordinate step = {{0}};
        if (thread < runs) step = unflatten(shape, thread * run);
        if (bit < CAKE_LANE_BITS)
            layout.lane[bit] = step;
        else
            layout.warp[bit - CAKE_LANE_BITS] = step;
    }
    return stays_inside(&layout) ? intern(layouts, &layout) : NULL;
}

const cake_layout *cake_layout_wgmma(cake_layouts *layouts, const cake_shape *shape, uint8_t warp_bits) {
    if (shape->rank != 2 || warp_bits < 2) return NULL;
    uint32_t warpgroups = 1u << (warp_bits - 2), m = shape->extents[0], n = shape->extents[1];
    if (m == 0 || n == 0 || m % (64 * warpgroups) != 0 || n % 8 != 0) return NULL;
    uint32_t blocks = m / (64 * warpgroups);
    if ((uint64_t)blocks * (n / 2) > CAKE_MAX_REGISTERS) return NULL;
    cake_layout layout = {.shape = *shape, .warp_bits = warp_bits, .register_count = blocks * (n / 2)};
    cake_coordinate *registers = CAKE_NEW_ARRAY(layouts->arena, cake_coordinate, layout.register_count);
    for (uint32_t r = 0; r < layout.register_count; r++) {
        uint32_t block = r / (n / 2), q = r % (n / 2);
        registers[r].at[0] = block * 64 + (q >> 1 & 1) * 8;
        registers[r].at[1] = (q >> 2) * 8 + (q & 1);
    }
    layout.registers = registers;
    for (uint32_t bit = 0; bit < 2; bit++)
        layout.lane[bit].at[1] = 2u << bit;
    for (uint32_t bit = 2; bit < CAKE_LANE_BITS; bit++)
        layout.lane[bit].at[0] = 1u << (bit - 2);
    for (uint32_t bit = 0; bit < 2; bit++)
        layout.warp[bit].at[0] = 16u << bit;
    for (uint32_t bit = 2; bit < warp_bits; bit++)
        layout.warp[bit].at[0] = (64u * blocks) << (bit - 2);
    return intern(layouts, &layout);
}

const cake_layout *cake_layout_mma(cake_layouts *layouts, const cake_shape *shape, uint32_t per_word,
                                   uint8_t warp_bits) {
    if (shape->rank != 2 || warp_bits != 0) return NULL;
    if (per_word != 1 && per_word != 2 && per_word != 4) return NULL;
    uint32_t rows = shape->extents[0], columns = shape->extents[1], group = 4 * per_word;
    if (rows == 0 || columns == 0 || rows % 16 != 0 || columns % group != 0) return NULL;
    if (cake_shape_elements(shape) / 32 > CAKE_MAX_REGISTERS) return NULL;
    cake_layout layout = {.shape = *shape, .register_count = rows / 16 * (columns / group) * 2 * per_word};
    cake_coordinate *registers = CAKE_NEW_ARRAY(layouts->arena, cake_coordinate, layout.register_count);
    for (uint32_t r = 0; r < layout.register_count; r++) {
        uint32_t word = r / per_word, groups = columns / group;
        registers[r].at[0] = word / (2 * groups) * 16 + word % 2 * 8;
        registers[r].at[1] = word / 2 % groups * group + r % per_word;
    }
    layout.registers = registers;
    for (uint32_t bit = 0; bit < 2; bit++)
        layout.lane[bit].at[1] = per_word << bit;
    for (uint32_t bit = 2; bit < CAKE_LANE_BITS; bit++)
        layout.lane[bit].at[0] = 1u << (bit - 2);
    return intern(layouts, &layout);
}

static bool coordinates_equal(const cake_coordinate *a, const cake_coordinate *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

/* Keeps the first of equal registers. */
static void merge_registers(cake_layout *layout, cake_coordinate *registers) {
    uint32_t kept = 0;
    for (uint32_t r = 0; r < layout->register_count; r++) {
        uint32_t known = 0;
        while (known < kept && !coordinates_equal(&registers[known], &registers[r]))
            known++;
        if (known == kept) registers[kept++] = registers[r];
    }
    layout->register_count = kept;
    layout->registers = registers;
}

static cake_coordinate *copy_registers(cake_layouts *layouts, const cake_layout *layout) {
    cake_coordinate *registers = CAKE_NEW_ARRAY(layouts->arena, cake_coordinate, layout->register_count);
    for (uint32_t r = 0; r < layout->register_count; r++)
        registers[r] = layout->registers[r];
    return registers;
}

const cake_layout *cake_layout_collapse(cake_layouts *layouts, const cake_layout *layout, uint32_t axes) {
    cake_layout result = *layout;
    cake_coordinate *registers = copy_registers(layouts, layout);
    for (uint8_t d = 0; d < layout->shape.rank; d++) {
        if (!(axes >> d & 1)) continue;
        result.shape.extents[d] = 1;
        for (uint32_t i = 0; i < CAKE_LANE_BITS; i++)
            result.lane[i].at[d] = 0;
        for (uint32_t i = 0; i < CAKE_WARP_BITS; i++)
            result.warp[i].at[d] = 0;
        for (uint32_t r = 0; r < layout->register_count; r++)
            registers[r].at[d] = 0;
    }
    merge_registers(&result, registers);
    return intern(layouts, &result);
}

/* Bits that were spread along the axis count through its new elements. */
static void number_bits(cake_coordinate *bits, uint32_t count, uint8_t axis, uint32_t *next) {
    for (uint32_t i = 0; i < count; i++) {
        if (!bits[i].at[axis]) continue;
        bits[i].at[axis] = *next;
        *next *= 2;
    }
}

const cake_layout *cake_layout_fold(cake_layouts *layouts, const cake_layout *layout, uint32_t axes,
                                    bool across_lanes) {
    cake_layout result = *layout;
    cake_coordinate *registers = copy_registers(layouts, layout);
    for (uint8_t d = 0; d < layout->shape.rank; d++) {
        if (!(axes >> d & 1)) continue;
        uint32_t extent = 1;
        for (uint32_t i = 0; across_lanes && i < CAKE_LANE_BITS; i++)
            result.lane[i].at[d] = 0;
        number_bits(result.lane, CAKE_LANE_BITS, d, &extent);
        number_bits(result.warp, layout->warp_bits, d, &extent);
        result.shape.extents[d] = extent;
        for (uint32_t r = 0; r < layout->register_count; r++)
            registers[r].at[d] = 0;
    }
    merge_registers(&result, registers);
    return intern(layouts, &result);
}

typedef void reshape_axis(cake_coordinate *coordinate, uint8_t axis);

static void remove_axis(cake_coordinate *coordinate, uint8_t axis) {
    for (uint8_t d = axis; d + 1 < CAKE_MAX_RANK; d++)
        coordinate->at[d] = coordinate->at[d + 1];
    coordinate->at[CAKE_MAX_RANK - 1] = 0;
}

static void open_axis(cake_coordinate *coordinate, uint8_t axis) {
    for (uint8_t d = CAKE_MAX_RANK - 1; d > axis; d--)
        coordinate->at[d] = coordinate->at[d - 1];
    coordinate->at[axis] = 0;
}

/* With the one behind it. */
static void swap_axes(cake_coordinate *coordinate, uint8_t axis) {
    uint32_t first = coordinate->at[axis];
    coordinate->at[axis] = coordinate->at[axis + 1];
    coordinate->at[axis + 1] = first;
}

static const cake_layout *map_axes(cake_layouts *layouts, const cake_layout *layout, reshape_axis *change, uint8_t axis,
                                   const cake_shape *shape) {
    cake_layout result = *layout;
    cake_coordinate *registers = copy_registers(layouts, layout);
    for (uint32_t r = 0; r < layout->register_count; r++)
        change(&registers[r], axis);
    for (uint32_t i = 0; i < CAKE_LANE_BITS; i++)
        change(&result.lane[i], axis);
    for (uint32_t i = 0; i < CAKE_WARP_BITS; i++)
        change(&result.warp[i], axis);
    result.registers = registers;
    result.shape = *shape;
    return intern(layouts, &result);
}

const cake_layout *cake_layout_drop_axis(cake_layouts *layouts, const cake_layout *layout, uint8_t axis) {
    cake_shape shape = {.rank = (uint8_t)(layout->shape.rank - 1)};
    for (uint8_t d = 0; d < shape.rank; d++)
        shape.extents[d] = layout->shape.extents[d < axis ? d : d + 1];
    return map_axes(layouts, layout, remove_axis, axis, &shape);
}

const cake_layout *cake_layout_insert_axis(cake_layouts *layouts, const cake_layout *layout, uint8_t axis) {
    cake_shape shape = {.rank = (uint8_t)(layout->shape.rank + 1)};
    for (uint8_t d = 0; d < shape.rank; d++)
        shape.extents[d] = d == axis ? 1 : layout->shape.extents[d < axis ? d : d - 1];
    return map_axes(layouts, layout, open_axis, axis, &shape);
}

const cake_layout *cake_layout_transpose(cake_layouts *layouts, const cake_layout *layout) {
    cake_shape shape = {.rank = 2, .extents = {layout->shape.extents[1], layout->shape.extents[0]}};
    return map_axes(layouts, layout, swap_axes, 0, &shape);
}

const cake_layout *cake_layout_slice(cake_layouts *layouts, const cake_layout *layout, const uint32_t *offsets,
                                     const cake_shape *shape) {
    cake_layout result = *layout;
    result.shape = *shape;
    cake_coordinate *registers = CAKE_NEW_ARRAY(layouts->arena, cake_coordinate, layout->register_count);
    uint32_t kept = 0;
    for (uint32_t r = 0; r < layout->register_count; r++) {
        bool inside = true;
        cake_coordinate at = layout->registers[r];
        for (uint8_t d = 0; d < shape->rank; d++) {
            inside = inside && at.at[d] >= offsets[d] && at.at[d] - offsets[d] < shape->extents[d];
            at.at[d] -= offsets[d];
        }
        if (inside) registers[kept++] = at;
    }
    result.registers = registers;
    result.register_count = kept;
    if (kept == 0 || !stays_inside(&result)) return NULL;
    /* Every lane has an equal share when the kept registers hold all elements of the slice. */
    uint64_t threads = 1;
    for (uint32_t i = 0; i < CAKE_LANE_BITS; i++)
        threads <<= !(cake_layout_repeated_lanes(layout) >> i & 1);
    for (uint32_t i = 0; i < layout->warp_bits; i++)
        threads <<= !(cake_layout_repeated_warps(layout) >> i & 1);
    return kept * threads == cake_shape_elements(shape) ? intern(layouts, &result) : NULL;
}

static uint64_t flatten(const cake_shape *shape, const cake_coordinate *at) {
    uint64_t linear = 0;
    for (uint8_t d = 0; d < shape->rank; d++)
        linear = linear * shape->extents[d] + at->at[d];
    return linear;
}

/* Linear indices add up as coordinates do, before and after, so it is enough that nothing carries. */
const cake_layout *cake_layout_reshape(cake_layouts *layouts, const cake_layout *layout, const cake_shape *shape) {
    cake_layout result = *layout;
    cake_coordinate *registers = CAKE_NEW_ARRAY(layouts->arena, cake_coordinate, layout->register_count);
    result.shape = *shape;
    result.registers = registers;
    for (uint32_t r = 0; r < layout->register_count; r++)
        registers[r] = unflatten(shape, flatten(&layout->shape, &layout->registers[r]));
    for (uint32_t i = 0; i < CAKE_LANE_BITS; i++)
        result.lane[i] = unflatten(shape, flatten(&layout->shape, &layout->lane[i]));
    for (uint32_t i = 0; i < CAKE_WARP_BITS; i++)
        result.warp[i] = unflatten(shape, flatten(&layout->shape, &layout->warp[i]));
    return stays_inside(&result) ? intern(layouts, &result) : NULL;
}

const cake_layout *cake_layout_concat(cake_layouts *layouts, const cake_layout *first, const cake_layout *second,
                                      uint8_t axis) {
    cake_layout result = *first;
    bool same = memcmp(first->lane, second->lane, sizeof first->lane) == 0 &&
                memcmp(first->warp, second->warp, sizeof first->warp) == 0;
    result.register_count = first->register_count + second->register_count;
    if (!same || result.register_count > CAKE_MAX_REGISTERS) return NULL;
    cake_coordinate *registers = CAKE_NEW_ARRAY(layouts->arena, cake_coordinate, result.register_count);
    for (uint32_t r = 0; r < result.register_count; r++) {
        bool behind = r >= first->register_count;
        registers[r] = behind ? second->registers[r - first->register_count] : first->registers[r];
        if (behind) registers[r].at[axis] += first->shape.extents[axis];
    }
    result.shape.extents[axis] += second->shape.extents[axis];
    result.registers = registers;
    return intern(layouts, &result);
}

/* What the set bits of a thread's number add. */
static cake_coordinate thread_coordinate(const cake_layout *layout, uint32_t thread) {
    cake_coordinate at = {{0}};
    for (uint32_t i = 0; i < CAKE_LANE_BITS; i++)
        if (thread >> i & 1) at = add(at, &layout->lane[i]);
    for (uint32_t i = 0; i < layout->warp_bits; i++)
        if (thread >> (CAKE_LANE_BITS + i) & 1) at = add(at, &layout->warp[i]);
    return at;
}

/* Marks what all threads hold in a register; false if something lies outside or is held already. */
static bool cover(const cake_layout *layout, const cake_coordinate *first, uint32_t threads, bool *held) {
    uint32_t idle = cake_layout_repeated_lanes(layout) | cake_layout_repeated_warps(layout) << CAKE_LANE_BITS;
    for (uint32_t t = 0; t < threads; t++) {
        if (t & idle) continue;
        cake_coordinate at = add(thread_coordinate(layout, t), first);
        for (uint8_t d = 0; d < layout->shape.rank; d++)
            if (at.at[d] >= layout->shape.extents[d]) return false;
        bool *one = &held[flatten(&layout->shape, &at)];
        if (*one) return false;
        *one = true;
    }
    return true;
}

const cake_layout *cake_layout_like(cake_layouts *layouts, const cake_layout *layout, const cake_shape *shape) {
    uint64_t elements = cake_shape_elements(shape);
    uint32_t threads = 32u << layout->warp_bits;
    if (elements > (uint64_t)CAKE_MAX_REGISTERS * threads) return NULL;
    cake_layout result = *layout;
    cake_coordinate *registers = CAKE_NEW_ARRAY(layouts->arena, cake_coordinate, CAKE_MAX_REGISTERS);
    bool *held = CAKE_NEW_ARRAY(layouts->arena, bool, elements);
    result.shape = *shape;
    result.register_count = 0;
    for (uint64_t i = 0; i < elements; i++) {
        if (held[i]) continue;
        cake_coordinate at = unflatten(shape, i);
        if (result.register_count == CAKE_MAX_REGISTERS || !cover(&result, &at, threads, held)) return NULL;
        registers[result.register_count++] = at;
    }
    result.registers = registers;
    return intern(layouts, &result);
}

const cake_layout *cake_layout_spread(cake_layouts *layouts, const cake_layout *layout, uint8_t axis, uint32_t count) {
    const cake_layout *one = cake_layout_collapse(layouts, layout, 1u << axis);
    cake_layout result = *one;
    if ((uint64_t)one->register_count * count > CAKE_MAX_REGISTERS) return NULL;
    result.register_count = one->register_count * count;
    result.shape.extents[axis] = count;
    cake_coordinate *registers = CAKE_NEW_ARRAY(layouts->arena, cake_coordinate, result.register_count);
    for (uint32_t r = 0; r < result.register_count; r++) {
        registers[r] = one->registers[r / count];
        registers[r].at[axis] = r % count;
    }
    result.registers = registers;
    return intern(layouts, &result);
}

uint32_t cake_layout_find(const cake_layout *layout, const cake_coordinate *coordinate) {
    for (uint32_t r = 0; r < layout->register_count; r++)
        if (coordinates_equal(&layout->registers[r], coordinate)) return r;
    return UINT32_MAX;
}

static bool registers_in_runs(const cake_layout *layout, uint32_t run) {
    uint8_t last = (uint8_t)(layout->shape.rank - 1);
    if (layout->register_count % run != 0) return false;
    for (uint32_t r = 0; r < layout->register_count; r++) {
        cake_coordinate expected = layout->registers[r / run * run];
        if (expected.at[last] % run != 0) return false;
        expected.at[last] += r % run;
        if (!coordinates_equal(&expected, &layout->registers[r])) return false;
    }
    for (uint32_t i = 0; i < CAKE_LANE_BITS; i++)
        if (layout->lane[i].at[last] % run != 0) return false;
    for (uint32_t i = 0; i < CAKE_WARP_BITS; i++)
        if (layout->warp[i].at[last] % run != 0) return false;
    return true;
}

uint32_t cake_layout_run(const cake_layout *layout) {
    uint32_t run = 1;
    if (layout->shape.rank == 0) return 1;
    while (run * 2 <= layout->register_count && registers_in_runs(layout, run * 2))
        run *= 2;
    return run;
}

static uint32_t zero_bits(const cake_coordinate *summands, uint32_t count) {
    static const cake_coordinate zero;
    uint32_t bits = 0;
    for (uint32_t i = 0; i < count; i++)
        if (coordinates_equal(&summands[i], &zero)) bits |= 1u << i;
    return bits;
}

uint32_t cake_layout_repeated_lanes(const cake_layout *layout) {
    return zero_bits(layout->lane, CAKE_LANE_BITS);
}

uint32_t cake_layout_repeated_warps(const cake_layout *layout) {
    return zero_bits(layout->warp, layout->warp_bits);
}

static void print_coordinate(const cake_layout *layout, const cake_coordinate *coordinate, cake_text *out) {
    for (uint8_t d = 0; d < layout->shape.rank; d++)
        cake_text_format(out, "%s%u", d ? "," : "(", coordinate->at[d]);
    cake_text_add_string(out, ")");
}

void cake_layout_print(const cake_layout *layout, cake_text *out) {
    cake_shape_print(&layout->shape, out);
    cake_text_format(out, " %u registers, runs of %u; lane bits", layout->register_count, cake_layout_run(layout));
    for (uint32_t i = 0; i < CAKE_LANE_BITS; i++)
        print_coordinate(layout, &layout->lane[i], out);
    if (layout->warp_bits) cake_text_add_string(out, "; warp bits");
    for (uint32_t i = 0; i < layout->warp_bits; i++)
        print_coordinate(layout, &layout->warp[i], out);
}
