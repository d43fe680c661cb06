/* Calls of user-defined functions, and reduce and scan, which take one.
 *
 * A call is expanded: the function's body is copied with the arguments bound to symbols of its own, and the copy is
 * typed. So a function is generic over types and ranks, and costs nothing that its body written out would not cost.
 */
#include "frontend/resolve.h"

#include <string.h>

bool cake_resolve_is_pair(const cake_expr *expr) {
    return expr->kind == CAKE_EXPR_CALL && expr->u.call.expansion_second != NULL;
}

/* ---- expansion ---- */

static cake_symbol *new_parameter(cake_resolver *resolver, const cake_function_parameter *parameter, cake_expr *bound,
                                  cake_type type) {
    cake_symbol *symbol = CAKE_NEW(resolver->arena, cake_symbol);
    symbol->kind = CAKE_SYMBOL_PARAMETER_VALUE;
    symbol->name = parameter->name;
    symbol->span = parameter->span;
    symbol->number = ++resolver->module->symbol_count;
    symbol->type = type;
    symbol->bound = bound;
    bool needs_tile = false;
    cake_time time = bound ? cake_resolve_time(resolver, bound, &needs_tile) : CAKE_TIME_DEVICE;
    cake_symbol_note *note = cake_resolve_note(resolver, symbol);
    note->time = time;
    note->needs_tile = needs_tile;
    return symbol;
}

/* Copies and types the body; the parameters are those of the call. False after a report. */
static bool expand(cake_resolver *resolver, cake_expr *call) {
    cake_symbol *function = call->u.call.symbol;
    const cake_definition *definition = function->definition;
    cake_symbol_note *note = cake_resolve_note(resolver, function);
    if (note->progress == CAKE_PROGRESS_RUNNING) {
        cake_diagnostic *diagnostic =
            cake_resolve_report(resolver, CAKE_L215, call->u.call.function_span, "'%s' calls itself", function->name);
        cake_resolve_declared_note(resolver, diagnostic, function);
        return false;
    }
    note->progress = CAKE_PROGRESS_RUNNING;
    *CAKE_PUSH(resolver->arena, &resolver->expanding) = call;
    cake_where outer = resolver->where;
    if (outer == CAKE_WHERE_ROLE) resolver->where = CAKE_WHERE_DEFINITION;
    cake_symbol *const *parameters = call->u.call.parameters.items;
    call->u.call.expansion = cake_resolve_copy(resolver, definition->value, definition, parameters, call->span);
    bool good = call->u.call.expansion && !cake_resolve_is_error(cake_resolve_value(resolver, call->u.call.expansion));
    if (good && definition->second) {
        call->u.call.expansion_second =
            cake_resolve_copy(resolver, definition->second, definition, parameters, call->span);
        good = call->u.call.expansion_second &&
               !cake_resolve_is_error(cake_resolve_value(resolver, call->u.call.expansion_second));
    }
    resolver->where = outer;
    resolver->expanding.count--;
    cake_resolve_note(resolver, function)->progress = CAKE_PROGRESS_NONE;
    return good;
}

static bool check_parameter_count(cake_resolver *resolver, const cake_expr *call, uint32_t given) {
    const cake_symbol *function = call->u.call.symbol;
    uint32_t wanted = function->definition->parameters.count;
    if (given == wanted) return true;
    cake_diagnostic *diagnostic =
        cake_resolve_report(resolver, CAKE_L308, call->span, "'%s' takes %u argument%s, not %u", function->name, wanted,
                            wanted == 1 ? "" : "s", given);
    cake_resolve_declared_note(resolver, diagnostic, function);
    return false;
}

/* A call of a user-defined function. */
static cake_type type_of_user_call(cake_resolver *resolver, cake_expr *call) {
    static const char *const no_keywords[] = {NULL};
    uint32_t errors = resolver->diagnostics->error_count;
    for (uint32_t i = 0; i < call->u.call.arguments.count; i++)
        (void)cake_resolve_value(resolver, call->u.call.arguments.items[i].value);
    if (!call->u.call.symbol) return cake_resolve_error();
    uint32_t count = cake_resolve_positional(resolver, call, no_keywords);
    if (resolver->diagnostics->error_count != errors) return cake_resolve_error();
    if (!check_parameter_count(resolver, call, count)) return cake_resolve_error();
    const cake_definition *definition = call->u.call.symbol->definition;
    for (uint32_t i = 0; i < count; i++) {
        cake_expr *argument = call->u.call.arguments.items[i].value;
        if (cake_resolve_is_error(argument->type)) return cake_resolve_error();
        cake_type type = cake_resolve_value_type(argument->type.dtype, argument->type.rank);
        cake_symbol *parameter = new_parameter(resolver, &definition->parameters.items[i], argument, type);
        *CAKE_PUSH(resolver->arena, &call->u.call.parameters) = parameter;
    }
    return expand(resolver, call) ? call->u.call.expansion->type : cake_resolve_error();
}

/* ---- reduce and scan ---- */

#define COMBINED_TILES 2 /* a function gives at most a pair */

static bool find_combiner(cake_resolver *resolver, cake_expr *call, cake_expr *named) {
    cake_symbol *symbol = named->kind == CAKE_EXPR_NAME ? named->u.name.symbol : NULL;
    if (named->kind == CAKE_EXPR_NAME && !symbol) return false; /* reported */
    if (!symbol || symbol->kind != CAKE_SYMBOL_FUNCTION) {
        cake_resolve_report(resolver, CAKE_L204, named->span,
                            "'%s' takes a defined function first: let f(a, b) = .. outside roles",
                            call->u.call.function);
        return false;
    }
    named->type = symbol->type;
    call->u.call.symbol = symbol;
    return true;
}

