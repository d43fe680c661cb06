/* Declarations of files and kernels. */
#include "frontend/parser.h"

static void add_declaration(cake_parser *parser, cake_common *common, cake_declaration_kind kind, uint32_t first,
                            uint32_t count, uint32_t begin) {
    cake_declaration *declaration = CAKE_PUSH(parser->arena, &common->order);
    declaration->kind = kind;
    declaration->first = first;
    declaration->count = count;
    declaration->span = cake_parser_span_from(parser, begin);
}

/* ---- const, tune, let ---- */

static bool parse_const(cake_parser *parser, cake_common *common) {
    do {
        cake_const *constant = CAKE_NEW(parser->arena, cake_const);
        if (!cake_parser_identifier(parser, "a constant's name", &constant->name, &constant->span) ||
            !cake_parser_expect_kind(parser, TOKEN_ASSIGN) || !(constant->value = cake_parse_expr(parser)))
            return false;
        *CAKE_PUSH(parser->arena, &common->constants) = constant;
    } while (cake_parser_take_kind(parser, TOKEN_COMMA));
    return true;
}

static bool parse_tune(cake_parser *parser, cake_common *common) {
    do {
        cake_tune *tune = CAKE_NEW(parser->arena, cake_tune);
        if (!cake_parser_identifier(parser, "a tunable's name", &tune->name, &tune->span)) return false;
        tune->has_set = cake_parser_take_keyword(parser, KEYWORD_IN);
        if (tune->has_set && !cake_parse_set(parser, &tune->set)) return false;
        if (!cake_parser_expect_kind(parser, TOKEN_ASSIGN) || !(tune->value = cake_parse_expr(parser))) return false;
        *CAKE_PUSH(parser->arena, &common->tunes) = tune;
    } while (cake_parser_take_kind(parser, TOKEN_COMMA));
    return true;
}

static bool parse_function_parameters(cake_parser *parser, cake_definition *definition) {
    definition->is_function = true;
    do {
        cake_function_parameter *parameter = CAKE_PUSH(parser->arena, &definition->parameters);
        if (!cake_parser_identifier(parser, "a parameter's name", &parameter->name, &parameter->span)) return false;
    } while (cake_parser_take_kind(parser, TOKEN_COMMA));
    return cake_parser_expect_kind(parser, TOKEN_CLOSE_PAREN);
}

/* expr | '(' expr ',' expr ')' */
static bool parse_definition_value(cake_parser *parser, cake_definition *definition) {
    parser->pair_at = definition->is_function ? parser->token.span.begin + 1 : 0;
    parser->pair_second = NULL;
    definition->value = cake_parse_expr(parser);
    definition->second = parser->pair_second;
    parser->pair_at = 0;
    parser->pair_second = NULL;
    if (definition->value && definition->second && parser->pair_end != parser->previous.span.end) {
        cake_report(parser->diagnostics, CAKE_L117, definition->value->span, "a pair is the whole value of a function");
        return false;
    }
    return definition->value != NULL;
}

static bool parse_definition(cake_parser *parser, cake_common *common) {
    cake_definition *definition = CAKE_NEW(parser->arena, cake_definition);
    if (!cake_parser_identifier(parser, "a name behind 'let'", &definition->name, &definition->span)) return false;
    if (cake_parser_take_kind(parser, TOKEN_OPEN_PAREN) && !parse_function_parameters(parser, definition)) return false;
    if (!cake_parser_expect_kind(parser, TOKEN_ASSIGN) || !parse_definition_value(parser, definition)) return false;
    *CAKE_PUSH(parser->arena, &common->definitions) = definition;
    return true;
}

bool cake_parse_common(cake_parser *parser, cake_common *common) {
    uint32_t begin = parser->token.span.begin;
    uint32_t constants = common->constants.count, tunes = common->tunes.count, definitions = common->definitions.count;
    if (cake_parser_take_keyword(parser, KEYWORD_CONST)) {
        if (!parse_const(parser, common)) return false;
        add_declaration(parser, common, CAKE_DECLARATION_CONST, constants, common->constants.count - constants, begin);
    } else if (cake_parser_take_keyword(parser, KEYWORD_TUNE)) {
        if (!parse_tune(parser, common)) return false;
        add_declaration(parser, common, CAKE_DECLARATION_TUNE, tunes, common->tunes.count - tunes, begin);
    } else {
        if (!cake_parser_expect_keyword(parser, KEYWORD_LET) || !parse_definition(parser, common)) return false;
        add_declaration(parser, common, CAKE_DECLARATION_DEFINITION, definitions, 1, begin);
    }
    return true;
}

