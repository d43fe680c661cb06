/* Declarations of a kernel.
 *
 * They may come in any order, so names are declared first, then values and resources are resolved, then the roles'
 * bodies.
 */
#include "frontend/resolve.h"

#include <string.h>

static cake_type object_type(void) {
    return (cake_type){.kind = CAKE_TYPE_OBJECT};
}

/* ---- names ---- */

static void declare_coordinates(cake_resolver *resolver, cake_grid *grid) {
    for (uint32_t i = 0; i < grid->axes.count; i++) {
        cake_axis *axis = &grid->axes.items[i];
        axis->symbol = cake_resolve_declare(resolver, CAKE_SYMBOL_COORDINATE, axis->name, axis->span);
        axis->symbol->position = i;
        axis->symbol->type = axis->ragged ? object_type() : cake_resolve_value_type(CAKE_DTYPE_INDEX, 0);
        cake_resolve_note(resolver, axis->symbol)->needs_tile = grid->persistent;
    }
    if (!grid->cluster) return;
    cake_symbol *rank = cake_resolve_declare(resolver, CAKE_SYMBOL_CTA_RANK,
                                             cake_intern(&resolver->module->names, "cta", 3), grid->cluster_span);
    rank->type = cake_resolve_value_type(CAKE_DTYPE_INDEX, 0);
}

static void declare_buffer(cake_resolver *resolver, cake_buffer *buffer, const cake_pipeline *pipeline) {
    buffer->symbol = cake_resolve_declare(resolver, CAKE_SYMBOL_BUFFER, buffer->name, buffer->span);
    buffer->symbol->buffer = buffer;
    buffer->symbol->type = cake_resolve_memory_type(resolver, &buffer->type);
    buffer->pipeline = pipeline;
}

static cake_symbol *declare_object(cake_resolver *resolver, cake_symbol_kind kind, cake_name name, cake_span span) {
    cake_symbol *symbol = cake_resolve_declare(resolver, kind, name, span);
    symbol->type = object_type();
    return symbol;
}

static void declare_roles(cake_resolver *resolver, cake_kernel *kernel) {
    if (kernel->roles.count > CAKE_RESOLVE_MAX_ROLES) {
        cake_resolve_report(resolver, CAKE_L225, kernel->span, "more than %d roles", CAKE_RESOLVE_MAX_ROLES);
        kernel->roles.count = CAKE_RESOLVE_MAX_ROLES;
    }
    for (uint32_t i = 0; i < kernel->roles.count; i++) {
        cake_role *role = kernel->roles.items[i];
        role->symbol = declare_object(resolver, CAKE_SYMBOL_ROLE, role->name, role->span);
        role->symbol->role = role;
        role->symbol->position = i;
    }
}

static void declare_resources(cake_resolver *resolver, cake_kernel *kernel) {
    for (uint32_t i = 0; i < kernel->pipelines.count; i++) {
        cake_pipeline *pipeline = kernel->pipelines.items[i];
        pipeline->symbol = declare_object(resolver, CAKE_SYMBOL_PIPELINE, pipeline->name, pipeline->span);
        pipeline->symbol->pipeline = pipeline;
        for (uint32_t j = 0; j < pipeline->buffers.count; j++)
            declare_buffer(resolver, pipeline->buffers.items[j], pipeline);
    }
    for (uint32_t i = 0; i < kernel->buffers.count; i++)
        declare_buffer(resolver, kernel->buffers.items[i], NULL);
    for (uint32_t i = 0; i < kernel->signals.count; i++) {
        cake_signal *signal = kernel->signals.items[i];
        signal->symbol = declare_object(resolver, CAKE_SYMBOL_SIGNAL, signal->name, signal->span);
        signal->symbol->signal = signal;
    }
    for (uint32_t i = 0; i < kernel->batons.count; i++) {
        cake_baton *baton = kernel->batons.items[i];
        baton->symbol = declare_object(resolver, CAKE_SYMBOL_BATON, baton->name, baton->span);
        baton->symbol->baton = baton;
    }
    for (uint32_t i = 0; i < kernel->views.count; i++) {
        cake_view *view = kernel->views.items[i];
        view->symbol = cake_resolve_declare(resolver, CAKE_SYMBOL_VIEW, view->name, view->span);
        view->symbol->view = view;
    }
}

/* ---- grid ---- */

static cake_symbol *find_axis(const cake_grid *grid, cake_name name) {
    for (uint32_t i = 0; i < grid->axes.count; i++) {
        if (grid->axes.items[i].name == name) return grid->axes.items[i].symbol;
    }
    return NULL;
}

