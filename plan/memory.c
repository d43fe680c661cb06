/* Places, and plain accesses to them. */
#include "plan/internal.h"

/* A place while its indices are applied: which memory dimensions are still open, in the order of the view. */
typedef struct view {
    cake_plan_place *place;
    uint8_t open;
    uint8_t axes[CAKE_MAX_RANK];
} view;

static bool unbuilt(cake_builder *builder, cake_span span, const char *what) {
    cake_report(builder->diagnostics, CAKE_U001, span, "%s is not lowered yet", what);
    return false;
}

static void open_dimension(cake_builder *builder, view *v, uint32_t length) {
    uint8_t d = v->place->dimensions++;
    v->place->index[d] =
        (cake_plan_index){.kind = CAKE_INDEX_RANGE, .base = cake_plan_constant_index(builder, 0), .length = length};
    v->axes[v->open++] = d;
}

static bool open_name(cake_builder *builder, const cake_expr *expr, view *v) {
    const cake_symbol *symbol = expr->u.name.symbol;
    const cake_binding_row *binding = &builder->bindings[symbol->number];
    if (binding->tensor) {
        v->place->tensor = binding->tensor;
        for (uint8_t d = 0; d < binding->tensor->rank; d++) {
            const cake_plan_value *extent = binding->tensor->extents[d];
            bool known = extent->is_constant && extent->integer <= UINT32_MAX;
            open_dimension(builder, v, known ? (uint32_t)extent->integer : 0);
        }
        return true;
    }
    if (binding->buffer) {
        v->place->buffer = binding->buffer;
        for (uint8_t d = 0; d < binding->buffer->shape.rank; d++)
            open_dimension(builder, v, binding->buffer->shape.extents[d]);
        return true;
    }
    if (symbol->kind == CAKE_SYMBOL_VIEW) return unbuilt(builder, expr->span, "a view");
    return false; /* its declaration had an error */
}

static bool apply_item(cake_builder *builder, const cake_item *item, cake_plan_index *index, bool *out_closes) {
    *out_closes = false;
    if (item->kind == CAKE_ITEM_ALL) return true;
    if (item->kind == CAKE_ITEM_NONE) return unbuilt(builder, item->span, "a new axis of a place");
    cake_plan_value *base = cake_plan_expression(builder, item->base);
    if (!base) return false;
    if (base->shape.rank) return unbuilt(builder, item->span, "an index that is a tile");
    base = cake_plan_convert(builder, base, CAKE_DTYPE_INDEX);
    index->base = base ? cake_plan_binary(builder, CAKE_BINARY_ADD, index->base, base) : NULL;
    if (!index->base) return false;
    if (item->kind == CAKE_ITEM_ONE) {
        index->kind = CAKE_INDEX_SCALAR;
        index->length = 1;
        *out_closes = true;
        return true;
    }
    int64_t length;
    if (!cake_plan_integer(builder, item->length, "the length of a slice", &length)) return false;
    if (length < 1 || length > (1 << 24)) {
        cake_report(builder->diagnostics, CAKE_L405, item->span, "a slice of %lld elements", (long long)length);
        return false;
    }
    index->length = (uint32_t)length;
    return true;
}

static bool apply_items(cake_builder *builder, const cake_expr *expr, view *v) {
    uint8_t kept = 0, axis = 0;
    uint8_t axes[CAKE_MAX_RANK];
    for (uint32_t i = 0; i < expr->u.index.items.count && axis < v->open; i++, axis++) {
        bool closes;
        if (!apply_item(builder, &expr->u.index.items.items[i], &v->place->index[v->axes[axis]], &closes)) return false;
        if (!closes) axes[kept++] = v->axes[axis];
    }
    for (; axis < v->open; axis++)
        axes[kept++] = v->axes[axis];
    v->open = kept;
    for (uint8_t i = 0; i < kept; i++)
        v->axes[i] = axes[i];
    return true;
}

static bool open_view(cake_builder *builder, const cake_expr *expr, view *v) {
    switch (expr->kind) {
    case CAKE_EXPR_NAME:
        return open_name(builder, expr, v);
    case CAKE_EXPR_INDEX:
        return open_view(builder, expr->u.index.base, v) && apply_items(builder, expr, v);
    case CAKE_EXPR_AGE:
        v->place->age = expr->u.age.age;
        return open_view(builder, expr->u.age.base, v);
    case CAKE_EXPR_TRANSPOSE:
        if (!open_view(builder, expr->u.unary.operand, v)) return false;
        if (v->open == 2) {
            uint8_t first = v->axes[0];
            v->axes[0] = v->axes[1];
            v->axes[1] = first;
        }
        return true;
    case CAKE_EXPR_PEER:
        return unbuilt(builder, expr->span, "another rank's memory");
    default:
        return false; /* no place: the frontend reports it */
    }
}

