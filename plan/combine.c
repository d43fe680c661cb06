/* Reductions and scans: built-in ones, argmin and argmax, and those that combine by a function of the schedule. */
#include "plan/internal.h"

/* ---- arguments ---- */

/* The axes that 'axis=' names, as a mask; all without it. */
static bool axes_of(cake_builder *builder, const cake_expr *expr, uint8_t rank, uint32_t *out_axes) {
    uint32_t axes = 0;
    for (uint32_t i = 0; i < expr->u.call.arguments.count; i++) {
        int64_t axis;
        const cake_expr *value = expr->u.call.arguments.items[i].value;
        if (!expr->u.call.arguments.items[i].keyword) continue;
        if (!cake_plan_integer(builder, value, "'axis'", &axis)) return false;
        if (axis < 0 || axis >= rank) {
            cake_report(builder->diagnostics, CAKE_L404, value->span, "axis %lld of a tile with %u axes",
                        (long long)axis, rank);
            return false;
        }
        axes |= 1u << axis;
    }
    *out_axes = axes ? axes : (1u << rank) - 1;
    return true;
}

/* 'within' stands behind any argument of the call. */
static cake_within within_of(const cake_expr *expr) {
    for (uint32_t i = 0; i < expr->u.call.arguments.count; i++)
        if (expr->u.call.arguments.items[i].within != CAKE_WITHIN_TEAM) return expr->u.call.arguments.items[i].within;
    return CAKE_WITHIN_TEAM;
}

static cake_shape without_axes(const cake_shape *shape, uint32_t axes) {
    cake_shape result = {0};
    for (uint8_t d = 0; d < shape->rank; d++)
        if (!(axes >> d & 1)) result.extents[result.rank++] = shape->extents[d];
    return result;
}

static int64_t folded_elements(const cake_shape *shape, uint32_t axes) {
    int64_t elements = 1;
    for (uint8_t d = 0; d < shape->rank; d++)
        if (axes >> d & 1) elements *= shape->extents[d];
    return elements;
}

/* ---- operations ---- */

/* Shape of what is left when a fold stays within lanes or warps: it depends on the layout, so the operand's must follow
 * from the statements so far; the inference checks that it stays so. */
static bool within_shape(cake_builder *builder, const cake_plan_value *operand, uint32_t axes, cake_within within,
                         cake_shape *out_shape) {
    const cake_layout *layout = cake_plan_class_layout(builder, operand->layout_class);
    if (!layout) {
        cake_report(builder->diagnostics, CAKE_L502, builder->span, "this tile does not deal evenly to the team");
        return false;
    }
    *out_shape = cake_layout_fold(&builder->plan->layouts, layout, axes, within == CAKE_WITHIN_WARP)->shape;
    return true;
}

static void relate_result(cake_builder *builder, const cake_plan_reduction *reduction, const cake_plan_value *operand,
                          const cake_plan_value *result) {
    static const cake_relation_kind relations[] = {
        [CAKE_WITHIN_TEAM] = CAKE_RELATION_REDUCE,
        [CAKE_WITHIN_LANE] = CAKE_RELATION_FOLD_LANE,
        [CAKE_WITHIN_WARP] = CAKE_RELATION_FOLD_WARP,
    };
    if (result->shape.rank)
        cake_plan_relate(builder, relations[reduction->within], result->layout_class, operand->layout_class,
                         reduction->axes, NULL);
}

/* The operation over one or two tiles of one shape, with results of the tiles' dtypes and ranges. */
static cake_plan_op *append(cake_builder *builder, cake_plan_op_kind kind, const cake_plan_reduction *reduction,
                            cake_plan_value **tiles, uint32_t count) {
    cake_shape shape = tiles[0]->shape;
    if (kind == CAKE_PLAN_REDUCE) shape = without_axes(&shape, reduction->axes);
    if (reduction->within != CAKE_WITHIN_TEAM &&
        !within_shape(builder, tiles[0], reduction->axes, reduction->within, &shape))
        return NULL;
    cake_plan_op *op = cake_plan_append(builder, kind);
    op->u.reduction = CAKE_NEW(builder->arena, cake_plan_reduction);
    *op->u.reduction = *reduction;
    *CAKE_PUSH(builder->arena, &builder->exchanges) = op;
    cake_plan_value *results[2] = {0};
    for (uint32_t i = 0; i < count; i++) {
        op->operands[op->operand_count++] = tiles[i];
        results[i] = cake_plan_result(builder, op, tiles[i]->dtype, &shape);
        results[i]->low = tiles[i]->low;
        results[i]->high = tiles[i]->high;
        if (i) cake_plan_class_join(builder, tiles[i]->layout_class, tiles[0]->layout_class);
        if (kind == CAKE_PLAN_SCAN)
            cake_plan_class_join(builder, results[i]->layout_class, tiles[0]->layout_class);
        else
            relate_result(builder, reduction, tiles[0], results[i]);
    }
    op->result = results[0];
    op->second = results[1];
    return op;
}

