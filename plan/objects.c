/* Roles and memory of a CTA: who has which warps, where buffers and barriers lie, and whether the target has room. */
#include "plan/internal.h"

#define MAX_THREADS ((uint32_t)CAKE_LIMIT_THREADS_PER_CTA)
#define MAX_BUFFER  (1u << 24) /* bytes; far more than any target has */

const cake_plan_role *cake_plan_role_find(const cake_plan *plan, cake_name name) {
    for (uint32_t i = 0; i < plan->roles.count; i++)
        if (plan->roles.items[i]->name == name) return plan->roles.items[i];
    return NULL;
}

const cake_plan_pipeline *cake_plan_pipeline_find(const cake_plan *plan, cake_name name) {
    for (uint32_t i = 0; i < plan->pipelines.count; i++)
        if (plan->pipelines.items[i]->name == name) return plan->pipelines.items[i];
    return NULL;
}

/* ---- roles ---- */

static void add_role(cake_builder *builder, const cake_role *declared, uint32_t *next_warp) {
    cake_plan_role *role = CAKE_NEW(builder->arena, cake_plan_role);
    int64_t count = 0, registers = 0;
    builder->span = declared->span;
    if (!cake_plan_integer(builder, declared->count, "the size of a role", &count)) return;
    if (declared->registers && !cake_plan_integer(builder, declared->registers, "'regs'", &registers)) return;
    uint32_t unit = declared->warpgroups ? 4 : 1;
    if (count < 1 || count * unit > MAX_THREADS / 32) {
        cake_report(builder->diagnostics, CAKE_H207, declared->span, "a role of %lld %s: a CTA has at most %u threads",
                    (long long)count, declared->warpgroups ? "warpgroups" : "warps", MAX_THREADS);
        return;
    }
    if (registers && (registers % CAKE_LIMIT_REGISTER_UNIT != 0 || registers < CAKE_LIMIT_BUDGET_LEAST ||
                      registers > CAKE_LIMIT_BUDGET_MOST || !declared->warpgroups)) {
        cake_report(builder->diagnostics, CAKE_H203, declared->span,
                    declared->warpgroups ? "regs %lld: multiples of 8 from 24 to 256 are possible"
                                         : "regs %lld needs a role of whole warpgroups",
                    (long long)registers);
        return;
    }
    if (declared->warpgroups) *next_warp = (*next_warp + 3) / 4 * 4;
    role->name = declared->name;
    role->span = declared->span;
    role->first_warp = *next_warp;
    role->warps = (uint32_t)count * unit;
    role->registers = (uint32_t)registers;
    role->leader = declared->leader && builder->plan->launch.cluster > 1;
    bool split = declared->body && declared->body->team;
    role->team_count = split ? (uint32_t)count : 1;
    role->warps_per_team = role->warps / role->team_count;
    *next_warp += role->warps;
    *CAKE_PUSH(builder->arena, &builder->plan->roles) = role;
    role->number = builder->plan->roles.count;
}

/* Registers a thread has at entry under .maxntid and .minnctapersm: its part of the file, in whole units. */
static uint32_t entry_registers(uint32_t threads) {
    uint32_t most = CAKE_LIMIT_REGISTERS_PER_THREAD, registers = CAKE_LIMIT_REGISTERS_PER_SM / threads;
    return (registers < most ? registers : most) / CAKE_LIMIT_REGISTER_UNIT * CAKE_LIMIT_REGISTER_UNIT;
}

static void check_registers(cake_builder *builder) {
    cake_plan_launch *launch = &builder->plan->launch;
    uint32_t warps_with_budget = 0, wanted = 0;
    for (uint32_t i = 0; i < builder->plan->roles.count; i++) {
        const cake_plan_role *role = builder->plan->roles.items[i];
        if (role->registers) warps_with_budget += role->warps;
        wanted += role->warps * role->registers;
    }
    if (!warps_with_budget) return;
    uint32_t ctas = launch->ctas_per_sm ? launch->ctas_per_sm : 1;
    launch->entry_registers = entry_registers(launch->warps * 32 * ctas);
    launch->ctas_per_sm = ctas;
    wanted += (launch->warps - warps_with_budget) * launch->entry_registers;
    if (wanted > launch->entry_registers * launch->warps)
        cake_report(builder->diagnostics, CAKE_H203, builder->plan->roles.items[0]->span,
                    "the budgets ask for %u registers a lane over all warps; at entry there are %u x %u = %u", wanted,
                    launch->warps, launch->entry_registers, launch->entry_registers * launch->warps);
}

