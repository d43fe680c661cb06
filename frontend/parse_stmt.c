/* Statements of roles and the blocks that hold them. */
#include "frontend/parser.h"

#include <string.h>

static bool parse_statement(cake_parser *parser, void *context);

bool cake_parse_block(cake_parser *parser, cake_block *out_block) {
    cake_span open = parser->token.span;
    if (!cake_parser_expect_kind(parser, TOKEN_OPEN_BRACE)) return false;
    if (!cake_parser_enter(parser)) return false;
    bool closed = cake_parser_braced_items(parser, open, parse_statement, out_block);
    cake_parser_leave(parser);
    out_block->span = cake_parser_span_from(parser, open.begin);
    return closed;
}

void cake_parse_blocks_after_error(cake_parser *parser) {
    while (parser->depth < CAKE_MAX_NESTING && cake_parser_recover(parser, true)) {
        cake_block block = {0};
        if (!cake_parse_block(parser, &block)) return;
    }
}

/* ---- let, var, assignments ---- */

#define LET_MAX_NAMES 2u

static bool parse_let(cake_parser *parser, cake_stmt *stmt) {
    do {
        if (stmt->u.let.names.count == LET_MAX_NAMES) {
            cake_parser_error(parser, CAKE_L117, "'let' takes apart pairs only: at most two names");
            return false;
        }
        cake_function_parameter *name = CAKE_PUSH(parser->arena, &stmt->u.let.names);
        if (!cake_parser_identifier(parser, "a name behind 'let'", &name->name, &name->span)) return false;
    } while (cake_parser_take_kind(parser, TOKEN_COMMA));
    if (cake_parser_kind(parser) == TOKEN_OPEN_PAREN) {
        cake_parser_error(parser, CAKE_L111, "functions are defined outside roles");
        return false;
    }
    if (!cake_parser_expect_kind(parser, TOKEN_ASSIGN)) return false;
    stmt->u.let.value = cake_parse_expr(parser);
    return stmt->u.let.value != NULL;
}

static bool parse_var(cake_parser *parser, cake_stmt *stmt) {
    if (!cake_parser_identifier(parser, "a name behind 'var'", &stmt->u.var.name, &stmt->u.var.name_span)) return false;
    if (cake_parser_take_kind(parser, TOKEN_COLON)) {
        stmt->u.var.has_type = true;
        if (!cake_parse_type(parser, &stmt->u.var.type)) return false;
    }
    if (!cake_parser_take_kind(parser, TOKEN_ASSIGN)) return true;
    stmt->u.var.value = cake_parse_expr(parser);
    return stmt->u.var.value != NULL;
}

static bool is_foreign_word(cake_name name) {
    static const char *const words[] = {"break", "continue", "return", "goto"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], name) == 0) return true;
    return false;
}

static bool parse_assign(cake_parser *parser, cake_stmt *stmt) {
    if (is_foreign_word(parser->token.name)) {
        cake_parser_error(parser, CAKE_L116, "there is no '%s': bounds and 'if' say when work ends",
                          parser->token.name);
        return false;
    }
    stmt->kind = CAKE_STMT_ASSIGN;
    stmt->u.assign.place = cake_parse_place(parser);
    if (!stmt->u.assign.place) return false;
    if (cake_parser_kind(parser) == TOKEN_ARROW) {
        cake_parser_error(parser, CAKE_L108,
                          "a variable is assigned by '='; memory is written by 'store place <- value'");
        return false;
    }
    stmt->u.assign.add = cake_parser_kind(parser) == TOKEN_ADD_ASSIGN;
    if (!cake_parser_take_kind(parser, TOKEN_ADD_ASSIGN) && !cake_parser_take_kind(parser, TOKEN_ASSIGN)) {
        cake_parser_expected(parser, "'=' or '+=' behind the name of a variable, or a statement");
        return false;
    }
    stmt->u.assign.value = cake_parse_expr(parser);
    return stmt->u.assign.value != NULL;
}

/* ---- control ---- */

