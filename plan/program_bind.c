/* One 'run': what the arguments say of the kernel's dimensions, and which instance of the kernel that is.
 *
 * The kernel's dimensions, tunables and constants are symbols of the module too. While a step is bound they have values
 * in the program's scope, so that the kernel's own expressions, its shapes and contract, can be evaluated there.
 */
#include <string.h>

#include "ir/print.h"
#include "plan/program_internal.h"

typedef struct run_binder {
    cake_plan_program_builder *p;
    cake_builder *scope;
    const cake_step *step;
    const cake_kernel *kernel;
    cake_plan_step *row;
} run_binder;

static const cake_plan_tensor *argument_of(const run_binder *run, uint32_t parameter) {
    return run->scope->bindings[run->step->arguments.items[parameter]->u.name.symbol->number].tensor;
}

static const char *text_of(const run_binder *run, const cake_expr *expr) {
    cake_text text;
    cake_text_init(&text, run->scope->arena);
    cake_expr_print(expr, &text);
    return cake_text_string(&text);
}

/* ---- dimensions from extents ---- */

static cake_plan_value **value_of(const run_binder *run, const cake_symbol *symbol) {
    return &run->scope->bindings[symbol->number].value;
}

/* The kernel's names mean something else at each run. */
static void forget(const run_binder *run) {
    const cake_kernel *kernel = run->kernel;
    for (uint32_t i = 0; i < kernel->dimensions.count; i++)
        *value_of(run, kernel->dimensions.items[i]) = NULL;
    for (uint32_t i = 0; i < kernel->common.constants.count; i++)
        *value_of(run, kernel->common.constants.items[i]->symbol) = NULL;
    for (uint32_t i = 0; i < kernel->common.definitions.count; i++)
        if (kernel->common.definitions.items[i]->symbol)
            *value_of(run, kernel->common.definitions.items[i]->symbol) = NULL;
}

/* value - step, where value may already be a sum of that step. */
static cake_plan_value *without(const run_binder *run, cake_plan_value *value, cake_binary_op added,
                                cake_plan_value *step) {
    const cake_plan_op *op = value->definition;
    if (op && op->kind == CAKE_PLAN_BINARY && op->u.binary == added && cake_plan_value_equal(op->operands[1], step))
        return op->operands[0];
    cake_binary_op inverse = added == CAKE_BINARY_ADD   ? CAKE_BINARY_SUB
                             : added == CAKE_BINARY_SUB ? CAKE_BINARY_ADD
                                                        : CAKE_BINARY_DIV;
    return cake_plan_binary(run->scope, inverse, value, step);
}

/* Solves extent == value for a dimension that has no value yet: through sums and products with literals. Whether the
 * solution is one is checked with the shapes. */
static void solve(const run_binder *run, const cake_expr *extent, cake_plan_value *value) {
    while (value && extent->kind == CAKE_EXPR_BINARY && extent->u.binary.right->kind == CAKE_EXPR_INT) {
        cake_binary_op op = extent->u.binary.op;
        if (op != CAKE_BINARY_ADD && op != CAKE_BINARY_SUB && op != CAKE_BINARY_MUL) return;
        cake_plan_value *step = cake_plan_expression(run->scope, extent->u.binary.right);
        value = step ? without(run, value, op, step) : NULL;
        extent = extent->u.binary.left;
    }
    if (!value || extent->kind != CAKE_EXPR_NAME) return;
    const cake_symbol *symbol = extent->u.name.symbol;
    if (symbol->kind == CAKE_SYMBOL_DIMENSION && !*value_of(run, symbol)) *value_of(run, symbol) = value;
}

/* Plain names first: they are exact. */
static void solve_shapes(const run_binder *run, bool plain) {
    for (uint32_t i = 0; i < run->kernel->parameters.count; i++) {
        const cake_parameter *parameter = run->kernel->parameters.items[i];
        for (uint32_t d = 0; d < parameter->type.extents.count; d++) {
            const cake_expr *extent = parameter->type.extents.items[d];
            if ((extent->kind == CAKE_EXPR_NAME) == plain) solve(run, extent, argument_of(run, i)->extents[d]);
        }
    }
}

static bool bind_dimensions(const run_binder *run) {
    solve_shapes(run, true);
    solve_shapes(run, false);
    for (uint32_t i = 0; i < run->kernel->dimensions.count; i++) {
        const cake_symbol *symbol = run->kernel->dimensions.items[i];
        const cake_plan_value *value = *value_of(run, symbol);
        if (value && (value->is_constant || !symbol->is_static)) continue;
        cake_diagnostic *diagnostic =
            cake_report(run->scope->diagnostics, value ? CAKE_L401 : CAKE_U001, run->step->span,
                        value ? "'%s' of kernel '%s' is static, and the argument's extent is known only at launch"
                              : "finding '%s' of kernel '%s' from the shapes of the arguments is not lowered yet",
                        symbol->name, run->kernel->name);
        cake_diagnostic_note(run->scope->diagnostics, diagnostic, symbol->span, "'%s' is declared here", symbol->name);
        return false;
    }
    return true;
}

