/* mma and ldmatrix.
 *
 * An operand is read in blocks of 16 rows by 32 bytes of the reduced dimension (a step); ldmatrix.x4 brings one. Of the
 * left operand a block is one fragment: low and high rows of the low 16 bytes, then of the high ones; of the right
 * operand it is two, low and high bytes of the low rows, then of the high ones. The words of a fragment must come in
 * order, since mma wants them in neighbouring registers, where ldmatrix puts its results (PTX ISA 'ldmatrix', 'Matrix
 * fragments for mma'). Operands that lie along M or N come through .trans, which exchanges rows and columns of each 8x8
 * matrix. The blocks of the next step are read before the products of this one.
 *
 * Along the rows of the buffer blocks are a constant distance apart (16 rows: whole periods of a swizzle); along its
 * columns the address is formed anew for each group of 32 bytes. Both hold for all turns of a loop but for the stage.
 */
#include "codegen/emit.h"

#define BLOCK_ROWS 16
#define STEP_BYTES 32

/* ---- shared operands ---- */

/* Where blocks of an operand lie. */
typedef struct matrix_source {
    const cake_plan_place *place;
    bool right;
    bool transposed; /* operand rows run along the buffer's columns */
    LLVMValueRef stage;
    LLVMValueRef fixed; /* i32: offset of the leading dimensions in the stage */
} matrix_source;

static matrix_source open_source(cake_emitter *e, const cake_plan_place *place, bool right, bool transposed) {
    const cake_plan_buffer *buffer = place->buffer;
    LLVMValueRef base = LLVMBuildPtrToInt(e->builder, e->shared, e->i32, ""), tile = cake_emit_i32(e, 0);
    for (uint8_t d = 0; d + 2 < place->dimensions; d++) {
        tile = LLVMBuildMul(e->builder, tile, cake_emit_i32(e, buffer->shape.extents[d]), "");
        tile = LLVMBuildAdd(e->builder, tile, cake_emit_index(e, place->index[d].base, e->i32), "");
    }
    return (matrix_source){.place = place,
                           .right = right,
                           .transposed = transposed,
                           .stage = LLVMBuildAdd(e->builder, base, cake_emit_stage_offset(e, place), ""),
                           .fixed = LLVMBuildMul(e->builder, tile, cake_emit_i32(e, buffer->tile_bytes), "")};
}

/* Bits [first, first + count) of the lane's number, times 'scale'. */
static LLVMValueRef lane_bits(cake_emitter *e, uint32_t first, uint32_t count, uint32_t scale) {
    LLVMValueRef bits = LLVMBuildLShr(e->builder, e->lane, cake_emit_i32(e, first), "");
    bits = LLVMBuildAnd(e->builder, bits, cake_emit_i32(e, (1u << count) - 1), "");
    return LLVMBuildMul(e->builder, bits, cake_emit_i32(e, scale), "");
}

/* The row of the buffer whose 16 bytes lane l gives to ldmatrix: lanes 8i .. 8i + 7 address matrix i. */
static LLVMValueRef lane_row(cake_emitter *e, const matrix_source *s, bool half) {
    if (s->transposed == s->right) return lane_bits(e, 0, 4, 1);
    LLVMValueRef row = lane_bits(e, 0, 3, 1);
    return half ? row : LLVMBuildAdd(e->builder, row, lane_bits(e, 4, 1, 8), "");
}

/* The byte within a group of 32. */
static LLVMValueRef lane_chunk(cake_emitter *e, const matrix_source *s, bool half) {
    if (s->transposed != s->right) return lane_bits(e, 3, 1, 16);
    return half ? cake_emit_i32(e, 0) : lane_bits(e, 4, 1, 16);
}

