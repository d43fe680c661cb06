/* Whether the vectors that 'vec n' asks for are whole: each starts at a multiple of its size, no bound cuts one, and a
 * mask is equal for all its elements. What is not shown is refused, since a misaligned access traps and a mask is
 * looked at once a vector. */
#include "plan/internal.h"

static uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static const cake_plan_index *last_index(const cake_plan_place *place) {
    return &place->index[place->dimensions - 1];
}

/* Elements that the distances between rows are multiples of. */
static uint32_t rows_multiple(const cake_builder *builder, const cake_plan_place *place) {
    if (place->buffer) {
        uint32_t bits = cake_dtype_bits(place->buffer->dtype), multiple = CAKE_MAX_MULTIPLE;
        while (place->buffer->row_bytes * 8 % (multiple * bits) != 0)
            multiple /= 2;
        return multiple;
    }
    uint32_t multiple = CAKE_MAX_MULTIPLE;
    for (uint8_t d = 0; d + 1 < place->dimensions; d++) {
        uint32_t stride = cake_plan_multiple(builder, place->tensor->strides[d]);
        if (place->index[d].kind == CAKE_INDEX_SCALAR) stride *= cake_plan_multiple(builder, place->index[d].base);
        multiple = smaller(multiple, stride);
    }
    return multiple;
}

/* Elements that the end of the last dimension is a multiple of, where an access may reach it. */
static uint32_t bound_multiple(const cake_builder *builder, const cake_plan_access *access) {
    const cake_plan_place *place = &access->place;
    if (!access->clip) return CAKE_MAX_MULTIPLE;
    if (place->tensor) return cake_plan_multiple(builder, place->tensor->extents[place->dimensions - 1]);
    uint32_t extent = place->buffer->shape.extents[place->dimensions - 1];
    return smaller(extent & (~extent + 1), CAKE_MAX_MULTIPLE);
}

/* Whether the values of the tile's last axis are equal, as a tree of operations shows it. */
static bool is_uniform(const cake_plan_value *value) {
    const cake_plan_op *op = value->definition;
    if (value->is_constant || value->shape.rank == 0 || value->shape.extents[value->shape.rank - 1] == 1) return true;
    if (!op || (op->kind != CAKE_PLAN_BINARY && op->kind != CAKE_PLAN_UNARY && op->kind != CAKE_PLAN_SPLAT))
        return false;
    for (uint8_t i = 0; i < op->operand_count; i++)
        if (!is_uniform(op->operands[i])) return false;
    return true;
}

bool cake_plan_vector_check(cake_builder *builder, const cake_plan_access *access) {
    const cake_plan_place *place = &access->place;
    if (access->vec <= 1 || place->shape.rank == 0 || last_index(place)->kind != CAKE_INDEX_RANGE) return true;
    if (access->mask && !is_uniform(access->mask)) {
        cake_report(builder->diagnostics, CAKE_L504, access->mask->span,
                    "the mask is not shown to be equal along runs of %u: leave out 'vec', or mask whole rows",
                    access->vec);
        return false;
    }
    uint32_t offset = cake_plan_multiple(builder, last_index(place)->base), rows = rows_multiple(builder, place);
    uint32_t bound = bound_multiple(builder, access);
    if (smaller(offset, smaller(rows, bound)) % access->vec == 0) return true;
    cake_diagnostic *d = cake_report(builder->diagnostics, CAKE_L504, place->span,
                                     "runs of %u elements are not shown to be whole and aligned", access->vec);
    cake_diagnostic_note(builder->diagnostics, d, place->span,
                         "shown to be multiples: the first column of %u, rows of %u, the bound of %u; 'where N %% %u "
                         "== 0' shows it of a dimension",
                         offset, rows, bound, access->vec);
    return false;
}
