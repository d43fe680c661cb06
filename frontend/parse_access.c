/* Memory accesses: load, atomic, await, and the clauses of loads, stores and copies. */
#include "frontend/parser.h"

#include <string.h>

/* ---- clauses ---- */

static bool clause_once(cake_parser *parser, bool given) {
    if (given) cake_parser_error(parser, CAKE_L109, "'%s' is given already", parser->token.name);
    return !given;
}

static bool parse_operand(cake_parser *parser, cake_expr **out_expr, uint32_t *height) {
    cake_parser_advance(parser);
    *out_expr = cake_parse_prefix(parser);
    if (*out_expr && parser->height > *height) *height = parser->height;
    return *out_expr != NULL;
}

static bool parse_word_operand(cake_parser *parser, const char *what, cake_name *out_name) {
    cake_named_reference word = {0};
    cake_parser_advance(parser);
    if (!cake_parser_word(parser, what, &word)) return false;
    *out_name = word.name;
    return true;
}

/* A load's 'clip' needs the value of the lanes that are off; a store has no use for one. */
static bool parse_clip(cake_parser *parser, cake_clause_set set, cake_access_clauses *clauses, uint32_t *height) {
    clauses->clip = CAKE_CLIP_YES;
    if (set == CAKE_CLAUSES_STORE) {
        cake_parser_advance(parser);
        return true;
    }
    cake_parser_advance(parser);
    if (!cake_parse_sees_expr(parser)) {
        cake_parser_error(parser, CAKE_L109,
                          "'clip' belongs to the load before it and needs a value ('clip 0'); for an outer store, put "
                          "the load in parentheses");
        return false;
    }
    clauses->clip_value = cake_parse_prefix(parser);
    if (clauses->clip_value && parser->height > *height) *height = parser->height;
    return clauses->clip_value != NULL;
}

static bool clause_fits(cake_keyword keyword, cake_clause_set set) {
    if (keyword == KEYWORD_MULTICAST) return set == CAKE_CLAUSES_TMA_LOAD;
    if (keyword == KEYWORD_CLIP) return set != CAKE_CLAUSES_TMA_LOAD;
    if (keyword == KEYWORD_CACHE) return true;
    return set == CAKE_CLAUSES_LOAD || set == CAKE_CLAUSES_STORE;
}

bool cake_parse_clauses(cake_parser *parser, cake_clause_set set, cake_access_clauses *out_clauses,
                        bool *out_multicast) {
    uint32_t height = parser->height;
    for (bool good = true; good;) {
        cake_keyword keyword = cake_parser_keyword(parser);
        if (keyword != KEYWORD_VEC && keyword != KEYWORD_CLIP && keyword != KEYWORD_WHERE && keyword != KEYWORD_CACHE &&
            keyword != KEYWORD_MULTICAST)
            break;
        if (!clause_fits(keyword, set)) {
            cake_parser_error(parser, CAKE_L109, "'%s' is no clause of this statement", parser->token.name);
            return false;
        }
        if (keyword == KEYWORD_VEC)
            good = clause_once(parser, out_clauses->vec) && parse_operand(parser, &out_clauses->vec, &height);
        else if (keyword == KEYWORD_WHERE)
            good = clause_once(parser, out_clauses->where) && parse_operand(parser, &out_clauses->where, &height);
        else if (keyword == KEYWORD_CLIP)
            good = clause_once(parser, out_clauses->clip) && parse_clip(parser, set, out_clauses, &height);
        else if (keyword == KEYWORD_CACHE)
            good = clause_once(parser, out_clauses->cache) &&
                   parse_word_operand(parser, "a cache hint", &out_clauses->cache);
        else if (clause_once(parser, *out_multicast))
            cake_parser_advance(parser), *out_multicast = true;
        else
            good = false;
        if (!good) return false;
    }
    parser->height = height;
    return true;
}

/* ---- load ---- */

cake_expr *cake_parse_load(cake_parser *parser) {
    uint32_t begin = parser->token.span.begin;
    cake_expr *expr = cake_parse_node(parser, CAKE_EXPR_LOAD);
    cake_parser_advance(parser);
    expr->u.load.place = cake_parse_place(parser);
    if (!expr->u.load.place || !cake_parse_clauses(parser, CAKE_CLAUSES_LOAD, &expr->u.load.clauses, NULL)) return NULL;
    return cake_parse_finish(parser, expr, begin, parser->height + 1);
}

/* ---- atomic ---- */

static bool find_atomic(cake_parser *parser, cake_atomic_op *out_op) {
    const char *name = parser->token.name + strlen("atomic.");
    for (cake_atomic_op op = 0; op < CAKE_ATOMIC_COUNT; op++) {
        if (strcmp(cake_atomic_name(op), name) == 0) {
            *out_op = op;
            return true;
        }
    }
    cake_parser_error(parser, CAKE_L114,
                      "'%s' is no atomic operation; there are add, min, max, and, or, xor, exch, store, cas and load",
                      parser->token.name);
    return false;
}

