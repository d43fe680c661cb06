/* Functions and indexing that make a tile or change its shape: iota, slices, '[:, None]'. */
#include "plan/internal.h"

cake_plan_value *cake_plan_iota(cake_builder *builder, uint32_t count) {
    cake_shape shape = {.rank = 1, .extents = {count}};
    cake_plan_value *value =
        cake_plan_result(builder, cake_plan_append(builder, CAKE_PLAN_IOTA), CAKE_DTYPE_INDEX, &shape);
    value->low = 0;
    value->high = (int64_t)count - 1;
    return value;
}

static cake_plan_value *iota(cake_builder *builder, const cake_expr *expr) {
    int64_t count;
    if (!cake_plan_integer(builder, expr->u.call.arguments.items[0].value, "the length of 'iota'", &count)) return NULL;
    if (count < 1 || count > (1 << 24)) {
        cake_report(builder->diagnostics, CAKE_L405, expr->span, "iota(%lld): 1 to 16777216 are possible",
                    (long long)count);
        return NULL;
    }
    return cake_plan_iota(builder, (uint32_t)count);
}

cake_plan_value *cake_plan_tile_call(cake_builder *builder, const cake_expr *expr) {
    if (expr->u.call.builtin == CAKE_BUILTIN_IOTA) return iota(builder, expr);
    if (cake_builtin_info_of(expr->u.call.builtin)->kind == CAKE_BUILTIN_KIND_FOLD)
        return cake_plan_fold(builder, expr);
    if (cake_builtin_info_of(expr->u.call.builtin)->kind == CAKE_BUILTIN_KIND_COMBINE) {
        const cake_plan_op *op = cake_plan_combine(builder, expr);
        return op ? op->result : NULL;
    }
    return cake_plan_rearrange(builder, expr);
}

bool cake_plan_slice_item(cake_builder *builder, const cake_item *item, uint32_t extent, uint32_t *out_offset,
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
        if (!cake_plan_slice_item(builder, item, shape->extents[axis], &out_offsets[axis], &out_shape->extents[axis]))
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

cake_plan_value *cake_plan_stretch(cake_builder *builder, cake_plan_value *value, const cake_shape *shape) {
    if (cake_shape_equal(&value->shape, shape)) return value;
    uint32_t axes = 0;
    for (uint8_t d = 0; d < value->shape.rank; d++)
        if (value->shape.extents[d] != shape->extents[d]) axes |= 1u << d;
    cake_plan_op *op = cake_plan_append(builder, CAKE_PLAN_SPLAT);
    op->operands[op->operand_count++] = value;
    cake_plan_value *result = cake_plan_result(builder, op, value->dtype, shape);
    result->low = value->low;
    result->high = value->high;
    if (axes) cake_plan_relate(builder, CAKE_RELATION_COLLAPSE, value->layout_class, result->layout_class, axes, NULL);
    return result;
}

cake_plan_value *cake_plan_insert_axis(cake_builder *builder, cake_plan_value *operand, uint8_t axis) {
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

/* The part of a tile that the items denote; the tile itself without a slice. */
static cake_plan_value *part_of(cake_builder *builder, const cake_expr *expr, cake_plan_value *tile) {
    cake_shape shape;
    uint32_t offsets[CAKE_MAX_RANK];
    if (!tile || !slice_of(builder, expr, &tile->shape, offsets, &shape)) return NULL;
    return cake_plan_part(builder, tile, offsets, &shape);
}

cake_plan_value *cake_plan_tile_index(cake_builder *builder, const cake_expr *expr) {
    cake_plan_variable *variable = cake_plan_variable_of(builder, expr->u.index.base);
    cake_plan_value *value = variable ? read_slice(builder, expr, variable)
                                      : part_of(builder, expr, cake_plan_expression(builder, expr->u.index.base));
    uint8_t axis = 0;
    for (uint32_t i = 0; value && i < expr->u.index.items.count; i++, axis++) {
        if (expr->u.index.items.items[i].kind != CAKE_ITEM_NONE) continue;
        if (value->shape.rank)
            value = cake_plan_insert_axis(builder, value, axis);
        else /* a scalar's first axis */
            value = cake_plan_stretch(builder, value, &(cake_shape){.rank = 1, .extents = {1}});
    }
    return value;
}
