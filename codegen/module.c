/* The LLVM module: target, debug places, passes, PTX text with the manifest in its header. */
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "codegen/emit.h"

#define DATA_LAYOUT "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
#define TRIPLE      "nvptx64-nvidia-cuda"

/* No inlining, vectorising or unrolling on our own: the schedule has said what it wants. */
#define PASSES                                                                                                         \
    "function(sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,gvn,loop-simplify,lcssa,loop-mssa(licm),"     \
    "loop-unroll<O2>,"                                                                                                 \
    "instcombine<no-verify-fixpoint>,"                                                                                 \
    "early-cse,dse,simplifycfg)"

typedef struct session {
    cake_arena *arena;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMTargetMachineRef machine;
    LLVMBuilderRef builder;
    LLVMDIBuilderRef debug;
    LLVMMetadataRef file, unit;
    bool failed; /* LLVM reported an error; 'error' has its words */
    char error[300];
} session;

static void keep_error(session *s, char *message) {
    snprintf(s->error, sizeof s->error, "%s", message ? message : "no reason given");
    if (message) LLVMDisposeMessage(message);
}

/* Left alone, LLVM prints its complaints and ends the process: errors that it can go on after become a status, the
 * others are our bug. */
static void on_diagnostic(LLVMDiagnosticInfoRef info, void *context) {
    session *s = context;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError || s->failed) return;
    s->failed = true;
    keep_error(s, LLVMGetDiagInfoDescription(info));
}

static void on_fatal_error(const char *reason) {
    cake_assert_failed(reason, "LLVM", 0);
}

static bool open_target(session *s, const cake_target_info *target) {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    LLVMTargetRef llvm_target;
    char *message = NULL;
    if (LLVMGetTargetFromTriple(TRIPLE, &llvm_target, &message)) {
        keep_error(s, message);
        return false;
    }
    const char *features = cake_arena_format(s->arena, "+ptx%u", target->ptx_version);
    s->machine = LLVMCreateTargetMachine(llvm_target, TRIPLE, target->name, features, LLVMCodeGenLevelAggressive,
                                         LLVMRelocDefault, LLVMCodeModelDefault);
    return s->machine != NULL;
}

/* Only '.loc' and '.file' lines: full debug information would switch ptxas to unoptimised code. */
#define DEBUG_DIRECTIVES_ONLY ((LLVMDWARFEmissionKind)3)

static void open_debug(session *s, const cake_source *source) {
    const char *tool = "cake";
    char *name = cake_arena_copy(s->arena, source->name, strlen(source->name));
    for (char *c = name; *c; c++)
        if (*c < ' ' || *c > '~' || *c == '"' || *c == '\\') *c = '_'; /* PTX has no escapes that ptxas reads */
    s->debug = LLVMCreateDIBuilder(s->module);
    s->file = LLVMDIBuilderCreateFile(s->debug, name, strlen(name), "", 0);
    s->unit = LLVMDIBuilderCreateCompileUnit(s->debug, LLVMDWARFSourceLanguageC11, s->file, tool, strlen(tool), 1, "",
                                             0, 0, "", 0, DEBUG_DIRECTIVES_ONLY, 0, 0, 0, "", 0, "", 0);
    LLVMAddModuleFlag(
        s->module, LLVMModuleFlagBehaviorWarning, "Debug Info Version", 18,
        LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(s->context), LLVMDebugMetadataVersion(), 0)));
}

static LLVMMetadataRef subprogram(session *s, const cake_plan *plan) {
    cake_position at = cake_source_position(plan->module->source, plan->kernel->span.begin);
    LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(s->debug, s->file, NULL, 0, LLVMDIFlagZero);
    return LLVMDIBuilderCreateFunction(s->debug, s->file, plan->entry, strlen(plan->entry), "", 0, s->file, at.line,
                                       type, 0, 1, at.line, LLVMDIFlagZero, 1);
}

/* All of shared memory is dynamic: one external array, aligned as its first buffer needs. */
static LLVMValueRef shared_array(session *s) {
    LLVMTypeRef type = LLVMArrayType2(LLVMInt8TypeInContext(s->context), 0);
    LLVMValueRef array = LLVMAddGlobalInAddressSpace(s->module, type, "cake_shared", 3);
    LLVMSetLinkage(array, LLVMExternalLinkage);
    LLVMSetAlignment(array, 1024);
    return array;
}

