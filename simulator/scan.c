/* Scans, and reductions by functions that need not be commutative: elements are combined as they follow each other.
 *
 * A line of a thread is a list of segments, each a block of consecutive positions of which the thread holds some
 * registers and other lanes the rest. Going through the lanes' bits by rising steps, segments that a step spans are
 * joined, and the two halves of a bit tell each other their totals. What is left, one segment for each chunk that other
 * warps lie between, is handed to the other warps, and each walks over all chunks of all warps in order.
 *
 * A scan also keeps, for each run of registers with no other lane's elements between them, what comes before it in its
 * segment. Functions have no neutral element, so the lanes that have anything before are kept beside it.
 *
 * All lines and all threads are cut alike: how is worked out by each warp anew and comes out the same, so that after a
 * wait only the blocks are taken from what was handed in.
 */
#include "simulator/fold.h"

#define ALL_LANES UINT32_MAX

/* Places first .. first + count - 1, each combined with those before it in the run. */
typedef struct scan_run {
    uint32_t first, count;
    size_t before;  /* its block, in the memory that is handed in */
    uint32_t lanes; /* that have something before */
} scan_run;

typedef struct scan_segment {
    uint32_t first_run, run_count;
    uint32_t position; /* of its first register */
    size_t total;      /* its block */
} scan_segment;

/* A chunk of a warp, in the order of all. */
typedef struct scan_stop {
    uint32_t position, chunk, part;
} scan_stop;

struct cake_sim_scanner {
    bool keeps; /* the elements' prefixes, not only totals */
    uint32_t run_count, segment_count;
    scan_run *runs;
    scan_segment *segments;
    unsigned char *memory; /* totals by run that a segment begins with; if prefixes are kept, before by run, prefixes */
    size_t memory_bytes, prefixes;
    scan_stop *stops;
    uint32_t stop_count;
    unsigned char **sums; /* by chunk: what comes before this warp's */
    bool *has_sum;
};

typedef struct cake_sim_scanner scanner;

static uint32_t lane_step(const cake_sim_fold *fold, uint32_t done) {
    if (done < fold->lane_count) return fold->lines.lanes[done].step;
    return fold->warp_count ? fold->lines.warps[0].step : UINT32_MAX;
}

static uint32_t position_of(const cake_sim_fold *fold, uint32_t place) {
    return fold->lines.positions[fold->lines.lines[0].registers[place]];
}

/* ---- tables ---- */

/* Registers that lie closer than the first step are one run. */
static void build_runs(const cake_sim_fold *fold, scanner *s) {
    uint32_t step = lane_step(fold, 0);
    for (uint32_t place = 0; place < fold->places; place++) {
        if (!place || position_of(fold, place) / step != position_of(fold, place - 1) / step)
            s->runs[s->run_count++].first = place;
        s->runs[s->run_count - 1].count++;
    }
}

static void build_memory(cake_arena *arena, const cake_sim_fold *fold, scanner *s) {
    for (uint32_t i = 0; i < s->run_count; i++)
        s->runs[i].before = (s->run_count + i) * fold->block_bytes;
    s->prefixes = 2 * s->run_count * fold->block_bytes;
    s->memory_bytes = s->keeps ? s->prefixes + fold->places * fold->block_bytes : s->run_count * fold->block_bytes;
    s->memory = cake_arena_alloc(arena, s->memory_bytes);
}

static uint32_t warp_position(const cake_sim_fold *fold, uint32_t part) {
    uint32_t position = 0;
    for (uint32_t i = 0; i < fold->warp_count; i++)
        if (part >> i & 1) position += fold->lines.warps[i].step;
    return position;
}

