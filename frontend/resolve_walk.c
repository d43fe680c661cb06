/* Walks over expressions: binding names, copying the bodies of functions, asking when a value is known. */
#include "frontend/resolve.h"

#include <string.h>

/* ---- children ---- */

static void visit_list(cake_expr_list *list, cake_expr_visit *visit, void *context) {
    for (uint32_t i = 0; i < list->count; i++)
        visit(context, &list->items[i]);
}

static void visit_optional(cake_expr **child, cake_expr_visit *visit, void *context) {
    if (*child) visit(context, child);
}

static void visit_items(cake_expr *expr, cake_expr_visit *visit, void *context) {
    visit(context, &expr->u.index.base);
    for (uint32_t i = 0; i < expr->u.index.items.count; i++) {
        cake_item *item = &expr->u.index.items.items[i];
        visit_optional(&item->base, visit, context);
        visit_optional(&item->length, visit, context);
    }
}

static void visit_clauses(cake_access_clauses *clauses, cake_expr_visit *visit, void *context) {
    visit_optional(&clauses->vec, visit, context);
    visit_optional(&clauses->clip_value, visit, context);
    visit_optional(&clauses->where, visit, context);
}

void cake_resolve_children(cake_expr *expr, cake_expr_visit *visit, void *context) {
    switch (expr->kind) {
    case CAKE_EXPR_INT:
    case CAKE_EXPR_FLOAT:
    case CAKE_EXPR_INF:
    case CAKE_EXPR_NAN:
    case CAKE_EXPR_BOOL:
    case CAKE_EXPR_NAME:
        return;
    case CAKE_EXPR_UNARY:
    case CAKE_EXPR_RELAYOUT:
    case CAKE_EXPR_TRANSPOSE:
        visit(context, &expr->u.unary.operand);
        return;
    case CAKE_EXPR_BINARY:
        visit(context, &expr->u.binary.left);
        visit(context, &expr->u.binary.right);
        return;
    case CAKE_EXPR_COMPARE:
        visit_list(&expr->u.compare.operands, visit, context);
        return;
    case CAKE_EXPR_IN:
        visit(context, &expr->u.in.left);
        visit_list(&expr->u.in.set.items, visit, context);
        return;
    case CAKE_EXPR_CAST:
    case CAKE_EXPR_BITCAST:
        visit(context, &expr->u.cast.operand);
        return;
    case CAKE_EXPR_LOAD:
        visit(context, &expr->u.load.place);
        visit_clauses(&expr->u.load.clauses, visit, context);
        return;
    case CAKE_EXPR_ATOMIC:
        visit(context, &expr->u.atomic.place);
        visit_list(&expr->u.atomic.operands, visit, context);
        visit_optional(&expr->u.atomic.where, visit, context);
        return;
    case CAKE_EXPR_AWAIT:
        visit(context, &expr->u.await.place);
        visit(context, &expr->u.await.until);
        visit_list(&expr->u.await.from, visit, context);
        return;
    case CAKE_EXPR_INDEX:
        visit_items(expr, visit, context);
        return;
    case CAKE_EXPR_AGE:
        visit(context, &expr->u.age.base);
        return;
    case CAKE_EXPR_MEMBER:
        visit(context, &expr->u.member.base);
        return;
    case CAKE_EXPR_PEER:
        visit(context, &expr->u.peer.place);
        visit(context, &expr->u.peer.rank);
        return;
    case CAKE_EXPR_CALL:
        for (uint32_t i = 0; i < expr->u.call.arguments.count; i++)
            visit(context, &expr->u.call.arguments.items[i].value);
        return;
    }
}

bool cake_resolve_descend(cake_resolver *resolver, cake_span span) {
    if (resolver->given_up) return false;
    if (resolver->depth >= CAKE_RESOLVE_MAX_DEPTH) {
        cake_resolve_report(resolver, CAKE_L216, span, "this expression is nested more than %d deep, calls expanded",
                            CAKE_RESOLVE_MAX_DEPTH);
        resolver->given_up = true;
        return false;
    }
    resolver->depth++;
    return true;
}

void cake_resolve_ascend(cake_resolver *resolver) {
    resolver->depth--;
}

/* ---- binding ---- */

static void bind_child(void *context, cake_expr **child) {
    cake_resolve_bind(context, *child);
}

static const char *nearest_builtin(cake_name name) {
    cake_nearest nearest = {.name = name};
    for (cake_builtin builtin = CAKE_BUILTIN_NONE + 1; builtin < CAKE_BUILTIN_END; builtin++)
        cake_resolve_nearest(&nearest, cake_builtin_info_of(builtin)->name);
    return nearest.best;
}

