/* What the walks over expressions, statements and declarations share. */
#ifndef CAKE_TESTS_CONSTRUCTS_INTERNAL_H
#define CAKE_TESTS_CONSTRUCTS_INTERNAL_H

#include "tests/constructs/constructs.h"

void cake_construct_see(cake_construct_set *set, uint32_t row);
void cake_construct_see_if(cake_construct_set *set, bool condition, uint32_t row);
void cake_construct_see_dtype(cake_construct_set *set, cake_dtype dtype, cake_dtype_use use);

/* Rows of the clauses of one kind of access. */
typedef struct cake_clause_rows {
    cake_construct vec, clip, clip_value, where, evict_first, evict_last;
} cake_clause_rows;

void cake_construct_see_clauses(cake_construct_set *set, const cake_access_clauses *clauses,
                                const cake_clause_rows *rows);
void cake_construct_see_atomic(cake_construct_set *set, const cake_expr *expr);
void cake_construct_see_expr(cake_construct_set *set, const cake_expr *expr);
void cake_construct_see_exprs(cake_construct_set *set, const cake_expr_list *list);
void cake_construct_see_block(cake_construct_set *set, const cake_block *block);

/* The name that a place's indices, ages and transposes are applied to; null if that is none. */
const cake_symbol *cake_construct_root(const cake_expr *place);
bool cake_construct_root_is(const cake_expr *place, cake_symbol_kind kind);
/* Whether the place itself is an index with such an entry. */
bool cake_construct_has_item(const cake_expr *place, cake_item_kind kind);
/* Entries of the place's index that are tiles. */
uint32_t cake_construct_gathers(const cake_expr *place);

#endif
