/* The grid: number of tiles and the order in which they are walked.
 *
 * Each order is a bijection from 0 .. tiles to coordinates (docs/language.md, 'grid'):
 *   row         mixed radix, last coordinate fastest
 *   grouped(x, G)  groups of G neighbouring x (the last group may be smaller); within a group x fastest, then the other
 *               coordinates in row order: consecutive tiles share operands in the L2 cache
 *   snake(x)    row order, with x running backwards whenever the number of the slower coordinates is odd
 *   reverse(x)  row order with x running backwards
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

/* A coordinate is below its extent: the operations that compute it don't know. */
static void bound_coordinate(cake_plan_value *coordinate, const cake_plan_value *extent) {
    if (!coordinate || coordinate->is_constant) return;
    coordinate->low = 0;
    if (extent->high > 0 && coordinate->high > extent->high - 1) coordinate->high = extent->high - 1;
}

/* No number of tiles is larger: the launch refuses them (manifest, contract). */
static void bound_count(cake_plan_value *count) {
    if (count && count->high > INT32_MAX) count->high = INT32_MAX;
}

typedef struct axis_list {
    uint8_t count;
    cake_plan_value *extents[CAKE_MAX_RANK], *at[CAKE_MAX_RANK];
} axis_list;

/* Row order over all axes but 'skip' (UINT8_MAX: none). */
static void decode_row(cake_builder *builder, axis_list *axes, cake_plan_value *number, uint8_t skip) {
    uint8_t first = skip == 0 ? 1 : 0;
    for (uint8_t i = axes->count; i-- > 0;) {
        if (i == skip) continue;
        axes->at[i] = i == first ? number : calculate(builder, CAKE_BINARY_MOD, number, axes->extents[i]);
        bound_coordinate(axes->at[i], axes->extents[i]);
        if (i != first) number = calculate(builder, CAKE_BINARY_DIV, number, axes->extents[i]);
    }
}

static void decode_grouped(cake_builder *builder, axis_list *axes, cake_plan_value *number, uint8_t x, int64_t size) {
    cake_plan_value *others = cake_plan_constant_index(builder, 1), *group = cake_plan_constant_index(builder, size);
    for (uint8_t i = 0; i < axes->count; i++)
        if (i != x) {
            others = calculate(builder, CAKE_BINARY_MUL, others, axes->extents[i]);
            bound_count(others);
        }
    cake_plan_value *per_group = calculate(builder, CAKE_BINARY_MUL, group, others);
    cake_plan_value *first =
        calculate(builder, CAKE_BINARY_MUL, calculate(builder, CAKE_BINARY_DIV, number, per_group), group);
    bound_coordinate(first, axes->extents[x]);
    cake_plan_value *within = calculate(builder, CAKE_BINARY_MOD, number, per_group);
    cake_plan_value *rows = minimum(builder, calculate(builder, CAKE_BINARY_SUB, axes->extents[x], first), group);
    if (rows && !rows->is_constant && rows->low < 1) rows->low = 1; /* a group is never empty */
    axes->at[x] = calculate(builder, CAKE_BINARY_ADD, first, calculate(builder, CAKE_BINARY_MOD, within, rows));
    bound_coordinate(axes->at[x], axes->extents[x]);
    decode_row(builder, axes, calculate(builder, CAKE_BINARY_DIV, within, rows), x);
}

static cake_plan_value *backwards(cake_builder *builder, const axis_list *axes, uint8_t x) {
    cake_plan_value *last = calculate(builder, CAKE_BINARY_SUB, axes->extents[x], cake_plan_constant_index(builder, 1));
    cake_plan_value *at = calculate(builder, CAKE_BINARY_SUB, last, axes->at[x]);
    bound_coordinate(at, axes->extents[x]);
    return at;
}

static void decode_snake(cake_builder *builder, axis_list *axes, uint8_t x) {
    cake_plan_value *slower = cake_plan_constant_index(builder, 0);
    for (uint8_t i = 0; i < x; i++)
        slower = calculate(builder, CAKE_BINARY_ADD, calculate(builder, CAKE_BINARY_MUL, slower, axes->extents[i]),
                           axes->at[i]);
    cake_plan_value *odd = calculate(builder, CAKE_BINARY_EQ,
                                     calculate(builder, CAKE_BINARY_MOD, slower, cake_plan_constant_index(builder, 2)),
                                     cake_plan_constant_index(builder, 1));
    cake_plan_value *operands[3] = {odd, backwards(builder, axes, x), axes->at[x]};
    if (!odd || !operands[1] || !operands[2]) return;
    axes->at[x] = cake_plan_call(builder, CAKE_BUILTIN_SELECT, 0, CAKE_DTYPE_INDEX, operands, 3);
}

