/* Expressions: operators by precedence climbing, places and postfix forms, sets and types. */
#include "frontend/parser.h"

#include <string.h>

#define LOWEST_LEVEL 1
#define NO_OPERATOR  (-1)

cake_expr *cake_parse_node(cake_parser *parser, cake_expr_kind kind) {
    cake_expr *expr = CAKE_NEW(parser->arena, cake_expr);
    expr->kind = kind;
    return expr;
}

cake_expr *cake_parse_finish(cake_parser *parser, cake_expr *expr, uint32_t begin, uint32_t height) {
    if (height > CAKE_MAX_NESTING) {
        cake_parser_too_deep(parser);
        return NULL;
    }
    expr->span = cake_parser_span_from(parser, begin);
    parser->height = height;
    return expr;
}

static uint32_t higher(uint32_t left, uint32_t right) {
    return left > right ? left : right;
}

bool cake_parse_exprs(cake_parser *parser, cake_expr_list *out_list) {
    uint32_t height = 0;
    do {
        cake_expr *expr = cake_parse_expr(parser);
        if (!expr) return false;
        height = higher(height, parser->height);
        *CAKE_PUSH(parser->arena, out_list) = expr;
    } while (cake_parser_take_kind(parser, TOKEN_COMMA));
    parser->height = height;
    return true;
}

bool cake_parse_bracketed_exprs(cake_parser *parser, cake_expr_list *out_list) {
    return cake_parser_expect_kind(parser, TOKEN_OPEN_BRACKET) && cake_parse_exprs(parser, out_list) &&
           cake_parser_expect_kind(parser, TOKEN_CLOSE_BRACKET);
}

bool cake_parse_set(cake_parser *parser, cake_set *out_set) {
    if (cake_parser_take_kind(parser, TOKEN_OPEN_BRACE)) {
        parser->sets++;
        if (!cake_parse_exprs(parser, &out_set->items) || !cake_parser_expect_kind(parser, TOKEN_CLOSE_BRACE))
            return false;
        parser->sets--;
        return true;
    }
    out_set->is_range = true;
    cake_expr *from = cake_parse_expr(parser);
    uint32_t height = parser->height;
    if (!from || !cake_parser_expect_kind(parser, TOKEN_RANGE)) return false;
    cake_expr *to = cake_parse_expr(parser);
    if (!to) return false;
    parser->height = higher(height, parser->height);
    *CAKE_PUSH(parser->arena, &out_set->items) = from;
    *CAKE_PUSH(parser->arena, &out_set->items) = to;
    return true;
}

bool cake_parse_dtype(cake_parser *parser, cake_dtype *out_dtype) {
    *out_dtype = cake_parser_kind(parser) == TOKEN_WORD ? cake_dtype_find(parser->token.name) : CAKE_DTYPE_NONE;
    if (*out_dtype == CAKE_DTYPE_NONE) {
        cake_parser_expected(parser, "an element type");
        return false;
    }
    cake_parser_advance(parser);
    return true;
}

bool cake_parse_type(cake_parser *parser, cake_written_type *out_type) {
    uint32_t begin = parser->token.span.begin;
    if (!cake_parse_dtype(parser, &out_type->dtype)) return false;
    if (cake_parser_kind(parser) == TOKEN_OPEN_BRACKET && !cake_parse_bracketed_exprs(parser, &out_type->extents))
        return false;
    out_type->span = cake_parser_span_from(parser, begin);
    return true;
}

bool cake_parse_count(cake_parser *parser, const char *what, uint32_t minimum, uint32_t *out_count) {
    uint64_t count = parser->token.integer;
    if (cake_parser_kind(parser) != TOKEN_INT || count < minimum || count > UINT32_MAX) {
        cake_parser_expected(parser, what);
        return false;
    }
    *out_count = (uint32_t)count;
    cake_parser_advance(parser);
    return true;
}

/* ---- places and postfix forms ---- */

