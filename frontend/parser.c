#include "frontend/parser.h"

#include <string.h>

#define FOUND_MAX_BYTES 40u

void cake_parser_init(cake_parser *parser, cake_arena *arena, const cake_source *source, cake_interner *names,
                      cake_diagnostics *diagnostics) {
    *parser = (cake_parser){.arena = arena, .source = source, .names = names, .diagnostics = diagnostics};
    parser->lexer = (cake_lexer){.arena = arena, .source = source, .names = names, .diagnostics = diagnostics};
    parser->token = cake_lexer_next(&parser->lexer);
    parser->ahead = cake_lexer_next(&parser->lexer);
    parser->break_taken = true;
}

/* ---- tokens ---- */

cake_token_kind cake_parser_kind(const cake_parser *parser) {
    bool at_break = parser->token.newlines > 0 && !parser->break_taken && parser->brackets == 0 &&
                    !cake_token_is_open(parser->previous.kind);
    return at_break ? TOKEN_BREAK : parser->token.kind;
}

cake_keyword cake_parser_keyword(const cake_parser *parser) {
    return cake_parser_kind(parser) == TOKEN_WORD ? parser->token.keyword : KEYWORD_NONE;
}

void cake_parser_advance(cake_parser *parser) {
    cake_token_kind kind = parser->token.kind;
    if (kind == TOKEN_OPEN_PAREN || kind == TOKEN_OPEN_BRACKET) parser->brackets++;
    if ((kind == TOKEN_CLOSE_PAREN || kind == TOKEN_CLOSE_BRACKET) && parser->brackets > 0) parser->brackets--;
    parser->previous = parser->token;
    parser->token = parser->ahead;
    parser->ahead = cake_lexer_next(&parser->lexer);
    parser->break_taken = false;
}

bool cake_parser_take_kind(cake_parser *parser, cake_token_kind kind) {
    if (cake_parser_kind(parser) != kind) return false;
    cake_parser_advance(parser);
    return true;
}

bool cake_parser_take_keyword(cake_parser *parser, cake_keyword keyword) {
    if (cake_parser_keyword(parser) != keyword) return false;
    cake_parser_advance(parser);
    return true;
}

bool cake_parser_expect_kind(cake_parser *parser, cake_token_kind kind) {
    if (cake_parser_take_kind(parser, kind)) return true;
    cake_parser_expected(parser, cake_arena_format(parser->arena, "'%s'", cake_token_text(kind)));
    return false;
}

bool cake_parser_expect_keyword(cake_parser *parser, cake_keyword keyword) {
    if (cake_parser_take_keyword(parser, keyword)) return true;
    cake_parser_expected(parser, cake_arena_format(parser->arena, "'%s'", cake_keyword_text(keyword)));
    return false;
}

cake_span cake_parser_span_from(const cake_parser *parser, uint32_t begin) {
    return (cake_span){begin, parser->previous.span.end};
}

bool cake_parser_end_of_statement(cake_parser *parser) {
    bool taken = parser->token.kind == TOKEN_END;
    for (;;) {
        if (cake_parser_kind(parser) == TOKEN_BREAK)
            parser->break_taken = true;
        else if (!cake_parser_take_kind(parser, TOKEN_SEMICOLON))
            return taken;
        taken = true;
    }
}

/* ---- errors ---- */

static bool opens_line(const cake_parser *parser) {
    return parser->token.newlines > 0 && !parser->break_taken;
}

/* A word that begins a statement or declaration and is seldom found inside one. */
static bool is_statement_word(const cake_parser *parser) {
    if (parser->token.kind != TOKEN_WORD) return false;
    switch (cake_keyword_place_of(parser->token.keyword)) {
    case KEYWORD_PLACE_DECLARATION:
    case KEYWORD_PLACE_BLOCK:
    case KEYWORD_PLACE_STATEMENT:
    case KEYWORD_PLACE_COMPOUND:
        return true;
    case KEYWORD_PLACE_INNER:
    case KEYWORD_PLACE_FAMILY:
        return false;
    }
    return false;
}

