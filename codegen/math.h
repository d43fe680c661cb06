/* Elementwise functions of the language on scalars, as LLVM instructions.
 *
 * The accuracy is the language's: exp exp2 log log2 tanh erf rsqrt rcp within 2 ulp, sqrt and fma correctly rounded,
 * sin and cos within 2 ulp for |x| <= 2^17 and NaN from 2^22 on (better loud than wrong). Subnormal inputs and results
 * are kept, and infinities, NaN and the signs of zeros are those of IEEE 754 and C, Annex F; '.ftz' flushes binary32
 * subnormals to zero where that saves instructions, '.approx' is the hardware instruction with the error that the PTX
 * ISA states. 16-bit floats compute in binary32 and round back, except min max abs fma, which exist for them. No
 * fast-math flag is set, so the same text gives the same bits whatever surrounds it.
 *
 * An integer function keeps its operand's type: popc and clz too.
 */
#ifndef CAKE_CODEGEN_MATH_H
#define CAKE_CODEGEN_MATH_H

#include <llvm-c/Core.h>

#include "ir/module.h"

/* Emits 'function' at the builder's place and returns its value, or NULL where cake_builtin_has_form says no. All
 * arguments have the LLVM type of dtype (half, bfloat, float, double or an integer; float for 'real'); there are as
 * many as the function takes: two for min and max, three for fma. */
LLVMValueRef cake_math_emit(LLVMBuilderRef builder, cake_builtin function, uint8_t modifiers, cake_dtype dtype,
                            LLVMValueRef *arguments);

#endif