/* ---- instances ---- */

static bool is_dimension(const cake_kernel *kernel, const char *name) {
    for (uint32_t i = 0; i < kernel->dimensions.count; i++)
        if (strcmp(kernel->dimensions.items[i]->name, name) == 0) return true;
    return false;
}

static cake_plan_instance new_instance(const run_binder *run) {
    cake_plan_instance instance = {.kernel = run->kernel};
    for (uint32_t i = 0; i < run->kernel->dimensions.count; i++) {
        const cake_symbol *symbol = run->kernel->dimensions.items[i];
        const cake_plan_value *value = *value_of(run, symbol);
        if (symbol->is_static || (run->p->options->specialise && value->is_constant))
            *CAKE_PUSH(run->scope->arena, &instance.statics) = (cake_choice){symbol->name, value->integer};
    }
    return instance;
}

static bool same_instance(const cake_plan_instance *a, const cake_plan_instance *b) {
    if (a->kernel != b->kernel || a->statics.count != b->statics.count) return false;
    for (uint32_t i = 0; i < a->statics.count; i++)
        if (strcmp(a->statics.items[i].name, b->statics.items[i].name) != 0 ||
            a->statics.items[i].value != b->statics.items[i].value)
            return false;
    return true;
}

static bool entry_taken(const run_binder *run, const char *entry) {
    const cake_module *module = run->scope->module;
    for (uint32_t i = 0; i < module->kernels.count; i++)
        if (module->kernels.items[i] != run->kernel && strcmp(module->kernels.items[i]->name, entry) == 0) return true;
    for (uint32_t i = 0; i < module->programs.count; i++)
        if (strcmp(module->programs.items[i]->name, entry) == 0) return true;
    for (uint32_t i = 0; i < run->p->plans->instances.count; i++) {
        const cake_plan *plan = run->p->plans->instances.items[i].plan;
        if (plan && strcmp(plan->entry, entry) == 0) return true;
    }
    return false;
}

/* The kernel's name; for further instances with the statics in it, and whatever else makes it unique. */
static const char *choose_entry(const run_binder *run, const cake_plan_instance *instance) {
    const char *entry = run->kernel->name;
    if (!entry_taken(run, entry)) return entry;
    for (uint32_t i = 0; i < instance->statics.count; i++)
        entry = cake_arena_format(run->scope->arena, "%s_%s%lld", entry, instance->statics.items[i].name,
                                  (long long)instance->statics.items[i].value);
    while (entry_taken(run, entry))
        entry = cake_arena_format(run->scope->arena, "%s_", entry);
    return entry;
}

/* The user's choices speak of tunables here: the kernel's dimensions get theirs from the program. */
static const cake_plan *plan_instance(const run_binder *run, const cake_plan_instance *instance) {
    CAKE_VECTOR(cake_choice) choices = {0};
    const cake_plan_options *given = run->p->options;
    for (uint32_t i = 0; i < given->choice_count; i++)
        if (!is_dimension(run->kernel, given->choices[i].name))
            *CAKE_PUSH(run->scope->arena, &choices) = given->choices[i];
    for (uint32_t i = 0; i < instance->statics.count; i++)
        *CAKE_PUSH(run->scope->arena, &choices) = instance->statics.items[i];
    cake_plan_options options = *given;
    options.choices = choices.items;
    options.choice_count = choices.count;
    options.entry = choose_entry(run, instance);
    return cake_plan_build(run->scope->arena, run->scope->module, run->kernel, &options, run->scope->diagnostics);
}

static const cake_plan *find_instance(const run_binder *run) {
    cake_plan_instance wanted = new_instance(run);
    cake_plan_module *plans = run->p->plans;
    for (uint32_t i = 0; i < plans->instances.count; i++) {
        run->row->instance = i;
        if (same_instance(&plans->instances.items[i], &wanted)) return plans->instances.items[i].plan;
    }
    wanted.plan = plan_instance(run, &wanted);
    run->row->instance = plans->instances.count;
    *CAKE_PUSH(run->scope->arena, &plans->instances) = wanted;
    return wanted.plan;
}

/* ---- shapes and contract in the program's terms ---- */

