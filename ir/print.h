/* Prints a module as schedule text: 'cakec --emit ir'. The text parses to an equal module (a fixpoint). */
#ifndef CAKE_IR_PRINT_H
#define CAKE_IR_PRINT_H

#include "ir/module.h"

void cake_module_print(const cake_module *module, cake_text *out);
/* One expression, with the parentheses it needs; also used in diagnostics and manifests. */
void cake_expr_print(const cake_expr *expr, cake_text *out);

#endif
