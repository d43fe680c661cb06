/* Types of names and operators.
 *
 * Literals, dimensions and counters are of type index or real until they meet a typed operand; then they give way to it
 * (cake_type_common). Whether their value fits is checked where values are known, in plan/.
 */
#include "frontend/resolve.h"

/* ---- types ---- */

cake_type cake_resolve_error(void) {
    return (cake_type){.kind = CAKE_TYPE_ERROR};
}

cake_type cake_resolve_value_type(cake_dtype dtype, uint32_t rank) {
    return (cake_type){.kind = CAKE_TYPE_VALUE, .dtype = dtype, .rank = (uint8_t)rank};
}

bool cake_resolve_is_error(cake_type type) {
    return type.kind == CAKE_TYPE_ERROR;
}

bool cake_resolve_is_integer(cake_dtype dtype) {
    cake_dtype_class class = cake_dtype_class_of(dtype);
    return class == CAKE_CLASS_SIGNED || class == CAKE_CLASS_UNSIGNED || class == CAKE_CLASS_INDEX;
}

bool cake_resolve_is_float(cake_dtype dtype) {
    cake_dtype_class class = cake_dtype_class_of(dtype);
    return class == CAKE_CLASS_FLOAT || class == CAKE_CLASS_REAL;
}

/* Whether a literal of one dtype may take the other: an exact integer any number type, a real any float. */
static bool gives_way(cake_dtype from, cake_dtype to) {
    if (from == CAKE_DTYPE_INDEX) return to != CAKE_DTYPE_BOOL;
    return from == CAKE_DTYPE_REAL && cake_resolve_is_float(to);
}

/* ---- two types that should agree ---- */

/* Of two dtypes the one that a cast should lead to: it loses less. */
static bool prefer_right(cake_dtype left, cake_dtype right) {
    bool left_float = cake_resolve_is_float(left), right_float = cake_resolve_is_float(right);
    if (left_float != right_float) return right_float;
    return cake_dtype_bits(right) > cake_dtype_bits(left);
}

static void report_dtypes(cake_resolver *resolver, cake_span span, const cake_expr *left, cake_type left_type,
                          const cake_expr *right, cake_type right_type) {
    cake_diagnostic *diagnostic =
        cake_resolve_report(resolver, CAKE_L301, span, "%s and %s do not go together without a cast",
                            cake_resolve_type_text(resolver, left_type), cake_resolve_type_text(resolver, right_type));
    if (left_type.dtype == CAKE_DTYPE_BOOL || right_type.dtype == CAKE_DTYPE_BOOL) return;
    if (prefer_right(left_type.dtype, right_type.dtype))
        cake_resolve_cast_fix(resolver, diagnostic, left, right_type.dtype);
    else
        cake_resolve_cast_fix(resolver, diagnostic, right, left_type.dtype);
}

cake_type cake_resolve_meet(cake_resolver *resolver, cake_span span, const cake_expr *left, cake_type left_type,
                            const cake_expr *right, cake_type right_type) {
    if (cake_resolve_is_error(left_type) || cake_resolve_is_error(right_type)) return cake_resolve_error();
    cake_dtype a = left_type.dtype, b = right_type.dtype;
    if (a != b && !gives_way(a, b) && !gives_way(b, a)) {
        report_dtypes(resolver, span, left, left_type, right, right_type);
        return cake_resolve_error();
    }
    if (left_type.rank != right_type.rank && left_type.rank != 0 && right_type.rank != 0) {
        cake_diagnostic *diagnostic = cake_resolve_report(
            resolver, CAKE_L303, span, "%s and %s do not broadcast: the ranks differ",
            cake_resolve_type_text(resolver, left_type), cake_resolve_type_text(resolver, right_type));
        const cake_expr *lower = left_type.rank < right_type.rank ? left : right;
        cake_diagnostic_note(resolver->diagnostics, diagnostic, lower->span,
                             "say with [:, None] or [None, :] which axis this one lacks");
        return cake_resolve_error();
    }
    return cake_type_common(left_type, right_type);
}