static void emit_plan(session *s, const cake_plan *plan, LLVMValueRef shared) {
    cake_emitter e = {.arena = s->arena,
                      .plan = plan,
                      .context = s->context,
                      .module = s->module,
                      .builder = s->builder,
                      .shared = shared,
                      .i1 = LLVMInt1TypeInContext(s->context),
                      .i8 = LLVMInt8TypeInContext(s->context),
                      .i16 = LLVMInt16TypeInContext(s->context),
                      .i32 = LLVMInt32TypeInContext(s->context),
                      .i64 = LLVMInt64TypeInContext(s->context),
                      .f32 = LLVMFloatTypeInContext(s->context),
                      .void_type = LLVMVoidTypeInContext(s->context)};
    e.subprogram = subprogram(s, plan);
    LLVMSetCurrentDebugLocation2(s->builder, NULL); /* the previous kernel's */
    cake_emit_kernel(&e);
    LLVMSetSubprogram(e.function, e.subprogram);
}

static bool build(session *s, const cake_codegen_request *request) {
    const cake_plan *first = request->plans[0];
    s->module = LLVMModuleCreateWithNameInContext("cake", s->context);
    LLVMSetTarget(s->module, TRIPLE);
    LLVMSetDataLayout(s->module, DATA_LAYOUT);
    if (!open_target(s, cake_target_info_of(first->target))) return false;
    s->builder = LLVMCreateBuilderInContext(s->context);
    open_debug(s, first->module->source);
    LLVMValueRef shared = shared_array(s);
    for (uint32_t i = 0; i < request->plan_count; i++)
        emit_plan(s, request->plans[i], shared);
    LLVMDIBuilderFinalize(s->debug);
    char *message = NULL;
    if (LLVMVerifyModule(s->module, LLVMReturnStatusAction, &message)) {
        keep_error(s, message);
        return false;
    }
    LLVMDisposeMessage(message);
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(s->module, PASSES, s->machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error) return true;
    char *text = LLVMGetErrorMessage(error);
    snprintf(s->error, sizeof s->error, "%s", text);
    LLVMDisposeErrorMessage(text);
    return false;
}

/* The header ends with '.address_size 64'; the manifest follows it. */
static void add_ptx(const char *ptx, size_t size, const char *manifest, cake_text *out) {
    const char *mark = strstr(ptx, ".address_size");
    size_t header = 0;
    if (mark) {
        const char *line_end = strchr(mark, '\n');
        header = line_end ? (size_t)(line_end - ptx) + 1 : size;
    }
    cake_text_add(out, ptx, header);
    cake_text_add_string(out, manifest);
    cake_text_add(out, ptx + header, size - header);
}

static bool write(session *s, const cake_codegen_request *request, cake_text *out) {
    if (request->form == CAKE_CODEGEN_LLVM) {
        char *text = LLVMPrintModuleToString(s->module);
        cake_text_add_string(out, text);
        LLVMDisposeMessage(text);
        return true;
    }
    LLVMMemoryBufferRef buffer;
    char *message = NULL;
    if (LLVMTargetMachineEmitToMemoryBuffer(s->machine, s->module, LLVMAssemblyFile, &message, &buffer)) {
        keep_error(s, message);
        return false;
    }
    size_t size = LLVMGetBufferSize(buffer);
    char *ptx = cake_arena_copy(s->arena, LLVMGetBufferStart(buffer), size);
    LLVMDisposeMemoryBuffer(buffer);
    add_ptx(ptx, size, request->manifest, out);
    return true;
}

static void close_session(session *s) {
    if (s->builder) LLVMDisposeBuilder(s->builder);
    if (s->debug) LLVMDisposeDIBuilder(s->debug);
    if (s->machine) LLVMDisposeTargetMachine(s->machine);
    if (s->module) LLVMDisposeModule(s->module);
    LLVMContextDispose(s->context);
}

cake_status cake_codegen_emit(cake_arena *arena, const cake_codegen_request *request, cake_text *out) {
    session s = {.arena = arena, .context = LLVMContextCreate()};
    LLVMInstallFatalErrorHandler(on_fatal_error);
    LLVMContextSetDiagnosticHandler(s.context, on_diagnostic, &s);
    bool done = build(&s, request) && write(&s, request, out) && !s.failed;
    close_session(&s);
    LLVMResetFatalErrorHandler();
    return done ? cake_status_ok() : cake_status_make(CAKE_STATUS_FAILED, "LLVM: %s", s.error);
}

const char *cake_codegen_llvm_version(void) {
    return LLVM_VERSION_STRING;
}
