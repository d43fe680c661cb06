/* Choices and contract: what tunables, statics and dimensions are, and what the launch must check. */
#include <string.h>

#include "ir/print.h"
#include "plan/internal.h"

static const cake_choice *choice_of(const cake_builder *builder, cake_name name) {
    for (uint32_t i = 0; i < builder->options->choice_count; i++)
        if (strcmp(builder->options->choices[i].name, name) == 0) return &builder->options->choices[i];
    return NULL;
}

/* ---- tunables ---- */

static bool set_holds(cake_builder *builder, const cake_set *set, int64_t value) {
    int64_t items[2];
    for (uint32_t i = 0; i < set->items.count; i++) {
        int64_t *item = &items[set->is_range ? i : 0];
        if (!cake_plan_integer(builder, set->items.items[i], "a member of the set", item)) return true;
        if (!set->is_range && *item == value) return true;
    }
    return set->is_range && value >= items[0] && value < items[1];
}

static void choose_tune(cake_builder *builder, const cake_tune *tune) {
    const cake_choice *choice = choice_of(builder, tune->name);
    int64_t value;
    if (choice)
        value = choice->value;
    else if (!cake_plan_integer(builder, tune->value, "the default of a tunable", &value))
        return;
    builder->bindings[tune->symbol->number].value = cake_plan_constant_index(builder, value);
    *CAKE_PUSH(builder->arena, &builder->plan->tunables) = (cake_plan_setting){tune->name, value};
    int64_t only = value;
    if (!tune->has_set && !cake_plan_integer(builder, tune->value, "the value of a tunable", &only)) return;
    if (tune->has_set ? !set_holds(builder, &tune->set, value) : value != only)
        cake_report(builder->diagnostics, CAKE_L406, tune->span, "%lld is no legal value of '%s'", (long long)value,
                    tune->name);
}

/* ---- dimensions ---- */

#define MAX_DIMENSION ((int64_t)1 << 48)

static void bind_dimension(cake_builder *builder, const cake_symbol *symbol) {
    const cake_choice *choice = choice_of(builder, symbol->name);
    cake_plan_value *value;
    if (choice && (symbol->is_static || builder->options->specialise)) {
        value = cake_plan_constant_index(builder, choice->value);
        *CAKE_PUSH(builder->arena, &builder->plan->statics) = (cake_plan_setting){symbol->name, choice->value};
    } else if (symbol->is_static) {
        cake_report(builder->diagnostics, CAKE_L401, symbol->span, "'%s' is static: give it a value with -D %s=VALUE",
                    symbol->name, symbol->name);
        return;
    } else {
        value = cake_plan_leaf(builder, CAKE_PLAN_DIMENSION, CAKE_DTYPE_INDEX, 0, MAX_DIMENSION);
        cake_plan_op *op = (cake_plan_op *)value->definition;
        op->u.leaf.name = symbol->name;
        op->u.leaf.position = builder->plan->dimensions.count;
        *CAKE_PUSH(builder->arena, &builder->plan->dimensions) = value;
    }
    builder->bindings[symbol->number].value = value;
}

bool cake_plan_is_launch_expression(const cake_expr *expr) {
    switch (expr->kind) {
    case CAKE_EXPR_INT:
    case CAKE_EXPR_BOOL:
        return true;
    case CAKE_EXPR_NAME:
        switch (expr->u.name.symbol->kind) {
        case CAKE_SYMBOL_CONST:
        case CAKE_SYMBOL_TUNE:
        case CAKE_SYMBOL_DIMENSION:
            return true;
        default:
            return false;
        }
    case CAKE_EXPR_UNARY:
        return cake_plan_is_launch_expression(expr->u.unary.operand);
    case CAKE_EXPR_BINARY:
        return cake_plan_is_launch_expression(expr->u.binary.left) &&
               cake_plan_is_launch_expression(expr->u.binary.right);
    case CAKE_EXPR_COMPARE:
        for (uint32_t i = 0; i < expr->u.compare.operands.count; i++)
            if (!cake_plan_is_launch_expression(expr->u.compare.operands.items[i])) return false;
        return true;
    case CAKE_EXPR_IN:
        for (uint32_t i = 0; i < expr->u.in.set.items.count; i++)
            if (!cake_plan_is_launch_expression(expr->u.in.set.items.items[i])) return false;
        return cake_plan_is_launch_expression(expr->u.in.left);
    case CAKE_EXPR_CALL:
        if (expr->u.call.builtin == CAKE_BUILTIN_NONE ||
            cake_builtin_info_of(expr->u.call.builtin)->kind == CAKE_BUILTIN_KIND_DATA)
            return false;
        for (uint32_t i = 0; i < expr->u.call.arguments.count; i++)
            if (!cake_plan_is_launch_expression(expr->u.call.arguments.items[i].value)) return false;
        return true;
    default:
        return false;
    }
}

