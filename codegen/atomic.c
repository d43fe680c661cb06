/* Atomic operations, and polling: one predicated atom, red, ld or st a register (PTX ISA 'atom', 'red'; memory
 * consistency model). */
#include "codegen/emit.h"

static const char *order_name(cake_order order) {
    switch (order) {
    case CAKE_ORDER_RELAXED:
        return "relaxed";
    case CAKE_ORDER_ACQUIRE:
        return "acquire";
    case CAKE_ORDER_RELEASE:
        return "release";
    case CAKE_ORDER_ACQ_REL:
        return "acq_rel";
    }
    return "relaxed";
}

static const char *scope_name(cake_scope scope) {
    return scope == CAKE_SCOPE_CTA ? "cta" : scope == CAKE_SCOPE_SYS ? "sys" : "gpu";
}

/* Type of the instruction: bits for what only moves or compares, else the arithmetic type; integer add has no sign. */
static const char *type_name(cake_emitter *e, cake_atomic_op op, cake_dtype dtype) {
    uint32_t bits = cake_dtype_bits(dtype);
    cake_dtype_class class_ = cake_dtype_class_of(dtype);
    bool arithmetic = op == CAKE_ATOMIC_ADD || op == CAKE_ATOMIC_MIN || op == CAKE_ATOMIC_MAX;
    char letter = 'b';
    if (arithmetic && class_ == CAKE_CLASS_FLOAT) letter = 'f';
    if (arithmetic && class_ != CAKE_CLASS_FLOAT)
        letter = op != CAKE_ATOMIC_ADD && class_ == CAKE_CLASS_SIGNED ? 's' : 'u';
    return cake_arena_format(e->arena, "%c%u", letter, bits);
}

static LLVMTypeRef asm_type(cake_emitter *e, uint32_t bits) {
    return bits == 64 ? e->i64 : bits == 32 ? e->i32 : e->i16;
}

/* Values travel as integers of their width; asm has no 8-bit registers. */
static LLVMValueRef as_bits(cake_emitter *e, LLVMValueRef value, cake_dtype dtype) {
    uint32_t bits = cake_dtype_bits(dtype);
    LLVMTypeRef integer = LLVMIntTypeInContext(e->context, bits);
    value = dtype == CAKE_DTYPE_BOOL ? LLVMBuildZExt(e->builder, value, e->i8, "")
                                     : LLVMBuildBitCast(e->builder, value, integer, "");
    return bits == 8 ? LLVMBuildZExt(e->builder, value, e->i16, "") : value;
}

static LLVMValueRef from_bits(cake_emitter *e, LLVMValueRef value, cake_dtype dtype) {
    if (cake_dtype_bits(dtype) == 8) value = LLVMBuildTrunc(e->builder, value, e->i8, "");
    if (dtype == CAKE_DTYPE_BOOL) return LLVMBuildTrunc(e->builder, value, e->i1, "");
    return LLVMBuildBitCast(e->builder, value, cake_emit_type(e, dtype), "");
}

static char constraint(uint32_t bits) {
    return bits == 64 ? 'l' : bits == 32 ? 'r' : 'h';
}

/* The instruction's text; operands: predicate, address, values, and the result first where there is one. */
static const char *instruction(cake_emitter *e, const cake_plan_atomic_access *a, cake_dtype dtype, bool result) {
    const char *order = order_name(a->order), *scope = scope_name(a->scope), *type = type_name(e, a->op, dtype);
    const char *space = cake_emit_space(&a->access.place);
    uint32_t first = result ? 2 : 0; /* the tied input of the result comes before the predicate */
    const char *guard = cake_arena_format(e->arena, "{ .reg .pred p; setp.ne.b32 p, $%u, 0; @p ", first);
    if (a->op == CAKE_ATOMIC_LOAD)
        return cake_arena_format(e->arena, "%sld.%s.%s.%s.%s $0, [$%u]; }", guard, order, scope, space, type,
                                 first + 1);
    if (a->op == CAKE_ATOMIC_STORE)
        return cake_arena_format(e->arena, "%sst.%s.%s.%s.%s [$%u], $%u; }", guard, order, scope, space, type,
                                 first + 1, first + 2);
    const char *values =
        cake_arena_format(e->arena, cake_atomic_operand_count(a->op) == 2 ? "$%u, $%u" : "$%u", first + 2, first + 3);
    const char *name = cake_atomic_name(a->op);
    if (!result)
        return cake_arena_format(e->arena, "%sred.%s.%s.%s.%s.%s [$%u], %s; }", guard, order, scope, space, name, type,
                                 first + 1, values);
    return cake_arena_format(e->arena, "%satom.%s.%s.%s.%s.%s $0, [$%u], %s; }", guard, order, scope, space, name, type,
                             first + 1, values);
}

