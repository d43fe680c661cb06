/* mma: products of one warp, m16n8kK with 32 bytes of the reduced dimension a step (PTX ISA 'mma').
 *
 * Both operands are read in blocks of 16 rows by 32 bytes, rows being those of x and of y.T: four 8x8 matrices of
 * 16-bit words' pairs, which is what ldmatrix.x4 brings and how fragments lie in registers (cake_layout_mma).
 */
#include "plan/internal.h"

static bool refuse(cake_builder *builder, cake_span span, const char *why) {
    cake_report(builder->diagnostics, CAKE_H210, span, "%s", why);
    return false;
}

const char *cake_plan_ldmatrix_obstacle(const cake_builder *builder, const cake_plan_place *place) {
    const cake_plan_buffer *buffer = place->buffer;
    if (place->dimensions < 2) return "the buffer is no matrix";
    const cake_plan_index *row = &place->index[place->dimensions - 2], *column = &place->index[place->dimensions - 1];
    uint32_t bytes = cake_dtype_bits(buffer->dtype) / 8, aligned = cake_plan_multiple(builder, column->base) * bytes;
    if (row->kind != CAKE_INDEX_RANGE || column->kind != CAKE_INDEX_RANGE)
        return "the matrix must lie in the last two dimensions of the buffer";
    if (buffer->row_bytes % CAKE_LIMIT_LDMATRIX_ROW_BYTES != 0) return "the buffer's rows are no multiple of 16 bytes";
    if (aligned % CAKE_LIMIT_LDMATRIX_ROW_BYTES != 0) return "the columns start at no multiple of 16 bytes";
    if (!buffer->swizzle) return NULL;
    if (!column->base->is_constant) return "the first column of a swizzled buffer must be known at compile time";
    if (aligned % CAKE_LIMIT_MATRIX_STEP_BYTES != 0)
        return "the columns of a swizzled buffer start at a multiple of 32 bytes";
    return cake_plan_multiple(builder, row->base) % CAKE_LIMIT_SWIZZLE_ROWS != 0
               ? "the rows of a swizzled buffer start at a multiple of 8"
               : NULL;
}

static bool shared_operand(cake_builder *builder, const cake_expr *expr, cake_plan_place *out_place,
                           cake_dtype *out_dtype) {
    if (!cake_plan_place_of(builder, expr, out_place)) return false;
    if (!out_place->buffer) return refuse(builder, expr->span, "an operand of mma lies in registers or shared memory");
    if (out_place->shape.rank != 2) return refuse(builder, expr->span, "an operand of mma is a matrix");
    if (out_place->peer) return refuse(builder, expr->span, "mma reads its own CTA's memory alone: load it first");
    *out_dtype = out_place->buffer->dtype;
    const char *obstacle = cake_plan_ldmatrix_obstacle(builder, out_place);
    return obstacle ? refuse(builder, expr->span, obstacle) : true;
}

static cake_plan_value *register_operand(cake_builder *builder, const cake_expr *expr, cake_dtype *out_dtype) {
    cake_plan_value *value = cake_plan_expression(builder, expr);
    if (!value) return NULL;
    *out_dtype = value->dtype;
    if (value->shape.rank != 2) {
        refuse(builder, expr->span, "an operand of mma is a matrix");
        return NULL;
    }
    uint32_t bits = cake_dtype_bits(value->dtype);
    if (bits == 8 || bits == 16 || bits == 32) cake_plan_class_mma(builder, value->layout_class, 32 / bits);
    return value;
}

/* x and y with the shapes [M, K] and [K, N] that they are written with. */
static bool read_operands(cake_builder *builder, const cake_stmt *stmt, cake_plan_matrix *matrix, cake_shape *out_x,
                          cake_shape *out_y, cake_dtype *out_y_dtype) {
    const cake_expr *x = stmt->u.matrix.x, *y = stmt->u.matrix.y;
    if (x->type.kind == CAKE_TYPE_MEMORY) {
        if (!shared_operand(builder, x, &matrix->x, &matrix->dtype)) return false;
        *out_x = matrix->x.shape;
        matrix->x_transposed = matrix->x.transposed;
    } else {
        matrix->x_registers = register_operand(builder, x, &matrix->dtype);
        if (!matrix->x_registers) return false;
        *out_x = matrix->x_registers->shape;
    }
    if (y->type.kind == CAKE_TYPE_MEMORY) {
        if (!shared_operand(builder, y, &matrix->y, out_y_dtype)) return false;
        *out_y = matrix->y.shape;
        matrix->y_transposed = !matrix->y.transposed; /* written sb.T, K is the contiguous dimension */
        return true;
    }
    if (y->kind != CAKE_EXPR_TRANSPOSE)
        return refuse(builder, y->span, "a right operand in registers is written '.T': its rows are fragments");
    matrix->y_registers = register_operand(builder, y->u.unary.operand, out_y_dtype);
    if (!matrix->y_registers) return false;
    const cake_shape *rows = &matrix->y_registers->shape;
    *out_y = (cake_shape){.rank = 2, .extents = {rows->extents[1], rows->extents[0]}};
    return true;
}

