/* Programs: kernels run in order over temporaries. Parameters bind by position. */
#include "frontend/resolve.h"

/* ---- arguments ---- */

static void note_parameter(cake_resolver *resolver, cake_diagnostic *diagnostic, const cake_parameter *parameter) {
    cake_diagnostic_note(resolver->diagnostics, diagnostic, parameter->span, "parameter '%s' is declared here",
                         parameter->name);
}

/* A static of the callee makes the dimensions of the argument static. */
static void mark_static(void *context, cake_expr **child) {
    cake_resolver *resolver = context;
    cake_expr *expr = *child;
    if (!cake_resolve_descend(resolver, expr->span)) return;
    cake_symbol *symbol = expr->kind == CAKE_EXPR_NAME ? expr->u.name.symbol : NULL;
    if (symbol && symbol->kind == CAKE_SYMBOL_DIMENSION) {
        symbol->is_static = true;
        cake_resolve_note(resolver, symbol)->time = CAKE_TIME_COMPILE;
    }
    cake_resolve_children(expr, mark_static, resolver);
    cake_resolve_ascend(resolver);
}

static const cake_expr_list *extents_of(const cake_symbol *symbol) {
    return symbol->kind == CAKE_SYMBOL_TENSOR ? &symbol->parameter->type.extents : &symbol->temporary->type.extents;
}

static void pass_statics(cake_resolver *resolver, const cake_parameter *parameter, const cake_symbol *argument) {
    const cake_expr_list *extents = extents_of(argument);
    for (uint32_t i = 0; i < parameter->type.extents.count; i++) {
        const cake_expr *wanted = parameter->type.extents.items[i];
        const cake_symbol *dimension = wanted->kind == CAKE_EXPR_NAME ? wanted->u.name.symbol : NULL;
        cake_expr *given = extents->items[i];
        if (dimension && dimension->is_static) mark_static(resolver, &given);
    }
}

static bool is_tensor(const cake_symbol *symbol) {
    return symbol && (symbol->kind == CAKE_SYMBOL_TENSOR || symbol->kind == CAKE_SYMBOL_TEMPORARY);
}

static void check_tensor(cake_resolver *resolver, const cake_parameter *parameter, cake_expr *argument) {
    cake_type type = cake_resolve_type(resolver, argument);
    if (cake_resolve_is_error(type)) return;
    const cake_symbol *symbol = argument->kind == CAKE_EXPR_NAME ? argument->u.name.symbol : NULL;
    cake_diagnostic *diagnostic = NULL;
    if (!is_tensor(symbol))
        diagnostic = cake_resolve_report(resolver, CAKE_L320, argument->span, "a tensor or temporary is needed here");
    else if (type.dtype != parameter->type.dtype || type.rank != parameter->type.extents.count)
        diagnostic = cake_resolve_report(resolver, CAKE_L320, argument->span,
                                         "'%s' is %s, and the parameter has type %s and rank %u", symbol->name,
                                         cake_resolve_type_text(resolver, type), cake_dtype_name(parameter->type.dtype),
                                         parameter->type.extents.count);
    else if (parameter->mode != CAKE_PARAMETER_IN && symbol->parameter && symbol->parameter->mode == CAKE_PARAMETER_IN)
        diagnostic = cake_resolve_report(resolver, CAKE_L213, argument->span,
                                         "'%s' is read-only, and the kernel writes it", symbol->name);
    if (diagnostic)
        note_parameter(resolver, diagnostic, parameter);
    else
        pass_statics(resolver, parameter, symbol);
}

static void check_scalar(cake_resolver *resolver, const cake_parameter *parameter, cake_expr *argument) {
    cake_type type = cake_resolve_value(resolver, argument);
    cake_type wanted = cake_resolve_value_type(parameter->type.dtype, 0);
    if (cake_resolve_is_error(type) || !cake_resolve_fits(resolver, argument, type, wanted, "the parameter")) return;
    (void)cake_resolve_known_at(resolver, argument, CAKE_TIME_LAUNCH, "a scalar argument");
}

/* Parameters do not overlap. */
static void check_distinct(cake_resolver *resolver, const cake_expr_list *arguments) {
    for (uint32_t i = 0; i < arguments->count && i < UINT8_MAX; i++) {
        const cake_expr *later = arguments->items[i];
        if (later->kind != CAKE_EXPR_NAME || !is_tensor(later->u.name.symbol)) continue;
        for (uint32_t j = 0; j < i; j++) {
            const cake_expr *earlier = arguments->items[j];
            if (earlier->kind != CAKE_EXPR_NAME || earlier->u.name.symbol != later->u.name.symbol) continue;
            cake_diagnostic *diagnostic =
                cake_resolve_report(resolver, CAKE_L320, later->span,
                                    "'%s' is given twice, and parameters do not overlap", later->u.name.text);
            cake_diagnostic_note(resolver->diagnostics, diagnostic, earlier->span, "first here");
            break;
        }
    }
}