/* exch and cas exist as atom only, and red acquires nothing (PTX ISA 'red'). */
static bool needs_result(const cake_plan_atomic_access *a) {
    bool acquires = a->order == CAKE_ORDER_ACQUIRE || a->order == CAKE_ORDER_ACQ_REL;
    bool always = a->op == CAKE_ATOMIC_EXCH || a->op == CAKE_ATOMIC_CAS || a->op == CAKE_ATOMIC_LOAD;
    return a->used || always || (acquires && a->op != CAKE_ATOMIC_STORE);
}

static LLVMValueRef one(cake_emitter *e, const cake_plan_op *op, const cake_access_state *s, uint32_t r,
                        LLVMValueRef owns) {
    const cake_plan_atomic_access *a = op->u.atomic;
    uint32_t bits = cake_dtype_bits(s->dtype), count = 0;
    bool result = needs_result(a) && a->op != CAKE_ATOMIC_STORE;
    LLVMValueRef operands[5], on = cake_emit_access_predicate(e, s, r);
    LLVMTypeRef type = asm_type(e, bits);
    if (owns) on = on ? LLVMBuildAnd(e->builder, on, owns, "") : owns;
    if (result) operands[count++] = LLVMConstNull(type); /* lanes that are off give 0 */
    operands[count++] = on ? LLVMBuildZExt(e->builder, on, e->i32, "") : cake_emit_i32(e, 1);
    operands[count++] = cake_emit_access_address(e, s, r);
    cake_text constraints;
    cake_text_init(&constraints, e->arena);
    if (result) cake_text_format(&constraints, "=%c,0,", constraint(bits));
    cake_text_format(&constraints, "r,%c", a->access.place.buffer ? 'r' : 'l');
    for (uint8_t i = 0; i < op->operand_count; i++) {
        operands[count++] = as_bits(e, cake_emit_operand(e, op->operands[i], s->layout, r), s->dtype);
        cake_text_format(&constraints, ",%c", constraint(bits));
    }
    cake_text_add_string(&constraints, ",~{memory}");
    LLVMValueRef value = cake_emit_asm_value(e, result ? type : e->void_type, instruction(e, a, s->dtype, result),
                                             cake_text_string(&constraints), operands, count, true);
    return result ? from_bits(e, value, s->dtype) : NULL;
}

/* The value of the given lane (i32); 64 bits go in halves. */
static LLVMValueRef of_lane(cake_emitter *e, LLVMValueRef value, cake_dtype dtype, LLVMValueRef lane) {
    LLVMValueRef bits = as_bits(e, value, dtype), parts[2];
    bool wide = LLVMTypeOf(bits) == e->i64;
    for (uint32_t i = 0; i < (wide ? 2u : 1u); i++) {
        LLVMValueRef part = wide ? LLVMBuildLShr(e->builder, bits, LLVMConstInt(e->i64, 32 * i, 0), "") : bits;
        LLVMValueRef operands[4] = {cake_emit_i32(e, 0xffffffff), LLVMBuildIntCast2(e->builder, part, e->i32, 0, ""),
                                    lane, cake_emit_i32(e, 31)};
        parts[i] = cake_emit_intrinsic(e, "llvm.nvvm.shfl.sync.idx.i32", NULL, 0, operands, 4);
        parts[i] = LLVMBuildIntCast2(e->builder, parts[i], LLVMTypeOf(bits), 0, "");
    }
    if (wide)
        parts[0] =
            LLVMBuildOr(e->builder, parts[0], LLVMBuildShl(e->builder, parts[1], LLVMConstInt(e->i64, 32, 0), ""), "");
    return from_bits(e, parts[0], dtype);
}

/* What the owners of a tile got, for the lanes that repeat it. */
static void share(cake_emitter *e, const cake_plan_value *tile, LLVMValueRef *registers) {
    uint32_t repeated = tile->layout ? cake_layout_repeated_lanes(tile->layout) : 0;
    if (!repeated) return;
    LLVMValueRef owner = LLVMBuildAnd(e->builder, e->lane, cake_emit_i32(e, ~repeated), "");
    for (uint32_t r = 0; r < cake_emit_register_count(tile); r++)
        registers[r] = of_lane(e, registers[r], tile->dtype, owner);
}

