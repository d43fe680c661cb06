/* The frontend: text to a resolved and typed module.
 *
 * Parsing and resolving go on after an error; each root cause gives one diagnostic (codes L1xx, L2xx, L3xx). Any bytes
 * are legal input. Nesting deeper than CAKE_MAX_NESTING and expansions of more than CAKE_MAX_EXPANSION nodes are
 * errors. Values of tunables and statics are not needed: extents are checked in plan/.
 *
 *     cake_module *module = cake_frontend_parse(&arena, &source, &diagnostics);
 *     if (diagnostics.error_count) ... // module is still there for printing what was understood
 */
#ifndef CAKE_FRONTEND_FRONTEND_H
#define CAKE_FRONTEND_FRONTEND_H

#include "ir/module.h"

#define CAKE_MAX_NESTING   256
#define CAKE_MAX_EXPANSION 1000000

/* Parses, then resolves if parsing found no error. Never null. */
cake_module *cake_frontend_parse(cake_arena *arena, const cake_source *source, cake_diagnostics *diagnostics);

/* Canonical layout of the text, comments kept. Null when the text does not lex or parse (reported). */
const char *cake_frontend_format(cake_arena *arena, const cake_source *source, cake_diagnostics *diagnostics);

/* ---- the expression parser alone, for workload and rule files ---- */

typedef struct cake_parser cake_parser;

/* A parser over a source of another language that shares tokens and expressions (workloads). In such a source a call's
 * last argument may end in 'over' expr {"," expr}: cake_argument.over. */
cake_parser *cake_parser_create(cake_arena *arena, const cake_source *source, cake_interner *names,
                                cake_diagnostics *diagnostics);
/* An expression at the parser's place; null after an error (reported). Names are unresolved. */
cake_expr *cake_parser_expression(cake_parser *parser);
/* A type: dtype[extents]. */
bool cake_parser_type(cake_parser *parser, cake_written_type *out_type);
/* If the next token is the keyword, punctuation or identifier 'text', takes it. */
bool cake_parser_take(cake_parser *parser, const char *text);
/* Like take, but reports what was expected when it is not there. */
bool cake_parser_expect(cake_parser *parser, const char *text);
/* An identifier, or null after an error (reported). */
cake_name cake_parser_name(cake_parser *parser, cake_span *out_span);
/* The same for names that are never looked up in expressions (shapes): any word, reserved ones too. */
cake_name cake_parser_any_name(cake_parser *parser, cake_span *out_span);
/* Takes any number of statement ends (newlines, ';'); false if there was none. */
bool cake_parser_end_of_statement(cake_parser *parser);
bool cake_parser_at_end(const cake_parser *parser);
/* Span of the next token, for the caller's own diagnostics. */
cake_span cake_parser_place(const cake_parser *parser);
/* Skips to the next statement end after an error. */
void cake_parser_skip_statement(cake_parser *parser);

#endif
