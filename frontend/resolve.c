/* Entry of the resolver, and what files and kernels both declare: constants, tunables, definitions. */
#include "frontend/resolve.h"

/* ---- declaring ---- */

void cake_resolve_common_declare(cake_resolver *resolver, cake_common *common) {
    for (uint32_t i = 0; i < common->constants.count; i++) {
        cake_const *constant = common->constants.items[i];
        constant->symbol = cake_resolve_declare(resolver, CAKE_SYMBOL_CONST, constant->name, constant->span);
        constant->symbol->value = constant->value;
    }
    for (uint32_t i = 0; i < common->tunes.count; i++) {
        cake_tune *tune = common->tunes.items[i];
        tune->symbol = cake_resolve_declare(resolver, CAKE_SYMBOL_TUNE, tune->name, tune->span);
        tune->symbol->value = tune->value;
        tune->symbol->tune = tune;
    }
}

void cake_resolve_common_define(cake_resolver *resolver, cake_common *common) {
    for (uint32_t i = 0; i < common->definitions.count; i++) {
        cake_definition *definition = common->definitions.items[i];
        cake_symbol_kind kind = definition->is_function ? CAKE_SYMBOL_FUNCTION : CAKE_SYMBOL_DEFINITION;
        definition->symbol = cake_resolve_declare(resolver, kind, definition->name, definition->span);
        definition->symbol->definition = definition;
        if (definition->is_function)
            definition->symbol->type = (cake_type){.kind = CAKE_TYPE_OBJECT};
        else
            definition->symbol->value = definition->value;
    }
}

/* ---- values ---- */

/* A function's body is bound where it stands; it is typed in the copy that each call makes. */
static void bind_definition(cake_resolver *resolver, cake_definition *definition) {
    uint32_t mark = cake_resolve_scope_enter(resolver);
    for (uint32_t i = 0; i < definition->parameters.count; i++) {
        const cake_function_parameter *parameter = &definition->parameters.items[i];
        cake_symbol *symbol =
            cake_resolve_declare(resolver, CAKE_SYMBOL_PARAMETER_VALUE, parameter->name, parameter->span);
        symbol->definition = definition;
        symbol->position = i;
    }
    cake_resolve_bind(resolver, definition->value);
    cake_resolve_bind(resolver, definition->second);
    cake_resolve_scope_leave(resolver, mark);
}

static void bind_tune(cake_resolver *resolver, const cake_tune *tune) {
    cake_resolve_bind(resolver, tune->value);
    for (uint32_t i = 0; i < tune->set.items.count; i++)
        cake_resolve_bind(resolver, tune->set.items.items[i]);
}

void cake_resolve_common(cake_resolver *resolver, cake_common *common) {
    resolver->where = CAKE_WHERE_DECLARATION;
    for (uint32_t i = 0; i < common->constants.count; i++)
        cake_resolve_bind(resolver, common->constants.items[i]->value);
    for (uint32_t i = 0; i < common->tunes.count; i++)
        bind_tune(resolver, common->tunes.items[i]);
    for (uint32_t i = 0; i < common->definitions.count; i++)
        bind_definition(resolver, common->definitions.items[i]);
    for (uint32_t i = 0; i < common->constants.count; i++)
        cake_resolve_symbol(resolver, common->constants.items[i]->symbol, common->constants.items[i]->span);
    for (uint32_t i = 0; i < common->tunes.count; i++)
        cake_resolve_symbol(resolver, common->tunes.items[i]->symbol, common->tunes.items[i]->span);
    for (uint32_t i = 0; i < common->definitions.count; i++)
        cake_resolve_symbol(resolver, common->definitions.items[i]->symbol, common->definitions.items[i]->span);
}

static cake_type constant_type(cake_resolver *resolver, cake_expr *value, const char *what) {
    if (!cake_resolve_integer_at(resolver, value, CAKE_TIME_COMPILE, what)) return cake_resolve_error();
    return cake_resolve_value_type(CAKE_DTYPE_INDEX, 0);
}

static cake_type tune_type(cake_resolver *resolver, const cake_tune *tune) {
    cake_type type = constant_type(resolver, tune->value, "a tunable");
    for (uint32_t i = 0; i < tune->set.items.count; i++)
        (void)constant_type(resolver, tune->set.items.items[i], "a tunable's legal value");
    return type;
}

