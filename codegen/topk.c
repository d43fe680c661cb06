/* topk: every thread sorts its own elements downwards; then, as often as elements are kept, the lanes find the largest
 * of their first ones, and the lane that had it drops it; at last the warps' lists are merged through scratch.
 *
 * What a list lacks at its end is the smallest value of the type, which is no mistake: it comes out only where all
 * elements that are left have that value.
 */
#include "codegen/emit.h"
#include "plan/lines.h"

static bool is_signed(const cake_plan_op *op) {
    cake_dtype_class class_ = cake_dtype_class_of(op->result->dtype);
    return class_ == CAKE_CLASS_SIGNED || class_ == CAKE_CLASS_INDEX;
}

static LLVMValueRef smallest(cake_emitter *e, const cake_plan_op *op) {
    LLVMTypeRef type = cake_emit_value_type(e, op->result);
    uint64_t top = (uint64_t)1 << (LLVMGetIntTypeWidth(type) - 1);
    return LLVMConstInt(type, is_signed(op) ? top : 0, 0);
}

static LLVMValueRef greater(cake_emitter *e, const cake_plan_op *op, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildICmp(e->builder, is_signed(op) ? LLVMIntSGT : LLVMIntUGT, a, b, "");
}

static LLVMValueRef choose(cake_emitter *e, LLVMValueRef condition, LLVMValueRef yes, LLVMValueRef no) {
    return LLVMBuildSelect(e->builder, condition, yes, no, "");
}

/* ---- registers ---- */

static void sort_two(cake_emitter *e, const cake_plan_op *op, LLVMValueRef *values, uint32_t i, uint32_t j) {
    LLVMValueRef turned = greater(e, op, values[j], values[i]), first = values[i];
    values[i] = choose(e, turned, values[j], first);
    values[j] = choose(e, turned, first, values[j]);
}

/* Merge exchange (Knuth, TAOCP 5.2.2, algorithm M): a network for any count. */
static void sort(cake_emitter *e, const cake_plan_op *op, LLVMValueRef *values, uint32_t count) {
    uint32_t top = 1;
    while (top * 2 < count)
        top *= 2;
    for (uint32_t p = count > 1 ? top : 0; p; p /= 2) {
        uint32_t d = p, r = 0;
        for (uint32_t q = top;; q /= 2) {
            for (uint32_t i = 0; i + d < count; i++)
                if ((i & p) == r) sort_two(e, op, values, i, i + d);
            if (q == p) break;
            d = q - p;
            r = p;
        }
    }
}

/* ---- lanes ---- */

/* The largest of the lanes' values, by butterflies; 'out_mine': whether this lane's is taken, of equal ones the first.
 */
static LLVMValueRef find_by_butterfly(cake_emitter *e, const cake_plan_op *op, LLVMValueRef value,
                                      LLVMValueRef *out_mine) {
    LLVMValueRef lane = e->lane;
    for (uint32_t bit = 0; bit < CAKE_LANE_BITS; bit++) {
        if (!(op->u.reduction->lane_bits >> bit & 1)) continue;
        LLVMValueRef other = cake_emit_shuffle(e, value, 1u << bit), other_lane = cake_emit_shuffle(e, lane, 1u << bit);
        LLVMValueRef equal = LLVMBuildICmp(e->builder, LLVMIntEQ, other, value, "");
        LLVMValueRef lower = LLVMBuildICmp(e->builder, LLVMIntULT, other_lane, lane, "");
        LLVMValueRef takes = LLVMBuildAnd(e->builder, equal, lower, "");
        takes = LLVMBuildOr(e->builder, takes, greater(e, op, other, value), "");
        value = choose(e, takes, other, value);
        lane = choose(e, takes, other_lane, lane);
    }
    *out_mine = LLVMBuildICmp(e->builder, LLVMIntEQ, lane, e->lane, "");
    return value;
}

static LLVMValueRef warp_call(cake_emitter *e, const char *name, LLVMValueRef first, LLVMValueRef second) {
    LLVMValueRef operands[2] = {first, second};
    return cake_emit_intrinsic(e, name, NULL, 0, operands, 2);
}

/* redux of a word; those of 64 bits one after the other, the lower among the lanes with the largest upper. */
static LLVMValueRef largest_word(cake_emitter *e, bool has_sign, LLVMValueRef word) {
    const char *name = has_sign ? "llvm.nvvm.redux.sync.max" : "llvm.nvvm.redux.sync.umax";
    return warp_call(e, name, word, cake_emit_i32(e, 0xffffffff));
}

