#include "runtime/bind.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "support/text.h"

/* Addresses have 57 bits at most: a larger size is a mistake, and keeping below it keeps sums from overflowing. */
#define LARGEST_BYTES ((uint64_t)1 << 57)

bool cake_size_multiply(uint64_t a, uint64_t b, uint64_t *out_product) {
    if (b != 0 && a > UINT64_MAX / b) return false;
    *out_product = a * b;
    return true;
}

bool cake_size_add(uint64_t a, uint64_t b, uint64_t *out_sum) {
    if (a > UINT64_MAX - b) return false;
    *out_sum = a + b;
    return true;
}

static uint32_t find_kernel(const cake_manifest *manifest, const char *name) {
    uint32_t i = 0;
    while (i < manifest->kernels.count && strcmp(manifest->kernels.items[i].interface.name, name) != 0)
        i++;
    return i;
}

static uint32_t find_program(const cake_manifest *manifest, const char *name) {
    uint32_t i = 0;
    while (i < manifest->programs.count && strcmp(manifest->programs.items[i].interface.name, name) != 0)
        i++;
    return i;
}

cake_status cake_unit_find(const cake_manifest *manifest, const char *name, cake_unit *out_unit) {
    uint32_t program = name ? find_program(manifest, name) : 0, kernel = name ? find_kernel(manifest, name) : 0;
    bool clear = name || manifest->programs.count == 1 || (!manifest->programs.count && manifest->kernels.count == 1);
    if (clear && program < manifest->programs.count) {
        const cake_manifest_program *found = &manifest->programs.items[program];
        *out_unit = (cake_unit){&found->interface, found, NULL, program};
        return cake_status_ok();
    }
    if (clear && kernel < manifest->kernels.count) {
        const cake_manifest_kernel *found = &manifest->kernels.items[kernel];
        *out_unit = (cake_unit){&found->interface, NULL, found, kernel};
        return cake_status_ok();
    }
    if (name) return cake_status_make(CAKE_STATUS_INVALID, "there is no kernel '%s' in this code", name);
    return cake_status_make(CAKE_STATUS_INVALID,
                            "this code has %" PRIu32 " programs and %" PRIu32 " kernels: say which one",
                            manifest->programs.count, manifest->kernels.count);
}

/* ---- values for names ---- */

static const cake_binding *find_value(const cake_bound *bound, const char *name) {
    for (uint32_t i = 0; i < bound->values.count; i++)
        if (strcmp(bound->values.items[i].name, name) == 0) return &bound->values.items[i];
    return NULL;
}

static void bind_value(cake_arena *arena, cake_bound *bound, const char *name, int64_t value) {
    *CAKE_PUSH(arena, &bound->values) = (cake_binding){name, value};
}

/* Statics and tunables first: a dimension given for a static must agree with it. */
static cake_status bind_dimensions(cake_arena *arena, const cake_call_request *request, cake_bound *bound) {
    const cake_manifest_interface *interface = bound->interface;
    for (uint32_t i = 0; i < request->dimension_count; i++) {
        const cake_binding *given = &request->dimensions[i];
        const cake_binding *fixed = find_value(bound, given->name);
        bool known = fixed != NULL;
        for (uint32_t k = 0; k < interface->dimensions.count; k++)
            known = known || strcmp(interface->dimensions.items[k], given->name) == 0;
        if (!known)
            return cake_status_make(CAKE_STATUS_INVALID, "%s '%s' has no dimension '%s'", interface->kind,
                                    interface->name, given->name);
        if (fixed && fixed->value != given->value)
            return cake_status_make(CAKE_STATUS_INVALID,
                                    "%s '%s' was compiled for %s = %" PRId64 " and cannot be launched with %" PRId64,
                                    interface->kind, interface->name, given->name, fixed->value, given->value);
        if (!fixed) bind_value(arena, bound, given->name, given->value);
    }
    for (uint32_t k = 0; k < interface->dimensions.count; k++)
        if (!find_value(bound, interface->dimensions.items[k]))
            return cake_status_make(CAKE_STATUS_INVALID, "dimension '%s' of %s '%s' has no value",
                                    interface->dimensions.items[k], interface->kind, interface->name);
    return cake_status_ok();
}

/* An integer element as a number, one of f32 or f64 as its bits; false for other types and for what is above the signed
 * 64-bit range. */
