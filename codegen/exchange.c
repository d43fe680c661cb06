/* How lanes and warps give each other values: shuffles, and the team's scratch in shared memory. */
#include "codegen/emit.h"

/* shfl moves 32 bits: smaller values are widened, 64-bit ones go in halves. */
static LLVMValueRef shuffle_word(cake_emitter *e, LLVMValueRef word, uint32_t mask) {
    LLVMValueRef operands[4] = {cake_emit_i32(e, 0xffffffff), word, cake_emit_i32(e, mask), cake_emit_i32(e, 31)};
    return cake_emit_intrinsic(e, "llvm.nvvm.shfl.sync.bfly.i32", NULL, 0, operands, 4);
}

static uint32_t type_bits(LLVMTypeRef type) {
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(type);
    case LLVMFloatTypeKind:
        return 32;
    case LLVMDoubleTypeKind:
        return 64;
    default:
        return 16;
    }
}

LLVMValueRef cake_emit_shuffle(cake_emitter *e, LLVMValueRef value, uint32_t mask) {
    LLVMTypeRef type = LLVMTypeOf(value);
    uint32_t bits = type_bits(type);
    LLVMTypeRef integer = LLVMIntTypeInContext(e->context, bits);
    LLVMValueRef raw = LLVMBuildBitCast(e->builder, value, integer, "");
    if (bits <= 32) {
        LLVMValueRef word = shuffle_word(e, LLVMBuildZExtOrBitCast(e->builder, raw, e->i32, ""), mask);
        return LLVMBuildBitCast(e->builder, LLVMBuildTruncOrBitCast(e->builder, word, integer, ""), type, "");
    }
    LLVMValueRef high =
        LLVMBuildTrunc(e->builder, LLVMBuildLShr(e->builder, raw, LLVMConstInt(integer, 32, 0), ""), e->i32, "");
    LLVMValueRef low = shuffle_word(e, LLVMBuildTrunc(e->builder, raw, e->i32, ""), mask);
    high = LLVMBuildZExt(e->builder, shuffle_word(e, high, mask), integer, "");
    raw = LLVMBuildOr(e->builder, LLVMBuildShl(e->builder, high, LLVMConstInt(integer, 32, 0), ""),
                      LLVMBuildZExt(e->builder, low, integer, ""), "");
    return LLVMBuildBitCast(e->builder, raw, type, "");
}

LLVMValueRef cake_emit_scratch(cake_emitter *e, LLVMValueRef index, uint32_t bytes, uint32_t offset) {
    LLVMValueRef at = LLVMBuildMul(e->builder, e->team, cake_emit_i32(e, e->role->scratch_bytes), "");
    at = LLVMBuildAdd(e->builder, at, cake_emit_i32(e, e->role->scratch_offset + offset), "");
    at = LLVMBuildAdd(e->builder, at, LLVMBuildMul(e->builder, index, cake_emit_i32(e, bytes), ""), "");
    return cake_emit_shared_pointer(e, at);
}

LLVMValueRef cake_emit_packed_bits(cake_emitter *e, LLVMValueRef source, uint32_t mask) {
    LLVMValueRef number = cake_emit_i32(e, 0);
    uint32_t to = 0;
    for (uint32_t from = 0; from < 32; from++) {
        if (!(mask >> from & 1)) continue;
        LLVMValueRef bit = LLVMBuildAnd(e->builder, LLVMBuildLShr(e->builder, source, cake_emit_i32(e, from), ""),
                                        cake_emit_i32(e, 1), "");
        number = LLVMBuildOr(e->builder, number, LLVMBuildShl(e->builder, bit, cake_emit_i32(e, to++), ""), "");
    }
    return number;
}
