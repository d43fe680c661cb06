/* Folds. A fold runs over its index names like nested loops, the last one along the lanes.
 *
 * The error of a sum of n terms t with errors e, done in f32 in any order, is bounded by
 *
 *     sum e + min(n, 4 sqrt n) * unit * sum |t|
 *
 * with unit = 2^-23, twice the rounding error of one operation. The strict bound has n for the second factor and is far
 * from what happens for long sums: rounding errors have both signs. The factor still covers matrix units, which cut off
 * instead of rounding once per 16 terms, on data of one sign.
 *
 * Matrix units add products of 8-bit floats with about 14 bits below the largest of a step's terms and its running sum
 * (DeepSeek-V3, 3.3.2), cut off, 32 terms a step: so their sums get steps * 2^-13 * the largest partial sum more.
 *
 * Terms that are integers exactly have an exact sum while sum |t| stays within the float's integers.
 */
#include <math.h>

#include "oracle/evaluate.h"

#define FOLD_WORK   20 /* of a fold beside its terms, in lane operations */
#define NARROW_UNIT 0x1p-13
#define NARROW_STEP 32

typedef struct fold_state {
    cake_evaluator *evaluator;
    const cake_node *node;
    uint32_t frame; /* the body's */
    double count;
    double value, error;
    double magnitude; /* SUM: of the terms */
    double peak;      /* SUM: largest partial sum or term */
    bool exact;       /* all terms were */
    bool integral;    /* SUM: all terms were integers */
    double at;        /* ARGMAX, ARGMIN: where 'best' is */
    double best, runner_up;
} fold_state;

static double rounding(const cake_evaluator *evaluator, double value) {
    return evaluator->exact ? 0 : evaluator->unit * fabs(value);
}

/* Four partial sums, so that additions need not wait for each other. */
static double sum_of(const double *terms, uint32_t count) {
    double a = 0, b = 0, c = 0, d = 0;
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        a += terms[i];
        b += terms[i + 1];
        c += terms[i + 2];
        d += terms[i + 3];
    }
    for (; i < count; i++)
        a += terms[i];
    return (a + b) + (c + d);
}

static double magnitude_of(const double *terms, uint32_t count) {
    double a = 0, b = 0, c = 0, d = 0;
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        a += fabs(terms[i]);
        b += fabs(terms[i + 1]);
        c += fabs(terms[i + 2]);
        d += fabs(terms[i + 3]);
    }
    for (; i < count; i++)
        a += fabs(terms[i]);
    return (a + b) + (c + d);
}

static void add_terms(fold_state *state, const cake_lanes *terms) {
    const double *values = terms->value;
    double error = 0, largest = 0, sum = sum_of(values, terms->count);
    if (!state->evaluator->exact) {
        state->magnitude += magnitude_of(values, terms->count);
        for (uint32_t i = 0; state->integral && i < terms->count; i++)
            state->integral = values[i] == rint(values[i]);
        for (uint32_t i = 0; !terms->exact && i < terms->count; i++)
            error += terms->error[i];
        for (uint32_t i = 0; state->node->u.reduce.narrow_terms && i < terms->count; i++)
            largest = fmax(largest, fabs(values[i]));
    }
    state->value += sum;
    state->error += error;
    state->peak = fmax(state->peak, fmax(largest, fabs(state->value)));
}

static void multiply_terms(fold_state *state, const cake_lanes *terms) {
    for (uint32_t i = 0; i < terms->count; i++) {
        double term = terms->value[i], error = terms->exact ? 0 : terms->error[i];
        state->error = state->error * fabs(term) + (fabs(state->value) + state->error) * error;
        state->value *= term;
        if (state->node->class == CAKE_NODE_REAL) state->error += rounding(state->evaluator, state->value);
    }
}