bool cake_resolve_fits(cake_resolver *resolver, const cake_expr *value, cake_type type, cake_type wanted,
                       const char *what) {
    if (cake_resolve_is_error(type) || cake_resolve_is_error(wanted)) return false;
    if (type.dtype != wanted.dtype && !gives_way(type.dtype, wanted.dtype)) {
        cake_diagnostic *diagnostic =
            cake_resolve_report(resolver, CAKE_L301, value->span, "%s is %s, and this is %s", what,
                                cake_dtype_name(wanted.dtype), cake_resolve_type_text(resolver, type));
        cake_resolve_cast_fix(resolver, diagnostic, value, wanted.dtype);
        return false;
    }
    if (type.rank != wanted.rank && type.rank != 0) {
        cake_resolve_report(resolver, CAKE_L303, value->span, "%s has rank %u, and this is %s", what, wanted.rank,
                            cake_resolve_type_text(resolver, type));
        return false;
    }
    return true;
}

/* ---- what is asked of a value ---- */

static void report_object(cake_resolver *resolver, const cake_expr *expr) {
    const cake_symbol *symbol = cake_resolve_root(expr);
    if (!symbol) return;
    const char *kind = cake_resolve_kind_text(symbol->kind);
    const char *form =
        symbol->kind == CAKE_SYMBOL_COORDINATE ? " of a ragged axis: say .group, .row or .rows" : ", not a value";
    cake_diagnostic *diagnostic =
        cake_resolve_report(resolver, CAKE_L307, expr->span, "'%s' is %s%s", symbol->name, kind, form);
    cake_resolve_declared_note(resolver, diagnostic, symbol);
}

cake_type cake_resolve_as_value(cake_resolver *resolver, const cake_expr *expr) {
    cake_type type = expr->type;
    switch (type.kind) {
    case CAKE_TYPE_ERROR:
        return type;
    case CAKE_TYPE_VALUE:
        if (!cake_resolve_is_pair(expr)) return type;
        cake_resolve_report(resolver, CAKE_L313, expr->span,
                            "this call gives two values: bind them with 'let a, b = ..'");
        return cake_resolve_error();
    case CAKE_TYPE_MEMORY:
        if (resolver->where == CAKE_WHERE_CONTRACT) return cake_resolve_value_type(type.dtype, type.rank);
        break;
    case CAKE_TYPE_OBJECT:
        report_object(resolver, expr);
        return cake_resolve_error();
    }
    cake_diagnostic *diagnostic =
        cake_resolve_report(resolver, CAKE_L305, expr->span, "this is a place in memory, and a value is needed");
    if (resolver->where != CAKE_WHERE_DECLARATION) {
        const char *text = cake_arena_format(resolver->arena, "(load %s)", cake_resolve_operand_text(resolver, expr));
        cake_diagnostic_fix(resolver->diagnostics, diagnostic, "load it", expr->span, text);
    }
    return cake_resolve_error();
}

cake_type cake_resolve_value(cake_resolver *resolver, cake_expr *expr) {
    (void)cake_resolve_type(resolver, expr);
    return cake_resolve_as_value(resolver, expr);
}

static bool ask_for_scalar(cake_resolver *resolver, const cake_expr *expr, cake_type type, const char *what) {
    if (type.rank == 0) return true;
    cake_diagnostic *diagnostic = cake_resolve_report(resolver, CAKE_L304, expr->span, "%s is a scalar, and this is %s",
                                                      what, cake_resolve_type_text(resolver, type));
    if (type.dtype == CAKE_DTYPE_BOOL)
        cake_diagnostic_note(resolver->diagnostics, diagnostic, expr->span,
                             "any(..) and all(..) fold a tile to a scalar");
    return false;
}

bool cake_resolve_integer(cake_resolver *resolver, cake_expr *expr, const char *what) {
    cake_type type = cake_resolve_value(resolver, expr);
    if (cake_resolve_is_error(type)) return false;
    if (!cake_resolve_is_integer(type.dtype)) {
        cake_resolve_report(resolver, CAKE_L302, expr->span, "%s is an integer, and this is %s", what,
                            cake_resolve_type_text(resolver, type));
        return false;
    }
    return ask_for_scalar(resolver, expr, type, what);
}

