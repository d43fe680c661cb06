/* Any bytes as a schedule: parsing, resolving and formatting end with a result or diagnostics, and what was formatted
 * once stays as it is when formatted again. */
#include "frontend/frontend.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

#define ARENA_BYTES ((size_t)256 << 20)

static const char *format(cake_arena *arena, const char *text, size_t size) {
    cake_source source;
    cake_source_init(&source, arena, "fuzz.cake", text, (uint32_t)size);
    cake_diagnostics diagnostics;
    cake_diagnostics_init(&diagnostics, arena, &source);
    const char *formatted = cake_frontend_format(arena, &source, &diagnostics);
    CAKE_ASSERT(formatted || diagnostics.error_count);
    return formatted;
}

static void parse(cake_arena *arena, const char *text, size_t size) {
    cake_source source;
    cake_source_init(&source, arena, "fuzz.cake", text, (uint32_t)size);
    cake_diagnostics diagnostics;
    cake_diagnostics_init(&diagnostics, arena, &source);
    CAKE_ASSERT(cake_frontend_parse(arena, &source, &diagnostics));
    cake_text shown;
    cake_text_init(&shown, arena);
    cake_diagnostics_text(&diagnostics, &shown);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    jmp_buf out_of_memory;
    cake_arena arena;
    if (size > CAKE_SOURCE_MAX_BYTES) return 0;
    if (setjmp(out_of_memory) == 0) {
        cake_arena_init(&arena, ARENA_BYTES, &out_of_memory);
        const char *text = cake_arena_copy(&arena, (const char *)data, size);
        parse(&arena, text, size);
        const char *once = format(&arena, text, size);
        if (once) {
            const char *twice = format(&arena, once, strlen(once));
            CAKE_ASSERT(twice && strcmp(once, twice) == 0);
        }
    }
    cake_arena_fini(&arena);
    return 0;
}
