/* Shared by the files of codegen/math*.c, and by their test, which replaces the hardware instructions by models. */
#ifndef CAKE_CODEGEN_MATH_INTERNAL_H
#define CAKE_CODEGEN_MATH_INTERNAL_H

#include "codegen/math.h"

#define CAKE_MATH_MAX_ARGUMENTS 3

typedef enum cake_math_instruction {
#define CAKE_MATH_INSTRUCTION(enumerator, arguments, name) CAKE_MATH_##enumerator,
#include "codegen/math_instructions.def"
#undef CAKE_MATH_INSTRUCTION
    CAKE_MATH_INSTRUCTION_COUNT
} cake_math_instruction;

typedef struct cake_math_instruction_info {
    const char *name;
    unsigned argument_count;
} cake_math_instruction_info;

const cake_math_instruction_info *cake_math_instruction_info_of(cake_math_instruction instruction);

/* How a hardware instruction becomes LLVM. Models extend the struct. */
typedef struct cake_math_hardware {
    LLVMValueRef (*emit)(const struct cake_math_hardware *hardware, LLVMBuilderRef builder,
                         cake_math_instruction instruction, LLVMValueRef *arguments);
} cake_math_hardware;

extern const cake_math_hardware cake_math_nvptx;

/* One emission: where the code goes, and which flavour of it. */
typedef struct cake_math_emitter {
    LLVMContextRef context;
    LLVMBuilderRef builder;
    const cake_math_hardware *hardware;
    bool approx, ftz;
} cake_math_emitter;

/* cake_math_emit on other hardware. */
LLVMValueRef cake_math_emit_on(const cake_math_hardware *hardware, LLVMBuilderRef builder, cake_builtin function,
                               uint8_t modifiers, cake_dtype dtype, LLVMValueRef *arguments);

LLVMValueRef cake_math_emit_instruction(const cake_math_emitter *emitter, cake_math_instruction instruction,
                                        LLVMValueRef *arguments);

/* The functions of one float argument that are more than one LLVM instruction, on binary32: exp exp2 log log2 sqrt
 * rsqrt rcp tanh erf sin cos. NULL for any other. */
LLVMValueRef cake_math_emit_f32(const cake_math_emitter *emitter, cake_builtin function, LLVMValueRef x);

/* Calls the function 'name' (an intrinsic with its type suffix); the result has the first argument's type. */
LLVMValueRef cake_math_call(LLVMBuilderRef builder, const char *name, LLVMValueRef *arguments, unsigned count);

#endif