static bool parse_item(cake_parser *parser, cake_item *item) {
    uint32_t begin = parser->token.span.begin;
    parser->height = 0;
    if (cake_parser_take_kind(parser, TOKEN_COLON)) {
        item->kind = CAKE_ITEM_ALL;
    } else if (cake_parser_take_keyword(parser, KEYWORD_NONE_ITEM)) {
        item->kind = CAKE_ITEM_NONE;
    } else {
        item->kind = CAKE_ITEM_ONE;
        item->base = cake_parse_expr(parser);
        if (!item->base) return false;
        if (cake_parser_kind(parser) == TOKEN_COLON) {
            cake_parser_expected(parser, "']'; a slice is written 'base :+ length'");
            return false;
        }
        uint32_t height = parser->height;
        if (cake_parser_take_kind(parser, TOKEN_SLICE)) {
            item->kind = CAKE_ITEM_RANGE;
            item->length = cake_parse_expr(parser);
            if (!item->length) return false;
            parser->height = higher(height, parser->height);
        }
    }
    item->span = cake_parser_span_from(parser, begin);
    return true;
}

static cake_expr *parse_index(cake_parser *parser, cake_expr *base) {
    uint32_t height = parser->height;
    cake_expr *expr = cake_parse_node(parser, CAKE_EXPR_INDEX);
    expr->u.index.base = base;
    cake_parser_advance(parser);
    do {
        cake_item item = {0};
        if (!parse_item(parser, &item)) return NULL;
        height = higher(height, parser->height);
        *CAKE_PUSH(parser->arena, &expr->u.index.items) = item;
    } while (cake_parser_take_kind(parser, TOKEN_COMMA));
    if (!cake_parser_expect_kind(parser, TOKEN_CLOSE_BRACKET)) return NULL;
    return cake_parse_finish(parser, expr, base->span.begin, height + 1);
}

static cake_expr *parse_age(cake_parser *parser, cake_expr *base) {
    uint32_t height = parser->height;
    cake_expr *expr = cake_parse_node(parser, CAKE_EXPR_AGE);
    expr->u.age.base = base;
    cake_parser_advance(parser);
    if (!cake_parse_count(parser, "an integer behind '@', the age of the slot", 0, &expr->u.age.age)) return NULL;
    return cake_parse_finish(parser, expr, base->span.begin, height + 1);
}

static cake_expr *parse_dot(cake_parser *parser, cake_expr *base) {
    uint32_t height = parser->height;
    cake_parser_advance(parser);
    const cake_token *token = &parser->token;
    if (cake_parser_kind(parser) != TOKEN_WORD || token->dotted ||
        (token->keyword != KEYWORD_NONE && token->keyword != KEYWORD_NAN)) {
        cake_parser_expected(parser, "a name behind '.'");
        return NULL;
    }
    bool transpose = strcmp(parser->token.name, "T") == 0;
    cake_expr *expr = cake_parse_node(parser, transpose ? CAKE_EXPR_TRANSPOSE : CAKE_EXPR_MEMBER);
    if (transpose) {
        expr->u.unary.operand = base;
    } else {
        expr->u.member.base = base;
        expr->u.member.name = parser->token.name;
    }
    cake_parser_advance(parser);
    return cake_parse_finish(parser, expr, base->span.begin, height + 1);
}

/* The bit of a modifier's name, or 0. */
static uint8_t modifier_find(cake_name name) {
    if (strcmp(name, "approx") == 0) return CAKE_MODIFIER_APPROX;
    if (strcmp(name, "ftz") == 0) return CAKE_MODIFIER_FTZ;
    return strcmp(name, "nan") == 0 ? CAKE_MODIFIER_NAN : 0;
}

