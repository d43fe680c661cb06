/* Canonical layout: the tokens as they are, with comments and line breaks kept, and everything between them set anew.
 *
 * Works on tokens alone, so it cannot change what a schedule says. A line is indented by two spaces more than the line
 * that opened the innermost block, a continued line by four more than its statement. Comments behind code stand two
 * spaces after it, on neighbouring lines below each other. */
#include <string.h>

#include "frontend/internal.h"
#include "frontend/lexer.h"

#define BLOCK_INDENT        2u
#define CONTINUATION_INDENT 4u
#define COMMENT_GAP         2u

/* An open bracket or brace. */
typedef struct bracket {
    cake_token_kind kind;
    bool is_block;
    uint32_t indent; /* of the line it stands on */
} bracket;

/* One output line: code in 'text' of the formatter, and the comment behind it. */
typedef struct output_line {
    uint32_t begin, end;
    cake_span comment; /* empty: none */
    bool blank_before;
} output_line;

typedef struct layout {
    cake_arena *arena;
    const cake_source *source;
    cake_lexer lexer;
    cake_token token, previous, before_previous; /* comments are never 'previous' */
    bool previous_is_unary;
    CAKE_VECTOR(bracket) openings;
    CAKE_VECTOR(output_line) lines;
    cake_text text; /* code of all lines */
    uint32_t indent;
} layout;

/* ---- what tokens are ---- */

static bool is_keyword(const cake_token *token, cake_keyword keyword) {
    return token->kind == TOKEN_WORD && token->keyword == keyword;
}

/* An operand may end with the token: a '-' behind it is binary, a '(' or '[' belongs to it. */
static bool ends_value(const cake_token *token, const cake_token *before) {
    switch ((int)token->kind) {
    case TOKEN_INT:
    case TOKEN_FLOAT:
    case TOKEN_CLOSE_PAREN:
    case TOKEN_CLOSE_BRACKET:
    case TOKEN_CLOSE_BRACE:
        return true;
    case TOKEN_WORD:
        break;
    default:
        return false;
    }
    if (before->kind == TOKEN_DOT) return true;
    if (token->keyword == KEYWORD_NONE) return cake_dtype_find(token->name) == CAKE_DTYPE_NONE;
    return token->keyword == KEYWORD_INF || token->keyword == KEYWORD_NAN || token->keyword == KEYWORD_TRUE ||
           token->keyword == KEYWORD_FALSE;
}

/* '(' right behind the word: a call or a parameter list, not a group. 'max', 'count' and 'round' are functions unless
 * they stand behind a value, where they are clauses. */
static bool takes_arguments(const layout *formatter) {
    const cake_token *word = &formatter->previous, *before = &formatter->before_previous;
    if (word->kind != TOKEN_WORD) return false;
    if (is_keyword(before, KEYWORD_ROLE) || is_keyword(word, KEYWORD_PEER) || is_keyword(word, KEYWORD_RAGGED))
        return true;
    if (is_keyword(word, KEYWORD_TILE)) return !is_keyword(before, KEYWORD_FOR);
    if (word->keyword != KEYWORD_NONE)
        return before->kind == TOKEN_DOT ||
               (cake_builtin_find(word->name) != CAKE_BUILTIN_NONE && !ends_value(before, &(cake_token){0}));
    return cake_dtype_find(word->name) == CAKE_DTYPE_NONE;
}

static cake_token_kind innermost(const layout *formatter) {
    uint32_t count = formatter->openings.count;
    return count > 0 ? formatter->openings.items[count - 1].kind : TOKEN_END;
}

static bool in_block(const layout *formatter) {
    uint32_t count = formatter->openings.count;
    return count == 0 || formatter->openings.items[count - 1].is_block;
}

/* ---- spaces ---- */

