/* Expressions as text with as few parentheses as parse back to the same tree.
 *
 * Two things call for parentheses: an operator that binds looser than its place allows, and a construct that is open at
 * its right edge (load, atomic and cast with their clauses) where the text behind it would be taken for a part of it.
 * The first is a level, the second the set of what follows; both are handed down, 'follow' along the right edge only.
 */
#include "ir/print_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum level {
    LEVEL_IN,
    LEVEL_COMPARE,
    LEVEL_BINARY, /* plus cake_binary_level, 1 .. 6 */
    LEVEL_PREFIX = LEVEL_BINARY + 7,
    LEVEL_POSTFIX
} level;

static void print(cake_text *out, const cake_expr *expr, int lowest, unsigned follow);

static int level_of(const cake_expr *expr) {
    switch (expr->kind) {
    case CAKE_EXPR_IN:
        return LEVEL_IN;
    case CAKE_EXPR_COMPARE:
        return LEVEL_COMPARE;
    case CAKE_EXPR_BINARY:
        return LEVEL_BINARY + cake_binary_level(expr->u.binary.op);
    case CAKE_EXPR_UNARY:
    case CAKE_EXPR_CAST:
    case CAKE_EXPR_BITCAST:
    case CAKE_EXPR_RELAYOUT:
    case CAKE_EXPR_LOAD:
    case CAKE_EXPR_ATOMIC:
    case CAKE_EXPR_AWAIT:
        return LEVEL_PREFIX;
    case CAKE_EXPR_INT:
    case CAKE_EXPR_FLOAT:
    case CAKE_EXPR_INF:
    case CAKE_EXPR_NAN:
    case CAKE_EXPR_BOOL:
    case CAKE_EXPR_NAME:
    case CAKE_EXPR_INDEX:
    case CAKE_EXPR_TRANSPOSE:
    case CAKE_EXPR_AGE:
    case CAKE_EXPR_MEMBER:
    case CAKE_EXPR_PEER:
    case CAKE_EXPR_CALL:
        return LEVEL_POSTFIX;
    }
    return LEVEL_POSTFIX;
}

static unsigned atomic_clause_bits(const cake_expr *expr) {
    return (expr->u.atomic.where ? CAKE_FOLLOW_WHERE : 0) |
           (expr->u.atomic.scope != CAKE_SCOPE_DEFAULT ? CAKE_FOLLOW_SCOPE : 0) |
           (expr->u.atomic.order != CAKE_ORDER_RELAXED ? CAKE_FOLLOW_ORDER : 0);
}

/* What this construct itself takes in if it stands right behind it. */
static unsigned captured(const cake_expr *expr) {
    if (expr->kind == CAKE_EXPR_LOAD) return CAKE_FOLLOW_VEC | CAKE_FOLLOW_CLIP | CAKE_FOLLOW_WHERE | CAKE_FOLLOW_CACHE;
    if (expr->kind == CAKE_EXPR_CAST) return CAKE_FOLLOW_CAST;
    if (expr->kind != CAKE_EXPR_ATOMIC) return 0;
    bool ends_in_operand = expr->u.atomic.operands.count > 0 && atomic_clause_bits(expr) == 0;
    return CAKE_FOLLOW_WHERE | CAKE_FOLLOW_SCOPE | CAKE_FOLLOW_ORDER | (ends_in_operand ? CAKE_FOLLOW_OPERATOR : 0);
}

/* ---- leaves ---- */

/* The shortest decimal that reads back as the same double, written as a float. */
static void print_float(cake_text *out, double value) {
    char digits[64];
    for (int precision = 1; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value) break;
    }
    cake_text_add_string(out, digits);
    if (!strpbrk(digits, ".e")) cake_text_add_string(out, ".0");
}

/* A literal or a name. */
static void print_leaf(cake_text *out, const cake_expr *expr) {
    if (expr->kind == CAKE_EXPR_INT)
        cake_text_format(out, expr->u.integer.hexadecimal ? "0x%" PRIX64 : "%" PRIu64, expr->u.integer.value);
    else if (expr->kind == CAKE_EXPR_FLOAT)
        print_float(out, expr->u.real);
    else if (expr->kind == CAKE_EXPR_BOOL)
        cake_text_add_string(out, expr->u.boolean ? "true" : "false");
    else if (expr->kind == CAKE_EXPR_NAME)
        cake_text_add_string(out, expr->u.name.text);
    else
        cake_text_add_string(out, expr->kind == CAKE_EXPR_INF ? "inf" : "nan");
}