/* The chunks of all warps by rising position; the segments are what is left. */
static void build_stops(cake_arena *arena, const cake_sim_fold *fold, scanner *s) {
    uint32_t parts = 1u << fold->warp_count;
    s->stops = CAKE_NEW_ARRAY(arena, scan_stop, (size_t)s->segment_count * parts);
    s->sums = CAKE_NEW_ARRAY(arena, unsigned char *, s->segment_count);
    s->has_sum = CAKE_NEW_ARRAY(arena, bool, s->segment_count);
    for (uint32_t chunk = 0; chunk < s->segment_count; chunk++) {
        s->sums[chunk] = cake_arena_alloc(arena, fold->block_bytes);
        for (uint32_t part = 0; part < parts; part++) {
            uint32_t position = s->segments[chunk].position + warp_position(fold, part), at = s->stop_count++;
            for (; at && s->stops[at - 1].position > position; at--)
                s->stops[at] = s->stops[at - 1];
            s->stops[at] = (scan_stop){position, chunk, part};
        }
    }
}

static void open_segments(const cake_sim_fold *fold, scanner *s) {
    s->segment_count = s->run_count;
    for (uint32_t i = 0; i < s->run_count; i++) {
        s->segments[i] = (scan_segment){i, 1, position_of(fold, s->runs[i].first), i * fold->block_bytes};
        s->runs[i].lanes = 0;
    }
}

static scanner *build(cake_arena *arena, const cake_sim_fold *fold) {
    scanner *s = CAKE_NEW(arena, scanner);
    s->keeps = fold->op->kind == CAKE_PLAN_SCAN;
    s->runs = CAKE_NEW_ARRAY(arena, scan_run, fold->places);
    s->segments = CAKE_NEW_ARRAY(arena, scan_segment, fold->places);
    build_runs(fold, s);
    build_memory(arena, fold, s);
    return s;
}

/* ---- a warp's own elements ---- */

typedef struct scan {
    cake_sim_warp *warp;
    cake_sim_fold *fold;
    scanner *s;
} scan;

static cake_sim_view view_at(const scan *c, const unsigned char *memory, size_t offset) {
    return cake_sim_block_view(c->fold, memory + offset);
}

static void combine(const scan *c, cake_sim_view left, cake_sim_view right, unsigned char *out_block) {
    cake_sim_fold_combine(c->warp, c->fold, left, right, out_block);
}

static size_t prefix_at(const scan *c, uint32_t place) {
    return c->s->prefixes + place * c->fold->block_bytes;
}

/* 'left', and behind it the element in the lanes that have one. */
static void put_before(const scan *c, cake_sim_view left, cake_sim_view element, uint32_t lanes,
                       unsigned char *out_block) {
    if (lanes == 0) {
        cake_sim_block_copy(c->fold, left, out_block);
    } else if (lanes == ALL_LANES) {
        combine(c, left, element, out_block);
    } else {
        combine(c, left, element, c->fold->both);
        cake_sim_fold_select(c->fold, lanes, cake_sim_block_view(c->fold, c->fold->both), left, out_block);
    }
}

static void fold_run(const scan *c, const scan_run *run, const scan_segment *segment) {
    unsigned char *total = c->s->memory + segment->total;
    for (uint32_t place = run->first; place < run->first + run->count; place++) {
        cake_sim_view element = cake_sim_fold_elements(c->warp, c->fold, place);
        if (place == run->first)
            cake_sim_block_copy(c->fold, element, total);
        else
            combine(c, cake_sim_block_view(c->fold, total), element, total);
        if (c->s->keeps)
            cake_sim_block_copy(c->fold, cake_sim_block_view(c->fold, total), c->s->memory + prefix_at(c, place));
    }
}

/* Appends the second segment to the first. */
static void join(const scan *c, scan_segment *first, const scan_segment *second) {
    unsigned char *memory = c->s->memory;
    for (uint32_t i = 0; c->s->keeps && i < second->run_count; i++) {
        scan_run *run = &c->s->runs[second->first_run + i];
        put_before(c, view_at(c, memory, first->total), view_at(c, memory, run->before), run->lanes,
                   memory + run->before);
        run->lanes = ALL_LANES;
    }
    combine(c, view_at(c, memory, first->total), view_at(c, memory, second->total), memory + first->total);
    first->run_count += second->run_count;
}