/* 'name =' at the start of a line: an assignment rather than an argument. */
static bool is_assignment(const cake_parser *parser) {
    return parser->token.kind == TOKEN_WORD &&
           (parser->ahead.kind == TOKEN_ASSIGN || parser->ahead.kind == TOKEN_ADD_ASSIGN);
}

/* The next token opens a line in a way that only a new statement does, though a bracket is still open. */
static bool at_next_statement(const cake_parser *parser) {
    return opens_line(parser) && (is_statement_word(parser) || is_assignment(parser));
}

static cake_span place_of_error(const cake_parser *parser) {
    uint32_t end = parser->previous.span.end;
    return at_next_statement(parser) ? (cake_span){end, end} : cake_parser_place(parser);
}

static bool is_silent(cake_parser *parser) {
    uint32_t at = place_of_error(parser).begin;
    bool again = parser->reported && parser->reported_at == at;
    parser->reported = true;
    parser->reported_at = at;
    return again || cake_parser_kind(parser) == TOKEN_BAD;
}

cake_diagnostic *cake_parser_error(cake_parser *parser, cake_diagnostic_code code, const char *format, ...) {
    if (is_silent(parser)) return NULL;
    const char *message = "";
    if (parser->diagnostics->list.count < CAKE_DIAGNOSTIC_LIMIT) {
        va_list arguments;
        va_start(arguments, format);
        message = cake_arena_vformat(parser->arena, format, arguments);
        va_end(arguments);
    }
    return cake_report(parser->diagnostics, code, place_of_error(parser), "%s", message);
}

const char *cake_parser_found(const cake_parser *parser) {
    cake_token_kind kind = cake_parser_kind(parser);
    if (kind == TOKEN_END) return cake_token_text(kind);
    if (kind == TOKEN_BREAK || at_next_statement(parser)) return cake_token_text(TOKEN_BREAK);
    uint32_t size = parser->token.span.end - parser->token.span.begin;
    const char *text = parser->source->text + parser->token.span.begin;
    const char *what = kind == TOKEN_WORD && parser->token.keyword != KEYWORD_NONE ? "keyword " : "";
    bool cut = size > FOUND_MAX_BYTES;
    return cake_arena_format(parser->arena, "%s'%.*s%s'", what, (int)(cut ? FOUND_MAX_BYTES : size), text,
                             cut ? ".." : "");
}

cake_diagnostic *cake_parser_expected(cake_parser *parser, const char *what) {
    if (parser->diagnostics->list.count == CAKE_DIAGNOSTIC_LIMIT)
        return cake_parser_error(parser, CAKE_L105, "%s", what);
    cake_token_kind kind = cake_parser_kind(parser);
    if (kind == parser->previous.kind && (kind == TOKEN_AND || kind == TOKEN_OR))
        return cake_parser_error(parser, CAKE_L116, "there is no '%s%s': write '%s', which works on bool too",
                                 cake_token_text(kind), cake_token_text(kind), cake_token_text(kind));
    if (kind == TOKEN_ARROW)
        return cake_parser_error(parser, CAKE_L105, "expected %s, found '<-'; a comparison with a negative is '< -'",
                                 what);
    return cake_parser_error(parser, CAKE_L105, "expected %s, found %s", what, cake_parser_found(parser));
}

bool cake_parser_expect_arrow(cake_parser *parser) {
    if (cake_parser_take_kind(parser, TOKEN_ARROW)) return true;
    if (cake_parser_kind(parser) != TOKEN_ASSIGN && cake_parser_kind(parser) != TOKEN_ADD_ASSIGN) {
        cake_parser_expected(parser, "'<-'");
        return false;
    }
    cake_span span = parser->token.span;
    cake_diagnostic *diagnostic =
        cake_parser_error(parser, CAKE_L108, "memory is written with '<-', found %s", cake_parser_found(parser));
    if (diagnostic) cake_diagnostic_fix(parser->diagnostics, diagnostic, "write '<-'", span, "<-");
    return false;
}

