/* Cases: dimensions chosen, sizes known. */
#include <math.h>
#include <string.h>

#include "oracle/case.h"
#include "oracle/number.h"

#define LARGEST_COUNT 0x1p53 /* a double counts to here */
#define WORK_LIMIT    2e9    /* some seconds */

/* ---- shapes ---- */

static const cake_shape *shape_find(const cake_workload *workload, const char *name) {
    const cake_workload_body *body = workload->body;
    if (!name) return body->shapes.count ? &body->shapes.items[0] : NULL;
    for (uint32_t i = 0; i < body->shapes.count; i++)
        if (strcmp(body->shapes.items[i].name, name) == 0) return &body->shapes.items[i];
    return NULL;
}

static bool is_size(double value) {
    return value >= 0 && value <= LARGEST_COUNT && value == floor(value);
}

static uint32_t dimension_find(const cake_workload *workload, const char *name) {
    uint32_t i = 0;
    while (i < workload->dimensions.count && strcmp(workload->dimensions.items[i], name) != 0)
        i++;
    return i;
}

bool cake_workload_shape_value(cake_arena *arena, const cake_workload *workload, const char *shape,
                               const char *dimension, int64_t *out_value) {
    const cake_shape *found = workload->body->usable ? shape_find(workload, shape) : NULL;
    uint32_t number = dimension_find(workload, dimension);
    if (!found || number == workload->dimensions.count) return false;
    double *dimensions = cake_dimensions_new(arena, workload);
    cake_evaluator constants;
    cake_evaluator_init_constants(&constants, arena, workload->body, dimensions);
    cake_shape_apply(&constants, found, dimensions);
    if (!is_size(dimensions[number])) return false;
    *out_value = (int64_t)dimensions[number];
    return true;
}

/* ---- dimensions ---- */

static const char *names_joined(cake_arena *arena, const cake_name *names, uint32_t count) {
    const char *joined = count ? names[0] : "none";
    for (uint32_t i = 1; i < count && i < 16; i++)
        joined = cake_arena_format(arena, "%s, %s", joined, names[i]);
    return joined;
}

static cake_status choose_dimensions(cake_arena *arena, cake_case *one, const char *shape_name,
                                     const cake_case_dimension *chosen, uint32_t chosen_count) {
    const cake_workload *workload = one->workload;
    const cake_shape *shape = shape_find(workload, shape_name);
    double *dimensions = one->hidden->dimensions;
    if (shape_name && !shape)
        return cake_status_make(CAKE_STATUS_INVALID, "workload '%.80s' has no shape '%.80s'; it has %.200s",
                                workload->name, shape_name,
                                names_joined(arena, workload->shapes.items, workload->shapes.count));
    for (uint32_t i = 0; i < chosen_count; i++) {
        uint32_t number = dimension_find(workload, chosen[i].name);
        if (number == workload->dimensions.count)
            return cake_status_make(CAKE_STATUS_INVALID, "workload '%.80s' has no dimension '%.80s'; it has %.200s",
                                    workload->name, chosen[i].name,
                                    names_joined(arena, workload->dimensions.items, workload->dimensions.count));
        dimensions[number] = (double)chosen[i].value;
    }
    cake_shape_apply(&one->hidden->constants, shape, dimensions);
    one->shape = shape ? shape->name : NULL;
    for (uint32_t i = 0; i < workload->dimensions.count; i++) {
        const char *name = workload->dimensions.items[i];
        if (isnan(dimensions[i]))
            return cake_status_make(CAKE_STATUS_INVALID, "dimension '%.80s' has no value: give it with -D %.80s=VALUE",
                                    name, name);
        if (!is_size(dimensions[i]))
            return cake_status_make(CAKE_STATUS_INVALID, "dimension '%.80s' cannot be %.17g", name, dimensions[i]);
        *CAKE_PUSH(arena, &one->dimensions) = (cake_case_dimension){name, (int64_t)dimensions[i]};
    }
    const char *broken = cake_domain_broken(&one->hidden->constants, arena);
    if (broken)
        return cake_status_make(CAKE_STATUS_INVALID,
                                "these dimensions are outside of the workload's domain: '%.200s' does not hold",
                                broken);
    return cake_status_ok();
}

/* ---- tensors ---- */

static cake_status size_tensor(cake_case *one, uint32_t number, cake_case_tensor *out_tensor) {
    const cake_workload_tensor *tensor = &one->workload->tensors.items[number];
    const cake_tensor_body *body = &one->workload->body->tensors.items[number];
    *out_tensor = (cake_case_tensor){.name = tensor->name,
                                     .use = tensor->use,
                                     .dtype = tensor->dtype,
                                     .judged = tensor->judged,
                                     .rank = tensor->rank};
    double count = 1, nonzero = 1;
    for (uint32_t axis = 0; axis < tensor->rank; axis++) {
        double extent = cake_evaluate_scalar(&one->hidden->constants, body->extents.items[axis]);
        if (!is_size(extent))
            return cake_status_make(CAKE_STATUS_INVALID, "axis %u of '%.80s' cannot have %.17g elements", axis,
                                    tensor->name, extent);
        out_tensor->extents[axis] = (int64_t)extent;
        count *= extent;
        nonzero *= extent > 0 ? extent : 1;
    }
    if (nonzero > LARGEST_COUNT)
        return cake_status_make(CAKE_STATUS_INVALID, "'%.80s' would have %.3g elements, more than any memory holds",
                                tensor->name, nonzero);
    out_tensor->count = (uint64_t)count;
    out_tensor->bytes = (size_t)((out_tensor->count * cake_dtype_bits(tensor->dtype) + 7) / 8);
    return cake_status_ok();
}

