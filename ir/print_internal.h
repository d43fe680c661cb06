/* What the printer's two files share. */
#ifndef CAKE_IR_PRINT_INTERNAL_H
#define CAKE_IR_PRINT_INTERNAL_H

#include "ir/print.h"

/* What follows an expression in the text and would be taken in by an open construct at its right edge. */
#define CAKE_FOLLOW_OPERATOR 1u /* a binary operator or 'in' */
#define CAKE_FOLLOW_VEC      2u
#define CAKE_FOLLOW_CLIP     4u
#define CAKE_FOLLOW_WHERE    8u
#define CAKE_FOLLOW_CACHE    16u
#define CAKE_FOLLOW_SCOPE    32u
#define CAKE_FOLLOW_ORDER    64u
#define CAKE_FOLLOW_CAST     128u /* sat, round */

void cake_print_expr(cake_text *out, const cake_expr *expr, unsigned follow);
/* An operand that the grammar calls 'prefix'. */
void cake_print_prefix(cake_text *out, const cake_expr *expr, unsigned follow);
void cake_print_exprs(cake_text *out, const cake_expr_list *list);
void cake_print_set(cake_text *out, const cake_set *set, unsigned follow);
/* Which clauses of an access are there, as CAKE_FOLLOW_* bits; and their text, each with a space before it. */
unsigned cake_print_clause_bits(const cake_access_clauses *clauses);
void cake_print_clauses(cake_text *out, const cake_access_clauses *clauses, unsigned follow);

#endif