/* False after a report; the call then stays without a function, and its consequences silent. */
static bool limit_arguments(cake_resolver *resolver, cake_expr *call) {
    if (call->u.call.arguments.count <= CAKE_RESOLVE_MAX_ARGUMENTS) return true;
    cake_resolve_report(resolver, CAKE_L225, call->span, "more than %d arguments", CAKE_RESOLVE_MAX_ARGUMENTS);
    call->u.call.arguments.count = CAKE_RESOLVE_MAX_ARGUMENTS;
    call->u.call.builtin = CAKE_BUILTIN_NONE;
    return false;
}

static void bind_function(cake_resolver *resolver, cake_expr *call) {
    cake_name name = call->u.call.function;
    cake_span span = call->u.call.function_span;
    if (!limit_arguments(resolver, call)) return;
    call->u.call.builtin = cake_builtin_find(name);
    if (call->u.call.builtin != CAKE_BUILTIN_NONE || strcmp(name, "im2col") == 0) return;
    const char *builtin = nearest_builtin(name);
    if (builtin && !cake_resolve_find(resolver, CAKE_SPACE_VALUE, name)) {
        cake_diagnostic *diagnostic =
            cake_resolve_report(resolver, CAKE_L201, span, "function '%s' is not declared here", name);
        cake_diagnostic_fix(resolver->diagnostics, diagnostic,
                            cake_arena_format(resolver->arena, "did you mean '%s'?", builtin), span, builtin);
        return;
    }
    cake_symbol *symbol = cake_resolve_lookup(resolver, CAKE_SPACE_VALUE, name, span, "function");
    if (!symbol) return;
    if (symbol->kind == CAKE_SYMBOL_FUNCTION) {
        call->u.call.symbol = symbol;
        return;
    }
    cake_diagnostic *diagnostic = cake_resolve_report(resolver, CAKE_L204, span, "'%s' is %s, not a function", name,
                                                      cake_resolve_kind_text(symbol->kind));
    cake_resolve_declared_note(resolver, diagnostic, symbol);
}

static void bind_name(cake_resolver *resolver, cake_expr *expr) {
    cake_name name = expr->u.name.text;
    cake_symbol *symbol = cake_resolve_find(resolver, CAKE_SPACE_VALUE, name);
    if (!symbol) symbol = cake_resolve_find(resolver, CAKE_SPACE_KERNEL, name);
    if (!symbol) symbol = cake_resolve_lookup(resolver, CAKE_SPACE_VALUE, name, expr->span, "name");
    expr->u.name.symbol = symbol;
}

/* 'it' is in scope in 'until' alone. */
static void bind_await(cake_resolver *resolver, cake_expr *expr) {
    cake_resolve_bind(resolver, expr->u.await.place);
    for (uint32_t i = 0; i < expr->u.await.from.count; i++)
        cake_resolve_bind(resolver, expr->u.await.from.items[i]);
    uint32_t mark = cake_resolve_scope_enter(resolver);
    cake_name it = cake_intern(&resolver->module->names, "it", 2);
    expr->u.await.it = cake_resolve_declare(resolver, CAKE_SYMBOL_IT, it, expr->u.await.until->span);
    cake_resolve_bind(resolver, expr->u.await.until);
    cake_resolve_scope_leave(resolver, mark);
}

void cake_resolve_bind(cake_resolver *resolver, cake_expr *expr) {
    if (!expr || !cake_resolve_descend(resolver, expr->span)) return;
    if (expr->kind == CAKE_EXPR_NAME) bind_name(resolver, expr);
    if (expr->kind == CAKE_EXPR_CALL) bind_function(resolver, expr);
    if (expr->kind == CAKE_EXPR_AWAIT)
        bind_await(resolver, expr);
    else
        cake_resolve_children(expr, bind_child, resolver);
    cake_resolve_ascend(resolver);
}

/* ---- copying ---- */

typedef struct copier {
    cake_resolver *resolver;
    const cake_definition *definition;
    cake_symbol *const *parameters;
    cake_span call;
} copier;

/* Gives a copied node lists of its own. */
static void own_list(cake_arena *arena, cake_expr_list *list) {
    cake_expr **items = CAKE_NEW_ARRAY(arena, cake_expr *, list->count);
    if (list->count) memcpy(items, list->items, list->count * sizeof *items);
    list->items = items;
    list->capacity = list->count;
}

static void own_items(cake_arena *arena, cake_expr *node) {
    uint32_t count = node->u.index.items.count;
    cake_item *items = CAKE_NEW_ARRAY(arena, cake_item, count);
    if (count) memcpy(items, node->u.index.items.items, count * sizeof *items);
    node->u.index.items.items = items;
    node->u.index.items.capacity = count;
}

