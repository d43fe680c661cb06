/* Built-in functions: which arguments they take and what they give. builtins.def has their names and counts. */
#include "frontend/resolve.h"

#include <string.h>

/* ---- arguments ---- */

static bool is_listed(const char *const *keywords, cake_name name) {
    for (; *keywords; keywords++) {
        if (strcmp(*keywords, name) == 0) return true;
    }
    return false;
}

uint32_t cake_resolve_positional(cake_resolver *resolver, cake_expr *call, const char *const *keywords) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < call->u.call.arguments.count; i++) {
        const cake_argument *argument = &call->u.call.arguments.items[i];
        if (!argument->keyword)
            count++;
        else if (!is_listed(keywords, argument->keyword))
            cake_resolve_report(resolver, CAKE_L308, argument->value->span, "'%s' takes no '%s=' here",
                                call->u.call.function, argument->keyword);
        else if (cake_resolve_keyword(call, argument->keyword) != argument)
            cake_resolve_report(resolver, CAKE_L308, argument->value->span, "'%s=' is given twice", argument->keyword);
    }
    return count;
}

cake_argument *cake_resolve_keyword(cake_expr *call, const char *keyword) {
    for (uint32_t i = 0; i < call->u.call.arguments.count; i++) {
        cake_argument *argument = &call->u.call.arguments.items[i];
        if (argument->keyword && strcmp(argument->keyword, keyword) == 0) return argument;
    }
    return NULL;
}

/* The i-th positional argument, which must be there. */
static cake_expr *positional(cake_expr *call, uint32_t index) {
    for (uint32_t i = 0; i < call->u.call.arguments.count; i++) {
        const cake_argument *argument = &call->u.call.arguments.items[i];
        if (!argument->keyword && index-- == 0) return argument->value;
    }
    return NULL;
}

bool cake_resolve_axis(cake_resolver *resolver, cake_expr *call, uint32_t rank, bool required) {
    const cake_argument *argument = cake_resolve_keyword(call, "axis");
    if (!argument) {
        if (!required || rank == 1) return true;
        cake_resolve_report(resolver, CAKE_L317, call->span, "'%s' on a tile of rank %u needs 'axis='",
                            call->u.call.function, rank);
        return false;
    }
    if (!cake_resolve_integer_at(resolver, argument->value, CAKE_TIME_COMPILE, "an axis")) return false;
    const cake_expr *axis = argument->value;
    bool outside = axis->kind == CAKE_EXPR_INT ? axis->u.integer.value >= rank : axis->kind == CAKE_EXPR_UNARY;
    if (!outside) return true;
    cake_resolve_report(resolver, CAKE_L317, axis->span, "the axes of a tile of rank %u are 0 .. %u", rank, rank);
    return false;
}

static bool check_within(cake_resolver *resolver, const cake_expr *call) {
    for (uint32_t i = 0; i < call->u.call.arguments.count; i++) {
        const cake_argument *argument = &call->u.call.arguments.items[i];
        if (argument->within == CAKE_WITHIN_TEAM) continue;
        cake_resolve_report(resolver, CAKE_L314, argument->value->span, "'within' stands only in a reduction");
        return false;
    }
    return true;
}

bool cake_resolve_has_within(const cake_expr *call) {
    for (uint32_t i = 0; i < call->u.call.arguments.count; i++) {
        if (call->u.call.arguments.items[i].within != CAKE_WITHIN_TEAM) return true;
    }
    return false;
}

static cake_type report_argument(cake_resolver *resolver, const cake_expr *call, const cake_expr *argument,
                                 cake_type type, const char *wanted) {
    if (cake_resolve_is_error(type)) return type;
    cake_diagnostic *diagnostic =
        cake_resolve_report(resolver, CAKE_L302, argument->span, "'%s' works on %s, and this is %s",
                            call->u.call.function, wanted, cake_resolve_type_text(resolver, type));
    if (strcmp(wanted, "floats") == 0 && cake_resolve_is_integer(type.dtype))
        cake_resolve_cast_fix(resolver, diagnostic, argument, CAKE_DTYPE_F32);
    return cake_resolve_error();
}

