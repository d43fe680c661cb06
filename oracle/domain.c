/* The shapes that a workload is meant for. */
#include <math.h>

#include "oracle/case.h"

void cake_shape_apply(cake_evaluator *constants, const cake_shape *shape, double *dimensions) {
    for (uint32_t i = 0; shape && i < shape->entries.count; i++) {
        const cake_shape_entry *entry = &shape->entries.items[i];
        if (isnan(dimensions[entry->dimension]))
            dimensions[entry->dimension] = cake_evaluate_scalar(constants, entry->value);
    }
}

double *cake_dimensions_new(cake_arena *arena, const cake_workload *workload) {
    double *dimensions = CAKE_NEW_ARRAY(arena, double, workload->dimensions.count);
    for (uint32_t i = 0; i < workload->dimensions.count; i++)
        dimensions[i] = (double)NAN;
    return dimensions;
}

const char *cake_domain_broken(cake_evaluator *constants, cake_arena *arena) {
    const cake_workload_body *body = constants->body;
    for (uint32_t i = 0; i < body->domain.count; i++) {
        const cake_node *condition = body->domain.items[i];
        if (cake_evaluate_scalar(constants, condition) == 1) continue;
        return cake_arena_copy(arena, body->source->text + condition->span.begin,
                               condition->span.end - condition->span.begin);
    }
    return NULL;
}

void cake_workload_check_shapes(cake_arena *arena, const cake_workload *workload, cake_diagnostics *diagnostics) {
    const cake_workload_body *body = workload->body;
    for (uint32_t i = 0; body->domain.count && i < body->shapes.count; i++) {
        const cake_shape *shape = &body->shapes.items[i];
        double *dimensions = cake_dimensions_new(arena, workload);
        cake_evaluator constants;
        cake_evaluator_init_constants(&constants, arena, body, dimensions);
        cake_shape_apply(&constants, shape, dimensions);
        const char *broken = cake_domain_broken(&constants, arena);
        if (broken)
            cake_report(diagnostics, CAKE_W110, shape->span, "shape '%s' is outside of the domain: '%s' does not hold",
                        shape->name, broken);
    }
}