static bool parse_for_tile(cake_parser *parser, cake_stmt *stmt) {
    stmt->kind = CAKE_STMT_FOR_TILE;
    if (!cake_parser_expect_kind(parser, TOKEN_OPEN_PAREN)) return false;
    do {
        cake_named_reference *reference = CAKE_PUSH(parser->arena, &stmt->u.for_tile.coordinates);
        if (!cake_parser_reference(parser, "a coordinate of the grid", reference)) return false;
    } while (cake_parser_take_kind(parser, TOKEN_COMMA));
    return cake_parser_expect_kind(parser, TOKEN_CLOSE_PAREN) && cake_parse_block(parser, &stmt->u.for_tile.body);
}

static bool parse_for(cake_parser *parser, cake_stmt *stmt) {
    if (cake_parser_take_keyword(parser, KEYWORD_TILE)) return parse_for_tile(parser, stmt);
    if (!cake_parser_identifier(parser, "a loop's name or 'tile'", &stmt->u.loop.name, &stmt->u.loop.name_span) ||
        !cake_parser_expect_keyword(parser, KEYWORD_IN))
        return false;
    if (!(stmt->u.loop.from = cake_parse_expr(parser)) || !cake_parser_expect_kind(parser, TOKEN_RANGE) ||
        !(stmt->u.loop.to = cake_parse_expr(parser)))
        return false;
    if (cake_parser_take_keyword(parser, KEYWORD_STEP) && !(stmt->u.loop.step = cake_parse_expr(parser))) return false;
    if (cake_parser_take_keyword(parser, KEYWORD_UNROLL)) {
        stmt->u.loop.unroll = true;
        if (cake_parse_sees_expr(parser) && !(stmt->u.loop.unroll_by = cake_parse_expr(parser))) return false;
    }
    return cake_parse_block(parser, &stmt->u.loop.body);
}

static bool parse_while(cake_parser *parser, cake_stmt *stmt) {
    if (!(stmt->u.loop_while.condition = cake_parse_expr(parser))) return false;
    if (cake_parser_kind(parser) == TOKEN_OPEN_BRACE) {
        cake_parser_expected(parser, "'max BOUND' behind the condition, so that the loop is known to end");
        return false;
    }
    return cake_parser_expect_keyword(parser, KEYWORD_MAX) &&
           (stmt->u.loop_while.bound = cake_parse_expr(parser)) != NULL &&
           cake_parse_block(parser, &stmt->u.loop_while.body);
}

static bool parse_if(cake_parser *parser, cake_stmt *stmt);

/* 'else if' is a block of one statement; it nests as deep as the chain is long. */
static bool parse_else_if(cake_parser *parser, cake_block *block) {
    uint32_t begin = parser->token.span.begin;
    cake_parser_advance(parser);
    if (!cake_parser_enter(parser)) return false;
    cake_stmt *inner = CAKE_NEW(parser->arena, cake_stmt);
    inner->kind = CAKE_STMT_IF;
    bool good = parse_if(parser, inner);
    cake_parser_leave(parser);
    inner->span = block->span = cake_parser_span_from(parser, begin);
    *CAKE_PUSH(parser->arena, &block->statements) = inner;
    return good;
}

static bool parse_if(cake_parser *parser, cake_stmt *stmt) {
    if (!(stmt->u.branch.condition = cake_parse_expr(parser))) return false;
    if (cake_parser_kind(parser) == TOKEN_ASSIGN) {
        cake_parser_expected(parser, "'{'; equality is written '=='");
        return false;
    }
    if (!cake_parse_block(parser, &stmt->u.branch.then)) return false;
    if (!cake_parser_take_keyword(parser, KEYWORD_ELSE)) return true;
    stmt->u.branch.has_else = true;
    if (cake_parser_keyword(parser) == KEYWORD_IF) return parse_else_if(parser, &stmt->u.branch.otherwise);
    return cake_parse_block(parser, &stmt->u.branch.otherwise);
}

/* ---- pipelines, signals, batons ---- */

static bool parse_object(cake_parser *parser, cake_stmt *stmt, cake_stmt_kind kind) {
    const char *what = kind == CAKE_STMT_TAKE || kind == CAKE_STMT_PASS ? "a baton's name" : "a pipeline's name";
    stmt->kind = kind;
    return cake_parser_reference(parser, what, &stmt->u.object.object);
}