static bool decode_number(const char *dtype_name, const void *value, int64_t *out_number) {
    cake_dtype dtype = cake_dtype_find(dtype_name);
    cake_dtype_class class = cake_dtype_class_of(dtype);
    bool real = dtype == CAKE_DTYPE_F32 || dtype == CAKE_DTYPE_F64;
    if (class != CAKE_CLASS_SIGNED && class != CAKE_CLASS_UNSIGNED && !real) return false;
    uint32_t bits = cake_dtype_bits(dtype);
    uint64_t number = 0;
    memcpy(&number, value, bits / 8); /* little endian, as the GPU is */
    if (class == CAKE_CLASS_UNSIGNED && number > INT64_MAX) return false;
    bool negative = class == CAKE_CLASS_SIGNED && number >> (bits - 1);
    if (negative && bits < 64) number |= UINT64_MAX << bits;
    memcpy(out_number, &number, sizeof number);
    return true;
}

static cake_status bind_scalars(cake_arena *arena, const cake_call_request *request, cake_bound *bound) {
    const cake_manifest_interface *interface = bound->interface;
    bound->scalars = CAKE_NEW_ARRAY(arena, const void *, interface->scalars.count);
    for (uint32_t i = 0; i < request->scalar_count; i++) {
        uint32_t index = 0;
        while (index < interface->scalars.count &&
               strcmp(interface->scalars.items[index].name, request->scalars[i].name) != 0)
            index++;
        if (index == interface->scalars.count)
            return cake_status_make(CAKE_STATUS_INVALID, "%s '%s' has no scalar parameter '%s'", interface->kind,
                                    interface->name, request->scalars[i].name);
        bound->scalars[index] = request->scalars[i].value;
    }
    for (uint32_t i = 0; i < interface->scalars.count; i++) {
        const cake_manifest_scalar *scalar = &interface->scalars.items[i];
        if (!bound->scalars[i])
            return cake_status_make(CAKE_STATUS_INVALID, "scalar parameter '%s' of %s '%s' has no value", scalar->name,
                                    interface->kind, interface->name);
        int64_t number;
        if (decode_number(scalar->dtype, bound->scalars[i], &number)) bind_value(arena, bound, scalar->name, number);
    }
    return cake_status_ok();
}

/* ---- the contract ---- */

/* Adds ", NAME=VALUE" for every name of the expression that was not said yet. */
static void list_values(const cake_bound *bound, const cake_launch_expr *expr, cake_text *out) {
    if (expr->op == CAKE_LAUNCH_NAME) {
        const cake_binding *value = find_value(bound, expr->name);
        char said[128];
        snprintf(said, sizeof said, ", %.90s=", expr->name);
        if (value && !strstr(cake_text_string(out), said)) cake_text_format(out, "%s%" PRId64, said, value->value);
        return;
    }
    for (uint32_t i = 0; i < cake_launch_operand_count(expr->op); i++)
        list_values(bound, expr->operands[i], out);
}

cake_status cake_bound_check(cake_arena *arena, const cake_bound *bound, const char *whose,
                             const cake_manifest_condition *conditions, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const cake_launch_expr *condition = conditions[i].condition;
        int64_t holds = 0;
        if (cake_launch_evaluate(condition, bound->values.items, bound->values.count, &holds) && holds) continue;
        cake_text values;
        cake_text_init(&values, arena);
        list_values(bound, condition, &values);
        return cake_status_make(CAKE_STATUS_INVALID, "%s %s '%s' says '%s', which does not hold%s%s", whose,
                                bound->interface->kind, bound->interface->name, conditions[i].text,
                                values.size ? " for " : "", values.size ? cake_text_string(&values) + 2 : "");
    }
    return cake_status_ok();
}

cake_status cake_bind(cake_arena *arena, const cake_manifest_interface *interface, const cake_call_request *request,
                      uint32_t sm_count, cake_bound *out_bound) {
    cake_bound bound = {.interface = interface};
    for (uint32_t i = 0; i < interface->statics.count; i++)
        bind_value(arena, &bound, interface->statics.items[i].name, interface->statics.items[i].value);
    cake_status status = bind_dimensions(arena, request, &bound);
    if (status.kind != CAKE_STATUS_OK) return status;
    for (uint32_t i = 0; i < interface->tunables.count; i++)
        bind_value(arena, &bound, interface->tunables.items[i].name, interface->tunables.items[i].value);
    bind_value(arena, &bound, "sm_count", sm_count);
    status = bind_scalars(arena, request, &bound);
    if (status.kind != CAKE_STATUS_OK) return status;
    *out_bound = bound;
    return cake_bound_check(arena, &bound, "the contract of", interface->contract.items, interface->contract.count);
}

/* ---- derived values ---- */