/* The axis that an order's first argument names. */
static uint8_t order_axis(const cake_grid *grid) {
    if (grid->order_arguments.count == 0) return 0;
    const cake_expr *argument = grid->order_arguments.items[0];
    for (uint8_t i = 0; i < grid->axes.count; i++)
        if (argument->kind == CAKE_EXPR_NAME && argument->u.name.text == grid->axes.items[i].name) return i;
    return 0;
}

/* An extent as the coordinates see it: where there is a tile, no extent is 0. */
static cake_plan_value *positive(cake_builder *builder, cake_plan_value *extent) {
    if (extent->low >= 1) return extent;
    if (extent->is_constant) return cake_plan_constant_index(builder, 1);
    cake_plan_value *copy = CAKE_NEW(builder->arena, cake_plan_value);
    *copy = *extent;
    copy->low = 1;
    if (copy->high < 1) copy->high = 1;
    return copy;
}

static uint8_t cluster_axis(const cake_grid *grid) {
    for (uint8_t i = 0; i < grid->axes.count; i++)
        if (grid->axes.items[i].name == grid->cluster_axis) return i;
    return 0;
}

static cake_plan_value *cluster_size(cake_builder *builder) {
    return cake_plan_constant_index(builder, builder->plan->launch.cluster);
}

cake_plan_value *cake_plan_cluster_number(cake_builder *builder, cake_plan_op_kind kind, int64_t low, int64_t high) {
    uint32_t size = builder->plan->launch.cluster;
    if (size == 1) return cake_plan_leaf(builder, kind, CAKE_DTYPE_INDEX, low, high);
    int64_t last = high > INT32_MAX / size - 1 ? INT32_MAX : high * size + size - 1;
    cake_plan_value *ctas = cake_plan_leaf(builder, kind, CAKE_DTYPE_INDEX, low * size, last);
    cake_plan_value *clusters = calculate(builder, CAKE_BINARY_DIV, ctas, cluster_size(builder));
    if (clusters && clusters->high > high) clusters->high = high;
    return clusters;
}

cake_plan_value *cake_plan_cluster_rank(cake_builder *builder) {
    uint32_t size = builder->plan->launch.cluster;
    if (size == 1) return cake_plan_constant_index(builder, 0);
    return cake_plan_leaf(builder, CAKE_PLAN_CLUSTER_RANK, CAKE_DTYPE_INDEX, 0, size - 1);
}

/* CTAs of a cluster have neighbouring coordinates along its axis. */
static void spread_cluster(cake_builder *builder, axis_list *axes, uint8_t x) {
    if (builder->plan->launch.cluster == 1) return;
    cake_plan_value *first = calculate(builder, CAKE_BINARY_MUL, axes->at[x], cluster_size(builder));
    axes->at[x] = calculate(builder, CAKE_BINARY_ADD, first, cake_plan_cluster_rank(builder));
}

/* Goes on in a block that runs where all ragged coordinates have a block of rows. */
static void skip_missing(cake_builder *builder, const axis_list *axes) {
    cake_plan_value *exists = NULL;
    for (uint8_t i = 0; i < axes->count; i++) {
        const cake_axis *axis = &builder->kernel->grid->axes.items[i];
        if (!axis->ragged) continue;
        cake_plan_value *one = cake_plan_ragged_bind(builder, axis, axes->at[i]);
        if (!one) return;
        exists = exists ? calculate(builder, CAKE_BINARY_AND, exists, one) : one;
    }
    if (!exists) return;
    cake_plan_op *op = cake_plan_append(builder, CAKE_PLAN_IF);
    op->u.branch.condition = exists;
    builder->block = &op->u.branch.then;
}