/* ---- where, assume, check ---- */

bool cake_parse_where_facts(cake_parser *parser, cake_fact_list *out_facts) {
    do {
        cake_fact fact = {.kind = CAKE_FACT_CONDITION};
        uint32_t begin = parser->token.span.begin;
        if (cake_parser_take_keyword(parser, KEYWORD_STATIC)) {
            cake_span span;
            fact.kind = CAKE_FACT_STATIC;
            if (!cake_parser_identifier(parser, "a dimension behind 'static'", &fact.name, &span)) return false;
        } else if (cake_parser_take_keyword(parser, KEYWORD_DETERMINISTIC)) {
            fact.kind = CAKE_FACT_DETERMINISTIC;
        } else if (!(fact.condition = cake_parse_expr(parser))) {
            return false;
        }
        fact.span = cake_parser_span_from(parser, begin);
        *CAKE_PUSH(parser->arena, out_facts) = fact;
    } while (cake_parser_take_kind(parser, TOKEN_COMMA));
    return true;
}

static bool parse_where(cake_parser *parser, cake_kernel *kernel, uint32_t begin) {
    uint32_t first = kernel->facts.count;
    if (!cake_parse_where_facts(parser, &kernel->facts)) return false;
    add_declaration(parser, &kernel->common, CAKE_DECLARATION_WHERE, first, kernel->facts.count - first, begin);
    return true;
}

static bool parse_conditions(cake_parser *parser, cake_kernel *kernel, cake_declaration_kind kind, cake_expr_list *list,
                             uint32_t begin) {
    uint32_t first = list->count;
    if (!cake_parse_exprs(parser, list)) return false;
    add_declaration(parser, &kernel->common, kind, first, list->count - first, begin);
    return true;
}

/* ---- grid ---- */

static bool parse_ragged(cake_parser *parser, cake_axis *axis) {
    return cake_parser_expect_kind(parser, TOKEN_OPEN_PAREN) &&
           cake_parser_identifier(parser, "a tensor of offsets", &axis->ragged, &axis->ragged_span) &&
           cake_parser_expect_kind(parser, TOKEN_COMMA) && (axis->ragged_block = cake_parse_expr(parser)) != NULL &&
           cake_parser_expect_kind(parser, TOKEN_CLOSE_PAREN);
}

static bool parse_axes(cake_parser *parser, cake_grid *grid) {
    if (!cake_parser_expect_keyword(parser, KEYWORD_TILE) || !cake_parser_expect_kind(parser, TOKEN_OPEN_PAREN))
        return false;
    do {
        cake_axis *axis = CAKE_PUSH(parser->arena, &grid->axes);
        if (!cake_parser_identifier(parser, "a coordinate's name", &axis->name, &axis->span) ||
            !cake_parser_expect_kind(parser, TOKEN_COLON))
            return false;
        if (cake_parser_take_keyword(parser, KEYWORD_RAGGED) ? !parse_ragged(parser, axis)
                                                             : !(axis->extent = cake_parse_expr(parser)))
            return false;
    } while (cake_parser_take_kind(parser, TOKEN_COMMA));
    return cake_parser_expect_kind(parser, TOKEN_CLOSE_PAREN);
}

static bool clause_once(cake_parser *parser, const char *name, bool given) {
    if (given) cake_parser_error(parser, CAKE_L112, "this grid has '%s' already", name);
    return !given;
}

static bool parse_order(cake_parser *parser, cake_grid *grid) {
    cake_named_reference order = {0};
    if (!clause_once(parser, "order", grid->order)) return false;
    cake_parser_advance(parser);
    if (!cake_parser_word(parser, "an order (row, grouped, snake or reverse)", &order)) return false;
    grid->order = order.name;
    grid->order_span = order.span;
    if (!cake_parser_take_kind(parser, TOKEN_OPEN_PAREN)) return true;
    return cake_parse_exprs(parser, &grid->order_arguments) && cake_parser_expect_kind(parser, TOKEN_CLOSE_PAREN);
}

static bool parse_cluster(cake_parser *parser, cake_grid *grid) {
    if (!clause_once(parser, "cluster", grid->cluster_axis)) return false;
    cake_parser_advance(parser);
    return cake_parse_count(parser, "the cluster's number of CTAs, an integer", 1, &grid->cluster) &&
           cake_parser_expect_keyword(parser, KEYWORD_ALONG) &&
           cake_parser_identifier(parser, "a coordinate of the grid", &grid->cluster_axis, &grid->cluster_span);
}

