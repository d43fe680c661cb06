/* Views: another shape of a tensor's or buffer's memory.
 *
 * Without strides a view has as many elements as what it shows. Both counts are products; equal factors cancel, and
 * what is left is decided here when it is constant, else it joins the contract, which the host checks. A buffer's
 * counts are constants. */
#include "plan/internal.h"

#define MAX_FACTORS 64

typedef struct factors {
    const cake_plan_value *items[MAX_FACTORS];
    uint32_t count;
    int64_t constant;
    bool complete; /* neither too many nor too large */
} factors;

static void add_factors(factors *f, const cake_plan_value *value) {
    const cake_plan_op *op = value->definition;
    if (value->is_constant) {
        cake_range product;
        cake_range_binary(CAKE_BINARY_MUL, cake_range_make(f->constant, f->constant),
                          cake_range_make(value->integer, value->integer), &product);
        f->constant = product.low;
        f->complete = f->complete && product.low < CAKE_RANGE_LIMIT;
    } else if (op && op->kind == CAKE_PLAN_BINARY && op->u.binary == CAKE_BINARY_MUL) {
        add_factors(f, op->operands[0]);
        add_factors(f, op->operands[1]);
    } else if (f->count < MAX_FACTORS) {
        f->items[f->count++] = value;
    } else {
        f->complete = false;
    }
}

static factors count_of(const cake_plan_tensor *tensor) {
    factors f = {.constant = 1, .complete = true};
    for (uint8_t d = 0; d < tensor->rank; d++)
        add_factors(&f, tensor->extents[d]);
    return f;
}

/* Dimensions are one value each, so equal factors are the same row. */
static void cancel(factors *a, factors *b) {
    for (uint32_t i = a->count; i-- > 0;)
        for (uint32_t k = 0; k < b->count; k++) {
            if (a->items[i] != b->items[k]) continue;
            a->items[i] = a->items[--a->count];
            b->items[k] = b->items[--b->count];
            break;
        }
}

static cake_plan_value *product_of(cake_builder *builder, const cake_plan_tensor *tensor) {
    cake_plan_value *product = cake_plan_constant_index(builder, 1);
    for (uint8_t d = 0; d < tensor->rank && product; d++)
        product = cake_plan_binary(builder, CAKE_BINARY_MUL, product, tensor->extents[d]);
    return product;
}

static bool check_count(cake_builder *builder, const cake_plan_tensor *view, const cake_plan_tensor *base) {
    factors a = count_of(view), b = count_of(base);
    if (a.complete && b.complete) {
        cancel(&a, &b);
        if (a.count == 0 && b.count == 0 && a.constant == b.constant) return true;
    }
    builder->keep_comparisons = true; /* the host works it out, with a check for overflow */
    cake_plan_value *left = product_of(builder, view), *right = product_of(builder, base);
    cake_plan_value *same = left && right ? cake_plan_binary(builder, CAKE_BINARY_EQ, left, right) : NULL;
    builder->keep_comparisons = false;
    if (!same) return false;
    bool never = left->high < right->low || right->high < left->low;
    if (never || (a.complete && b.complete && a.count == 0 && b.count == 0)) {
        cake_report(builder->diagnostics, CAKE_L404, view->span,
                    "'%s' has other elements than '%s': the counts differ for all dimensions", view->name, base->name);
        return false;
    }
    *CAKE_PUSH(builder->arena, &builder->plan->contract) = (cake_plan_condition){
        view->span, cake_arena_format(builder->arena, "'%s' has as many elements as '%s'", view->name, base->name),
        same};
    return true;
}

static void view_tensor(cake_builder *builder, const cake_view *declared, const cake_plan_tensor *base) {
    cake_plan_tensor *tensor = CAKE_NEW(builder->arena, cake_plan_tensor);
    *tensor = (cake_plan_tensor){.name = declared->name,
                                 .span = declared->span,
                                 .mode = base->mode,
                                 .dtype = declared->type.dtype,
                                 .rank = (uint8_t)declared->type.extents.count,
                                 .contiguous = !declared->has_strides,
                                 .position = base->position,
                                 .number = base->number,
                                 .view_of = cake_plan_tensor_base(base)};
    if (!cake_plan_shape_tensor(builder, tensor, &declared->type.extents,
                                declared->has_strides ? &declared->strides : NULL))
        return;
    if (declared->has_strides || check_count(builder, tensor, base))
        builder->bindings[declared->symbol->number].tensor = tensor;
}

/* ---- buffers ---- */

static bool refuse(cake_builder *builder, const cake_plan_buffer *view, const char *why) {
    cake_report(builder->diagnostics, CAKE_L404, view->span, "%s", why);
    return false;
}

static uint32_t rows_of(const cake_shape *shape) {
    return shape->rank > 1 ? shape->extents[shape->rank - 2] : 1;
}

