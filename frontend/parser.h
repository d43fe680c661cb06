/* Parser: recursive descent over the grammar of docs/language.md, split by what is parsed.
 *
 * A function that parses something gives null (or false) after an error, which it has reported; callers pass that on up
 * to the list of statements, declarations or steps around, which goes to the next statement end and parses on. At one
 * token at most one error is reported.
 *
 * Depth is limited twice: 'depth' counts the recursion of the parser, 'height' the levels of the tree that was built,
 * which grows with chains such as a + b + c although parsing those does not recurse.
 */
#ifndef CAKE_FRONTEND_PARSER_H
#define CAKE_FRONTEND_PARSER_H

#include "frontend/internal.h"
#include "frontend/lexer.h"

struct cake_parser {
    cake_arena *arena;
    const cake_source *source;
    cake_interner *names;
    cake_diagnostics *diagnostics;
    cake_lexer lexer;
    cake_token token, ahead; /* the next one and the one behind it */
    cake_token previous;     /* the one taken last */
    bool break_taken;        /* the newlines before 'token' were taken as a statement end */
    uint32_t brackets;       /* open ( and [: newlines inside end nothing */
    uint32_t sets;           /* open { of sets */
    uint32_t depth;
    uint32_t height;          /* of the expression that was parsed last */
    const cake_expr *grouped; /* the last expression that stood in parentheses */
    bool reported;            /* an error at 'reported_at' */
    uint32_t reported_at;
    bool too_deep;          /* reported already */
    uint32_t unclosed_at;   /* offset + 1 of the token before which a '}' is missing; 0: none */
    uint32_t pair_at;       /* offset + 1 of a '(' that may open a pair; 0: none */
    cake_expr *pair_second; /* second value of the pair found there */
    uint32_t pair_end;
    bool folds; /* 'over' may end a call's arguments: workloads only */
};

/* ---- parser.c: tokens, errors, recovery ---- */

void cake_parser_init(cake_parser *parser, cake_arena *arena, const cake_source *source, cake_interner *names,
                      cake_diagnostics *diagnostics);

/* Kind of the next token; BREAK where a newline before it ends the statement. */
cake_token_kind cake_parser_kind(const cake_parser *parser);
/* The next token's keyword; NONE at a statement end or another token. */
cake_keyword cake_parser_keyword(const cake_parser *parser);
void cake_parser_advance(cake_parser *parser);
bool cake_parser_take_kind(cake_parser *parser, cake_token_kind kind);
bool cake_parser_take_keyword(cake_parser *parser, cake_keyword keyword);
bool cake_parser_expect_kind(cake_parser *parser, cake_token_kind kind);
bool cake_parser_expect_keyword(cake_parser *parser, cake_keyword keyword);
/* From a first token to the one taken last. */
cake_span cake_parser_span_from(const cake_parser *parser, uint32_t begin);

/* Reports at the next token; null if an error is reported there already or the lexer did. */
cake_diagnostic *cake_parser_error(cake_parser *parser, cake_diagnostic_code code, const char *format, ...)
    CAKE_PRINTF(3, 4);
/* 'expected WHAT, found ..' */
cake_diagnostic *cake_parser_expected(cake_parser *parser, const char *what);
/* '<-', with a hint and a fix for '='. */
bool cake_parser_expect_arrow(cake_parser *parser);
/* Text of the next token for messages. */
const char *cake_parser_found(const cake_parser *parser);

/* One level of recursion deeper; false when that is too deep (reported). Each true is paired with a leave. */
bool cake_parser_enter(cake_parser *parser);
void cake_parser_leave(cake_parser *parser);
/* Reports once in a file that something is nested too deeply. */
void cake_parser_too_deep(cake_parser *parser);

/* Goes to the end of a statement that is in error, over its sets and brackets. Stops before a '{' if the statement has
 * a block, and tells whether it did. */
bool cake_parser_recover(cake_parser *parser, bool has_block);
/* The next token is a declaration that no block can contain and opens a line. */
bool cake_parser_at_declaration(const cake_parser *parser);
/* After an item of a list of statements: takes its end, or reports and recovers. */
void cake_parser_finish_item(cake_parser *parser);
/* A name to be declared or used: no reserved word. */
bool cake_parser_identifier(cake_parser *parser, const char *what, cake_name *out_name, cake_span *out_span);
/* Any word, reserved or not: a role's name, an order, a hint. */
bool cake_parser_word(cake_parser *parser, const char *what, cake_named_reference *out_reference);
bool cake_parser_reference(cake_parser *parser, const char *what, cake_named_reference *out_reference);

/* Runs 'item' for each statement-like item until '}' and takes that; the '{' is taken already, at 'open'. Only false
 * when the file ends or a declaration begins before the '}' (reported). */
typedef bool cake_parser_item(cake_parser *parser, void *context);
bool cake_parser_braced_items(cake_parser *parser, cake_span open, cake_parser_item *item, void *context);

/* ---- parse_expr.c ---- */

cake_expr *cake_parse_expr(cake_parser *parser);
cake_expr *cake_parse_prefix(cake_parser *parser);
cake_expr *cake_parse_place(cake_parser *parser);
bool cake_parse_exprs(cake_parser *parser, cake_expr_list *out_list);
bool cake_parse_set(cake_parser *parser, cake_set *out_set);
/* '[' exprs ']' */
bool cake_parse_bracketed_exprs(cake_parser *parser, cake_expr_list *out_list);
bool cake_parse_dtype(cake_parser *parser, cake_dtype *out_dtype);
bool cake_parse_type(cake_parser *parser, cake_written_type *out_type);
/* An integer literal from minimum on: counts of the grammar that are no expressions. */
bool cake_parse_count(cake_parser *parser, const char *what, uint32_t minimum, uint32_t *out_count);
/* The next token may begin an expression. */
bool cake_parse_sees_expr(const cake_parser *parser);
/* A new node, and its completion: span from 'begin' to the token taken last; null if it is too high (reported). */
cake_expr *cake_parse_node(cake_parser *parser, cake_expr_kind kind);
cake_expr *cake_parse_finish(cake_parser *parser, cake_expr *expr, uint32_t begin, uint32_t height);

/* ---- parse_access.c: load, store, atomic and await with their clauses ---- */

cake_expr *cake_parse_load(cake_parser *parser);
cake_expr *cake_parse_atomic(cake_parser *parser);
/* An await with 'until'; without that, and if out_signal is not null, the signal's place alone goes there. */
cake_expr *cake_parse_await(cake_parser *parser, cake_expr **out_signal);
/* The clauses behind an access; out_multicast may be null where 'multicast' is no clause. */
typedef enum cake_clause_set {
    CAKE_CLAUSES_LOAD,
    CAKE_CLAUSES_STORE,
    CAKE_CLAUSES_TMA_LOAD,
    CAKE_CLAUSES_ASYNC_LOAD
} cake_clause_set;
bool cake_parse_clauses(cake_parser *parser, cake_clause_set set, cake_access_clauses *out_clauses,
                        bool *out_multicast);

/* ---- parse_stmt.c ---- */

bool cake_parse_block(cake_parser *parser, cake_block *out_block);
/* After an error in a statement or role that has blocks: parses those for their own errors. */
void cake_parse_blocks_after_error(cake_parser *parser);

/* ---- parse_decl.c ---- */

/* const, tune, let: what files and kernels share. */
bool cake_parse_common(cake_parser *parser, cake_common *common);
/* After 'where'. */
bool cake_parse_where_facts(cake_parser *parser, cake_fact_list *out_facts);
bool cake_parse_kernel_declaration(cake_parser *parser, cake_kernel *kernel);

#endif