/* The combiner takes its left values, then its right ones: f(a0, a1, b0, b1). */
static bool bind_combiner(cake_resolver *resolver, cake_expr *call, const cake_type *types, uint32_t tiles) {
    const cake_definition *definition = call->u.call.symbol->definition;
    if (definition->parameters.count != 2 * tiles || (definition->second != NULL) != (tiles == 2)) {
        cake_diagnostic *diagnostic = cake_resolve_report(
            resolver, CAKE_L316, call->span,
            "'%s' over %u tile%s needs a function of %u arguments that gives %u value%s", call->u.call.function, tiles,
            tiles == 1 ? "" : "s", 2 * tiles, tiles, tiles == 1 ? "" : "s");
        cake_resolve_declared_note(resolver, diagnostic, call->u.call.symbol);
        return false;
    }
    for (uint32_t i = 0; i < 2 * tiles; i++) {
        cake_type type = cake_resolve_value_type(types[i % tiles].dtype, 0);
        cake_symbol *parameter = new_parameter(resolver, &definition->parameters.items[i], NULL, type);
        *CAKE_PUSH(resolver->arena, &call->u.call.parameters) = parameter;
    }
    return expand(resolver, call);
}

static bool check_combined(cake_resolver *resolver, const cake_expr *call, const cake_expr *result, cake_type wanted) {
    if (result->type.dtype == wanted.dtype && result->type.rank == 0) return true;
    cake_diagnostic *diagnostic = cake_resolve_report(
        resolver, CAKE_L316, call->span, "'%s' gives %s where it combines elements of type %s",
        call->u.call.symbol->name, cake_resolve_type_text(resolver, result->type), cake_dtype_name(wanted.dtype));
    cake_diagnostic_note(resolver->diagnostics, diagnostic, result->span, "this is the result");
    return false;
}

static cake_type finish_combine(cake_resolver *resolver, cake_expr *call, uint32_t rank) {
    bool is_scan = call->u.call.builtin == CAKE_BUILTIN_SCAN;
    if (!cake_resolve_axis(resolver, call, rank, is_scan)) return cake_resolve_error();
    cake_type type = call->u.call.expansion->type;
    bool stays = is_scan || cake_resolve_has_within(call);
    uint32_t left = cake_resolve_keyword(call, "axis") ? rank - 1 : 0;
    return cake_resolve_value_type(type.dtype, stays ? rank : left);
}

/* scan(x): an inclusive sum. */
static cake_type type_of_sums(cake_resolver *resolver, cake_expr *call, cake_expr *tile) {
    cake_type type = cake_resolve_value(resolver, tile);
    if (cake_resolve_is_error(type)) return type;
    if (type.rank == 0 || type.dtype == CAKE_DTYPE_BOOL) {
        cake_resolve_report(resolver, CAKE_L302, tile->span, "'scan' sums a tile of numbers, and this is %s",
                            cake_resolve_type_text(resolver, type));
        return cake_resolve_error();
    }
    return cake_resolve_axis(resolver, call, type.rank, true) ? type : cake_resolve_error();
}

static bool check_tile(cake_resolver *resolver, const cake_expr *call, const cake_expr *tile, cake_type type,
                       cake_type first) {
    if (cake_resolve_is_error(type) || cake_resolve_is_error(first)) return false;
    if (type.rank > 0 && type.rank == first.rank) return true;
    cake_resolve_report(resolver, CAKE_L303, tile->span, "'%s' runs over tiles of one rank, and this is %s",
                        call->u.call.function, cake_resolve_type_text(resolver, type));
    return false;
}

cake_type cake_resolve_combine(cake_resolver *resolver, cake_expr *call) {
    cake_expr *positional[COMBINED_TILES + 1] = {0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < call->u.call.arguments.count; i++) {
        const cake_argument *argument = &call->u.call.arguments.items[i];
        if (!argument->keyword && count++ <= COMBINED_TILES) positional[count - 1] = argument->value;
    }
    if (count == 1) return type_of_sums(resolver, call, positional[0]);
    if (count > COMBINED_TILES + 1) {
        cake_resolve_report(resolver, CAKE_L308, call->span, "'%s' runs over one tile or two in step, not %u",
                            call->u.call.function, count - 1);
        return cake_resolve_error();
    }
    cake_type types[COMBINED_TILES];
    bool good = find_combiner(resolver, call, positional[0]);
    for (uint32_t i = 0; i + 1 < count; i++) {
        types[i] = cake_resolve_value(resolver, positional[i + 1]);
        good = check_tile(resolver, call, positional[i + 1], types[i], types[0]) && good;
    }
    if (!good || !bind_combiner(resolver, call, types, count - 1)) return cake_resolve_error();
    const cake_expr *second = call->u.call.expansion_second;
    bool fits = check_combined(resolver, call, call->u.call.expansion, types[0]) &&
                (!second || check_combined(resolver, call, second, types[1]));
    return fits ? finish_combine(resolver, call, types[0].rank) : cake_resolve_error();
}

/* ---- all calls ---- */

cake_type cake_resolve_call(cake_resolver *resolver, cake_expr *call) {
    if (call->u.call.builtin != CAKE_BUILTIN_NONE) return cake_resolve_builtin(resolver, call);
    if (!call->u.call.symbol && strcmp(call->u.call.function, "im2col") == 0) {
        cake_resolve_report(resolver, CAKE_L204, call->span,
                            "'im2col' makes a view: view v: dtype[..] = im2col(t, pad=1)");
        return cake_resolve_error();
    }
    return type_of_user_call(resolver, call);
}
