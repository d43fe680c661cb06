/* Any bytes as a schedule. If they parse, then the printed module parses to an equal one and prints the same, and
 * formatting keeps the tokens and is done after one round. */
#include <string.h>

#include "frontend/internal.h"
#include "frontend/lexer.h"
#include "ir/print.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/tree.h"

#define ARENA_BYTES ((size_t)512 << 20)

typedef struct parsed {
    const cake_source *source;
    const char *printed, *tree; /* null after an error */
} parsed;

static parsed parse(cake_arena *arena, const char *text, size_t size) {
    cake_source *source = CAKE_NEW(arena, cake_source);
    cake_source_init(source, arena, "fuzz.cake", text, (uint32_t)size);
    cake_diagnostics diagnostics;
    cake_diagnostics_init(&diagnostics, arena, source);
    const cake_module *module = cake_frontend_parse_unresolved(arena, source, &diagnostics);
    parsed result = {source, NULL, NULL};
    if (diagnostics.error_count > 0) return result;
    cake_text printed, tree;
    cake_text_init(&printed, arena);
    cake_text_init(&tree, arena);
    cake_module_print(module, &printed);
    tree_module(&tree, module);
    result.printed = cake_text_string(&printed);
    result.tree = cake_text_string(&tree);
    return result;
}

static const char *format(cake_arena *arena, const cake_source *source) {
    cake_diagnostics diagnostics;
    cake_diagnostics_init(&diagnostics, arena, source);
    const char *formatted = cake_frontend_format(arena, source, &diagnostics);
    CAKE_ASSERT((formatted != NULL) == (diagnostics.error_count == 0));
    return formatted;
}

static cake_lexer lex(cake_arena *arena, cake_interner *names, const cake_source *source) {
    cake_diagnostics *diagnostics = CAKE_NEW(arena, cake_diagnostics);
    cake_diagnostics_init(diagnostics, arena, source);
    return (cake_lexer){
        .arena = arena, .source = source, .names = names, .diagnostics = diagnostics, .keep_comments = true};
}

static void check_same_tokens(cake_arena *arena, const cake_source *left, const cake_source *right) {
    cake_interner names;
    cake_interner_init(&names, arena);
    cake_lexer left_lexer = lex(arena, &names, left), right_lexer = lex(arena, &names, right);
    cake_token a, b;
    do {
        a = cake_lexer_next(&left_lexer);
        b = cake_lexer_next(&right_lexer);
        uint32_t size = a.span.end - a.span.begin;
        CAKE_ASSERT(a.kind == b.kind && size == b.span.end - b.span.begin);
        CAKE_ASSERT(memcmp(left->text + a.span.begin, right->text + b.span.begin, size) == 0);
    } while (a.kind != TOKEN_END);
}

static void check(cake_arena *arena, const char *text, size_t size) {
    parsed first = parse(arena, text, size);
    const char *once = format(arena, first.source);
    CAKE_ASSERT((once != NULL) == (first.printed != NULL));
    if (!once) return;
    parsed second = parse(arena, first.printed, strlen(first.printed));
    CAKE_ASSERT(second.printed && strcmp(first.printed, second.printed) == 0);
    CAKE_ASSERT(strcmp(first.tree, second.tree) == 0);
    parsed formatted = parse(arena, once, strlen(once));
    CAKE_ASSERT(formatted.printed && strcmp(first.printed, formatted.printed) == 0);
    CAKE_ASSERT(strcmp(first.tree, formatted.tree) == 0);
    check_same_tokens(arena, first.source, formatted.source);
    CAKE_ASSERT(strcmp(once, format(arena, formatted.source)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    jmp_buf out_of_memory;
    cake_arena arena;
    if (size > CAKE_SOURCE_MAX_BYTES) return 0;
    if (setjmp(out_of_memory) == 0) {
        cake_arena_init(&arena, ARENA_BYTES, &out_of_memory);
        check(&arena, cake_arena_copy(&arena, (const char *)data, size), size);
    }
    cake_arena_fini(&arena);
    return 0;
}
