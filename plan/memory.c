/* Plain accesses to memory. */
#include "plan/internal.h"

/* A place for a plain access: all extents known. */
bool cake_plan_access_place(cake_builder *builder, const cake_expr *expr, cake_plan_access *access) {
    if (!cake_plan_place_of(builder, expr, &access->place)) return false;
    for (uint8_t d = 0; d < access->place.shape.rank; d++) {
        if (access->place.shape.extents[d]) continue;
        cake_report(builder->diagnostics, CAKE_L403, expr->span,
                    "axis %u of this access has no extent known at compile time: write 'base :+ length'", d);
        return false;
    }
    if (access->place.tensor) ((cake_plan_tensor *)cake_plan_tensor_base(access->place.tensor))->uses_pointer = true;
    return true;
}

cake_dtype cake_plan_place_dtype(const cake_plan_place *place) {
    return place->tensor ? place->tensor->dtype : place->buffer->dtype;
}

/* The clauses; the mask is tied to the layout class of the tile. */
static bool access_clauses(cake_builder *builder, const cake_access_clauses *clauses, cake_plan_access *access) {
    int64_t vec = 0;
    if (clauses->vec && !cake_plan_integer(builder, clauses->vec, "'vec'", &vec)) return false;
    uint32_t bits = cake_dtype_bits(cake_plan_place_dtype(&access->place));
    if (clauses->vec && (vec < 1 || (vec & (vec - 1)) != 0 || (uint64_t)vec * bits > 8 * CAKE_LIMIT_VECTOR_BYTES)) {
        cake_report(builder->diagnostics, CAKE_L504, clauses->vec->span,
                    "vec %lld of %u-bit elements: a power of two within 16 bytes is possible", (long long)vec, bits);
        return false;
    }
    access->vec = (uint32_t)vec;
    access->clip = clauses->clip == CAKE_CLIP_YES;
    access->cache = clauses->cache;
    if (clauses->clip_value) {
        cake_plan_value *value = cake_plan_expression(builder, clauses->clip_value);
        access->clip_value = value ? cake_plan_convert(builder, value, cake_plan_place_dtype(&access->place)) : NULL;
        if (!access->clip_value) return false;
    }
    if (clauses->where) {
        access->mask = cake_plan_expression(builder, clauses->where);
        if (!access->mask) return false;
    }
    return true;
}

/* Ties a mask to the tile: equal layout, or collapsed where it broadcasts. */
static bool tie_mask(cake_builder *builder, const cake_plan_access *access, uint32_t tile_class,
                     const cake_shape *shape) {
    const cake_plan_value *mask = access->mask;
    if (!mask || mask->shape.rank == 0) return true;
    uint32_t axes = 0;
    bool fits = mask->shape.rank == shape->rank;
    for (uint8_t d = 0; fits && d < shape->rank; d++) {
        fits = mask->shape.extents[d] == shape->extents[d] || mask->shape.extents[d] == 1;
        if (mask->shape.extents[d] != shape->extents[d]) axes |= 1u << d;
    }
    if (!fits) {
        cake_report(builder->diagnostics, CAKE_L404, mask->span, "the mask's shape does not broadcast to the tile's");
        return false;
    }
    if (axes)
        cake_plan_relate(builder, CAKE_RELATION_COLLAPSE, mask->layout_class, tile_class, axes, NULL);
    else
        cake_plan_class_join(builder, mask->layout_class, tile_class);
    return true;
}

/* The class of the tile's layout without the axes in the mask. */
static uint32_t without_axes(cake_builder *builder, uint32_t tile_class, const cake_shape *shape, uint32_t axes) {
    cake_shape rest = {.rank = 0};
    for (uint8_t d = 0; d < shape->rank; d++)
        if (!(axes >> d & 1)) rest.extents[rest.rank++] = shape->extents[d];
    uint32_t result = cake_plan_class_new(builder, &rest);
    cake_plan_relate(builder, CAKE_RELATION_REDUCE, result, tile_class, axes, NULL);
    return result;
}