static void report_no_axis(cake_resolver *resolver, const cake_grid *grid, cake_name name, cake_span span) {
    cake_diagnostic *diagnostic =
        cake_resolve_report(resolver, CAKE_L201, span, "'%s' is no coordinate of this grid", name);
    cake_diagnostic_note(resolver->diagnostics, diagnostic, grid->span, "the grid is declared here");
}

/* A tensor that the grid reads or counts in; null after a report. */
static cake_symbol *grid_tensor(cake_resolver *resolver, cake_name name, cake_span span, const char *what) {
    cake_named_reference reference = {.name = name, .span = span};
    cake_symbol *symbol = cake_resolve_reference(resolver, &reference, CAKE_SYMBOL_TENSOR);
    if (!symbol || cake_resolve_is_error(symbol->type)) return NULL;
    if (symbol->type.rank == 1 && cake_resolve_is_integer(symbol->type.dtype)) return symbol;
    cake_diagnostic *diagnostic =
        cake_resolve_report(resolver, CAKE_L302, span, "%s is a list of integers, and '%s' is %s", what, name,
                            cake_resolve_type_text(resolver, symbol->type));
    cake_resolve_declared_note(resolver, diagnostic, symbol);
    return NULL;
}

static void resolve_axis(cake_resolver *resolver, cake_axis *axis) {
    if (!axis->ragged) {
        cake_resolve_bind(resolver, axis->extent);
        (void)cake_resolve_integer_at(resolver, axis->extent, CAKE_TIME_LAUNCH, "a grid's extent");
        return;
    }
    axis->ragged_symbol = grid_tensor(resolver, axis->ragged, axis->ragged_span, "the offsets of a ragged axis");
    cake_resolve_bind(resolver, axis->ragged_block);
    (void)cake_resolve_integer_at(resolver, axis->ragged_block, CAKE_TIME_COMPILE, "the block of a ragged axis");
}

static void resolve_order(cake_resolver *resolver, cake_grid *grid) {
    static const struct {
        const char *name;
        uint32_t arguments;
    } orders[] = {{"row", 0}, {"grouped", 2}, {"snake", 1}, {"reverse", 1}};
    if (!grid->order) return;
    size_t at = 0;
    while (at < sizeof orders / sizeof *orders && strcmp(orders[at].name, grid->order) != 0)
        at++;
    if (at == sizeof orders / sizeof *orders) {
        cake_resolve_report(resolver, CAKE_L219, grid->order_span,
                            "there is no order '%s': row, grouped(x, G), snake(x), reverse(x)", grid->order);
        return;
    }
    cake_expr_list *arguments = &grid->order_arguments;
    if (arguments->count != orders[at].arguments) {
        cake_resolve_report(resolver, CAKE_L308, grid->order_span, "order '%s' takes %u argument%s, not %u",
                            grid->order, orders[at].arguments, orders[at].arguments == 1 ? "" : "s", arguments->count);
        return;
    }
    if (arguments->count > 0) {
        cake_expr *axis = arguments->items[0];
        cake_symbol *symbol = axis->kind == CAKE_EXPR_NAME ? find_axis(grid, axis->u.name.text) : NULL;
        if (symbol) {
            axis->u.name.symbol = symbol;
            axis->type = symbol->type;
        } else {
            report_no_axis(resolver, grid, cake_resolve_operand_text(resolver, axis), axis->span);
        }
    }
    if (arguments->count < 2) return;
    cake_resolve_bind(resolver, arguments->items[1]);
    (void)cake_resolve_integer_at(resolver, arguments->items[1], CAKE_TIME_COMPILE, "the group of an order");
}

static void resolve_claim(cake_resolver *resolver, cake_grid *grid) {
    if (!grid->claim) return;
    grid->claim_symbol = grid_tensor(resolver, grid->claim, grid->claim_span, "the counter of 'claim'");
    if (!grid->claim_symbol) return;
    if (grid->claim_symbol->type.dtype != CAKE_DTYPE_U32)
        cake_resolve_report(resolver, CAKE_L302, grid->claim_span, "the counter of 'claim' is u32[1], and '%s' is %s",
                            grid->claim, cake_resolve_type_text(resolver, grid->claim_symbol->type));
    if (grid->claim_symbol->parameter->mode != CAKE_PARAMETER_IN) return;
    cake_diagnostic *diagnostic = cake_resolve_report(resolver, CAKE_L213, grid->claim_span,
                                                      "'claim' counts in '%s', which is read-only", grid->claim);
    cake_resolve_declared_note(resolver, diagnostic, grid->claim_symbol);
    uint32_t start = grid->claim_symbol->parameter->span.begin;
    cake_diagnostic_fix(resolver->diagnostics, diagnostic, "declare it 'inout'", (cake_span){start, start}, "inout ");
}

