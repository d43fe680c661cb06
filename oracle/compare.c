/* Judging what a kernel wrote, element by element, against the reference and its tolerance. */
#include <math.h>

#include "oracle/case.h"
#include "oracle/number.h"

#define SCAN_LANES          1024
#define SUSPECT_WORK        2e8      /* lane operations, a quarter of what a sample takes */
#define SMALLEST_NORMAL_F32 0x1p-126 /* what flushing to zero may cost */

typedef struct judgement {
    cake_case *one;
    cake_evaluator *evaluator;
    uint32_t number;
    const cake_case_tensor *tensor;
    const cake_tensor_body *body;
    const cake_case_bounds *bounds;
    const void *got;
    cake_comparison *result;
    uint64_t first; /* linear index of the first mismatch, or UINT64_MAX */
    double difference_squares, want_squares;
    bool reference_has_nan;
    bool vacuous; /* a derived tolerance that allows anything */
} judgement;

/* ---- one element ---- */

static double allowed_for(const judgement *judge, double want, double error) {
    if (!judge->bounds->derived) return judge->bounds->absolute + judge->bounds->relative * fabs(want);
    cake_dtype dtype = judge->tensor->dtype;
    double derived = isnan(error) ? 0 : error;
    if (cake_dtype_class_of(dtype) != CAKE_CLASS_FLOAT)
        return judge->body->value->class == CAKE_NODE_REAL ? derived + 0.5 : derived;
    if (derived == 0 && cake_number_round(dtype, want, false) == want) return 0;
    derived += cake_number_half_ulp(dtype, fabs(want) + derived);
    return dtype == CAKE_DTYPE_F64 ? derived : derived + SMALLEST_NORMAL_F32;
}

/* Equal, both NaN, or a finite reference beyond the dtype whose overflow looks like this. */
static bool equal_specials(cake_dtype dtype, double got, double want) {
    if (isnan(got) && isnan(want)) return true;
    if (got == want) return true;
    if (!isfinite(want)) return false;
    double rounded = cake_number_round(dtype, want, false);
    if (isfinite(rounded)) return false;
    return got == rounded || (isnan(got) && isnan(rounded)) || got == cake_number_round(dtype, want, true);
}

bool cake_case_is_unwritten(const cake_case_tensor *tensor, const void *got, uint64_t linear) {
    uint32_t bits = cake_dtype_bits(tensor->dtype);
    uint64_t pattern = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    return tensor->use == CAKE_USE_OUTPUT && cake_number_bits(tensor->dtype, got, linear) == pattern;
}

cake_mismatch cake_case_mismatch(const cake_case_tensor *tensor, uint64_t linear, double got, double want,
                                 double allowed) {
    cake_mismatch mismatch = {.rank = tensor->rank, .got = got, .want = want, .allowed = allowed};
    for (uint32_t axis = tensor->rank; axis-- > 0; linear /= (uint64_t)tensor->extents[axis])
        mismatch.index[axis] = (int64_t)(linear % (uint64_t)tensor->extents[axis]);
    return mismatch;
}

static void count_mismatch(judgement *judge, uint64_t linear, double got, double want, double allowed) {
    cake_comparison *result = judge->result;
    result->mismatches++;
    result->unwritten += cake_case_is_unwritten(judge->tensor, judge->got, linear);
    if (linear < judge->first) result->first = cake_case_mismatch(judge->tensor, linear, got, want, allowed);
    if (linear < judge->first) judge->first = linear;
    result->has_first = true;
}

static void measure(judgement *judge, double got, double want, double allowed) {
    cake_comparison *result = judge->result;
    double difference = fabs(got - want);
    judge->difference_squares += difference * difference;
    judge->want_squares += want * want;
    result->max_abs = fmax(result->max_abs, difference);
    if (want != 0) result->max_rel = fmax(result->max_rel, difference / fabs(want));
    if (difference > 0) result->worst = fmax(result->worst, difference / allowed);
}