static bool parse_scope(cake_parser *parser, cake_scope *out_scope) {
    if (cake_parser_take(parser, "cta"))
        *out_scope = CAKE_SCOPE_CTA;
    else if (cake_parser_take(parser, "gpu"))
        *out_scope = CAKE_SCOPE_GPU;
    else if (cake_parser_take(parser, "sys"))
        *out_scope = CAKE_SCOPE_SYS;
    else
        cake_parser_error(parser, CAKE_L114, "expected a scope (cta, gpu or sys), found %s", cake_parser_found(parser));
    return *out_scope != CAKE_SCOPE_DEFAULT;
}

static bool parse_order(cake_parser *parser, cake_order *out_order) {
    static const char *const names[] = {"relaxed", "acquire", "release", "acq_rel"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (cake_parser_take(parser, names[i])) {
            *out_order = (cake_order)i;
            return true;
        }
    }
    cake_parser_error(parser, CAKE_L114, "expected an order (relaxed, acquire, release or acq_rel), found %s",
                      cake_parser_found(parser));
    return false;
}

static bool parse_atomic_clauses(cake_parser *parser, cake_expr *atomic, uint32_t *height) {
    bool has_scope = false, has_order = false;
    for (;;) {
        cake_keyword keyword = cake_parser_keyword(parser);
        bool good = true;
        if (keyword == KEYWORD_WHERE) {
            good =
                clause_once(parser, atomic->u.atomic.where) && parse_operand(parser, &atomic->u.atomic.where, height);
        } else if (keyword == KEYWORD_SCOPE) {
            good = clause_once(parser, has_scope);
            cake_parser_advance(parser);
            has_scope = true;
            good = good && parse_scope(parser, &atomic->u.atomic.scope);
        } else if (keyword == KEYWORD_ORDER) {
            good = clause_once(parser, has_order);
            cake_parser_advance(parser);
            has_order = true;
            good = good && parse_order(parser, &atomic->u.atomic.order);
        } else {
            return true;
        }
        if (!good) return false;
    }
}

static bool parse_atomic_operands(cake_parser *parser, cake_expr *atomic, uint32_t *height) {
    uint32_t count = cake_atomic_operand_count(atomic->u.atomic.op);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 ? !cake_parser_expect_arrow(parser) : !cake_parser_expect_kind(parser, TOKEN_COMMA)) return false;
        cake_expr *operand = cake_parse_expr(parser);
        if (!operand) return false;
        if (parser->height > *height) *height = parser->height;
        *CAKE_PUSH(parser->arena, &atomic->u.atomic.operands) = operand;
    }
    return true;
}

cake_expr *cake_parse_atomic(cake_parser *parser) {
    uint32_t begin = parser->token.span.begin;
    cake_expr *expr = cake_parse_node(parser, CAKE_EXPR_ATOMIC);
    if (!find_atomic(parser, &expr->u.atomic.op)) return NULL;
    cake_parser_advance(parser);
    expr->u.atomic.place = cake_parse_place(parser);
    uint32_t height = parser->height;
    if (!expr->u.atomic.place || !parse_atomic_operands(parser, expr, &height) ||
        !parse_atomic_clauses(parser, expr, &height))
        return NULL;
    return cake_parse_finish(parser, expr, begin, height + 1);
}

/* ---- await ---- */

cake_expr *cake_parse_await(cake_parser *parser, cake_expr **out_signal) {
    uint32_t begin = parser->token.span.begin;
    cake_expr *expr = cake_parse_node(parser, CAKE_EXPR_AWAIT);
    cake_parser_advance(parser);
    cake_expr *place = expr->u.await.place = cake_parse_place(parser);
    uint32_t height = parser->height;
    if (!place) return NULL;
    if (out_signal && cake_parser_keyword(parser) != KEYWORD_UNTIL) {
        *out_signal = place;
        return NULL;
    }
    if (!cake_parser_expect_keyword(parser, KEYWORD_UNTIL)) return NULL;
    expr->u.await.until = cake_parse_expr(parser);
    if (parser->height > height) height = parser->height;
    if (!expr->u.await.until || !cake_parser_expect_keyword(parser, KEYWORD_FROM) ||
        !cake_parser_expect_kind(parser, TOKEN_OPEN_PAREN) || !cake_parse_exprs(parser, &expr->u.await.from) ||
        !cake_parser_expect_kind(parser, TOKEN_CLOSE_PAREN))
        return NULL;
    return cake_parse_finish(parser, expr, begin, (parser->height > height ? parser->height : height) + 1);
}
