/* Plan to manifest: launch-scope values become launch expressions. */
#include <string.h>

#include "codegen/launch.h"

static const cake_launch_expr *expression(cake_arena *arena, const cake_plan_value *value);

static const cake_launch_expr *apply(cake_arena *arena, cake_launch_op op, const cake_launch_expr *a,
                                     const cake_launch_expr *b) {
    return cake_launch_apply(arena, op, a, b, NULL);
}

/* ---- floats: as bits ---- */

static bool is_real(const cake_plan_value *value) {
    return value->dtype == CAKE_DTYPE_F32 || value->dtype == CAKE_DTYPE_F64;
}

static const cake_launch_expr *real_constant(cake_arena *arena, cake_dtype dtype, double real) {
    float single = (float)real;
    uint32_t low;
    int64_t bits;
    memcpy(&bits, &real, sizeof bits);
    memcpy(&low, &single, sizeof low);
    return cake_launch_constant(arena, dtype == CAKE_DTYPE_F32 ? (int64_t)low : bits);
}

static const cake_launch_expr *real_binary(cake_arena *arena, const cake_plan_op *op) {
    const cake_launch_expr *a = expression(arena, op->operands[0]), *b = expression(arena, op->operands[1]);
    bool single = op->result->dtype == CAKE_DTYPE_F32;
    switch (op->u.binary) {
    case CAKE_BINARY_ADD:
        return apply(arena, single ? CAKE_LAUNCH_F32_ADD : CAKE_LAUNCH_F64_ADD, a, b);
    case CAKE_BINARY_SUB:
        return apply(arena, single ? CAKE_LAUNCH_F32_SUB : CAKE_LAUNCH_F64_SUB, a, b);
    case CAKE_BINARY_MUL:
        return apply(arena, single ? CAKE_LAUNCH_F32_MUL : CAKE_LAUNCH_F64_MUL, a, b);
    default:
        CAKE_ASSERT(op->u.binary == CAKE_BINARY_DIV);
        return apply(arena, single ? CAKE_LAUNCH_F32_DIV : CAKE_LAUNCH_F64_DIV, a, b);
    }
}

static const cake_launch_expr *cast(cake_arena *arena, const cake_plan_op *op) {
    const cake_launch_expr *a = expression(arena, op->operands[0]);
    if (!is_real(op->result) || op->operands[0]->dtype == op->result->dtype) return a; /* exact integers */
    if (op->result->dtype == CAKE_DTYPE_F32)
        return apply(arena, is_real(op->operands[0]) ? CAKE_LAUNCH_F32_OF_F64 : CAKE_LAUNCH_F32, a, NULL);
    return apply(arena, is_real(op->operands[0]) ? CAKE_LAUNCH_F64_OF_F32 : CAKE_LAUNCH_F64, a, NULL);
}

static const cake_launch_expr *unary(cake_arena *arena, const cake_plan_op *op) {
    const cake_launch_expr *a = expression(arena, op->operands[0]);
    if (op->u.unary == CAKE_UNARY_NOT) return apply(arena, CAKE_LAUNCH_NOT, a, NULL);
    if (is_real(op->result)) /* a negated zero, infinity or NaN too */
        return apply(arena, op->result->dtype == CAKE_DTYPE_F32 ? CAKE_LAUNCH_F32_MUL : CAKE_LAUNCH_F64_MUL, a,
                     real_constant(arena, op->result->dtype, -1));
    return apply(arena, CAKE_LAUNCH_SUB, cake_launch_constant(arena, op->u.unary == CAKE_UNARY_NEG ? 0 : -1), a);
}

/* ---- the operations of the host ---- */

