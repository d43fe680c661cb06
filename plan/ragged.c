/* Ragged axes: blocks of B rows within the groups off[g] .. off[g + 1].
 *
 * Group g has the numbers from off[g] / B + g on, rounded down: at least as many as it has blocks, since a group of
 * length n that begins anywhere touches at most n / B + 1 multiples of B, and these numbers rise strictly with g. So
 * the group of a number is found by bisection, without sums over the groups before it, and there are off[G] / B + G
 * numbers in all, which the host knows from 'off[G] == T'. At most G of them belong to no block: these tiles are
 * skipped.
 */
#include <string.h>

#include "plan/internal.h"

static cake_plan_value *calculate(cake_builder *builder, cake_binary_op op, cake_plan_value *a, cake_plan_value *b) {
    return a && b ? cake_plan_binary(builder, op, a, b) : NULL;
}

static cake_plan_value *minimum(cake_builder *builder, cake_plan_value *a, cake_plan_value *b) {
    cake_plan_value *operands[2] = {a, b};
    return a && b ? cake_plan_call(builder, CAKE_BUILTIN_MIN, 0, CAKE_DTYPE_INDEX, operands, 2) : NULL;
}

static cake_plan_value *constant(cake_builder *builder, int64_t value) {
    return cake_plan_constant_index(builder, value);
}

/* ---- what the host knows ---- */

typedef struct ragged {
    cake_plan_value *groups, *total; /* total: off[groups] */
    int64_t block;
} ragged;

/* One less than the number of offsets; of an extent G + 1 it is G itself. */
static cake_plan_value *groups_of(cake_builder *builder, const cake_axis *axis) {
    cake_plan_value *count = cake_plan_expression(builder, axis->ragged_symbol->parameter->type.extents.items[0]);
    const cake_plan_op *op = count ? count->definition : NULL;
    if (op && op->kind == CAKE_PLAN_BINARY && op->u.binary == CAKE_BINARY_ADD && op->operands[1]->is_constant &&
        op->operands[1]->integer == 1)
        return op->operands[0];
    return calculate(builder, CAKE_BINARY_SUB, count, constant(builder, 1));
}

/* Whether the expression is off[groups]. */
static bool is_last_offset(cake_builder *builder, const cake_expr *expr, const cake_axis *axis,
                           const cake_plan_value *groups) {
    if (expr->kind != CAKE_EXPR_INDEX || expr->u.index.base->kind != CAKE_EXPR_NAME ||
        expr->u.index.base->u.name.symbol != axis->ragged_symbol || expr->u.index.items.count != 1)
        return false;
    const cake_item *item = &expr->u.index.items.items[0];
    if (item->kind != CAKE_ITEM_ONE || !cake_plan_is_launch_expression(item->base)) return false;
    const cake_plan_value *at = cake_plan_expression(builder, item->base);
    return at && (at == groups || (at->is_constant && groups->is_constant && at->integer == groups->integer));
}

/* T of the contract's off[G] == T; null if it says nothing. */
static cake_plan_value *total_of(cake_builder *builder, const cake_axis *axis, const cake_plan_value *groups) {
    for (uint32_t i = 0; i < builder->kernel->facts.count; i++) {
        const cake_expr *fact = builder->kernel->facts.items[i].condition;
        if (builder->kernel->facts.items[i].kind != CAKE_FACT_CONDITION || fact->kind != CAKE_EXPR_COMPARE) continue;
        if (fact->u.compare.ops.count != 1 || fact->u.compare.ops.items[0] != CAKE_BINARY_EQ) continue;
        const cake_expr *left = fact->u.compare.operands.items[0], *right = fact->u.compare.operands.items[1];
        if (!is_last_offset(builder, left, axis, groups) || !cake_plan_is_launch_expression(right)) continue;
        cake_plan_value *total = cake_plan_expression(builder, right);
        return total ? cake_plan_convert(builder, total, CAKE_DTYPE_INDEX) : NULL;
    }
    return NULL;
}

static bool open_ragged(cake_builder *builder, const cake_axis *axis, ragged *out_ragged) {
    uint32_t errors = builder->diagnostics->error_count;
    out_ragged->groups = groups_of(builder, axis);
    if (!out_ragged->groups ||
        !cake_plan_integer(builder, axis->ragged_block, "the block of a ragged axis", &out_ragged->block))
        return false;
    if (out_ragged->block < 1 || out_ragged->block > (1 << 24)) {
        cake_report(builder->diagnostics, CAKE_L405, axis->ragged_block->span, "a block of %lld rows",
                    (long long)out_ragged->block);
        return false;
    }
    out_ragged->total = total_of(builder, axis, out_ragged->groups);
    if (!out_ragged->total && builder->diagnostics->error_count == errors)
        cake_report(builder->diagnostics, CAKE_L312, axis->ragged_span,
                    "how many rows there are must be known at launch: for offsets off[G + 1] say 'where off[G] == T'");
    return out_ragged->total != NULL;
}

cake_plan_value *cake_plan_ragged_extent(cake_builder *builder, const cake_axis *axis) {
    ragged r;
    if (!open_ragged(builder, axis, &r)) return NULL;
    return calculate(builder, CAKE_BINARY_ADD, calculate(builder, CAKE_BINARY_DIV, r.total, constant(builder, r.block)),
                     r.groups);
}

/* ---- what the device finds ---- */

