/* Reductions whose order is free: registers of a thread in order, then lanes by butterflies, then warps through scratch
 * in order of warps. The order is fixed by the layout, so equal inputs give equal bits on every run. */
#include "codegen/emit.h"
#include "plan/lines.h"

#define ALL_LANES ((1u << CAKE_LANE_BITS) - 1)

/* Votes tell a lane about all 32 bits at once, where a butterfly takes five steps. */
static LLVMValueRef vote(cake_emitter *e, const char *form, LLVMValueRef bit) {
    LLVMValueRef operands[2] = {cake_emit_i32(e, 0xffffffff), bit};
    return cake_emit_intrinsic(e, cake_arena_format(e->arena, "llvm.nvvm.vote.%s.sync", form), NULL, 0, operands, 2);
}

#define MAX_BALLOTS 3 /* with more registers to a line, adding them up and a butterfly are shorter */

/* count, where the line takes up whole warps: the bits of a ballot for each register. */
static bool counts_by_ballot(const cake_plan_op *op, const cake_layout_line *line) {
    return op->u.reduction->function == CAKE_BUILTIN_COUNT && op->u.reduction->within != CAKE_WITHIN_LANE &&
           op->u.reduction->lane_bits == ALL_LANES && line->count <= MAX_BALLOTS;
}

static cake_element count_bits(cake_emitter *e, const cake_plan_op *op, const cake_layout_line *line) {
    LLVMTypeRef type = cake_emit_value_type(e, op->result);
    LLVMValueRef sum = cake_emit_i32(e, 0);
    for (uint32_t i = 0; i < line->count; i++) {
        LLVMValueRef bits = vote(e, "ballot", cake_emit_register(e, op->operands[0], line->registers[i]));
        sum = LLVMBuildAdd(e->builder, sum, cake_emit_intrinsic(e, "llvm.ctpop", &e->i32, 1, &bits, 1), "");
    }
    return (cake_element){{LLVMBuildZExtOrBitCast(e->builder, sum, type, "")}};
}

static cake_element across_lanes(cake_emitter *e, const cake_plan_op *op, cake_element element) {
    const cake_plan_reduction *reduction = op->u.reduction;
    bool whole_warp = reduction->lane_bits == ALL_LANES;
    if (whole_warp && reduction->function == CAKE_BUILTIN_ANY) return (cake_element){{vote(e, "any", element.of[0])}};
    if (whole_warp && reduction->function == CAKE_BUILTIN_ALL) return (cake_element){{vote(e, "all", element.of[0])}};
    for (uint32_t bit = 0; bit < CAKE_LANE_BITS; bit++)
        if (reduction->lane_bits >> bit & 1)
            element = cake_emit_combine(e, op, element, cake_emit_shuffle_element(e, element, 1u << bit));
    return element;
}

/* Lanes that share an element store the same value: benign and cheap. */
static void across_warps(cake_emitter *e, const cake_plan_op *op, const cake_layout_lines *lines,
                         cake_element *elements) {
    uint32_t count = cake_emit_line_count(op);
    LLVMValueRef warp = cake_emit_packed_bits(e, e->team_warp, op->u.reduction->warp_bits);
    warp = LLVMBuildMul(e->builder, warp, cake_emit_i32(e, count), "");
    for (uint32_t i = 0; i < lines->count; i++) {
        LLVMValueRef slot = cake_emit_line_index(e, op, lines->lines[i].registers[0]);
        cake_emit_put(e, op, LLVMBuildAdd(e->builder, warp, slot, ""), elements[i]);
    }
    cake_emit_sync_team(e);
    for (uint32_t i = 0; i < lines->count; i++) {
        LLVMValueRef first = cake_emit_line_index(e, op, lines->lines[i].registers[0]);
        for (uint32_t w = 0; w < 1u << lines->warp_count; w++) {
            LLVMValueRef slot = LLVMBuildAdd(e->builder, first, cake_emit_i32(e, w * count), "");
            cake_element element = cake_emit_get(e, op, slot);
            elements[i] = w ? cake_emit_combine(e, op, elements[i], element) : element;
        }
    }
    cake_emit_sync_team(e);
}

static void unordered(cake_emitter *e, const cake_plan_op *op, const cake_layout_lines *lines,
                      cake_element *out_elements) {
    for (uint32_t i = 0; i < lines->count; i++) {
        const cake_layout_line *line = &lines->lines[i];
        if (counts_by_ballot(op, line)) {
            out_elements[i] = count_bits(e, op, line);
            continue;
        }
        cake_element element = cake_emit_element(e, op, line->registers[0]);
        for (uint32_t k = 1; k < line->count; k++)
            element = cake_emit_combine(e, op, element, cake_emit_element(e, op, line->registers[k]));
        out_elements[i] = op->u.reduction->within == CAKE_WITHIN_LANE ? element : across_lanes(e, op, element);
    }
    if (op->u.reduction->scratch_slots) across_warps(e, op, lines, out_elements);
}

/* The result's register for the line that begins with register r; the result's layout was derived in the same way. */
static uint32_t result_register(const cake_plan_op *op, uint32_t r) {
    const cake_layout *from = op->operands[0]->layout, *to = op->result->layout;
    if (op->result->shape.rank == 0) return 0;
    cake_coordinate coordinate = {{0}};
    uint8_t kept = 0;
    bool stays = op->u.reduction->within != CAKE_WITHIN_TEAM; /* folded axes are kept */
    for (uint8_t d = 0; d < from->shape.rank; d++) {
        bool folded = op->u.reduction->axes >> d & 1;
        if (!folded || stays) coordinate.at[kept++] = folded ? 0 : from->registers[r].at[d];
    }
    return cake_layout_find(to, &coordinate);
}

void cake_emit_reduce(cake_emitter *e, const cake_plan_op *op) {
    cake_layout_lines lines = cake_layout_lines_along(e->arena, op->operands[0]->layout, op->u.reduction->axes);
    cake_element *elements = CAKE_NEW_ARRAY(e->arena, cake_element, lines.count);
    if (op->u.reduction->ordered)
        cake_emit_ordered(e, op, elements);
    else
        unordered(e, op, &lines, elements);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const cake_plan_value *result = i ? op->second : op->result;
        LLVMValueRef *registers = CAKE_NEW_ARRAY(e->arena, LLVMValueRef, lines.count);
        for (uint32_t line = 0; line < lines.count; line++)
            registers[result_register(op, lines.lines[line].registers[0])] = elements[line].of[i];
        cake_emit_define(e, result, registers);
    }
}