void cake_plan_bind_tile(cake_builder *builder, cake_plan_value *tile) {
    const cake_grid *grid = builder->kernel->grid;
    axis_list axes = {.count = (uint8_t)grid->axes.count};
    for (uint8_t i = 0; i < axes.count; i++)
        axes.extents[i] = positive(builder, builder->plan->axes[i]);
    const char *order = grid->order ? grid->order : "row";
    uint8_t x = order_axis(grid);
    if (strcmp(order, "grouped") == 0)
        decode_grouped(builder, &axes, tile, x, builder->plan->group);
    else
        decode_row(builder, &axes, tile, UINT8_MAX);
    if (strcmp(order, "snake") == 0) decode_snake(builder, &axes, x);
    if (strcmp(order, "reverse") == 0) axes.at[x] = backwards(builder, &axes, x);
    spread_cluster(builder, &axes, cluster_axis(grid));
    for (uint8_t i = 0; i < axes.count; i++) {
        builder->bindings[grid->axes.items[i].symbol->number].value = axes.at[i];
        cake_plan_name_value(axes.at[i], grid->axes.items[i].name);
    }
    skip_missing(builder, &axes);
}

static bool grid_is_built(cake_builder *builder, const cake_grid *grid) {
    const char *missing = grid->claim && grid->cluster > 1 ? "a grid of clusters with 'claim'" : NULL;
    for (uint32_t i = 0; i < grid->axes.count; i++)
        if (grid->axes.items[i].ragged && grid->cluster > 1 && grid->axes.items[i].name == grid->cluster_axis)
            missing = "a cluster along a ragged axis";
    if (missing) cake_report(builder->diagnostics, CAKE_U001, grid->span, "%s is not lowered yet", missing);
    return !missing;
}

void cake_plan_grid(cake_builder *builder) {
    const cake_grid *grid = builder->kernel->grid;
    cake_plan *plan = builder->plan;
    builder->span = grid->span;
    plan->launch.cluster = grid->cluster > 1 ? grid->cluster : 1;
    if (!grid_is_built(builder, grid)) return;
    if (grid->cluster > CAKE_LIMIT_CLUSTER_CTAS) {
        cake_report(builder->diagnostics, CAKE_L405, grid->cluster_span, "a cluster has at most %u CTAs",
                    (uint32_t)CAKE_LIMIT_CLUSTER_CTAS);
        return;
    }
    cake_plan_value *tiles = cake_plan_constant_index(builder, 1);
    for (uint32_t i = 0; i < grid->axes.count && tiles; i++) {
        builder->span = grid->axes.items[i].span;
        const cake_axis *axis = &grid->axes.items[i];
        cake_plan_value *extent =
            axis->ragged ? cake_plan_ragged_extent(builder, axis) : cake_plan_expression(builder, axis->extent);
        extent = extent ? cake_plan_convert(builder, extent, CAKE_DTYPE_INDEX) : NULL;
        if (!extent) return;
        if (extent->low < 0) {
            cake_plan_value *operands[2] = {extent, cake_plan_constant_index(builder, 0)};
            extent = cake_plan_call(builder, CAKE_BUILTIN_MAX, 0, CAKE_DTYPE_INDEX, operands, 2);
        }
        if (plan->launch.cluster > 1 && i == cluster_axis(grid)) {
            cake_plan_value *operands[2] = {extent, cluster_size(builder)};
            extent = cake_plan_call(builder, CAKE_BUILTIN_CDIV, 0, CAKE_DTYPE_INDEX, operands, 2);
        }
        plan->axes[i] = extent;
        tiles = calculate(builder, CAKE_BINARY_MUL, tiles, extent);
        bound_count(tiles);
    }
    if (tiles && tiles->low > INT32_MAX)
        cake_report(builder->diagnostics, CAKE_L405, grid->span, "%lld tiles or more: at most %d are possible",
                    (long long)tiles->low, INT32_MAX);
    plan->launch.tiles = tiles;
    plan->launch.persistent = grid->persistent;
    plan->launch.ctas_per_sm = grid->persistent ? grid->ctas_per_sm : 0;
    plan->group = 1;
    if (grid->order_arguments.count > 1 &&
        cake_plan_integer(builder, grid->order_arguments.items[1], "the size of a group", &plan->group) &&
        plan->group < 1)
        cake_report(builder->diagnostics, CAKE_L405, grid->order_span, "a group has at least one member");
    if (plan->group > INT32_MAX) plan->group = INT32_MAX; /* all: there are no more tiles */
}
