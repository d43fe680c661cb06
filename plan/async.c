/* async.load: the team's lanes copy a tile from a tensor to a slot with cp.async.
 *
 * The tile is dealt in row-major order, in runs as wide as both ends are shown to be aligned: 16, 8 or 4 bytes.
 * Neighbouring lanes so read neighbouring runs of a row, and the eight lanes of a 16-byte shared write fill whole lines
 * of 128 bytes, with a swizzle too, since that permutes runs within such lines (PTX ISA 'cp.async'). Indices of
 * gathered rows have the layout of the runs.
 */
#include "plan/internal.h"

static bool refuse(cake_builder *builder, cake_span span, const char *why) {
    cake_report(builder->diagnostics, CAKE_H211, span, "%s", why);
    return false;
}

static const cake_plan_index *last_index(const cake_plan_place *place) {
    return &place->index[place->dimensions - 1];
}

/* A tile of rows along the last dimension. */
static bool check_place(cake_builder *builder, const cake_plan_place *place) {
    const cake_plan_index *last = last_index(place);
    if (place->transposed || !place->shape.rank || last->kind != CAKE_INDEX_RANGE ||
        last->axis != place->shape.rank - 1)
        return refuse(builder, place->span, "the last axis of the tile must run along the last dimension");
    return true;
}

static bool check_shapes(cake_builder *builder, const cake_stmt *stmt, const cake_plan_async *async) {
    if (cake_shape_equal(&async->global.place.shape, &async->shared.shape)) return true;
    cake_text text;
    cake_text_init(&text, builder->arena);
    cake_shape_print(&async->global.place.shape, &text);
    cake_text_add_string(&text, " into a place of shape ");
    cake_shape_print(&async->shared.shape, &text);
    cake_report(builder->diagnostics, CAKE_L404, stmt->span, "a slice of shape %s", cake_text_string(&text));
    return false;
}

/* Elements up to 'most' that every run of the tensor's side is aligned to. */
static uint32_t global_multiple(const cake_builder *builder, const cake_plan_access *access, uint32_t most) {
    const cake_plan_place *place = &access->place;
    uint8_t rank = place->dimensions;
    uint32_t multiple = cake_plan_multiple(builder, last_index(place)->base);
    for (uint8_t d = 0; d + 1 < rank; d++) {
        uint32_t stride = cake_plan_multiple(builder, place->tensor->strides[d]);
        if (place->index[d].kind == CAKE_INDEX_SCALAR) stride *= cake_plan_multiple(builder, place->index[d].base);
        if (stride < multiple) multiple = stride;
    }
    if (access->clip) { /* the edge does not cut a run */
        uint32_t extent = cake_plan_multiple(builder, place->tensor->extents[rank - 1]);
        if (extent < multiple) multiple = extent;
    }
    return multiple < most ? multiple : most;
}

static bool choose_width(cake_builder *builder, const cake_stmt *stmt, cake_plan_async *async) {
    const cake_plan_buffer *buffer = async->shared.buffer;
    uint32_t bits = cake_dtype_bits(buffer->dtype), columns = last_index(&async->shared)->length;
    uint32_t width = bits ? CAKE_LIMIT_ASYNC_MOST * 8 / bits : 0;
    uint32_t global = global_multiple(builder, &async->global, width);
    uint32_t shared = cake_plan_multiple(builder, last_index(&async->shared)->base);
    while (width * bits / 8 >= CAKE_LIMIT_ASYNC_LEAST &&
           (columns % width != 0 || global % width != 0 || shared % width != 0 ||
            buffer->row_bytes % (width * bits / 8) != 0))
        width /= 2;
    async->width = width;
    if (width * bits / 8 >= CAKE_LIMIT_ASYNC_LEAST) return true;
    cake_diagnostic *d = cake_report(builder->diagnostics, CAKE_H211, stmt->span,
                                     "the runs of this copy are not shown to be aligned to 4 bytes");
    cake_diagnostic_note(
        builder->diagnostics, d, stmt->span,
        "shown to be multiples, in elements of %u bits: rows and bounds of the tensor of %u, columns of "
        "the buffer of %u; a row has %u",
        bits, global, shared, columns);
    return false;
}

static bool check_clip(cake_builder *builder, const cake_stmt *stmt, cake_plan_async *async) {
    const cake_access_clauses *clauses = &stmt->u.copy.clauses;
    async->global.clip = clauses->clip == CAKE_CLIP_YES;
    if (clauses->cache) {
        cake_report(builder->diagnostics, CAKE_U001, stmt->span, "a cache hint of 'async.load' is not lowered yet");
        return false;
    }
    if (!clauses->clip_value) return true;
    const cake_plan_value *value = cake_plan_expression(builder, clauses->clip_value);
    if (!value) return false;
    bool zero = value->is_constant && value->integer == 0 && value->real == 0.0;
    return zero || refuse(builder, clauses->clip_value->span, "'async.load' fills with zeros: 'clip 0'");
}

static bool check_memory(cake_builder *builder, const cake_stmt *stmt, const cake_plan_async *async) {
    const cake_plan_tensor *tensor = async->global.place.tensor;
    if (!tensor || !async->shared.buffer)
        return refuse(builder, stmt->span, "'async.load' goes from a tensor to a shared buffer");
    if (async->shared.peer) return refuse(builder, stmt->span, "'async.load' fills its own CTA's memory alone");
    const cake_plan_value *stride = tensor->strides[tensor->rank - 1];
    if (!stride->is_constant || stride->integer != 1)
        return refuse(builder, stmt->u.copy.from->span, "the tensor's last dimension is not contiguous");
    for (uint8_t d = 0; d < async->shared.dimensions; d++)
        if (async->shared.index[d].kind == CAKE_INDEX_GATHER)
            return refuse(builder, async->shared.span, "'async.load' gathers rows of the tensor, and does not scatter");
    return check_place(builder, &async->global.place) && check_place(builder, &async->shared) &&
           check_shapes(builder, stmt, async);
}

void cake_plan_async_load(cake_builder *builder, const cake_stmt *stmt) {
    cake_plan_async *async = CAKE_NEW(builder->arena, cake_plan_async);
    if (!cake_plan_access_place(builder, stmt->u.copy.from, &async->global)) return;
    if (!cake_plan_place_of(builder, stmt->u.copy.to, &async->shared)) return;
    if (!check_memory(builder, stmt, async) || !check_clip(builder, stmt, async) || !choose_width(builder, stmt, async))
        return;
    async->shared.fills = true;
    async->global.width = async->width;
    async->global.read_only = async->global.place.tensor->mode == CAKE_PARAMETER_IN;
    async->layout =
        cake_layout_runs(&builder->plan->layouts, &async->shared.shape, async->width, cake_plan_warp_bits(builder));
    if (!async->layout) {
        cake_text text;
        cake_text_init(&text, builder->arena);
        cake_shape_print(&async->shared.shape, &text);
        cake_report(builder->diagnostics, CAKE_L502, stmt->span,
                    "a tile of shape %s in runs of %u does not deal evenly to %u threads", cake_text_string(&text),
                    async->width, builder->role->warps_per_team * 32);
        return;
    }
    uint32_t tile = cake_plan_class_new(builder, &async->shared.shape);
    cake_plan_class_fix(builder, tile, async->layout);
    if (!cake_plan_tie_access(builder, &async->global, tile, &async->shared.shape)) return;
    cake_plan_append(builder, CAKE_PLAN_ASYNC_LOAD)->u.async = async;
    if (async->shared.buffer->pipeline) ((cake_plan_pipeline *)async->shared.buffer->pipeline)->filled_by_async = true;
}