static void judge_element(judgement *judge, uint64_t linear, double got, double want, double error) {
    double allowed = allowed_for(judge, want, error);
    judge->result->checked++;
    judge->reference_has_nan |= isnan(want);
    judge->vacuous |= isinf(allowed) && isfinite(want);
    if (isfinite(got) && isfinite(want)) measure(judge, got, want, allowed);
    if (equal_specials(judge->tensor->dtype, got, want)) return;
    if (!(fabs(got - want) <= allowed) || !isfinite(want)) count_mismatch(judge, linear, got, want, allowed);
}

/* ---- runs ---- */

static cake_lanes evaluate_run(judgement *judge, cake_run run) {
    return cake_case_evaluate_run(judge->evaluator, judge->body, judge->tensor, run);
}

static cake_status too_much_work(const judgement *judge) {
    return cake_status_make(CAKE_STATUS_INVALID, "the reference of '%.80s' takes too much work at this size",
                            judge->tensor->name);
}

static cake_status reads_outside(const judgement *judge) {
    return cake_status_make(CAKE_STATUS_INVALID,
                            "the reference of '%.80s' reads outside of a tensor (byte %u of the workload)",
                            judge->tensor->name, judge->evaluator->outside_place.begin);
}

static cake_status judge_run(judgement *judge, cake_run run) {
    uint64_t outside = judge->evaluator->outside;
    double got[CAKE_LANES];
    cake_lanes want = evaluate_run(judge, run);
    if (judge->evaluator->stopped) return too_much_work(judge);
    cake_number_load_many(judge->tensor->dtype, judge->got, run.first, 1, run.count, got);
    for (uint32_t i = 0; i < run.count; i++) {
        uint32_t lane = want.count == 1 ? 0 : i;
        if (isnan(want.value[lane]) && judge->evaluator->outside != outside) return reads_outside(judge);
        judge_element(judge, run.first + i, got[i], want.value[lane], want.exact ? 0 : want.error[lane]);
    }
    return cake_status_ok();
}

/* ---- what was not sampled ---- */