/* ---- depth ---- */

bool cake_parser_enter(cake_parser *parser) {
    if (parser->depth < CAKE_MAX_NESTING) {
        parser->depth++;
        return true;
    }
    cake_parser_too_deep(parser);
    return false;
}

void cake_parser_leave(cake_parser *parser) {
    parser->depth--;
}

void cake_parser_too_deep(cake_parser *parser) {
    if (!parser->too_deep) cake_parser_error(parser, CAKE_L104, "nested deeper than %d levels", CAKE_MAX_NESTING);
    is_silent(parser);
    parser->too_deep = true;
}

/* ---- recovery ---- */

bool cake_parser_at_declaration(const cake_parser *parser) {
    return parser->token.kind == TOKEN_WORD && cake_keyword_place_of(parser->token.keyword) == KEYWORD_PLACE_BLOCK &&
           parser->ahead.kind != TOKEN_COLON;
}

/* Over '{' .. '}' with what is inside, as far as a declaration or the file's end. */
static void skip_braces(cake_parser *parser) {
    uint32_t open = 0;
    while (parser->token.kind != TOKEN_END && !(opens_line(parser) && cake_parser_at_declaration(parser))) {
        cake_token_kind kind = parser->token.kind;
        cake_parser_advance(parser);
        if (kind == TOKEN_OPEN_BRACE) open++;
        if (kind == TOKEN_CLOSE_BRACE && --open == 0) return;
    }
}

bool cake_parser_recover(cake_parser *parser, bool has_block) {
    bool at_block = false;
    while (!at_block && parser->unclosed_at != parser->token.span.begin + 1) {
        cake_token_kind kind = cake_parser_kind(parser);
        if (kind == TOKEN_END || kind == TOKEN_BREAK || kind == TOKEN_SEMICOLON) break;
        if (at_next_statement(parser)) break;
        if (kind == TOKEN_CLOSE_BRACE && parser->sets == 0) break;
        if (kind == TOKEN_CLOSE_BRACE) parser->sets--;
        if (kind != TOKEN_OPEN_BRACE)
            cake_parser_advance(parser);
        else if (has_block)
            at_block = true;
        else
            skip_braces(parser);
    }
    parser->brackets = 0;
    parser->sets = 0;
    if (opens_line(parser)) parser->previous.kind = TOKEN_BAD; /* a ',' before the newline does not go on over it */
    return at_block;
}

void cake_parser_skip_statement(cake_parser *parser) {
    cake_parser_recover(parser, false);
}

void cake_parser_finish_item(cake_parser *parser) {
    cake_token_kind kind = cake_parser_kind(parser);
    if (kind == TOKEN_BREAK || kind == TOKEN_SEMICOLON || kind == TOKEN_CLOSE_BRACE || kind == TOKEN_END) return;
    if (parser->previous.kind == TOKEN_CLOSE_BRACE)
        cake_parser_expected(parser, "a newline or ';' behind '}'");
    else
        cake_parser_expected(parser, "end of statement");
    cake_parser_recover(parser, false);
}

bool cake_parser_braced_items(cake_parser *parser, cake_span open, cake_parser_item *item, void *context) {
    for (;;) {
        cake_parser_end_of_statement(parser);
        if (cake_parser_take_kind(parser, TOKEN_CLOSE_BRACE)) return true;
        if (parser->token.kind == TOKEN_END || cake_parser_at_declaration(parser)) {
            cake_diagnostic *diagnostic =
                cake_parser_error(parser, CAKE_L110, "expected '}' before %s", cake_parser_found(parser));
            if (diagnostic) cake_diagnostic_note(parser->diagnostics, diagnostic, open, "this '{' is not closed");
            parser->unclosed_at = parser->token.span.begin + 1;
            return false;
        }
        if (item(parser, context))
            cake_parser_finish_item(parser);
        else
            cake_parser_recover(parser, false);
    }
}

