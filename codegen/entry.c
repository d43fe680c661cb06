/* The only symbols of the code generator that its opener sees. */
#include "codegen/codegen.h"

#if defined(__GNUC__)
#define EXPORTED __attribute__((visibility("default")))
#else
#define EXPORTED
#endif

/* A table, so that one lookup gives everything. */
EXPORTED extern const cake_codegen_api cake_codegen_module;

const cake_codegen_api cake_codegen_module = {cake_codegen_emit, cake_codegen_llvm_version};