static void print_modifiers(cake_text *out, uint8_t modifiers) {
    if (modifiers & CAKE_MODIFIER_APPROX) cake_text_add_string(out, ".approx");
    if (modifiers & CAKE_MODIFIER_FTZ) cake_text_add_string(out, ".ftz");
    if (modifiers & CAKE_MODIFIER_NAN) cake_text_add_string(out, ".nan");
}

/* ---- lists in brackets ---- */

void cake_print_exprs(cake_text *out, const cake_expr_list *list) {
    for (uint32_t i = 0; i < list->count; i++) {
        cake_text_add_string(out, i == 0 ? "" : ", ");
        print(out, list->items[i], LEVEL_IN, 0);
    }
}

void cake_print_set(cake_text *out, const cake_set *set, unsigned follow) {
    if (set->is_range) {
        print(out, set->items.items[0], LEVEL_IN, 0);
        cake_text_add_string(out, " .. ");
        print(out, set->items.items[1], LEVEL_IN, follow);
        return;
    }
    cake_text_add_string(out, "{");
    cake_print_exprs(out, &set->items);
    cake_text_add_string(out, "}");
}

static void print_item(cake_text *out, const cake_item *item) {
    switch (item->kind) {
    case CAKE_ITEM_ALL:
        cake_text_add_string(out, ":");
        break;
    case CAKE_ITEM_NONE:
        cake_text_add_string(out, "None");
        break;
    case CAKE_ITEM_ONE:
        print(out, item->base, LEVEL_IN, 0);
        break;
    case CAKE_ITEM_RANGE:
        print(out, item->base, LEVEL_IN, 0);
        cake_text_add_string(out, " :+ ");
        print(out, item->length, LEVEL_IN, 0);
        break;
    }
}

static void print_index(cake_text *out, const cake_expr *expr) {
    print(out, expr->u.index.base, LEVEL_POSTFIX, 0);
    cake_text_add_string(out, "[");
    for (uint32_t i = 0; i < expr->u.index.items.count; i++) {
        cake_text_add_string(out, i == 0 ? "" : ", ");
        print_item(out, &expr->u.index.items.items[i]);
    }
    cake_text_add_string(out, "]");
}

/* base.T, base@n, base.name */
static void print_suffixed(cake_text *out, const cake_expr *expr) {
    if (expr->kind == CAKE_EXPR_TRANSPOSE) {
        print(out, expr->u.unary.operand, LEVEL_POSTFIX, 0);
        cake_text_add_string(out, ".T");
    } else if (expr->kind == CAKE_EXPR_AGE) {
        print(out, expr->u.age.base, LEVEL_POSTFIX, 0);
        cake_text_format(out, "@%" PRIu32, expr->u.age.age);
    } else {
        print(out, expr->u.member.base, LEVEL_POSTFIX, 0);
        cake_text_format(out, ".%s", expr->u.member.name);
    }
}

static void print_peer(cake_text *out, const cake_expr *expr) {
    cake_text_add_string(out, "peer(");
    print(out, expr->u.peer.place, LEVEL_POSTFIX, 0);
    cake_text_add_string(out, ", ");
    print(out, expr->u.peer.rank, LEVEL_IN, 0);
    cake_text_add_string(out, ")");
}

static void print_call(cake_text *out, const cake_expr *expr) {
    cake_text_add_string(out, expr->u.call.function);
    print_modifiers(out, expr->u.call.modifiers);
    cake_text_add_string(out, "(");
    for (uint32_t i = 0; i < expr->u.call.arguments.count; i++) {
        const cake_argument *argument = &expr->u.call.arguments.items[i];
        cake_text_add_string(out, i == 0 ? "" : ", ");
        if (argument->keyword) cake_text_format(out, "%s=", argument->keyword);
        print(out, argument->value, LEVEL_IN, 0);
        if (argument->within != CAKE_WITHIN_TEAM)
            cake_text_add_string(out, argument->within == CAKE_WITHIN_LANE ? " within lane" : " within warp");
        if (argument->over.count > 0) cake_text_add_string(out, " over ");
        cake_print_exprs(out, &argument->over);
    }
    cake_text_add_string(out, ")");
}