static LLVMValueRef largest_wide(cake_emitter *e, const cake_plan_op *op, LLVMValueRef value) {
    LLVMBuilderRef builder = e->builder;
    LLVMValueRef bits = LLVMConstInt(e->i64, 32, 0), zero = cake_emit_i32(e, 0);
    LLVMValueRef high = LLVMBuildTrunc(builder, LLVMBuildLShr(builder, value, bits, ""), e->i32, "");
    LLVMValueRef top = largest_word(e, is_signed(op), high);
    LLVMValueRef has_top = LLVMBuildICmp(builder, LLVMIntEQ, high, top, "");
    LLVMValueRef low = choose(e, has_top, LLVMBuildTrunc(builder, value, e->i32, ""), zero);
    low = LLVMBuildZExt(builder, largest_word(e, false, low), e->i64, "");
    top = LLVMBuildShl(builder, LLVMBuildZExt(builder, top, e->i64, ""), bits, "");
    return LLVMBuildOr(builder, top, low, "");
}

/* The same where all lanes of the warp take part. */
static LLVMValueRef find_in_warp(cake_emitter *e, const cake_plan_op *op, LLVMValueRef value, LLVMValueRef *out_mine) {
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef all = cake_emit_i32(e, 0xffffffff), largest;
    if (type == e->i64) {
        largest = largest_wide(e, op, value);
    } else {
        LLVMValueRef word = LLVMBuildIntCast2(e->builder, value, e->i32, is_signed(op), "");
        largest = LLVMBuildIntCast2(e->builder, largest_word(e, is_signed(op), word), type, 0, "");
    }
    LLVMValueRef equal = LLVMBuildICmp(e->builder, LLVMIntEQ, value, largest, "");
    LLVMValueRef count[2] = {warp_call(e, "llvm.nvvm.vote.ballot.sync", all, equal), LLVMConstInt(e->i1, 1, 0)};
    LLVMValueRef first = cake_emit_intrinsic(e, "llvm.cttz", &e->i32, 1, count, 2);
    *out_mine = LLVMBuildICmp(e->builder, LLVMIntEQ, first, e->lane, "");
    return largest;
}

/* values: sorted, 'count' of them; out: the largest of the warp, sorted. */
static void across_lanes(cake_emitter *e, const cake_plan_op *op, LLVMValueRef *values, uint32_t count,
                         LLVMValueRef *out_values) {
    uint32_t wanted = op->u.reduction->count;
    for (uint32_t k = 0; k < wanted; k++) {
        LLVMValueRef mine;
        if (!op->u.reduction->lane_bits) {
            out_values[k] = k < count ? values[k] : smallest(e, op);
            continue;
        }
        bool whole_warp = op->u.reduction->lane_bits == (1u << CAKE_LANE_BITS) - 1;
        out_values[k] = whole_warp ? find_in_warp(e, op, values[0], &mine) : find_by_butterfly(e, op, values[0], &mine);
        for (uint32_t i = 0; i < count && i + k + 1 < wanted; i++) /* no more can still come to the front */
            values[i] = choose(e, mine, i + 1 < count ? values[i + 1] : smallest(e, op), values[i]);
    }
}

/* ---- warps ---- */

static LLVMValueRef pointer(cake_emitter *e, const cake_plan_op *op, LLVMValueRef slot) {
    return cake_emit_scratch(e, slot, cake_plan_slot_bytes(op->result), 0);
}

/* First slot of a line's list of warp 0. */
static LLVMValueRef line_slot(cake_emitter *e, const cake_plan_op *op, const cake_layout_line *line) {
    LLVMValueRef index = cake_emit_line_index(e, op, line->registers[0]);
    return LLVMBuildMul(e->builder, index, cake_emit_i32(e, op->u.reduction->count), "");
}