static bool parse_claim(cake_parser *parser, cake_grid *grid) {
    if (!clause_once(parser, "claim", grid->claim)) return false;
    cake_parser_advance(parser);
    return cake_parser_identifier(parser, "the counter's tensor", &grid->claim, &grid->claim_span);
}

static bool parse_grid_clauses(cake_parser *parser, cake_grid *grid) {
    for (bool good = true; good;) {
        cake_keyword keyword = cake_parser_keyword(parser);
        if (keyword == KEYWORD_ORDER)
            good = parse_order(parser, grid);
        else if (keyword == KEYWORD_CLAIM)
            good = parse_claim(parser, grid);
        else if (keyword == KEYWORD_CLUSTER)
            good = parse_cluster(parser, grid);
        else
            return true;
    }
    return false;
}

static bool parse_grid(cake_parser *parser, cake_kernel *kernel, uint32_t begin) {
    cake_grid *grid = CAKE_NEW(parser->arena, cake_grid);
    grid->ctas_per_sm = 1;
    grid->persistent = cake_parser_take_keyword(parser, KEYWORD_PERSISTENT);
    if (grid->persistent && cake_parser_kind(parser) == TOKEN_INT &&
        !cake_parse_count(parser, "CTAs per SM, at least 1", 1, &grid->ctas_per_sm))
        return false;
    if (!parse_axes(parser, grid) || !parse_grid_clauses(parser, grid)) return false;
    grid->span = cake_parser_span_from(parser, begin);
    if (kernel->grid) {
        cake_diagnostic *diagnostic = cake_report(parser->diagnostics, CAKE_L112, grid->span, "a kernel has one grid");
        cake_diagnostic_note(parser->diagnostics, diagnostic, kernel->grid->span, "the first one is here");
        return true;
    }
    kernel->grid = grid;
    add_declaration(parser, &kernel->common, CAKE_DECLARATION_GRID, 0, 1, begin);
    return true;
}

/* ---- roles ---- */

static bool parse_role_row(cake_parser *parser, void *context) {
    cake_kernel *kernel = context;
    cake_named_reference name = {0};
    cake_role *role = CAKE_NEW(parser->arena, cake_role);
    if (!cake_parser_word(parser, "a role's name", &name) || !cake_parser_expect_kind(parser, TOKEN_COLON))
        return false;
    role->name = name.name;
    role->span = name.span;
    role->warpgroups = cake_parser_take_keyword(parser, KEYWORD_WARPGROUPS);
    if (!role->warpgroups && !cake_parser_take_keyword(parser, KEYWORD_WARPS)) {
        cake_parser_expected(parser, "'warps' or 'warpgroups'");
        return false;
    }
    if (!(role->count = cake_parse_expr(parser))) return false;
    for (;;) {
        cake_keyword keyword = cake_parser_keyword(parser);
        if (keyword != KEYWORD_REGS && keyword != KEYWORD_LEADER) break;
        if (keyword == KEYWORD_REGS ? role->registers != NULL : role->leader) {
            cake_parser_error(parser, CAKE_L109, "this role has '%s' already", parser->token.name);
            return false;
        }
        cake_parser_advance(parser);
        if (keyword == KEYWORD_LEADER)
            role->leader = true;
        else if (!(role->registers = cake_parse_expr(parser)))
            return false;
    }
    *CAKE_PUSH(parser->arena, &kernel->roles) = role;
    return true;
}

static bool parse_roles(cake_parser *parser, cake_kernel *kernel, uint32_t begin) {
    uint32_t first = kernel->roles.count;
    if (first > 0) {
        cake_diagnostic *diagnostic =
            cake_report(parser->diagnostics, CAKE_L112, parser->previous.span, "a kernel has one 'roles'");
        cake_diagnostic_note(parser->diagnostics, diagnostic, kernel->roles.items[0]->span, "the first role is here");
    }
    cake_span open = parser->token.span;
    if (!cake_parser_expect_kind(parser, TOKEN_OPEN_BRACE) ||
        !cake_parser_braced_items(parser, open, parse_role_row, kernel))
        return false;
    add_declaration(parser, &kernel->common, CAKE_DECLARATION_ROLES, first, kernel->roles.count - first, begin);
    return true;
}