/* ---- accesses ---- */

unsigned cake_print_clause_bits(const cake_access_clauses *clauses) {
    return (clauses->vec ? CAKE_FOLLOW_VEC : 0) | (clauses->clip ? CAKE_FOLLOW_CLIP : 0) |
           (clauses->where ? CAKE_FOLLOW_WHERE : 0) | (clauses->cache ? CAKE_FOLLOW_CACHE : 0);
}

void cake_print_clauses(cake_text *out, const cake_access_clauses *clauses, unsigned follow) {
    unsigned left = cake_print_clause_bits(clauses);
    if (clauses->vec) {
        left &= ~CAKE_FOLLOW_VEC;
        cake_text_add_string(out, " vec ");
        cake_print_prefix(out, clauses->vec, left ? left : follow);
    }
    if (clauses->clip) {
        left &= ~CAKE_FOLLOW_CLIP;
        cake_text_add_string(out, clauses->clip_value ? " clip " : " clip");
        if (clauses->clip_value) cake_print_prefix(out, clauses->clip_value, left ? left : follow);
    }
    if (clauses->where) {
        left &= ~CAKE_FOLLOW_WHERE;
        cake_text_add_string(out, " where ");
        cake_print_prefix(out, clauses->where, left ? left : follow);
    }
    if (clauses->cache) cake_text_format(out, " cache %s", clauses->cache);
}

static void print_load(cake_text *out, const cake_expr *expr, unsigned follow) {
    cake_text_add_string(out, "load ");
    print(out, expr->u.load.place, LEVEL_POSTFIX, 0);
    cake_print_clauses(out, &expr->u.load.clauses, follow);
}

static void print_atomic(cake_text *out, const cake_expr *expr, unsigned follow) {
    static const char *const scopes[] = {"", " scope cta", " scope gpu", " scope sys"};
    static const char *const orders[] = {"", " order acquire", " order release", " order acq_rel"};
    unsigned clauses = atomic_clause_bits(expr), last = expr->u.atomic.operands.count;
    cake_text_format(out, "atomic.%s ", cake_atomic_name(expr->u.atomic.op));
    print(out, expr->u.atomic.place, LEVEL_POSTFIX, 0);
    for (uint32_t i = 0; i < last; i++) {
        cake_text_add_string(out, i == 0 ? " <- " : ", ");
        print(out, expr->u.atomic.operands.items[i], LEVEL_IN, i + 1 < last ? 0 : clauses ? clauses : follow);
    }
    if (expr->u.atomic.where) {
        clauses &= ~CAKE_FOLLOW_WHERE;
        cake_text_add_string(out, " where ");
        cake_print_prefix(out, expr->u.atomic.where, clauses ? clauses : follow);
    }
    cake_text_add_string(out, scopes[expr->u.atomic.scope]);
    cake_text_add_string(out, orders[expr->u.atomic.order]);
}

static void print_await(cake_text *out, const cake_expr *expr) {
    cake_text_add_string(out, "await ");
    print(out, expr->u.await.place, LEVEL_POSTFIX, 0);
    cake_text_add_string(out, " until ");
    print(out, expr->u.await.until, LEVEL_IN, 0);
    cake_text_add_string(out, " from (");
    cake_print_exprs(out, &expr->u.await.from);
    cake_text_add_string(out, ")");
}

/* ---- operators ---- */

static void print_cast(cake_text *out, const cake_expr *expr, unsigned follow) {
    bool has_clauses = expr->u.cast.saturate || expr->u.cast.rounding != CAKE_ROUND_NEAREST_EVEN;
    cake_text_format(out, "%s %s ", expr->kind == CAKE_EXPR_CAST ? "cast" : "bitcast",
                     cake_dtype_name(expr->u.cast.dtype));
    print(out, expr->u.cast.operand, LEVEL_PREFIX, has_clauses ? CAKE_FOLLOW_CAST : follow);
    cake_text_add_string(out, expr->u.cast.saturate ? " sat" : "");
    cake_text_add_string(out, expr->u.cast.rounding == CAKE_ROUND_TOWARD_ZERO ? " round rz" : "");
}