static const cake_launch_expr *binary(cake_arena *arena, const cake_plan_op *op) {
    if (is_real(op->result)) return real_binary(arena, op);
    const cake_launch_expr *a = expression(arena, op->operands[0]), *b = expression(arena, op->operands[1]);
    switch (op->u.binary) {
    case CAKE_BINARY_OR:
        return apply(arena, CAKE_LAUNCH_OR, a, b);
    case CAKE_BINARY_AND:
        return apply(arena, CAKE_LAUNCH_AND, a, b);
    case CAKE_BINARY_XOR:
        return apply(arena, CAKE_LAUNCH_NE, a, b); /* of conditions */
    case CAKE_BINARY_SHL:
        return apply(arena, CAKE_LAUNCH_SHL, a, b);
    case CAKE_BINARY_SHR:
        return apply(arena, CAKE_LAUNCH_SHR, a, b);
    case CAKE_BINARY_ADD:
        return apply(arena, CAKE_LAUNCH_ADD, a, b);
    case CAKE_BINARY_SUB:
        return apply(arena, CAKE_LAUNCH_SUB, a, b);
    case CAKE_BINARY_MUL:
        return apply(arena, CAKE_LAUNCH_MUL, a, b);
    case CAKE_BINARY_DIV:
        return apply(arena, CAKE_LAUNCH_DIV, a, b);
    case CAKE_BINARY_MOD:
        return apply(arena, CAKE_LAUNCH_MOD, a, b);
    case CAKE_BINARY_EQ:
        return apply(arena, CAKE_LAUNCH_EQ, a, b);
    case CAKE_BINARY_NE:
        return apply(arena, CAKE_LAUNCH_NE, a, b);
    case CAKE_BINARY_LT:
        return apply(arena, CAKE_LAUNCH_LT, a, b);
    case CAKE_BINARY_LE:
        return apply(arena, CAKE_LAUNCH_LE, a, b);
    case CAKE_BINARY_GT:
        return apply(arena, CAKE_LAUNCH_LT, b, a);
    case CAKE_BINARY_GE:
        return apply(arena, CAKE_LAUNCH_LE, b, a);
    case CAKE_BINARY_COUNT:
        break;
    }
    CAKE_ASSERT(!"unknown operator");
}

static const cake_launch_expr *call(cake_arena *arena, const cake_plan_op *op) {
    const cake_launch_expr *a[3] = {0};
    for (uint8_t i = 0; i < op->operand_count; i++)
        a[i] = expression(arena, op->operands[i]);
    switch (op->u.call.function) {
    case CAKE_BUILTIN_MIN:
        return apply(arena, CAKE_LAUNCH_MIN, a[0], a[1]);
    case CAKE_BUILTIN_MAX:
        return apply(arena, CAKE_LAUNCH_MAX, a[0], a[1]);
    case CAKE_BUILTIN_CDIV:
        return apply(arena, CAKE_LAUNCH_CDIV, a[0], a[1]);
    case CAKE_BUILTIN_CEILTO:
        return apply(arena, CAKE_LAUNCH_CEILTO, a[0], a[1]);
    case CAKE_BUILTIN_ISPOW2:
        return apply(arena, CAKE_LAUNCH_ISPOW2, a[0], NULL);
    case CAKE_BUILTIN_SELECT:
        return cake_launch_apply(arena, CAKE_LAUNCH_SELECT, a[0], a[1], a[2]);
    case CAKE_BUILTIN_SQRT:
        return apply(arena, op->result->dtype == CAKE_DTYPE_F32 ? CAKE_LAUNCH_F32_SQRT : CAKE_LAUNCH_F64_SQRT, a[0],
                     NULL);
    case CAKE_BUILTIN_ABS:
        return apply(arena, CAKE_LAUNCH_MAX, a[0], apply(arena, CAKE_LAUNCH_SUB, cake_launch_constant(arena, 0), a[0]));
    default:
        break;
    }
    CAKE_ASSERT(!"a function that the host can't evaluate");
}

static const cake_launch_expr *expression(cake_arena *arena, const cake_plan_value *value) {
    if (value->is_constant)
        return is_real(value) ? real_constant(arena, value->dtype, value->real)
                              : cake_launch_constant(arena, value->integer);
    const cake_plan_op *op = value->definition;
    switch (op->kind) {
    case CAKE_PLAN_DIMENSION:
    case CAKE_PLAN_PARAMETER:
        return cake_launch_name(arena, op->u.leaf.name);
    case CAKE_PLAN_CAST:
        return cast(arena, op);
    case CAKE_PLAN_BINARY:
        return binary(arena, op);
    case CAKE_PLAN_CALL:
        return call(arena, op);
    case CAKE_PLAN_UNARY:
        return unary(arena, op);
    default:
        break;
    }
    CAKE_ASSERT(!"a launch-scope value that the host can't evaluate");
}

static void add_tensors(cake_arena *arena, const cake_plan *plan, cake_manifest_interface *interface) {
    for (uint32_t i = 0; i < plan->tensors.count; i++) {
        const cake_plan_tensor *tensor = plan->tensors.items[i];
        cake_manifest_tensor *row = CAKE_PUSH(arena, &interface->tensors);
        row->name = tensor->name;
        row->dtype = cake_dtype_name(tensor->dtype);
        row->mode = (cake_tensor_mode)tensor->mode;
        for (uint8_t d = 0; d < tensor->rank; d++) {
            *CAKE_PUSH(arena, &row->shape) = expression(arena, tensor->extents[d]);
            if (!tensor->contiguous) *CAKE_PUSH(arena, &row->strides) = expression(arena, tensor->strides[d]);
        }
    }
    for (uint32_t i = 0; i < plan->scalars.count; i++) {
        const cake_plan_value *scalar = plan->scalars.items[i];
        *CAKE_PUSH(arena, &interface->scalars) =
            (cake_manifest_scalar){scalar->definition->u.leaf.name, cake_dtype_name(scalar->dtype)};
    }
    for (uint32_t i = 0; i < plan->kernel->parameters.count; i++)
        *CAKE_PUSH(arena, &interface->parameters) = plan->kernel->parameters.items[i]->name;
}