/* Gather indices have the tile's layout along their axes. */
static void tie_gathers(cake_builder *builder, const cake_plan_access *access, uint32_t tile_class,
                        const cake_shape *shape) {
    for (uint8_t d = 0; d < access->place.dimensions; d++) {
        const cake_plan_index *index = &access->place.index[d];
        if (index->kind != CAKE_INDEX_GATHER) continue;
        uint32_t others = (1u << shape->rank) - 1, stretched = 0;
        for (uint8_t k = 0; k < index->base->shape.rank; k++) {
            others &= ~(1u << (index->axis + k));
            if (index->base->shape.extents[k] != shape->extents[index->axis + k]) stretched |= 1u << k;
        }
        uint32_t whole = others ? without_axes(builder, tile_class, shape, others) : tile_class;
        if (stretched)
            cake_plan_relate(builder, CAKE_RELATION_COLLAPSE, index->base->layout_class, whole, stretched, NULL);
        else
            cake_plan_class_join(builder, index->base->layout_class, whole);
    }
}

bool cake_plan_tie_access(cake_builder *builder, const cake_plan_access *access, uint32_t tile_class,
                          const cake_shape *shape) {
    if (!tie_mask(builder, access, tile_class, shape)) return false;
    tie_gathers(builder, access, tile_class, shape);
    return true;
}

cake_plan_value *cake_plan_load(cake_builder *builder, const cake_expr *expr) {
    cake_plan_access *access = CAKE_NEW(builder->arena, cake_plan_access);
    if (!cake_plan_access_place(builder, expr->u.load.place, access)) return NULL;
    if (!access_clauses(builder, &expr->u.load.clauses, access)) return NULL;
    if (!cake_plan_vector_check(builder, access)) return NULL;
    access->read_only = access->place.tensor && access->place.tensor->mode == CAKE_PARAMETER_IN;
    cake_dtype dtype = cake_plan_place_dtype(&access->place);
    cake_plan_op *op = cake_plan_append(builder, CAKE_PLAN_LOAD);
    op->u.access = access;
    cake_plan_value *result = cake_plan_result(builder, op, dtype, &access->place.shape);
    if (access->vec && result->shape.rank) cake_plan_class_vec(builder, result->layout_class, access->vec, false);
    if (!cake_plan_tie_access(builder, access, result->layout_class, &result->shape)) return NULL;
    return result;
}

void cake_plan_store(cake_builder *builder, const cake_stmt *stmt) {
    cake_plan_access *access = CAKE_NEW(builder->arena, cake_plan_access);
    cake_plan_value *value = cake_plan_expression(builder, stmt->u.store.value);
    if (!value || !cake_plan_access_place(builder, stmt->u.store.place, access)) return;
    if (!access_clauses(builder, &stmt->u.store.clauses, access) || !cake_plan_vector_check(builder, access)) return;
    cake_dtype dtype = cake_plan_place_dtype(&access->place);
    if (cake_dtype_bits(dtype) < 8 && access->vec < 2) {
        cake_report(builder->diagnostics, CAKE_L504, stmt->span,
                    "4-bit elements are stored in pairs, which lanes must hold: 'vec 2' or more");
        return;
    }
    value = cake_plan_convert(builder, value, dtype);
    if (!value) return;
    const cake_shape *shape = &access->place.shape;
    if (value->shape.rank == 0 && shape->rank) value = cake_plan_stretch(builder, value, shape);
    if (!cake_shape_equal(&value->shape, shape)) {
        cake_text text;
        cake_text_init(&text, builder->arena);
        cake_shape_print(&value->shape, &text);
        cake_text_add_string(&text, " into a place of shape ");
        cake_shape_print(shape, &text);
        cake_report(builder->diagnostics, CAKE_L404, stmt->span, "a value of shape %s", cake_text_string(&text));
        return;
    }
    if (access->vec && shape->rank) cake_plan_class_vec(builder, value->layout_class, access->vec, true);
    if (!cake_plan_tie_access(builder, access, value->layout_class, shape)) return;
    cake_plan_op *op = cake_plan_append(builder, CAKE_PLAN_STORE);
    op->operands[op->operand_count++] = value;
    op->u.access = access;
}