static void print_binary(cake_text *out, const cake_expr *expr, unsigned follow) {
    int own = level_of(expr);
    print(out, expr->u.binary.left, own, CAKE_FOLLOW_OPERATOR);
    cake_text_format(out, " %s ", cake_binary_name(expr->u.binary.op));
    print(out, expr->u.binary.right, own + 1, follow);
}

/* Chains of two and more comparisons allow no bare bit operators. */
static void print_compare(cake_text *out, const cake_expr *expr, unsigned follow) {
    uint32_t count = expr->u.compare.ops.count;
    int lowest = LEVEL_BINARY + (count > 1 ? cake_binary_level(CAKE_BINARY_SHL) : cake_binary_level(CAKE_BINARY_OR));
    for (uint32_t i = 0; i <= count; i++) {
        if (i > 0) cake_text_format(out, " %s ", cake_binary_name(expr->u.compare.ops.items[i - 1]));
        print(out, expr->u.compare.operands.items[i], lowest, i < count ? CAKE_FOLLOW_OPERATOR : follow);
    }
}

static void print_in(cake_text *out, const cake_expr *expr, unsigned follow) {
    print(out, expr->u.in.left, LEVEL_COMPARE, CAKE_FOLLOW_OPERATOR);
    cake_text_add_string(out, " in ");
    cake_print_set(out, &expr->u.in.set, follow);
}

static void print_unary(cake_text *out, const cake_expr *expr, unsigned follow) {
    cake_text_add_string(out, expr->kind == CAKE_EXPR_RELAYOUT ? "relayout " : cake_unary_name(expr->u.unary.op));
    print(out, expr->u.unary.operand, LEVEL_PREFIX, follow);
}

static void print_bare(cake_text *out, const cake_expr *expr, unsigned follow) {
    switch (expr->kind) {
    case CAKE_EXPR_INT:
    case CAKE_EXPR_FLOAT:
    case CAKE_EXPR_INF:
    case CAKE_EXPR_NAN:
    case CAKE_EXPR_BOOL:
    case CAKE_EXPR_NAME:
        print_leaf(out, expr);
        break;
    case CAKE_EXPR_UNARY:
    case CAKE_EXPR_RELAYOUT:
        print_unary(out, expr, follow);
        break;
    case CAKE_EXPR_BINARY:
        print_binary(out, expr, follow);
        break;
    case CAKE_EXPR_COMPARE:
        print_compare(out, expr, follow);
        break;
    case CAKE_EXPR_IN:
        print_in(out, expr, follow);
        break;
    case CAKE_EXPR_CAST:
    case CAKE_EXPR_BITCAST:
        print_cast(out, expr, follow);
        break;
    case CAKE_EXPR_LOAD:
        print_load(out, expr, follow);
        break;
    case CAKE_EXPR_ATOMIC:
        print_atomic(out, expr, follow);
        break;
    case CAKE_EXPR_AWAIT:
        print_await(out, expr);
        break;
    case CAKE_EXPR_INDEX:
        print_index(out, expr);
        break;
    case CAKE_EXPR_TRANSPOSE:
    case CAKE_EXPR_AGE:
    case CAKE_EXPR_MEMBER:
        print_suffixed(out, expr);
        break;
    case CAKE_EXPR_PEER:
        print_peer(out, expr);
        break;
    case CAKE_EXPR_CALL:
        print_call(out, expr);
        break;
    }
}

static void print(cake_text *out, const cake_expr *expr, int lowest, unsigned follow) {
    bool grouped = level_of(expr) < lowest || (captured(expr) & follow) != 0;
    if (grouped) cake_text_add_string(out, "(");
    print_bare(out, expr, grouped ? 0 : follow);
    if (grouped) cake_text_add_string(out, ")");
}

void cake_print_expr(cake_text *out, const cake_expr *expr, unsigned follow) {
    print(out, expr, LEVEL_IN, follow);
}

void cake_print_prefix(cake_text *out, const cake_expr *expr, unsigned follow) {
    print(out, expr, LEVEL_PREFIX, follow);
}

void cake_expr_print(const cake_expr *expr, cake_text *out) {
    print(out, expr, LEVEL_IN, 0);
}