/* The dimension that an expression is, as a leaf whose range may still be narrowed; or null. */
static cake_plan_value *dimension_of(cake_builder *builder, const cake_expr *expr) {
    if (expr->kind != CAKE_EXPR_NAME || expr->u.name.symbol->kind != CAKE_SYMBOL_DIMENSION) return NULL;
    cake_plan_value *value = builder->bindings[expr->u.name.symbol->number].value;
    return value && !value->is_constant ? value : NULL;
}

static void narrow(cake_plan_value *value, int64_t low, int64_t high) {
    if (low > value->low) value->low = low;
    if (high < value->high) value->high = high;
}

/* left op right, where one of them is a dimension: the other's range bounds it. */
static void narrow_by(cake_plan_value *dimension, cake_binary_op op, const cake_plan_value *other) {
    if (op == CAKE_BINARY_EQ) narrow(dimension, other->low, other->high);
    if (op == CAKE_BINARY_LE) narrow(dimension, dimension->low, other->high);
    if (op == CAKE_BINARY_LT) narrow(dimension, dimension->low, other->high - 1);
    if (op == CAKE_BINARY_GE) narrow(dimension, other->low, dimension->high);
    if (op == CAKE_BINARY_GT) narrow(dimension, other->low + 1, dimension->high);
}

static cake_binary_op mirrored(cake_binary_op op) {
    if (op == CAKE_BINARY_LE) return CAKE_BINARY_GE;
    if (op == CAKE_BINARY_LT) return CAKE_BINARY_GT;
    if (op == CAKE_BINARY_GE) return CAKE_BINARY_LE;
    return op == CAKE_BINARY_GT ? CAKE_BINARY_LT : op;
}

static void narrow_pair(cake_builder *builder, const cake_expr *left, cake_binary_op op, const cake_expr *right) {
    cake_plan_value *left_dimension = dimension_of(builder, left), *right_dimension = dimension_of(builder, right);
    if (left_dimension && cake_plan_is_launch_expression(right)) {
        const cake_plan_value *other = cake_plan_expression(builder, right);
        if (other) narrow_by(left_dimension, op, other);
    }
    if (right_dimension && cake_plan_is_launch_expression(left)) {
        const cake_plan_value *other = cake_plan_expression(builder, left);
        if (other) narrow_by(right_dimension, mirrored(op), other);
    }
}

static void narrow_set(cake_builder *builder, const cake_expr *expr) {
    const cake_set *set = &expr->u.in.set;
    cake_plan_value *dimension = dimension_of(builder, expr->u.in.left);
    if (!dimension) return;
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (uint32_t i = 0; i < set->items.count; i++) {
        const cake_plan_value *item = cake_plan_expression(builder, set->items.items[i]);
        if (!item) return;
        if (item->low < low) low = item->low;
        if (item->high > high) high = item->high;
    }
    narrow(dimension, low, set->is_range ? high - 1 : high);
}

/* Ranges can't say that one dimension bounds another. */
static void note_order(cake_builder *builder, const cake_expr *left, cake_binary_op op, const cake_expr *right) {
    const cake_plan_value *a = dimension_of(builder, left), *b = dimension_of(builder, right);
    if (!a || !b) return;
    if (op == CAKE_BINARY_LE || op == CAKE_BINARY_LT)
        *CAKE_PUSH(builder->arena, &builder->orders) = (cake_known_order){a, b};
    if (op == CAKE_BINARY_GE || op == CAKE_BINARY_GT)
        *CAKE_PUSH(builder->arena, &builder->orders) = (cake_known_order){b, a};
}