/* Numbers win over NaN unless the fold keeps it. */
static void extreme_terms(fold_state *state, const cake_lanes *terms, bool smallest) {
    for (uint32_t i = 0; i < terms->count; i++) {
        double term = terms->value[i];
        if (isnan(term) ? state->node->u.reduce.keep_nan : (smallest ? term < state->value : term > state->value))
            state->value = term;
        if (!terms->exact) state->error = fmax(state->error, terms->error[i]);
        if (isnan(state->value)) return;
    }
}

/* runner_up: the best that any other term may reach, errors counted in its favour. */
static void arg_terms(fold_state *state, const cake_lanes *terms, double first, double sign) {
    for (uint32_t i = 0; i < terms->count; i++) {
        double term = sign * terms->value[i], error = terms->exact ? 0 : terms->error[i];
        if (term > state->best) {
            state->runner_up = fmax(state->runner_up, state->best + state->error);
            state->best = term;
            state->error = error;
            state->at = first + i;
        } else if (!terms->exact) {
            state->runner_up = fmax(state->runner_up, term + error);
        }
    }
}

static void truth_terms(fold_state *state, const cake_lanes *terms, cake_fold fold) {
    uint32_t holding = 0;
    for (uint32_t i = 0; i < terms->count; i++)
        holding += terms->value[i] != 0;
    for (uint32_t i = 0; !terms->exact && i < terms->count; i++)
        state->error = fold == CAKE_FOLD_COUNT ? state->error + terms->error[i] : fmax(state->error, terms->error[i]);
    if (fold == CAKE_FOLD_COUNT)
        state->value += holding;
    else if (fold == CAKE_FOLD_ANY ? holding > 0 : holding < terms->count)
        state->value = fold == CAKE_FOLD_ANY;
}

static void fold_terms(fold_state *state, cake_lanes *terms, double first, uint32_t count) {
    cake_lanes_widen(terms, count);
    state->evaluator->work += count;
    state->count += count;
    state->exact &= terms->exact;
    switch (state->node->u.reduce.fold) {
    case CAKE_FOLD_SUM:
        add_terms(state, terms);
        break;
    case CAKE_FOLD_PROD:
        multiply_terms(state, terms);
        break;
    case CAKE_FOLD_MAX:
    case CAKE_FOLD_MIN:
        extreme_terms(state, terms, state->node->u.reduce.fold == CAKE_FOLD_MIN);
        break;
    case CAKE_FOLD_ARGMAX:
    case CAKE_FOLD_ARGMIN:
        arg_terms(state, terms, first, state->node->u.reduce.fold == CAKE_FOLD_ARGMAX ? 1 : -1);
        break;
    case CAKE_FOLD_ANY:
    case CAKE_FOLD_ALL:
    case CAKE_FOLD_COUNT:
        truth_terms(state, terms, state->node->u.reduce.fold);
        break;
    }
}

static fold_state fold_start(cake_evaluator *evaluator, const cake_node *node, uint32_t frame) {
    fold_state state = {.evaluator = evaluator, .node = node, .frame = frame, .exact = true, .integral = true};
    state.best = state.runner_up = -(double)INFINITY;
    cake_fold fold = node->u.reduce.fold;
    if (fold == CAKE_FOLD_PROD || fold == CAKE_FOLD_ALL) state.value = 1;
    if (fold == CAKE_FOLD_MAX || fold == CAKE_FOLD_MIN)
        state.value = fold == CAKE_FOLD_MAX ? -(double)INFINITY : (double)INFINITY;
    return state;
}

/* The error of a finished sum: see the head of the file. */
static double sum_error(const fold_state *state) {
    const cake_evaluator *evaluator = state->evaluator;
    const cake_node *node = state->node;
    bool integral = state->error == 0 && state->integral;
    double error = state->error;
    if (node->class == CAKE_NODE_INTEGER) return error;
    if (!integral || state->magnitude > (evaluator->wide ? 0x1p53 : 0x1p24))
        error += fmin(state->count, 4 * sqrt(state->count)) * rounding(evaluator, state->magnitude);
    if (node->u.reduce.narrow_terms && !(integral && state->magnitude <= 1 / NARROW_UNIT))
        error += ceil(state->count / NARROW_STEP) * NARROW_UNIT * state->peak;
    return error;
}

