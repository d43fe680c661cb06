#include "driver/static_values.h"

#include <string.h>

/* ---- finding ---- */

/* Takes the values of 'NAME in {1, 2, ..}' if all are literals and few. */
static void read_set(const cake_expr *condition, const cake_symbol *symbol, cake_static *out) {
    if (!condition || condition->kind != CAKE_EXPR_IN) return;
    const cake_expr *left = condition->u.in.left;
    const cake_set *set = &condition->u.in.set;
    if (left->kind != CAKE_EXPR_NAME || left->u.name.symbol != symbol) return;
    if (set->is_range || set->items.count > CAKE_STATIC_VALUES) return;
    for (uint32_t i = 0; i < set->items.count; i++) {
        const cake_expr *item = set->items.items[i];
        if (item->kind != CAKE_EXPR_INT || item->u.integer.value > INT64_MAX) return;
        out->values[i] = (int64_t)item->u.integer.value;
    }
    out->count = set->items.count;
}

static bool is_chosen(const cake_choice_list *choices, const cake_static_list *found, const char *name) {
    for (uint32_t i = 0; i < choices->count; i++)
        if (strcmp(choices->items[i].name, name) == 0) return true;
    for (uint32_t i = 0; i < found->count; i++)
        if (strcmp(found->items[i].name, name) == 0) return true;
    return false;
}

static uint32_t combinations(const cake_static_list *statics) {
    uint32_t product = 1;
    for (uint32_t i = 0; i < statics->count && product <= CAKE_STATIC_VALUES; i++)
        if (statics->items[i].count) product *= statics->items[i].count;
    return product;
}

/* What kernels and programs have in common here. */
typedef struct unit {
    cake_symbol *const *dimensions;
    uint32_t dimension_count;
    const cake_fact *facts;
    uint32_t fact_count;
} unit;

static void add_statics(cake_arena *arena, const unit *from, const cake_choice_list *choices, bool sets,
                        cake_static_list *found) {
    for (uint32_t i = 0; i < from->dimension_count; i++) {
        const cake_symbol *symbol = from->dimensions[i];
        if (!symbol->is_static || is_chosen(choices, found, symbol->name)) continue;
        cake_static *one = CAKE_PUSH(arena, found);
        one->name = symbol->name;
        for (uint32_t f = 0; sets && f < from->fact_count; f++)
            read_set(from->facts[f].condition, symbol, one);
    }
}

/* Kernels that a program runs take their statics from it. */
cake_static_list cake_static_find(cake_arena *arena, const cake_module *module, const cake_choice_list *choices,
                                  bool sets) {
    cake_static_list found = {0};
    for (uint32_t k = 0; k < module->kernels.count; k++) {
        const cake_kernel *kernel = module->kernels.items[k];
        unit one = {kernel->dimensions.items, kernel->dimensions.count, kernel->facts.items, kernel->facts.count};
        if (!cake_plan_module_runs(module, kernel)) add_statics(arena, &one, choices, sets, &found);
    }
    for (uint32_t k = 0; k < module->programs.count; k++) {
        const cake_program *program = module->programs.items[k];
        unit one = {program->dimensions.items, program->dimensions.count, program->facts.items, program->facts.count};
        add_statics(arena, &one, choices, sets, &found);
    }
    bool too_many = combinations(&found) > CAKE_STATIC_VALUES;
    for (uint32_t i = 0; too_many && i < found.count; i++)
        found.items[i].count = 0;
    return found;
}

bool cake_static_open(const cake_static_list *statics) {
    for (uint32_t i = 0; i < statics->count; i++)
        if (statics->items[i].count == 0) return true;
    return false;
}

/* ---- planning ---- */

/* The choices of combination 'number', the last static running fastest; the values also as text. */
static cake_choice_list choose(cake_arena *arena, const cake_choice_list *choices, const cake_static_list *statics,
                               uint32_t number, cake_text *out_text) {
    cake_choice_list chosen = {0};
    for (uint32_t i = 0; i < choices->count; i++)
        *CAKE_PUSH(arena, &chosen) = choices->items[i];
    for (uint32_t i = statics->count; i-- > 0;) {
        const cake_static *one = &statics->items[i];
        if (one->count == 0) continue;
        int64_t value = one->values[number % one->count];
        number /= one->count;
        *CAKE_PUSH(arena, &chosen) = (cake_choice){one->name, value};
        cake_text_format(out_text, "%s%s = %lld", out_text->size ? ", " : "", one->name, (long long)value);
    }
    return chosen;
}

static bool is_listed(const cake_diagnostics *diagnostics, const cake_diagnostic *one) {
    for (uint32_t i = 0; i < diagnostics->list.count; i++) {
        const cake_diagnostic *other = diagnostics->list.items[i];
        if (other->code == one->code && other->span.begin == one->span.begin && other->span.end == one->span.end &&
            strcmp(other->message, one->message) == 0)
            return true;
    }
    return false;
}

static void merge_diagnostics(cake_diagnostics *into, const cake_diagnostics *from, const char *values) {
    into->error_count += from->error_count;
    into->dropped += from->dropped;
    for (uint32_t i = 0; i < from->list.count; i++) {
        cake_diagnostic *one = from->list.items[i];
        if (is_listed(into, one)) continue;
        cake_diagnostic_note(into, one, (cake_span){0}, "with %s", values);
        if (into->list.count < CAKE_DIAGNOSTIC_LIMIT)
            *CAKE_PUSH(into->arena, &into->list) = one;
        else
            into->dropped++;
    }
}

static void merge(cake_compilation *into, const cake_compilation *from, const char *values) {
    merge_diagnostics(&into->diagnostics, &from->diagnostics, values);
    cake_manifest_proof sum = into->manifest.proof;
    for (uint32_t i = 0; i < from->plans.count; i++)
        *CAKE_PUSH(into->arena, &into->plans) = from->plans.items[i];
    for (uint32_t i = 0; i < from->manifest.kernels.count; i++)
        *CAKE_PUSH(into->arena, &into->manifest.kernels) = from->manifest.kernels.items[i];
    for (uint32_t i = 0; i < from->manifest.programs.count; i++)
        *CAKE_PUSH(into->arena, &into->manifest.programs) = from->manifest.programs.items[i];
    into->manifest.proof = from->manifest.proof;
    into->manifest.proof.proved += sum.proved;
    into->manifest.proof.refuted += sum.refuted;
    into->manifest.proof.unknown += sum.unknown;
    into->manifest.proof.unchecked += sum.unchecked;
}

void cake_static_plan(cake_compilation *compilation, const cake_compile_options *options,
                      const cake_choice_list *choices, const cake_static_list *statics) {
    uint32_t count = combinations(statics);
    for (uint32_t i = 0; i < count; i++) {
        cake_text values;
        cake_text_init(&values, compilation->arena);
        cake_choice_list chosen = choose(compilation->arena, choices, statics, i, &values);
        cake_compile_options one_options = *options;
        one_options.plan.choices = chosen.items;
        one_options.plan.choice_count = chosen.count;
        if (count == 1) {
            cake_compile_plan(compilation, &one_options);
            return;
        }
        cake_compilation one = {
            .arena = compilation->arena, .source = compilation->source, .module = compilation->module};
        cake_diagnostics_init(&one.diagnostics, compilation->arena, compilation->source);
        cake_compile_plan(&one, &one_options);
        merge(compilation, &one, cake_text_string(&values));
    }
}
