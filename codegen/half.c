/* 4-bit elements: two in a byte of memory, the lower index in the low half; a byte each in registers. */
#include "codegen/emit.h"

static uint32_t per_word(uint32_t width) {
    return width >= 8 ? 8 : width;
}

void cake_emit_pack_halves(cake_emitter *e, LLVMValueRef *elements, uint32_t width, LLVMValueRef *out_words) {
    uint32_t each = per_word(width);
    LLVMTypeRef type = LLVMIntTypeInContext(e->context, 4 * each);
    for (uint32_t w = 0; w < width / each; w++) {
        LLVMValueRef word = cake_emit_i32(e, 0);
        for (uint32_t i = 0; i < each; i++) {
            LLVMValueRef bits = LLVMBuildZExt(e->builder, elements[w * each + i], e->i32, "");
            bits = LLVMBuildAnd(e->builder, bits, cake_emit_i32(e, 15), "");
            word = LLVMBuildOr(e->builder, word, LLVMBuildShl(e->builder, bits, cake_emit_i32(e, 4 * i), ""), "");
        }
        out_words[w] = LLVMBuildTruncOrBitCast(e->builder, word, type, "");
    }
}

LLVMValueRef cake_emit_half(cake_emitter *e, LLVMValueRef word, LLVMValueRef shift, cake_dtype dtype) {
    LLVMValueRef right = cake_emit_i32(e, 28), left = LLVMBuildSub(e->builder, right, shift, "");
    word = LLVMBuildShl(e->builder, LLVMBuildZExtOrBitCast(e->builder, word, e->i32, ""), left, "");
    word = dtype == CAKE_DTYPE_I4 ? LLVMBuildAShr(e->builder, word, right, "")
                                  : LLVMBuildLShr(e->builder, word, right, "");
    return LLVMBuildTrunc(e->builder, word, e->i8, "");
}

void cake_emit_unpack_halves(cake_emitter *e, LLVMValueRef *words, uint32_t width, cake_dtype dtype,
                             LLVMValueRef *out_elements) {
    uint32_t each = per_word(width);
    for (uint32_t i = 0; i < width; i++)
        out_elements[i] = cake_emit_half(e, words[i / each], cake_emit_i32(e, i % each * 4), dtype);
}

LLVMValueRef cake_emit_half_shift(cake_emitter *e, const cake_access_state *s, uint32_t r) {
    uint8_t last = (uint8_t)(s->place->dimensions - 1);
    LLVMValueRef at = cake_emit_position(e, s, last, r); /* rows of a buffer are whole bytes */
    for (uint8_t d = 0; s->place->tensor && d <= last; d++) {
        LLVMValueRef stride = cake_emit_index(e, s->place->tensor->strides[d], e->i64);
        LLVMValueRef part = LLVMBuildMul(e->builder, cake_emit_position(e, s, d, r), stride, "");
        at = d ? LLVMBuildAdd(e->builder, at, part, "") : part;
    }
    at = LLVMBuildTruncOrBitCast(e->builder, at, e->i32, "");
    return LLVMBuildShl(e->builder, LLVMBuildAnd(e->builder, at, cake_emit_i32(e, 1), ""), cake_emit_i32(e, 2), "");
}
