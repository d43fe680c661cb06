/* Functions and folds. sum(x over k) and its like take one argument and name the indices they run over; min and max are
 * folds with 'over' and elementwise functions of two numbers without. */
#include "oracle/reader.h"

#include <string.h>

typedef struct fold_row {
    const char *name;
    cake_fold fold;
} fold_row;

static const fold_row folds[] = {
    {"sum", CAKE_FOLD_SUM}, {"prod", CAKE_FOLD_PROD},     {"max", CAKE_FOLD_MAX},
    {"min", CAKE_FOLD_MIN}, {"argmax", CAKE_FOLD_ARGMAX}, {"argmin", CAKE_FOLD_ARGMIN},
    {"any", CAKE_FOLD_ANY}, {"all", CAKE_FOLD_ALL},       {"count", CAKE_FOLD_COUNT},
};

static const fold_row *fold_find(const char *name) {
    for (size_t i = 0; i < sizeof folds / sizeof *folds; i++)
        if (strcmp(folds[i].name, name) == 0) return &folds[i];
    return NULL;
}

/* ---- folds ---- */

static const cake_node *resolve_bound(cake_reader *reader, const cake_expr *expr) {
    const cake_node *node = cake_reader_resolve(reader, expr);
    if (node && node->class != CAKE_NODE_INTEGER) {
        cake_report(reader->diagnostics, CAKE_W108, expr->span, "a bound must be an integer");
        return NULL;
    }
    return node;
}

bool cake_reader_binder(cake_reader *reader, const cake_expr *expr, cake_binder *binder) {
    bool ranged = expr->kind == CAKE_EXPR_IN && expr->u.in.set.is_range && expr->u.in.set.items.count == 2;
    const cake_expr *name = ranged ? expr->u.in.left : expr;
    if (name->kind != CAKE_EXPR_NAME) {
        cake_report(reader->diagnostics, CAKE_W105, expr->span, "an index name is wanted here: k, or k in a .. b");
        return false;
    }
    binder->name = name->u.name.text;
    binder->span = name->span;
    if (ranged) {
        binder->from = resolve_bound(reader, expr->u.in.set.items.items[0]);
        binder->to = resolve_bound(reader, expr->u.in.set.items.items[1]);
        if (!binder->from || !binder->to) return false;
    }
    return cake_reader_bind(reader, binder);
}

static const cake_node *without_casts(const cake_node *node) {
    while (node->kind == CAKE_NODE_CAST)
        node = node->operands.items[0];
    return node;
}

static bool is_narrow_element(const cake_node *node) {
    node = without_casts(node);
    return node->kind == CAKE_NODE_ELEMENT && (node->dtype == CAKE_DTYPE_E4M3 || node->dtype == CAKE_DTYPE_E5M2);
}

static bool is_narrow_product(const cake_node *node) {
    return node->kind == CAKE_NODE_BINARY && node->u.binary == CAKE_BINARY_MUL &&
           is_narrow_element(node->operands.items[0]) && is_narrow_element(node->operands.items[1]);
}

/* The class of a fold's value; false if its terms do not fit (reported). */
static bool fold_class(cake_reader *reader, cake_fold fold, const cake_node *body, cake_node_class *out_class) {
    bool conditions = fold == CAKE_FOLD_ANY || fold == CAKE_FOLD_ALL || fold == CAKE_FOLD_COUNT;
    if (!cake_reader_require_class(reader, body, conditions, "what is folded")) return false;
    bool index = fold == CAKE_FOLD_ARGMAX || fold == CAKE_FOLD_ARGMIN || fold == CAKE_FOLD_COUNT;
    *out_class = index ? CAKE_NODE_INTEGER : body->class;
    return true;
}

static void add_free(cake_reader *reader, cake_node *fold, const cake_binder_list *bound, uint32_t slot) {
    for (uint32_t i = 0; i < bound->count; i++)
        if (bound->items[i].slot == slot) return;
    for (uint32_t i = 0; i < fold->u.reduce.free.count; i++)
        if (fold->u.reduce.free.items[i] == slot) return;
    *CAKE_PUSH(reader->arena, &fold->u.reduce.free) = slot;
}

/* Adds the slots of outer names that a tree uses; inner folds have theirs collected. */
static void collect_free(cake_reader *reader, cake_node *fold, const cake_binder_list *bound, const cake_node *tree) {
    if (!tree) return;
    if (tree->kind == CAKE_NODE_VARIABLE) add_free(reader, fold, bound, tree->number);
    if (tree->kind == CAKE_NODE_REDUCE) {
        for (uint32_t i = 0; i < tree->u.reduce.free.count; i++)
            add_free(reader, fold, bound, tree->u.reduce.free.items[i]);
        return;
    }
    for (uint32_t i = 0; i < tree->operands.count; i++)
        collect_free(reader, fold, bound, tree->operands.items[i]);
}

