#ifndef CAKE_COMPILER_INTERNAL_H
#define CAKE_COMPILER_INTERNAL_H

#include "codegen/codegen.h"

/* Opens libcake_codegen.so: beside the running program (../lib), else where the loader looks. It stays open: LLVM
 * cannot be unloaded. */
CAKE_MUST_USE cake_status cake_codegen_open(cake_arena *arena, const cake_codegen_api **out_api);

/* SHA-256 (FIPS 180-4) of the bytes, 64 hex digits. */
const char *cake_sha256_hex(cake_arena *arena, const char *bytes, size_t size);

#endif
