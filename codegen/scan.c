/* Scans, and reductions by functions that need not be commutative: elements are combined as they follow each other.
 *
 * Each line of a thread (plan/lines.h) is a list of segments; a segment's total combines a block of consecutive
 * positions, of which this thread holds some registers and other lanes the rest. Going through the lanes' bits by
 * rising steps, segments that a step spans are joined, and the bit's two halves tell each other their totals. What is
 * left, one segment for each chunk that other warps lie between, goes through scratch, where every thread walks over
 * all chunks of all warps in order.
 *
 * A scan also keeps, for each run of registers between which no other lane's elements lie, what comes 'before' it in
 * its segment. Functions have no neutral element, so whether there is anything before is kept beside it.
 */
#include "codegen/emit.h"
#include "plan/lines.h"

/* Registers first .. first + count - 1 of the line, each combined with those before it in the run. */
typedef struct scan_run {
    uint32_t first, count;
    cake_element before;
    LLVMValueRef has_before; /* i1; null: nowhere */
} scan_run;

typedef struct scan_segment {
    uint32_t first_run, run_count;
    uint32_t position; /* of its first register */
    cake_element total;
} scan_segment;

typedef struct scan_line {
    const cake_layout_line *line;
    cake_element *elements; /* by place in the line */
    scan_run *runs;
    scan_segment *segments;
    uint32_t run_count, segment_count;
} scan_line;

typedef struct scanner {
    cake_emitter *e;
    const cake_plan_op *op;
    bool keeps;                      /* the elements' prefixes, not only totals */
    uint32_t lane_count, warp_count; /* steps to take: fewer within lane or warp */
    cake_layout_lines lines;
    scan_line *states; /* by line */
} scanner;

static cake_element combine(const scanner *s, cake_element left, cake_element right) {
    return cake_emit_combine(s->e, s->op, left, right);
}

static LLVMValueRef always(const scanner *s) {
    return LLVMConstInt(s->e->i1, 1, 0);
}

/* 'left' and then the element, where there is one. */
static cake_element put_before(const scanner *s, cake_element left, cake_element element, LLVMValueRef exists) {
    if (!exists) return left;
    cake_element both = combine(s, left, element);
    return exists == always(s) ? both : cake_emit_select_element(s->e, exists, both, left);
}

/* ---- registers ---- */

/* Registers that lie closer than 'step' are one run and segment. */
static void open_line(const scanner *s, const cake_layout_line *line, uint32_t step, scan_line *out_state) {
    scan_line state = {.line = line,
                       .elements = CAKE_NEW_ARRAY(s->e->arena, cake_element, line->count),
                       .runs = CAKE_NEW_ARRAY(s->e->arena, scan_run, line->count),
                       .segments = CAKE_NEW_ARRAY(s->e->arena, scan_segment, line->count)};
    for (uint32_t i = 0; i < line->count; i++) {
        uint32_t position = s->lines.positions[line->registers[i]];
        cake_element element = cake_emit_element(s->e, s->op, line->registers[i]);
        bool same = i && position / step == s->lines.positions[line->registers[i - 1]] / step;
        if (!same) {
            state.segments[state.segment_count++] = (scan_segment){state.run_count, 1, position, {{0}}};
            state.runs[state.run_count++].first = i;
        }
        state.runs[state.run_count - 1].count++;
        state.elements[i] = same ? combine(s, state.elements[i - 1], element) : element;
        state.segments[state.segment_count - 1].total = state.elements[i];
    }
    *out_state = state;
}

/* Appends the second segment to the first. */
static void join(const scanner *s, scan_line *state, scan_segment *first, const scan_segment *second) {
    for (uint32_t i = 0; s->keeps && i < second->run_count; i++) {
        scan_run *run = &state->runs[second->first_run + i];
        run->before = put_before(s, first->total, run->before, run->has_before);
        run->has_before = always(s);
    }
    first->total = combine(s, first->total, second->total);
    first->run_count += second->run_count;
}

static void join_segments(const scanner *s, scan_line *state, uint32_t step) {
    uint32_t kept = 0;
    for (uint32_t i = 1; i < state->segment_count; i++) {
        scan_segment *last = &state->segments[kept];
        if (state->segments[i].position / step == last->position / step)
            join(s, state, last, &state->segments[i]);
        else
            state->segments[++kept] = state->segments[i];
    }
    state->segment_count = kept + 1;
}

/* ---- lanes ---- */

/* The upper half of the lanes has the lower half's total before it. */
static void put_lower_before(const scanner *s, scan_run *run, cake_element other, LLVMValueRef upper) {
    cake_element before = put_before(s, other, run->before, run->has_before);
    if (!run->has_before) {
        run->before = before; /* of no account in the lower half */
        run->has_before = upper;
        return;
    }
    run->before = cake_emit_select_element(s->e, upper, before, run->before);
    if (run->has_before != always(s)) run->has_before = LLVMBuildOr(s->e->builder, run->has_before, upper, "");
}