/* The elected lane's value for the team. */
static LLVMValueRef broadcast(cake_emitter *e, LLVMValueRef value, cake_dtype dtype, uint32_t scratch_bytes) {
    if (!scratch_bytes) return of_lane(e, value, dtype, cake_emit_i32(e, 0));
    LLVMTypeRef slot = LLVMIntTypeInContext(e->context, scratch_bytes * 8);
    LLVMValueRef pointer = cake_emit_scratch(e, cake_emit_i32(e, 0), scratch_bytes, 0);
    LLVMValueRef operands[3] = {e->elected, LLVMBuildPtrToInt(e->builder, pointer, e->i32, ""),
                                LLVMBuildIntCast2(e->builder, as_bits(e, value, dtype), slot, 0, "")};
    cake_emit_asm(e,
                  cake_arena_format(e->arena, "{ .reg .pred p; setp.ne.b32 p, $0, 0; @p st.shared.b%u [$1], $2; }",
                                    scratch_bytes * 8),
                  scratch_bytes == 8 ? "r,r,l" : "r,r,r", operands, 3);
    cake_emit_sync_team(e);
    value = LLVMBuildLoad2(e->builder, slot, pointer, "");
    cake_emit_sync_team(e);
    return from_bits(e, LLVMBuildIntCast2(e->builder, value, asm_type(e, cake_dtype_bits(dtype)), 0, ""), dtype);
}

void cake_emit_atomic(cake_emitter *e, const cake_plan_op *op) {
    const cake_plan_atomic_access *a = op->u.atomic;
    cake_access_state s = cake_emit_access_open(e, &a->access, op->result->layout);
    uint32_t count = cake_emit_register_count(op->result);
    LLVMValueRef *registers = CAKE_NEW_ARRAY(e->arena, LLVMValueRef, count);
    LLVMValueRef owns = a->op == CAKE_ATOMIC_LOAD ? NULL : cake_emit_owner(e, op->result->layout);
    for (uint32_t r = 0; r < count; r++)
        registers[r] = one(e, op, &s, r, owns);
    if (a->used && !a->shape.rank && (a->op != CAKE_ATOMIC_LOAD || a->scratch_bytes))
        registers[0] = broadcast(e, registers[0], s.dtype, a->scratch_bytes);
    if (a->used) share(e, op->result, registers);
    cake_emit_define(e, op->result, registers);
}

/* All lanes' words, loaded with acquire order. A scalar is the elected lane's, so that all agree on it. */
static void poll_words(cake_emitter *e, const cake_plan_op *op, LLVMValueRef *registers, uint32_t count) {
    const cake_plan_await *await = op->u.await;
    cake_access_state s = cake_emit_access_open(e, &await->access, op->result->layout);
    uint32_t bits = cake_dtype_bits(s.dtype);
    const char *text = cake_arena_format(e->arena, "ld.acquire.gpu.global.b%u $0, [$1];", bits);
    const char *constraints = cake_arena_format(e->arena, "=%c,l,~{memory}", constraint(bits));
    for (uint32_t r = 0; r < count; r++) {
        LLVMValueRef address = LLVMBuildPtrToInt(e->builder, cake_emit_access_pointer(e, &s, r), e->i64, "");
        LLVMValueRef word = cake_emit_asm_value(e, asm_type(e, bits), text, constraints, &address, 1, true);
        registers[r] = from_bits(e, word, s.dtype);
    }
    if (op->result->shape.rank == 0) registers[0] = of_lane(e, registers[0], s.dtype, cake_emit_i32(e, 0));
    share(e, op->result, registers);
}

/* Whether the condition holds for all elements of all lanes of the warp. */
static LLVMValueRef holds_for_all(cake_emitter *e, const cake_plan_value *until) {
    LLVMValueRef all = cake_emit_register(e, until, 0);
    for (uint32_t r = 1; r < cake_emit_register_count(until); r++)
        all = LLVMBuildAnd(e->builder, all, cake_emit_register(e, until, r), "");
    LLVMValueRef operands[2] = {cake_emit_i32(e, 0xffffffff), all};
    return cake_emit_intrinsic(e, "llvm.nvvm.vote.all.sync", NULL, 0, operands, 2);
}

void cake_emit_await(cake_emitter *e, const cake_plan_op *op) {
    const cake_plan_await *await = op->u.await;
    uint32_t count = cake_emit_register_count(op->result);
    LLVMValueRef *registers = CAKE_NEW_ARRAY(e->arena, LLVMValueRef, count);
    LLVMBasicBlockRef poll = LLVMAppendBasicBlockInContext(e->context, e->function, "poll");
    LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(e->context, e->function, "after");
    LLVMBuildBr(e->builder, poll);
    LLVMPositionBuilderAtEnd(e->builder, poll);
    poll_words(e, op, registers, count);
    cake_emit_define(e, await->polled, registers);
    cake_emit_block(e, await->condition);
    LLVMBuildCondBr(e->builder, holds_for_all(e, await->until), after, poll);
    LLVMPositionBuilderAtEnd(e->builder, after);
    if (await->scratch_bytes) {
        LLVMValueRef *shared = CAKE_NEW_ARRAY(e->arena, LLVMValueRef, 1);
        shared[0] = broadcast(e, registers[0], op->result->dtype, await->scratch_bytes);
        registers = shared;
    } else {
        cake_emit_sync_team(e);
    }
    cake_emit_define(e, op->result, registers);
}
