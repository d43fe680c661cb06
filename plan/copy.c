/* Bulk tensor copies: one statement becomes one or more boxes.
 *
 * A box is what one cp.async.bulk.tensor moves: at most 256 elements in each of at most 5 dimensions, and with a
 * swizzle no more than one span in the innermost (PTX ISA 'Tensor data movement'; CUDA driver API,
 * cuTensorMapEncodeTiled). So a tile is cut along its last two axes into panels and groups of 256 rows, and every index
 * of its leading axes gets boxes of its own.
 */
#include <string.h>

#include "plan/internal.h"

#define MAX_BOX ((uint32_t)CAKE_LIMIT_BOX_ELEMENTS)

/* The two ends of a copy and how the tile's axes lie in them. */
typedef struct transfer {
    cake_plan_copy *copy;
    const cake_plan_tensor *tensor;
    const cake_plan_buffer *buffer;
    cake_shape tile;                  /* of the shared side */
    uint8_t dimension[CAKE_MAX_RANK]; /* tensor dimension of each axis of the tile */
    bool stores;
    cake_span span;
} transfer;

static bool refuse(cake_builder *builder, const transfer *t, const char *why) {
    cake_report(builder->diagnostics, CAKE_H204, t->span, "%s", why);
    return false;
}

static const char strange_axes[] = "a box has no gathered and no new axes";

/* Entries 'base :+ length' and ':' are the box's dimensions in order; when all are scalars, the buffer's shape is the
 * box of the last dimensions. */
static bool match_axes(cake_builder *builder, transfer *t) {
    const cake_plan_place *global = &t->copy->global;
    if (global->shape.rank == 0) {
        if (t->tile.rank > t->tensor->rank) return refuse(builder, t, "the buffer has more axes than the tensor");
        for (uint8_t i = 0; i < t->tile.rank; i++)
            t->dimension[i] = (uint8_t)(t->tensor->rank - t->tile.rank + i);
        return true;
    }
    if (!cake_shape_equal(&global->shape, &t->tile)) {
        cake_text text;
        cake_text_init(&text, builder->arena);
        cake_shape_print(&global->shape, &text);
        cake_text_add_string(&text, " of the tensor and ");
        cake_shape_print(&t->tile, &text);
        cake_report(builder->diagnostics, CAKE_L404, t->span, "a box %s of the buffer", cake_text_string(&text));
        return false;
    }
    for (uint8_t d = 0; d < global->dimensions; d++)
        if (global->index[d].kind == CAKE_INDEX_RANGE) t->dimension[global->index[d].axis] = d;
    return cake_plan_place_is_box(global) || refuse(builder, t, strange_axes);
}

static const cake_plan_tensor_map *map_of(cake_builder *builder, const transfer *t, const uint32_t *box) {
    cake_plan *plan = builder->plan;
    for (uint32_t i = 0; i < plan->tensor_maps.count; i++) {
        cake_plan_tensor_map *map = plan->tensor_maps.items[i];
        if (map->tensor != t->tensor || map->swizzle != t->buffer->swizzle) continue;
        if (memcmp(map->box, box, sizeof map->box) != 0) continue;
        map->stores = map->stores || t->stores;
        return map;
    }
    cake_plan_tensor_map *map = CAKE_NEW(builder->arena, cake_plan_tensor_map);
    map->tensor = t->tensor;
    map->swizzle = t->buffer->swizzle;
    map->stores = t->stores;
    memcpy(map->box, box, sizeof map->box);
    *CAKE_PUSH(builder->arena, &plan->tensor_maps) = map;
    map->number = plan->tensor_maps.count;
    return map;
}

static const char misaligned[] = "a box would not start at a multiple of 128 bytes of shared memory";