static bool check_dtypes(cake_builder *builder, const cake_stmt *stmt, const cake_plan_matrix *matrix, cake_dtype y) {
    cake_dtype x = matrix->dtype, accumulator = matrix->accumulator->dtype;
    bool real = (x == CAKE_DTYPE_F16 || x == CAKE_DTYPE_BF16 || x == CAKE_DTYPE_TF32) && y == x;
    bool integer = (x == CAKE_DTYPE_I8 || x == CAKE_DTYPE_U8) && (y == CAKE_DTYPE_I8 || y == CAKE_DTYPE_U8);
    if ((real && accumulator == CAKE_DTYPE_F32) || (integer && accumulator == CAKE_DTYPE_I32)) {
        if ((matrix->x_transposed || matrix->y_transposed) && cake_dtype_bits(x) != 16)
            return refuse(builder, stmt->span, "ldmatrix transposes 16-bit elements only: lay the operand out along K");
        return true;
    }
    cake_report(builder->diagnostics, CAKE_H210, stmt->span,
                "mma multiplies f16, bf16, tf32 into f32 and i8, u8 into i32; not %s and %s into %s",
                cake_dtype_name(x), cake_dtype_name(y), cake_dtype_name(accumulator));
    return false;
}

static bool check_shape(cake_builder *builder, const cake_stmt *stmt, cake_plan_matrix *matrix, const cake_shape *x,
                        const cake_shape *y) {
    const cake_shape *acc = &matrix->accumulator->shape;
    if (acc->rank != 2 || acc->extents[0] != x->extents[0] || acc->extents[1] != y->extents[1] ||
        x->extents[1] != y->extents[0]) {
        cake_report(builder->diagnostics, CAKE_L404, stmt->span,
                    "[%u, %u] times [%u, %u] does not make the accumulator", x->extents[0], x->extents[1],
                    y->extents[0], y->extents[1]);
        return false;
    }
    matrix->k_per_step = CAKE_LIMIT_MATRIX_STEP_BYTES * 8 / cake_dtype_bits(matrix->dtype);
    matrix->m_blocks = acc->extents[0] / CAKE_LIMIT_MMA_ROWS;
    matrix->n = acc->extents[1];
    matrix->k = x->extents[1];
    if (acc->extents[0] % CAKE_LIMIT_MMA_ROWS != 0)
        return refuse(builder, stmt->span, "the rows are no multiple of 16");
    if (matrix->n % CAKE_LIMIT_MMA_COLUMNS != 0) return refuse(builder, stmt->span, "the columns are no multiple of 8");
    if (matrix->k % matrix->k_per_step != 0)
        return refuse(builder, stmt->span, "the reduced dimension is no multiple of 32 bytes");
    if (matrix->y_registers && matrix->n % 16 != 0)
        return refuse(builder, stmt->span, "a right operand in registers has a multiple of 16 columns");
    return true;
}

void cake_plan_mma(cake_builder *builder, const cake_stmt *stmt) {
    cake_plan_matrix *matrix = CAKE_NEW(builder->arena, cake_plan_matrix);
    matrix->accumulator = cake_plan_variable_of(builder, stmt->u.matrix.accumulator);
    if (!matrix->accumulator) {
        refuse(builder, stmt->u.matrix.accumulator->span, "the accumulator of mma is a whole 'var'");
        return;
    }
    if (builder->role->warps_per_team != 1) {
        refuse(builder, stmt->span,
               "mma is done by a team of one warp: declare the role with 'warps' and write 'role NAME(w)'");
        return;
    }
    cake_shape x, y;
    cake_dtype y_dtype;
    if (!read_operands(builder, stmt, matrix, &x, &y, &y_dtype) || !check_dtypes(builder, stmt, matrix, y_dtype) ||
        !check_shape(builder, stmt, matrix, &x, &y))
        return;
    matrix->y_dtype = y_dtype;
    matrix->fresh = !stmt->u.matrix.add;
    cake_plan_class_mma(builder, matrix->accumulator->layout_class, 2);
    cake_plan_append(builder, CAKE_PLAN_MMA)->u.matrix = matrix;
}
