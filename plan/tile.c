/* Functions and indexing that change a tile's shape: iota, reductions, slices, '[:, None]'. */
#include "plan/internal.h"

static cake_plan_value *iota(cake_builder *builder, const cake_expr *expr) {
    int64_t count;
    if (!cake_plan_integer(builder, expr->u.call.arguments.items[0].value, "the length of 'iota'", &count)) return NULL;
    if (count < 1 || count > (1 << 24)) {
        cake_report(builder->diagnostics, CAKE_L405, expr->span, "iota(%lld): 1 to 16777216 are possible",
                    (long long)count);
        return NULL;
    }
    cake_shape shape = {.rank = 1, .extents = {(uint32_t)count}};
    cake_plan_value *value =
        cake_plan_result(builder, cake_plan_append(builder, CAKE_PLAN_IOTA), CAKE_DTYPE_INDEX, &shape);
    value->low = 0;
    value->high = count - 1;
    return value;
}

/* The axes that 'axis=' names, as a mask; all without it. */
static bool axes_of(cake_builder *builder, const cake_expr *expr, uint8_t rank, uint32_t *out_axes) {
    uint32_t axes = 0;
    for (uint32_t i = 1; i < expr->u.call.arguments.count; i++) {
        int64_t axis;
        const cake_expr *value = expr->u.call.arguments.items[i].value;
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

static uint64_t folded_elements(const cake_shape *shape, uint32_t axes) {
    uint64_t elements = 1;
    for (uint8_t d = 0; d < shape->rank; d++)
        if (axes >> d & 1) elements *= shape->extents[d];
    return elements;
}

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

static cake_plan_value *fold(cake_builder *builder, const cake_expr *expr) {
    cake_builtin function = expr->u.call.builtin;
    cake_plan_value *operand = cake_plan_expression(builder, expr->u.call.arguments.items[0].value);
    uint32_t axes;
    if (!operand || !axes_of(builder, expr, operand->shape.rank, &axes)) return NULL;
    if (function == CAKE_BUILTIN_ARGMIN || function == CAKE_BUILTIN_ARGMAX) {
        cake_report(builder->diagnostics, CAKE_U001, expr->span, "the index of an extreme is not lowered yet");
        return NULL;
    }
    if (operand->shape.rank == 0 && function != CAKE_BUILTIN_COUNT) return operand;
    if (operand->dtype == CAKE_DTYPE_REAL) operand = cake_plan_convert(builder, operand, CAKE_DTYPE_F32);
    cake_within within = within_of(expr);
    cake_shape shape = without_axes(&operand->shape, axes);
    if (within != CAKE_WITHIN_TEAM && !within_shape(builder, operand, axes, within, &shape)) return NULL;
    cake_plan_op *op = cake_plan_append(builder, CAKE_PLAN_REDUCE);
    op->operands[op->operand_count++] = operand;
    op->u.reduction = CAKE_NEW(builder->arena, cake_plan_reduction);
    op->u.reduction->function = function;
    op->u.reduction->modifiers = expr->u.call.modifiers;
    op->u.reduction->axes = axes;
    op->u.reduction->within = within;
    cake_plan_value *result = cake_plan_result(builder, op, expr->type.dtype, &shape);
    *CAKE_PUSH(builder->arena, &builder->reductions) = op;
    static const cake_relation_kind relations[] = {
        [CAKE_WITHIN_TEAM] = CAKE_RELATION_REDUCE,
        [CAKE_WITHIN_LANE] = CAKE_RELATION_FOLD_LANE,
        [CAKE_WITHIN_WARP] = CAKE_RELATION_FOLD_WARP,
    };
    if (shape.rank)
        cake_plan_relate(builder, relations[within], result->layout_class, operand->layout_class, axes, NULL);
    if (function == CAKE_BUILTIN_COUNT) {
        result->low = 0;
        result->high = (int64_t)folded_elements(&operand->shape, axes);
    } else if (operand->dtype == CAKE_DTYPE_INDEX) {
        cake_range range = {operand->low, operand->high}, count = {0, (int64_t)folded_elements(&operand->shape, axes)};
        count.low = count.high;
        if (function == CAKE_BUILTIN_SUM) cake_range_binary(CAKE_BINARY_MUL, range, count, &range);
        result->low = range.low;
        result->high = range.high;
    }
    return result;
}

cake_plan_value *cake_plan_tile_call(cake_builder *builder, const cake_expr *expr) {
    if (expr->u.call.builtin == CAKE_BUILTIN_IOTA) return iota(builder, expr);
    if (cake_builtin_info_of(expr->u.call.builtin)->kind == CAKE_BUILTIN_KIND_FOLD) return fold(builder, expr);
    cake_report(builder->diagnostics, CAKE_U001, expr->span, "'%s' is not lowered yet",
                cake_builtin_info_of(expr->u.call.builtin)->name);
    return NULL;
}

/* Offset and extent of one item of a slice along an axis of the given extent. */
static bool slice_item(cake_builder *builder, const cake_item *item, uint32_t extent, uint32_t *out_offset,
                       uint32_t *out_length) {
    *out_offset = 0;
    *out_length = extent;
    if (item->kind == CAKE_ITEM_ALL) return true;
    int64_t base, length = 1;
    if (item->kind == CAKE_ITEM_ONE) {
        cake_report(builder->diagnostics, CAKE_L503, item->span,
                    "an element of a tile in registers can't be picked by an index: go through shared memory");
        return false;
    }
    if (!cake_plan_integer(builder, item->base, "the start of a slice of a tile", &base) ||
        !cake_plan_integer(builder, item->length, "the length of a slice", &length))
        return false;
    if (base < 0 || length < 1 || base > extent || length > extent - base) {
        cake_report(builder->diagnostics, CAKE_L404, item->span, "slice %lld :+ %lld of an axis of %u elements",
                    (long long)base, (long long)length, extent);
        return false;
    }
    *out_offset = (uint32_t)base;
    *out_length = (uint32_t)length;
    return true;
}

/* The slice of 'shape' that the items (None left out) denote. */
static bool slice_of(cake_builder *builder, const cake_expr *expr, const cake_shape *shape, uint32_t *out_offsets,
                     cake_shape *out_shape) {
    *out_shape = *shape;
    for (uint8_t d = 0; d < shape->rank; d++)
        out_offsets[d] = 0;
    uint8_t axis = 0;
    for (uint32_t i = 0; i < expr->u.index.items.count; i++) {
        const cake_item *item = &expr->u.index.items.items[i];
        if (item->kind == CAKE_ITEM_NONE) continue;
        if (axis >= shape->rank) return false; /* the frontend counts them */
        if (!slice_item(builder, item, shape->extents[axis], &out_offsets[axis], &out_shape->extents[axis]))
            return false;
        axis++;
    }
    return true;
}

bool cake_plan_slice(cake_builder *builder, const cake_expr *expr, const cake_plan_variable *variable,
                     uint32_t *out_offsets, cake_shape *out_shape) {
    return slice_of(builder, expr, &variable->shape, out_offsets, out_shape);
}

static cake_plan_value *read_slice(cake_builder *builder, const cake_expr *expr, cake_plan_variable *variable) {
    cake_shape shape;
    uint32_t offsets[CAKE_MAX_RANK];
    if (!cake_plan_slice(builder, expr, variable, offsets, &shape)) return NULL;
    cake_plan_op *op = cake_plan_append(builder, CAKE_PLAN_READ);
    op->u.variable.variable = variable;
    op->u.variable.whole = cake_shape_equal(&shape, &variable->shape);
    op->u.variable.shape = shape;
    for (uint8_t d = 0; d < shape.rank; d++)
        op->u.variable.offsets[d] = offsets[d];
    cake_plan_value *result = cake_plan_result(builder, op, variable->dtype, &shape);
    if (op->u.variable.whole)
        cake_plan_class_join(builder, result->layout_class, variable->layout_class);
    else
        cake_plan_relate(builder, CAKE_RELATION_SLICE, result->layout_class, variable->layout_class, 0, offsets);
    return result;
}

static cake_plan_value *insert_axis(cake_builder *builder, cake_plan_value *operand, uint8_t axis) {
    cake_shape shape = {.rank = (uint8_t)(operand->shape.rank + 1)};
    for (uint8_t d = 0; d < shape.rank; d++)
        shape.extents[d] = d == axis ? 1 : operand->shape.extents[d < axis ? d : d - 1];
    cake_plan_op *op = cake_plan_append(builder, CAKE_PLAN_INSERT_AXIS);
    op->operands[op->operand_count++] = operand;
    op->u.axis = axis;
    cake_plan_value *result = cake_plan_result(builder, op, operand->dtype, &shape);
    result->low = operand->low;
    result->high = operand->high;
    cake_plan_relate(builder, CAKE_RELATION_INSERT, operand->layout_class, result->layout_class, axis, NULL);
    return result;
}

static bool has_slice(const cake_expr *expr) {
    for (uint32_t i = 0; i < expr->u.index.items.count; i++)
        if (expr->u.index.items.items[i].kind == CAKE_ITEM_ONE || expr->u.index.items.items[i].kind == CAKE_ITEM_RANGE)
            return true;
    return false;
}

cake_plan_value *cake_plan_tile_index(cake_builder *builder, const cake_expr *expr) {
    cake_plan_variable *variable = cake_plan_variable_of(builder, expr->u.index.base);
    cake_plan_value *value =
        variable ? read_slice(builder, expr, variable) : cake_plan_expression(builder, expr->u.index.base);
    if (!value) return NULL;
    if (!variable && has_slice(expr)) {
        cake_report(builder->diagnostics, CAKE_U001, expr->span,
                    "a slice of a tile that is no 'var' is not lowered yet: put it into a 'var' first");
        return NULL;
    }
    if (value->shape.rank == 0) {
        cake_report(builder->diagnostics, CAKE_U001, expr->span, "axes of a scalar are not lowered yet");
        return NULL;
    }
    uint8_t axis = 0;
    for (uint32_t i = 0; i < expr->u.index.items.count; i++, axis++)
        if (expr->u.index.items.items[i].kind == CAKE_ITEM_NONE) value = insert_axis(builder, value, axis);
    return value;
}