cake_status cake_bound_evaluate(const cake_bound *bound, const cake_launch_expr *expr, const char *what, int64_t low,
                                int64_t high, int64_t *out_value) {
    if (!cake_launch_evaluate(expr, bound->values.items, bound->values.count, out_value))
        return cake_status_make(CAKE_STATUS_INVALID, "%s of %s '%s' overflows 64 bits or divides by zero", what,
                                bound->interface->kind, bound->interface->name);
    if (*out_value >= low && *out_value <= high) return cake_status_ok();
    return cake_status_make(CAKE_STATUS_INVALID,
                            "%s of %s '%s' is %" PRId64 ", which is outside %" PRId64 " to %" PRId64, what,
                            bound->interface->kind, bound->interface->name, *out_value, low, high);
}

/* Row-major and contiguous strides; an overflow is left to the computation of bytes, which sees larger numbers still.
 */
static void fill_strides(cake_tensor_layout *layout) {
    uint64_t stride = 1;
    for (uint32_t i = layout->rank; i-- > 0;) {
        layout->strides[i] = (int64_t)stride;
        if (!cake_size_multiply(stride, (uint64_t)(layout->extents[i] > 0 ? layout->extents[i] : 1), &stride) ||
            stride > INT64_MAX)
            stride = INT64_MAX;
    }
}

/* (1 + sum of (extent - 1) * stride) elements, rounded up to bytes; false when that is too large. */
static bool compute_bytes(cake_tensor_layout *layout, uint32_t element_bits) {
    uint64_t last = 0, step;
    layout->bytes = 0;
    for (uint32_t i = 0; i < layout->rank; i++)
        if (layout->extents[i] == 0) return true;
    for (uint32_t i = 0; i < layout->rank; i++) {
        if (!cake_size_multiply((uint64_t)layout->extents[i] - 1, (uint64_t)layout->strides[i], &step) ||
            !cake_size_add(last, step, &last))
            return false;
    }
    uint64_t bits;
    if (last == UINT64_MAX || !cake_size_multiply(last + 1, element_bits, &bits)) return false;
    layout->bytes = bits / 8 + (bits % 8 != 0);
    return layout->bytes <= LARGEST_BYTES;
}

cake_status cake_bound_memory(const cake_bound *bound, const cake_memory_shape *memory,
                              cake_tensor_layout *out_layout) {
    cake_tensor_layout layout = {.rank = memory->shape->count};
    char what[128];
    snprintf(what, sizeof what, "an extent of tensor '%.60s'", memory->name);
    for (uint32_t i = 0; i < layout.rank; i++) {
        cake_status status =
            cake_bound_evaluate(bound, memory->shape->items[i], what, 0, INT64_MAX, &layout.extents[i]);
        if (status.kind != CAKE_STATUS_OK) return status;
    }
    snprintf(what, sizeof what, "a stride of tensor '%.60s'", memory->name);
    fill_strides(&layout);
    for (uint32_t i = 0; memory->strides && i < memory->strides->count; i++) {
        cake_status status =
            cake_bound_evaluate(bound, memory->strides->items[i], what, 0, INT64_MAX, &layout.strides[i]);
        if (status.kind != CAKE_STATUS_OK) return status;
    }
    if (!compute_bytes(&layout, cake_dtype_bits(cake_dtype_find(memory->dtype))))
        return cake_status_make(CAKE_STATUS_INVALID, "tensor '%s' of %s '%s' is larger than any memory", memory->name,
                                bound->interface->kind, bound->interface->name);
    *out_layout = layout;
    return cake_status_ok();
}

cake_status cake_bound_tensor(const cake_bound *bound, uint32_t tensor_index, cake_tensor_layout *out_layout) {
    const cake_manifest_tensor *tensor = &bound->interface->tensors.items[tensor_index];
    cake_memory_shape memory = {tensor->name, tensor->dtype, &tensor->shape, &tensor->strides};
    return cake_bound_memory(bound, &memory, out_layout);
}

cake_status cake_bound_grid(const cake_bound *bound, const cake_manifest_kernel *kernel, uint32_t *out_grid) {
    int64_t grid;
    cake_status status = cake_bound_evaluate(bound, kernel->grid, "the grid", 0, INT32_MAX, &grid);
    if (status.kind != CAKE_STATUS_OK) return status;
    if (grid % kernel->cluster != 0)
        return cake_status_make(CAKE_STATUS_INVALID,
                                "the grid of kernel '%s' is %" PRId64
                                ", which is no multiple of its cluster of %" PRIu32,
                                kernel->interface.name, grid, kernel->cluster);
    *out_grid = (uint32_t)grid;
    return cake_status_ok();
}