static void resolve_grid(cake_resolver *resolver, cake_grid *grid) {
    for (uint32_t i = 0; i < grid->axes.count; i++)
        resolve_axis(resolver, &grid->axes.items[i]);
    resolve_order(resolver, grid);
    resolve_claim(resolver, grid);
    if (!grid->cluster) return;
    cake_resolve_need(resolver, CAKE_FEATURE_CLUSTER, grid->cluster_span, "a cluster");
    if (!find_axis(grid, grid->cluster_axis)) report_no_axis(resolver, grid, grid->cluster_axis, grid->cluster_span);
}

/* ---- roles and resources ---- */

static void resolve_constant(cake_resolver *resolver, cake_expr *expr, const char *what) {
    if (!expr) return;
    cake_resolve_bind(resolver, expr);
    (void)cake_resolve_integer_at(resolver, expr, CAKE_TIME_COMPILE, what);
}

static void resolve_role(cake_resolver *resolver, cake_role *role) {
    resolve_constant(resolver, role->count, "the size of a role");
    resolve_constant(resolver, role->registers, "a register budget");
    if (role->registers)
        cake_resolve_need(resolver, CAKE_FEATURE_SETMAXNREG, role->registers->span, "'regs' (setmaxnreg)");
    if (role->leader) {
        cake_resolve_need(resolver, CAKE_FEATURE_CLUSTER, role->span, "a cluster");
        cake_resolve_need_cluster(resolver, role->span, "a 'leader' role");
    }
}

/* Following 'over' from buffer to buffer must end. What is DONE was followed before. */
static void check_over(cake_resolver *resolver, const cake_buffer *buffer) {
    const cake_symbol *at = buffer->symbol, *last = at;
    while (at && cake_resolve_note(resolver, at)->progress == CAKE_PROGRESS_NONE) {
        cake_resolve_note(resolver, at)->progress = CAKE_PROGRESS_RUNNING;
        last = at;
        at = at->buffer->over.symbol;
    }
    if (at && cake_resolve_note(resolver, at)->progress == CAKE_PROGRESS_RUNNING)
        cake_resolve_report(resolver, CAKE_L205, last->buffer->over.span, "'%s' lies over itself", at->name);
    for (at = buffer->symbol; at && cake_resolve_note(resolver, at)->progress == CAKE_PROGRESS_RUNNING;
         at = at->buffer->over.symbol)
        cake_resolve_note(resolver, at)->progress = CAKE_PROGRESS_DONE;
}

static void resolve_buffer(cake_resolver *resolver, cake_buffer *buffer) {
    cake_resolve_extents(resolver, &buffer->type.extents, CAKE_TIME_COMPILE, "an extent of a buffer");
    resolve_constant(resolver, buffer->swizzle, "a swizzle");
    resolve_constant(resolver, buffer->pad, "a padding");
    resolve_constant(resolver, buffer->align, "an alignment");
    if (buffer->tensor_memory) cake_resolve_need(resolver, CAKE_FEATURE_TCGEN05, buffer->span, "tensor memory");
    if (buffer->over.name) (void)cake_resolve_reference(resolver, &buffer->over, CAKE_SYMBOL_BUFFER);
    uint32_t rank = buffer->type.extents.count;
    if (buffer->tensor_memory && (rank != 2 || buffer->type.dtype != CAKE_DTYPE_F32))
        cake_resolve_report(resolver, CAKE_L303, buffer->type.span, "tensor memory is declared as f32[128, columns]");
    else if (rank == 0)
        cake_resolve_report(resolver, CAKE_L303, buffer->type.span, "a buffer has a shape: %s[1] for one element",
                            cake_dtype_name(buffer->type.dtype));
}

static void resolve_consumers(cake_resolver *resolver, cake_pipeline *pipeline) {
    if (pipeline->consumers.count > CAKE_RESOLVE_MAX_ROLES) {
        cake_resolve_report(resolver, CAKE_L225, pipeline->span, "more than %d consumers", CAKE_RESOLVE_MAX_ROLES);
        pipeline->consumers.count = CAKE_RESOLVE_MAX_ROLES;
    }
    for (uint32_t i = 0; i < pipeline->consumers.count; i++) {
        cake_named_reference *consumer = &pipeline->consumers.items[i];
        (void)cake_resolve_reference(resolver, consumer, CAKE_SYMBOL_ROLE);
        for (uint32_t j = 0; j < i; j++) {
            if (pipeline->consumers.items[j].name != consumer->name) continue;
            cake_resolve_report(resolver, CAKE_L202, consumer->span, "role '%s' is a consumer of '%s' already",
                                consumer->name, pipeline->name);
            break;
        }
    }
}

