#include "codegen/math_internal.h"

#include <stdio.h>
#include <string.h>

static const cake_math_instruction_info infos[] = {
#define CAKE_MATH_INSTRUCTION(enumerator, arguments, name) {name, arguments},
#include "codegen/math_instructions.def"
#undef CAKE_MATH_INSTRUCTION
};

const cake_math_instruction_info *cake_math_instruction_info_of(cake_math_instruction instruction) {
    return &infos[instruction];
}

static LLVMTypeRef function_type(LLVMValueRef *arguments, unsigned count) {
    LLVMTypeRef parameters[CAKE_MATH_MAX_ARGUMENTS];
    for (unsigned i = 0; i < count; i++)
        parameters[i] = LLVMTypeOf(arguments[i]);
    return LLVMFunctionType(parameters[0], parameters, count, false);
}

LLVMValueRef cake_math_call(LLVMBuilderRef builder, const char *name, LLVMValueRef *arguments, unsigned count) {
    LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(builder)));
    LLVMTypeRef type = function_type(arguments, count);
    LLVMValueRef function = LLVMGetNamedFunction(module, name);
    if (!function) function = LLVMAddFunction(module, name, type);
    return LLVMBuildCall2(builder, type, function, arguments, count, "");
}

/* Lets LLVM merge and drop the call of an inline assembly, as it may for an intrinsic. */
static void mark_pure(LLVMValueRef call) {
    static const char *const names[] = {"memory", "nounwind", "willreturn"};
    const LLVMAttributeIndex function = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(call));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));
        /* value 0 of 'memory' is memory(none); the other two have no value */
        LLVMAddCallSiteAttribute(call, function, LLVMCreateEnumAttribute(context, kind, 0));
    }
}

static LLVMValueRef emit_nvptx(const cake_math_hardware *hardware, LLVMBuilderRef builder,
                               cake_math_instruction instruction, LLVMValueRef *arguments) {
    (void)hardware;
    const cake_math_instruction_info *info = cake_math_instruction_info_of(instruction);
    if (strncmp(info->name, "llvm.", 5) == 0)
        return cake_math_call(builder, info->name, arguments, info->argument_count);

    char text[64];
    int length = snprintf(text, sizeof text, "%s $0, $1;", info->name);
    LLVMTypeRef type = function_type(arguments, 1);
    LLVMValueRef assembly =
        LLVMGetInlineAsm(type, text, (size_t)length, "=f,f", 4, false, false, LLVMInlineAsmDialectATT, false);
    LLVMValueRef call = LLVMBuildCall2(builder, type, assembly, arguments, 1, "");
    mark_pure(call);
    return call;
}

const cake_math_hardware cake_math_nvptx = {emit_nvptx};

LLVMValueRef cake_math_emit_instruction(const cake_math_emitter *emitter, cake_math_instruction instruction,
                                        LLVMValueRef *arguments) {
    return emitter->hardware->emit(emitter->hardware, emitter->builder, instruction, arguments);
}
