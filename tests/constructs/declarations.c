/* Which constructs the declarations of a module use, and through them the whole module. */
#include "tests/constructs/internal.h"

#include <string.h>

/* ---- file, kernels and programs ---- */

static void see_tune(cake_construct_set *set, const cake_tune *tune) {
    if (!tune->has_set)
        cake_construct_see(set, CAKE_CONSTRUCT_TUNE_ONE);
    else
        cake_construct_see(set, tune->set.is_range ? CAKE_CONSTRUCT_TUNE_RANGE : CAKE_CONSTRUCT_TUNE_LIST);
    cake_construct_see_exprs(set, &tune->set.items);
}

/* Bodies of functions have types only where they are called. */
static void see_common(cake_construct_set *set, const cake_common *common) {
    for (uint32_t i = 0; i < common->constants.count; i++) {
        cake_construct_see(set, CAKE_CONSTRUCT_CONST);
        cake_construct_see_expr(set, common->constants.items[i]->value);
    }
    for (uint32_t i = 0; i < common->tunes.count; i++)
        see_tune(set, common->tunes.items[i]);
    for (uint32_t i = 0; i < common->definitions.count; i++) {
        if (common->definitions.items[i]->is_function) continue;
        cake_construct_see(set, CAKE_CONSTRUCT_DEFINITION);
        cake_construct_see_expr(set, common->definitions.items[i]->value);
    }
}

static void see_parameters(cake_construct_set *set, const cake_parameter_list *parameters) {
    static const cake_construct modes[] = {CAKE_CONSTRUCT_PARAMETER_IN, CAKE_CONSTRUCT_PARAMETER_OUT,
                                           CAKE_CONSTRUCT_PARAMETER_INOUT};
    for (uint32_t i = 0; i < parameters->count; i++) {
        const cake_parameter *parameter = parameters->items[i];
        bool is_tensor = parameter->type.extents.count > 0;
        cake_construct_see(set, is_tensor ? modes[parameter->mode] : CAKE_CONSTRUCT_PARAMETER_SCALAR);
        cake_construct_see_if(set, parameter->has_strides, CAKE_CONSTRUCT_PARAMETER_STRIDES);
        if (is_tensor) cake_construct_see_dtype(set, parameter->type.dtype, CAKE_USE_TENSOR);
        cake_construct_see_exprs(set, &parameter->type.extents);
    }
}

static void see_facts(cake_construct_set *set, const cake_fact_list *facts) {
    for (uint32_t i = 0; i < facts->count; i++) {
        const cake_fact *fact = &facts->items[i];
        switch (fact->kind) {
        case CAKE_FACT_CONDITION:
            cake_construct_see(set, CAKE_CONSTRUCT_FACT_CONDITION);
            cake_construct_see_expr(set, fact->condition);
            break;
        case CAKE_FACT_STATIC:
            cake_construct_see(set, CAKE_CONSTRUCT_FACT_STATIC);
            break;
        case CAKE_FACT_DETERMINISTIC:
            cake_construct_see(set, CAKE_CONSTRUCT_FACT_DETERMINISTIC);
            break;
        }
    }
}

/* ---- grid and roles ---- */

static void see_order(cake_construct_set *set, const cake_grid *grid) {
    static const struct {
        const char *name;
        cake_construct row;
    } orders[] = {{"row", CAKE_CONSTRUCT_ORDER_ROW},
                  {"grouped", CAKE_CONSTRUCT_ORDER_GROUPED},
                  {"snake", CAKE_CONSTRUCT_ORDER_SNAKE},
                  {"reverse", CAKE_CONSTRUCT_ORDER_REVERSE}};
    const char *order = grid->order ? grid->order : "row";
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        cake_construct_see_if(set, strcmp(order, orders[i].name) == 0, orders[i].row);
}

static void see_grid(cake_construct_set *set, const cake_grid *grid) {
    cake_construct_see(set, grid->persistent ? CAKE_CONSTRUCT_GRID_PERSISTENT : CAKE_CONSTRUCT_GRID);
    cake_construct_see_if(set, grid->ctas_per_sm > 1, CAKE_CONSTRUCT_GRID_PERSISTENT_MANY);
    cake_construct_see_if(set, grid->axes.count > 1, CAKE_CONSTRUCT_GRID_AXES);
    cake_construct_see_if(set, grid->cluster_axis != NULL, CAKE_CONSTRUCT_CLUSTER);
    if (grid->claim) cake_construct_see(set, grid->persistent ? CAKE_CONSTRUCT_CLAIM_PERSISTENT : CAKE_CONSTRUCT_CLAIM);
    see_order(set, grid);
    for (uint32_t i = 0; i < grid->axes.count; i++) {
        cake_construct_see_if(set, grid->axes.items[i].ragged != NULL, CAKE_CONSTRUCT_RAGGED);
        if (grid->axes.items[i].extent) cake_construct_see_expr(set, grid->axes.items[i].extent);
    }
}