static void resolve_pipeline(cake_resolver *resolver, cake_pipeline *pipeline) {
    resolve_constant(resolver, pipeline->stages, "the number of stages");
    (void)cake_resolve_reference(resolver, &pipeline->producer, CAKE_SYMBOL_ROLE);
    resolve_consumers(resolver, pipeline);
    for (uint32_t i = 0; i < pipeline->buffers.count; i++)
        resolve_buffer(resolver, pipeline->buffers.items[i]);
}

static void resolve_resources(cake_resolver *resolver, cake_kernel *kernel) {
    for (uint32_t i = 0; i < kernel->roles.count; i++)
        resolve_role(resolver, kernel->roles.items[i]);
    for (uint32_t i = 0; i < kernel->pipelines.count; i++)
        resolve_pipeline(resolver, kernel->pipelines.items[i]);
    for (uint32_t i = 0; i < kernel->buffers.count; i++)
        resolve_buffer(resolver, kernel->buffers.items[i]);
    for (uint32_t i = 0; i < kernel->buffers.count; i++)
        check_over(resolver, kernel->buffers.items[i]);
    for (uint32_t i = 0; i < kernel->pipelines.count; i++) {
        for (uint32_t j = 0; j < kernel->pipelines.items[i]->buffers.count; j++)
            check_over(resolver, kernel->pipelines.items[i]->buffers.items[j]);
    }
    for (uint32_t i = 0; i < kernel->signals.count; i++)
        resolve_constant(resolver, kernel->signals.items[i]->count, "the count of a signal");
    for (uint32_t i = 0; i < kernel->batons.count; i++)
        (void)cake_resolve_reference(resolver, &kernel->batons.items[i]->role, CAKE_SYMBOL_ROLE);
    for (uint32_t i = 0; i < kernel->views.count; i++)
        cake_resolve_symbol(resolver, kernel->views.items[i]->symbol, kernel->views.items[i]->span);
}

/* ---- views ---- */

#define IM2COL_RANK 4 /* [N, H, W, C] seen as [pixels, R, S, C] */

/* The viewed tensor's name; null after a report. */
static cake_expr *resolve_im2col(cake_resolver *resolver, cake_expr *call) {
    static const char *const keywords[] = {"stride", "pad", "dilation", NULL};
    uint32_t count = cake_resolve_positional(resolver, call, keywords);
    const cake_argument *arguments = call->u.call.arguments.items;
    if (count != 1 || arguments[0].keyword) {
        cake_resolve_report(resolver, CAKE_L308, call->span, "'im2col' takes a tensor, then stride=, pad=, dilation=");
        return NULL;
    }
    for (uint32_t i = 1; i < call->u.call.arguments.count; i++)
        (void)cake_resolve_integer_at(resolver, arguments[i].value, CAKE_TIME_COMPILE, "a parameter of 'im2col'");
    return arguments[0].value;
}

static bool check_im2col(cake_resolver *resolver, const cake_view *view, const cake_expr *viewed, cake_type type) {
    const cake_symbol *tensor = viewed->u.name.symbol;
    if (tensor->kind == CAKE_SYMBOL_TENSOR && tensor->type.rank == IM2COL_RANK && type.rank == IM2COL_RANK) return true;
    cake_resolve_report(resolver, CAKE_L303, view->value->span,
                        "'im2col' shows a tensor [N, H, W, C] as [pixels, R, S, C]: both have rank %d", IM2COL_RANK);
    return false;
}

/* What a view may show: memory by its name, with the view's element type. */
static bool check_viewed(cake_resolver *resolver, const cake_view *view, cake_expr *viewed) {
    cake_type type = cake_resolve_type(resolver, viewed);
    if (cake_resolve_is_error(type)) return false;
    const cake_symbol *symbol = viewed->kind == CAKE_EXPR_NAME ? viewed->u.name.symbol : NULL;
    if (type.kind != CAKE_TYPE_MEMORY || !symbol || symbol->kind == CAKE_SYMBOL_VIEW) {
        cake_resolve_report(resolver, CAKE_L306, viewed->span, "a view shows a tensor or buffer: name one");
        return false;
    }
    if (type.dtype == view->type.dtype) return true;
    cake_diagnostic *diagnostic =
        cake_resolve_report(resolver, CAKE_L301, view->type.span, "a view keeps the element type: '%s' is %s",
                            symbol->name, cake_resolve_type_text(resolver, type));
    cake_resolve_declared_note(resolver, diagnostic, symbol);
    return false;
}