static void add_conditions(cake_arena *arena, const cake_plan_condition_list *conditions,
                           cake_manifest_condition_list *out_list) {
    for (uint32_t i = 0; i < conditions->count; i++)
        *CAKE_PUSH(arena, out_list) =
            (cake_manifest_condition){conditions->items[i].text, expression(arena, conditions->items[i].value)};
}

/* Dimensions, parameters and contract. */
static void add_interface(cake_arena *arena, const cake_plan *plan, cake_manifest_interface *interface) {
    for (uint32_t i = 0; i < plan->dimensions.count; i++)
        *CAKE_PUSH(arena, &interface->dimensions) = plan->dimensions.items[i]->definition->u.leaf.name;
    for (uint32_t i = 0; i < plan->statics.count; i++)
        *CAKE_PUSH(arena, &interface->statics) =
            (cake_manifest_value){plan->statics.items[i].name, plan->statics.items[i].value};
    for (uint32_t i = 0; i < plan->tunables.count; i++)
        *CAKE_PUSH(arena, &interface->tunables) =
            (cake_manifest_value){plan->tunables.items[i].name, plan->tunables.items[i].value};
    add_tensors(arena, plan, interface);
    add_conditions(arena, &plan->contract, &interface->contract);
    for (uint32_t i = 0; i < plan->trust.count; i++)
        *CAKE_PUSH(arena, &interface->trust) = plan->trust.items[i];
}

static void add_tensor_map(cake_arena *arena, const cake_plan_tensor_map *map, cake_manifest_kernel *kernel) {
    cake_manifest_tensor_map *row = CAKE_PUSH(arena, &kernel->tensor_maps);
    const cake_plan_tensor *tensor = map->tensor;
    uint32_t bits = cake_dtype_bits(tensor->dtype);
    row->tensor = tensor->number - 1;
    row->dtype = bits >= 8 ? cake_dtype_name(tensor->dtype) : "u8"; /* pairs of the last dimension */
    row->swizzle = map->swizzle;
    row->l2_promotion = map->stores ? 0 : 256;
    for (uint8_t d = tensor->rank; d-- > 0;) {
        uint32_t unit = bits < 8 && d + 1 == tensor->rank ? 8 / bits : 1;
        const cake_launch_expr *extent = expression(arena, tensor->extents[d]);
        if (unit > 1) extent = apply(arena, CAKE_LAUNCH_DIV, extent, cake_launch_constant(arena, unit));
        *CAKE_PUSH(arena, &row->extents) = extent;
        *CAKE_PUSH(arena, &row->box) = map->box[d] / unit;
        if (d + 1 == tensor->rank) continue;
        const cake_launch_expr *stride = expression(arena, tensor->strides[d]);
        *CAKE_PUSH(arena, &row->strides) =
            bits >= 8 ? apply(arena, CAKE_LAUNCH_MUL, stride, cake_launch_constant(arena, bits / 8))
                      : apply(arena, CAKE_LAUNCH_DIV, stride, cake_launch_constant(arena, 8 / bits));
    }
}

/* A grid has at most 2^31 - 1 CTAs. */
static void add_tile_limit(cake_arena *arena, const cake_plan *plan, cake_manifest_interface *interface) {
    if (plan->launch.tiles->is_constant) return;
    int64_t most = INT32_MAX / plan->launch.cluster;
    const cake_launch_expr *limit = cake_launch_constant(arena, most);
    *CAKE_PUSH(arena, &interface->contract) =
        (cake_manifest_condition){cake_arena_format(arena, "at most %lld tiles", (long long)most),
                                  apply(arena, CAKE_LAUNCH_LE, expression(arena, plan->launch.tiles), limit)};
}