/* 'persistent n' promises that n CTAs are resident on a multiprocessor. */
static void check_residence(cake_builder *builder) {
    const cake_plan_launch *launch = &builder->plan->launch;
    const cake_target_info *target = cake_target_info_of(builder->plan->target);
    uint32_t ctas = builder->kernel->grid->persistent ? builder->kernel->grid->ctas_per_sm : 1;
    if (ctas <= target->ctas_per_sm && launch->warps * 32 <= target->threads_per_sm / ctas) return;
    cake_report(builder->diagnostics, CAKE_H207, builder->kernel->grid->span,
                "%u CTAs of %u threads: a multiprocessor of %s holds %u CTAs and %u threads", ctas, launch->warps * 32,
                target->name, target->ctas_per_sm, target->threads_per_sm);
}

void cake_plan_roles(cake_builder *builder) {
    uint32_t warps = 0;
    for (uint32_t i = 0; i < builder->kernel->roles.count; i++)
        add_role(builder, builder->kernel->roles.items[i], &warps);
    bool budgets = false;
    for (uint32_t i = 0; i < builder->plan->roles.count; i++)
        budgets = budgets || builder->plan->roles.items[i]->registers;
    if (budgets) warps = (warps + 3) / 4 * 4;
    builder->plan->launch.warps = warps;
    if (warps * 32 > MAX_THREADS)
        cake_report(builder->diagnostics, CAKE_H207, builder->kernel->span, "%u threads: a CTA has at most %u",
                    warps * 32, MAX_THREADS);
    else if (warps)
        check_residence(builder);
    if (warps && warps * 32 <= MAX_THREADS) check_registers(builder);
}

/* ---- buffers ---- */

static bool optional_integer(cake_builder *builder, const cake_expr *expr, const char *what, int64_t *value) {
    return !expr || cake_plan_integer(builder, expr, what, value);
}

/* Rows of the last axis: panels of one swizzle span, or whole rows with padding. */
static bool lay_out_rows(cake_builder *builder, cake_plan_buffer *buffer, int64_t swizzle, int64_t pad) {
    uint8_t rank = buffer->shape.rank;
    uint32_t bits = cake_dtype_bits(buffer->dtype), columns = buffer->shape.extents[rank - 1];
    uint32_t rows = rank > 1 ? buffer->shape.extents[rank - 2] : 1;
    if (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128) {
        cake_report(builder->diagnostics, CAKE_H206, buffer->span, "swizzle %lld: 32, 64 or 128 are possible",
                    (long long)swizzle);
        return false;
    }
    if (pad < 0 || pad > 4096 || (uint64_t)columns * bits % 8 != 0 || (uint64_t)pad * bits % 8 != 0 ||
        (pad && swizzle)) {
        cake_report(builder->diagnostics, CAKE_H206, buffer->span,
                    pad && swizzle ? "a buffer is swizzled or padded, not both"
                                   : "rows of this buffer are no whole bytes");
        return false;
    }
    uint64_t row_bytes = ((uint64_t)columns + (uint64_t)pad) * bits / 8;
    buffer->swizzle = (uint32_t)swizzle;
    if (swizzle && row_bytes > (uint64_t)swizzle) {
        if (row_bytes % (uint64_t)swizzle != 0) {
            cake_report(builder->diagnostics, CAKE_H206, buffer->span,
                        "a row of %llu bytes is no whole number of spans of %lld", (unsigned long long)row_bytes,
                        (long long)swizzle);
            return false;
        }
        buffer->panels = (uint32_t)(row_bytes / (uint64_t)swizzle);
        row_bytes = (uint64_t)swizzle;
    }
    if (swizzle && (row_bytes != (uint64_t)swizzle || rows % CAKE_LIMIT_SWIZZLE_ROWS != 0)) {
        cake_report(builder->diagnostics, CAKE_H206, buffer->span,
                    "%u rows of %llu bytes: a swizzled tile has rows of whole spans, a multiple of 8 of them", rows,
                    (unsigned long long)row_bytes);
        return false;
    }
    buffer->row_bytes = (uint32_t)row_bytes;
    return true;
}