/* Turns what stands before '(' into the call's function: NAME { "." modifier }. */
static bool take_callee(cake_parser *parser, const cake_expr *callee, cake_expr *call) {
    for (; callee->kind == CAKE_EXPR_MEMBER; callee = callee->u.member.base) {
        uint8_t modifier = modifier_find(callee->u.member.name);
        if (modifier == 0 || (call->u.call.modifiers & modifier)) {
            cake_parser_error(parser, CAKE_L114, "'.%s' is no modifier here; there are .approx, .ftz and .nan",
                              callee->u.member.name);
            return false;
        }
        call->u.call.modifiers |= modifier;
    }
    if (callee->kind != CAKE_EXPR_NAME || callee == parser->grouped) {
        cake_parser_error(parser, CAKE_L105, "only a function's name can be called");
        return false;
    }
    call->u.call.function = callee->u.name.text;
    call->u.call.function_span = callee->span;
    cake_builtin builtin = cake_builtin_find(callee->u.name.text);
    if (call->u.call.modifiers & ~cake_builtin_info_of(builtin)->modifiers) {
        cake_parser_error(parser, CAKE_L114, "'%s' has no such modifier", callee->u.name.text);
        return false;
    }
    return true;
}

static bool parse_within(cake_parser *parser, cake_within *out_within) {
    if (!cake_parser_take_keyword(parser, KEYWORD_WITHIN)) return true;
    if (cake_parser_take_keyword(parser, KEYWORD_LANE))
        *out_within = CAKE_WITHIN_LANE;
    else if (cake_parser_take_keyword(parser, KEYWORD_WARP))
        *out_within = CAKE_WITHIN_WARP;
    else {
        cake_parser_expected(parser, "'lane' or 'warp'");
        return false;
    }
    return true;
}

/* The index names that a fold of a workload runs over: the rest of its arguments. */
static bool parse_over(cake_parser *parser, cake_expr_list *out_over) {
    uint32_t height = parser->height;
    if (!parser->folds || !cake_parser_take_keyword(parser, KEYWORD_OVER)) return true;
    if (!cake_parse_exprs(parser, out_over)) return false;
    parser->height = higher(height, parser->height);
    return true;
}

static bool parse_argument(cake_parser *parser, cake_argument *argument) {
    if (cake_parser_kind(parser) == TOKEN_WORD && parser->ahead.kind == TOKEN_ASSIGN) {
        argument->keyword = parser->token.name;
        cake_parser_advance(parser);
        cake_parser_advance(parser);
    }
    argument->value = cake_parse_expr(parser);
    return argument->value && parse_within(parser, &argument->within) && parse_over(parser, &argument->over);
}

static cake_expr *parse_call(cake_parser *parser, const cake_expr *callee) {
    uint32_t height = 0;
    cake_expr *expr = cake_parse_node(parser, CAKE_EXPR_CALL);
    if (!take_callee(parser, callee, expr)) return NULL;
    cake_parser_advance(parser);
    while (cake_parser_kind(parser) != TOKEN_CLOSE_PAREN) {
        cake_argument argument = {0};
        if (!parse_argument(parser, &argument)) return NULL;
        height = higher(height, parser->height);
        *CAKE_PUSH(parser->arena, &expr->u.call.arguments) = argument;
        if (!cake_parser_take_kind(parser, TOKEN_COMMA)) break;
        if (cake_parser_kind(parser) == TOKEN_CLOSE_PAREN) cake_parser_expected(parser, "an argument behind ','");
    }
    if (!cake_parser_expect_kind(parser, TOKEN_CLOSE_PAREN)) return NULL;
    return cake_parse_finish(parser, expr, callee->span.begin, height + 1);
}

static cake_expr *parse_suffixes(cake_parser *parser, cake_expr *expr, bool may_call) {
    while (expr) {
        cake_token_kind kind = cake_parser_kind(parser);
        if (kind == TOKEN_OPEN_BRACKET)
            expr = parse_index(parser, expr);
        else if (kind == TOKEN_AT)
            expr = parse_age(parser, expr);
        else if (kind == TOKEN_DOT)
            expr = parse_dot(parser, expr);
        else if (kind == TOKEN_OPEN_PAREN && may_call)
            expr = parse_call(parser, expr);
        else
            break;
    }
    return expr;
}