void cake_resolve_view(cake_resolver *resolver, cake_symbol *symbol) {
    const cake_view *view = symbol->view;
    cake_type type = cake_resolve_written_type(resolver, &view->type, CAKE_TIME_LAUNCH);
    if (view->has_strides) cake_resolve_extents(resolver, &view->strides, CAKE_TIME_LAUNCH, "a stride");
    cake_resolve_bind(resolver, view->value);
    bool is_im2col = view->value->kind == CAKE_EXPR_CALL && strcmp(view->value->u.call.function, "im2col") == 0;
    cake_expr *viewed = is_im2col ? resolve_im2col(resolver, view->value) : view->value;
    if (!viewed || !check_viewed(resolver, view, viewed)) return;
    if (is_im2col && !check_im2col(resolver, view, viewed, type)) return;
    if (view->has_strides && view->strides.count != view->type.extents.count) {
        cake_resolve_report(resolver, CAKE_L303, view->span, "'%s' has rank %u, and %u strides", view->name,
                            view->type.extents.count, view->strides.count);
        return;
    }
    if (is_im2col) view->value->type = type;
    symbol->type = type;
}

/* ---- the kernel ---- */

static void resolve_conditions(cake_resolver *resolver, cake_expr_list *conditions, const char *what) {
    resolver->where = CAKE_WHERE_DEFINITION;
    for (uint32_t i = 0; i < conditions->count; i++) {
        cake_resolve_bind(resolver, conditions->items[i]);
        (void)cake_resolve_condition(resolver, conditions->items[i], what);
    }
    resolver->where = CAKE_WHERE_DECLARATION;
}

static void check_bodies(cake_resolver *resolver, const cake_kernel *kernel) {
    if (!kernel->grid)
        cake_resolve_report(resolver, CAKE_L226, kernel->span, "kernel '%s' has no grid: write 'grid tile(i: extent)'",
                            kernel->name);
    if (kernel->roles.count == 0)
        cake_resolve_report(resolver, CAKE_L226, kernel->span,
                            "kernel '%s' has no roles: write 'roles { all: warps 4 }'", kernel->name);
    for (uint32_t i = 0; i < kernel->roles.count; i++) {
        const cake_role *role = kernel->roles.items[i];
        if (role->body) continue;
        cake_resolve_report(resolver, CAKE_L207, role->span, "role '%s' has no body: write 'role %s { .. }'",
                            role->name, role->name);
    }
}

static void declare_names(cake_resolver *resolver, cake_kernel *kernel, cake_signature signature) {
    cake_resolve_common_declare(resolver, &kernel->common);
    cake_resolve_parameters(resolver, signature);
    cake_symbol_list dimensions = {0};
    cake_resolve_dimensions(resolver, signature, &dimensions);
    for (uint32_t i = 0; i < dimensions.count; i++)
        *CAKE_PUSH(resolver->arena, &kernel->dimensions) = dimensions.items[i];
    if (kernel->grid) declare_coordinates(resolver, kernel->grid);
    declare_roles(resolver, kernel);
    declare_resources(resolver, kernel);
    cake_resolve_common_define(resolver, &kernel->common);
}

void cake_resolve_kernel(cake_resolver *resolver, cake_kernel *kernel) {
    cake_signature signature = {kernel->parameters.items, kernel->parameters.count, kernel->facts.items,
                                kernel->facts.count};
    uint32_t mark = cake_resolve_scope_enter(resolver);
    resolver->kernel = kernel;
    resolver->features_reported = 0;
    declare_names(resolver, kernel, signature);
    cake_resolve_common(resolver, &kernel->common);
    cake_resolve_shapes(resolver, signature);
    cake_resolve_facts(resolver, signature);
    if (kernel->grid) resolve_grid(resolver, kernel->grid);
    resolve_resources(resolver, kernel);
    resolve_conditions(resolver, &kernel->assumes, "an assumption");
    resolve_conditions(resolver, &kernel->checks, "a check");
    for (uint32_t i = 0; i < kernel->bodies.count; i++)
        cake_resolve_body(resolver, kernel->bodies.items[i]);
    check_bodies(resolver, kernel);
    resolver->kernel = NULL;
    cake_resolve_scope_leave(resolver, mark);
}