static cake_plan_buffer *add_buffer(cake_builder *builder, const cake_buffer *declared,
                                    const cake_plan_pipeline *pipeline) {
    cake_plan_buffer *buffer = CAKE_NEW(builder->arena, cake_plan_buffer);
    int64_t swizzle = 0, pad = 0, align = 16;
    builder->span = declared->span;
    buffer->name = declared->name;
    buffer->span = declared->span;
    buffer->dtype = declared->type.dtype;
    buffer->pipeline = pipeline;
    buffer->panels = 1;
    if (declared->tensor_memory) {
        cake_report(builder->diagnostics, CAKE_U001, declared->span, "tensor memory is not lowered yet");
        return NULL;
    }
    if (!cake_plan_shape(builder, &declared->type, &buffer->shape) || buffer->shape.rank == 0) return NULL;
    if (!optional_integer(builder, declared->swizzle, "'swizzle'", &swizzle) ||
        !optional_integer(builder, declared->pad, "'pad'", &pad) ||
        !optional_integer(builder, declared->align, "'align'", &align) || !lay_out_rows(builder, buffer, swizzle, pad))
        return NULL;
    uint32_t rows = buffer->shape.rank > 1 ? buffer->shape.extents[buffer->shape.rank - 2] : 1;
    uint64_t tile = (uint64_t)buffer->row_bytes * rows * buffer->panels, bytes = tile;
    for (uint8_t d = 0; d + 2 < buffer->shape.rank && bytes <= MAX_BUFFER; d++)
        bytes *= buffer->shape.extents[d];
    if (align < 1 || align > 4096 || (align & (align - 1)) || bytes > MAX_BUFFER) {
        cake_report(builder->diagnostics, CAKE_L405, declared->span, "a buffer of %llu bytes or more, align %lld",
                    (unsigned long long)bytes, (long long)align);
        return NULL;
    }
    buffer->panel_bytes = buffer->row_bytes * rows;
    buffer->tile_bytes = (uint32_t)tile;
    buffer->bytes = (uint32_t)bytes;
    /* TMA destinations want 128 bytes, a swizzle pattern repeats after 8 spans (PTX ISA 'Swizzling modes'). */
    buffer->alignment = swizzle ? (uint32_t)swizzle * CAKE_LIMIT_SWIZZLE_ROWS : CAKE_LIMIT_BOX_ALIGNMENT;
    if (buffer->alignment < (uint32_t)align) buffer->alignment = (uint32_t)align;
    *CAKE_PUSH(builder->arena, &builder->plan->buffers) = buffer;
    buffer->number = builder->plan->buffers.count;
    builder->bindings[declared->symbol->number].buffer = buffer;
    return buffer;
}

static void add_pipeline(cake_builder *builder, const cake_pipeline *declared) {
    cake_plan_pipeline *pipeline = CAKE_NEW(builder->arena, cake_plan_pipeline);
    int64_t stages = 0;
    builder->span = declared->span;
    if (!cake_plan_integer(builder, declared->stages, "'stages'", &stages)) return;
    if (stages < 1 || stages > 30) {
        cake_report(builder->diagnostics, CAKE_L405, declared->span, "%lld stages: 1 to 30 are possible",
                    (long long)stages);
        return;
    }
    pipeline->name = declared->name;
    pipeline->span = declared->span;
    pipeline->stages = (uint32_t)stages;
    pipeline->producer = cake_plan_role_find(builder->plan, declared->producer.name);
    for (uint32_t i = 0; i < declared->consumers.count; i++)
        *CAKE_PUSH(builder->arena, &pipeline->consumers) =
            cake_plan_role_find(builder->plan, declared->consumers.items[i].name);
    for (uint32_t i = 0; i < declared->buffers.count; i++) {
        if (declared->buffers.items[i]->over.name)
            cake_report(builder->diagnostics, CAKE_U001, declared->buffers.items[i]->span,
                        "a pipeline's buffer 'over' another one is not lowered yet");
        cake_plan_buffer *buffer = add_buffer(builder, declared->buffers.items[i], pipeline);
        if (buffer) *CAKE_PUSH(builder->arena, &pipeline->buffers) = buffer;
    }
    *CAKE_PUSH(builder->arena, &builder->plan->pipelines) = pipeline;
    pipeline->number = builder->plan->pipelines.count;
}

/* Extents, and strides as written or row-major. */
bool cake_plan_shape_tensor(cake_builder *builder, cake_plan_tensor *tensor, const cake_expr_list *extents,
                            const cake_expr_list *strides) {
    for (uint8_t d = 0; d < tensor->rank; d++)
        if (!(tensor->extents[d] = cake_plan_expression(builder, extents->items[d]))) return false;
    cake_plan_value *stride = cake_plan_constant_index(builder, 1);
    for (uint8_t d = tensor->rank; d-- > 0;) {
        if (strides) stride = cake_plan_expression(builder, strides->items[d]);
        tensor->strides[d] = stride;
        if (!stride) return false;
        if (!strides) stride = cake_plan_binary(builder, CAKE_BINARY_MUL, stride, tensor->extents[d]);
    }
    return true;
}