static cake_expr *parse_peer(cake_parser *parser) {
    uint32_t begin = parser->token.span.begin;
    cake_expr *expr = cake_parse_node(parser, CAKE_EXPR_PEER);
    cake_parser_advance(parser);
    if (!cake_parser_expect_kind(parser, TOKEN_OPEN_PAREN)) return NULL;
    expr->u.peer.place = cake_parse_place(parser);
    uint32_t height = parser->height;
    if (!expr->u.peer.place || !cake_parser_expect_kind(parser, TOKEN_COMMA)) return NULL;
    expr->u.peer.rank = cake_parse_expr(parser);
    if (!expr->u.peer.rank || !cake_parser_expect_kind(parser, TOKEN_CLOSE_PAREN)) return NULL;
    return cake_parse_finish(parser, expr, begin, higher(height, parser->height) + 1);
}

static cake_expr *parse_name(cake_parser *parser, const char *what) {
    uint32_t begin = parser->token.span.begin;
    cake_expr *expr = cake_parse_node(parser, CAKE_EXPR_NAME);
    cake_span span;
    if (!cake_parser_identifier(parser, what, &expr->u.name.text, &span)) return NULL;
    return cake_parse_finish(parser, expr, begin, 1);
}

cake_expr *cake_parse_place(cake_parser *parser) {
    if (!cake_parser_enter(parser)) return NULL;
    cake_expr *expr = cake_parser_keyword(parser) == KEYWORD_PEER
                          ? parse_peer(parser)
                          : parse_name(parser, "a place (a name, perhaps with [..])");
    expr = parse_suffixes(parser, expr, false);
    cake_parser_leave(parser);
    return expr;
}

/* ---- primaries ---- */

static cake_expr *parse_constant(cake_parser *parser, cake_expr_kind kind, bool boolean) {
    uint32_t begin = parser->token.span.begin;
    cake_expr *expr = cake_parse_node(parser, kind);
    if (kind == CAKE_EXPR_INT) {
        expr->u.integer.value = parser->token.integer;
        expr->u.integer.hexadecimal = parser->token.hexadecimal;
    } else if (kind == CAKE_EXPR_FLOAT) {
        expr->u.real = parser->token.real;
    } else if (kind == CAKE_EXPR_BOOL) {
        expr->u.boolean = boolean;
    }
    cake_parser_advance(parser);
    return cake_parse_finish(parser, expr, begin, 1);
}

/* '(' expr ')', or a pair where a definition allows one. The span holds the parentheses. */
static cake_expr *parse_group(cake_parser *parser) {
    uint32_t begin = parser->token.span.begin;
    bool may_be_pair = parser->pair_at == begin + 1;
    parser->pair_at = 0;
    cake_parser_advance(parser);
    cake_expr *expr = cake_parse_expr(parser);
    uint32_t height = parser->height;
    if (!expr) return NULL;
    if (cake_parser_kind(parser) == TOKEN_COMMA) {
        if (!may_be_pair) {
            cake_parser_error(parser, CAKE_L117, "a pair stands only as the value of a function that 'let' defines");
            return NULL;
        }
        cake_parser_advance(parser);
        parser->pair_second = cake_parse_expr(parser);
        if (!parser->pair_second) return NULL;
    }
    if (!cake_parser_expect_kind(parser, TOKEN_CLOSE_PAREN)) return NULL;
    if (parser->pair_second && may_be_pair) parser->pair_end = parser->previous.span.end;
    parser->grouped = expr;
    return cake_parse_finish(parser, expr, begin, height);
}

/* A function's name is reserved, so it is no variable: it must be called. */
static cake_expr *parse_builtin(cake_parser *parser) {
    uint32_t begin = parser->token.span.begin;
    cake_expr *expr = cake_parse_node(parser, CAKE_EXPR_NAME);
    expr->u.name.text = parser->token.name;
    cake_parser_advance(parser);
    cake_token_kind kind = cake_parser_kind(parser);
    if (kind != TOKEN_OPEN_PAREN && kind != TOKEN_DOT) {
        cake_parser_expected(parser,
                             cake_arena_format(parser->arena, "'(' behind the function '%s'", expr->u.name.text));
        return NULL;
    }
    return cake_parse_finish(parser, expr, begin, 1);
}