/* off[at], which lies in 0 .. total. */
static cake_plan_value *offset(cake_builder *builder, const cake_axis *axis, const ragged *r, cake_plan_value *at) {
    const cake_plan_tensor *tensor = builder->bindings[axis->ragged_symbol->number].tensor;
    if (!tensor || !at) return NULL;
    cake_plan_access *access = CAKE_NEW(builder->arena, cake_plan_access);
    *access = (cake_plan_access){.place = {.tensor = tensor, .dimensions = 1, .span = axis->span}, .width = 1};
    access->place.index[0] = (cake_plan_index){.kind = CAKE_INDEX_SCALAR, .base = at, .length = 1};
    access->read_only = tensor->mode == CAKE_PARAMETER_IN;
    ((cake_plan_tensor *)tensor)->uses_pointer = true;
    cake_plan_op *op = cake_plan_append(builder, CAKE_PLAN_LOAD);
    op->u.access = access;
    cake_plan_value *word = cake_plan_result(builder, op, tensor->dtype, &access->place.shape);
    cake_plan_value *value = cake_plan_convert(builder, word, CAKE_DTYPE_INDEX);
    if (!value) return NULL;
    value->low = 0;
    value->high = r->total->high > 0 ? r->total->high : 0;
    return value;
}

/* First number of the group that begins at 'first'. */
static cake_plan_value *number_of(cake_builder *builder, const ragged *r, cake_plan_value *first,
                                  cake_plan_value *group) {
    return calculate(builder, CAKE_BINARY_ADD, calculate(builder, CAKE_BINARY_DIV, first, constant(builder, r->block)),
                     group);
}

/* The last group whose first number is not above 'number': by steps of falling powers of two. */
static cake_plan_value *find_group(cake_builder *builder, const cake_axis *axis, const ragged *r,
                                   cake_plan_value *number) {
    cake_plan_value *group = constant(builder, 0);
    int64_t step = 1;
    while (step * 2 < r->groups->high)
        step *= 2;
    for (; step > 0 && r->groups->high > 1; step /= 2) {
        cake_plan_value *next = calculate(builder, CAKE_BINARY_ADD, group, constant(builder, step));
        cake_plan_value *exists = calculate(builder, CAKE_BINARY_LT, next, r->groups);
        cake_plan_value *first = offset(builder, axis, r, minimum(builder, next, r->groups));
        cake_plan_value *reached = calculate(builder, CAKE_BINARY_LE, number_of(builder, r, first, next), number);
        cake_plan_value *operands[3] = {calculate(builder, CAKE_BINARY_AND, exists, reached), next, group};
        if (!operands[0]) return NULL;
        group = cake_plan_call(builder, CAKE_BUILTIN_SELECT, 0, CAKE_DTYPE_INDEX, operands, 3);
    }
    if (group && !group->is_constant) group->high = r->groups->high - 1;
    return group;
}

/* The value as it is where a block exists. */
static cake_plan_value *within(cake_builder *builder, cake_plan_value *value, int64_t low, int64_t high) {
    if (!value || value->is_constant) return value;
    cake_plan_value *copy = CAKE_NEW(builder->arena, cake_plan_value);
    *copy = *value;
    copy->low = low > value->low ? low : value->low;
    copy->high = high < value->high ? high : value->high;
    if (copy->high < copy->low) copy->high = copy->low; /* never run */
    return copy;
}

cake_plan_value *cake_plan_ragged_bind(cake_builder *builder, const cake_axis *axis, cake_plan_value *number) {
    ragged r;
    if (!number || !open_ragged(builder, axis, &r)) return NULL;
    cake_plan_value *one = constant(builder, 1), *block = constant(builder, r.block);
    cake_plan_value *group = find_group(builder, axis, &r, number);
    cake_plan_value *first = offset(builder, axis, &r, group);
    cake_plan_value *end = offset(builder, axis, &r, calculate(builder, CAKE_BINARY_ADD, group, one));
    cake_plan_value *at = calculate(builder, CAKE_BINARY_SUB, number, number_of(builder, &r, first, group));
    cake_plan_value *row = calculate(builder, CAKE_BINARY_ADD, first, calculate(builder, CAKE_BINARY_MUL, at, block));
    cake_plan_value *rows = minimum(builder, block, calculate(builder, CAKE_BINARY_SUB, end, row));
    cake_plan_value *exists = calculate(builder, CAKE_BINARY_AND, calculate(builder, CAKE_BINARY_LE, first, row),
                                        calculate(builder, CAKE_BINARY_LE, one, rows));
    cake_binding_row *binding = &builder->bindings[axis->symbol->number];
    binding->ragged[CAKE_RAGGED_GROUP] = group;
    binding->ragged[CAKE_RAGGED_ROW] = within(builder, row, 0, r.total->high - 1);
    binding->ragged[CAKE_RAGGED_ROWS] = within(builder, rows, 1, r.block);
    static const char *const names[] = {"group", "row", "rows"};
    for (uint32_t i = 0; i < CAKE_RAGGED_MEMBERS; i++)
        cake_plan_name_value(binding->ragged[i], cake_arena_format(builder->arena, "%s.%s", axis->name, names[i]));
    return exists;
}

cake_plan_value *cake_plan_ragged_member(cake_builder *builder, const cake_expr *expr) {
    const cake_binding_row *binding = &builder->bindings[expr->u.member.base->u.name.symbol->number];
    if (strcmp(expr->u.member.name, "group") == 0) return binding->ragged[CAKE_RAGGED_GROUP];
    return binding->ragged[strcmp(expr->u.member.name, "row") == 0 ? CAKE_RAGGED_ROW : CAKE_RAGGED_ROWS];
}
