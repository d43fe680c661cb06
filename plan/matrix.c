/* Matrix products. wgmma: m64nNkK with 32 bytes of the reduced dimension a step (PTX ISA 'wgmma.mma_async'). */
#include "plan/internal.h"

static bool refuse(cake_builder *builder, cake_span span, const char *why) {
    cake_report(builder->diagnostics, CAKE_H205, span, "%s", why);
    return false;
}

/* A shared operand: a swizzled matrix, its last two axes open. */
static bool shared_operand(cake_builder *builder, const cake_expr *expr, cake_plan_place *out_place,
                           cake_dtype *out_dtype) {
    if (!cake_plan_place_of(builder, expr, out_place)) return false;
    const cake_plan_buffer *buffer = out_place->buffer;
    if (out_place->peer) return refuse(builder, expr->span, "wgmma reads its own CTA's memory alone: load it first");
    if (!buffer) return refuse(builder, expr->span, "an operand of wgmma lies in registers or in shared memory");
    if (out_place->shape.rank != 2) return refuse(builder, expr->span, "an operand of wgmma is a matrix");
    if (!buffer->swizzle)
        return refuse(builder, expr->span, "this operand's buffer has no swizzle: declare it with 'swizzle 128'");
    *out_dtype = buffer->dtype;
    return true;
}

static bool register_operand(cake_builder *builder, const cake_expr *expr, cake_plan_matrix *matrix) {
    matrix->x_registers = cake_plan_expression(builder, expr);
    if (!matrix->x_registers) return false;
    matrix->dtype = matrix->x_registers->dtype;
    if (matrix->x_registers->shape.rank != 2) return refuse(builder, expr->span, "an operand of wgmma is a matrix");
    if (cake_dtype_bits(matrix->dtype) != 16)
        return refuse(builder, expr->span,
                      "an operand in registers has 16-bit elements: accumulator layout is its layout");
    cake_plan_class_wgmma(builder, matrix->x_registers->layout_class);
    return true;
}

static bool check_shape(cake_builder *builder, const cake_stmt *stmt, cake_plan_matrix *matrix, const cake_shape *x,
                        const cake_shape *y) {
    const cake_shape *acc = &matrix->accumulator->shape;
    uint32_t warpgroups = builder->role->warps_per_team / 4;
    if (acc->rank != 2 || acc->extents[0] != x->extents[0] || acc->extents[1] != y->extents[1] ||
        x->extents[1] != y->extents[0]) {
        cake_report(builder->diagnostics, CAKE_L404, stmt->span,
                    "[%u, %u] times [%u, %u] does not make the accumulator", x->extents[0], x->extents[1],
                    y->extents[0], y->extents[1]);
        return false;
    }
    if (builder->role->warps_per_team % 4 != 0)
        return refuse(builder, stmt->span, "wgmma is executed by whole warpgroups: declare the role with 'warpgroups'");
    if (warpgroups & (warpgroups - 1)) {
        cake_report(builder->diagnostics, CAKE_U001, stmt->span,
                    "wgmma by a team of %u warpgroups is not lowered yet: 'role NAME(w)' makes a team of each",
                    warpgroups);
        return false;
    }
    if (acc->extents[0] % (CAKE_LIMIT_WGMMA_ROWS * warpgroups) != 0)
        return refuse(builder, stmt->span, "the rows are no multiple of 64 a warpgroup");
    if (acc->extents[1] % CAKE_LIMIT_WGMMA_COLUMN_UNIT != 0 || acc->extents[1] > CAKE_LIMIT_WGMMA_COLUMNS)
        return refuse(builder, stmt->span, "the columns are no multiple of 8 up to 256");
    matrix->k_per_step = 8 * CAKE_LIMIT_MATRIX_STEP_BYTES / cake_dtype_bits(matrix->dtype);
    if (x->extents[1] % matrix->k_per_step != 0)
        return refuse(builder, stmt->span, "the reduced dimension is no multiple of 32 bytes");
    matrix->m_blocks = acc->extents[0] / (CAKE_LIMIT_WGMMA_ROWS * warpgroups);
    matrix->n = acc->extents[1];
    matrix->k = x->extents[1];
    return true;
}

/* Whether the bytes from 'start' of each row on are read in steps that stay within a swizzle span. */
static bool fits_spans(const cake_builder *builder, const cake_plan_index *column, const cake_plan_buffer *buffer) {
    uint32_t bytes = cake_dtype_bits(buffer->dtype) / 8, length = column->length * bytes, span = buffer->swizzle;
    uint32_t start = cake_plan_multiple(builder, column->base) * bytes;
    if (start % span == 0) return true;
    if (column->base->is_constant && start % CAKE_LIMIT_MATRIX_STEP_BYTES == 0)
        return (uint64_t)column->base->integer * bytes % span + length <= span;
    return start % length == 0 && span % length == 0;
}