static cake_expr *parse_word(cake_parser *parser) {
    if (cake_builtin_find(parser->token.name) != CAKE_BUILTIN_NONE) return parse_builtin(parser);
    switch ((int)parser->token.keyword) {
    case KEYWORD_INF:
        return parse_constant(parser, CAKE_EXPR_INF, false);
    case KEYWORD_NAN:
        return parse_constant(parser, CAKE_EXPR_NAN, false);
    case KEYWORD_TRUE:
        return parse_constant(parser, CAKE_EXPR_BOOL, true);
    case KEYWORD_FALSE:
        return parse_constant(parser, CAKE_EXPR_BOOL, false);
    case KEYWORD_PEER:
        return parse_peer(parser);
    case KEYWORD_NONE_ITEM:
        cake_parser_error(parser, CAKE_L105, "'None' stands only between [ ], where it adds an axis");
        return NULL;
    }
    return parse_name(parser, "an expression");
}

static cake_expr *parse_postfix(cake_parser *parser) {
    cake_expr *expr = NULL;
    cake_token_kind kind = cake_parser_kind(parser);
    if (kind == TOKEN_INT)
        expr = parse_constant(parser, CAKE_EXPR_INT, false);
    else if (kind == TOKEN_FLOAT)
        expr = parse_constant(parser, CAKE_EXPR_FLOAT, false);
    else if (kind == TOKEN_OPEN_PAREN)
        expr = parse_group(parser);
    else if (kind == TOKEN_WORD)
        expr = parse_word(parser);
    else
        cake_parser_expected(parser, "an expression");
    return parse_suffixes(parser, expr, true);
}

/* ---- prefix forms ---- */

static cake_expr *parse_unary(cake_parser *parser, cake_expr_kind kind, cake_unary_op op) {
    uint32_t begin = parser->token.span.begin;
    cake_expr *expr = cake_parse_node(parser, kind);
    expr->u.unary.op = op;
    cake_parser_advance(parser);
    expr->u.unary.operand = cake_parse_prefix(parser);
    return expr->u.unary.operand ? cake_parse_finish(parser, expr, begin, parser->height + 1) : NULL;
}

static bool parse_cast_clauses(cake_parser *parser, cake_expr *cast) {
    bool rounded = false;
    for (;;) {
        cake_keyword keyword = cake_parser_keyword(parser);
        if (keyword != KEYWORD_SAT && keyword != KEYWORD_ROUND) return true;
        if (keyword == KEYWORD_SAT ? cast->u.cast.saturate : rounded) {
            cake_parser_error(parser, CAKE_L109, "this cast has '%s' already", parser->token.name);
            return false;
        }
        cake_parser_advance(parser);
        if (keyword == KEYWORD_SAT) {
            cast->u.cast.saturate = true;
        } else if (!cake_parser_take(parser, "rz")) {
            cake_parser_error(parser, CAKE_L114, "expected 'rz' (toward zero) behind 'round', found %s",
                              cake_parser_found(parser));
            return false;
        } else {
            cast->u.cast.rounding = CAKE_ROUND_TOWARD_ZERO;
            rounded = true;
        }
    }
}

static cake_expr *parse_cast(cake_parser *parser, cake_expr_kind kind) {
    uint32_t begin = parser->token.span.begin;
    cake_expr *expr = cake_parse_node(parser, kind);
    cake_parser_advance(parser);
    if (!cake_parse_dtype(parser, &expr->u.cast.dtype)) return NULL;
    expr->u.cast.operand = cake_parse_prefix(parser);
    uint32_t height = parser->height;
    if (!expr->u.cast.operand || (kind == CAKE_EXPR_CAST && !parse_cast_clauses(parser, expr))) return NULL;
    return cake_parse_finish(parser, expr, begin, height + 1);
}