bool cake_resolve_condition(cake_resolver *resolver, cake_expr *expr, const char *what) {
    cake_type type = cake_resolve_value(resolver, expr);
    if (cake_resolve_is_error(type)) return false;
    if (type.dtype != CAKE_DTYPE_BOOL) {
        cake_resolve_report(resolver, CAKE_L321, expr->span, "%s is a bool, and this is %s", what,
                            cake_resolve_type_text(resolver, type));
        return false;
    }
    return ask_for_scalar(resolver, expr, type, what);
}

bool cake_resolve_known_at(cake_resolver *resolver, cake_expr *expr, cake_time latest, const char *what) {
    if (cake_resolve_time(resolver, expr, NULL) <= latest) return true;
    if (resolver->given_up) return false;
    if (latest == CAKE_TIME_COMPILE)
        cake_resolve_report(resolver, CAKE_L403, expr->span,
                            "%s must be known when compiling: from constants, tunables and statics", what);
    else
        cake_resolve_report(resolver, CAKE_L312, expr->span,
                            "%s must be known at launch: from dimensions, scalar parameters and constants", what);
    return false;
}

bool cake_resolve_integer_at(cake_resolver *resolver, cake_expr *expr, cake_time latest, const char *what) {
    return cake_resolve_integer(resolver, expr, what) && cake_resolve_known_at(resolver, expr, latest, what);
}

/* ---- names ---- */

static cake_type type_of_name(cake_resolver *resolver, cake_expr *expr) {
    cake_symbol *symbol = expr->u.name.symbol;
    if (!symbol) return cake_resolve_error();
    cake_resolve_symbol(resolver, symbol, expr->span);
    const cake_symbol_note *note = cake_resolve_note(resolver, symbol);
    if (note->needs_tile && resolver->role && !resolver->in_tile) {
        cake_diagnostic *diagnostic = cake_resolve_report(
            resolver, CAKE_L206, expr->span,
            symbol->kind == CAKE_SYMBOL_COORDINATE
                ? "'%s' is a coordinate of a persistent grid: it has a value only inside 'for tile'"
                : "'%s' uses a coordinate of a persistent grid: it has a value only inside 'for tile'",
            symbol->name);
        cake_resolve_declared_note(resolver, diagnostic, symbol);
        return cake_resolve_error();
    }
    return symbol->type;
}

/* ---- operators ---- */

static cake_type report_operand(cake_resolver *resolver, const cake_expr *operand, cake_type type, const char *op,
                                const char *wanted) {
    cake_resolve_report(resolver, CAKE_L302, operand->span, "'%s' works on %s, and this is %s", op, wanted,
                        cake_resolve_type_text(resolver, type));
    return cake_resolve_error();
}

static cake_type type_of_unary(cake_resolver *resolver, cake_expr *expr) {
    cake_expr *operand = expr->u.unary.operand;
    cake_type type = cake_resolve_value(resolver, operand);
    if (cake_resolve_is_error(type)) return type;
    const char *op = cake_unary_name(expr->u.unary.op);
    switch (expr->u.unary.op) {
    case CAKE_UNARY_NEG:
        return type.dtype == CAKE_DTYPE_BOOL ? report_operand(resolver, operand, type, op, "numbers") : type;
    case CAKE_UNARY_BIT_NOT:
        return cake_resolve_is_integer(type.dtype) ? type : report_operand(resolver, operand, type, op, "integers");
    case CAKE_UNARY_NOT:
        return type.dtype == CAKE_DTYPE_BOOL ? type : report_operand(resolver, operand, type, op, "bool");
    case CAKE_UNARY_COUNT:
        break;
    }
    return cake_resolve_error();
}

/* What an operator asks of its operands; null if dtype is fine. */
static const char *wanted_by(cake_binary_op op, cake_dtype dtype) {
    switch (op) {
    case CAKE_BINARY_OR:
    case CAKE_BINARY_XOR:
    case CAKE_BINARY_AND:
        return cake_resolve_is_integer(dtype) || dtype == CAKE_DTYPE_BOOL ? NULL : "integers and bool";
    case CAKE_BINARY_SHL:
    case CAKE_BINARY_SHR:
    case CAKE_BINARY_MOD:
        return cake_resolve_is_integer(dtype) ? NULL : "integers";
    case CAKE_BINARY_ADD:
    case CAKE_BINARY_SUB:
    case CAKE_BINARY_MUL:
    case CAKE_BINARY_DIV:
    case CAKE_BINARY_LT:
    case CAKE_BINARY_LE:
    case CAKE_BINARY_GT:
    case CAKE_BINARY_GE:
        return dtype != CAKE_DTYPE_BOOL ? NULL : "numbers";
    case CAKE_BINARY_EQ:
    case CAKE_BINARY_NE:
    case CAKE_BINARY_COUNT:
        return NULL;
    }
    return NULL;
}

