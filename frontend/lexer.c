#include "frontend/lexer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Digits beyond this many add nothing to a double and overflow every integer. */
#define NUMBER_MAX_BYTES 400u

static const struct {
    const char *text;
    cake_keyword_place place;
} keyword_rows[KEYWORD_END] = {
    [KEYWORD_NONE] = {"", KEYWORD_PLACE_INNER},
#define CAKE_KEYWORD(enumerator, spelling, place) [KEYWORD_##enumerator] = {spelling, KEYWORD_PLACE_##place},
#include "frontend/keywords.def"
#undef CAKE_KEYWORD
};

static const struct {
    const char *text;
    uint32_t size; /* 0: no punctuation */
    bool open;
} token_rows[TOKEN_KIND_COUNT] = {
#define CAKE_TOKEN(enumerator, description)          [TOKEN_##enumerator] = {description, 0, false},
#define CAKE_PUNCTUATION(enumerator, spelling, open) [TOKEN_##enumerator] = {spelling, sizeof(spelling) - 1, open},
#include "frontend/tokens.def"
#undef CAKE_TOKEN
#undef CAKE_PUNCTUATION
};

cake_keyword_place cake_keyword_place_of(cake_keyword word) {
    return keyword_rows[word].place;
}

const char *cake_keyword_text(cake_keyword word) {
    return keyword_rows[word].text;
}

