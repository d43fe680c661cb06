/* Parsing in tests: text to a module, its printed form and its tree (tree.h). */
#ifndef CAKE_TESTS_UNIT_PARSE_SUPPORT_H
#define CAKE_TESTS_UNIT_PARSE_SUPPORT_H

#include <string.h>

#include "frontend/internal.h"
#include "ir/print.h"
#include "tests/unit/tree.h"

typedef struct parsed {
    const cake_source *source;
    const cake_module *module;
    cake_diagnostics diagnostics;
    const char *printed, *tree; /* null after an error */
} parsed;

static inline const parsed *parse_text(cake_arena *arena, const char *text, size_t size) {
    parsed *result = CAKE_NEW(arena, parsed);
    cake_source *source = CAKE_NEW(arena, cake_source);
    cake_source_init(source, arena, "test.cake", text, (uint32_t)size);
    result->source = source;
    cake_diagnostics_init(&result->diagnostics, arena, source);
    result->module = cake_frontend_parse_unresolved(arena, source, &result->diagnostics);
    if (result->diagnostics.error_count > 0) return result;
    cake_text printed, tree;
    cake_text_init(&printed, arena);
    cake_text_init(&tree, arena);
    cake_module_print(result->module, &printed);
    tree_module(&tree, result->module);
    result->printed = cake_text_string(&printed);
    result->tree = cake_text_string(&tree);
    return result;
}

/* Null, or what is wrong: a module that parsed prints as text that parses to an equal one and prints the same. */
static inline const char *round_trip_fault(cake_arena *arena, const parsed *first) {
    const parsed *second = parse_text(arena, first->printed, strlen(first->printed));
    if (!second->printed) return "the printed text does not parse";
    if (strcmp(first->printed, second->printed) != 0) return "the printed text prints differently";
    return strcmp(first->tree, second->tree) == 0 ? NULL : "the printed text is another tree";
}

#endif
