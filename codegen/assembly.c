/* Inline assembly and intrinsics. */
#include <string.h>

#include "codegen/emit.h"

LLVMValueRef cake_emit_i32(cake_emitter *e, uint64_t value) {
    return LLVMConstInt(e->i32, value, 0);
}

static void add_attribute(cake_emitter *e, LLVMValueRef call, const char *name) {
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                             LLVMCreateEnumAttribute(e->context, kind, 0));
}

LLVMValueRef cake_emit_asm_value(cake_emitter *e, LLVMTypeRef type, const char *text, const char *constraints,
                                 LLVMValueRef *operands, uint32_t count, bool side_effects) {
    LLVMTypeRef *types = CAKE_NEW_ARRAY(e->arena, LLVMTypeRef, count + 1);
    for (uint32_t i = 0; i < count; i++)
        types[i] = LLVMTypeOf(operands[i]);
    LLVMTypeRef function = LLVMFunctionType(type, types, count, 0);
    LLVMValueRef code = LLVMGetInlineAsm(function, text, strlen(text), constraints, strlen(constraints), side_effects,
                                         0, LLVMInlineAsmDialectATT, 0);
    LLVMValueRef call = LLVMBuildCall2(e->builder, function, code, operands, count, "");
    add_attribute(e, call, "nounwind");
    if (side_effects) add_attribute(e, call, "convergent");
    return call;
}

void cake_emit_asm(cake_emitter *e, const char *text, const char *constraints, LLVMValueRef *operands, uint32_t count) {
    const char *clobbered = cake_arena_format(e->arena, "%s%s~{memory}", constraints, *constraints ? "," : "");
    (void)cake_emit_asm_value(e, e->void_type, text, clobbered, operands, count, true);
}

LLVMValueRef cake_emit_intrinsic(cake_emitter *e, const char *name, LLVMTypeRef *types, uint32_t type_count,
                                 LLVMValueRef *operands, uint32_t count) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    CAKE_ASSERT(id != 0);
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->module, id, types, type_count);
    LLVMTypeRef type = LLVMIntrinsicGetType(e->context, id, types, type_count);
    return LLVMBuildCall2(e->builder, type, function, operands, count, "");
}