static void set_value(cake_resolver *resolver, cake_symbol *symbol) {
    cake_time time = CAKE_TIME_COMPILE;
    bool needs_tile = false;
    if (symbol->kind == CAKE_SYMBOL_CONST) {
        symbol->type = constant_type(resolver, symbol->value, "a constant");
    } else if (symbol->kind == CAKE_SYMBOL_TUNE) {
        symbol->type = tune_type(resolver, symbol->tune);
    } else {
        resolver->where = CAKE_WHERE_DEFINITION;
        symbol->type = cake_resolve_value(resolver, symbol->value);
        time = cake_resolve_time(resolver, symbol->value, &needs_tile);
    }
    cake_symbol_note *note = cake_resolve_note(resolver, symbol);
    note->time = time;
    note->needs_tile = needs_tile;
}

void cake_resolve_symbol(cake_resolver *resolver, cake_symbol *symbol, cake_span use) {
    if (symbol->kind != CAKE_SYMBOL_CONST && symbol->kind != CAKE_SYMBOL_TUNE &&
        symbol->kind != CAKE_SYMBOL_DEFINITION && symbol->kind != CAKE_SYMBOL_VIEW)
        return;
    cake_progress progress = cake_resolve_note(resolver, symbol)->progress;
    if (progress == CAKE_PROGRESS_DONE) return;
    if (progress == CAKE_PROGRESS_RUNNING) {
        cake_diagnostic *diagnostic =
            cake_resolve_report(resolver, CAKE_L205, use, "'%s' is defined in terms of itself", symbol->name);
        cake_resolve_declared_note(resolver, diagnostic, symbol);
        return;
    }
    cake_resolve_note(resolver, symbol)->progress = CAKE_PROGRESS_RUNNING;
    cake_where outer = resolver->where;
    resolver->where = CAKE_WHERE_DECLARATION;
    if (symbol->kind == CAKE_SYMBOL_VIEW)
        cake_resolve_view(resolver, symbol);
    else
        set_value(resolver, symbol);
    resolver->where = outer;
    cake_resolve_note(resolver, symbol)->progress = CAKE_PROGRESS_DONE;
}

/* ---- entry ---- */

static void declare_kernels(cake_resolver *resolver) {
    cake_module *module = resolver->module;
    for (uint32_t i = 0; i < module->kernels.count; i++) {
        cake_kernel *kernel = module->kernels.items[i];
        kernel->symbol = cake_resolve_declare(resolver, CAKE_SYMBOL_KERNEL, kernel->name, kernel->span);
        kernel->symbol->type = (cake_type){.kind = CAKE_TYPE_OBJECT};
        kernel->symbol->kernel = kernel;
    }
}

/* Programs and kernels are launched by name, so they share one set of names. */
static void check_program_name(cake_resolver *resolver, uint32_t index) {
    const cake_module *module = resolver->module;
    const cake_program *program = module->programs.items[index];
    const cake_symbol *kernel = cake_resolve_find(resolver, CAKE_SPACE_KERNEL, program->name);
    const cake_program *other = NULL;
    for (uint32_t i = 0; i < index && !other; i++)
        if (module->programs.items[i]->name == program->name) other = module->programs.items[i];
    if (!kernel && !other) return;
    cake_diagnostic *diagnostic = cake_resolve_report(resolver, CAKE_L202, program->span, "there is a %s '%s' already",
                                                      kernel ? "kernel" : "program", program->name);
    cake_diagnostic_note(resolver->diagnostics, diagnostic, kernel ? kernel->span : other->span, "declared here");
}

void cake_frontend_resolve(cake_module *module, cake_diagnostics *diagnostics) {
    cake_resolver resolver = {.module = module, .arena = module->arena, .diagnostics = diagnostics};
    cake_resolve_common_declare(&resolver, &module->common);
    cake_resolve_common_define(&resolver, &module->common);
    cake_resolve_common(&resolver, &module->common);
    declare_kernels(&resolver);
    for (uint32_t i = 0; i < module->kernels.count; i++)
        cake_resolve_kernel(&resolver, module->kernels.items[i]);
    for (uint32_t i = 0; i < module->programs.count; i++) {
        check_program_name(&resolver, i);
        cake_resolve_program(&resolver, module->programs.items[i]);
    }
}
