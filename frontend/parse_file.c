/* Files: target, shared declarations, kernels and programs. */
#include "frontend/parser.h"

static bool is_kernel_declaration(const cake_parser *parser) {
    cake_keyword keyword = cake_parser_keyword(parser);
    cake_keyword_place place = cake_keyword_place_of(keyword);
    if (keyword == KEYWORD_LET || keyword == KEYWORD_ASSUME || keyword == KEYWORD_CHECK) return true;
    return (place == KEYWORD_PLACE_DECLARATION || place == KEYWORD_PLACE_BLOCK) && keyword != KEYWORD_TARGET &&
           keyword != KEYWORD_KERNEL && keyword != KEYWORD_PROGRAM;
}

static bool is_file_declaration(cake_keyword keyword) {
    return keyword == KEYWORD_TARGET || keyword == KEYWORD_CONST || keyword == KEYWORD_TUNE || keyword == KEYWORD_LET;
}

/* ---- target ---- */

static bool parse_target(cake_parser *parser, cake_module *module) {
    cake_named_reference name = {0};
    uint32_t begin = parser->token.span.begin;
    cake_parser_advance(parser);
    if (!cake_parser_word(parser, "an architecture (sm_80, sm_89, sm_90a, sm_100a or sm_120a)", &name)) return false;
    cake_target target = cake_target_find(name.name);
    bool again = module->target_span.end != 0;
    if (again)
        cake_report(parser->diagnostics, CAKE_L112, name.span, "a file has one target");
    else if (target == CAKE_TARGET_NONE)
        cake_report(parser->diagnostics, CAKE_L113, name.span,
                    "'%s' is no target; there are sm_80, sm_89, sm_90a, sm_100a and sm_120a", name.name);
    if (again) return true;
    module->target = target;
    module->target_span = name.span;
    cake_declaration *declaration = CAKE_PUSH(parser->arena, &module->common.order);
    declaration->kind = CAKE_DECLARATION_TARGET;
    declaration->count = 1;
    declaration->span = cake_parser_span_from(parser, begin);
    return true;
}

/* ---- parameters ---- */

static cake_parameter *parse_parameter(cake_parser *parser) {
    cake_parameter *parameter = CAKE_NEW(parser->arena, cake_parameter);
    if (cake_parser_take_keyword(parser, KEYWORD_OUT))
        parameter->mode = CAKE_PARAMETER_OUT;
    else if (cake_parser_take_keyword(parser, KEYWORD_INOUT))
        parameter->mode = CAKE_PARAMETER_INOUT;
    if (!cake_parser_identifier(parser, "a parameter's name", &parameter->name, &parameter->span) ||
        !cake_parser_expect_kind(parser, TOKEN_COLON) || !cake_parse_type(parser, &parameter->type))
        return NULL;
    parameter->has_strides = cake_parser_take_keyword(parser, KEYWORD_STRIDES);
    if (parameter->has_strides && !cake_parse_bracketed_exprs(parser, &parameter->strides)) return NULL;
    return parameter;
}

static bool parse_parameters(cake_parser *parser, cake_parameter_list *out_list) {
    if (!cake_parser_expect_kind(parser, TOKEN_OPEN_PAREN)) return false;
    if (cake_parser_take_kind(parser, TOKEN_CLOSE_PAREN)) return true;
    do {
        cake_parameter *parameter = parse_parameter(parser);
        if (!parameter) return false;
        *CAKE_PUSH(parser->arena, out_list) = parameter;
    } while (cake_parser_take_kind(parser, TOKEN_COMMA));
    return cake_parser_expect_kind(parser, TOKEN_CLOSE_PAREN);
}

/* ---- kernels ---- */

static bool parse_kernel_head(cake_parser *parser, cake_kernel *kernel) {
    cake_parser_advance(parser);
    return cake_parser_identifier(parser, "a kernel's name", &kernel->name, &kernel->span) &&
           parse_parameters(parser, &kernel->parameters);
}

/* What cannot stand among declarations: one report for a run of it, since one brace too many or too few turns a whole
 * role's statements into declarations. */