static void fold_finish(fold_state *state) {
    cake_fold fold = state->node->u.reduce.fold;
    if (fold == CAKE_FOLD_SUM) state->error = state->evaluator->exact ? 0 : sum_error(state);
    if (fold == CAKE_FOLD_ARGMAX || fold == CAKE_FOLD_ARGMIN) {
        bool tie = !state->exact && state->runner_up >= state->best - state->error;
        state->value = state->at;
        state->error = tie ? (double)INFINITY : 0;
    }
}

/* An integer bound; NaN, which stands for a read outside, gives an empty range. */
static int64_t bound_of(fold_state *state, const cake_node *bound, bool upper) {
    double value = bound ? cake_evaluate_node(state->evaluator, bound, state->frame).value[0] : 0;
    if (isnan(value)) return upper ? INT64_MIN : INT64_MAX;
    return (int64_t)fmax(-0x1p53, fmin(0x1p53, value));
}

static void fold_strips(fold_state *state, const cake_binder *binder, int64_t from, int64_t to) {
    cake_evaluator *evaluator = state->evaluator;
    for (int64_t i = from; i < to && !evaluator->stopped; i += CAKE_LANES) {
        uint32_t count = to - i < CAKE_LANES ? (uint32_t)(to - i) : CAKE_LANES;
        evaluator->slots[binder->slot] = i;
        evaluator->lane_slot = binder->slot;
        evaluator->lanes = count;
        cake_lanes terms = cake_evaluate_node(evaluator, state->node->operands.items[0], state->frame);
        fold_terms(state, &terms, (double)i, count);
        evaluator->lane_slot = CAKE_NO_SLOT;
        evaluator->lanes = 1;
    }
}

/* The loops from binder 'level' on. */
static void fold_level(fold_state *state, uint32_t level) {
    const cake_binder_list *binders = &state->node->u.reduce.binders;
    const cake_binder *binder = &binders->items[level];
    int64_t from = bound_of(state, binder->from, false), to = bound_of(state, binder->to, true);
    if (level + 1 == binders->count) {
        fold_strips(state, binder, from, to);
        return;
    }
    for (int64_t i = from; i < to && !state->evaluator->stopped; i++) {
        state->evaluator->slots[binder->slot] = i;
        fold_level(state, level + 1);
    }
}

static bool depends_on(const cake_node *fold, uint32_t slot) {
    for (uint32_t i = 0; i < fold->u.reduce.free.count; i++)
        if (fold->u.reduce.free.items[i] == slot) return true;
    return false;
}

static void fold_lane(cake_evaluator *evaluator, const cake_node *node, cake_lanes *result, uint32_t lane,
                      uint32_t frame) {
    fold_state state = fold_start(evaluator, node, frame);
    evaluator->work += FOLD_WORK;
    fold_level(&state, 0);
    fold_finish(&state);
    result->value[lane] = state.value;
    result->error[lane] = state.error;
    result->exact &= state.error == 0;
}

cake_lanes cake_evaluate_fold(cake_evaluator *evaluator, const cake_node *node, uint32_t frame) {
    uint32_t slot = evaluator->lane_slot, lanes = evaluator->lanes;
    bool depends = slot != CAKE_NO_SLOT && depends_on(node, slot);
    cake_lanes result = cake_evaluator_frame(evaluator, frame, depends ? lanes : 1);
    int64_t first = slot == CAKE_NO_SLOT ? 0 : evaluator->slots[slot];
    evaluator->lane_slot = CAKE_NO_SLOT;
    evaluator->lanes = 1;
    for (uint32_t lane = 0; lane < result.count && !evaluator->stopped; lane++) {
        if (depends) evaluator->slots[slot] = first + (int64_t)lane;
        fold_lane(evaluator, node, &result, lane, frame + 1);
    }
    if (slot != CAKE_NO_SLOT) evaluator->slots[slot] = first;
    evaluator->lane_slot = slot;
    evaluator->lanes = lanes;
    return result;
}
