/* constructs FILE.cake..: for each construct of the language a line 'section <tab> construct <tab> files that use it',
 * the files by their numbers, from 0. Status 1 for a file that does not resolve, or uses what is no row. */
#include "frontend/frontend.h"
#include "tests/constructs/constructs.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct inventory {
    cake_arena *arena;
    int count;
    cake_construct_set *sets; /* one a file */
} inventory;

static bool read_file(inventory *all, const char *path, cake_construct_set *out_set) {
    cake_source source;
    cake_diagnostics diagnostics;
    cake_status status = cake_source_read(all->arena, path, &source);
    if (status.kind != CAKE_STATUS_OK) {
        fprintf(stderr, "%s: %s\n", path, status.message);
        return false;
    }
    cake_diagnostics_init(&diagnostics, all->arena, &source);
    const cake_module *module = cake_frontend_parse(all->arena, &source, &diagnostics);
    if (diagnostics.error_count)
        cake_diagnostics_print(&diagnostics, stderr);
    else
        cake_construct_set_add(out_set, module);
    return diagnostics.error_count == 0;
}

/* 'index' and literals without a type are no element types. */
static bool may_be_unnamed(uint32_t row) {
    uint32_t dtype = row < CAKE_ROWS_DTYPE ? CAKE_DTYPE_NONE : (row - CAKE_ROWS_DTYPE) / CAKE_USE_COUNT;
    return dtype == CAKE_DTYPE_INDEX || dtype == CAKE_DTYPE_REAL;
}

static bool print_row(const inventory *all, uint32_t row) {
    const char *text = cake_construct_text(all->arena, row);
    if (text) printf("%s\t%s\t", cake_construct_section(row), text);
    bool good = true;
    for (int i = 0; i < all->count; i++) {
        if (!all->sets[i].uses[row]) continue;
        if (text) printf("%d ", i);
        good = good && (text || may_be_unnamed(row));
    }
    if (text) printf("\n");
    if (!good) fprintf(stderr, "row %u of %s is used and has no name\n", row, cake_construct_section(row));
    return good;
}

int main(int argc, char **argv) {
    jmp_buf out_of_memory;
    cake_arena arena;
    if (setjmp(out_of_memory)) return EXIT_FAILURE;
    cake_arena_init(&arena, CAKE_ARENA_DEFAULT_LIMIT, &out_of_memory);
    inventory all = {&arena, argc - 1, cake_arena_alloc_array(&arena, sizeof(cake_construct_set), (size_t)argc)};
    bool good = true;
    for (int i = 0; i < all.count; i++)
        good = read_file(&all, argv[i + 1], &all.sets[i]) && good;
    for (uint32_t row = 0; row < CAKE_ROWS_END; row++)
        good = print_row(&all, row) && good;
    cake_arena_fini(&arena);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