static bool parse_role(cake_parser *parser, cake_kernel *kernel, uint32_t begin) {
    cake_role_body body = {0};
    if (!cake_parser_word(parser, "a role's name", &body.role)) return false;
    if (cake_parser_take_kind(parser, TOKEN_OPEN_PAREN) &&
        (!cake_parser_identifier(parser, "a name for the team's index", &body.team, &body.team_span) ||
         !cake_parser_expect_kind(parser, TOKEN_CLOSE_PAREN)))
        return false;
    if (!cake_parse_block(parser, &body.block)) return false;
    body.span = cake_parser_span_from(parser, begin);
    *CAKE_PUSH(parser->arena, &kernel->bodies) = CAKE_NEW(parser->arena, cake_role_body);
    *kernel->bodies.items[kernel->bodies.count - 1] = body;
    add_declaration(parser, &kernel->common, CAKE_DECLARATION_ROLE, kernel->bodies.count - 1, 1, begin);
    return true;
}

/* ---- buffers, pipelines ---- */

static bool parse_buffer_clause(cake_parser *parser, cake_expr **slot) {
    if (*slot) {
        cake_parser_error(parser, CAKE_L109, "this buffer has '%s' already", parser->token.name);
        return false;
    }
    cake_parser_advance(parser);
    *slot = cake_parse_expr(parser);
    return *slot != NULL;
}

static bool parse_over(cake_parser *parser, cake_buffer *buffer) {
    if (buffer->over.name) {
        cake_parser_error(parser, CAKE_L109, "this buffer has 'over' already");
        return false;
    }
    cake_parser_advance(parser);
    return cake_parser_reference(parser, "the buffer whose bytes are reused", &buffer->over);
}

static cake_buffer *parse_buffer(cake_parser *parser, bool tensor_memory) {
    cake_buffer *buffer = CAKE_NEW(parser->arena, cake_buffer);
    buffer->tensor_memory = tensor_memory;
    if (!cake_parser_identifier(parser, "a buffer's name", &buffer->name, &buffer->span) ||
        !cake_parser_expect_kind(parser, TOKEN_COLON) || !cake_parse_type(parser, &buffer->type))
        return NULL;
    for (bool good = true; good;) {
        cake_keyword keyword = cake_parser_keyword(parser);
        if (keyword == KEYWORD_SWIZZLE)
            good = parse_buffer_clause(parser, &buffer->swizzle);
        else if (keyword == KEYWORD_PAD)
            good = parse_buffer_clause(parser, &buffer->pad);
        else if (keyword == KEYWORD_ALIGN)
            good = parse_buffer_clause(parser, &buffer->align);
        else if (keyword == KEYWORD_OVER)
            good = parse_over(parser, buffer);
        else
            return buffer;
    }
    return NULL;
}

static bool parse_buffer_declaration(cake_parser *parser, cake_kernel *kernel, bool tensor_memory, uint32_t begin) {
    cake_buffer *buffer = parse_buffer(parser, tensor_memory);
    if (!buffer) return false;
    *CAKE_PUSH(parser->arena, &kernel->buffers) = buffer;
    add_declaration(parser, &kernel->common, CAKE_DECLARATION_BUFFER, kernel->buffers.count - 1, 1, begin);
    return true;
}

static bool parse_slot_buffer(cake_parser *parser, void *context) {
    cake_pipeline *pipeline = context;
    bool tensor_memory = cake_parser_take_keyword(parser, KEYWORD_TMEM);
    cake_buffer *buffer = parse_buffer(parser, tensor_memory);
    if (!buffer) return false;
    buffer->pipeline = pipeline;
    *CAKE_PUSH(parser->arena, &pipeline->buffers) = buffer;
    return true;
}

static bool parse_pipeline_head(cake_parser *parser, cake_pipeline *pipeline) {
    if (!cake_parser_identifier(parser, "a pipeline's name", &pipeline->name, &pipeline->span) ||
        !cake_parser_expect_keyword(parser, KEYWORD_STAGES) || !(pipeline->stages = cake_parse_expr(parser)) ||
        !cake_parser_expect_keyword(parser, KEYWORD_FROM) ||
        !cake_parser_word(parser, "the role that fills the slots", &pipeline->producer) ||
        !cake_parser_expect_keyword(parser, KEYWORD_TO))
        return false;
    do {
        cake_named_reference consumer = {0};
        if (!cake_parser_word(parser, "a role that reads the slots", &consumer)) return false;
        *CAKE_PUSH(parser->arena, &pipeline->consumers) = consumer;
    } while (cake_parser_take_kind(parser, TOKEN_COMMA));
    return true;
}

static bool parse_pipeline(cake_parser *parser, cake_kernel *kernel, uint32_t begin) {
    cake_pipeline *pipeline = CAKE_NEW(parser->arena, cake_pipeline);
    if (!parse_pipeline_head(parser, pipeline)) return false;
    cake_span open = parser->token.span;
    if (!cake_parser_expect_kind(parser, TOKEN_OPEN_BRACE) ||
        !cake_parser_braced_items(parser, open, parse_slot_buffer, pipeline))
        return false;
    *CAKE_PUSH(parser->arena, &kernel->pipelines) = pipeline;
    add_declaration(parser, &kernel->common, CAKE_DECLARATION_PIPELINE, kernel->pipelines.count - 1, 1, begin);
    return true;
}