static bool parse_release(cake_parser *parser, cake_stmt *stmt) {
    if (!parse_object(parser, stmt, CAKE_STMT_RELEASE)) return false;
    if (!cake_parser_take_keyword(parser, KEYWORD_KEEP)) {
        cake_span place = {parser->previous.span.end, parser->previous.span.end};
        cake_diagnostic *diagnostic =
            cake_parser_error(parser, CAKE_L115, "'release %s' needs 'keep n', the number of slots still held after it",
                              stmt->u.object.object.name);
        if (diagnostic) cake_diagnostic_fix(parser->diagnostics, diagnostic, "give back all slots", place, " keep 0");
        return false;
    }
    stmt->u.object.keep = cake_parse_expr(parser);
    return stmt->u.object.keep != NULL;
}

static bool parse_arrive(cake_parser *parser, cake_stmt *stmt) {
    stmt->kind = CAKE_STMT_ARRIVE;
    stmt->u.signal.place = cake_parse_place(parser);
    return stmt->u.signal.place != NULL;
}

/* 'await s' waits for a signal; with 'until' it polls memory and is an expression. */
static bool parse_await(cake_parser *parser, cake_stmt *stmt) {
    cake_expr *signal = NULL;
    cake_expr *poll = cake_parse_await(parser, &signal);
    if (signal) {
        stmt->kind = CAKE_STMT_AWAIT_SIGNAL;
        stmt->u.signal.place = signal;
        return true;
    }
    stmt->kind = CAKE_STMT_EVALUATE;
    stmt->u.evaluate.value = poll;
    return poll != NULL;
}

/* ---- copies, stores, matrix units ---- */

static bool parse_copy(cake_parser *parser, cake_stmt *stmt, cake_stmt_kind kind) {
    stmt->kind = kind;
    if (kind == CAKE_STMT_TMA_REDUCE) {
        cake_named_reference operation = {0};
        if (!cake_parser_word(parser, "an operation (add, min, max, ..)", &operation)) return false;
        stmt->u.copy.reduce = operation.name;
    }
    if (!(stmt->u.copy.to = cake_parse_place(parser)) || !cake_parser_expect_arrow(parser) ||
        !(stmt->u.copy.from = cake_parse_place(parser)))
        return false;
    if (kind == CAKE_STMT_TMA_STORE || kind == CAKE_STMT_TMA_REDUCE) return true;
    cake_clause_set set = kind == CAKE_STMT_TMA_LOAD ? CAKE_CLAUSES_TMA_LOAD : CAKE_CLAUSES_ASYNC_LOAD;
    return cake_parse_clauses(parser, set, &stmt->u.copy.clauses, &stmt->u.copy.multicast);
}

static bool parse_store(cake_parser *parser, cake_stmt *stmt) {
    stmt->kind = CAKE_STMT_STORE;
    if (!(stmt->u.store.place = cake_parse_place(parser)) || !cake_parser_expect_arrow(parser) ||
        !(stmt->u.store.value = cake_parse_expr(parser)))
        return false;
    return cake_parse_clauses(parser, CAKE_CLAUSES_STORE, &stmt->u.store.clauses, NULL);
}

static bool parse_matrix(cake_parser *parser, cake_stmt *stmt, cake_stmt_kind kind) {
    stmt->kind = kind;
    if (!(stmt->u.matrix.accumulator = cake_parse_place(parser))) return false;
    stmt->u.matrix.add = cake_parser_kind(parser) == TOKEN_ADD_ASSIGN;
    if (!cake_parser_take_kind(parser, TOKEN_ADD_ASSIGN) && !cake_parser_take_kind(parser, TOKEN_ASSIGN)) {
        cake_parser_expected(parser, "'=' (a fresh product) or '+='");
        return false;
    }
    if (!(stmt->u.matrix.x = cake_parse_prefix(parser)) || !cake_parser_expect_kind(parser, TOKEN_MUL) ||
        !(stmt->u.matrix.y = cake_parse_prefix(parser)))
        return false;
    stmt->u.matrix.pair = cake_parser_take_keyword(parser, KEYWORD_PAIR);
    return true;
}

static bool parse_wait(cake_parser *parser, cake_stmt *stmt, cake_stmt_kind kind) {
    stmt->kind = kind;
    if (!cake_parse_sees_expr(parser)) {
        cake_parser_expected(parser, "how many of the newest groups need not be waited for");
        return false;
    }
    stmt->u.wait.count = cake_parse_expr(parser);
    return stmt->u.wait.count != NULL;
}