static bool allows(cake_resolver *resolver, cake_binary_op op, const cake_expr *operand, cake_type type) {
    if (cake_resolve_is_error(type)) return false;
    const char *wanted = wanted_by(op, type.dtype);
    if (!wanted) return true;
    report_operand(resolver, operand, type, cake_binary_name(op), wanted);
    return false;
}

static cake_type type_of_binary(cake_resolver *resolver, cake_expr *expr) {
    cake_expr *left = expr->u.binary.left, *right = expr->u.binary.right;
    cake_type left_type = cake_resolve_value(resolver, left), right_type = cake_resolve_value(resolver, right);
    if (!allows(resolver, expr->u.binary.op, left, left_type) ||
        !allows(resolver, expr->u.binary.op, right, right_type))
        return cake_resolve_error();
    return cake_resolve_meet(resolver, expr->span, left, left_type, right, right_type);
}

/* Each operator compares its two neighbours; the results are joined. */
static cake_type type_of_compare(cake_resolver *resolver, cake_expr *expr) {
    cake_expr_list *operands = &expr->u.compare.operands;
    cake_type result = cake_resolve_value_type(CAKE_DTYPE_BOOL, 0);
    cake_type left = cake_resolve_value(resolver, operands->items[0]);
    bool failed = false;
    for (uint32_t i = 0; i + 1 < operands->count; i++) {
        const cake_expr *left_operand = operands->items[i];
        cake_expr *operand = operands->items[i + 1];
        cake_type right = cake_resolve_value(resolver, operand);
        cake_binary_op op = expr->u.compare.ops.items[i];
        if (!allows(resolver, op, left_operand, left) || !allows(resolver, op, operand, right)) {
            failed = true;
        } else {
            cake_type met = cake_resolve_meet(resolver, expr->span, left_operand, left, operand, right);
            if (!cake_resolve_is_error(met)) met.dtype = CAKE_DTYPE_BOOL;
            result = cake_resolve_meet(resolver, expr->span, left_operand, result, operand, met);
            failed = failed || cake_resolve_is_error(result);
        }
        left = right;
    }
    return failed ? cake_resolve_error() : result;
}

static cake_type type_of_in(cake_resolver *resolver, cake_expr *expr) {
    cake_expr *left = expr->u.in.left;
    cake_type type = cake_resolve_value(resolver, left);
    if (!cake_resolve_is_error(type) && type.dtype == CAKE_DTYPE_BOOL)
        type = report_operand(resolver, left, type, "in", "numbers");
    bool failed = cake_resolve_is_error(type);
    for (uint32_t i = 0; i < expr->u.in.set.items.count; i++) {
        cake_expr *item = expr->u.in.set.items.items[i];
        cake_type item_type = cake_resolve_value(resolver, item);
        if (!cake_resolve_is_error(item_type) && !ask_for_scalar(resolver, item, item_type, "an element of a set"))
            failed = true;
        else if (cake_resolve_is_error(cake_resolve_meet(resolver, expr->span, left, type, item, item_type)))
            failed = true;
    }
    return failed ? cake_resolve_error() : cake_resolve_value_type(CAKE_DTYPE_BOOL, type.rank);
}

static cake_type type_of_cast(cake_resolver *resolver, cake_expr *expr) {
    cake_type type = cake_resolve_value(resolver, expr->u.cast.operand);
    if (cake_resolve_is_error(type)) return type;
    cake_dtype from = type.dtype, to = expr->u.cast.dtype;
    if (from != to && (cake_dtype_is_byte_float(from) || cake_dtype_is_byte_float(to)))
        cake_resolve_need(resolver, CAKE_FEATURE_BYTE_FLOATS, expr->span, "a cast from or to an 8-bit float");
    type.dtype = to;
    return type;
}

