/* Which elements of an output are judged.
 *
 * The cost of a reference is measured on a few elements, in the evaluator's own count of lane operations (about a
 * nanosecond each), so that equal cases give equal choices. Where all elements cost less than the budget, all are
 * judged. Else runs are drawn at random: single elements, or longer pieces of rows where an element's neighbour comes
 * cheap because lets remember what they share. The corners come first, and each index is drawn from the ends of its
 * axis one time in eight, since that is where tiles are cut off.
 */
#include <math.h>
#include <stdlib.h>

#include "oracle/case.h"

#define BUDGET          8e8
#define LONE_LIMIT      5e8 /* of an element and its neighbours: more is too much work */
#define SAMPLE_ELEMENTS 20000
#define COMPARISON_COST 40 /* of one element, beside its reference */
#define PILOTS          8

typedef struct sampler_state {
    cake_case *one;
    cake_evaluator *evaluator;
    const cake_case_tensor *tensor;
    const cake_tensor_body *body;
    uint64_t stream;
    uint64_t row; /* elements of a row */
} sampler_state;

/* ---- drawing ---- */

static void push_run(cake_case *one, cake_run_list *runs, uint64_t first, uint32_t count) {
    cake_run *run = CAKE_PUSH(one->hidden->arena, runs);
    run->first = first;
    run->count = count;
}

static void all_runs(cake_case *one, const cake_case_tensor *tensor, cake_run_list *runs) {
    uint64_t row = tensor->rank ? (uint64_t)tensor->extents[tensor->rank - 1] : 1;
    for (uint64_t i = 0; i < tensor->count;) {
        uint64_t left = row - i % row;
        uint32_t count = left < CAKE_LANES ? (uint32_t)left : CAKE_LANES;
        push_run(one, runs, i, count);
        i += count;
    }
}

/* An index along an axis: the first draws are corners, by the bits of 'number'. */
static uint64_t draw_index(uint64_t bits, uint64_t extent, uint64_t number, uint32_t axis, uint32_t rank) {
    if (number < UINT64_C(1) << rank) return number >> axis & 1 ? extent - 1 : 0;
    if (bits % 8 != 0) return (bits >> 4) % extent;
    uint64_t near = (bits >> 4) % 4 % extent;
    return bits >> 3 & 1 ? extent - 1 - near : near;
}

static uint64_t draw_run(const cake_case_tensor *tensor, uint64_t stream, uint64_t number, uint32_t length) {
    uint64_t first = 0;
    for (uint32_t axis = 0; axis < tensor->rank; axis++) {
        uint64_t extent = (uint64_t)tensor->extents[axis];
        uint64_t bits = cake_random_bits(stream, number * CAKE_MAX_RANK + axis);
        uint64_t index = draw_index(bits, extent, number, axis, tensor->rank);
        if (axis + 1 == tensor->rank && index > extent - length) index = extent - length;
        first = first * extent + index;
    }
    return first;
}

static int run_order(const void *left, const void *right) {
    const cake_run *a = left, *b = right;
    return (a->first > b->first) - (a->first < b->first);
}

/* Puts runs in order and cuts off what overlaps. */
static void settle_runs(cake_run_list *runs) {
    uint32_t kept = 0;
    uint64_t end = 0;
    qsort(runs->items, runs->count, sizeof *runs->items, run_order);
    for (uint32_t i = 0; i < runs->count; i++) {
        cake_run run = runs->items[i];
        uint64_t run_end = run.first + run.count;
        if (run_end <= end) continue;
        if (run.first < end) run.first = end;
        run.count = (uint32_t)(run_end - run.first);
        runs->items[kept++] = run;
        end = run_end;
    }
    runs->count = kept;
}

/* ---- measuring ---- */

static double cost_of(const sampler_state *sampler, cake_run run) {
    double before = sampler->evaluator->work;
    cake_case_evaluate_run(sampler->evaluator, sampler->body, sampler->tensor, run);
    return sampler->evaluator->work - before;
}

/* Mean cost of an element in random runs of that length, once lets hold what all share. Expensive runs are few. */
static double cost_in_runs(const sampler_state *sampler, uint32_t length) {
    double cost = 0, begin = sampler->evaluator->work;
    for (uint64_t i = 0; i < PILOTS && sampler->evaluator->work - begin < BUDGET / 4; i++) {
        cake_run run = {draw_run(sampler->tensor, sampler->stream, UINT64_C(1000000) + i, length), length};
        double now = cost_of(sampler, run);
        cost = i == 0 ? now : i == 1 ? fmin(cost, now) : cost + (now - cost) / (double)i;
    }
    return cost / length + COMPARISON_COST;
}

/* An element alone, and a further one of its row. */
static void cost_of_pair(const sampler_state *sampler, double *out_lone, double *out_next) {
    uint32_t few = sampler->row < 8 ? (uint32_t)sampler->row : 8;
    uint64_t first = draw_run(sampler->tensor, sampler->stream, 999999, few);
    *out_lone = *out_next = cost_of(sampler, (cake_run){first, 1}) + COMPARISON_COST;
    if (few == 1 || *out_lone > BUDGET / 50) return;
    first = draw_run(sampler->tensor, sampler->stream, 999998, few);
    double together = cost_of(sampler, (cake_run){first, few}) + few * COMPARISON_COST;
    *out_next = fmax(COMPARISON_COST, (together - *out_lone) / (few - 1));
}

static uint32_t run_length(const sampler_state *sampler, double lone, double next) {
    if (lone <= 2 * next) return 1;
    double length = fmin(ceil(lone / next), fmin(CAKE_LANES, (double)sampler->row));
    return (uint32_t)length;
}

/* ---- choosing ---- */

static void sample_runs(const sampler_state *sampler, uint32_t length, cake_run_list *runs) {
    double cost = cost_in_runs(sampler, length) * length;
    double count = fmax(1, fmin(BUDGET / cost, floor((double)SAMPLE_ELEMENTS / length)));
    for (uint64_t i = 0; i < (uint64_t)count; i++)
        push_run(sampler->one, runs, draw_run(sampler->tensor, sampler->stream, i, length), length);
    settle_runs(runs);
}

void cake_case_choose_runs(cake_case *one, const cake_case_tensor *tensor, const cake_tensor_body *body,
                           cake_evaluator *evaluator, cake_run_list *out_runs, double *out_cost) {
    sampler_state sampler = {.one = one,
                             .evaluator = evaluator,
                             .tensor = tensor,
                             .body = body,
                             .stream = cake_random_stream(one->seed ^ UINT64_C(0x73616D706C65), tensor->name),
                             .row = tensor->rank ? (uint64_t)tensor->extents[tensor->rank - 1] : 1};
    *out_cost = 0;
    if (tensor->count == 0) return;
    double lone, next, count = (double)tensor->count, limit = evaluator->work_limit;
    evaluator->work_limit = fmin(limit, LONE_LIMIT);
    cost_of_pair(&sampler, &lone, &next);
    evaluator->work_limit = limit;
    *out_cost = lone;
    uint32_t piece = sampler.row < CAKE_LANES ? (uint32_t)sampler.row : CAKE_LANES;
    bool all = next * count <= BUDGET * 8 && cost_in_runs(&sampler, piece) * count <= BUDGET;
    if (all)
        all_runs(one, tensor, out_runs);
    else
        sample_runs(&sampler, run_length(&sampler, lone, next), out_runs);
}
