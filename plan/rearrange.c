/* Tiles from tiles without arithmetic: slices, transpose, reshape, concat and relayout; and topk, which picks. */
#include "plan/internal.h"

static cake_plan_value *append(cake_builder *builder, cake_plan_op_kind kind, cake_plan_value *tile,
                               const cake_shape *shape) {
    cake_plan_op *op = cake_plan_append(builder, kind);
    op->operands[op->operand_count++] = tile;
    cake_plan_value *result = cake_plan_result(builder, op, tile->dtype, shape);
    result->low = tile->low;
    result->high = tile->high;
    return result;
}

cake_plan_value *cake_plan_part(cake_builder *builder, cake_plan_value *tile, const uint32_t *offsets,
                                const cake_shape *shape) {
    if (cake_shape_equal(shape, &tile->shape)) return tile;
    cake_plan_value *result = append(builder, CAKE_PLAN_SLICE, tile, shape);
    for (uint8_t d = 0; d < shape->rank; d++)
        ((cake_plan_op *)result->definition)->u.offsets[d] = offsets[d];
    cake_plan_relate(builder, CAKE_RELATION_SLICE, result->layout_class, tile->layout_class, 0, offsets);
    return result;
}

cake_plan_value *cake_plan_relayout(cake_builder *builder, cake_plan_value *tile) {
    if (tile->shape.rank == 0) return tile;
    cake_plan_value *result = append(builder, CAKE_PLAN_RELAYOUT, tile, &tile->shape);
    *CAKE_PUSH(builder->arena, &builder->exchanges) = (cake_plan_op *)result->definition;
    return result;
}

cake_plan_value *cake_plan_transpose(cake_builder *builder, cake_plan_value *tile) {
    cake_shape shape = {.rank = 2, .extents = {tile->shape.extents[1], tile->shape.extents[0]}};
    if (tile->shape.rank != 2) return NULL; /* the frontend reports it */
    cake_plan_value *result = append(builder, CAKE_PLAN_TRANSPOSE, tile, &shape);
    cake_plan_relate(builder, CAKE_RELATION_TRANSPOSE, result->layout_class, tile->layout_class, 0, NULL);
    return result;
}

/* ---- reshape ---- */

static void report_shapes(cake_builder *builder, cake_span span, const char *what, const cake_shape *a,
                          const char *between, const cake_shape *b) {
    cake_text text;
    cake_text_init(&text, builder->arena);
    cake_text_add_string(&text, what);
    cake_shape_print(a, &text);
    cake_text_add_string(&text, between);
    cake_shape_print(b, &text);
    cake_report(builder->diagnostics, CAKE_L404, span, "%s", cake_text_string(&text));
}

static cake_plan_value *reshape(cake_builder *builder, const cake_expr *expr) {
    cake_plan_value *tile = cake_plan_expression(builder, expr->u.call.arguments.items[0].value);
    cake_shape shape = {.rank = (uint8_t)(expr->u.call.arguments.count - 1)};
    if (!tile) return NULL;
    for (uint8_t d = 0; d < shape.rank; d++) {
        const cake_expr *written = expr->u.call.arguments.items[d + 1].value;
        int64_t extent;
        if (!cake_plan_integer(builder, written, "an extent", &extent)) return NULL;
        if (extent < 1 || extent > UINT32_MAX) {
            cake_report(builder->diagnostics, CAKE_L405, written->span, "an extent of %lld", (long long)extent);
            return NULL;
        }
        shape.extents[d] = (uint32_t)extent;
    }
    if (cake_shape_equal(&shape, &tile->shape)) return tile;
    if (cake_shape_elements(&shape) != cake_shape_elements(&tile->shape)) {
        report_shapes(builder, expr->span, "another number of elements: ", &tile->shape, " and ", &shape);
        return NULL;
    }
    cake_plan_value *result = append(builder, CAKE_PLAN_RESHAPE, tile, &shape);
    cake_plan_relate(builder, CAKE_RELATION_RESHAPE, result->layout_class, tile->layout_class, 0, NULL);
    return result;
}

/* ---- concat, topk: axis= ---- */

static bool axis_of(cake_builder *builder, const cake_expr *expr, uint8_t rank, uint8_t *out_axis) {
    *out_axis = 0; /* of a tile of rank 1, where it need not be written */
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
        *out_axis = (uint8_t)axis;
    }
    return true;
}

