/* Any bytes as a schedule, up to the plan and the manifest: what parses is planned with values for the statics that
 * schedules use to have, and without errors both are printed. */
#include "compiler/compiler.h"
#include "tests/fuzz/fuzz.h"

#define ARENA_BYTES ((size_t)256 << 20)

static void emit(cake_compilation *compilation, cake_emit_form form) {
    cake_text text;
    cake_text_init(&text, compilation->arena);
    cake_status status = cake_compile_emit(compilation, form, &text);
    CAKE_ASSERT(status.kind != CAKE_STATUS_FAILED);
}

static void compile(cake_arena *arena, const uint8_t *data, size_t size) {
    static const cake_choice statics[] = {{"N", 1024}, {"D", 64}, {"K", 128}, {"M", 256}};
    const cake_compile_options options = {.plan = {.choices = statics, .choice_count = 4}};
    cake_source source;
    const char *text = cake_arena_copy(arena, (const char *)data, size);
    cake_source_init(&source, arena, "fuzz.cake", text, (uint32_t)size);
    cake_compilation compilation;
    cake_compile_open(&compilation, arena, &source);
    cake_compile_plan(&compilation, &options);
    cake_text shown;
    cake_text_init(&shown, arena);
    cake_diagnostics_text(&compilation.diagnostics, &shown);
    if (compilation.diagnostics.error_count) return;
    emit(&compilation, CAKE_EMIT_IR);
    emit(&compilation, CAKE_EMIT_PLAN);
    emit(&compilation, CAKE_EMIT_MANIFEST);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    jmp_buf out_of_memory;
    cake_arena arena;
    if (size > CAKE_SOURCE_MAX_BYTES) return 0;
    if (setjmp(out_of_memory) == 0) {
        cake_arena_init(&arena, ARENA_BYTES, &out_of_memory);
        compile(&arena, data, size);
    }
    cake_arena_fini(&arena);
    return 0;
}