static bool parse_plain(cake_stmt *stmt, cake_stmt_kind kind) {
    stmt->kind = kind;
    return true;
}

static bool parse_fence(cake_parser *parser, cake_stmt *stmt) {
    stmt->kind = CAKE_STMT_FENCE_ASYNC;
    return cake_parser_expect_keyword(parser, KEYWORD_ASYNC);
}

static bool parse_sync(cake_parser *parser, cake_stmt *stmt) {
    static const struct {
        const char *word;
        cake_stmt_kind kind;
    } rows[] = {{"team", CAKE_STMT_SYNC_TEAM},
                {"role", CAKE_STMT_SYNC_ROLE},
                {"cta", CAKE_STMT_SYNC_CTA},
                {"cluster", CAKE_STMT_SYNC_CLUSTER}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (cake_parser_take(parser, rows[i].word)) return parse_plain(stmt, rows[i].kind);
    cake_parser_expected(parser, "who meets: 'team', 'role', 'cta' or 'cluster'");
    return false;
}

static bool parse_claims(cake_parser *parser, cake_stmt *stmt, cake_stmt_kind kind) {
    stmt->kind = kind;
    return cake_parse_exprs(parser, &stmt->u.facts.conditions);
}

/* ---- which statement ---- */

static bool parse_instruction(cake_parser *parser, cake_stmt *stmt, cake_keyword keyword);

/* After a keyword of one of the language's own constructs; false also if it opens no such statement. */
static bool parse_construct(cake_parser *parser, cake_stmt *stmt, cake_keyword keyword) {
    switch ((int)keyword) {
    case KEYWORD_LET:
        return parse_let(parser, stmt);
    case KEYWORD_VAR:
        stmt->kind = CAKE_STMT_VAR;
        return parse_var(parser, stmt);
    case KEYWORD_FOR:
        stmt->kind = CAKE_STMT_FOR;
        return parse_for(parser, stmt);
    case KEYWORD_WHILE:
        stmt->kind = CAKE_STMT_WHILE;
        return parse_while(parser, stmt);
    case KEYWORD_IF:
        stmt->kind = CAKE_STMT_IF;
        return parse_if(parser, stmt);
    case KEYWORD_ACQUIRE:
        return parse_object(parser, stmt, CAKE_STMT_ACQUIRE);
    case KEYWORD_COMMIT:
        return parse_object(parser, stmt, CAKE_STMT_COMMIT);
    case KEYWORD_WAIT:
        return parse_object(parser, stmt, CAKE_STMT_WAIT);
    case KEYWORD_RELEASE:
        return parse_release(parser, stmt);
    case KEYWORD_TAKE:
        return parse_object(parser, stmt, CAKE_STMT_TAKE);
    case KEYWORD_PASS:
        return parse_object(parser, stmt, CAKE_STMT_PASS);
    case KEYWORD_ARRIVE:
        return parse_arrive(parser, stmt);
    case KEYWORD_ASSUME:
        return parse_claims(parser, stmt, CAKE_STMT_ASSUME);
    case KEYWORD_CHECK:
        return parse_claims(parser, stmt, CAKE_STMT_CHECK);
    }
    return parse_instruction(parser, stmt, keyword);
}

static bool parse_instruction(cake_parser *parser, cake_stmt *stmt, cake_keyword keyword) {
    switch ((int)keyword) {
    case KEYWORD_TMA_LOAD:
        return parse_copy(parser, stmt, CAKE_STMT_TMA_LOAD);
    case KEYWORD_ASYNC_LOAD:
        return parse_copy(parser, stmt, CAKE_STMT_ASYNC_LOAD);
    case KEYWORD_TMA_STORE:
        return parse_copy(parser, stmt, CAKE_STMT_TMA_STORE);
    case KEYWORD_TMA_REDUCE:
        return parse_copy(parser, stmt, CAKE_STMT_TMA_REDUCE);
    case KEYWORD_STORE:
        return parse_store(parser, stmt);
    case KEYWORD_MMA:
        return parse_matrix(parser, stmt, CAKE_STMT_MMA);
    case KEYWORD_WGMMA:
        return parse_matrix(parser, stmt, CAKE_STMT_WGMMA);
    case KEYWORD_TCGEN05_MMA:
        return parse_matrix(parser, stmt, CAKE_STMT_TCGEN05_MMA);
    case KEYWORD_WGMMA_COMMIT:
        return parse_plain(stmt, CAKE_STMT_WGMMA_COMMIT);
    case KEYWORD_WGMMA_WAIT:
        return parse_wait(parser, stmt, CAKE_STMT_WGMMA_WAIT);
    case KEYWORD_BULK_COMMIT:
        return parse_plain(stmt, CAKE_STMT_BULK_COMMIT);
    case KEYWORD_BULK_WAIT:
        return parse_wait(parser, stmt, CAKE_STMT_BULK_WAIT);
    case KEYWORD_BULK_WAIT_READ:
        return parse_wait(parser, stmt, CAKE_STMT_BULK_WAIT_READ);
    case KEYWORD_FENCE:
        return parse_fence(parser, stmt);
    case KEYWORD_SYNC:
        return parse_sync(parser, stmt);
    case KEYWORD_GRID_WAIT:
        return parse_plain(stmt, CAKE_STMT_GRID_WAIT);
    case KEYWORD_GRID_TRIGGER:
        return parse_plain(stmt, CAKE_STMT_GRID_TRIGGER);
    }
    return false;
}

static bool parse_atomic(cake_parser *parser, cake_stmt *stmt) {
    stmt->kind = CAKE_STMT_EVALUATE;
    stmt->u.evaluate.value = cake_parse_atomic(parser);
    return stmt->u.evaluate.value != NULL;
}

static void report_no_statement(cake_parser *parser) {
    const cake_token *token = &parser->token;
    if (cake_parser_kind(parser) != TOKEN_WORD) {
        cake_parser_expected(parser, "a statement");
        return;
    }
    if (token->dotted || cake_keyword_place_of(token->keyword) == KEYWORD_PLACE_FAMILY)
        cake_parser_error(parser, CAKE_L114, "'%s' is no instruction; see 'Statements' in the language reference",
                          token->name);
    else if (cake_keyword_place_of(token->keyword) == KEYWORD_PLACE_DECLARATION)
        cake_parser_error(parser, CAKE_L111, "'%s' is a declaration: it stands outside roles", token->name);
    else if (token->keyword == KEYWORD_ELSE)
        cake_parser_error(parser, CAKE_L105, "'else' stands on the line of the '}' before it");
    else if (token->keyword == KEYWORD_LOAD)
        cake_parser_error(parser, CAKE_L105,
                          "a load is a value: 'let x = load ..', or 'tma.load' and 'async.load' to copy");
    else
        cake_parser_expected(parser, "a statement");
}

static bool is_assignment(const cake_parser *parser) {
    const cake_token *token = &parser->token;
    return cake_parser_kind(parser) == TOKEN_WORD && !token->dotted &&
           (token->keyword == KEYWORD_PEER || token->keyword == KEYWORD_NONE ||
            cake_builtin_find(token->name) != CAKE_BUILTIN_NONE);
}

static bool parse_statement_kind(cake_parser *parser, cake_stmt *stmt) {
    cake_keyword keyword = cake_parser_keyword(parser);
    cake_keyword_place place = cake_keyword_place_of(keyword);
    if (keyword == KEYWORD_AWAIT) return parse_await(parser, stmt);
    if (place == KEYWORD_PLACE_STATEMENT || place == KEYWORD_PLACE_COMPOUND) {
        cake_parser_advance(parser);
        return parse_construct(parser, stmt, keyword);
    }
    if (cake_parser_kind(parser) == TOKEN_WORD && strncmp(parser->token.name, "atomic.", 7) == 0)
        return parse_atomic(parser, stmt);
    if (is_assignment(parser)) return parse_assign(parser, stmt);
    report_no_statement(parser);
    return false;
}

static bool parse_statement(cake_parser *parser, void *context) {
    cake_block *block = context;
    uint32_t begin = parser->token.span.begin;
    bool is_compound = cake_keyword_place_of(cake_parser_keyword(parser)) == KEYWORD_PLACE_COMPOUND;
    cake_stmt *stmt = CAKE_NEW(parser->arena, cake_stmt);
    if (!parse_statement_kind(parser, stmt)) {
        if (is_compound) cake_parse_blocks_after_error(parser);
        return false;
    }
    stmt->span = cake_parser_span_from(parser, begin);
    *CAKE_PUSH(parser->arena, &block->statements) = stmt;
    return true;
}