static bool bad_tolerance(cake_case *one, const cake_node *node, double *out_value) {
    *out_value = node ? cake_evaluate_scalar(&one->hidden->constants, node) : 0;
    return !(*out_value >= 0 && isfinite(*out_value));
}

static cake_status size_tensors(cake_arena *arena, cake_case *one) {
    for (uint32_t i = 0; i < one->workload->tensors.count; i++) {
        const cake_tolerance *tolerance = &one->workload->body->tensors.items[i].tolerance;
        cake_case_bounds *bounds = CAKE_PUSH(arena, &one->hidden->bounds);
        cake_status status = size_tensor(one, i, CAKE_PUSH(arena, &one->tensors));
        if (status.kind != CAKE_STATUS_OK) return status;
        bounds->derived = !tolerance->absolute && !tolerance->relative;
        if (bad_tolerance(one, tolerance->absolute, &bounds->absolute) ||
            bad_tolerance(one, tolerance->relative, &bounds->relative))
            return cake_status_make(CAKE_STATUS_INVALID, "the tolerance of '%.80s' is no number from 0 up",
                                    one->tensors.items[i].name);
    }
    return cake_status_ok();
}

static void count_work(cake_case *one) {
    const cake_workload_body *body = one->workload->body;
    for (uint32_t i = 0; i < one->tensors.count; i++)
        one->bytes += (double)one->tensors.items[i].bytes * (one->tensors.items[i].use == CAKE_USE_INOUT ? 2 : 1);
    if (body->bytes) one->bytes = cake_evaluate_scalar(&one->hidden->constants, body->bytes);
    if (body->flops) one->flops = cake_evaluate_scalar(&one->hidden->constants, body->flops);
}

cake_status cake_case_create(cake_arena *arena, const cake_workload *workload, const char *shape,
                             const cake_case_dimension *chosen, uint32_t chosen_count, uint64_t seed,
                             cake_case **out_case) {
    *out_case = NULL;
    if (!workload->body->usable) return cake_status_make(CAKE_STATUS_INVALID, "the workload has errors");
    cake_case *one = CAKE_NEW(arena, cake_case);
    one->workload = workload;
    one->seed = seed;
    one->hidden = CAKE_NEW(arena, cake_case_private);
    one->hidden->arena = arena;
    one->hidden->work_limit = WORK_LIMIT;
    one->hidden->dimensions = cake_dimensions_new(arena, workload);
    cake_evaluator_init_constants(&one->hidden->constants, arena, workload->body, one->hidden->dimensions);
    cake_status status = choose_dimensions(arena, one, shape, chosen, chosen_count);
    if (status.kind == CAKE_STATUS_OK) status = size_tensors(arena, one);
    if (status.kind != CAKE_STATUS_OK) return status;
    count_work(one);
    *out_case = one;
    return status;
}

cake_case_tensor *cake_case_tensor_find(cake_case *one, const char *name) {
    for (uint32_t i = 0; i < one->tensors.count; i++)
        if (strcmp(one->tensors.items[i].name, name) == 0) return &one->tensors.items[i];
    return NULL;
}

/* ---- the evaluator of a case ---- */

cake_evaluator *cake_case_evaluator(cake_case *one, cake_dtype dtype, bool errors) {
    cake_case_private *hidden = one->hidden;
    if (!hidden->evaluator) {
        hidden->evaluator = CAKE_NEW(hidden->arena, cake_evaluator);
        cake_evaluator_init(hidden->evaluator, hidden->arena, one, hidden->dimensions);
    }
    cake_evaluator_prepare(hidden->evaluator, dtype, errors, hidden->work_limit);
    return hidden->evaluator;
}

cake_lanes cake_case_evaluate_run(cake_evaluator *evaluator, const cake_tensor_body *body,
                                  const cake_case_tensor *tensor, cake_run run) {
    uint64_t linear = run.first;
    for (uint32_t axis = tensor->rank; axis-- > 0; linear /= (uint64_t)tensor->extents[axis])
        evaluator->slots[body->axes.items[axis].slot] = (int64_t)(linear % (uint64_t)tensor->extents[axis]);
    uint32_t slot = tensor->rank ? body->axes.items[tensor->rank - 1].slot : CAKE_NO_SLOT;
    return cake_evaluate_lanes(evaluator, body->value, slot, run.count);
}