/* Takes the largest of the lists' first elements, as often as elements are kept. */
static void merge(cake_emitter *e, const cake_plan_op *op, LLVMValueRef first, uint32_t stride, uint32_t warps,
                  LLVMValueRef *out_values) {
    LLVMTypeRef type = cake_emit_value_type(e, op->result);
    LLVMValueRef *slots = CAKE_NEW_ARRAY(e->arena, LLVMValueRef, warps);
    LLVMValueRef *heads = CAKE_NEW_ARRAY(e->arena, LLVMValueRef, warps);
    for (uint32_t w = 0; w < warps; w++) {
        slots[w] = LLVMBuildAdd(e->builder, first, cake_emit_i32(e, w * stride), "");
        heads[w] = LLVMBuildLoad2(e->builder, type, pointer(e, op, slots[w]), "");
    }
    for (uint32_t k = 0; k < op->u.reduction->count; k++) {
        LLVMValueRef best = heads[0], from = slots[0];
        for (uint32_t w = 1; w < warps; w++) {
            LLVMValueRef takes = greater(e, op, heads[w], best);
            best = choose(e, takes, heads[w], best);
            from = choose(e, takes, slots[w], from);
        }
        out_values[k] = best;
        if (k + 1 == op->u.reduction->count) break;
        LLVMValueRef next = LLVMBuildAdd(e->builder, from, cake_emit_i32(e, 1), "");
        LLVMValueRef head = LLVMBuildLoad2(e->builder, type, pointer(e, op, next), "");
        for (uint32_t w = 0; w < warps; w++) { /* lists lie apart, so slots tell them */
            LLVMValueRef taken = LLVMBuildICmp(e->builder, LLVMIntEQ, from, slots[w], "");
            heads[w] = choose(e, taken, head, heads[w]);
            slots[w] = choose(e, taken, next, slots[w]);
        }
    }
}

static void across_warps(cake_emitter *e, const cake_plan_op *op, const cake_layout_lines *lines,
                         LLVMValueRef **values) {
    uint32_t wanted = op->u.reduction->count, stride = cake_emit_line_count(op) * wanted;
    LLVMValueRef warp = cake_emit_packed_bits(e, e->team_warp, op->u.reduction->warp_bits);
    warp = LLVMBuildMul(e->builder, warp, cake_emit_i32(e, stride), "");
    for (uint32_t i = 0; i < lines->count; i++)
        for (uint32_t k = 0; k < wanted; k++) {
            LLVMValueRef slot = LLVMBuildAdd(e->builder, warp, line_slot(e, op, &lines->lines[i]), "");
            slot = LLVMBuildAdd(e->builder, slot, cake_emit_i32(e, k), "");
            LLVMBuildStore(e->builder, values[i][k], pointer(e, op, slot));
        }
    cake_emit_sync_team(e);
    for (uint32_t i = 0; i < lines->count; i++)
        merge(e, op, line_slot(e, op, &lines->lines[i]), stride, 1u << lines->warp_count, values[i]);
    cake_emit_sync_team(e);
}

/* ---- the whole ---- */

static LLVMValueRef *top_of_line(cake_emitter *e, const cake_plan_op *op, const cake_layout_line *line) {
    LLVMValueRef *values = CAKE_NEW_ARRAY(e->arena, LLVMValueRef, line->count);
    LLVMValueRef *top = CAKE_NEW_ARRAY(e->arena, LLVMValueRef, op->u.reduction->count);
    for (uint32_t i = 0; i < line->count; i++)
        values[i] = cake_emit_register(e, op->operands[0], line->registers[i]);
    sort(e, op, values, line->count);
    across_lanes(e, op, values, line->count, top);
    return top;
}

void cake_emit_topk(cake_emitter *e, const cake_plan_op *op) {
    const cake_layout *from = op->operands[0]->layout, *to = op->result->layout;
    cake_layout_lines lines = cake_layout_lines_along(e->arena, from, op->u.reduction->axes);
    LLVMValueRef **values = CAKE_NEW_ARRAY(e->arena, LLVMValueRef *, lines.count);
    LLVMValueRef *registers = CAKE_NEW_ARRAY(e->arena, LLVMValueRef, to->register_count);
    for (uint32_t i = 0; i < lines.count; i++)
        values[i] = top_of_line(e, op, &lines.lines[i]);
    if (op->u.reduction->scratch_slots) across_warps(e, op, &lines, values);
    for (uint32_t i = 0; i < lines.count; i++)
        for (uint32_t k = 0; k < op->u.reduction->count; k++) {
            cake_coordinate at = from->registers[lines.lines[i].registers[0]];
            for (uint8_t d = 0; d < to->shape.rank; d++)
                if (op->u.reduction->axes >> d & 1) at.at[d] = k;
            registers[cake_layout_find(to, &at)] = values[i][k];
        }
    cake_emit_define(e, op->result, registers);
}
