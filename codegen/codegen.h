/* Code generation: plans to PTX through LLVM's NVPTX backend. The only folder that uses llvm-c.
 *
 * One PTX module per schedule, one entry per kernel, with '.loc' lines that point into the schedule. Hardware units
 * without LLVM intrinsics that fit (wgmma, predicated TMA, mbarrier loops) are inline assembly; everything is inlined.
 *
 * Built as a shared object that cakec opens on first use, since loading LLVM takes longer than checking a schedule;
 * CAKE_CODEGEN_SYMBOL names its cake_codegen_api.
 */
#ifndef CAKE_CODEGEN_CODEGEN_H
#define CAKE_CODEGEN_CODEGEN_H

#include "plan/plan.h"

typedef enum cake_codegen_form { CAKE_CODEGEN_PTX, CAKE_CODEGEN_LLVM } cake_codegen_form;

typedef struct cake_codegen_request {
    const cake_plan *const *plans; /* of one module's kernels; at least one */
    uint32_t plan_count;
    const char *manifest; /* the manifest as a comment block, for the PTX's header; "": none */
    cake_codegen_form form;
} cake_codegen_request;

/* Appends PTX or LLVM text to 'out'. FAILED with LLVM's words when it refuses: that is a bug of ours. */
CAKE_MUST_USE cake_status cake_codegen_emit(cake_arena *arena, const cake_codegen_request *request, cake_text *out);

/* Version of LLVM, "22.1.8". */
const char *cake_codegen_llvm_version(void);

#define CAKE_CODEGEN_SYMBOL "cake_codegen_module"

typedef struct cake_codegen_api {
    cake_status (*emit)(cake_arena *arena, const cake_codegen_request *request, cake_text *out);
    const char *(*llvm_version)(void);
} cake_codegen_api;

#endif