static bool is_judged(const cake_run_list *runs, uint64_t linear) {
    uint32_t low = 0, high = runs->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const cake_run *run = &runs->items[middle];
        if (linear >= run->first && linear < run->first + run->count) return true;
        if (linear < run->first)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

/* Judges what the survey suspects, as far as the work for it goes; 'cost' is that of one element. */
static cake_status judge_suspects(judgement *judge, const cake_run_list *runs, const cake_survey *survey, double cost) {
    cake_status status = cake_status_ok();
    double left = SUSPECT_WORK;
    for (uint32_t i = 0; i < survey->count && left >= cost && status.kind == CAKE_STATUS_OK; i++) {
        bool again = is_judged(runs, survey->suspects[i]);
        for (uint32_t k = 0; k < i; k++)
            again = again || survey->suspects[k] == survey->suspects[i];
        if (again) continue;
        left -= cost;
        status = judge_run(judge, (cake_run){survey->suspects[i], 1});
    }
    return status;
}

/* NaNs in [from, to), where no reference was worked out: mismatches, since the sample has none. */
static void scan(judgement *judge, uint64_t from, uint64_t to, uint64_t *io_first) {
    double got[SCAN_LANES];
    while (from < to) {
        uint32_t count = to - from < SCAN_LANES ? (uint32_t)(to - from) : SCAN_LANES;
        cake_number_load_many(judge->tensor->dtype, judge->got, from, 1, count, got);
        for (uint32_t i = 0; i < count; i++) {
            if (!isnan(got[i])) continue;
            judge->result->mismatches++;
            judge->result->unwritten += cake_case_is_unwritten(judge->tensor, judge->got, from + i);
            if (from + i < *io_first) *io_first = from + i;
        }
        from += count;
    }
}

static cake_status scan_gaps(judgement *judge, const cake_run_list *runs) {
    uint64_t end = 0, first = judge->first;
    for (uint32_t i = 0; i <= runs->count; i++) {
        uint64_t next = i < runs->count ? runs->items[i].first : judge->tensor->count;
        scan(judge, end, next, &first);
        end = i < runs->count ? next + runs->items[i].count : next;
    }
    if (first == judge->first) return cake_status_ok();
    cake_lanes want = evaluate_run(judge, (cake_run){first, 1});
    if (judge->evaluator->stopped) return too_much_work(judge);
    double error = want.exact ? 0 : want.error[0];
    judge->result->first =
        cake_case_mismatch(judge->tensor, first, (double)NAN, want.value[0], allowed_for(judge, want.value[0], error));
    judge->result->has_first = true;
    return cake_status_ok();
}

/* ---- the whole ---- */

static judgement judge_start(cake_case *one, uint32_t number, const void *got, cake_comparison *result) {
    const cake_case_tensor *tensor = &one->tensors.items[number];
    const cake_case_bounds *bounds = &one->hidden->bounds.items[number];
    *result = (cake_comparison){.name = tensor->name, .count = tensor->count};
    return (judgement){.one = one,
                       .evaluator = cake_case_evaluator(one, tensor->dtype, bounds->derived),
                       .number = number,
                       .tensor = tensor,
                       .body = &one->workload->body->tensors.items[number],
                       .bounds = bounds,
                       .got = got,
                       .result = result,
                       .first = UINT64_MAX};
}

cake_status cake_case_compare(cake_case *one, uint32_t tensor, const void *got, cake_comparison *out_comparison) {
    CAKE_ASSERT(tensor < one->tensors.count && one->tensors.items[tensor].judged);
    if (one->workload->body->tensors.items[tensor].holds)
        return cake_case_compare_collection(one, tensor, got, out_comparison);
    judgement judge = judge_start(one, tensor, got, out_comparison);
    cake_run_list runs = {0};
    cake_survey survey;
    double cost;
    cake_case_survey(judge.tensor, got, &survey);
    out_comparison->norm = survey.norm;
    cake_case_choose_runs(one, judge.tensor, judge.body, judge.evaluator, &runs, &cost);
    cake_status status = judge.evaluator->stopped ? too_much_work(&judge) : cake_status_ok();
    for (uint32_t i = 0; status.kind == CAKE_STATUS_OK && i < runs.count; i++)
        status = judge_run(&judge, runs.items[i]);
    bool sampled = out_comparison->checked < judge.tensor->count;
    if (status.kind == CAKE_STATUS_OK && sampled) status = judge_suspects(&judge, &runs, &survey, cost);
    if (status.kind == CAKE_STATUS_OK && sampled && !judge.reference_has_nan) status = scan_gaps(&judge, &runs);
    if (status.kind == CAKE_STATUS_OK && judge.vacuous)
        status = cake_status_make(CAKE_STATUS_INVALID,
                                  "no tolerance can be derived for '%.80s': errors may grow without bound on the way "
                                  "(a division by about zero, or a choice between near ties); give one in the workload",
                                  judge.tensor->name);
    if (judge.difference_squares > 0) out_comparison->rel_norm = sqrt(judge.difference_squares / judge.want_squares);
    return status;
}

cake_status cake_case_reference(cake_case *one, uint32_t tensor, const int64_t *index, double *out_value,
                                double *out_error) {
    CAKE_ASSERT(tensor < one->tensors.count && one->workload->body->tensors.items[tensor].value);
    cake_comparison ignored;
    judgement judge = judge_start(one, tensor, NULL, &ignored);
    uint64_t linear = 0;
    for (uint32_t axis = 0; axis < judge.tensor->rank; axis++) {
        if (index[axis] < 0 || index[axis] >= judge.tensor->extents[axis])
            return cake_status_make(CAKE_STATUS_INVALID, "index outside of '%.80s'", judge.tensor->name);
        linear = linear * (uint64_t)judge.tensor->extents[axis] + (uint64_t)index[axis];
    }
    uint64_t outside = judge.evaluator->outside;
    cake_lanes want = evaluate_run(&judge, (cake_run){linear, 1});
    if (judge.evaluator->stopped) return too_much_work(&judge);
    if (isnan(want.value[0]) && judge.evaluator->outside != outside) return reads_outside(&judge);
    *out_value = want.value[0];
    *out_error = want.exact ? 0 : want.error[0];
    return cake_status_ok();
}