/* A descriptor's start address is that of a group of 8 rows, and steps along rows cross no span in their middle (PTX
 * ISA 'Strides', of the matrix descriptor). */
static bool check_start(cake_builder *builder, const cake_plan_place *place, bool transposed) {
    const cake_plan_index *row = &place->index[place->dimensions - 2], *column = &place->index[place->dimensions - 1];
    uint32_t bytes = cake_dtype_bits(place->buffer->dtype) / 8;
    if (row->kind != CAKE_INDEX_RANGE || column->kind != CAKE_INDEX_RANGE)
        return refuse(builder, place->span, "the matrix must lie in the last two dimensions of the buffer");
    if (cake_plan_multiple(builder, row->base) % CAKE_LIMIT_SWIZZLE_ROWS != 0)
        return refuse(builder, place->span, "the rows of an operand start at a multiple of 8");
    if (transposed && cake_plan_multiple(builder, column->base) * bytes % place->buffer->swizzle != 0)
        return refuse(builder, place->span, "an operand that runs along M or N starts at a whole swizzle span");
    if (!transposed && !fits_spans(builder, column, place->buffer))
        return refuse(builder, place->span,
                      "the columns of an operand start at a swizzle span, or at a multiple of 32 "
                      "bytes and end within it");
    return true;
}

/* Combinations of PTX ISA 'wgmma.mma_async' that accumulate in 32 bits. */
static bool has_instruction(const cake_plan_matrix *matrix) {
    cake_dtype x = matrix->dtype, y = matrix->y_dtype, sum = matrix->accumulator->dtype;
    bool alike = x == y && (x == CAKE_DTYPE_F16 || x == CAKE_DTYPE_BF16 || x == CAKE_DTYPE_TF32);
    bool bytes = (x == CAKE_DTYPE_E4M3 || x == CAKE_DTYPE_E5M2) && (y == CAKE_DTYPE_E4M3 || y == CAKE_DTYPE_E5M2);
    bool integers = (x == CAKE_DTYPE_I8 || x == CAKE_DTYPE_U8) && (y == CAKE_DTYPE_I8 || y == CAKE_DTYPE_U8);
    return sum == CAKE_DTYPE_F32 ? alike || bytes : sum == CAKE_DTYPE_I32 && integers;
}

void cake_plan_wgmma(cake_builder *builder, const cake_stmt *stmt) {
    cake_plan_matrix *matrix = CAKE_NEW(builder->arena, cake_plan_matrix);
    matrix->accumulator = cake_plan_variable_of(builder, stmt->u.matrix.accumulator);
    if (!matrix->accumulator) {
        refuse(builder, stmt->u.matrix.accumulator->span, "the accumulator of wgmma is a whole 'var'");
        return;
    }
    cake_dtype y_dtype;
    if (stmt->u.matrix.x->type.kind == CAKE_TYPE_MEMORY
            ? !shared_operand(builder, stmt->u.matrix.x, &matrix->x, &matrix->dtype)
            : !register_operand(builder, stmt->u.matrix.x, matrix))
        return;
    if (!shared_operand(builder, stmt->u.matrix.y, &matrix->y, &y_dtype)) return;
    matrix->y_dtype = y_dtype;
    if (!has_instruction(matrix)) {
        cake_report(
            builder->diagnostics, CAKE_H205, stmt->span,
            "there is no wgmma of %s and %s into %s: f16, bf16 and tf32 make f32 (both operands alike), e4m3 and "
            "e5m2 make f32, i8 and u8 make i32",
            cake_dtype_name(matrix->dtype), cake_dtype_name(y_dtype), cake_dtype_name(matrix->accumulator->dtype));
        return;
    }
    const cake_shape *x = matrix->x_registers ? &matrix->x_registers->shape : &matrix->x.shape;
    if (!check_shape(builder, stmt, matrix, x, &matrix->y.shape)) return;
    matrix->x_transposed = matrix->x.transposed;
    matrix->y_transposed = !matrix->y.transposed; /* y is [K, N]; written sb.T, K is the contiguous dimension */
    if ((matrix->x_transposed || matrix->y_transposed) && cake_dtype_bits(matrix->dtype) != 16) {
        refuse(builder, stmt->span, "operands that run along M or N in memory are 16 bits wide: write 'x' and 'y.T'");
        return;
    }
    if (!matrix->x_registers && !check_start(builder, &matrix->x, matrix->x_transposed)) return;
    if (!check_start(builder, &matrix->y, matrix->y_transposed)) return;
    matrix->fresh = !stmt->u.matrix.add;
    matrix->accumulator->accumulator = true;
    cake_plan_class_wgmma(builder, matrix->accumulator->layout_class);
    cake_plan_append(builder, CAKE_PLAN_WGMMA)->u.matrix = matrix;
}