/* ---- signals, batons, views ---- */

static bool parse_signal(cake_parser *parser, cake_kernel *kernel, uint32_t begin) {
    cake_signal *signal = CAKE_NEW(parser->arena, cake_signal);
    if (!cake_parser_identifier(parser, "a signal's name", &signal->name, &signal->span) ||
        !cake_parser_expect_keyword(parser, KEYWORD_COUNT) || !(signal->count = cake_parse_expr(parser)))
        return false;
    *CAKE_PUSH(parser->arena, &kernel->signals) = signal;
    add_declaration(parser, &kernel->common, CAKE_DECLARATION_SIGNAL, kernel->signals.count - 1, 1, begin);
    return true;
}

static bool parse_baton(cake_parser *parser, cake_kernel *kernel, uint32_t begin) {
    cake_baton *baton = CAKE_NEW(parser->arena, cake_baton);
    if (!cake_parser_identifier(parser, "a baton's name", &baton->name, &baton->span) ||
        !cake_parser_expect_keyword(parser, KEYWORD_OVER) || !cake_parser_word(parser, "a role's name", &baton->role))
        return false;
    *CAKE_PUSH(parser->arena, &kernel->batons) = baton;
    add_declaration(parser, &kernel->common, CAKE_DECLARATION_BATON, kernel->batons.count - 1, 1, begin);
    return true;
}

static bool parse_view(cake_parser *parser, cake_kernel *kernel, uint32_t begin) {
    cake_view *view = CAKE_NEW(parser->arena, cake_view);
    if (!cake_parser_identifier(parser, "a view's name", &view->name, &view->span) ||
        !cake_parser_expect_kind(parser, TOKEN_COLON) || !cake_parse_type(parser, &view->type) ||
        !cake_parser_expect_kind(parser, TOKEN_ASSIGN) || !(view->value = cake_parse_expr(parser)))
        return false;
    view->has_strides = cake_parser_take_keyword(parser, KEYWORD_STRIDES);
    if (view->has_strides && !cake_parse_bracketed_exprs(parser, &view->strides)) return false;
    *CAKE_PUSH(parser->arena, &kernel->views) = view;
    add_declaration(parser, &kernel->common, CAKE_DECLARATION_VIEW, kernel->views.count - 1, 1, begin);
    return true;
}

/* ---- any declaration of a kernel ---- */

static bool parse_kernel_keyword(cake_parser *parser, cake_kernel *kernel, cake_keyword keyword, uint32_t begin) {
    switch ((int)keyword) {
    case KEYWORD_WHERE:
        return parse_where(parser, kernel, begin);
    case KEYWORD_GRID:
        return parse_grid(parser, kernel, begin);
    case KEYWORD_ROLES:
        return parse_roles(parser, kernel, begin);
    case KEYWORD_ROLE:
        return parse_role(parser, kernel, begin);
    case KEYWORD_PIPELINE:
        return parse_pipeline(parser, kernel, begin);
    case KEYWORD_SHARED:
        return parse_buffer_declaration(parser, kernel, false, begin);
    case KEYWORD_TMEM:
        return parse_buffer_declaration(parser, kernel, true, begin);
    case KEYWORD_SIGNAL:
        return parse_signal(parser, kernel, begin);
    case KEYWORD_BATON:
        return parse_baton(parser, kernel, begin);
    case KEYWORD_VIEW:
        return parse_view(parser, kernel, begin);
    case KEYWORD_ASSUME:
        return parse_conditions(parser, kernel, CAKE_DECLARATION_ASSUME, &kernel->assumes, begin);
    case KEYWORD_CHECK:
        return parse_conditions(parser, kernel, CAKE_DECLARATION_CHECK, &kernel->checks, begin);
    }
    return false;
}

bool cake_parse_kernel_declaration(cake_parser *parser, cake_kernel *kernel) {
    uint32_t begin = parser->token.span.begin;
    cake_keyword keyword = cake_parser_keyword(parser);
    if (keyword == KEYWORD_CONST || keyword == KEYWORD_TUNE || keyword == KEYWORD_LET)
        return cake_parse_common(parser, &kernel->common);
    cake_parser_advance(parser);
    return parse_kernel_keyword(parser, kernel, keyword, begin);
}
