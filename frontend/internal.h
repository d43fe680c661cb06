/* What the files of the frontend share beyond the lexer (lexer.h) and the parser (parser.h): the stages' entries. */
#ifndef CAKE_FRONTEND_INTERNAL_H
#define CAKE_FRONTEND_INTERNAL_H

#include "frontend/frontend.h"

/* The module as written, without symbols and types. Never null. */
cake_module *cake_frontend_parse_unresolved(cake_arena *arena, const cake_source *source,
                                            cake_diagnostics *diagnostics);

/* Resolves names and types in a module that parsed without error: fills every symbol, type and expansion. */
void cake_frontend_resolve(cake_module *module, cake_diagnostics *diagnostics);

#endif