/* The boxes of one matrix (the tile's last two axes) at the given leading index, whose shared offset is 'offset'. */
static bool add_matrix(cake_builder *builder, transfer *t, const uint32_t *leading, uint32_t offset) {
    uint8_t rank = t->tile.rank;
    uint32_t bytes = cake_dtype_bits(t->tensor->dtype);
    uint32_t columns = t->tile.extents[rank - 1], rows = rank > 1 ? t->tile.extents[rank - 2] : 1;
    uint32_t width = t->buffer->swizzle ? t->buffer->swizzle * 8 / bytes : columns;
    if (width > columns) width = columns;
    if (width > MAX_BOX && rows > 1)
        return refuse(builder, t, "a row of more than 256 elements needs a swizzle, which cuts it into panels");
    if (width > MAX_BOX) width = MAX_BOX;
    if (width * bytes % (8 * CAKE_LIMIT_BOX_ROW_UNIT) != 0)
        return refuse(builder, t, "the inner row of the box is no multiple of 16 bytes");
    if (columns % width != 0) return refuse(builder, t, "the row is no whole number of boxes");
    for (uint32_t column = 0; column < columns; column += width) {
        for (uint32_t row = 0; row < rows; row += MAX_BOX) {
            uint32_t height = rows - row < MAX_BOX ? rows - row : MAX_BOX;
            uint32_t box[CAKE_MAX_RANK] = {0};
            for (uint8_t d = 0; d < t->tensor->rank; d++)
                box[d] = 1;
            box[t->dimension[rank - 1]] = width;
            if (rank > 1) box[t->dimension[rank - 2]] = height;
            cake_plan_box *out = CAKE_PUSH(builder->arena, &t->copy->boxes);
            out->map = map_of(builder, t, box);
            for (uint8_t i = 0; i + 2 < rank; i++)
                out->shift[t->dimension[i]] = leading[i];
            out->shift[t->dimension[rank - 1]] = column;
            if (rank > 1) out->shift[t->dimension[rank - 2]] = row;
            uint32_t panel = t->buffer->swizzle ? column * bytes / 8 / t->buffer->row_bytes : 0;
            uint32_t within = t->buffer->swizzle ? 0 : column * bytes / 8;
            out->shared_offset = offset + panel * t->buffer->panel_bytes + row * t->buffer->row_bytes + within;
            if (out->shared_offset % CAKE_LIMIT_BOX_ALIGNMENT != 0) return refuse(builder, t, misaligned);
            out->bytes = width * height * bytes / 8;
            t->copy->bytes += out->bytes;
        }
    }
    return true;
}

/* All leading indices in row-major order; on the shared side the leading axes of the tile are the buffer's. */
static bool add_boxes(cake_builder *builder, transfer *t) {
    uint32_t leading[CAKE_MAX_RANK] = {0};
    uint32_t matrices = 1;
    for (uint8_t i = 0; i + 2 < t->tile.rank; i++)
        matrices *= t->tile.extents[i];
    if (matrices > 64) return refuse(builder, t, "one statement would need more than 64 boxes");
    for (uint32_t m = 0; m < matrices; m++) {
        uint32_t rest = m;
        for (uint8_t i = (uint8_t)(t->tile.rank > 2 ? t->tile.rank - 2 : 0); i-- > 0;) {
            leading[i] = rest % t->tile.extents[i];
            rest /= t->tile.extents[i];
        }
        if (!add_matrix(builder, t, leading, m * t->buffer->tile_bytes)) return false;
    }
    return true;
}

/* Bytes of shared memory that the copy's first box is shown to start at a multiple of. */
static uint32_t shared_alignment(const cake_builder *builder, const transfer *t) {
    const cake_plan_place *place = &t->copy->shared;
    uint32_t alignment = CAKE_MAX_MULTIPLE, step = t->buffer->tile_bytes;
    for (uint8_t d = place->dimensions; d-- > 0;) {
        uint8_t below = (uint8_t)(place->dimensions - 1 - d);
        if (below == 0) continue; /* whole rows: from column 0 */
        if (below > 2) step *= t->buffer->shape.extents[d + 1];
        uint32_t bytes = (below == 1 ? t->buffer->row_bytes : step) % CAKE_MAX_MULTIPLE;
        uint32_t offset = cake_plan_multiple(builder, place->index[d].base) * bytes;
        while (offset % alignment != 0)
            alignment /= 2;
    }
    return alignment;
}