/* Offset in the stage of this lane's 16 bytes in the given group of columns, in the first 16 rows. */
static LLVMValueRef group_offset(cake_emitter *e, const matrix_source *s, uint32_t group, bool half) {
    const cake_plan_buffer *buffer = s->place->buffer;
    const cake_plan_index *index = &s->place->index[s->place->dimensions - 2];
    LLVMBuilderRef builder = e->builder;
    uint32_t element_bytes = cake_dtype_bits(buffer->dtype) / 8;
    LLVMValueRef row = LLVMBuildAdd(builder, cake_emit_index(e, index[0].base, e->i32), lane_row(e, s, half), "");
    LLVMValueRef line = LLVMBuildMul(builder, row, cake_emit_i32(e, buffer->row_bytes), "");
    LLVMValueRef offset = LLVMBuildAdd(builder, s->fixed, line, ""), chunk = lane_chunk(e, s, half);
    if (!buffer->swizzle) {
        LLVMValueRef column =
            LLVMBuildMul(builder, cake_emit_index(e, index[1].base, e->i32), cake_emit_i32(e, element_bytes), "");
        chunk = LLVMBuildAdd(builder, chunk, cake_emit_i32(e, group * STEP_BYTES), "");
        return LLVMBuildAdd(builder, offset, LLVMBuildAdd(builder, column, chunk, ""), "");
    }
    uint32_t column = (uint32_t)index[1].base->integer * element_bytes + group * STEP_BYTES, span = buffer->swizzle;
    LLVMValueRef turn = LLVMBuildLShr(builder, line, cake_emit_i32(e, 3), ""); /* bits 7.. of the offset to bits 4.. */
    turn = LLVMBuildAnd(builder, turn, cake_emit_i32(e, span - 16), "");
    turn = LLVMBuildXor(builder, turn, chunk, "");
    turn = LLVMBuildXor(builder, turn, cake_emit_i32(e, column % span), "");
    offset = LLVMBuildAdd(builder, offset, turn, "");
    return LLVMBuildAdd(builder, offset, cake_emit_i32(e, column / span * buffer->panel_bytes), "");
}

/* Four words of a block, or, of half a block (8 rows of the right operand), the first two. */
static void load_block(cake_emitter *e, const matrix_source *s, uint32_t block, uint32_t step, bool half,
                       LLVMValueRef *out_words) {
    uint32_t group = s->transposed ? block : step, rows = (s->transposed ? step : block) * BLOCK_ROWS;
    uint32_t count = half ? 2 : 4;
    LLVMTypeRef types[4] = {e->i32, e->i32, e->i32, e->i32};
    LLVMValueRef address = LLVMBuildAdd(e->builder, s->stage, group_offset(e, s, group, half), "");
    address = LLVMBuildAdd(e->builder, address, cake_emit_i32(e, rows * s->place->buffer->row_bytes), "");
    const char *text = cake_arena_format(e->arena, "ldmatrix.sync.aligned.m8n8.x%u%s.shared.b16 %s, [$%u];", count,
                                         s->transposed ? ".trans" : "", half ? "{$0, $1}" : "{$0, $1, $2, $3}", count);
    LLVMValueRef all = cake_emit_asm_value(e, LLVMStructTypeInContext(e->context, types, count, 0), text,
                                           half ? "=r,=r,r,~{memory}" : "=r,=r,=r,=r,r,~{memory}", &address, 1, true);
    for (uint32_t i = 0; i < count; i++)
        out_words[i] = LLVMBuildExtractValue(e->builder, all, i, "");
}

void cake_emit_fragments(cake_emitter *e, const cake_plan_place *place, LLVMValueRef *out_words) {
    matrix_source source = open_source(e, place, false, false);
    uint32_t bytes = place->shape.extents[1] * cake_dtype_bits(place->buffer->dtype) / 8;
    for (uint32_t block = 0; block < place->shape.extents[0] / BLOCK_ROWS; block++)
        for (uint32_t step = 0; step < bytes / STEP_BYTES; step++, out_words += 4)
            load_block(e, &source, block, step, false, out_words);
}

/* ---- operands ---- */

typedef struct operand_state {
    const cake_plan_value *registers; /* or null: from shared memory */
    matrix_source source;
    bool right;
    cake_dtype dtype;
    uint32_t rows, steps; /* of the whole operand */
} operand_state;

/* A block of an operand in registers; in the layout the words of both operands have the left one's order. */
static void take_block(cake_emitter *e, const operand_state *s, uint32_t block, uint32_t step,
                       LLVMValueRef *out_words) {
    uint32_t per_word = 32 / cake_dtype_bits(s->dtype), first = (block * s->steps + step) * 4 * per_word;
    for (uint32_t i = 0; i < 4; i++) {
        LLVMValueRef elements[4];
        uint32_t word = s->right ? i % 2 * 2 + i / 2 : i;
        for (uint32_t k = 0; k < per_word; k++)
            elements[k] = cake_emit_register(e, s->registers, first + word * per_word + k);
        cake_emit_pack(e, elements, per_word, s->dtype, &out_words[i]);
    }
}

static uint32_t block_count(const operand_state *s) {
    return (s->rows + BLOCK_ROWS - 1) / BLOCK_ROWS;
}

static void read_step(cake_emitter *e, const operand_state *s, uint32_t step, LLVMValueRef *out_words) {
    for (uint32_t block = 0; block < block_count(s); block++) {
        if (s->registers)
            take_block(e, s, block, step, &out_words[4 * block]);
        else
            load_block(e, &s->source, block, step, s->rows - block * BLOCK_ROWS < BLOCK_ROWS, &out_words[4 * block]);
    }
}

/* ---- products ---- */

