/* Places: a name, and the indices that are applied to it one after the other. */
#include "plan/internal.h"

typedef enum axis_kind {
    AXIS_DIMENSION, /* of memory, open */
    AXIS_GATHER,    /* of the tiles that a group of dimensions is indexed by; a group's axes stand together */
    AXIS_NEW
} axis_kind;

typedef struct view_axis {
    axis_kind kind;
    uint8_t of; /* dimension or group */
} view_axis;

/* The gather indices of one pair of brackets, which broadcast together. */
typedef struct gather_group {
    uint32_t dimensions; /* mask */
    cake_shape shape;
} gather_group;

/* A place while its indices are applied. */
typedef struct view {
    cake_plan_place *place;
    uint8_t rank;
    view_axis axes[CAKE_MAX_RANK];
    uint8_t group_count;
    gather_group groups[CAKE_MAX_RANK];
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
    v->axes[v->rank++] = (view_axis){AXIS_DIMENSION, d};
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

/* ---- gather indices ---- */

static bool gather(cake_builder *builder, const cake_item *item, cake_plan_value *base, cake_plan_index *index,
                   gather_group *group) {
    if (!add_base(builder, index, base)) return false;
    index->kind = CAKE_INDEX_GATHER;
    index->length = 1;
    if (!group->shape.rank) group->shape = base->shape;
    if (group->shape.rank != base->shape.rank) return false; /* the frontend reports it */
    for (uint8_t d = 0; d < base->shape.rank; d++) {
        uint32_t *extent = &group->shape.extents[d], other = base->shape.extents[d];
        if (*extent == 1) *extent = other;
        if (other != 1 && other != *extent) {
            cake_report(builder->diagnostics, CAKE_L404, item->span, "gather indices do not broadcast together");
            return false;
        }
    }
    return true;
}

/* How many of the group's axes come from the view's axis number 'at' on, which is one of them. */
static uint8_t axes_left(const view *v, uint8_t at) {
    uint8_t count = 0;
    while (at + count < v->rank && v->axes[at + count].kind == AXIS_GATHER && v->axes[at + count].of == v->axes[at].of)
        count++;
    return count;
}

static bool begins_group(const view *v, uint8_t at) {
    return at == 0 || v->axes[at - 1].kind != AXIS_GATHER || v->axes[at - 1].of != v->axes[at].of;
}

/* Slices the tiles of a group along their axis k; what is repeated along it stays as it is. */
static bool slice_gathered(cake_builder *builder, const cake_item *item, view *v, gather_group *group, uint8_t k) {
    uint32_t offsets[CAKE_MAX_RANK] = {0}, length;
    if (!cake_plan_slice_item(builder, item, group->shape.extents[k], &offsets[k], &length)) return false;
    group->shape.extents[k] = length;
    for (uint8_t d = 0; d < v->place->dimensions; d++) {
        cake_plan_value **base = &v->place->index[d].base;
        if (!(group->dimensions >> d & 1) || (*base)->shape.extents[k] == 1) continue;
        cake_shape shape = (*base)->shape;
        shape.extents[k] = length;
        *base = cake_plan_part(builder, *base, offsets, &shape);
    }
    return true;
}

/* Gives the tiles of a group an axis of extent 1 before their axis k. */
static void widen_gathered(cake_builder *builder, view *v, gather_group *group, uint8_t k) {
    cake_shape *shape = &group->shape;
    for (uint8_t d = shape->rank++; d > k; d--)
        shape->extents[d] = shape->extents[d - 1];
    shape->extents[k] = 1;
    for (uint8_t d = 0; d < v->place->dimensions; d++)
        if (group->dimensions >> d & 1)
            v->place->index[d].base = cake_plan_insert_axis(builder, v->place->index[d].base, k);
}

static void transpose_gathered(cake_builder *builder, view *v, gather_group *group) {
    uint32_t first = group->shape.extents[0];
    group->shape.extents[0] = group->shape.extents[1];
    group->shape.extents[1] = first;
    for (uint8_t d = 0; d < v->place->dimensions; d++)
        if (group->dimensions >> d & 1) v->place->index[d].base = cake_plan_transpose(builder, v->place->index[d].base);
}

/* ---- one pair of brackets ---- */

/* The axes that the items have made so far. */
typedef struct applied {
    view_axis axes[CAKE_MAX_RANK];
    uint8_t rank;
    gather_group *group; /* of this pair of brackets, or null */
} applied;

static void keep(applied *made, view_axis axis) {
    if (made->rank < CAKE_MAX_RANK) made->axes[made->rank++] = axis; /* the frontend counts them */
}

static bool apply_tile(cake_builder *builder, const cake_item *item, cake_plan_value *base, uint8_t dimension, view *v,
                       applied *made) {
    bool first = !made->group;
    uint8_t number = first ? v->group_count++ : (uint8_t)(v->group_count - 1);
    made->group = &v->groups[number];
    made->group->dimensions |= 1u << dimension;
    if (!gather(builder, item, base, &v->place->index[dimension], made->group)) return false;
    for (uint8_t k = 0; first && k < made->group->shape.rank; k++)
        keep(made, (view_axis){AXIS_GATHER, number});
    return true;
}

static bool apply_range(cake_builder *builder, const cake_item *item, cake_plan_index *index) {
    int64_t length;
    cake_plan_value *base = cake_plan_expression(builder, item->base);
    if (!base || !add_base(builder, index, base) ||
        !cake_plan_integer(builder, item->length, "the length of a slice", &length))
        return false;
    index->length = (uint32_t)length;
    if (length >= 1 && length <= (1 << 24)) return true;
    cake_report(builder->diagnostics, CAKE_L405, item->span, "a slice of %lld elements", (long long)length);
    return false;
}

/* An item that stands for an open dimension. */
static bool apply_to_dimension(cake_builder *builder, const cake_item *item, view_axis axis, view *v, applied *made) {
    cake_plan_index *index = &v->place->index[axis.of];
    if (item->kind == CAKE_ITEM_ONE) {
        cake_plan_value *base = cake_plan_expression(builder, item->base);
        if (!base) return false;
        if (base->shape.rank) return apply_tile(builder, item, base, axis.of, v, made);
        index->kind = CAKE_INDEX_SCALAR;
        index->length = 1;
        return add_base(builder, index, base);
    }
    if (item->kind == CAKE_ITEM_RANGE && !apply_range(builder, item, index)) return false;
    keep(made, axis);
    return true;
}

/* An item that stands for the view's axis number 'at'. */
static bool apply_item(cake_builder *builder, const cake_item *item, uint8_t at, view *v, applied *made) {
    view_axis axis = v->axes[at];
    gather_group *group = &v->groups[axis.of];
    uint32_t offset, length;
    switch (axis.kind) {
    case AXIS_DIMENSION:
        return apply_to_dimension(builder, item, axis, v, made);
    case AXIS_GATHER:
        keep(made, axis);
        return slice_gathered(builder, item, v, group, (uint8_t)(group->shape.rank - axes_left(v, at)));
    case AXIS_NEW:
        keep(made, axis);
        return cake_plan_slice_item(builder, item, 1, &offset, &length);
    }
    return false;
}

/* A new axis before the view's axis number 'at': within a group it is one of the group's tiles. */
static void apply_none(cake_builder *builder, uint8_t at, view *v, applied *made) {
    bool within = at < v->rank && v->axes[at].kind == AXIS_GATHER && !begins_group(v, at);
    keep(made, within ? v->axes[at] : (view_axis){AXIS_NEW, 0});
    if (!within) return;
    gather_group *group = &v->groups[v->axes[at].of];
    widen_gathered(builder, v, group, (uint8_t)(group->shape.rank - axes_left(v, at)));
}

static bool apply_items(cake_builder *builder, const cake_expr *expr, view *v) {
    applied made = {.rank = 0};
    uint8_t at = 0;
    for (uint32_t i = 0; i < expr->u.index.items.count; i++) {
        const cake_item *item = &expr->u.index.items.items[i];
        if (item->kind == CAKE_ITEM_NONE)
            apply_none(builder, at, v, &made);
        else if (at == v->rank || !apply_item(builder, item, at++, v, &made))
            return false;
    }
    for (; at < v->rank; at++)
        keep(&made, v->axes[at]);
    v->rank = made.rank;
    for (uint8_t i = 0; i < made.rank; i++)
        v->axes[i] = made.axes[i];
    return true;
}

cake_plan_value *cake_plan_peer_rank(cake_builder *builder, const cake_expr *expr) {
    cake_plan_value *rank = cake_plan_expression(builder, expr);
    rank = rank ? cake_plan_convert(builder, rank, CAKE_DTYPE_INDEX) : NULL;
    uint32_t size = builder->plan->launch.cluster;
    if (!rank || (rank->high >= 0 && rank->low < (int64_t)size)) return rank;
    cake_report(builder->diagnostics, CAKE_L405, expr->span, "a cluster of %u CTAs has the ranks 0 to %u", size,
                size - 1);
    return NULL;
}

static bool open_view(cake_builder *builder, const cake_expr *expr, view *v);

static bool open_peer(cake_builder *builder, const cake_expr *expr, view *v) {
    if (!(v->place->peer = cake_plan_peer_rank(builder, expr->u.peer.rank))) return false;
    if (!open_view(builder, expr->u.peer.place, v)) return false;
    return !v->place->buffer->pipeline || unbuilt(builder, expr->span, "another rank's slot of a pipeline");
}

static void transpose_view(cake_builder *builder, view *v) {
    if (v->rank != 2) return; /* the frontend reports it */
    view_axis first = v->axes[0], second = v->axes[1];
    if (first.kind == AXIS_GATHER && second.kind == AXIS_GATHER && first.of == second.of)
        transpose_gathered(builder, v, &v->groups[first.of]);
    v->axes[0] = second;
    v->axes[1] = first;
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
        transpose_view(builder, v);
        return true;
    case CAKE_EXPR_PEER:
        return open_peer(builder, expr, v);
    default:
        return false; /* no place: the frontend reports it */
    }
}