static void report_misplaced(cake_parser *parser, bool again) {
    if (again) return;
    cake_keyword_place place = cake_keyword_place_of(cake_parser_keyword(parser));
    if (cake_parser_kind(parser) == TOKEN_CLOSE_BRACE)
        cake_parser_error(parser, CAKE_L110, "this '}' closes nothing");
    else if (cake_parser_keyword(parser) == KEYWORD_TARGET)
        cake_parser_error(parser, CAKE_L111, "'target' stands before the first kernel");
    else if (place == KEYWORD_PLACE_STATEMENT || place == KEYWORD_PLACE_COMPOUND)
        cake_parser_error(parser, CAKE_L111, "'%s' is a statement: it stands in the block of a role",
                          parser->token.name);
    else
        cake_parser_expected(parser, "a declaration");
}

/* Recovering stops at once where a statement may begin, but here none may: one token at least is skipped. */
static void skip_misplaced(cake_parser *parser) {
    parser->unclosed_at = 0;
    uint32_t begin = parser->token.span.begin;
    if (cake_parser_take_kind(parser, TOKEN_CLOSE_BRACE)) return;
    if (cake_keyword_place_of(cake_parser_keyword(parser)) == KEYWORD_PLACE_COMPOUND)
        cake_parse_blocks_after_error(parser);
    cake_parser_recover(parser, false);
    if (parser->token.span.begin == begin) cake_parser_advance(parser);
}

static void parse_kernel(cake_parser *parser, cake_module *module) {
    uint32_t begin = parser->token.span.begin;
    cake_kernel *kernel = CAKE_NEW(parser->arena, cake_kernel);
    *CAKE_PUSH(parser->arena, &module->kernels) = kernel;
    if (parse_kernel_head(parser, kernel))
        cake_parser_finish_item(parser);
    else
        cake_parser_recover(parser, false);
    if (!kernel->name) kernel->span = cake_parser_span_from(parser, begin);
    bool misplaced = false;
    for (;;) {
        cake_parser_end_of_statement(parser);
        cake_keyword keyword = cake_parser_keyword(parser);
        if (parser->token.kind == TOKEN_END || keyword == KEYWORD_KERNEL || keyword == KEYWORD_PROGRAM) return;
        if (!is_kernel_declaration(parser) || (misplaced && keyword == KEYWORD_LET)) {
            report_misplaced(parser, misplaced);
            misplaced = true;
            skip_misplaced(parser);
            continue;
        }
        misplaced = false;
        if (cake_parse_kernel_declaration(parser, kernel))
            cake_parser_finish_item(parser);
        else if (keyword == KEYWORD_ROLE)
            cake_parse_blocks_after_error(parser);
        else
            cake_parser_recover(parser, false);
    }
}

/* ---- programs ---- */

static bool parse_run(cake_parser *parser, cake_step *step) {
    step->kind = CAKE_STEP_RUN;
    if (!cake_parser_reference(parser, "a kernel's name", &step->object) ||
        !cake_parser_expect_kind(parser, TOKEN_OPEN_PAREN))
        return false;
    if (cake_parser_kind(parser) != TOKEN_CLOSE_PAREN && !cake_parse_exprs(parser, &step->arguments)) return false;
    if (!cake_parser_expect_kind(parser, TOKEN_CLOSE_PAREN)) return false;
    step->overlap = cake_parser_take_keyword(parser, KEYWORD_OVERLAP);
    return true;
}

static bool parse_temporary(cake_parser *parser, cake_step *step) {
    cake_temporary *temporary = CAKE_NEW(parser->arena, cake_temporary);
    step->kind = CAKE_STEP_TEMPORARY;
    step->temporary = temporary;
    return cake_parser_identifier(parser, "a temporary's name", &temporary->name, &temporary->span) &&
           cake_parser_expect_kind(parser, TOKEN_COLON) && cake_parse_type(parser, &temporary->type);
}

static bool parse_fill(cake_parser *parser, cake_step *step) {
    step->kind = CAKE_STEP_FILL;
    return cake_parser_reference(parser, "a tensor's name", &step->object) && cake_parser_expect_arrow(parser) &&
           (step->fill_value = cake_parse_expr(parser)) != NULL;
}

