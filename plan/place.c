/* Places: a name, and the indices that are applied to it one after the other. */
#include "plan/internal.h"

/* Stands in a view's axes for the axes of the gather indices, which broadcast together. */
#define GATHER_AXES UINT8_MAX

/* A place while its indices are applied: which memory dimensions are still open, in the order of the view. */
typedef struct view {
    cake_plan_place *place;
    uint8_t open;
    uint8_t axes[CAKE_MAX_RANK];
    cake_shape gathered; /* rank 0: no gather index yet */
} view;

static bool unbuilt(cake_builder *builder, cake_span span, const char *what) {
    cake_report(builder->diagnostics, CAKE_U001, span, "%s is not lowered yet", what);
    return false;
}

const cake_plan_tensor *cake_plan_tensor_base(const cake_plan_tensor *tensor) {
    return tensor->view_of ? tensor->view_of : tensor;
}

static void open_dimension(cake_builder *builder, view *v, uint32_t length) {
    uint8_t d = v->place->dimensions++;
    v->place->index[d] =
        (cake_plan_index){.kind = CAKE_INDEX_RANGE, .base = cake_plan_constant_index(builder, 0), .length = length};
    v->axes[v->open++] = d;
}

static bool open_name(cake_builder *builder, const cake_expr *expr, view *v) {
    const cake_binding_row *binding = &builder->bindings[expr->u.name.symbol->number];
    if (binding->tensor) {
        v->place->tensor = binding->tensor;
        for (uint8_t d = 0; d < binding->tensor->rank; d++) {
            const cake_plan_value *extent = binding->tensor->extents[d];
            bool known = extent->is_constant && extent->integer <= UINT32_MAX;
            open_dimension(builder, v, known ? (uint32_t)extent->integer : 0);
        }
        return true;
    }
    if (!binding->buffer) return false; /* its declaration had an error */
    v->place->buffer = binding->buffer;
    for (uint8_t d = 0; d < binding->buffer->shape.rank; d++)
        open_dimension(builder, v, binding->buffer->shape.extents[d]);
    return true;
}

static bool add_base(cake_builder *builder, cake_plan_index *index, cake_plan_value *base) {
    base = cake_plan_convert(builder, base, CAKE_DTYPE_INDEX);
    index->base = base ? cake_plan_binary(builder, CAKE_BINARY_ADD, index->base, base) : NULL;
    return index->base != NULL;
}

static bool gather(cake_builder *builder, const cake_item *item, cake_plan_value *base, cake_plan_index *index,
                   view *v) {
    if (!add_base(builder, index, base)) return false;
    index->kind = CAKE_INDEX_GATHER;
    index->length = 1;
    if (v->gathered.rank && v->gathered.rank != base->shape.rank)
        return unbuilt(builder, item->span, "gather indices of different ranks");
    if (!v->gathered.rank) v->gathered = base->shape;
    for (uint8_t d = 0; d < base->shape.rank; d++) {
        uint32_t *extent = &v->gathered.extents[d], other = base->shape.extents[d];
        if (*extent == 1) *extent = other;
        if (other != 1 && other != *extent) {
            cake_report(builder->diagnostics, CAKE_L404, item->span, "gather indices do not broadcast together");
            return false;
        }
    }
    return true;
}

typedef enum effect { STAYS_OPEN, CLOSES, GATHERS, FAILS } effect;

static effect apply_item(cake_builder *builder, const cake_item *item, cake_plan_index *index, view *v) {
    int64_t length;
    cake_plan_value *base;
    switch (item->kind) {
    case CAKE_ITEM_ALL:
        return STAYS_OPEN;
    case CAKE_ITEM_NONE:
        unbuilt(builder, item->span, "a new axis of a place");
        return FAILS;
    case CAKE_ITEM_ONE:
        base = cake_plan_expression(builder, item->base);
        if (!base) return FAILS;
        if (base->shape.rank) return gather(builder, item, base, index, v) ? GATHERS : FAILS;
        if (!add_base(builder, index, base)) return FAILS;
        index->kind = CAKE_INDEX_SCALAR;
        index->length = 1;
        return CLOSES;
    case CAKE_ITEM_RANGE:
        base = cake_plan_expression(builder, item->base);
        if (!base || !add_base(builder, index, base) ||
            !cake_plan_integer(builder, item->length, "the length of a slice", &length))
            return FAILS;
        if (length >= 1 && length <= (1 << 24)) {
            index->length = (uint32_t)length;
            return STAYS_OPEN;
        }
        cake_report(builder->diagnostics, CAKE_L405, item->span, "a slice of %lld elements", (long long)length);
        return FAILS;
    }
    return FAILS;
}

static bool apply_items(cake_builder *builder, const cake_expr *expr, view *v) {
    uint8_t kept = 0, axis = 0, axes[CAKE_MAX_RANK];
    bool gathers = false;
    for (uint32_t i = 0; i < expr->u.index.items.count && axis < v->open; i++, axis++) {
        if (v->axes[axis] == GATHER_AXES) return unbuilt(builder, expr->span, "an index into gathered axes");
        switch (apply_item(builder, &expr->u.index.items.items[i], &v->place->index[v->axes[axis]], v)) {
        case FAILS:
            return false;
        case CLOSES:
            break;
        case STAYS_OPEN:
            axes[kept++] = v->axes[axis];
            break;
        case GATHERS:
            if (!gathers) axes[kept++] = GATHER_AXES;
            gathers = true;
            break;
        }
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

/* Numbers the tile's axes and takes its shape from the open dimensions. */
static void close_view(view *v) {
    cake_plan_place *place = v->place;
    uint8_t rank = 0, last = 0;
    for (uint8_t i = 0; i < v->open; i++) {
        if (v->axes[i] == GATHER_AXES) {
            for (uint8_t d = 0; d < place->dimensions; d++)
                if (place->index[d].kind == CAKE_INDEX_GATHER) place->index[d].axis = rank;
            for (uint8_t k = 0; k < v->gathered.rank && rank < CAKE_MAX_RANK; k++)
                place->shape.extents[rank++] = v->gathered.extents[k];
            continue;
        }
        cake_plan_index *index = &place->index[v->axes[i]];
        index->axis = rank;
        place->shape.extents[rank++] = index->length;
        if (v->axes[i] < last) place->transposed = true;
        last = v->axes[i];
    }
    place->shape.rank = rank;
}

bool cake_plan_place_of(cake_builder *builder, const cake_expr *expr, cake_plan_place *out_place) {
    *out_place = (cake_plan_place){.span = expr->span};
    view v = {.place = out_place};
    if (!open_view(builder, expr, &v)) return false;
    close_view(&v);
    return true;
}