static const cake_node *finish_fold(cake_reader *reader, const cake_expr *expr, cake_fold fold, const cake_node *body,
                                    cake_binder_list binders) {
    cake_node_class class;
    for (uint32_t i = 0; i < binders.count; i++)
        if (!cake_reader_require_range(reader, &binders.items[i])) return NULL;
    if (!fold_class(reader, fold, body, &class)) return NULL;
    if ((fold == CAKE_FOLD_ARGMAX || fold == CAKE_FOLD_ARGMIN) && binders.count != 1) {
        cake_report(reader->diagnostics, CAKE_W106, expr->span, "argmax and argmin run over one index name");
        return NULL;
    }
    cake_node *node = cake_node_new(reader, CAKE_NODE_REDUCE, class, expr->span);
    cake_node_add(reader, node, body);
    cake_node_enter(reader, node, body);
    for (uint32_t i = 0; i < binders.count; i++) {
        if (binders.items[i].from) cake_node_enter(reader, node, binders.items[i].from);
        cake_node_enter(reader, node, binders.items[i].to);
    }
    node->reduces = true;
    node->u.reduce.fold = fold;
    collect_free(reader, node, &binders, body);
    for (uint32_t i = 0; i < binders.count; i++) {
        collect_free(reader, node, &binders, binders.items[i].from);
        collect_free(reader, node, &binders, binders.items[i].to);
    }
    node->u.reduce.binders = binders;
    node->u.reduce.keep_nan = (expr->u.call.modifiers & CAKE_MODIFIER_NAN) != 0;
    node->u.reduce.narrow_terms = fold == CAKE_FOLD_SUM && is_narrow_product(body);
    return node;
}

static const cake_node *resolve_fold(cake_reader *reader, const cake_expr *expr, cake_fold fold) {
    const cake_argument *argument = &expr->u.call.arguments.items[0];
    uint32_t scope = reader->scope.count;
    cake_binder_list binders = {CAKE_NEW_ARRAY(reader->arena, cake_binder, argument->over.count), 0, 0};
    const cake_node *body = NULL;
    while (binders.count < argument->over.count &&
           cake_reader_binder(reader, argument->over.items[binders.count], &binders.items[binders.count]))
        binders.count++;
    if (binders.count == argument->over.count) body = cake_reader_resolve(reader, argument->value);
    cake_reader_unbind(reader, scope);
    return body ? finish_fold(reader, expr, fold, body, binders) : NULL;
}

/* ---- elementwise functions ---- */

static bool is_integer_function(cake_builtin builtin) {
    return builtin == CAKE_BUILTIN_CDIV || builtin == CAKE_BUILTIN_CEILTO || builtin == CAKE_BUILTIN_ISPOW2 ||
           builtin == CAKE_BUILTIN_POPC || builtin == CAKE_BUILTIN_CLZ;
}

/* Functions that give an integer for integers. */
static bool keeps_class(cake_builtin builtin) {
    return builtin == CAKE_BUILTIN_MIN || builtin == CAKE_BUILTIN_MAX || builtin == CAKE_BUILTIN_FMA ||
           builtin == CAKE_BUILTIN_ABS || builtin == CAKE_BUILTIN_FLOOR || builtin == CAKE_BUILTIN_CEIL ||
           builtin == CAKE_BUILTIN_ROUND || builtin == CAKE_BUILTIN_SELECT;
}

/* The operands' class: BOOL if all of those from 'first' are conditions, REAL if one is real. */
static bool common_class(cake_reader *reader, const cake_node *node, uint32_t first, cake_node_class *out_class) {
    bool condition = node->operands.items[first]->class == CAKE_NODE_BOOL;
    *out_class = condition ? CAKE_NODE_BOOL : CAKE_NODE_INTEGER;
    for (uint32_t i = first; i < node->operands.count; i++) {
        const cake_node *operand = node->operands.items[i];
        if (!cake_reader_require_class(reader, operand, condition, "an argument")) return false;
        if (operand->class == CAKE_NODE_REAL) *out_class = CAKE_NODE_REAL;
    }
    return true;
}