/* Numbers the tile's axes and takes its shape from the open dimensions and gather indices. */
static void close_view(view *v) {
    cake_plan_place *place = v->place;
    uint8_t last = 0;
    place->shape.rank = v->rank;
    for (uint8_t i = 0; i < v->rank; i++) {
        view_axis axis = v->axes[i];
        const gather_group *group = &v->groups[axis.of];
        place->shape.extents[i] = 1;
        if (axis.kind == AXIS_DIMENSION) {
            place->index[axis.of].axis = i;
            place->shape.extents[i] = place->index[axis.of].length;
            if (axis.of < last) place->transposed = true;
            last = axis.of;
        } else if (axis.kind == AXIS_GATHER) {
            place->shape.extents[i] = group->shape.extents[group->shape.rank - axes_left(v, i)];
            for (uint8_t d = 0; begins_group(v, i) && d < place->dimensions; d++)
                if (group->dimensions >> d & 1) place->index[d].axis = i;
        }
    }
}

bool cake_plan_place_of(cake_builder *builder, const cake_expr *expr, cake_plan_place *out_place) {
    *out_place = (cake_plan_place){.span = expr->span};
    view v = {.place = out_place};
    if (!open_view(builder, expr, &v)) return false;
    close_view(&v);
    return true;
}

bool cake_plan_place_is_box(const cake_plan_place *place) {
    uint8_t ranges = 0;
    for (uint8_t d = 0; d < place->dimensions; d++) {
        if (place->index[d].kind == CAKE_INDEX_GATHER) return false;
        if (place->index[d].kind == CAKE_INDEX_RANGE) ranges++;
    }
    return ranges == place->shape.rank;
}