cake_keyword cake_keyword_find(const char *text) {
    cake_keyword low = KEYWORD_NONE + 1, high = KEYWORD_END;
    while (low < high) {
        cake_keyword middle = low + (high - low) / 2;
        int order = strcmp(text, keyword_rows[middle].text);
        if (order == 0) return middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return KEYWORD_NONE;
}

const char *cake_token_text(cake_token_kind kind) {
    return token_rows[kind].text;
}

bool cake_token_is_open(cake_token_kind kind) {
    return token_rows[kind].open;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_hex_digit(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_word(char c) {
    return is_letter(c) || is_digit(c);
}

/* The byte at an offset, 0 behind the end: no token holds a zero byte. */
static char byte_at(const cake_lexer *lexer, uint32_t offset) {
    return offset < lexer->source->size ? lexer->source->text[offset] : '\0';
}

static uint32_t word_end(const cake_lexer *lexer, uint32_t offset) {
    while (is_word(byte_at(lexer, offset)))
        offset++;
    return offset;
}

/* The newline behind a comment. A zero byte in it is an error: text with one inside cannot be given back as a string.
 */
static uint32_t comment_end(const cake_lexer *lexer, uint32_t at) {
    const char *text = lexer->source->text;
    bool reported = false;
    for (; at < lexer->source->size && text[at] != '\n'; at++) {
        if (text[at] == '\0' && !reported)
            cake_report(lexer->diagnostics, CAKE_L101, (cake_span){at, at + 1}, "zero byte in a comment");
        reported = reported || text[at] == '\0';
    }
    return at;
}

static bool is_comment(const cake_lexer *lexer, uint32_t at) {
    return byte_at(lexer, at) == '/' && byte_at(lexer, at + 1) == '/';
}

/* Goes to the next token, counting newlines; comments are passed over unless they are wanted. */
static void skip_space(cake_lexer *lexer, cake_token *token) {
    uint32_t at = lexer->offset;
    for (;;) {
        char c = byte_at(lexer, at);
        if (c == '\n') token->newlines++;
        if (c == '\n' || c == ' ' || c == '\t' || c == '\r')
            at++;
        else if (is_comment(lexer, at) && !lexer->keep_comments)
            at = comment_end(lexer, at);
        else
            break;
    }
    lexer->offset = at;
}

static void scan_comment(cake_lexer *lexer, cake_token *token) {
    const char *text = lexer->source->text;
    uint32_t at = comment_end(lexer, token->span.begin);
    while (text[at - 1] == ' ' || text[at - 1] == '\t' || text[at - 1] == '\r')
        at--;
    token->kind = TOKEN_COMMENT;
    token->span.end = at;
}

static bool is_family(const char *text, uint32_t size) {
    static const char *const families[] = {"tma", "async", "bulk", "wgmma", "tcgen05", "grid", "atomic"};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strlen(families[i]) == size && memcmp(families[i], text, size) == 0) return true;
    return false;
}

static void scan_word(cake_lexer *lexer, cake_token *token) {
    const char *text = lexer->source->text + token->span.begin;
    uint32_t end = word_end(lexer, token->span.begin);
    if (is_family(text, end - token->span.begin)) {
        while (byte_at(lexer, end) == '.' && is_letter(byte_at(lexer, end + 1))) {
            end = word_end(lexer, end + 1);
            token->dotted = true;
        }
    }
    token->kind = TOKEN_WORD;
    token->span.end = end;
    token->name = cake_intern(lexer->names, text, end - token->span.begin);
    token->keyword = cake_keyword_find(token->name);
}

/* ---- numbers ---- */

/* Passes over digits with single '_' between them; false if there is none or a '_' stands elsewhere. */
static bool scan_digits(const cake_lexer *lexer, uint32_t *at, bool hexadecimal) {
    bool after_digit = false;
    for (;; (*at)++) {
        char c = byte_at(lexer, *at);
        if (hexadecimal ? is_hex_digit(c) : is_digit(c))
            after_digit = true;
        else if (c == '_' && after_digit)
            after_digit = false;
        else
            return after_digit;
    }
}

static bool starts_exponent(const cake_lexer *lexer, uint32_t at) {
    char c = byte_at(lexer, at);
    if (c != 'e' && c != 'E') return false;
    char sign = byte_at(lexer, at + 1);
    return is_digit(sign) || ((sign == '+' || sign == '-') && is_digit(byte_at(lexer, at + 2)));
}

/* Passes over a number; false if it is malformed. */
static bool scan_number_text(const cake_lexer *lexer, cake_token *token, uint32_t *at) {
    token->kind = TOKEN_INT;
    token->hexadecimal =
        byte_at(lexer, *at) == '0' && (byte_at(lexer, *at + 1) == 'x' || byte_at(lexer, *at + 1) == 'X');
    if (token->hexadecimal) {
        *at += 2;
        return scan_digits(lexer, at, true);
    }
    if (!scan_digits(lexer, at, false)) return false;
    if (byte_at(lexer, *at) == '.' && byte_at(lexer, *at + 1) != '.' && !is_letter(byte_at(lexer, *at + 1))) {
        token->kind = TOKEN_FLOAT;
        (*at)++;
        if (!scan_digits(lexer, at, false)) return false;
    }
    if (starts_exponent(lexer, *at)) {
        token->kind = TOKEN_FLOAT;
        *at += is_digit(byte_at(lexer, *at + 1)) ? 1 : 2;
        return scan_digits(lexer, at, false);
    }
    return true;
}

static bool integer_value(const char *digits, bool hexadecimal, uint64_t *out_value) {
    uint64_t value = 0, base = hexadecimal ? 16 : 10;
    for (const char *c = hexadecimal ? digits + 2 : digits; *c; c++) {
        uint64_t digit = is_digit(*c) ? (uint64_t)(*c - '0') : (uint64_t)((*c | 0x20) - 'a' + 10);
        if (value > (UINT64_MAX - digit) / base) return false;
        value = value * base + digit;
    }
    *out_value = value;
    return true;
}

/* Value of a well-formed number; false if no 64-bit integer or double holds it. */
static bool number_value(const cake_lexer *lexer, cake_token *token) {
    char digits[NUMBER_MAX_BYTES + 1];
    uint32_t size = 0;
    for (uint32_t at = token->span.begin; at < token->span.end; at++)
        if (lexer->source->text[at] != '_') digits[size++] = lexer->source->text[at];
    digits[size] = '\0';
    if (token->kind == TOKEN_INT) return integer_value(digits, token->hexadecimal, &token->integer);
    token->real = strtod(digits, NULL);
    return isfinite(token->real);
}

static void scan_number(cake_lexer *lexer, cake_token *token) {
    uint32_t at = token->span.begin;
    bool well_formed = scan_number_text(lexer, token, &at);
    uint32_t end = word_end(lexer, at);
    token->span.end = end;
    if (!well_formed || end != at || end - token->span.begin > NUMBER_MAX_BYTES) {
        cake_report(lexer->diagnostics, CAKE_L102, token->span, "malformed number");
        token->kind = TOKEN_BAD;
    } else if (!number_value(lexer, token)) {
        cake_report(lexer->diagnostics, CAKE_L103, token->span,
                    token->kind == TOKEN_INT ? "the integer does not fit in 64 bits" : "the float is beyond f64");
        token->kind = TOKEN_BAD;
    }
}

/* ---- punctuation and the rest ---- */

static cake_token_kind punctuation_at(const cake_lexer *lexer, uint32_t offset) {
    const char *text = lexer->source->text + offset;
    uint32_t left = lexer->source->size - offset;
    for (cake_token_kind kind = TOKEN_END; kind < TOKEN_KIND_COUNT; kind++) {
        uint32_t size = token_rows[kind].size;
        if (size != 0 && size <= left && memcmp(text, token_rows[kind].text, size) == 0) return kind;
    }
    return TOKEN_BAD;
}

static bool starts_token(const cake_lexer *lexer, uint32_t offset) {
    char c = byte_at(lexer, offset);
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || is_word(c) || punctuation_at(lexer, offset) != TOKEN_BAD;
}

static const char *unknown_hint(char c) {
    switch (c) {
    case '#':
        return "; a comment starts with '//'";
    case '?':
        return "; a choice is written select(condition, a, b)";
    case '"':
    case '\'':
        return "; there are no strings";
    }
    return "";
}

/* The end of a run of bytes that start no token; what looks like a string is one run. */
static uint32_t unknown_end(const cake_lexer *lexer, uint32_t begin) {
    const char *text = lexer->source->text;
    uint32_t size = lexer->source->size, end = begin + 1;
    if (text[begin] == '"' || text[begin] == '\'') {
        while (end < size && text[end] != '\n' && text[end] != text[begin])
            end++;
        return end < size && text[end] == text[begin] ? end + 1 : end;
    }
    while (end < size && !starts_token(lexer, end))
        end++;
    return end;
}

static void scan_unknown(cake_lexer *lexer, cake_token *token) {
    token->kind = TOKEN_BAD;
    token->span.end = unknown_end(lexer, token->span.begin);
    unsigned first = (unsigned char)lexer->source->text[token->span.begin];
    if (first > 0x20 && first < 0x7F)
        cake_report(lexer->diagnostics, CAKE_L101, token->span, "'%c' starts no token%s", (int)first,
                    unknown_hint((char)first));
    else
        cake_report(lexer->diagnostics, CAKE_L101, token->span, "byte 0x%02X starts no token", first);
}

cake_token cake_lexer_next(cake_lexer *lexer) {
    cake_token token = {.kind = TOKEN_END};
    skip_space(lexer, &token);
    token.span.begin = token.span.end = lexer->offset;
    if (lexer->offset == lexer->source->size) return token;
    char c = byte_at(lexer, lexer->offset);
    if (is_comment(lexer, lexer->offset)) {
        scan_comment(lexer, &token);
    } else if (is_letter(c)) {
        scan_word(lexer, &token);
    } else if (is_digit(c)) {
        scan_number(lexer, &token);
    } else {
        token.kind = punctuation_at(lexer, lexer->offset);
        token.span.end = token.span.begin + token_rows[token.kind].size;
        if (token.kind == TOKEN_BAD) scan_unknown(lexer, &token);
    }
    lexer->offset = token.span.end;
    return token;
}