static bool space_before_open(const layout *formatter) {
    const cake_token *previous = &formatter->previous;
    if (previous->kind == TOKEN_OPEN_PAREN || previous->kind == TOKEN_OPEN_BRACKET || formatter->previous_is_unary)
        return false;
    if (formatter->token.kind == TOKEN_OPEN_PAREN) return !takes_arguments(formatter);
    return !ends_value(previous, &formatter->before_previous) &&
           !(previous->kind == TOKEN_WORD && previous->keyword == KEYWORD_NONE);
}

static bool space_between(const layout *formatter) {
    cake_token_kind previous = formatter->previous.kind, next = formatter->token.kind;
    if (next == TOKEN_COMMA || next == TOKEN_SEMICOLON || next == TOKEN_CLOSE_PAREN || next == TOKEN_CLOSE_BRACKET ||
        next == TOKEN_DOT || next == TOKEN_AT || previous == TOKEN_DOT || previous == TOKEN_AT)
        return false;
    if ((next == TOKEN_ASSIGN || previous == TOKEN_ASSIGN) && innermost(formatter) == TOKEN_OPEN_PAREN) return false;
    if (next == TOKEN_OPEN_PAREN || next == TOKEN_OPEN_BRACKET) return space_before_open(formatter);
    if (previous == TOKEN_OPEN_PAREN || previous == TOKEN_OPEN_BRACKET || formatter->previous_is_unary) return false;
    if (next == TOKEN_CLOSE_BRACE || previous == TOKEN_OPEN_BRACE) return in_block(formatter);
    if (next == TOKEN_COLON) return previous == TOKEN_COMMA;
    return true;
}

/* ---- lines ---- */

static output_line *current_line(layout *formatter) {
    return &formatter->lines.items[formatter->lines.count - 1];
}

static uint32_t line_indent(const layout *formatter) {
    uint32_t blocks = formatter->openings.count;
    bool continues = cake_token_is_open(formatter->previous.kind);
    while (blocks > 0 && !formatter->openings.items[blocks - 1].is_block) {
        continues = true;
        blocks--;
    }
    cake_token_kind next = formatter->token.kind;
    uint32_t base = blocks > 0 ? formatter->openings.items[blocks - 1].indent + BLOCK_INDENT : 0;
    if (next == TOKEN_CLOSE_BRACE && blocks > 0 && blocks == formatter->openings.count)
        return formatter->openings.items[blocks - 1].indent;
    bool closes = next == TOKEN_CLOSE_PAREN || next == TOKEN_CLOSE_BRACKET;
    return continues && !closes ? base + CONTINUATION_INDENT : base;
}

static void begin_line(layout *formatter) {
    bool first = formatter->lines.count == 0;
    output_line *line = CAKE_PUSH(formatter->arena, &formatter->lines);
    line->blank_before = !first && formatter->token.newlines > 1;
    line->begin = line->end = (uint32_t)formatter->text.size;
    /* What a continued line opens belongs to the statement's own line. */
    uint32_t indent = line_indent(formatter);
    for (uint32_t i = 0; i < indent; i++)
        cake_text_add(&formatter->text, " ", 1);
    if (!cake_token_is_open(formatter->previous.kind) && in_block(formatter)) formatter->indent = indent;
}

static void add_code(layout *formatter) {
    cake_span span = formatter->token.span;
    cake_text_add(&formatter->text, formatter->source->text + span.begin, span.end - span.begin);
    current_line(formatter)->end = (uint32_t)formatter->text.size;
}

static void track_openings(layout *formatter) {
    cake_token_kind kind = formatter->token.kind;
    if (kind == TOKEN_OPEN_PAREN || kind == TOKEN_OPEN_BRACKET || kind == TOKEN_OPEN_BRACE) {
        bracket *opening = CAKE_PUSH(formatter->arena, &formatter->openings);
        opening->kind = kind;
        opening->is_block = kind == TOKEN_OPEN_BRACE && !is_keyword(&formatter->previous, KEYWORD_IN);
        opening->indent = formatter->indent;
    }
    bool closes = kind == TOKEN_CLOSE_PAREN || kind == TOKEN_CLOSE_BRACKET || kind == TOKEN_CLOSE_BRACE;
    if (closes && formatter->openings.count > 0) formatter->openings.count--;
}