static void bind_tunables(const run_binder *run, const cake_plan *plan) {
    for (uint32_t i = 0; i < run->kernel->common.tunes.count; i++) {
        const cake_symbol *symbol = run->kernel->common.tunes.items[i]->symbol;
        for (uint32_t k = 0; k < plan->tunables.count; k++)
            if (plan->tunables.items[k].name == symbol->name)
                *value_of(run, symbol) = cake_plan_constant_index(run->scope, plan->tunables.items[k].value);
    }
}

static void require_equal(const run_binder *run, cake_plan_value *wanted, cake_plan_value *given, cake_span span,
                          const char *text) {
    if (!wanted || !given || wanted == given) return;
    if (cake_plan_value_equal(wanted, given)) {
        run->p->program->shown++;
        return;
    }
    cake_plan_value *condition = cake_plan_binary(run->scope, CAKE_BINARY_EQ, wanted, given);
    if (condition) cake_plan_program_require(run->p, run->step, condition, span, text);
}

static void require_shape(const run_binder *run, const cake_parameter *parameter, const cake_plan_tensor *given) {
    const cake_expr_list *extents = &parameter->type.extents;
    for (uint8_t d = 0; d < given->rank; d++) {
        cake_text text;
        cake_text_init(&text, run->scope->arena);
        cake_text_format(&text, "extent %u of '%s' is %s, here ", d, parameter->name, text_of(run, extents->items[d]));
        cake_plan_value_print(given->extents[d], &text);
        require_equal(run, cake_plan_expression(run->scope, extents->items[d]), given->extents[d], parameter->span,
                      cake_text_string(&text));
    }
    if (given->contiguous && !parameter->has_strides) return;
    cake_plan_tensor wanted = {.rank = given->rank};
    if (!cake_plan_shape_tensor(run->scope, &wanted, extents, parameter->has_strides ? &parameter->strides : NULL))
        return;
    for (uint8_t d = 0; d < given->rank; d++) {
        const char *text = cake_arena_format(run->scope->arena, "stride %u of '%s'", d, parameter->name);
        require_equal(run, wanted.strides[d], given->strides[d], parameter->span, text);
    }
}

static void require_contract(const run_binder *run) {
    for (uint32_t i = 0; i < run->kernel->facts.count; i++) {
        const cake_fact *fact = &run->kernel->facts.items[i];
        if (fact->kind != CAKE_FACT_CONDITION || !cake_plan_is_launch_expression(fact->condition)) continue;
        run->scope->span = fact->span;
        cake_plan_value *condition = cake_plan_expression(run->scope, fact->condition);
        if (condition)
            cake_plan_program_require(run->p, run->step, condition, fact->span, text_of(run, fact->condition));
    }
}

/* ---- the whole ---- */

static void bind_arguments(const run_binder *run) {
    for (uint32_t i = 0; i < run->kernel->parameters.count; i++) {
        const cake_parameter *parameter = run->kernel->parameters.items[i];
        if (parameter->type.extents.count == 0) {
            cake_plan_source source;
            if (!cake_plan_program_source(run->p, run->step->arguments.items[i], parameter->type.dtype, &source))
                return;
            *CAKE_PUSH(run->scope->arena, &run->row->scalars) = source;
            continue;
        }
        const cake_plan_tensor *given = argument_of(run, i);
        *CAKE_PUSH(run->scope->arena, &run->row->tensors) = given->number - 1;
        require_shape(run, parameter, given);
    }
}

/* In the order of the instance's runtime dimensions, as its launch wants them. */
static void list_dimensions(const run_binder *run, const cake_plan *plan) {
    for (uint32_t i = 0; i < plan->dimensions.count; i++)
        for (uint32_t k = 0; k < run->kernel->dimensions.count; k++)
            if (run->kernel->dimensions.items[k]->name == plan->dimensions.items[i]->definition->u.leaf.name)
                *CAKE_PUSH(run->scope->arena, &run->row->dimensions) = *value_of(run, run->kernel->dimensions.items[k]);
}

bool cake_plan_program_bind(cake_plan_program_builder *p, const cake_step *step, cake_plan_step *row) {
    run_binder run = {p, &p->scope, step, step->object.symbol->kernel, row};
    p->scope.span = step->span;
    for (uint32_t i = 0; i < run.kernel->parameters.count; i++)
        if (run.kernel->parameters.items[i]->type.extents.count && !argument_of(&run, i)) return false; /* reported */
    uint32_t errors = p->scope.diagnostics->error_count;
    forget(&run);
    if (!bind_dimensions(&run)) return false;
    const cake_plan *plan = find_instance(&run);
    if (!plan) return false;
    bind_tunables(&run, plan);
    list_dimensions(&run, plan);
    bind_arguments(&run);
    require_contract(&run);
    return p->scope.diagnostics->error_count == errors;
}