static const char *ptx_dtype(cake_dtype dtype) {
    return dtype == CAKE_DTYPE_I8 ? "s8" : dtype == CAKE_DTYPE_I32 ? "s32" : cake_dtype_name(dtype);
}

typedef struct product_state {
    const cake_plan_matrix *matrix;
    variable_state *accumulator;
    const char *text, *constraints;
    LLVMTypeRef type;
} product_state;

static product_state open_product(cake_emitter *e, const cake_plan_matrix *matrix) {
    product_state s = {.matrix = matrix, .accumulator = cake_emit_variable(e, matrix->accumulator)};
    bool integer = matrix->accumulator->dtype == CAKE_DTYPE_I32;
    LLVMTypeRef element = integer ? e->i32 : e->f32, types[4] = {element, element, element, element};
    const char *accumulator = ptx_dtype(matrix->accumulator->dtype);
    s.type = LLVMStructTypeInContext(e->context, types, 4, 0);
    s.text = cake_arena_format(e->arena,
                               "mma.sync.aligned.m16n8k%u.row.col.%s.%s.%s.%s {$0, $1, $2, $3}, {$4, $5, $6, $7}, "
                               "{$8, $9}, {$0, $1, $2, $3};",
                               matrix->k_per_step, accumulator, ptx_dtype(matrix->dtype), ptx_dtype(matrix->y_dtype),
                               accumulator);
    s.constraints = integer ? "=r,=r,=r,=r,r,r,r,r,r,r,0,1,2,3" : "=f,=f,=f,=f,r,r,r,r,r,r,0,1,2,3";
    return s;
}

/* m16n8: 'a' has four words, 'b' two. */
static void multiply(cake_emitter *e, const product_state *s, LLVMValueRef *a, LLVMValueRef *b, uint32_t first,
                     bool fresh) {
    LLVMValueRef operands[10] = {a[0], a[1], a[2], a[3], b[0], b[1]};
    LLVMTypeRef element = LLVMStructGetTypeAtIndex(s->type, 0);
    for (uint32_t i = 0; i < 4; i++)
        operands[6 + i] = fresh ? LLVMConstNull(element)
                                : LLVMBuildLoad2(e->builder, element, s->accumulator->registers[first + i], "");
    LLVMValueRef all = cake_emit_asm_value(e, s->type, s->text, s->constraints, operands, 10, true);
    for (uint32_t i = 0; i < 4; i++)
        LLVMBuildStore(e->builder, LLVMBuildExtractValue(e->builder, all, i, ""), s->accumulator->registers[first + i]);
}

/* Columns run to and fro, so that neighbouring instructions share an operand. */
static void multiply_step(cake_emitter *e, const product_state *s, LLVMValueRef *x, LLVMValueRef *y, bool fresh) {
    uint32_t columns = s->matrix->n / 8;
    for (uint32_t i = 0; i < s->matrix->m_blocks; i++)
        for (uint32_t k = 0; k < columns; k++) {
            uint32_t j = i % 2 ? columns - 1 - k : k;
            multiply(e, s, &x[4 * i], &y[2 * j], (i * columns + j) * 4, fresh);
        }
}

void cake_emit_mma(cake_emitter *e, const cake_plan_op *op) {
    const cake_plan_matrix *matrix = op->u.matrix;
    uint32_t steps = matrix->k / matrix->k_per_step;
    operand_state x = {.registers = matrix->x_registers, .dtype = matrix->dtype, .steps = steps};
    operand_state y = {.registers = matrix->y_registers, .right = true, .dtype = matrix->y_dtype, .steps = steps};
    x.rows = matrix->m_blocks * BLOCK_ROWS;
    y.rows = matrix->n;
    if (!x.registers) x.source = open_source(e, &matrix->x, false, matrix->x_transposed);
    if (!y.registers) y.source = open_source(e, &matrix->y, true, matrix->y_transposed);
    product_state product = open_product(e, matrix);
    LLVMValueRef *words[2][2]; /* by turn, of x and y */
    for (uint32_t i = 0; i < 2; i++) {
        words[i][0] = CAKE_NEW_ARRAY(e->arena, LLVMValueRef, 4 * block_count(&x));
        words[i][1] = CAKE_NEW_ARRAY(e->arena, LLVMValueRef, 4 * block_count(&y));
    }
    for (uint32_t step = 0; step <= steps; step++) {
        if (step < steps) {
            read_step(e, &x, step, words[step % 2][0]);
            read_step(e, &y, step, words[step % 2][1]);
        }
        uint32_t previous = (step + 1) % 2;
        if (step) multiply_step(e, &product, words[previous][0], words[previous][1], matrix->fresh && step == 1);
    }
}
