/* Lexer: bytes to tokens, one at a time.
 *
 * Newlines are no tokens; each token tells how many stand before it. Whether one of them ends a statement depends on
 * the brackets around it, which the parser knows. Dotted words of the instruction families ('tma.load', 'atomic.add')
 * are one token. Any bytes are legal: what starts no token is reported once a run and given as a BAD token.
 */
#ifndef CAKE_FRONTEND_LEXER_H
#define CAKE_FRONTEND_LEXER_H

#include "support/diagnostic.h"
#include "support/intern.h"

typedef enum cake_token_kind {
#define CAKE_TOKEN(enumerator, description)          TOKEN_##enumerator,
#define CAKE_PUNCTUATION(enumerator, spelling, open) TOKEN_##enumerator,
#include "frontend/tokens.def"
#undef CAKE_TOKEN
#undef CAKE_PUNCTUATION
    TOKEN_KIND_COUNT
} cake_token_kind;

typedef enum cake_keyword {
    KEYWORD_NONE,
#define CAKE_KEYWORD(enumerator, spelling, place) KEYWORD_##enumerator,
#include "frontend/keywords.def"
#undef CAKE_KEYWORD
    KEYWORD_END
} cake_keyword;

typedef enum cake_keyword_place {
    KEYWORD_PLACE_INNER,
    KEYWORD_PLACE_DECLARATION,
    KEYWORD_PLACE_BLOCK,
    KEYWORD_PLACE_STATEMENT,
    KEYWORD_PLACE_COMPOUND,
    KEYWORD_PLACE_FAMILY
} cake_keyword_place;

typedef struct cake_token {
    cake_token_kind kind;
    cake_span span;
    uint32_t newlines;    /* before it */
    cake_name name;       /* WORD */
    cake_keyword keyword; /* WORD; NONE for an identifier */
    bool dotted;          /* WORD: of an instruction family */
    bool hexadecimal;     /* INT */
    uint64_t integer;     /* INT */
    double real;          /* FLOAT */
} cake_token;

typedef struct cake_lexer {
    cake_arena *arena;
    const cake_source *source;
    cake_interner *names;
    cake_diagnostics *diagnostics;
    uint32_t offset;
    bool keep_comments;
} cake_lexer;

cake_token cake_lexer_next(cake_lexer *lexer);

cake_keyword_place cake_keyword_place_of(cake_keyword word);
cake_keyword cake_keyword_find(const char *text);
const char *cake_keyword_text(cake_keyword word);
/* Fixed text or description. */
const char *cake_token_text(cake_token_kind kind);
/* A statement does not end at a newline behind such a token. */
bool cake_token_is_open(cake_token_kind kind);

#endif