/* The type in which all positional arguments from 'first' on meet. */
static cake_type meet_arguments(cake_resolver *resolver, cake_expr *call, uint32_t first, uint32_t count) {
    cake_expr *left = positional(call, first);
    cake_type type = cake_resolve_value(resolver, left);
    for (uint32_t i = first + 1; i < count; i++) {
        cake_expr *argument = positional(call, i);
        cake_type argument_type = cake_resolve_value(resolver, argument);
        type = cake_resolve_meet(resolver, call->span, left, type, argument, argument_type);
    }
    return type;
}

/* ---- elementwise ---- */

static cake_type type_of_select(cake_resolver *resolver, cake_expr *call) {
    cake_expr *condition = positional(call, 0);
    cake_type chosen = cake_resolve_value(resolver, condition);
    cake_type type = meet_arguments(resolver, call, 1, 3);
    if (cake_resolve_is_error(chosen) || cake_resolve_is_error(type)) return cake_resolve_error();
    if (chosen.dtype != CAKE_DTYPE_BOOL) {
        cake_resolve_report(resolver, CAKE_L321, condition->span,
                            "the first argument of 'select' is bool, and this is %s",
                            cake_resolve_type_text(resolver, chosen));
        return cake_resolve_error();
    }
    cake_type shape = cake_resolve_value_type(type.dtype, chosen.rank);
    return cake_resolve_meet(resolver, call->span, condition, shape, positional(call, 1), type);
}

static const char *wanted_by(cake_builtin builtin, cake_dtype dtype) {
    if (builtin == CAKE_BUILTIN_ABS) return dtype == CAKE_DTYPE_BOOL ? "numbers" : NULL;
    if (builtin == CAKE_BUILTIN_POPC || builtin == CAKE_BUILTIN_CLZ)
        return cake_resolve_is_integer(dtype) && dtype != CAKE_DTYPE_INDEX ? NULL : "integers of a width";
    return cake_resolve_is_float(dtype) ? NULL : "floats";
}

static cake_type type_of_element(cake_resolver *resolver, cake_expr *call, uint32_t count) {
    if (call->u.call.builtin == CAKE_BUILTIN_SELECT) return type_of_select(resolver, call);
    cake_type type = meet_arguments(resolver, call, 0, count);
    if (cake_resolve_is_error(type)) return type;
    const char *wanted = wanted_by(call->u.call.builtin, type.dtype);
    return wanted ? report_argument(resolver, call, positional(call, 0), type, wanted) : type;
}

/* ---- reductions ---- */

static cake_type check_fold(cake_resolver *resolver, cake_expr *call, cake_type type) {
    cake_builtin builtin = call->u.call.builtin;
    bool is_bool = type.dtype == CAKE_DTYPE_BOOL;
    bool wants_bool = builtin == CAKE_BUILTIN_ANY || builtin == CAKE_BUILTIN_ALL || builtin == CAKE_BUILTIN_COUNT;
    if (wants_bool && !is_bool) return report_argument(resolver, call, positional(call, 0), type, "bool");
    if (!wants_bool && is_bool) return report_argument(resolver, call, positional(call, 0), type, "numbers");
    if (type.rank > 0) return type;
    cake_resolve_report(resolver, CAKE_L303, call->span, "'%s' of one argument folds a tile, and this is a scalar",
                        call->u.call.function);
    return cake_resolve_error();
}