/* Sums of n elements within a range, or of 1 to n. */
static void bound_sum(cake_plan_value *result, const cake_plan_value *tile, int64_t elements, bool fewer_too) {
    if (tile->dtype != CAKE_DTYPE_INDEX) return;
    cake_range range = {tile->low, tile->high}, count = {fewer_too ? 1 : elements, elements};
    cake_range_binary(CAKE_BINARY_MUL, range, count, &range);
    result->low = range.low;
    result->high = range.high;
}

/* ---- argmin, argmax ---- */

/* The position of each element along the axes, row-major, as a tile of the shape. */
static cake_plan_value *positions(cake_builder *builder, const cake_shape *shape, uint32_t axes) {
    cake_plan_value *sum = cake_plan_constant_index(builder, 0);
    int64_t stride = 1;
    for (uint8_t d = shape->rank; d-- > 0 && sum;) {
        if (!(axes >> d & 1)) continue;
        cake_plan_value *at = cake_plan_iota(builder, shape->extents[d]);
        for (uint8_t axis = 0; axis < shape->rank; axis++)
            if (axis != d) at = cake_plan_insert_axis(builder, at, axis);
        at = cake_plan_binary(builder, CAKE_BINARY_MUL, at, cake_plan_constant_index(builder, stride));
        sum = at ? cake_plan_binary(builder, CAKE_BINARY_ADD, sum, at) : NULL;
        stride *= shape->extents[d];
    }
    return sum ? cake_plan_stretch(builder, sum, shape) : NULL;
}

static cake_plan_value *leaf_of(cake_builder *builder, cake_dtype dtype, cake_range range) {
    return cake_plan_leaf(builder, CAKE_PLAN_COMBINED, dtype, range.low, range.high);
}

static cake_plan_combiner *new_combiner(cake_builder *builder, uint32_t tiles) {
    cake_plan_combiner *combiner = CAKE_NEW(builder->arena, cake_plan_combiner);
    combiner->tiles = tiles;
    combiner->body = CAKE_NEW(builder->arena, cake_plan_block);
    return combiner;
}

static cake_plan_value *either(cake_builder *builder, cake_plan_value *a, cake_plan_value *b) {
    return cake_plan_binary(builder, CAKE_BINARY_OR, a, b);
}

/* Whether the right element is taken. One that is better is, of equal ones the first, and NaN is worse than all. */
static cake_plan_value *takes_right(cake_builder *builder, cake_builtin function, cake_plan_value *const *left,
                                    cake_plan_value *const *right) {
    cake_binary_op better = function == CAKE_BUILTIN_ARGMAX ? CAKE_BINARY_GT : CAKE_BINARY_LT;
    cake_plan_value *first = cake_plan_binary(builder, CAKE_BINARY_LT, right[1], left[1]);
    cake_plan_value *equal = cake_plan_binary(builder, CAKE_BINARY_EQ, right[0], left[0]);
    cake_plan_value *takes = either(builder, cake_plan_binary(builder, better, right[0], left[0]),
                                    cake_plan_binary(builder, CAKE_BINARY_AND, equal, first));
    if (cake_dtype_class_of(left[0]->dtype) != CAKE_CLASS_FLOAT) return takes;
    cake_plan_value *left_is_nan = cake_plan_binary(builder, CAKE_BINARY_NE, left[0], left[0]);
    cake_plan_value *right_is_not = cake_plan_binary(builder, CAKE_BINARY_EQ, right[0], right[0]);
    right_is_not = either(builder, right_is_not, first);
    return either(builder, takes, cake_plan_binary(builder, CAKE_BINARY_AND, left_is_nan, right_is_not));
}