static void exchange_lanes(const scanner *s, scan_line *state, uint32_t bit) {
    LLVMValueRef shifted = LLVMBuildLShr(s->e->builder, s->e->lane, cake_emit_i32(s->e, bit), "");
    LLVMValueRef upper = LLVMBuildTrunc(s->e->builder, shifted, s->e->i1, "");
    for (uint32_t i = 0; i < state->segment_count; i++) {
        scan_segment *segment = &state->segments[i];
        cake_element other = cake_emit_shuffle_element(s->e, segment->total, 1u << bit);
        for (uint32_t k = 0; s->keeps && k < segment->run_count; k++)
            put_lower_before(s, &state->runs[segment->first_run + k], other, upper);
        cake_element left = cake_emit_select_element(s->e, upper, other, segment->total);
        cake_element right = cake_emit_select_element(s->e, upper, segment->total, other);
        segment->total = combine(s, left, right);
    }
}

/* ---- warps ---- */

static uint32_t warp_position(const scanner *s, uint32_t warp) {
    uint32_t position = 0;
    for (uint32_t i = 0; i < s->warp_count; i++)
        if (warp >> i & 1) position += s->lines.warps[i].step;
    return position;
}

/* Number of the thread's warp: bit i for the i-th step. */
static LLVMValueRef own_warp(const scanner *s) {
    LLVMValueRef number = cake_emit_i32(s->e, 0);
    for (uint32_t i = 0; i < s->warp_count; i++) {
        LLVMValueRef bit = cake_emit_packed_bits(s->e, s->e->team_warp, 1u << s->lines.warps[i].bit);
        number = LLVMBuildOr(s->e->builder, number, LLVMBuildShl(s->e->builder, bit, cake_emit_i32(s->e, i), ""), "");
    }
    return number;
}

static LLVMValueRef slot_of(const scanner *s, const scan_line *state, uint32_t chunk, LLVMValueRef warp) {
    LLVMBuilderRef builder = s->e->builder;
    uint32_t warps = 1u << s->warp_count, count = cake_emit_line_count(s->op);
    LLVMValueRef row = LLVMBuildAdd(builder, cake_emit_i32(s->e, chunk * warps), warp, "");
    row = LLVMBuildMul(builder, row, cake_emit_i32(s->e, count), "");
    return LLVMBuildAdd(builder, row, cake_emit_line_index(s->e, s->op, state->line->registers[0]), "");
}

/* The segment and warp that come at or after 'position'; their position is the result. */
static uint32_t next_chunk(const scanner *s, const scan_line *state, uint32_t position, uint32_t *out_chunk,
                           uint32_t *out_warp) {
    uint32_t nearest = UINT32_MAX;
    for (uint32_t chunk = 0; chunk < state->segment_count; chunk++)
        for (uint32_t warp = 0; warp < 1u << s->warp_count; warp++) {
            uint32_t at = state->segments[chunk].position + warp_position(s, warp);
            if (at < position || at >= nearest) continue;
            nearest = at;
            *out_chunk = chunk;
            *out_warp = warp;
        }
    return nearest;
}

/* Walks over all chunks of all warps. 'sums', by chunk, get what comes before the thread's own. */
static cake_element walk(const scanner *s, const scan_line *state, LLVMValueRef own, cake_element *sums,
                         LLVMValueRef *has_sum) {
    cake_element so_far = {{0}};
    uint32_t total = state->segment_count << s->warp_count, chunk = 0, warp = 0;
    for (uint32_t i = 0, position = 0; i < total; i++, position++) {
        position = next_chunk(s, state, position, &chunk, &warp);
        cake_element element = cake_emit_get(s->e, s->op, slot_of(s, state, chunk, cake_emit_i32(s->e, warp)));
        LLVMValueRef mine = LLVMBuildICmp(s->e->builder, LLVMIntEQ, own, cake_emit_i32(s->e, warp), "");
        if (i && sums)
            sums[chunk] = sums[chunk].of[0] ? cake_emit_select_element(s->e, mine, so_far, sums[chunk]) : so_far;
        if (sums && !i) has_sum[chunk] = LLVMBuildNot(s->e->builder, mine, "");
        so_far = i ? combine(s, so_far, element) : element;
    }
    return so_far;
}