/* ---- steps ---- */

static void resolve_run(cake_resolver *resolver, cake_step *step) {
    cake_symbol *symbol = cake_resolve_reference(resolver, &step->object, CAKE_SYMBOL_KERNEL);
    cake_expr_list *arguments = &step->arguments;
    for (uint32_t i = 0; i < arguments->count; i++)
        cake_resolve_bind(resolver, arguments->items[i]);
    check_distinct(resolver, arguments);
    if (!symbol) return;
    const cake_kernel *kernel = symbol->kernel;
    if (arguments->count != kernel->parameters.count) {
        cake_diagnostic *diagnostic = cake_resolve_report(
            resolver, CAKE_L308, step->span, "kernel '%s' takes %u argument%s, not %u", kernel->name,
            kernel->parameters.count, kernel->parameters.count == 1 ? "" : "s", arguments->count);
        cake_resolve_declared_note(resolver, diagnostic, symbol);
        return;
    }
    for (uint32_t i = 0; i < arguments->count; i++) {
        const cake_parameter *parameter = kernel->parameters.items[i];
        if (parameter->type.extents.count > 0)
            check_tensor(resolver, parameter, arguments->items[i]);
        else
            check_scalar(resolver, parameter, arguments->items[i]);
    }
}

static void resolve_fill(cake_resolver *resolver, cake_step *step) {
    cake_named_reference *object = &step->object;
    cake_symbol *symbol = cake_resolve_lookup(resolver, CAKE_SPACE_VALUE, object->name, object->span, "tensor");
    cake_resolve_bind(resolver, step->fill_value);
    cake_type type = cake_resolve_value(resolver, step->fill_value);
    if (!symbol) return;
    object->symbol = symbol;
    if (!is_tensor(symbol)) {
        cake_resolve_report(resolver, CAKE_L204, object->span, "'%s' is %s, and 'fill' writes a tensor or temporary",
                            symbol->name, cake_resolve_kind_text(symbol->kind));
        return;
    }
    if (symbol->parameter && symbol->parameter->mode == CAKE_PARAMETER_IN) {
        cake_diagnostic *diagnostic =
            cake_resolve_report(resolver, CAKE_L213, object->span, "'%s' is read-only", symbol->name);
        cake_resolve_declared_note(resolver, diagnostic, symbol);
    }
    cake_type wanted = cake_resolve_value_type(symbol->type.dtype, 0);
    if (cake_resolve_is_error(type) || !cake_resolve_fits(resolver, step->fill_value, type, wanted, "the tensor"))
        return;
    (void)cake_resolve_known_at(resolver, step->fill_value, CAKE_TIME_LAUNCH, "the value of 'fill'");
}

static void resolve_temporary(cake_resolver *resolver, cake_temporary *temporary) {
    cake_type type = cake_resolve_written_type(resolver, &temporary->type, CAKE_TIME_LAUNCH);
    temporary->symbol = cake_resolve_declare(resolver, CAKE_SYMBOL_TEMPORARY, temporary->name, temporary->span);
    temporary->symbol->temporary = temporary;
    temporary->symbol->type = type;
    if (temporary->type.extents.count == 0)
        cake_resolve_report(resolver, CAKE_L303, temporary->type.span, "a temporary has a shape: %s[1] for one element",
                            cake_dtype_name(temporary->type.dtype));
}

static void resolve_step(cake_resolver *resolver, cake_step *step) {
    switch (step->kind) {
    case CAKE_STEP_TEMPORARY:
        resolve_temporary(resolver, step->temporary);
        break;
    case CAKE_STEP_FILL:
        resolve_fill(resolver, step);
        break;
    case CAKE_STEP_RUN:
        resolve_run(resolver, step);
        break;
    }
}

void cake_resolve_program(cake_resolver *resolver, cake_program *program) {
    cake_signature signature = {program->parameters.items, program->parameters.count, program->facts.items,
                                program->facts.count};
    uint32_t mark = cake_resolve_scope_enter(resolver);
    resolver->program = program;
    cake_resolve_parameters(resolver, signature);
    cake_symbol_list dimensions = {0};
    cake_resolve_dimensions(resolver, signature, &dimensions);
    for (uint32_t i = 0; i < dimensions.count; i++)
        *CAKE_PUSH(resolver->arena, &program->dimensions) = dimensions.items[i];
    cake_resolve_shapes(resolver, signature);
    cake_resolve_facts(resolver, signature);
    for (uint32_t i = 0; i < program->steps.count; i++)
        resolve_step(resolver, &program->steps.items[i]);
    resolver->program = NULL;
    cake_resolve_scope_leave(resolver, mark);
}