static void add_token(layout *formatter) {
    bool at_start = formatter->lines.count == 0 || formatter->token.newlines > 0;
    if (at_start) begin_line(formatter);
    if (formatter->token.kind == TOKEN_COMMENT && !at_start) {
        current_line(formatter)->comment = formatter->token.span;
        return;
    }
    if (!at_start && space_between(formatter)) cake_text_add(&formatter->text, " ", 1);
    add_code(formatter);
    if (formatter->token.kind == TOKEN_COMMENT) return;
    cake_token_kind kind = formatter->token.kind;
    bool after_value = ends_value(&formatter->previous, &formatter->before_previous);
    formatter->previous_is_unary = kind == TOKEN_NOT || kind == TOKEN_TILDE || (kind == TOKEN_SUB && !after_value);
    track_openings(formatter);
    formatter->before_previous = formatter->previous;
    formatter->previous = formatter->token;
}

/* ---- output ---- */

static uint32_t line_width(const output_line *line) {
    return line->end - line->begin;
}

static bool has_comment(const output_line *line) {
    return line->comment.end > line->comment.begin;
}

/* Lines first .. last - 1 follow each other and have comments; their comments start in one column. */
static void add_commented_lines(layout *formatter, uint32_t first, uint32_t last, cake_text *out) {
    uint32_t width = 0;
    for (uint32_t i = first; i < last; i++)
        if (line_width(&formatter->lines.items[i]) > width) width = line_width(&formatter->lines.items[i]);
    for (uint32_t i = first; i < last; i++) {
        const output_line *line = &formatter->lines.items[i];
        cake_text_add_string(out, line->blank_before ? "\n" : "");
        cake_text_add(out, formatter->text.bytes + line->begin, line_width(line));
        cake_text_format(out, "%*s", (int)(width - line_width(line) + COMMENT_GAP), "");
        cake_text_add(out, formatter->source->text + line->comment.begin, line->comment.end - line->comment.begin);
        cake_text_add_string(out, "\n");
    }
}

static const char *add_lines(layout *formatter) {
    cake_text out;
    cake_text_init(&out, formatter->arena);
    for (uint32_t i = 0; i < formatter->lines.count;) {
        const output_line *line = &formatter->lines.items[i];
        uint32_t last = i;
        while (last < formatter->lines.count && has_comment(&formatter->lines.items[last]) &&
               (last == i || !formatter->lines.items[last].blank_before))
            last++;
        if (last > i) {
            add_commented_lines(formatter, i, last, &out);
            i = last;
        } else {
            cake_text_add_string(&out, line->blank_before ? "\n" : "");
            cake_text_add(&out, formatter->text.bytes + line->begin, line_width(line));
            cake_text_add_string(&out, "\n");
            i++;
        }
    }
    return cake_text_string(&out);
}

const char *cake_frontend_format(cake_arena *arena, const cake_source *source, cake_diagnostics *diagnostics) {
    uint32_t errors_before = diagnostics->error_count;
    cake_module *module = cake_frontend_parse_unresolved(arena, source, diagnostics);
    if (diagnostics->error_count != errors_before) return NULL;
    layout formatter = {.arena = arena, .source = source};
    formatter.lexer = (cake_lexer){
        .arena = arena, .source = source, .names = &module->names, .diagnostics = diagnostics, .keep_comments = true};
    cake_text_init(&formatter.text, arena);
    for (;;) {
        formatter.token = cake_lexer_next(&formatter.lexer);
        if (formatter.token.kind == TOKEN_END) return add_lines(&formatter);
        add_token(&formatter);
    }
}