/* ---- names ---- */

static void report_reserved(cake_parser *parser, const char *what, const char *why) {
    cake_parser_error(parser, CAKE_L106, "expected %s, but '%s' is %s", what, parser->token.name, why);
}

bool cake_parser_identifier(cake_parser *parser, const char *what, cake_name *out_name, cake_span *out_span) {
    *out_span = parser->token.span;
    if (cake_parser_kind(parser) != TOKEN_WORD) {
        cake_parser_expected(parser, what);
        return false;
    }
    const cake_token *token = &parser->token;
    if (token->keyword != KEYWORD_NONE || token->dotted)
        report_reserved(parser, what, token->dotted ? "an instruction" : "a keyword");
    else if (cake_builtin_find(token->name) != CAKE_BUILTIN_NONE)
        report_reserved(parser, what, "a built-in function");
    else if (cake_dtype_find(token->name) != CAKE_DTYPE_NONE)
        report_reserved(parser, what, "an element type");
    else {
        *out_name = token->name;
        cake_parser_advance(parser);
        return true;
    }
    return false;
}

bool cake_parser_word(cake_parser *parser, const char *what, cake_named_reference *out_reference) {
    if (cake_parser_kind(parser) != TOKEN_WORD || parser->token.dotted) {
        cake_parser_expected(parser, what);
        return false;
    }
    out_reference->name = parser->token.name;
    out_reference->span = parser->token.span;
    cake_parser_advance(parser);
    return true;
}

bool cake_parser_reference(cake_parser *parser, const char *what, cake_named_reference *out_reference) {
    return cake_parser_identifier(parser, what, &out_reference->name, &out_reference->span);
}

/* ---- the public expression parser ---- */

cake_parser *cake_parser_create(cake_arena *arena, const cake_source *source, cake_interner *names,
                                cake_diagnostics *diagnostics) {
    cake_parser *parser = CAKE_NEW(arena, cake_parser);
    cake_parser_init(parser, arena, source, names, diagnostics);
    parser->folds = true;
    return parser;
}

cake_expr *cake_parser_expression(cake_parser *parser) {
    return cake_parse_expr(parser);
}

bool cake_parser_type(cake_parser *parser, cake_written_type *out_type) {
    return cake_parse_type(parser, out_type);
}

bool cake_parser_take(cake_parser *parser, const char *text) {
    cake_token_kind kind = cake_parser_kind(parser);
    if (kind == TOKEN_BREAK || kind == TOKEN_END) return false;
    size_t size = parser->token.span.end - parser->token.span.begin;
    if (strlen(text) != size || memcmp(parser->source->text + parser->token.span.begin, text, size) != 0) return false;
    cake_parser_advance(parser);
    return true;
}

bool cake_parser_expect(cake_parser *parser, const char *text) {
    if (cake_parser_take(parser, text)) return true;
    cake_parser_expected(parser, cake_arena_format(parser->arena, "'%s'", text));
    return false;
}

cake_name cake_parser_name(cake_parser *parser, cake_span *out_span) {
    cake_name name = NULL;
    return cake_parser_identifier(parser, "a name", &name, out_span) ? name : NULL;
}

cake_name cake_parser_any_name(cake_parser *parser, cake_span *out_span) {
    cake_named_reference word = {.span = parser->token.span};
    bool good = cake_parser_word(parser, "a name", &word);
    *out_span = word.span;
    return good ? word.name : NULL;
}

bool cake_parser_at_end(const cake_parser *parser) {
    return parser->token.kind == TOKEN_END;
}

cake_span cake_parser_place(const cake_parser *parser) {
    if (cake_parser_kind(parser) == TOKEN_BREAK)
        return (cake_span){parser->previous.span.end, parser->previous.span.end};
    return parser->token.span;
}