/* The same elements in row-major order. Rows that are swizzled or padded stay rows, and where they are cut into panels
 * a matrix stays a matrix. */
static bool reshape_buffer(cake_builder *builder, const cake_plan_buffer *base, cake_plan_buffer *view) {
    uint32_t columns = view->shape.extents[view->shape.rank - 1], rows = rows_of(&view->shape);
    uint32_t base_columns = base->shape.extents[base->shape.rank - 1], base_rows = rows_of(&base->shape);
    uint32_t bits = cake_dtype_bits(base->dtype);
    bool plain = !base->swizzle && base->row_bytes == base_columns * bits / 8;
    if (cake_shape_elements(&view->shape) != cake_shape_elements(&base->shape))
        return refuse(builder, view, "a view without strides has as many elements as what it shows");
    if (!plain && columns != base_columns)
        return refuse(builder, view, "a view of a swizzled or padded buffer keeps its rows");
    if (rows != base_rows && base->panels > 1)
        return refuse(builder, view, "a view of a buffer whose rows are cut into panels keeps its matrices");
    if (rows != base_rows && base->swizzle && rows % CAKE_LIMIT_SWIZZLE_ROWS)
        return refuse(builder, view, "a view of a swizzled buffer has matrices of a multiple of 8 rows");
    if (columns * bits % 8) return refuse(builder, view, "rows of 4-bit elements are whole bytes");
    if (plain) view->row_bytes = columns * bits / 8;
    view->panel_bytes = view->row_bytes * rows;
    view->tile_bytes = view->panel_bytes * base->panels;
    return true;
}

/* Strides that a buffer's row can say: elements of a row beside each other, rows at one distance, matrices at a
 * multiple of that, and larger parts of whole ones. */
static bool stride_buffer(cake_builder *builder, const cake_view *declared, const cake_plan_buffer *base,
                          cake_plan_buffer *view) {
    const cake_shape *shape = &view->shape;
    uint8_t rank = shape->rank;
    uint32_t bits = cake_dtype_bits(base->dtype);
    int64_t strides[CAKE_MAX_RANK], last = 0;
    for (uint8_t d = 0; d < rank; d++) {
        if (!cake_plan_integer(builder, declared->strides.items[d], "a stride of a buffer's view", &strides[d]))
            return false;
        if (strides[d] < 0 || strides[d] > UINT32_MAX / 8) return refuse(builder, view, "a stride is out of range");
        last += strides[d] * ((int64_t)shape->extents[d] - 1);
    }
    if (base->swizzle || base->row_bytes != base->shape.extents[base->shape.rank - 1] * bits / 8)
        return refuse(builder, view, "a swizzled or padded buffer has no view with strides");
    if (last >= (int64_t)cake_shape_elements(&base->shape))
        return refuse(builder, view, "the view's last element lies behind the buffer");
    int64_t row = rank > 1 ? strides[rank - 2] : shape->extents[rank - 1];
    int64_t matrix = rank > 2 ? strides[rank - 3] : row * rows_of(shape);
    bool whole = strides[rank - 1] == 1 && row > 0 && matrix % row == 0 && row * bits % 8 == 0;
    for (uint8_t d = 0; d + 3 < rank; d++)
        whole = whole && strides[d] == strides[d + 1] * shape->extents[d + 1];
    if (!whole)
        return refuse(builder, view,
                      "a buffer's view has rows of neighbouring elements, matrices of whole rows, and larger parts of "
                      "whole matrices");
    view->row_bytes = (uint32_t)(row * bits / 8);
    view->panel_bytes = view->row_bytes * rows_of(shape);
    view->tile_bytes = (uint32_t)(matrix * bits / 8);
    return true;
}

static void view_buffer(cake_builder *builder, const cake_view *declared, const cake_plan_buffer *base) {
    cake_plan_buffer *view = CAKE_NEW(builder->arena, cake_plan_buffer);
    *view = *base;
    view->name = declared->name;
    view->span = declared->span;
    view->view_of = base->view_of ? base->view_of : base;
    if (!cake_plan_shape(builder, &declared->type, &view->shape) || view->shape.rank == 0) return;
    if (declared->has_strides ? !stride_buffer(builder, declared, base, view) : !reshape_buffer(builder, base, view))
        return;
    *CAKE_PUSH(builder->arena, &builder->plan->buffer_views) = view;
    builder->bindings[declared->symbol->number].buffer = view;
}

void cake_plan_view(cake_builder *builder, const cake_view *declared) {
    builder->span = declared->span;
    if (declared->value->kind != CAKE_EXPR_NAME) {
        cake_report(builder->diagnostics, CAKE_U001, declared->span, "an im2col view is not lowered yet");
        return;
    }
    const cake_binding_row *base = &builder->bindings[declared->value->u.name.symbol->number];
    if (base->tensor)
        view_tensor(builder, declared, base->tensor);
    else if (base->buffer)
        view_buffer(builder, declared, base->buffer);
}
