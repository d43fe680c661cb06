#ifndef CAKE_COMPILER_INTERNAL_H
#define CAKE_COMPILER_INTERNAL_H

#include "codegen/codegen.h"
#include "compiler/compiler.h"

/* Opens libcake_codegen.so: beside the running program (../lib), else where the loader looks. It stays open: LLVM
 * cannot be unloaded. */
CAKE_MUST_USE cake_status cake_codegen_open(cake_arena *arena, const cake_codegen_api **out_api);

/* SHA-256 (FIPS 180-4) of the bytes, 64 hex digits. */
const char *cake_sha256_hex(cake_arena *arena, const char *bytes, size_t size);

/* Turns what ptxas said about 'ptx' into diagnostics, each on the line of the schedule that '.loc' names, else on its
 * kernel. When it refused (exit_status not 0): FAILED with its words, since our PTX should assemble, but OK where an
 * error could be reported on the schedule. Changes the log. */
CAKE_MUST_USE cake_status cake_compile_remarks(cake_compilation *compilation, const cake_text *ptx, char *log,
                                               int exit_status);

#endif
