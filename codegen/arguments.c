#include "codegen/launch.h"
#include "plan/range.h"

static void add(cake_argument_row *rows, uint32_t *count, cake_argument_kind kind, uint32_t index, uint32_t bits) {
    CAKE_ASSERT(*count < CAKE_MAX_ARGUMENTS);
    rows[(*count)++] = (cake_argument_row){kind, index, bits};
}

uint32_t cake_launch_arguments(const cake_plan *plan, cake_argument_row *out_rows) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->tensor_maps.count; i++)
        add(out_rows, &count, CAKE_ARGUMENT_TENSOR_MAP, i, 0);
    for (uint32_t i = 0; i < plan->tensors.count; i++)
        if (plan->tensors.items[i]->uses_pointer) add(out_rows, &count, CAKE_ARGUMENT_POINTER, i, 0);
    for (uint32_t i = 0; i < plan->dimensions.count; i++) {
        const cake_plan_value *value = plan->dimensions.items[i];
        bool narrow = cake_range_fits_i32((cake_range){value->low, value->high});
        add(out_rows, &count, CAKE_ARGUMENT_DIMENSION, i, narrow ? 32 : 64);
    }
    for (uint32_t i = 0; i < plan->scalars.count; i++)
        add(out_rows, &count, CAKE_ARGUMENT_SCALAR, i, 0);
    return count;
}