/* The shared side: whole rows of whole panels, so that boxes are contiguous there. */
static bool check_shared(cake_builder *builder, const transfer *t) {
    const cake_plan_place *place = &t->copy->shared;
    uint32_t columns = t->buffer->shape.extents[t->buffer->shape.rank - 1];
    if (place->transposed) return refuse(builder, t, "a copy can't transpose");
    if (t->tile.rank == 0 || place->index[place->dimensions - 1].kind != CAKE_INDEX_RANGE)
        return refuse(builder, t, "the shared side must hold whole rows");
    if (t->tile.extents[t->tile.rank - 1] != columns)
        return refuse(builder, t, "the shared side must hold whole rows: slices of the last axis are not copied");
    if (!cake_plan_place_is_box(place)) return refuse(builder, t, strange_axes);
    for (uint8_t i = 0; i + 1 < place->dimensions; i++)
        if (place->index[i].kind == CAKE_INDEX_SCALAR && i > 0 && place->index[i - 1].kind == CAKE_INDEX_RANGE)
            return refuse(builder, t, "the shared side must be contiguous: index the leading axes first");
    if (!t->buffer->swizzle && t->tile.rank > 1 && t->tile.extents[t->tile.rank - 2] > 1 &&
        t->buffer->row_bytes != columns * cake_dtype_bits(t->buffer->dtype) / 8)
        return refuse(builder, t, "a box has no padding between its rows: use a swizzle in place of 'pad'");
    return shared_alignment(builder, t) >= CAKE_LIMIT_BOX_ALIGNMENT || refuse(builder, t, misaligned);
}

/* Strides of all dimensions but the last. */
static bool check_strides(cake_builder *builder, const transfer *t) {
    uint32_t bits = cake_dtype_bits(t->tensor->dtype);
    for (uint8_t d = 0; d + 1 < t->tensor->rank; d++) {
        uint32_t multiple = cake_plan_multiple(builder, t->tensor->strides[d]);
        if (multiple * bits % (8 * CAKE_LIMIT_TENSOR_STRIDE_UNIT) == 0) continue;
        cake_diagnostic *diagnostic = cake_report(
            builder->diagnostics, CAKE_H204, t->span,
            "the stride of dimension %u of '%s' is not shown to be a multiple of 16 bytes", d, t->tensor->name);
        cake_diagnostic_note(builder->diagnostics, diagnostic, t->tensor->span,
                             "a multiple of %u elements of %u bits is known; 'where K %% %u == 0' shows it of a "
                             "dimension",
                             multiple, bits, 8 * CAKE_LIMIT_TENSOR_STRIDE_UNIT / bits);
        return false;
    }
    return true;
}

static bool check_tensor(cake_builder *builder, const transfer *t) {
    if (t->tensor->rank > CAKE_LIMIT_BOX_DIMENSIONS) return refuse(builder, t, "a tensor map has at most 5 dimensions");
    if (t->tile.rank == 0 || t->dimension[t->tile.rank - 1] != t->tensor->rank - 1)
        return refuse(builder, t, "the last axis of the box must be the tensor's last, contiguous dimension");
    if (t->copy->global.transposed) return refuse(builder, t, "a copy can't transpose");
    uint8_t innermost = (uint8_t)(t->tensor->rank - 1);
    if (cake_dtype_bits(t->tensor->dtype) < 8 &&
        (cake_plan_multiple(builder, t->tensor->extents[innermost]) % 2 != 0 ||
         cake_plan_multiple(builder, t->copy->global.index[innermost].base) % 2 != 0))
        return refuse(builder, t, "4-bit elements are copied in pairs, and an even extent and start are not shown");
    if (t->tensor->dtype != t->buffer->dtype) return refuse(builder, t, "tensor and buffer have different dtypes");
    const cake_plan_value *last = t->tensor->strides[t->tensor->rank - 1];
    if (!last->is_constant || last->integer != 1)
        return refuse(builder, t, "the tensor's last dimension is not contiguous");
    return check_strides(builder, t);
}