static const cake_plan_combiner *extreme(cake_builder *builder, cake_builtin function, cake_plan_value **tiles) {
    cake_plan_combiner *combiner = new_combiner(builder, 2);
    for (uint32_t i = 0; i < 2; i++) {
        cake_range range = {tiles[i]->low, tiles[i]->high};
        combiner->left[i] = leaf_of(builder, tiles[i]->dtype, range);
        combiner->right[i] = leaf_of(builder, tiles[i]->dtype, range);
    }
    cake_plan_block *outer = builder->block;
    builder->block = combiner->body;
    cake_plan_value *takes = takes_right(builder, function, combiner->left, combiner->right);
    for (uint32_t i = 0; i < 2; i++) {
        cake_plan_value *operands[3] = {takes, combiner->right[i], combiner->left[i]};
        combiner->results[i] = cake_plan_call(builder, CAKE_BUILTIN_SELECT, 0, tiles[i]->dtype, operands, 3);
    }
    builder->block = outer;
    return combiner;
}

static cake_plan_value *index_of_extreme(cake_builder *builder, cake_plan_reduction *reduction, cake_plan_value *tile) {
    cake_plan_value *tiles[2] = {tile, positions(builder, &tile->shape, reduction->axes)};
    if (!tiles[1]) return NULL;
    reduction->combiner = extreme(builder, reduction->function, tiles);
    cake_plan_op *op = append(builder, CAKE_PLAN_REDUCE, reduction, tiles, 2);
    return op ? op->second : NULL;
}

/* ---- built-in reductions ---- */

/* 8-bit floats have no arithmetic and no comparisons. */
bool cake_plan_is_computable(cake_builder *builder, cake_span span, cake_dtype dtype) {
    if (!cake_dtype_is_byte_float(dtype) && cake_dtype_bits(dtype) >= 8) return true;
    cake_report(builder->diagnostics, CAKE_L302, span, "there is no arithmetic on %s: cast it first",
                cake_dtype_name(dtype));
    return false;
}

cake_plan_value *cake_plan_fold(cake_builder *builder, const cake_expr *expr) {
    cake_plan_value *tile = cake_plan_expression(builder, expr->u.call.arguments.items[0].value);
    cake_plan_reduction reduction = {
        .function = expr->u.call.builtin, .modifiers = expr->u.call.modifiers, .within = within_of(expr)};
    if (!tile || !axes_of(builder, expr, tile->shape.rank, &reduction.axes)) return NULL;
    if (tile->shape.rank == 0 || !cake_plan_is_computable(builder, expr->span, tile->dtype)) return NULL;
    if (!cake_plan_has_form(builder, expr, tile->dtype)) return NULL;
    if (tile->dtype == CAKE_DTYPE_REAL) tile = cake_plan_convert(builder, tile, CAKE_DTYPE_F32);
    if (reduction.function == CAKE_BUILTIN_ARGMIN || reduction.function == CAKE_BUILTIN_ARGMAX)
        return index_of_extreme(builder, &reduction, tile);
    cake_plan_op *op = append(builder, CAKE_PLAN_REDUCE, &reduction, &tile, 1);
    if (!op) return NULL;
    int64_t elements = folded_elements(&tile->shape, reduction.axes);
    if (reduction.function == CAKE_BUILTIN_SUM)
        bound_sum(op->result, tile, elements, reduction.within != CAKE_WITHIN_TEAM);
    if (reduction.function != CAKE_BUILTIN_COUNT) return op->result;
    op->result->dtype = CAKE_DTYPE_INDEX;
    op->result->low = 0;
    op->result->high = elements;
    return op->result;
}

/* ---- functions of the schedule ---- */

static bool is_pure_scalar(const cake_plan_op *op) {
    bool pure = op->kind == CAKE_PLAN_UNARY || op->kind == CAKE_PLAN_BINARY || op->kind == CAKE_PLAN_CALL ||
                op->kind == CAKE_PLAN_CAST || op->kind == CAKE_PLAN_BITCAST;
    return pure && op->result->shape.rank == 0;
}

static bool check_body(cake_builder *builder, const cake_expr *expr, const cake_plan_block *body) {
    for (const cake_plan_op *op = body->first; op; op = op->next) {
        if (is_pure_scalar(op)) continue;
        cake_report(builder->diagnostics, CAKE_L316, expr->span,
                    "'%s' does more than arithmetic on its arguments, as each combination of two elements must",
                    expr->u.call.symbol->name);
        return false;
    }
    return true;
}