static void join_segments(const scan *c, uint32_t step) {
    uint32_t kept = 0;
    for (uint32_t i = 1; i < c->s->segment_count; i++) {
        scan_segment *last = &c->s->segments[kept];
        if (c->s->segments[i].position / step == last->position / step)
            join(c, last, &c->s->segments[i]);
        else
            c->s->segments[++kept] = c->s->segments[i];
    }
    c->s->segment_count = kept + 1;
}

static uint32_t upper_lanes(uint32_t bit) {
    uint32_t lanes = 0;
    for (uint32_t lane = 0; lane < CAKE_SIM_LANES; lane++)
        lanes |= (lane >> bit & 1) << lane;
    return lanes;
}

/* The upper half of the lanes has the lower half's total before it. In the lower half what comes of this is of no
 * account, unless there is something before already. */
static void put_lower_before(const scan *c, scan_run *run, cake_sim_view other, uint32_t upper) {
    unsigned char *before = c->s->memory + run->before;
    cake_sim_view own = cake_sim_block_view(c->fold, before);
    if (run->lanes) {
        combine(c, other, own, c->fold->both);
        cake_sim_fold_select(c->fold, run->lanes, cake_sim_block_view(c->fold, c->fold->both), other, c->fold->both);
        cake_sim_fold_select(c->fold, upper, cake_sim_block_view(c->fold, c->fold->both), own, before);
    } else {
        cake_sim_block_copy(c->fold, other, before);
    }
    run->lanes |= upper;
}

static void exchange_lanes(const scan *c, uint32_t bit) {
    cake_sim_fold *fold = c->fold;
    uint32_t upper = upper_lanes(bit);
    cake_sim_view other = cake_sim_block_view(fold, fold->other);
    for (uint32_t i = 0; i < c->s->segment_count; i++) {
        const scan_segment *segment = &c->s->segments[i];
        cake_sim_view total = view_at(c, c->s->memory, segment->total);
        cake_sim_fold_shuffle(fold, total, 1u << bit, fold->other);
        for (uint32_t k = 0; c->s->keeps && k < segment->run_count; k++)
            put_lower_before(c, &c->s->runs[segment->first_run + k], other, upper);
        cake_sim_fold_select(fold, upper, other, total, fold->both);
        cake_sim_fold_select(fold, upper, total, other, fold->other);
        combine(c, cake_sim_block_view(fold, fold->both), other, c->s->memory + segment->total);
    }
}

static void fold_own(const scan *c) {
    const cake_sim_fold *fold = c->fold;
    open_segments(fold, c->s);
    for (uint32_t i = 0; i < c->s->run_count; i++)
        fold_run(c, &c->s->runs[i], &c->s->segments[i]);
    for (uint32_t done = 0; done < fold->lane_count; done++) {
        exchange_lanes(c, fold->lines.lanes[done].bit);
        join_segments(c, lane_step(fold, done + 1));
    }
}

/* ---- warps ---- */

/* The warp's part of the lines: bit i for the i-th step of warps. */
static uint32_t own_part(const scan *c) {
    uint32_t part = 0;
    for (uint32_t i = 0; i < c->fold->warp_count; i++)
        part |= (cake_sim_team_warp(c->warp) >> c->fold->lines.warps[i].bit & 1) << i;
    return part;
}

/* The warp that holds another part of the same lines. */
static uint32_t peer_of(const scan *c, uint32_t part) {
    uint32_t peer = cake_sim_layout_warp(c->warp, c->fold->op->operands[0]->layout);
    for (uint32_t i = 0; i < c->fold->warp_count; i++) {
        uint32_t bit = c->fold->lines.warps[i].bit;
        peer = (peer & ~(1u << bit)) | (part >> i & 1) << bit;
    }
    return peer;
}