static bool function_class(cake_reader *reader, cake_node *node, const char *name) {
    cake_builtin builtin = node->u.function.builtin;
    bool select = builtin == CAKE_BUILTIN_SELECT;
    if (select && !cake_reader_require_class(reader, node->operands.items[0], true, "the first argument of 'select'"))
        return false;
    cake_node_class class;
    if (!common_class(reader, node, select ? 1 : 0, &class)) return false;
    if (class == CAKE_NODE_BOOL && !select)
        return cake_reader_require_class(reader, node->operands.items[0], false, "an argument");
    if (is_integer_function(builtin) && class != CAKE_NODE_INTEGER) {
        cake_report(reader->diagnostics, CAKE_W108, node->span, "'%s' takes integers", name);
        return false;
    }
    if (builtin == CAKE_BUILTIN_CLZ && node->operands.items[0]->dtype == CAKE_DTYPE_NONE) {
        cake_report(reader->diagnostics, CAKE_W108, node->span, "'clz' needs an element or a cast, to know its width");
        return false;
    }
    node->class = builtin == CAKE_BUILTIN_ISPOW2                         ? CAKE_NODE_BOOL
                  : is_integer_function(builtin) || keeps_class(builtin) ? class
                                                                         : CAKE_NODE_REAL;
    return true;
}

static const cake_node *resolve_function(cake_reader *reader, const cake_expr *expr, cake_builtin builtin) {
    cake_node *node = cake_node_new(reader, CAKE_NODE_FUNCTION, CAKE_NODE_REAL, expr->span);
    node->u.function.builtin = builtin;
    node->u.function.modifiers = expr->u.call.modifiers;
    for (uint32_t i = 0; i < expr->u.call.arguments.count; i++) {
        const cake_node *operand = cake_reader_resolve(reader, expr->u.call.arguments.items[i].value);
        if (!operand) return NULL;
        cake_node_add(reader, node, operand);
    }
    return function_class(reader, node, expr->u.call.function) ? node : NULL;
}

/* How many arguments an elementwise call of the function has; false when it has none (reported). */
static bool check_arguments(cake_reader *reader, const cake_expr *expr, cake_builtin builtin) {
    const cake_builtin_info *info = cake_builtin_info_of(builtin);
    uint32_t count = expr->u.call.arguments.count;
    bool both = builtin == CAKE_BUILTIN_MIN || builtin == CAKE_BUILTIN_MAX;
    uint32_t low = both ? 2 : info->min_args, high = both ? 2 : info->max_args;
    for (uint32_t i = 0; i < count; i++) {
        const cake_argument *argument = &expr->u.call.arguments.items[i];
        if (argument->keyword || argument->within != CAKE_WITHIN_TEAM || argument->over.count) {
            cake_reader_unavailable(reader, argument->value->span, "'axis=', 'within' or this 'over'");
            return false;
        }
    }
    if (count >= low && count <= high) return true;
    if (fold_find(expr->u.call.function) && count == 1)
        cake_report(reader->diagnostics, CAKE_W107, expr->span, "name what '%s' folds: %s(.. over k)",
                    expr->u.call.function, expr->u.call.function);
    else
        cake_report(reader->diagnostics, CAKE_W106, expr->span, "'%s' does not take %u arguments",
                    expr->u.call.function, count);
    return false;
}

const cake_node *cake_reader_resolve_call(cake_reader *reader, const cake_expr *expr) {
    const char *name = expr->u.call.function;
    const fold_row *fold = fold_find(name);
    cake_builtin builtin = cake_builtin_find(name);
    uint32_t count = expr->u.call.arguments.count;
    if (fold && count == 1 && expr->u.call.arguments.items[0].over.count && !expr->u.call.arguments.items[0].keyword &&
        expr->u.call.arguments.items[0].within == CAKE_WITHIN_TEAM)
        return resolve_fold(reader, expr, fold->fold);
    if (builtin == CAKE_BUILTIN_NONE && !fold) {
        cake_report(reader->diagnostics, CAKE_W104, expr->u.call.function_span, "there is no function '%s'", name);
        return NULL;
    }
    bool only_fold = fold && builtin != CAKE_BUILTIN_MIN && builtin != CAKE_BUILTIN_MAX;
    if (only_fold) {
        cake_report(reader->diagnostics, CAKE_W107, expr->span, "name what '%s' folds: %s(.. over k)", name, name);
        return NULL;
    }
    cake_builtin_kind kind = cake_builtin_info_of(builtin)->kind;
    if (kind == CAKE_BUILTIN_KIND_SHAPE || kind == CAKE_BUILTIN_KIND_COMBINE || kind == CAKE_BUILTIN_KIND_DATA)
        return cake_reader_unavailable(reader, expr->span, "a function of tiles");
    return check_arguments(reader, expr, builtin) ? resolve_function(reader, expr, builtin) : NULL;
}
