/* wgmma: one asm statement for each block of 64 rows, with the accumulator as in-out operands.
 *
 * Keeping all steps of a statement in one asm leaves ptxas nothing to move between them, so it never serialises the
 * group (its notes C7510 and C7519). An empty asm over the accumulators after each wait keeps LLVM from reading them
 * earlier.
 */
#include "codegen/emit.h"

/* A matrix descriptor (PTX ISA 'Matrix descriptor format'): start address >> 4 in bits 0-13, leading and stride byte
 * offsets >> 4 in bits 16-29 and 32-45, swizzle mode in bits 62-63 (1: 128 bytes, 2: 64, 3: 32).
 *
 * Steps differ in the low half only, and the halves are joined inside the asm statement: ptxas 13.0.88 drops the high
 * half of a 64-bit sum of a uniform product and a descriptor's constant. */
typedef struct operand_state {
    LLVMValueRef low; /* i32: of the first step */
    uint32_t high;
    uint32_t step_bytes; /* from step to step within a panel or block */
    uint32_t steps_per_panel, panel_bytes;
} operand_state;

static uint32_t swizzle_mode(uint32_t swizzle) {
    return swizzle == 128 ? 1 : swizzle == 64 ? 2 : 3;
}

/* K-major: rows of one span, groups of 8 rows 8 spans apart; a step is 32 bytes along the row.
 * MN-major: K runs over rows; a step is k_per_step rows; neighbouring blocks of one span are a panel apart. */
static operand_state open_operand(cake_emitter *e, const cake_plan_matrix *matrix, const cake_plan_place *place,
                                  bool transposed) {
    const cake_plan_buffer *buffer = place->buffer;
    operand_state s = {.high = (buffer->swizzle * 8) >> 4 | swizzle_mode(buffer->swizzle) << 30};
    if (transposed) {
        s.step_bytes = matrix->k_per_step * buffer->row_bytes;
        s.steps_per_panel = UINT32_MAX;
    } else {
        s.step_bytes = 32;
        s.steps_per_panel = buffer->swizzle / 32;
        s.panel_bytes = buffer->panel_bytes;
    }
    uint32_t leading = transposed ? buffer->panel_bytes : 16;
    LLVMValueRef address = cake_emit_shared_origin(e, place);
    address = LLVMBuildLShr(e->builder, LLVMBuildAnd(e->builder, address, cake_emit_i32(e, 0x3ffff), ""),
                            cake_emit_i32(e, 4), "");
    s.low = LLVMBuildOr(e->builder, address, cake_emit_i32(e, (leading >> 4) << 16), "");
    return s;
}

static LLVMValueRef low_half(cake_emitter *e, const operand_state *s, uint32_t step, uint32_t rows_offset) {
    uint32_t panel = step / s->steps_per_panel;
    uint32_t bytes = panel * s->panel_bytes + (step - panel * s->steps_per_panel) * s->step_bytes + rows_offset;
    return LLVMBuildAdd(e->builder, s->low, cake_emit_i32(e, bytes >> 4), "");
}

static void add_registers(cake_text *text, uint32_t first, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        cake_text_format(text, "%s$%u", i ? "," : "{", first + i);
    cake_text_add_string(text, "}");
}

static LLVMTypeRef accumulator_type(cake_emitter *e, LLVMTypeRef element, uint32_t count) {
    LLVMTypeRef *types = CAKE_NEW_ARRAY(e->arena, LLVMTypeRef, count);
    for (uint32_t i = 0; i < count; i++)
        types[i] = element;
    return LLVMStructTypeInContext(e->context, types, count, 0);
}

/* A fragments of one step: eight 16-bit registers as four words, in the accumulator's order of registers. */
static void fragment_words(cake_emitter *e, const cake_plan_matrix *matrix, uint32_t block, uint32_t step,
                           LLVMValueRef *out_words) {
    uint32_t per_block = matrix->k / 2, first = block * per_block + step * 8;
    LLVMTypeRef pair = LLVMVectorType(cake_emit_type(e, matrix->dtype), 2);
    for (uint32_t i = 0; i < 4; i++) {
        LLVMValueRef both = LLVMGetUndef(pair);
        for (uint32_t k = 0; k < 2; k++)
            both =
                LLVMBuildInsertElement(e->builder, both, cake_emit_register(e, matrix->x_registers, first + 2 * i + k),
                                       cake_emit_i32(e, k), "");
        out_words[i] = LLVMBuildBitCast(e->builder, both, e->i32, "");
    }
}

typedef struct statement_state {
    const cake_plan_matrix *matrix;
    operand_state x, y;
    uint32_t accumulators; /* registers of a block */
    bool accumulates_integers;
    LLVMTypeRef element; /* of the accumulator */
    LLVMValueRef *operands;
    uint32_t operand_count;
    cake_text descriptors, text, constraints;
} statement_state;