/* CTAs: one a tile, or as many as are resident; whole clusters in both cases. */
static const cake_launch_expr *grid(cake_arena *arena, const cake_plan *plan) {
    const cake_launch_expr *clusters = expression(arena, plan->launch.tiles);
    const cake_launch_expr *size = cake_launch_constant(arena, plan->launch.cluster);
    if (plan->launch.persistent) {
        const cake_launch_expr *resident = apply(arena, CAKE_LAUNCH_MUL, cake_launch_name(arena, "sm_count"),
                                                 cake_launch_constant(arena, plan->launch.ctas_per_sm));
        if (plan->launch.cluster > 1) resident = apply(arena, CAKE_LAUNCH_DIV, resident, size);
        clusters = apply(arena, CAKE_LAUNCH_MIN, clusters, resident);
    }
    return plan->launch.cluster > 1 ? apply(arena, CAKE_LAUNCH_MUL, clusters, size) : clusters;
}

void cake_launch_manifest(cake_arena *arena, const cake_plan *plan, cake_manifest_kernel *out_kernel) {
    cake_manifest_kernel *kernel = out_kernel;
    *kernel = (cake_manifest_kernel){.interface = {.kind = "kernel", .name = plan->entry},
                                     .threads = plan->launch.warps * 32,
                                     .cluster = plan->launch.cluster,
                                     .shared_bytes = plan->launch.shared_bytes,
                                     .ctas_per_sm = plan->launch.ctas_per_sm ? plan->launch.ctas_per_sm : 1};
    add_interface(arena, plan, &kernel->interface);
    add_tile_limit(arena, plan, &kernel->interface);
    for (uint32_t i = 0; i < plan->tensor_maps.count; i++)
        add_tensor_map(arena, plan->tensor_maps.items[i], kernel);
    cake_argument_row rows[CAKE_MAX_ARGUMENTS];
    uint32_t count = cake_launch_arguments(plan, rows);
    for (uint32_t i = 0; i < count; i++)
        *CAKE_PUSH(arena, &kernel->arguments) = (cake_manifest_argument){rows[i].kind, rows[i].index, rows[i].bits};
    kernel->grid = grid(arena, plan);
}

/* ---- programs ---- */

static cake_manifest_source source_of(cake_arena *arena, const cake_plan_source *source) {
    switch (source->kind) {
    case CAKE_PLAN_SOURCE_SCALAR:
        return (cake_manifest_source){.kind = CAKE_SOURCE_SCALAR, .index = source->scalar};
    case CAKE_PLAN_SOURCE_BITS:
        return (cake_manifest_source){.kind = CAKE_SOURCE_VALUE, .bits = source->bits};
    case CAKE_PLAN_SOURCE_VALUE:
        return (cake_manifest_source){.kind = CAKE_SOURCE_EXPRESSION, .expression = expression(arena, source->value)};
    }
    return (cake_manifest_source){0};
}

static void add_step(cake_arena *arena, const cake_plan_step *step, cake_manifest_program *program) {
    cake_manifest_step *row = CAKE_PUSH(arena, &program->steps);
    *row = (cake_manifest_step){.kind = CAKE_MANIFEST_STEP_FILL, .memory = step->memory};
    if (step->kind == CAKE_STEP_FILL) {
        row->value = source_of(arena, &step->value);
        return;
    }
    *row = (cake_manifest_step){.kind = CAKE_MANIFEST_STEP_LAUNCH, .kernel = step->instance, .overlap = step->overlap};
    for (uint32_t i = 0; i < step->tensors.count; i++)
        *CAKE_PUSH(arena, &row->tensors) = step->tensors.items[i];
    for (uint32_t i = 0; i < step->dimensions.count; i++)
        *CAKE_PUSH(arena, &row->dimensions) = expression(arena, step->dimensions.items[i]);
    for (uint32_t i = 0; i < step->scalars.count; i++)
        *CAKE_PUSH(arena, &row->scalars) = source_of(arena, &step->scalars.items[i]);
}

void cake_launch_program(cake_arena *arena, const cake_plan_program *plan, cake_manifest_program *out_program) {
    *out_program = (cake_manifest_program){.interface = {.kind = "program", .name = plan->program->name}};
    add_interface(arena, plan->scope, &out_program->interface);
    add_conditions(arena, &plan->required, &out_program->required);
    for (uint32_t i = 0; i < plan->temporaries.count; i++) {
        const cake_plan_tensor *tensor = plan->temporaries.items[i];
        cake_manifest_temporary *row = CAKE_PUSH(arena, &out_program->temporaries);
        *row = (cake_manifest_temporary){.name = tensor->name, .dtype = cake_dtype_name(tensor->dtype)};
        for (uint8_t d = 0; d < tensor->rank; d++)
            *CAKE_PUSH(arena, &row->shape) = expression(arena, tensor->extents[d]);
    }
    for (uint32_t i = 0; i < plan->steps.count; i++)
        add_step(arena, &plan->steps.items[i], out_program);
}