/* Puts what comes before each chunk before its runs. */
static void put_sums_before(const scanner *s, scan_line *state, const cake_element *sums, LLVMValueRef *has_sum) {
    for (uint32_t i = 0; i < state->segment_count; i++)
        for (uint32_t k = 0; k < state->segments[i].run_count; k++) {
            scan_run *run = &state->runs[state->segments[i].first_run + k];
            cake_element before = put_before(s, sums[i], run->before, run->has_before);
            if (!has_sum[i]) { /* not the first chunk: there always is something before it */
                run->before = before;
                run->has_before = always(s);
            } else if (!run->has_before) {
                run->before = before;
                run->has_before = has_sum[i];
            } else {
                run->before = cake_emit_select_element(s->e, has_sum[i], before, run->before);
                run->has_before = LLVMBuildOr(s->e->builder, has_sum[i], run->has_before, "");
            }
        }
}

static void exchange_warps(const scanner *s) {
    LLVMValueRef own = own_warp(s);
    for (uint32_t i = 0; i < s->lines.count; i++)
        for (uint32_t chunk = 0; chunk < s->states[i].segment_count; chunk++)
            cake_emit_put(s->e, s->op, slot_of(s, &s->states[i], chunk, own), s->states[i].segments[chunk].total);
    cake_emit_sync_team(s->e);
    for (uint32_t i = 0; i < s->lines.count; i++) {
        scan_line *state = &s->states[i];
        cake_element *sums = CAKE_NEW_ARRAY(s->e->arena, cake_element, state->segment_count);
        LLVMValueRef *has_sum = CAKE_NEW_ARRAY(s->e->arena, LLVMValueRef, state->segment_count);
        cake_element total = walk(s, state, own, s->keeps ? sums : NULL, has_sum);
        if (s->keeps) put_sums_before(s, state, sums, has_sum);
        state->segments[0].total = total;
    }
    cake_emit_sync_team(s->e);
}

/* ---- the whole ---- */

static uint32_t lane_step(const scanner *s, uint32_t done) {
    return done < s->lane_count ? s->lines.lanes[done].step : s->warp_count ? s->lines.warps[0].step : UINT32_MAX;
}

static void run(scanner *s) {
    for (uint32_t i = 0; i < s->lines.count; i++) {
        open_line(s, &s->lines.lines[i], lane_step(s, 0), &s->states[i]);
        for (uint32_t done = 0; done < s->lane_count; done++) {
            exchange_lanes(s, &s->states[i], s->lines.lanes[done].bit);
            join_segments(s, &s->states[i], lane_step(s, done + 1));
        }
    }
    if (s->warp_count) exchange_warps(s);
}

static scanner open_scanner(cake_emitter *e, const cake_plan_op *op) {
    scanner s = {.e = e, .op = op};
    s.lines = cake_layout_lines_along(e->arena, op->operands[0]->layout, op->u.reduction->axes);
    s.states = CAKE_NEW_ARRAY(e->arena, scan_line, s.lines.count);
    s.lane_count = op->u.reduction->within == CAKE_WITHIN_LANE ? 0 : s.lines.lane_count;
    s.warp_count = op->u.reduction->within == CAKE_WITHIN_TEAM ? s.lines.warp_count : 0;
    s.keeps = op->kind == CAKE_PLAN_SCAN;
    return s;
}

void cake_emit_ordered(cake_emitter *e, const cake_plan_op *op, cake_element *out_elements) {
    scanner s = open_scanner(e, op);
    run(&s);
    for (uint32_t i = 0; i < s.lines.count; i++)
        out_elements[i] = s.states[i].segments[0].total;
}

void cake_emit_scan(cake_emitter *e, const cake_plan_op *op) {
    scanner s = open_scanner(e, op);
    uint32_t count = op->operands[0]->layout->register_count;
    LLVMValueRef *registers[2] = {CAKE_NEW_ARRAY(e->arena, LLVMValueRef, count),
                                  CAKE_NEW_ARRAY(e->arena, LLVMValueRef, count)};
    run(&s);
    for (uint32_t i = 0; i < s.lines.count; i++) {
        const scan_line *state = &s.states[i];
        for (uint32_t k = 0; k < state->run_count; k++) {
            const scan_run *one = &state->runs[k];
            for (uint32_t j = one->first; j < one->first + one->count; j++) {
                cake_element element = state->elements[j];
                if (one->has_before) { /* put_before with sides changed: the element always exists, 'before' may not */
                    cake_element both = combine(&s, one->before, element);
                    element = one->has_before == always(&s)
                                  ? both
                                  : cake_emit_select_element(e, one->has_before, both, element);
                }
                for (uint32_t t = 0; t < op->operand_count; t++)
                    registers[t][state->line->registers[j]] = element.of[t];
            }
        }
    }
    cake_emit_define(e, op->result, registers[0]);
    if (op->second) cake_emit_define(e, op->second, registers[1]);
}