static void see_roles(cake_construct_set *set, const cake_kernel *kernel) {
    cake_construct_see_if(set, kernel->roles.count > 1, CAKE_CONSTRUCT_ROLE_SEVERAL);
    for (uint32_t i = 0; i < kernel->roles.count; i++) {
        const cake_role *role = kernel->roles.items[i];
        cake_construct_see(set, role->warpgroups ? CAKE_CONSTRUCT_ROLE_WARPGROUPS : CAKE_CONSTRUCT_ROLE_WARPS);
        cake_construct_see_if(set, role->registers != NULL, CAKE_CONSTRUCT_ROLE_REGISTERS);
        cake_construct_see_if(set, role->leader, CAKE_CONSTRUCT_ROLE_LEADER);
    }
    for (uint32_t i = 0; i < kernel->bodies.count; i++) {
        const cake_role_body *body = kernel->bodies.items[i];
        cake_construct_see(set, body->team ? CAKE_CONSTRUCT_ROLE_SPLIT : CAKE_CONSTRUCT_ROLE_WHOLE);
        cake_construct_see_block(set, &body->block);
    }
}

/* ---- memory and synchronisation ---- */

static void see_swizzle(cake_construct_set *set, const cake_expr *swizzle) {
    static const struct {
        uint64_t bytes;
        cake_construct row;
    } swizzles[] = {
        {32, CAKE_CONSTRUCT_SWIZZLE_32}, {64, CAKE_CONSTRUCT_SWIZZLE_64}, {128, CAKE_CONSTRUCT_SWIZZLE_128}};
    if (!swizzle || swizzle->kind != CAKE_EXPR_INT) return; /* of a tunable: the other schedules say which */
    for (size_t i = 0; i < sizeof swizzles / sizeof *swizzles; i++)
        cake_construct_see_if(set, swizzle->u.integer.value == swizzles[i].bytes, swizzles[i].row);
}

static void see_buffer(cake_construct_set *set, const cake_buffer *buffer) {
    if (buffer->tensor_memory) {
        cake_construct_see(set, CAKE_CONSTRUCT_TENSOR_MEMORY);
        return;
    }
    cake_construct_see_dtype(set, buffer->type.dtype, CAKE_USE_SHARED);
    see_swizzle(set, buffer->swizzle);
    cake_construct_see_if(set, buffer->pad != NULL, CAKE_CONSTRUCT_PAD);
    cake_construct_see_if(set, buffer->align != NULL, CAKE_CONSTRUCT_ALIGN);
    cake_construct_see_if(set, buffer->over.name != NULL, CAKE_CONSTRUCT_OVER);
    cake_construct_see_exprs(set, &buffer->type.extents);
}

static void see_pipeline(cake_construct_set *set, const cake_pipeline *pipeline) {
    const cake_expr *stages = pipeline->stages;
    cake_construct_see(set, CAKE_CONSTRUCT_PIPELINE);
    cake_construct_see_if(set, stages->kind == CAKE_EXPR_INT && stages->u.integer.value == 1,
                          CAKE_CONSTRUCT_PIPELINE_ONE_STAGE);
    cake_construct_see_if(set, pipeline->consumers.count > 1, CAKE_CONSTRUCT_PIPELINE_CONSUMERS);
    cake_construct_see_if(set, pipeline->buffers.count > 1, CAKE_CONSTRUCT_PIPELINE_BUFFERS);
    for (uint32_t i = 0; i < pipeline->consumers.count; i++)
        cake_construct_see_if(set, pipeline->consumers.items[i].symbol == pipeline->producer.symbol,
                              CAKE_CONSTRUCT_PIPELINE_SELF);
    for (uint32_t i = 0; i < pipeline->buffers.count; i++)
        see_buffer(set, pipeline->buffers.items[i]);
}