static cake_expr *parse_prefix_here(cake_parser *parser) {
    cake_token_kind kind = cake_parser_kind(parser);
    if (kind == TOKEN_SUB) return parse_unary(parser, CAKE_EXPR_UNARY, CAKE_UNARY_NEG);
    if (kind == TOKEN_TILDE) return parse_unary(parser, CAKE_EXPR_UNARY, CAKE_UNARY_BIT_NOT);
    if (kind == TOKEN_NOT) return parse_unary(parser, CAKE_EXPR_UNARY, CAKE_UNARY_NOT);
    if (kind == TOKEN_WORD && parser->token.dotted && strncmp(parser->token.name, "atomic.", 7) == 0)
        return cake_parse_atomic(parser);
    cake_keyword keyword = cake_parser_keyword(parser);
    if (keyword == KEYWORD_RELAYOUT) return parse_unary(parser, CAKE_EXPR_RELAYOUT, CAKE_UNARY_NEG);
    if (keyword == KEYWORD_CAST) return parse_cast(parser, CAKE_EXPR_CAST);
    if (keyword == KEYWORD_BITCAST) return parse_cast(parser, CAKE_EXPR_BITCAST);
    if (keyword == KEYWORD_LOAD) return cake_parse_load(parser);
    if (keyword == KEYWORD_AWAIT) return cake_parse_await(parser, NULL);
    return parse_postfix(parser);
}

cake_expr *cake_parse_prefix(cake_parser *parser) {
    if (!cake_parser_enter(parser)) return NULL;
    cake_expr *expr = parse_prefix_here(parser);
    cake_parser_leave(parser);
    return expr;
}

/* ---- binary operators ---- */

/* The operator at the next token, or NO_OPERATOR. */
static int binary_operator(const cake_parser *parser) {
    static const struct {
        cake_token_kind token;
        cake_binary_op op;
    } rows[] = {
        {TOKEN_OR, CAKE_BINARY_OR},   {TOKEN_XOR, CAKE_BINARY_XOR}, {TOKEN_AND, CAKE_BINARY_AND},
        {TOKEN_SHL, CAKE_BINARY_SHL}, {TOKEN_SHR, CAKE_BINARY_SHR}, {TOKEN_ADD, CAKE_BINARY_ADD},
        {TOKEN_SUB, CAKE_BINARY_SUB}, {TOKEN_MUL, CAKE_BINARY_MUL}, {TOKEN_DIV, CAKE_BINARY_DIV},
        {TOKEN_MOD, CAKE_BINARY_MOD}, {TOKEN_EQ, CAKE_BINARY_EQ},   {TOKEN_NE, CAKE_BINARY_NE},
        {TOKEN_LT, CAKE_BINARY_LT},   {TOKEN_LE, CAKE_BINARY_LE},   {TOKEN_GT, CAKE_BINARY_GT},
        {TOKEN_GE, CAKE_BINARY_GE},
    };
    cake_token_kind kind = cake_parser_kind(parser);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].token == kind) return (int)rows[i].op;
    return NO_OPERATOR;
}

/* Left-associative operators of this level and tighter ones. */
static cake_expr *parse_binary(cake_parser *parser, int level) {
    cake_expr *left = cake_parse_prefix(parser);
    while (left) {
        int op = binary_operator(parser);
        if (op == NO_OPERATOR || cake_binary_level((cake_binary_op)op) < level) break;
        uint32_t height = parser->height;
        cake_parser_advance(parser);
        cake_expr *right = parse_binary(parser, cake_binary_level((cake_binary_op)op) + 1);
        if (!right) return NULL;
        cake_expr *expr = cake_parse_node(parser, CAKE_EXPR_BINARY);
        expr->u.binary.op = (cake_binary_op)op;
        expr->u.binary.left = left;
        expr->u.binary.right = right;
        left = cake_parse_finish(parser, expr, left->span.begin, higher(height, parser->height) + 1);
    }
    return left;
}

static bool is_bits(const cake_expr *expr) {
    return expr->kind == CAKE_EXPR_BINARY && cake_binary_level(expr->u.binary.op) < cake_binary_level(CAKE_BINARY_SHL);
}

static bool runs_down(cake_binary_op op) {
    return op == CAKE_BINARY_GT || op == CAKE_BINARY_GE;
}

static bool is_equality(cake_binary_op op) {
    return op == CAKE_BINARY_EQ || op == CAKE_BINARY_NE;
}