/* PTX ISA 'cp.reduce.async.bulk': bits of 32 and 64, numbers of these and of 16-bit floats; no sums of i64, no extremes
 * of f32 and f64. */
static bool check_reduction(cake_builder *builder, const transfer *t) {
    if (!t->copy->reduce) return true;
    cake_dtype dtype = t->tensor->dtype;
    uint32_t bits = cake_dtype_bits(dtype);
    bool real = cake_dtype_class_of(dtype) == CAKE_CLASS_FLOAT && dtype != CAKE_DTYPE_TF32;
    bool integer = bits >= 32 && cake_dtype_class_of(dtype) != CAKE_CLASS_FLOAT;
    bool adds = strcmp(t->copy->reduce, "add") == 0;
    bool compares = strcmp(t->copy->reduce, "min") == 0 || strcmp(t->copy->reduce, "max") == 0;
    bool wide = dtype == CAKE_DTYPE_I64; /* an H200 has no instruction for its bits either, unlike u64 */
    if (adds       ? (real && bits >= 16) || (integer && !wide)
        : compares ? integer || (real && bits == 16)
                   : integer && !wide)
        return true;
    cake_report(builder->diagnostics, CAKE_H204, t->span, "there is no 'tma.reduce %s' of %s", t->copy->reduce,
                cake_dtype_name(dtype));
    return false;
}

static void note_fill(cake_plan_pipeline *pipeline, const cake_plan_copy *copy) {
    pipeline->filled_by_tma = true;
    pipeline->multicast = pipeline->multicast || copy->multicast;
}

void cake_plan_tma(cake_builder *builder, const cake_stmt *stmt) {
    bool stores = stmt->kind != CAKE_STMT_TMA_LOAD;
    cake_plan_copy *copy = CAKE_NEW(builder->arena, cake_plan_copy);
    if (!cake_plan_place_of(builder, stores ? stmt->u.copy.from : stmt->u.copy.to, &copy->shared)) return;
    if (!cake_plan_place_of(builder, stores ? stmt->u.copy.to : stmt->u.copy.from, &copy->global)) return;
    copy->cache = stmt->u.copy.clauses.cache;
    copy->reduce = stmt->kind == CAKE_STMT_TMA_REDUCE ? stmt->u.copy.reduce : NULL;
    copy->multicast = stmt->u.copy.multicast && builder->plan->launch.cluster > 1;
    transfer t = {.copy = copy,
                  .tensor = copy->global.tensor,
                  .buffer = copy->shared.buffer,
                  .stores = stores,
                  .span = stmt->span,
                  .tile = copy->shared.shape};
    if (!t.tensor || !t.buffer) {
        refuse(builder, &t, "a bulk copy goes between a tensor and a shared buffer");
        return;
    }
    if (copy->shared.peer) {
        refuse(builder, &t, "a bulk copy reaches its own CTA's memory; 'multicast' also that of all the others");
        return;
    }
    if (!match_axes(builder, &t) || !check_shared(builder, &t) || !check_tensor(builder, &t) ||
        !check_reduction(builder, &t) || !add_boxes(builder, &t))
        return;
    copy->shared.fills = !stores;
    cake_plan_append(builder, stores ? CAKE_PLAN_TMA_STORE : CAKE_PLAN_TMA_LOAD)->u.copy = copy;
    if (!stores && t.buffer->pipeline) note_fill((cake_plan_pipeline *)t.buffer->pipeline, copy);
}
