/* The compiler as one object: a source becomes a module, plans, a manifest, and text to emit.
 *
 *     cake_compilation c;
 *     cake_compile_open(&c, &arena, &source);             // parse and resolve
 *     cake_compile_plan(&c, &options);                    // plans, hardware checks, verdict
 *     if (c.diagnostics.error_count == 0)
 *         status = cake_compile_emit(&c, CAKE_EMIT_PTX, &text);
 *
 * Diagnostics collect in the compilation. Everything lives in the arena; nothing is global.
 */
#ifndef CAKE_COMPILER_COMPILER_H
#define CAKE_COMPILER_COMPILER_H

#include "frontend/frontend.h"
#include "manifest/manifest.h"
#include "plan/program.h"

#define CAKE_VERSION_TEXT "0.1.0"

typedef enum cake_emit_form {
    CAKE_EMIT_PTX,
    CAKE_EMIT_CUBIN, /* through ptxas, with its remarks as diagnostics */
    CAKE_EMIT_LLVM,
    CAKE_EMIT_PLAN,
    CAKE_EMIT_IR,
    CAKE_EMIT_MANIFEST
} cake_emit_form;

typedef struct cake_compile_options {
    cake_plan_options plan;
    CAKE_VECTOR(const char *) allowed; /* codes waived by --allow */
} cake_compile_options;

typedef struct cake_compilation {
    cake_arena *arena;
    const cake_source *source;
    cake_diagnostics diagnostics;
    cake_module *module;
    cake_plan_module planned;             /* complete only without errors */
    CAKE_VECTOR(const cake_plan *) plans; /* of its instances, as the manifest numbers them */
    cake_manifest manifest;               /* complete only without errors */
} cake_compilation;

void cake_compile_open(cake_compilation *compilation, cake_arena *arena, const cake_source *source);

/* After an error in the frontend this does nothing. */
void cake_compile_plan(cake_compilation *compilation, const cake_compile_options *options);

typedef CAKE_VECTOR(const char *) cake_name_list;

/* What -D may name: the tunables and dimensions, static ones among them, of all kernels and programs. */
cake_name_list cake_compile_names(const cake_compilation *compilation);

/* Appends what was asked for. IR needs a parsed module, all others plans without errors. INVALID where the file holds
 * no kernel, UNAVAILABLE without the code generator's shared object or (for cubin) without ptxas, FAILED when LLVM or
 * ptxas refuses: that is a bug of ours. A cubin may add diagnostics, errors among them. */
CAKE_MUST_USE cake_status cake_compile_emit(cake_compilation *compilation, cake_emit_form form, cake_text *out);

/* Version of LLVM, or null without the code generator. */
const char *cake_compile_llvm_version(cake_arena *arena);

/* ---- assemble.c ---- */

/* Runs ptxas (first on PATH, then /usr/local/cuda/bin) on PTX text and appends the cubin to 'out'. Its remarks (spills,
 * serialised wgmma, ignored setmaxnreg) become reports on the source line that '.loc' names. Nothing is appended when
 * the schedule asks for too many registers (Q106, an error) or the status is not OK: UNAVAILABLE without ptxas, TIMEOUT
 * when it hangs, FAILED with its words when it refuses. */
CAKE_MUST_USE cake_status cake_compile_assemble(cake_compilation *compilation, const char *ptx, size_t size,
                                                cake_text *out);

#endif