/* Elaborates the function's body over leaves of the given ranges; false after an error. */
static bool elaborate(cake_builder *builder, const cake_expr *expr, cake_plan_value **tiles, const cake_range *ranges,
                      cake_plan_combiner *combiner) {
    const cake_expr *bodies[2] = {expr->u.call.expansion, expr->u.call.expansion_second};
    cake_plan_block *outer = builder->block;
    *combiner->body = (cake_plan_block){0};
    for (uint32_t i = 0; i < combiner->tiles; i++) {
        combiner->left[i] = leaf_of(builder, tiles[i]->dtype, ranges[i]);
        combiner->right[i] = leaf_of(builder, tiles[i]->dtype, ranges[i]);
        builder->bindings[expr->u.call.parameters.items[i]->number].value = combiner->left[i];
        builder->bindings[expr->u.call.parameters.items[combiner->tiles + i]->number].value = combiner->right[i];
    }
    builder->block = combiner->body;
    bool good = true;
    for (uint32_t i = 0; i < combiner->tiles && good; i++) {
        cake_plan_value *result = cake_plan_expression(builder, bodies[i]);
        combiner->results[i] = result ? cake_plan_convert(builder, result, tiles[i]->dtype) : NULL;
        good = combiner->results[i] != NULL;
    }
    builder->block = outer;
    return good && check_body(builder, expr, combiner->body);
}

/* The function's body for elements of the tiles. Where exact integers grow beyond the tiles' ranges, they are computed
 * in 64 bits. */
static const cake_plan_combiner *combiner_of(cake_builder *builder, const cake_expr *expr, cake_plan_value **tiles,
                                             uint32_t count, cake_range *out_ranges) {
    cake_plan_combiner *combiner = new_combiner(builder, count);
    combiner->name = expr->u.call.symbol->name;
    for (uint32_t i = 0; i < count; i++)
        out_ranges[i] = (cake_range){tiles[i]->low, tiles[i]->high};
    for (bool again = true; again;) {
        if (!elaborate(builder, expr, tiles, out_ranges, combiner)) return NULL;
        again = false;
        for (uint32_t i = 0; i < count; i++) {
            const cake_plan_value *result = combiner->results[i];
            if (tiles[i]->dtype != CAKE_DTYPE_INDEX) continue;
            if (result->low >= out_ranges[i].low && result->high <= out_ranges[i].high) continue;
            out_ranges[i] = (cake_range){-CAKE_RANGE_LIMIT, CAKE_RANGE_LIMIT};
            again = true;
        }
    }
    return combiner;
}

/* The tiles of the call, stretched to the shape that they have together. */
static uint32_t tiles_of(cake_builder *builder, const cake_expr *expr, cake_plan_value **out_tiles) {
    uint32_t count = 0, first = expr->u.call.symbol ? 1 : 0;
    cake_shape shape;
    for (uint32_t i = first; i < expr->u.call.arguments.count; i++) {
        if (expr->u.call.arguments.items[i].keyword || count == 2) continue;
        if (!(out_tiles[count++] = cake_plan_expression(builder, expr->u.call.arguments.items[i].value))) return 0;
    }
    if (!cake_plan_broadcast(builder, out_tiles, (uint8_t)count, &shape)) return 0;
    for (uint32_t i = 0; i < count; i++)
        if (!(out_tiles[i] = cake_plan_stretch(builder, out_tiles[i], &shape))) return 0;
    return count;
}

cake_plan_op *cake_plan_combine(cake_builder *builder, const cake_expr *expr) {
    cake_plan_value *tiles[2];
    cake_range ranges[2];
    uint32_t count = tiles_of(builder, expr, tiles);
    cake_plan_reduction reduction = {.function = expr->u.call.builtin, .ordered = true, .within = within_of(expr)};
    bool scans = reduction.function == CAKE_BUILTIN_SCAN;
    if (!count || !axes_of(builder, expr, tiles[0]->shape.rank, &reduction.axes)) return NULL;
    if (expr->u.call.symbol) {
        reduction.combiner = combiner_of(builder, expr, tiles, count, ranges);
        if (!reduction.combiner) return NULL;
    } else if (!cake_plan_is_computable(builder, expr->span, tiles[0]->dtype)) {
        return NULL;
    } else if (tiles[0]->dtype == CAKE_DTYPE_REAL) {
        tiles[0] = cake_plan_convert(builder, tiles[0], CAKE_DTYPE_F32);
    }
    cake_plan_op *op = append(builder, scans ? CAKE_PLAN_SCAN : CAKE_PLAN_REDUCE, &reduction, tiles, count);
    if (!op) return NULL;
    cake_plan_value *results[2] = {op->result, op->second};
    for (uint32_t i = 0; i < count && reduction.combiner; i++) {
        results[i]->low = ranges[i].low;
        results[i]->high = ranges[i].high;
    }
    if (!reduction.combiner) bound_sum(op->result, tiles[0], folded_elements(&tiles[0]->shape, reduction.axes), true);
    return op;
}