static void see_view(cake_construct_set *set, const cake_view *view) {
    cake_construct_see_if(set, view->has_strides, CAKE_CONSTRUCT_VIEW_STRIDES);
    if (view->value->kind == CAKE_EXPR_CALL)
        cake_construct_see(set, CAKE_CONSTRUCT_VIEW_IM2COL);
    else
        cake_construct_see(set, cake_construct_root_is(view->value, CAKE_SYMBOL_BUFFER) ? CAKE_CONSTRUCT_VIEW_BUFFER
                                                                                        : CAKE_CONSTRUCT_VIEW);
    cake_construct_see_exprs(set, &view->type.extents);
}

static void see_kernel(cake_construct_set *set, const cake_kernel *kernel) {
    see_common(set, &kernel->common);
    see_parameters(set, &kernel->parameters);
    see_facts(set, &kernel->facts);
    see_grid(set, kernel->grid);
    for (uint32_t i = 0; i < kernel->buffers.count; i++) {
        cake_construct_see_if(set, !kernel->buffers.items[i]->tensor_memory, CAKE_CONSTRUCT_SHARED);
        see_buffer(set, kernel->buffers.items[i]);
    }
    for (uint32_t i = 0; i < kernel->pipelines.count; i++)
        see_pipeline(set, kernel->pipelines.items[i]);
    for (uint32_t i = 0; i < kernel->views.count; i++)
        see_view(set, kernel->views.items[i]);
    cake_construct_see_if(set, kernel->signals.count > 0, CAKE_CONSTRUCT_SIGNAL);
    cake_construct_see_if(set, kernel->batons.count > 0, CAKE_CONSTRUCT_BATON);
    cake_construct_see_if(set, kernel->assumes.count > 0, CAKE_CONSTRUCT_DECLARED_ASSUME);
    cake_construct_see_if(set, kernel->checks.count > 0, CAKE_CONSTRUCT_DECLARED_CHECK);
    cake_construct_see_exprs(set, &kernel->assumes);
    cake_construct_see_exprs(set, &kernel->checks);
    see_roles(set, kernel);
}

/* ---- programs ---- */

static bool runs_before(const cake_program *program, uint32_t at) {
    for (uint32_t i = 0; i < at; i++)
        if (program->steps.items[i].kind == CAKE_STEP_RUN &&
            program->steps.items[i].object.symbol == program->steps.items[at].object.symbol)
            return true;
    return false;
}

static void see_run(cake_construct_set *set, const cake_program *program, uint32_t at) {
    const cake_step *step = &program->steps.items[at];
    cake_construct_see(set, CAKE_CONSTRUCT_STEP_RUN);
    cake_construct_see_if(set, step->overlap, CAKE_CONSTRUCT_STEP_OVERLAP);
    cake_construct_see_if(set, runs_before(program, at), CAKE_CONSTRUCT_STEP_RUN_AGAIN);
    for (uint32_t i = 0; i < step->arguments.count; i++)
        cake_construct_see_if(set, step->arguments.items[i]->type.kind == CAKE_TYPE_VALUE,
                              CAKE_CONSTRUCT_PROGRAM_SCALAR);
}

static void see_program(cake_construct_set *set, const cake_program *program) {
    cake_construct_see(set, CAKE_CONSTRUCT_PROGRAM);
    cake_construct_see_if(set, program->facts.count > 0, CAKE_CONSTRUCT_PROGRAM_WHERE);
    for (uint32_t i = 0; i < program->steps.count; i++) {
        const cake_step *step = &program->steps.items[i];
        switch (step->kind) {
        case CAKE_STEP_TEMPORARY:
            cake_construct_see(set, CAKE_CONSTRUCT_STEP_TEMPORARY);
            break;
        case CAKE_STEP_FILL:
            cake_construct_see(set, step->object.symbol->kind == CAKE_SYMBOL_TEMPORARY
                                        ? CAKE_CONSTRUCT_STEP_FILL_TEMPORARY
                                        : CAKE_CONSTRUCT_STEP_FILL_TENSOR);
            break;
        case CAKE_STEP_RUN:
            see_run(set, program, i);
            break;
        }
    }
}

void cake_construct_set_add(cake_construct_set *set, const cake_module *module) {
    cake_construct_see(set, CAKE_ROWS_TARGET + (uint32_t)module->target);
    see_common(set, &module->common);
    for (uint32_t i = 0; i < module->kernels.count; i++)
        see_kernel(set, module->kernels.items[i]);
    for (uint32_t i = 0; i < module->programs.count; i++)
        see_program(set, module->programs.items[i]);
}