/* What is wrong with a chain of two or more comparisons, or null. */
static const char *chain_fault(const cake_expr *chain, bool has_bare_bits) {
    if (has_bare_bits)
        return "'&', '^' and '|' bind tighter than comparisons: put each comparison in parentheses, '(a < b) & (c < "
               "d)'";
    for (uint32_t i = 0; i < chain->u.compare.ops.count; i++) {
        cake_binary_op op = chain->u.compare.ops.items[i];
        if (is_equality(op))
            return "'==' and '!=' stand in no chain: put the comparison in parentheses, or join two by '&'";
        if (runs_down(op) != runs_down(chain->u.compare.ops.items[0]))
            return "a chain runs one way: '<' and '<=', or '>' and '>='";
    }
    return NULL;
}

static cake_expr *parse_comparison(cake_parser *parser) {
    cake_expr *first = parse_binary(parser, LOWEST_LEVEL);
    int op = first ? binary_operator(parser) : NO_OPERATOR;
    if (op == NO_OPERATOR) return first;
    uint32_t height = parser->height;
    bool has_bare_bits = is_bits(first) && first != parser->grouped;
    cake_expr *chain = cake_parse_node(parser, CAKE_EXPR_COMPARE);
    *CAKE_PUSH(parser->arena, &chain->u.compare.operands) = first;
    for (; op != NO_OPERATOR; op = binary_operator(parser)) {
        cake_parser_advance(parser);
        cake_expr *operand = parse_binary(parser, LOWEST_LEVEL);
        if (!operand) return NULL;
        height = higher(height, parser->height);
        has_bare_bits = has_bare_bits || (is_bits(operand) && operand != parser->grouped);
        *CAKE_PUSH(parser->arena, &chain->u.compare.ops) = (cake_binary_op)op;
        *CAKE_PUSH(parser->arena, &chain->u.compare.operands) = operand;
    }
    chain = cake_parse_finish(parser, chain, first->span.begin, height + 1);
    const char *fault = chain && chain->u.compare.ops.count > 1 ? chain_fault(chain, has_bare_bits) : NULL;
    if (fault) cake_report(parser->diagnostics, CAKE_L107, chain->span, "%s", fault);
    return chain;
}

static cake_expr *parse_expr_here(cake_parser *parser) {
    cake_expr *left = parse_comparison(parser);
    uint32_t height = parser->height;
    if (!left || !cake_parser_take_keyword(parser, KEYWORD_IN)) return left;
    cake_expr *expr = cake_parse_node(parser, CAKE_EXPR_IN);
    expr->u.in.left = left;
    if (!cake_parse_set(parser, &expr->u.in.set)) return NULL;
    return cake_parse_finish(parser, expr, left->span.begin, higher(height, parser->height) + 1);
}

cake_expr *cake_parse_expr(cake_parser *parser) {
    if (!cake_parser_enter(parser)) return NULL;
    cake_expr *expr = parse_expr_here(parser);
    cake_parser_leave(parser);
    return expr;
}

/* Words that open an expression; all other keywords do not. */
static bool opens_expr(const cake_token *word) {
    switch ((int)word->keyword) {
    case KEYWORD_NONE:
    case KEYWORD_LOAD:
    case KEYWORD_CAST:
    case KEYWORD_BITCAST:
    case KEYWORD_RELAYOUT:
    case KEYWORD_AWAIT:
    case KEYWORD_PEER:
    case KEYWORD_INF:
    case KEYWORD_NAN:
    case KEYWORD_TRUE:
    case KEYWORD_FALSE:
        return true;
    }
    return cake_builtin_find(word->name) != CAKE_BUILTIN_NONE;
}

bool cake_parse_sees_expr(const cake_parser *parser) {
    cake_token_kind kind = cake_parser_kind(parser);
    if (kind == TOKEN_WORD) return opens_expr(&parser->token);
    return kind == TOKEN_INT || kind == TOKEN_FLOAT || kind == TOKEN_OPEN_PAREN || kind == TOKEN_SUB ||
           kind == TOKEN_TILDE || kind == TOKEN_NOT;
}