/* The call's positional arguments; null where one had an error. */
static cake_expr *positional(const cake_expr *expr, uint32_t index) {
    for (uint32_t i = 0; i < expr->u.call.arguments.count; i++)
        if (!expr->u.call.arguments.items[i].keyword && index-- == 0) return expr->u.call.arguments.items[i].value;
    return NULL;
}

static bool parts_fit(const cake_shape *first, const cake_shape *second, uint8_t axis) {
    bool fits = first->rank == second->rank;
    for (uint8_t d = 0; fits && d < first->rank; d++)
        fits = d == axis || first->extents[d] == second->extents[d];
    return fits && first->extents[axis] <= UINT32_MAX - second->extents[axis];
}

static cake_plan_value *concat(cake_builder *builder, const cake_expr *expr) {
    cake_plan_value *parts[2];
    uint8_t axis;
    for (uint32_t i = 0; i < 2; i++) {
        parts[i] = cake_plan_expression(builder, positional(expr, i));
        parts[i] = parts[i] ? cake_plan_convert(builder, parts[i], expr->type.dtype) : NULL;
    }
    if (!parts[0] || !parts[1] || !axis_of(builder, expr, parts[0]->shape.rank, &axis)) return NULL;
    cake_shape shape = parts[0]->shape;
    if (!parts_fit(&parts[0]->shape, &parts[1]->shape, axis)) {
        report_shapes(builder, expr->span, "parts of shapes that do not fit: ", &parts[0]->shape, " and ",
                      &parts[1]->shape);
        return NULL;
    }
    shape.extents[axis] += parts[1]->shape.extents[axis];
    cake_plan_value *result = append(builder, CAKE_PLAN_CONCAT, parts[0], &shape);
    cake_plan_op *op = (cake_plan_op *)result->definition;
    op->operands[op->operand_count++] = parts[1];
    op->u.axis = axis;
    if (parts[1]->low < result->low) result->low = parts[1]->low;
    if (parts[1]->high > result->high) result->high = parts[1]->high;
    cake_plan_relate_concat(builder, parts[0]->layout_class, parts[1]->layout_class, result->layout_class, axis);
    return result;
}

#define MAX_TOP 64 /* registers in each thread */

static cake_plan_value *topk(cake_builder *builder, const cake_expr *expr) {
    cake_plan_value *tile = cake_plan_expression(builder, positional(expr, 0));
    const cake_expr *written = positional(expr, 1);
    int64_t count;
    uint8_t axis;
    if (!tile || !cake_plan_integer(builder, written, "the number to keep", &count)) return NULL;
    if (!axis_of(builder, expr, tile->shape.rank, &axis)) return NULL;
    uint32_t extent = tile->shape.extents[axis];
    if (count < 1 || count > extent || count > MAX_TOP) {
        cake_report(builder->diagnostics, CAKE_L405, written->span, "the %lld largest of %u: 1 to %u are possible",
                    (long long)count, extent, extent < MAX_TOP ? extent : MAX_TOP);
        return NULL;
    }
    cake_shape shape = tile->shape;
    shape.extents[axis] = (uint32_t)count;
    cake_plan_value *result = append(builder, CAKE_PLAN_TOPK, tile, &shape);
    cake_plan_op *op = (cake_plan_op *)result->definition;
    op->u.reduction = CAKE_NEW(builder->arena, cake_plan_reduction);
    op->u.reduction->function = CAKE_BUILTIN_TOPK;
    op->u.reduction->axes = 1u << axis;
    op->u.reduction->count = (uint32_t)count;
    *CAKE_PUSH(builder->arena, &builder->exchanges) = op;
    cake_plan_relate(builder, CAKE_RELATION_TOP, result->layout_class, tile->layout_class, axis, NULL);
    return result;
}

cake_plan_value *cake_plan_rearrange(cake_builder *builder, const cake_expr *expr) {
    cake_builtin function = expr->u.call.builtin;
    if (function == CAKE_BUILTIN_RESHAPE) return reshape(builder, expr);
    if (function == CAKE_BUILTIN_CONCAT) return concat(builder, expr);
    if (function == CAKE_BUILTIN_TOPK) return topk(builder, expr);
    return NULL; /* facts on data: the frontend reports them outside of 'where' */
}