static cake_type type_of_bitcast(cake_resolver *resolver, cake_expr *expr) {
    const cake_expr *operand = expr->u.cast.operand;
    cake_type type = cake_resolve_value(resolver, expr->u.cast.operand);
    if (cake_resolve_is_error(type)) return type;
    cake_dtype wanted = expr->u.cast.dtype;
    const char *name = cake_dtype_name(wanted);
    if (type.dtype == CAKE_DTYPE_INDEX || type.dtype == CAKE_DTYPE_REAL) {
        cake_resolve_report(resolver, CAKE_L311, operand->span, "bitcast to %s: %s has no width yet, cast it first",
                            name, cake_resolve_type_text(resolver, type));
        return cake_resolve_error();
    }
    bool is_bool = type.dtype == CAKE_DTYPE_BOOL || wanted == CAKE_DTYPE_BOOL;
    if (cake_dtype_bits(type.dtype) != cake_dtype_bits(wanted) || (is_bool && type.dtype != wanted)) {
        cake_resolve_report(resolver, CAKE_L311, expr->span, "bitcast keeps the width: %s cannot become %s",
                            cake_resolve_type_text(resolver, type), name);
        return cake_resolve_error();
    }
    type.dtype = wanted;
    return type;
}

static cake_type type_of_relayout(cake_resolver *resolver, cake_expr *expr) {
    cake_type type = cake_resolve_value(resolver, expr->u.unary.operand);
    if (cake_resolve_is_error(type) || type.rank > 0) return type;
    cake_resolve_report(resolver, CAKE_L303, expr->span, "'relayout' moves a tile, and this is a scalar");
    return cake_resolve_error();
}

static cake_type type_of(cake_resolver *resolver, cake_expr *expr) {
    switch (expr->kind) {
    case CAKE_EXPR_INT:
        return cake_resolve_value_type(CAKE_DTYPE_INDEX, 0);
    case CAKE_EXPR_FLOAT:
    case CAKE_EXPR_INF:
    case CAKE_EXPR_NAN:
        return cake_resolve_value_type(CAKE_DTYPE_REAL, 0);
    case CAKE_EXPR_BOOL:
        return cake_resolve_value_type(CAKE_DTYPE_BOOL, 0);
    case CAKE_EXPR_NAME:
        return type_of_name(resolver, expr);
    case CAKE_EXPR_UNARY:
        return type_of_unary(resolver, expr);
    case CAKE_EXPR_BINARY:
        return type_of_binary(resolver, expr);
    case CAKE_EXPR_COMPARE:
        return type_of_compare(resolver, expr);
    case CAKE_EXPR_IN:
        return type_of_in(resolver, expr);
    case CAKE_EXPR_CAST:
        return type_of_cast(resolver, expr);
    case CAKE_EXPR_BITCAST:
        return type_of_bitcast(resolver, expr);
    case CAKE_EXPR_RELAYOUT:
        return type_of_relayout(resolver, expr);
    case CAKE_EXPR_LOAD:
        return cake_resolve_load(resolver, expr);
    case CAKE_EXPR_ATOMIC:
        return cake_resolve_atomic(resolver, expr);
    case CAKE_EXPR_AWAIT:
        return cake_resolve_await(resolver, expr);
    case CAKE_EXPR_INDEX:
        return cake_resolve_index(resolver, expr);
    case CAKE_EXPR_TRANSPOSE:
        return cake_resolve_transpose(resolver, expr);
    case CAKE_EXPR_AGE:
        return cake_resolve_age(resolver, expr);
    case CAKE_EXPR_MEMBER:
        return cake_resolve_member(resolver, expr);
    case CAKE_EXPR_PEER:
        return cake_resolve_peer(resolver, expr);
    case CAKE_EXPR_CALL:
        return cake_resolve_call(resolver, expr);
    }
    return cake_resolve_error();
}

cake_type cake_resolve_type(cake_resolver *resolver, cake_expr *expr) {
    if (!cake_resolve_descend(resolver, expr->span)) return cake_resolve_error();
    expr->type = type_of(resolver, expr);
    cake_resolve_ascend(resolver);
    return expr->type;
}