static bool parse_step(cake_parser *parser, void *context) {
    cake_program *program = context;
    cake_step step = {.kind = CAKE_STEP_RUN};
    uint32_t begin = parser->token.span.begin;
    bool good = false;
    if (cake_parser_take_keyword(parser, KEYWORD_TEMP))
        good = parse_temporary(parser, &step);
    else if (cake_parser_take_keyword(parser, KEYWORD_FILL))
        good = parse_fill(parser, &step);
    else if (cake_parser_take_keyword(parser, KEYWORD_RUN))
        good = parse_run(parser, &step);
    else
        cake_parser_expected(parser, "a step: 'temp', 'fill' or 'run'");
    if (!good) return false;
    step.span = cake_parser_span_from(parser, begin);
    *CAKE_PUSH(parser->arena, &program->steps) = step;
    return true;
}

/* The contract may stand on the next line. */
static bool parse_program_where(cake_parser *parser, cake_program *program) {
    if (cake_parser_kind(parser) != TOKEN_OPEN_BRACE) cake_parser_end_of_statement(parser);
    if (!cake_parser_take_keyword(parser, KEYWORD_WHERE)) return true;
    return cake_parse_where_facts(parser, &program->facts);
}

static bool parse_program_head(cake_parser *parser, cake_program *program) {
    cake_parser_advance(parser);
    return cake_parser_identifier(parser, "a program's name", &program->name, &program->span) &&
           parse_parameters(parser, &program->parameters) && parse_program_where(parser, program);
}

static void parse_program(cake_parser *parser, cake_module *module) {
    cake_program *program = CAKE_NEW(parser->arena, cake_program);
    *CAKE_PUSH(parser->arena, &module->programs) = program;
    bool good = parse_program_head(parser, program);
    cake_span open = parser->token.span;
    if (good)
        good = cake_parser_expect_kind(parser, TOKEN_OPEN_BRACE);
    else if (cake_parser_recover(parser, true)) {
        open = parser->token.span;
        cake_parser_advance(parser);
        good = true;
    }
    if (good && cake_parser_braced_items(parser, open, parse_step, program))
        cake_parser_finish_item(parser);
    else
        cake_parser_recover(parser, false);
}

/* ---- files ---- */

static bool parse_file_declaration(cake_parser *parser, cake_module *module) {
    if (cake_parser_keyword(parser) == KEYWORD_TARGET) return parse_target(parser, module);
    return cake_parse_common(parser, &module->common);
}

static void parse_file(cake_parser *parser, cake_module *module) {
    bool misplaced = false;
    for (;;) {
        cake_parser_end_of_statement(parser);
        cake_keyword keyword = cake_parser_keyword(parser);
        if (parser->token.kind == TOKEN_END) break;
        if (keyword == KEYWORD_KERNEL) {
            parse_kernel(parser, module);
        } else if (keyword == KEYWORD_PROGRAM) {
            parse_program(parser, module);
        } else if (!is_file_declaration(keyword) || module->kernels.count + module->programs.count > 0) {
            if (!misplaced)
                cake_parser_expected(parser, module->kernels.count + module->programs.count > 0
                                                 ? "'kernel' or 'program'"
                                                 : "'target', 'const', 'tune', 'let', 'kernel' or 'program'");
            skip_misplaced(parser);
            misplaced = true;
            continue;
        } else if (parse_file_declaration(parser, module)) {
            cake_parser_finish_item(parser);
        } else {
            cake_parser_recover(parser, false);
        }
        misplaced = false;
    }
    if (module->target_span.end == 0 && !parser->reported)
        cake_report(parser->diagnostics, CAKE_L113, (cake_span){0, 0},
                    "the file names no target; begin with 'target sm_90a' or another architecture");
}

cake_module *cake_frontend_parse_unresolved(cake_arena *arena, const cake_source *source,
                                            cake_diagnostics *diagnostics) {
    cake_module *module = CAKE_NEW(arena, cake_module);
    module->arena = arena;
    module->source = source;
    cake_interner_init(&module->names, arena);
    cake_parser parser;
    cake_parser_init(&parser, arena, source, &module->names, diagnostics);
    parse_file(&parser, module);
    return module;
}