static void own_arguments(cake_arena *arena, cake_expr *node) {
    uint32_t count = node->u.call.arguments.count;
    cake_argument *items = CAKE_NEW_ARRAY(arena, cake_argument, count);
    if (count) memcpy(items, node->u.call.arguments.items, count * sizeof *items);
    node->u.call.arguments.items = items;
    node->u.call.arguments.capacity = count;
}

static void own_lists(cake_arena *arena, cake_expr *node) {
    if (node->kind == CAKE_EXPR_COMPARE) own_list(arena, &node->u.compare.operands);
    if (node->kind == CAKE_EXPR_IN) own_list(arena, &node->u.in.set.items);
    if (node->kind == CAKE_EXPR_ATOMIC) own_list(arena, &node->u.atomic.operands);
    if (node->kind == CAKE_EXPR_AWAIT) own_list(arena, &node->u.await.from);
    if (node->kind == CAKE_EXPR_INDEX) own_items(arena, node);
    if (node->kind == CAKE_EXPR_CALL) own_arguments(arena, node);
}

static void copy_child(void *context, cake_expr **child) {
    copier *copying = context;
    cake_resolver *resolver = copying->resolver;
    if (!cake_resolve_descend(resolver, copying->call)) return;
    if (++resolver->expansion_nodes > CAKE_MAX_EXPANSION) {
        cake_resolve_report(resolver, CAKE_L216, copying->call, "the calls of functions expand to more than %d nodes",
                            CAKE_MAX_EXPANSION);
        resolver->given_up = true;
        return;
    }
    cake_expr *node = CAKE_NEW(resolver->arena, cake_expr);
    *node = **child;
    *child = node;
    cake_symbol *symbol = node->kind == CAKE_EXPR_NAME ? node->u.name.symbol : NULL;
    if (symbol && symbol->kind == CAKE_SYMBOL_PARAMETER_VALUE && symbol->definition == copying->definition)
        node->u.name.symbol = copying->parameters[symbol->position];
    own_lists(resolver->arena, node);
    cake_resolve_children(node, copy_child, copying);
    cake_resolve_ascend(resolver);
}

cake_expr *cake_resolve_copy(cake_resolver *resolver, const cake_expr *expr, const cake_definition *definition,
                             cake_symbol *const *parameters, cake_span call) {
    copier copying = {resolver, definition, parameters, call};
    cake_expr whole = *expr, *copy = &whole;
    copy_child(&copying, &copy);
    return resolver->given_up ? NULL : copy;
}

/* ---- when a value is known ---- */

typedef struct timing {
    cake_resolver *resolver;
    cake_time time;
    bool needs_tile;
} timing;

static void time_child(void *context, cake_expr **child);

static void time_symbol(timing *known, const cake_symbol *symbol) {
    const cake_symbol_note *note = cake_resolve_note(known->resolver, symbol);
    cake_time time = note->time;
    /* In a contract a tensor's name means its contents at launch. */
    if (symbol->type.kind == CAKE_TYPE_MEMORY && known->resolver->where == CAKE_WHERE_CONTRACT) time = CAKE_TIME_LAUNCH;
    if (time > known->time) known->time = time;
    if (note->needs_tile) known->needs_tile = true;
}

static void time_call(timing *known, cake_expr *expr) {
    if (expr->u.call.expansion && expr->u.call.builtin == CAKE_BUILTIN_NONE) {
        time_child(known, &expr->u.call.expansion);
        if (expr->u.call.expansion_second) time_child(known, &expr->u.call.expansion_second);
        return;
    }
    cake_resolve_children(expr, time_child, known);
}

static void time_child(void *context, cake_expr **child) {
    timing *known = context;
    cake_expr *expr = *child;
    if (!cake_resolve_descend(known->resolver, expr->span)) return;
    if (expr->kind == CAKE_EXPR_LOAD || expr->kind == CAKE_EXPR_ATOMIC || expr->kind == CAKE_EXPR_AWAIT)
        known->time = CAKE_TIME_DEVICE;
    if (expr->kind == CAKE_EXPR_NAME && expr->u.name.symbol) time_symbol(known, expr->u.name.symbol);
    if (expr->kind == CAKE_EXPR_CALL)
        time_call(known, expr);
    else
        cake_resolve_children(expr, time_child, known);
    cake_resolve_ascend(known->resolver);
}

cake_time cake_resolve_time(cake_resolver *resolver, cake_expr *expr, bool *out_needs_tile) {
    timing known = {.resolver = resolver, .time = CAKE_TIME_COMPILE};
    time_child(&known, &expr);
    if (out_needs_tile) *out_needs_tile = known.needs_tile;
    return known.time;
}