static cake_type type_of_fold(cake_resolver *resolver, cake_expr *call, uint32_t count) {
    cake_builtin builtin = call->u.call.builtin;
    if (count == 2) { /* min and max of two values */
        cake_type type = check_within(resolver, call) ? meet_arguments(resolver, call, 0, 2) : cake_resolve_error();
        if (cake_resolve_keyword(call, "axis")) {
            cake_resolve_report(resolver, CAKE_L317, call->span, "'%s' of two arguments is elementwise: it has no axis",
                                call->u.call.function);
            return cake_resolve_error();
        }
        bool is_bool = !cake_resolve_is_error(type) && type.dtype == CAKE_DTYPE_BOOL;
        return is_bool ? report_argument(resolver, call, positional(call, 0), type, "numbers") : type;
    }
    cake_type type = cake_resolve_value(resolver, positional(call, 0));
    if (cake_resolve_is_error(type)) return type;
    type = check_fold(resolver, call, type);
    if (cake_resolve_is_error(type) || !cake_resolve_axis(resolver, call, type.rank, false))
        return cake_resolve_error();
    bool gives_index =
        builtin == CAKE_BUILTIN_ARGMIN || builtin == CAKE_BUILTIN_ARGMAX || builtin == CAKE_BUILTIN_COUNT;
    uint32_t rank = cake_resolve_keyword(call, "axis") ? type.rank - 1u : 0;
    return cake_resolve_value_type(gives_index ? CAKE_DTYPE_INDEX : type.dtype,
                                   cake_resolve_has_within(call) ? type.rank : rank);
}

/* ---- shapes ---- */

static cake_type type_of_reshape(cake_resolver *resolver, cake_expr *call, uint32_t count) {
    cake_type type = cake_resolve_value(resolver, positional(call, 0));
    bool good = !cake_resolve_is_error(type);
    for (uint32_t i = 1; i < count; i++) {
        if (!cake_resolve_integer_at(resolver, positional(call, i), CAKE_TIME_COMPILE, "an extent")) good = false;
    }
    if (!good) return cake_resolve_error();
    if (type.rank == 0) return report_argument(resolver, call, positional(call, 0), type, "tiles");
    return cake_resolve_value_type(type.dtype, count - 1);
}

static cake_type type_of_concat(cake_resolver *resolver, cake_expr *call) {
    cake_type type = meet_arguments(resolver, call, 0, 2);
    if (cake_resolve_is_error(type)) return type;
    for (uint32_t i = 0; i < 2; i++) {
        cake_type part = positional(call, i)->type;
        if (part.rank == 0) return report_argument(resolver, call, positional(call, i), part, "tiles");
    }
    return cake_resolve_axis(resolver, call, type.rank, true) ? type : cake_resolve_error();
}

static cake_type type_of_topk(cake_resolver *resolver, cake_expr *call) {
    cake_expr *tile = positional(call, 0);
    cake_type type = cake_resolve_value(resolver, tile);
    bool count = cake_resolve_integer_at(resolver, positional(call, 1), CAKE_TIME_COMPILE, "the number to keep");
    if (cake_resolve_is_error(type) || !count) return cake_resolve_error();
    if (!cake_resolve_is_integer(type.dtype) || type.rank == 0)
        return report_argument(resolver, call, tile, type, "tiles of integers (pack value and index)");
    return cake_resolve_axis(resolver, call, type.rank, true) ? type : cake_resolve_error();
}

static cake_type type_of_iota(cake_resolver *resolver, cake_expr *call) {
    if (!cake_resolve_integer_at(resolver, positional(call, 0), CAKE_TIME_COMPILE, "the length of 'iota'"))
        return cake_resolve_error();
    return cake_resolve_value_type(CAKE_DTYPE_INDEX, 1);
}

static cake_type type_of_shape(cake_resolver *resolver, cake_expr *call, uint32_t count) {
    cake_builtin builtin = call->u.call.builtin;
    if (builtin == CAKE_BUILTIN_CONCAT) return type_of_concat(resolver, call);
    if (builtin == CAKE_BUILTIN_RESHAPE) return type_of_reshape(resolver, call, count);
    return builtin == CAKE_BUILTIN_TOPK ? type_of_topk(resolver, call) : type_of_iota(resolver, call);
}

/* ---- integers and facts on data ---- */