bool cake_plan_place_of(cake_builder *builder, const cake_expr *expr, cake_plan_place *out_place) {
    *out_place = (cake_plan_place){.span = expr->span};
    view v = {.place = out_place};
    if (!open_view(builder, expr, &v)) return false;
    out_place->shape.rank = v.open;
    for (uint8_t i = 0; i < v.open; i++) {
        cake_plan_index *index = &out_place->index[v.axes[i]];
        index->axis = i;
        out_place->shape.extents[i] = index->length;
        if (i && v.axes[i] < v.axes[i - 1]) out_place->transposed = true;
    }
    return true;
}

/* A place for a plain access: all extents known. */
static bool access_place(cake_builder *builder, const cake_expr *expr, cake_plan_access *access) {
    if (!cake_plan_place_of(builder, expr, &access->place)) return false;
    for (uint8_t d = 0; d < access->place.shape.rank; d++) {
        if (access->place.shape.extents[d]) continue;
        cake_report(builder->diagnostics, CAKE_L403, expr->span,
                    "axis %u of this access has no extent known at compile time: write 'base :+ length'", d);
        return false;
    }
    if (access->place.tensor) ((cake_plan_tensor *)access->place.tensor)->uses_pointer = true;
    return true;
}

static cake_dtype place_dtype(const cake_plan_place *place) {
    return place->tensor ? place->tensor->dtype : place->buffer->dtype;
}

/* The clauses; the mask is tied to the layout class of the tile. */
static bool access_clauses(cake_builder *builder, const cake_access_clauses *clauses, cake_plan_access *access) {
    int64_t vec = 0;
    if (clauses->vec && !cake_plan_integer(builder, clauses->vec, "'vec'", &vec)) return false;
    uint32_t bits = cake_dtype_bits(place_dtype(&access->place));
    if (clauses->vec && (vec < 1 || (vec & (vec - 1)) != 0 || (uint64_t)vec * bits > 128)) {
        cake_report(builder->diagnostics, CAKE_L504, clauses->vec->span,
                    "vec %lld of %u-bit elements: a power of two within 16 bytes is possible", (long long)vec, bits);
        return false;
    }
    access->vec = (uint32_t)vec;
    access->clip = clauses->clip == CAKE_CLIP_YES;
    access->cache = clauses->cache;
    if (clauses->clip_value) {
        cake_plan_value *value = cake_plan_expression(builder, clauses->clip_value);
        access->clip_value = value ? cake_plan_convert(builder, value, place_dtype(&access->place)) : NULL;
        if (!access->clip_value) return false;
    }
    if (clauses->where) {
        access->mask = cake_plan_expression(builder, clauses->where);
        if (!access->mask) return false;
    }
    return true;
}

/* Ties the mask to the tile: equal layout, or collapsed where it broadcasts. */
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

cake_plan_value *cake_plan_load(cake_builder *builder, const cake_expr *expr) {
    cake_plan_access *access = CAKE_NEW(builder->arena, cake_plan_access);
    if (!access_place(builder, expr->u.load.place, access)) return NULL;
    if (!access_clauses(builder, &expr->u.load.clauses, access)) return NULL;
    access->read_only = access->place.tensor && access->place.tensor->mode == CAKE_PARAMETER_IN;
    cake_dtype dtype = place_dtype(&access->place);
    if (cake_dtype_bits(dtype) < 8) {
        unbuilt(builder, expr->span, "an access to 4-bit elements");
        return NULL;
    }
    cake_plan_op *op = cake_plan_append(builder, CAKE_PLAN_LOAD);
    op->u.access = access;
    cake_plan_value *result = cake_plan_result(builder, op, dtype, &access->place.shape);
    if (access->vec && result->shape.rank) cake_plan_class_vec(builder, result->layout_class, access->vec, false);
    if (!tie_mask(builder, access, result->layout_class, &result->shape)) return NULL;
    return result;
}

static cake_plan_value *splat(cake_builder *builder, cake_plan_value *scalar, const cake_shape *shape) {
    cake_plan_op *op = cake_plan_append(builder, CAKE_PLAN_SPLAT);
    op->operands[op->operand_count++] = scalar;
    return cake_plan_result(builder, op, scalar->dtype, shape);
}

void cake_plan_store(cake_builder *builder, const cake_stmt *stmt) {
    cake_plan_access *access = CAKE_NEW(builder->arena, cake_plan_access);
    cake_plan_value *value = cake_plan_expression(builder, stmt->u.store.value);
    if (!value || !access_place(builder, stmt->u.store.place, access)) return;
    if (!access_clauses(builder, &stmt->u.store.clauses, access)) return;
    cake_dtype dtype = place_dtype(&access->place);
    if (cake_dtype_bits(dtype) < 8) {
        unbuilt(builder, stmt->span, "an access to 4-bit elements");
        return;
    }
    value = cake_plan_convert(builder, value, dtype);
    if (!value) return;
    const cake_shape *shape = &access->place.shape;
    if (value->shape.rank == 0 && shape->rank) value = splat(builder, value, shape);
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
    if (!tie_mask(builder, access, value->layout_class, shape)) return;
    cake_plan_op *op = cake_plan_append(builder, CAKE_PLAN_STORE);
    op->operands[op->operand_count++] = value;
    op->u.access = access;
}
