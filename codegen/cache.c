/* Hints to the L2 cache: a policy, made once in the kernel's prologue, which accesses and copies carry (PTX ISA
 * 'createpolicy', and '.level::cache_hint' of ld, st, cp.async and cp.async.bulk.tensor). */
#include <string.h>

#include "codegen/emit.h"

LLVMValueRef cake_emit_cache_policy(cake_emitter *e, cake_name hint) {
    if (!hint) return NULL;
    LLVMValueRef *policy = &e->policies[strcmp(hint, "evict_first") == 0 ? 0 : 1];
    if (*policy) return *policy;
    LLVMBuilderRef here = e->builder;
    e->builder = e->prologue;
    LLVMSetCurrentDebugLocation2(e->builder, LLVMGetCurrentDebugLocation2(here));
    const char *text = cake_arena_format(e->arena, "createpolicy.fractional.L2::%s.b64 $0, 1.0;", hint);
    *policy = cake_emit_asm_value(e, e->i64, text, "=l", NULL, 0, false);
    e->builder = here;
    return *policy;
}

const char *cake_emit_cache_suffix(cake_name hint) {
    return hint ? ".L2::cache_hint" : "";
}
