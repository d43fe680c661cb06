/* What the files that print a plan share. */
#ifndef CAKE_PLAN_PRINT_H
#define CAKE_PLAN_PRINT_H

#include "plan/plan.h"

/* One row of an operation tree or table: source line, 'what' indented, then the derived facts in a column of their own.
 */
void cake_plan_print_row(const cake_plan *plan, cake_text *out, cake_span span, uint32_t depth, const cake_text *what,
                         const cake_text *facts);

/* Target, tunables, statics and dimensions. */
void cake_plan_print_choices(const cake_plan *plan, cake_text *out);

/* A role's operations, one row for each statement-level operation. */
void cake_plan_print_role_body(const cake_plan *plan, const cake_plan_role *role, cake_text *out);

/* What a value is defined as, whether it has a name or not. */
void cake_plan_definition_print(const cake_plan_value *value, cake_text *out);

/* The variable of a READ or WRITE, or the slice of it: 'acc[:, 64 :+ 64]'. */
void cake_plan_slice_print(const cake_plan_op *op, cake_text *out);

/* 'sa[w * 64 :+ 64, :].T' */
void cake_plan_place_print(const cake_plan_place *place, cake_text *out);

#endif