static cake_type type_of_integer(cake_resolver *resolver, cake_expr *call, uint32_t count) {
    cake_type type = meet_arguments(resolver, call, 0, count);
    if (cake_resolve_is_error(type)) return type;
    if (!cake_resolve_is_integer(type.dtype))
        return report_argument(resolver, call, positional(call, 0), type, "integers");
    if (call->u.call.builtin == CAKE_BUILTIN_ISPOW2) type.dtype = CAKE_DTYPE_BOOL;
    return type;
}

static cake_type type_of_data(cake_resolver *resolver, cake_expr *call) {
    cake_expr *argument = positional(call, 0);
    cake_type type = cake_resolve_type(resolver, argument);
    if (cake_resolve_is_error(type)) return type;
    if (resolver->where != CAKE_WHERE_CONTRACT) {
        cake_resolve_report(resolver, CAKE_L224, call->span,
                            "'%s' is a fact on a tensor's contents: it stands in 'where'", call->u.call.function);
        return cake_resolve_error();
    }
    const cake_symbol *symbol = argument->kind == CAKE_EXPR_NAME ? argument->u.name.symbol : NULL;
    if (symbol && symbol->kind == CAKE_SYMBOL_TENSOR) return cake_resolve_value_type(CAKE_DTYPE_BOOL, 0);
    cake_resolve_report(resolver, CAKE_L204, argument->span, "'%s' speaks of a tensor: name one",
                        call->u.call.function);
    return cake_resolve_error();
}

/* ---- all of them ---- */

static bool check_count(cake_resolver *resolver, const cake_expr *call, const cake_builtin_info *info, uint32_t count) {
    if (count >= info->min_args && count <= info->max_args) return true;
    if (info->min_args == info->max_args)
        cake_resolve_report(resolver, CAKE_L308, call->span, "'%s' takes %u argument%s, not %u", info->name,
                            info->min_args, info->min_args == 1 ? "" : "s", count);
    else
        cake_resolve_report(resolver, CAKE_L308, call->span, "'%s' takes %u to %u arguments, not %u", info->name,
                            info->min_args, info->max_args, count);
    return false;
}

static bool takes_axis(const cake_builtin_info *info, cake_builtin builtin) {
    return info->kind == CAKE_BUILTIN_KIND_FOLD || info->kind == CAKE_BUILTIN_KIND_COMBINE ||
           builtin == CAKE_BUILTIN_CONCAT || builtin == CAKE_BUILTIN_TOPK;
}

cake_type cake_resolve_builtin(cake_resolver *resolver, cake_expr *call) {
    static const char *const with_axis[] = {"axis", NULL}, *const without[] = {NULL};
    cake_builtin builtin = call->u.call.builtin;
    const cake_builtin_info *info = cake_builtin_info_of(builtin);
    uint32_t errors = resolver->diagnostics->error_count;
    uint32_t count = cake_resolve_positional(resolver, call, takes_axis(info, builtin) ? with_axis : without);
    bool is_reduction = builtin == CAKE_BUILTIN_REDUCE || (info->kind == CAKE_BUILTIN_KIND_FOLD && count == 1);
    bool good = check_count(resolver, call, info, count) && (is_reduction || check_within(resolver, call));
    if (!good || resolver->diagnostics->error_count != errors) return cake_resolve_error();
    switch (info->kind) {
    case CAKE_BUILTIN_KIND_ELEMENT:
        return type_of_element(resolver, call, count);
    case CAKE_BUILTIN_KIND_FOLD:
        return type_of_fold(resolver, call, count);
    case CAKE_BUILTIN_KIND_SHAPE:
        return type_of_shape(resolver, call, count);
    case CAKE_BUILTIN_KIND_INTEGER:
        return type_of_integer(resolver, call, count);
    case CAKE_BUILTIN_KIND_COMBINE:
        return cake_resolve_combine(resolver, call);
    case CAKE_BUILTIN_KIND_DATA:
        return type_of_data(resolver, call);
    }
    return cake_resolve_error();
}