/* Walks over all chunks of all warps; what comes before this warp's is kept for each of its chunks. */
static void walk(const scan *c) {
    scanner *s = c->s;
    uint32_t own = own_part(c);
    cake_sim_view so_far = cake_sim_block_view(c->fold, c->fold->total);
    for (uint32_t i = 0; i < s->stop_count; i++) {
        const scan_stop *stop = &s->stops[i];
        const unsigned char *handed = cake_sim_met(c->warp, peer_of(c, stop->part));
        cake_sim_view chunk = view_at(c, handed, s->segments[stop->chunk].total);
        if (s->keeps && stop->part == own) {
            s->has_sum[stop->chunk] = i > 0;
            if (i) cake_sim_block_copy(c->fold, so_far, s->sums[stop->chunk]);
        }
        if (i)
            combine(c, so_far, chunk, c->fold->total);
        else
            cake_sim_block_copy(c->fold, chunk, c->fold->total);
    }
}

/* ---- results ---- */

/* Everything before the run, then its prefixes. 'sum': what other warps have before it, or null. */
static void write_run(const scan *c, const unsigned char *memory, const scan_run *run, const unsigned char *sum) {
    cake_sim_fold *fold = c->fold;
    cake_sim_view before = view_at(c, memory, run->before);
    uint32_t lanes = run->lanes;
    if (sum) {
        put_before(c, cake_sim_block_view(fold, sum), before, lanes, fold->other);
        before = cake_sim_block_view(fold, fold->other);
        lanes = ALL_LANES;
    }
    for (uint32_t place = run->first; place < run->first + run->count; place++) {
        cake_sim_view element = view_at(c, memory, prefix_at(c, place));
        if (lanes) {
            combine(c, before, element, fold->both);
            if (lanes != ALL_LANES)
                cake_sim_fold_select(fold, lanes, cake_sim_block_view(fold, fold->both), element, fold->both);
            element = cake_sim_block_view(fold, fold->both);
        }
        cake_sim_fold_write_place(c->warp, fold, place, element);
    }
}

static void write_scan(const scan *c, const unsigned char *memory) {
    for (uint32_t i = 0; i < c->s->segment_count; i++) {
        const scan_segment *segment = &c->s->segments[i];
        bool has_sum = c->fold->warp_count && c->s->has_sum[i];
        for (uint32_t k = 0; k < segment->run_count; k++)
            write_run(c, memory, &c->s->runs[segment->first_run + k], has_sum ? c->s->sums[i] : NULL);
    }
}

/* False while other warps have not come. 'out_memory': what this warp has folded by itself. */
static bool fold_all(const scan *c, const unsigned char **out_memory) {
    if (cake_sim_stage(c->warp) == 0) fold_own(c);
    *out_memory = c->s->memory;
    if (!c->fold->warp_count) return true;
    if (!cake_sim_meet(c->warp, c->fold->op, c->s->memory, c->s->memory_bytes)) return false;
    if (!c->s->stops) build_stops(cake_sim_arena(c->warp), c->fold, c->s);
    *out_memory = cake_sim_met(c->warp, cake_sim_team_warp(c->warp));
    walk(c);
    return true;
}

static scan open(cake_sim_warp *warp, cake_sim_fold *fold) {
    if (!fold->scanner) fold->scanner = build(cake_sim_arena(warp), fold);
    return (scan){warp, fold, fold->scanner};
}

cake_sim_step cake_sim_reduce_ordered(cake_sim_warp *warp, cake_sim_fold *fold) {
    scan c = open(warp, fold);
    const unsigned char *memory;
    if (!fold_all(&c, &memory)) return CAKE_SIM_BLOCKED;
    if (fold->warp_count) memory = fold->total;
    cake_sim_fold_write(warp, fold, cake_sim_block_view(fold, memory));
    return CAKE_SIM_NEXT;
}

cake_sim_step cake_sim_scan(cake_sim_warp *warp, const cake_plan_op *op) {
    scan c = open(warp, cake_sim_fold_of(warp, op));
    const unsigned char *memory;
    if (!fold_all(&c, &memory)) return CAKE_SIM_BLOCKED;
    write_scan(&c, memory);
    return CAKE_SIM_NEXT;
}