static uint32_t add_operand(statement_state *s, LLVMValueRef value, const char *constraint) {
    s->operands[s->operand_count++] = value;
    cake_text_format(&s->constraints, ",%s", constraint);
    return s->accumulators + s->operand_count - 1; /* outputs are numbered first */
}

/* Names the step's descriptor 'x3' or 'y3' and joins its halves before the products. */
static void add_descriptor(cake_emitter *e, statement_state *s, const operand_state *operand, char name, uint32_t step,
                           uint32_t rows_offset) {
    uint32_t low = add_operand(s, low_half(e, operand, step, rows_offset), "r");
    cake_text_format(&s->descriptors, ".reg .b64 %c%u; mov.b64 %c%u, {$%u, 0x%x};\n", name, step, name, step, low,
                     operand->high);
    cake_text_format(&s->text, ", %c%u", name, step);
}

/* The PTX names of types: integers have a sign and a width. */
static const char *type_name(cake_dtype dtype) {
    if (dtype == CAKE_DTYPE_I8) return "s8";
    return cake_dtype_name(dtype);
}

/* Scales are 1; only 16-bit operands have bits for their major order, integers not even scales. */
static void add_modifiers(statement_state *s) {
    const cake_plan_matrix *matrix = s->matrix;
    if (s->accumulates_integers) return;
    cake_text_add_string(&s->text, ", 1, 1");
    if (cake_dtype_bits(matrix->dtype) != 16) return;
    if (!matrix->x_registers) cake_text_format(&s->text, ", %d", matrix->x_transposed);
    cake_text_format(&s->text, ", %d", matrix->y_transposed);
}

static void add_step(cake_emitter *e, statement_state *s, uint32_t block, uint32_t step) {
    const cake_plan_matrix *matrix = s->matrix;
    cake_text_format(&s->text, "wgmma.mma_async.sync.aligned.m64n%uk%u.%s.%s.%s ", matrix->n, matrix->k_per_step,
                     s->accumulates_integers ? "s32" : "f32", type_name(matrix->dtype), type_name(matrix->y_dtype));
    add_registers(&s->text, 0, s->accumulators);
    if (matrix->x_registers) {
        LLVMValueRef words[4];
        fragment_words(e, matrix, block, step, words);
        uint32_t first = add_operand(s, words[0], "r");
        for (uint32_t i = 1; i < 4; i++)
            add_operand(s, words[i], "r");
        cake_text_add_string(&s->text, ", ");
        add_registers(&s->text, first, 4);
    } else {
        uint32_t rows = block * 64 * (matrix->x_transposed ? 0 : matrix->x.buffer->row_bytes);
        if (matrix->x_transposed) rows = block * 64 * 2 / matrix->x.buffer->swizzle * matrix->x.buffer->panel_bytes;
        add_descriptor(e, s, &s->x, 'x', step, rows);
    }
    add_descriptor(e, s, &s->y, 'y', step, 0);
    cake_text_add_string(&s->text, step ? ", 1" : ", p");
    add_modifiers(s);
    cake_text_add_string(&s->text, ";\n");
}

static void emit_block_of_rows(cake_emitter *e, statement_state *s, variable_state *accumulator, LLVMValueRef keeps_old,
                               uint32_t block) {
    uint32_t steps = s->matrix->k / s->matrix->k_per_step;
    s->operands = CAKE_NEW_ARRAY(e->arena, LLVMValueRef, s->accumulators + 1 + 5 * steps);
    s->operand_count = 0;
    cake_text_init(&s->descriptors, e->arena);
    cake_text_init(&s->text, e->arena);
    cake_text_init(&s->constraints, e->arena);
    for (uint32_t i = 0; i < s->accumulators; i++)
        cake_text_format(&s->constraints, "%s=%c", i ? "," : "", s->accumulates_integers ? 'r' : 'f');
    for (uint32_t i = 0; i < s->accumulators; i++)
        add_operand(s, LLVMBuildLoad2(e->builder, s->element, accumulator->registers[block * s->accumulators + i], ""),
                    cake_arena_format(e->arena, "%u", i));
    uint32_t scale = add_operand(s, keeps_old, "r");
    for (uint32_t step = 0; step < steps; step++)
        add_step(e, s, block, step);
    cake_text_add_string(&s->constraints, ",~{memory}");
    const char *body =
        cake_arena_format(e->arena, "{ .reg .pred p; setp.ne.b32 p, $%u, 0;\n%swgmma.fence.sync.aligned;\n%s}", scale,
                          cake_text_string(&s->descriptors), cake_text_string(&s->text));
    LLVMValueRef result = cake_emit_asm_value(e, accumulator_type(e, s->element, s->accumulators), body,
                                              cake_text_string(&s->constraints), s->operands, s->operand_count, true);
    for (uint32_t i = 0; i < s->accumulators; i++)
        LLVMBuildStore(e->builder, LLVMBuildExtractValue(e->builder, result, i, ""),
                       accumulator->registers[block * s->accumulators + i]);
}

