/* Writes one PTX kernel per function, modifiers and dtype of codegen/math.h: y[i] = f(x[i]) for one-argument functions.
 *
 * Usage: generate DIRECTORY [sm_90a]: writes DIRECTORY/FUNCTION[.approx][.ftz].DTYPE.ptx, whose entry is 'map' with the
 * parameters y, x and the count of elements. 'copy' is the frame alone, to subtract when instructions are counted.
 */
#include <stdio.h>
#include <stdlib.h>

#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "codegen/math.h"

static LLVMTypeRef type_of(LLVMContextRef context, cake_dtype dtype) {
    if (dtype == CAKE_DTYPE_I32) return LLVMInt32TypeInContext(context);
    if (dtype == CAKE_DTYPE_F64) return LLVMDoubleTypeInContext(context);
    if (dtype == CAKE_DTYPE_F16) return LLVMHalfTypeInContext(context);
    if (dtype == CAKE_DTYPE_BF16) return LLVMBFloatTypeInContext(context);
    return LLVMFloatTypeInContext(context);
}

static LLVMValueRef special_register(LLVMBuilderRef builder, LLVMModuleRef module, const char *name) {
    LLVMTypeRef type = LLVMFunctionType(LLVMInt32TypeInContext(LLVMGetModuleContext(module)), NULL, 0, false);
    LLVMValueRef function = LLVMAddFunction(module, name, type);
    return LLVMBuildCall2(builder, type, function, NULL, 0, "");
}

static LLVMValueRef global_index(LLVMBuilderRef builder, LLVMModuleRef module) {
    LLVMValueRef block = special_register(builder, module, "llvm.nvvm.read.ptx.sreg.ctaid.x");
    LLVMValueRef threads = special_register(builder, module, "llvm.nvvm.read.ptx.sreg.ntid.x");
    LLVMValueRef thread = special_register(builder, module, "llvm.nvvm.read.ptx.sreg.tid.x");
    return LLVMBuildAdd(builder, LLVMBuildMul(builder, block, threads, ""), thread, "");
}

/* void map(y, x, count): if (i < count) y[i] = f(x[i]) */
static void build_kernel(LLVMModuleRef module, cake_builtin function, uint8_t modifiers, cake_dtype dtype) {
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 1), count = LLVMInt32TypeInContext(context);
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(context), (LLVMTypeRef[]){pointer, pointer, count}, 3, false);
    LLVMValueRef kernel = LLVMAddFunction(module, "map", type);
    LLVMSetFunctionCallConv(kernel, 71); /* ptx_kernel */
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(context, kernel, "");
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(context, kernel, "");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(context, kernel, "");
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderAtEnd(builder, entry);
    LLVMValueRef index = global_index(builder, module);
    LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntULT, index, LLVMGetParam(kernel, 2), ""), body, done);
    LLVMPositionBuilderAtEnd(builder, body);
    LLVMTypeRef element = type_of(context, dtype);
    index = LLVMBuildZExt(builder, index, LLVMInt64TypeInContext(context), "");
    LLVMValueRef from = LLVMBuildGEP2(builder, element, LLVMGetParam(kernel, 1), &index, 1, "");
    LLVMValueRef to = LLVMBuildGEP2(builder, element, LLVMGetParam(kernel, 0), &index, 1, "");
    LLVMValueRef x = LLVMBuildLoad2(builder, element, from, "");
    if (function != CAKE_BUILTIN_NONE) x = cake_math_emit(builder, function, modifiers, dtype, &x);
    LLVMBuildStore(builder, x, to);
    LLVMBuildBr(builder, done);
    LLVMPositionBuilderAtEnd(builder, done);
    LLVMBuildRetVoid(builder);
    LLVMDisposeBuilder(builder);
}

static void write_kernel(LLVMTargetMachineRef machine, const char *path, cake_builtin function, uint8_t modifiers,
                         cake_dtype dtype) {
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("math", context);
    LLVMSetTarget(module, "nvptx64-nvidia-cuda");
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(module, layout);
    build_kernel(module, function, modifiers, dtype);
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef failed = LLVMRunPasses(module, "default<O2>", machine, options);
    char *message = NULL;
    if (failed || LLVMTargetMachineEmitToFile(machine, module, path, LLVMAssemblyFile, &message)) {
        fprintf(stderr, "%s: %s\n", path, message ? message : "passes failed");
        exit(1);
    }
    LLVMDisposePassBuilderOptions(options);
    LLVMDisposeTargetData(layout);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}

static void write_forms(LLVMTargetMachineRef machine, const char *directory, cake_builtin function, cake_dtype dtype) {
    const cake_builtin_info *info = cake_builtin_info_of(function);
    for (uint8_t modifiers = 0; modifiers < 4; modifiers++) {
        if (info->max_args != 1 || !cake_builtin_has_form(function, modifiers, dtype)) continue;
        char path[512];
        snprintf(path, sizeof path, "%s/%s%s%s.%s.ptx", directory, info->name,
                 modifiers & CAKE_MODIFIER_APPROX ? ".approx" : "", modifiers & CAKE_MODIFIER_FTZ ? ".ftz" : "",
                 cake_dtype_name(dtype));
        write_kernel(machine, path, function, modifiers, dtype);
    }
}

static LLVMTargetMachineRef create_machine(const char *cpu) {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    LLVMTargetRef target;
    char *message = NULL;
    if (LLVMGetTargetFromTriple("nvptx64-nvidia-cuda", &target, &message)) {
        fprintf(stderr, "%s\n", message);
        exit(1);
    }
    return LLVMCreateTargetMachine(target, "nvptx64-nvidia-cuda", cpu, "+ptx80", LLVMCodeGenLevelDefault,
                                   LLVMRelocDefault, LLVMCodeModelDefault);
}

int main(int count, char **words) {
    if (count < 2) {
        fprintf(stderr, "usage: generate DIRECTORY [sm_90a]\n");
        return 2;
    }
    LLVMTargetMachineRef machine = create_machine(count > 2 ? words[2] : "sm_90a");
    static const cake_dtype dtypes[] = {CAKE_DTYPE_F32, CAKE_DTYPE_F16, CAKE_DTYPE_BF16, CAKE_DTYPE_F64,
                                        CAKE_DTYPE_I32};
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        for (int function = 1; function < CAKE_BUILTIN_END; function++)
            write_forms(machine, words[1], (cake_builtin)function, dtypes[i]);
        char path[512];
        snprintf(path, sizeof path, "%s/copy.%s.ptx", words[1], cake_dtype_name(dtypes[i]));
        write_kernel(machine, path, CAKE_BUILTIN_NONE, 0, dtypes[i]);
    }
    LLVMDisposeTargetMachine(machine);
    return 0;
}