/* A few rounds, since one dimension may bound another. Failures are reported later, with full ranges. */
static void narrow_dimensions(cake_builder *builder) {
    cake_diagnostics silent, *loud = builder->diagnostics;
    cake_diagnostics_init(&silent, builder->arena, builder->module->source);
    cake_plan_block scratch = {0}, *outer = builder->block;
    builder->diagnostics = &silent;
    builder->block = &scratch;
    for (int round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < builder->kernel->facts.count; i++) {
            const cake_expr *condition = builder->kernel->facts.items[i].condition;
            if (!condition) continue;
            if (condition->kind == CAKE_EXPR_IN) narrow_set(builder, condition);
            if (condition->kind != CAKE_EXPR_COMPARE) continue;
            for (uint32_t k = 0; k < condition->u.compare.ops.count; k++) {
                const cake_expr *left = condition->u.compare.operands.items[k];
                const cake_expr *right = condition->u.compare.operands.items[k + 1];
                narrow_pair(builder, left, condition->u.compare.ops.items[k], right);
                if (round == 0) note_order(builder, left, condition->u.compare.ops.items[k], right);
            }
        }
    }
    builder->diagnostics = loud;
    builder->block = outer;
    builder->steps = 0;
}

/* ---- the contract ---- */

static const char *text_of(cake_builder *builder, const cake_expr *expr) {
    cake_text text;
    cake_text_init(&text, builder->arena);
    cake_expr_print(expr, &text);
    return cake_text_string(&text);
}

/* Values fixed at compile time must satisfy the contract now; the rest is for the launch. */
static void add_fact(cake_builder *builder, const cake_fact *fact) {
    const char *text = text_of(builder, fact->condition);
    if (!cake_plan_is_launch_expression(fact->condition)) {
        *CAKE_PUSH(builder->arena, &builder->plan->trust) = text;
        return;
    }
    cake_plan_condition row = {.span = fact->span, .text = text};
    row.value = cake_plan_expression(builder, fact->condition);
    if (!row.value) return;
    if (!row.value->is_constant)
        *CAKE_PUSH(builder->arena, &builder->plan->contract) = row;
    else if (!row.value->integer)
        cake_report(builder->diagnostics, CAKE_L406, fact->span, "the values given at compile time contradict '%s'",
                    text);
}

void cake_plan_choices(cake_builder *builder) {
    const cake_common *commons[2] = {&builder->module->common, &builder->kernel->common};
    for (int c = 0; c < 2; c++)
        for (uint32_t i = 0; i < commons[c]->tunes.count; i++)
            choose_tune(builder, commons[c]->tunes.items[i]);
    for (uint32_t i = 0; i < builder->kernel->dimensions.count; i++)
        bind_dimension(builder, builder->kernel->dimensions.items[i]);
    narrow_dimensions(builder);
}

void cake_plan_contract(cake_builder *builder) {
    builder->keep_comparisons = true; /* ranges come from these conditions: they must not fold them away */
    for (uint32_t i = 0; i < builder->kernel->facts.count; i++) {
        const cake_fact *fact = &builder->kernel->facts.items[i];
        builder->span = fact->span;
        if (fact->kind == CAKE_FACT_CONDITION) add_fact(builder, fact);
        if (fact->kind == CAKE_FACT_DETERMINISTIC) builder->plan->launch.deterministic = true;
    }
    builder->keep_comparisons = false;
    for (uint32_t i = 0; i < builder->kernel->assumes.count; i++)
        *CAKE_PUSH(builder->arena, &builder->plan->trust) = text_of(builder, builder->kernel->assumes.items[i]);
    for (uint32_t i = 0; i < builder->kernel->checks.count; i++) {
        const cake_expr *check = builder->kernel->checks.items[i];
        builder->span = check->span;
        const cake_plan_value *value = cake_plan_expression(builder, check);
        if (value && value->is_constant && !value->integer)
            cake_report(builder->diagnostics, CAKE_L407, check->span, "'%s' is false for the values chosen",
                        text_of(builder, check));
    }
}