static void mark_in_flight(cake_emitter *e, const cake_plan_variable *variable) {
    for (uint32_t i = 0; i < e->in_flight_count; i++)
        if (e->in_flight[i] == variable) return;
    CAKE_ASSERT(e->in_flight_count < sizeof e->in_flight / sizeof *e->in_flight);
    e->in_flight[e->in_flight_count++] = variable;
}

void cake_emit_wgmma(cake_emitter *e, const cake_plan_op *op) {
    const cake_plan_matrix *matrix = op->u.matrix;
    variable_state *accumulator = cake_emit_variable(e, matrix->accumulator);
    bool integers = matrix->accumulator->dtype == CAKE_DTYPE_I32;
    statement_state s = {.matrix = matrix,
                         .accumulators = matrix->n / 2,
                         .accumulates_integers = integers,
                         .element = integers ? e->i32 : e->f32};
    if (!matrix->x_registers) s.x = open_operand(e, matrix, &matrix->x, matrix->x_transposed);
    s.y = open_operand(e, matrix, &matrix->y, matrix->y_transposed);
    if (!matrix->x_registers && e->role->warps_per_team > 4) { /* each warpgroup has its own rows of x */
        uint32_t rows = matrix->m_blocks * 64 * matrix->x.buffer->row_bytes;
        if (matrix->x_transposed)
            rows = matrix->m_blocks * 128 / matrix->x.buffer->swizzle * matrix->x.buffer->panel_bytes;
        LLVMValueRef group = LLVMBuildLShr(e->builder, e->team_warp, cake_emit_i32(e, 2), "");
        LLVMValueRef offset = LLVMBuildMul(e->builder, group, cake_emit_i32(e, rows >> 4), "");
        s.x.low = LLVMBuildAdd(e->builder, s.x.low, offset, "");
    }
    LLVMValueRef keeps_old = cake_emit_i32(e, !matrix->fresh);
    if (!matrix->fresh && accumulator->fresh) {
        LLVMValueRef fresh = LLVMBuildLoad2(e->builder, e->i1, accumulator->fresh, "");
        keeps_old = LLVMBuildZExt(e->builder, LLVMBuildNot(e->builder, fresh, ""), e->i32, "");
    }
    for (uint32_t block = 0; block < matrix->m_blocks; block++)
        emit_block_of_rows(e, &s, accumulator, keeps_old, block);
    if (accumulator->fresh) LLVMBuildStore(e->builder, LLVMConstInt(e->i1, 0, 0), accumulator->fresh);
    mark_in_flight(e, matrix->accumulator);
}

/* The registers of products in flight are defined by the wait: an empty asm takes and gives them. */
static void pin(cake_emitter *e, const cake_plan_variable *variable) {
    const variable_state *state = cake_emit_variable(e, variable);
    LLVMTypeRef element = cake_emit_type(e, variable->dtype);
    cake_text constraints;
    cake_text_init(&constraints, e->arena);
    LLVMValueRef *operands = CAKE_NEW_ARRAY(e->arena, LLVMValueRef, state->count);
    for (uint32_t i = 0; i < state->count; i++) {
        operands[i] = LLVMBuildLoad2(e->builder, element, state->registers[i], "");
        cake_text_format(&constraints, "%s=%c", i ? "," : "", element == e->i32 ? 'r' : 'f');
    }
    for (uint32_t i = 0; i < state->count; i++)
        cake_text_format(&constraints, ",%u", i);
    cake_text_add_string(&constraints, ",~{memory}");
    LLVMValueRef result = cake_emit_asm_value(e, accumulator_type(e, element, state->count), "",
                                              cake_text_string(&constraints), operands, state->count, true);
    for (uint32_t i = 0; i < state->count; i++)
        LLVMBuildStore(e->builder, LLVMBuildExtractValue(e->builder, result, i, ""), state->registers[i]);
}

void cake_emit_wgmma_wait(cake_emitter *e, uint32_t count) {
    cake_emit_asm(e, cake_arena_format(e->arena, "wgmma.wait_group.sync.aligned %u;", count), "", NULL, 0);
    for (uint32_t i = 0; i < e->in_flight_count; i++)
        pin(e, e->in_flight[i]);
}
