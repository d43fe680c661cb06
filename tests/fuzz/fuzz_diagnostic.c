/* Diagnostics about arbitrary bytes, at places that the bytes choose: as text and as JSON. */
#include "support/diagnostic.h"
#include "tests/fuzz/fuzz.h"

#include <jansson.h>

static void report_and_show(cake_arena *arena, const uint8_t *data, size_t size) {
    cake_source source;
    const char *text = cake_arena_copy(arena, (const char *)data, size);
    cake_source_init(&source, arena, "fuzz.cake", text, (uint32_t)size);
    cake_diagnostics diagnostics;
    cake_diagnostics_init(&diagnostics, arena, &source);
    for (size_t i = 0; i + 1 < size; i += 2) {
        cake_span span = {(uint32_t)(data[i] * size / 200), (uint32_t)(data[i + 1] * size / 200)};
        cake_diagnostic *diagnostic = cake_report(&diagnostics, CAKE_L101, span, "at %s", text + i);
        cake_diagnostic_note(&diagnostics, diagnostic, (cake_span){span.end, span.begin}, "%s", text + i);
    }
    cake_text shown;
    cake_text_init(&shown, arena);
    cake_diagnostics_text(&diagnostics, &shown);
    json_decref(cake_diagnostics_json(&diagnostics));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    jmp_buf out_of_memory;
    cake_arena arena;
    if (size > 4096) return 0;
    if (setjmp(out_of_memory) == 0) {
        cake_arena_init(&arena, CAKE_ARENA_DEFAULT_LIMIT, &out_of_memory);
        report_and_show(&arena, data, size);
    }
    cake_arena_fini(&arena);
    return 0;
}
