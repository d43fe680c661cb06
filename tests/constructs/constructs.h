/* The constructs of the language, numbered, and which of them a module uses.
 *
 * A row is one thing that may be lowered wrongly by itself: a statement, an operator, a function with a modifier, a
 * clause, a form of an index, an element type in some use. Rows of the .def tables of ir/ are rows here by themselves.
 */
#ifndef CAKE_TESTS_CONSTRUCTS_H
#define CAKE_TESTS_CONSTRUCTS_H

#include "ir/module.h"

typedef enum cake_construct {
#define CONSTRUCT(enumerator, section, text) CAKE_CONSTRUCT_##enumerator,
#include "tests/constructs/constructs.def"
#undef CONSTRUCT
    CAKE_CONSTRUCT_FIXED
} cake_construct;

/* What is done with elements of one type. */
typedef enum cake_dtype_use {
    CAKE_USE_TENSOR,
    CAKE_USE_SHARED,
    CAKE_USE_COMPUTED,
    CAKE_USE_CAST_TO,
    CAKE_USE_CAST_FROM,
    CAKE_USE_FOLD,
    CAKE_USE_ATOMIC,
    CAKE_USE_TMA_LOAD,
    CAKE_USE_TMA_STORE,
    CAKE_USE_TMA_REDUCE,
    CAKE_USE_MMA,
    CAKE_USE_WGMMA,
    CAKE_USE_COUNT
} cake_dtype_use;

#define CAKE_MODIFIER_KINDS 3 /* .approx .ftz .nan */

/* Numbers of all rows: the fixed ones, then those of each table. */
enum {
    CAKE_ROWS_TARGET = CAKE_CONSTRUCT_FIXED,
    CAKE_ROWS_STATEMENT = CAKE_ROWS_TARGET + CAKE_TARGET_COUNT,
    CAKE_ROWS_UNARY = CAKE_ROWS_STATEMENT + CAKE_STMT_COUNT,
    CAKE_ROWS_BINARY = CAKE_ROWS_UNARY + CAKE_UNARY_COUNT,
    CAKE_ROWS_ATOMIC = CAKE_ROWS_BINARY + CAKE_BINARY_COUNT,
    CAKE_ROWS_BUILTIN = CAKE_ROWS_ATOMIC + CAKE_ATOMIC_COUNT,
    CAKE_ROWS_MODIFIER = CAKE_ROWS_BUILTIN + CAKE_BUILTIN_END,
    CAKE_ROWS_DTYPE = CAKE_ROWS_MODIFIER + CAKE_BUILTIN_END * CAKE_MODIFIER_KINDS,
    CAKE_ROWS_END = CAKE_ROWS_DTYPE + CAKE_DTYPE_COUNT * CAKE_USE_COUNT
};

typedef struct cake_construct_set {
    bool uses[CAKE_ROWS_END];
} cake_construct_set;

/* Adds what the module uses; it has been resolved without errors. */
void cake_construct_set_add(cake_construct_set *set, const cake_module *module);

/* The row's section and text; null for a number that stands for no legal construct (clz.nan, atomics on e4m3). */
const char *cake_construct_section(uint32_t row);
const char *cake_construct_text(cake_arena *arena, uint32_t row);

#endif
