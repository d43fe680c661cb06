/* Judging properties: conditions that must hold of what was written, index by index, all of them or a sample. */
#include <math.h>

#include "oracle/case.h"

/* The property's indices as a tensor without data, so that they are chosen like elements. */
static cake_status shape_indices(cake_evaluator *evaluator, const cake_property *property,
                                 cake_case_tensor *out_tensor) {
    *out_tensor =
        (cake_case_tensor){.name = property->name, .use = CAKE_USE_INOUT, .rank = property->axes.count, .count = 1};
    double count = 1;
    for (uint32_t axis = 0; axis < property->axes.count; axis++) {
        double extent = fmax(0, cake_evaluate_scalar(evaluator, property->axes.items[axis].to));
        count *= extent;
        if (!(extent <= 0x1p53))
            return cake_status_make(CAKE_STATUS_INVALID, "index %u of property '%.80s' cannot run to %.17g", axis,
                                    property->name, extent);
        out_tensor->extents[axis] = (int64_t)extent;
    }
    if (count > 0x1p53)
        return cake_status_make(CAKE_STATUS_INVALID, "property '%.80s' has too many indices", property->name);
    out_tensor->count = (uint64_t)count;
    return cake_status_ok();
}

/* False when the evaluator stopped. */
static bool judge_run(cake_evaluator *evaluator, const cake_tensor_body *body, const cake_case_tensor *indices,
                      cake_run run, cake_comparison *result) {
    cake_lanes holds = cake_case_evaluate_run(evaluator, body, indices, run);
    if (evaluator->stopped) return false;
    result->checked += run.count;
    for (uint32_t i = 0; i < run.count; i++) {
        if (holds.value[holds.count == 1 ? 0 : i] == 1) continue;
        if (!result->has_first) result->first = cake_case_mismatch(indices, run.first + i, 0, 1, 0);
        result->has_first = true;
        result->mismatches++;
    }
    return true;
}

static cake_status judge_all(cake_case *one, cake_evaluator *evaluator, const cake_property *property,
                             cake_comparison *result) {
    cake_case_tensor indices;
    cake_tensor_body body = {.axes = property->axes, .value = property->condition};
    cake_run_list runs = {0};
    double cost;
    cake_status status = shape_indices(evaluator, property, &indices);
    if (status.kind != CAKE_STATUS_OK) return status;
    result->count = indices.count;
    cake_case_choose_runs(one, &indices, &body, evaluator, &runs, &cost);
    bool going = !evaluator->stopped;
    for (uint32_t i = 0; going && i < runs.count; i++)
        going = judge_run(evaluator, &body, &indices, runs.items[i], result);
    if (going) return status;
    return cake_status_make(CAKE_STATUS_INVALID, "property '%.80s' takes too much work at this size", property->name);
}

cake_status cake_case_judge_property(cake_case *one, uint32_t property, const void *const *written,
                                     cake_comparison *out_comparison) {
    CAKE_ASSERT(property < one->workload->body->properties.count);
    const cake_property *judged = &one->workload->body->properties.items[property];
    cake_evaluator *evaluator = cake_case_evaluator(one, CAKE_DTYPE_F64, false);
    *out_comparison = (cake_comparison){.name = judged->name};
    evaluator->written = written;
    cake_status status = judge_all(one, evaluator, judged, out_comparison);
    evaluator->written = NULL;
    return status;
}