static void add_tensor(cake_builder *builder, const cake_parameter *parameter, uint32_t position) {
    cake_plan_tensor *tensor = CAKE_NEW(builder->arena, cake_plan_tensor);
    builder->span = parameter->span;
    tensor->name = parameter->name;
    tensor->span = parameter->span;
    tensor->mode = parameter->mode;
    tensor->dtype = parameter->type.dtype;
    tensor->rank = (uint8_t)parameter->type.extents.count;
    tensor->contiguous = !parameter->has_strides;
    tensor->position = position;
    if (!cake_plan_shape_tensor(builder, tensor, &parameter->type.extents,
                                parameter->has_strides ? &parameter->strides : NULL))
        return;
    *CAKE_PUSH(builder->arena, &builder->plan->tensors) = tensor;
    tensor->number = builder->plan->tensors.count;
    builder->bindings[parameter->symbol->number].tensor = tensor;
}

static void add_scalar(cake_builder *builder, const cake_parameter *parameter, uint32_t position) {
    cake_plan_value *value =
        cake_plan_leaf(builder, CAKE_PLAN_PARAMETER, parameter->type.dtype, -CAKE_RANGE_LIMIT, CAKE_RANGE_LIMIT);
    cake_plan_op *op = (cake_plan_op *)value->definition;
    op->u.leaf.name = parameter->name;
    op->u.leaf.position = position;
    *CAKE_PUSH(builder->arena, &builder->plan->scalars) = value;
    builder->bindings[parameter->symbol->number].value = value;
}

static void add_signal(cake_builder *builder, const cake_signal *declared) {
    int64_t count;
    builder->span = declared->span;
    if (!cake_plan_integer(builder, declared->count, "'count'", &count)) return;
    if (count < 1 || count > 1024) {
        cake_report(builder->diagnostics, CAKE_L405, declared->span, "count %lld: 1 to 1024 are possible",
                    (long long)count);
        return;
    }
    cake_plan_signal *signal = CAKE_NEW(builder->arena, cake_plan_signal);
    signal->name = declared->name;
    signal->span = declared->span;
    signal->count = (uint32_t)count;
    *CAKE_PUSH(builder->arena, &builder->plan->signals) = signal;
    signal->number = builder->plan->signals.count;
}

static void add_baton(cake_builder *builder, const cake_baton *declared) {
    cake_plan_baton *baton = CAKE_NEW(builder->arena, cake_plan_baton);
    const cake_plan_role *role = cake_plan_role_find(builder->plan, declared->role.name);
    baton->name = declared->name;
    baton->span = declared->span;
    baton->role = role;
    *CAKE_PUSH(builder->arena, &builder->plan->batons) = baton;
}

void cake_plan_parameters(cake_builder *builder) {
    const cake_kernel *kernel = builder->kernel;
    for (uint32_t i = 0; i < kernel->parameters.count; i++) {
        if (kernel->parameters.items[i]->type.extents.count)
            add_tensor(builder, kernel->parameters.items[i], i);
        else
            add_scalar(builder, kernel->parameters.items[i], i);
    }
}

/* 'over': the bytes of another buffer, wherever that is declared. It is then aligned for both. */
static void add_overlays(cake_builder *builder) {
    const cake_kernel *kernel = builder->kernel;
    for (uint32_t i = 0; i < kernel->buffers.count; i++) {
        const cake_buffer *declared = kernel->buffers.items[i];
        cake_plan_buffer *buffer = (cake_plan_buffer *)builder->bindings[declared->symbol->number].buffer;
        if (buffer && declared->over.name) buffer->over = builder->bindings[declared->over.symbol->number].buffer;
    }
    for (uint32_t i = 0; i < builder->plan->buffers.count; i++) {
        const cake_plan_buffer *buffer = builder->plan->buffers.items[i];
        for (cake_plan_buffer *base = (cake_plan_buffer *)buffer->over; base; base = (cake_plan_buffer *)base->over)
            if (base->alignment < buffer->alignment) base->alignment = buffer->alignment;
    }
}

void cake_plan_memory(cake_builder *builder) {
    const cake_kernel *kernel = builder->kernel;
    cake_plan_parameters(builder);
    if (kernel->grid->claim_symbol) {
        cake_plan_tensor *counter = (cake_plan_tensor *)builder->bindings[kernel->grid->claim_symbol->number].tensor;
        builder->plan->launch.claim = counter;
        if (counter) counter->uses_pointer = true;
    }
    cake_plan_claim_ring(builder);
    for (uint32_t i = 0; i < kernel->pipelines.count; i++)
        add_pipeline(builder, kernel->pipelines.items[i]);
    for (uint32_t i = 0; i < kernel->buffers.count; i++)
        add_buffer(builder, kernel->buffers.items[i], NULL);
    add_overlays(builder);
    for (uint32_t i = 0; i < kernel->views.count; i++)
        cake_plan_view(builder, kernel->views.items[i]);
    for (uint32_t i = 0; i < kernel->batons.count; i++)
        add_baton(builder, kernel->batons.items[i]);
    for (uint32_t i = 0; i < kernel->signals.count; i++)
        add_signal(builder, kernel->signals.items[i]);
}
