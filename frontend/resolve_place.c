/* Places in memory, and the expressions that read them. */
#include "frontend/resolve.h"

#include <string.h>

/* ---- what a place is part of ---- */

cake_symbol *cake_resolve_root(const cake_expr *place) {
    for (;;) {
        switch (place->kind) {
        case CAKE_EXPR_NAME:
            return place->u.name.symbol;
        case CAKE_EXPR_INDEX:
            place = place->u.index.base;
            break;
        case CAKE_EXPR_TRANSPOSE:
            place = place->u.unary.operand;
            break;
        case CAKE_EXPR_AGE:
            place = place->u.age.base;
            break;
        case CAKE_EXPR_PEER:
            place = place->u.peer.place;
            break;
        case CAKE_EXPR_INT:
        case CAKE_EXPR_FLOAT:
        case CAKE_EXPR_INF:
        case CAKE_EXPR_NAN:
        case CAKE_EXPR_BOOL:
        case CAKE_EXPR_UNARY:
        case CAKE_EXPR_BINARY:
        case CAKE_EXPR_COMPARE:
        case CAKE_EXPR_IN:
        case CAKE_EXPR_CAST:
        case CAKE_EXPR_BITCAST:
        case CAKE_EXPR_RELAYOUT:
        case CAKE_EXPR_LOAD:
        case CAKE_EXPR_ATOMIC:
        case CAKE_EXPR_AWAIT:
        case CAKE_EXPR_MEMBER:
        case CAKE_EXPR_CALL:
            return NULL;
        }
    }
}

static bool is_im2col(const cake_symbol *symbol) {
    return symbol->kind == CAKE_SYMBOL_VIEW && symbol->view->value->kind == CAKE_EXPR_CALL;
}

cake_symbol *cake_resolve_memory(cake_symbol *symbol) {
    if (!symbol || symbol->kind != CAKE_SYMBOL_VIEW) return symbol;
    const cake_expr *value = symbol->view->value;
    if (is_im2col(symbol)) value = value->u.call.arguments.items[0].value;
    return cake_resolve_root(value);
}

/* ---- who may access what ---- */

static bool is_consumer(const cake_pipeline *pipeline, const cake_role *role) {
    for (uint32_t i = 0; i < pipeline->consumers.count; i++) {
        if (pipeline->consumers.items[i].symbol == role->symbol) return true;
    }
    return false;
}

static bool may_access_buffer(cake_resolver *resolver, const cake_expr *place, const cake_symbol *symbol,
                              cake_access access) {
    const cake_pipeline *pipeline = symbol->buffer->pipeline;
    if (!pipeline || !resolver->role || !pipeline->producer.symbol) return true;
    bool produces = pipeline->producer.symbol == resolver->role->symbol;
    if (produces || (access != CAKE_ACCESS_WRITE && is_consumer(pipeline, resolver->role))) return true;
    const char *name = resolver->role->name;
    cake_diagnostic *diagnostic;
    if (access == CAKE_ACCESS_WRITE)
        diagnostic = cake_resolve_report(resolver, CAKE_L212, place->span,
                                         "'%s' is a buffer of '%s', which only role '%s' fills; this is role '%s'",
                                         symbol->name, pipeline->name, pipeline->producer.name, name);
    else
        diagnostic = cake_resolve_report(resolver, CAKE_L212, place->span,
                                         "'%s' is a buffer of '%s', which role '%s' neither fills nor reads",
                                         symbol->name, pipeline->name, name);
    cake_diagnostic_note(resolver->diagnostics, diagnostic, pipeline->span, "the pipeline is declared here");
    return false;
}

static bool may_access_tensor(cake_resolver *resolver, const cake_expr *place, const cake_symbol *symbol,
                              cake_access access) {
    bool read_only = symbol->parameter->mode == CAKE_PARAMETER_IN;
    if (access == CAKE_ACCESS_WRITE && read_only) {
        cake_diagnostic *diagnostic =
            cake_resolve_report(resolver, CAKE_L213, place->span,
                                "'%s' is read-only: it is declared without 'out' or 'inout'", symbol->name);
        cake_resolve_declared_note(resolver, diagnostic, symbol);
        cake_span start = {symbol->parameter->span.begin, symbol->parameter->span.begin};
        cake_diagnostic_fix(resolver->diagnostics, diagnostic, "declare it 'inout'", start, "inout ");
        return false;
    }
    if (resolver->where != CAKE_WHERE_DEFINITION || read_only) return true;
    cake_diagnostic *diagnostic =
        cake_resolve_report(resolver, CAKE_L217, place->span,
                            "a 'let' outside roles reads only read-only tensors, and '%s' is written", symbol->name);
    cake_resolve_declared_note(resolver, diagnostic, symbol);
    return false;
}

bool cake_resolve_may_access(cake_resolver *resolver, const cake_expr *place, cake_access access) {
    cake_symbol *named = cake_resolve_root(place);
    cake_symbol *symbol = cake_resolve_memory(named);
    if (!symbol) return true;
    if (is_im2col(named) && access != CAKE_ACCESS_COPY) {
        cake_resolve_report(resolver, CAKE_L204, place->span, "'%s' is an im2col view: only 'tma.load' reads it",
                            named->name);
        return false;
    }
    if (symbol->kind == CAKE_SYMBOL_TENSOR) return may_access_tensor(resolver, place, symbol, access);
    if (symbol->kind != CAKE_SYMBOL_BUFFER) return true;
    if (resolver->where == CAKE_WHERE_DEFINITION) {
        cake_resolve_report(resolver, CAKE_L217, place->span,
                            "a 'let' outside roles reads only read-only tensors, and '%s' is a buffer", symbol->name);
        return false;
    }
    return may_access_buffer(resolver, place, symbol, access);
}

cake_type cake_resolve_place(cake_resolver *resolver, cake_expr *place, cake_access access) {
    cake_type type = cake_resolve_type(resolver, place);
    switch (type.kind) {
    case CAKE_TYPE_ERROR:
        return type;
    case CAKE_TYPE_MEMORY:
        return cake_resolve_may_access(resolver, place, access) ? type : cake_resolve_error();
    case CAKE_TYPE_VALUE:
    case CAKE_TYPE_OBJECT:
        break;
    }
    cake_diagnostic *diagnostic =
        cake_resolve_report(resolver, CAKE_L306, place->span, "a place in memory is needed, and this is %s",
                            cake_resolve_type_text(resolver, type));
    const cake_symbol *symbol = cake_resolve_root(place);
    if (symbol) cake_resolve_declared_note(resolver, diagnostic, symbol);
    return cake_resolve_error();
}

/* ---- indices ---- */

/* What the items of an index have made of the dimensions so far. */
typedef struct indexing {
    uint32_t consumed; /* dimensions of the base */
    uint32_t kept;     /* dimensions of the result without gathers */
    uint32_t gathered; /* rank of the tiles that index */
    bool failed;
} indexing;

static void index_one(cake_resolver *resolver, cake_item *item, bool is_tile, indexing *state) {
    if (is_tile) {
        cake_resolve_report(resolver, CAKE_L309, item->span,
                            "a tile in registers is sliced with constant bounds (':', 'base :+ length'), not indexed: "
                            "go through shared memory");
        (void)cake_resolve_type(resolver, item->base);
        state->failed = true;
        return;
    }
    cake_type type = cake_resolve_value(resolver, item->base);
    if (cake_resolve_is_error(type)) {
        state->failed = true;
    } else if (!cake_resolve_is_integer(type.dtype)) {
        cake_resolve_report(resolver, CAKE_L302, item->span, "an index is an integer, and this is %s",
                            cake_resolve_type_text(resolver, type));
        state->failed = true;
    } else if (type.rank > 0 && state->gathered > 0 && state->gathered != type.rank) {
        cake_resolve_report(resolver, CAKE_L303, item->span,
                            "the tiles that index do not broadcast: an earlier one has rank %u, this one %u",
                            state->gathered, type.rank);
        state->failed = true;
    } else if (type.rank > 0) {
        state->gathered = type.rank;
    }
}

static void index_range(cake_resolver *resolver, cake_item *item, bool is_tile, indexing *state) {
    bool base = is_tile
                    ? cake_resolve_integer_at(resolver, item->base, CAKE_TIME_COMPILE, "the start of a tile's slice")
                    : cake_resolve_integer(resolver, item->base, "the start of a slice");
    bool length = cake_resolve_integer_at(resolver, item->length, CAKE_TIME_COMPILE, "the length of a slice");
    if (!base || !length) state->failed = true;
    state->kept++;
}

static void index_item(cake_resolver *resolver, cake_item *item, bool is_tile, indexing *state) {
    switch (item->kind) {
    case CAKE_ITEM_ALL:
        state->kept++;
        break;
    case CAKE_ITEM_NONE:
        state->kept++;
        return;
    case CAKE_ITEM_ONE:
        index_one(resolver, item, is_tile, state);
        break;
    case CAKE_ITEM_RANGE:
        index_range(resolver, item, is_tile, state);
        break;
    }
    state->consumed++;
}

cake_type cake_resolve_index(cake_resolver *resolver, cake_expr *expr) {
    cake_expr *base = expr->u.index.base;
    cake_type type = cake_resolve_type(resolver, base);
    bool is_tile = type.kind != CAKE_TYPE_MEMORY;
    if (is_tile) type = cake_resolve_as_value(resolver, base);
    if (cake_resolve_is_error(type)) return type;
    indexing state = {0};
    for (uint32_t i = 0; i < expr->u.index.items.count; i++)
        index_item(resolver, &expr->u.index.items.items[i], is_tile, &state);
    if (state.consumed > type.rank) {
        cake_diagnostic *diagnostic = cake_resolve_report(resolver, CAKE_L309, expr->span, "%u indices for %s",
                                                          state.consumed, cake_resolve_type_text(resolver, type));
        const cake_symbol *symbol = cake_resolve_root(base);
        if (symbol) cake_resolve_declared_note(resolver, diagnostic, symbol);
        return cake_resolve_error();
    }
    uint32_t rank = type.rank - state.consumed + state.kept + state.gathered;
    if (rank > CAKE_MAX_RANK) {
        cake_resolve_report(resolver, CAKE_L303, expr->span, "rank %u is more than %d", rank, CAKE_MAX_RANK);
        return cake_resolve_error();
    }
    type.rank = (uint8_t)rank;
    return state.failed ? cake_resolve_error() : type;
}

/* ---- other forms of places ---- */

cake_type cake_resolve_transpose(cake_resolver *resolver, cake_expr *expr) {
    cake_expr *operand = expr->u.unary.operand;
    cake_type type = cake_resolve_type(resolver, operand);
    if (type.kind != CAKE_TYPE_MEMORY) type = cake_resolve_as_value(resolver, operand);
    if (cake_resolve_is_error(type) || type.rank == 2) return type;
    cake_resolve_report(resolver, CAKE_L303, expr->span, "'.T' reverses two dimensions, and this is %s",
                        cake_resolve_type_text(resolver, type));
    return cake_resolve_error();
}

cake_type cake_resolve_age(cake_resolver *resolver, cake_expr *expr) {
    const cake_expr *base = expr->u.age.base;
    cake_type type = cake_resolve_type(resolver, expr->u.age.base);
    if (cake_resolve_is_error(type)) return type;
    const cake_symbol *symbol = base->kind == CAKE_EXPR_NAME ? base->u.name.symbol : NULL;
    if (symbol && symbol->kind == CAKE_SYMBOL_BUFFER && symbol->buffer->pipeline) return type;
    cake_resolve_report(resolver, CAKE_L204, expr->span,
                        "'@%u' names an older slot: only a pipeline's buffers have them", expr->u.age.age);
    return cake_resolve_error();
}

cake_type cake_resolve_member(cake_resolver *resolver, cake_expr *expr) {
    static const char *const members[] = {"group", "row", "rows"};
    cake_expr *base = expr->u.member.base;
    cake_type type = cake_resolve_type(resolver, base);
    if (cake_resolve_is_error(type)) return type;
    bool is_coordinate = base->kind == CAKE_EXPR_NAME && base->u.name.symbol->kind == CAKE_SYMBOL_COORDINATE;
    if (!is_coordinate || type.kind != CAKE_TYPE_OBJECT) {
        cake_resolve_report(resolver, CAKE_L204, expr->span, "'.%s': only coordinates of a ragged axis have members",
                            expr->u.member.name);
        return cake_resolve_error();
    }
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (strcmp(expr->u.member.name, members[i]) == 0) return cake_resolve_value_type(CAKE_DTYPE_INDEX, 0);
    }
    cake_resolve_report(resolver, CAKE_L219, expr->span, "a ragged coordinate has .group, .row and .rows, not '.%s'",
                        expr->u.member.name);
    return cake_resolve_error();
}

cake_type cake_resolve_peer(cake_resolver *resolver, cake_expr *expr) {
    cake_resolve_need(resolver, CAKE_FEATURE_CLUSTER, expr->span, "a cluster");
    cake_resolve_need_cluster(resolver, expr->span, "'peer'");
    cake_type type = cake_resolve_type(resolver, expr->u.peer.place);
    bool rank = cake_resolve_integer(resolver, expr->u.peer.rank, "the rank of a peer");
    if (cake_resolve_is_error(type) || !rank) return cake_resolve_error();
    const cake_symbol *symbol = cake_resolve_memory(cake_resolve_root(expr->u.peer.place));
    if (symbol && (symbol->kind == CAKE_SYMBOL_BUFFER || symbol->kind == CAKE_SYMBOL_SIGNAL)) return type;
    cake_resolve_report(resolver, CAKE_L204, expr->u.peer.place->span,
                        "'peer' names a buffer or a signal of another CTA");
    return cake_resolve_error();
}

/* ---- accesses ---- */

static void check_mask(cake_resolver *resolver, cake_expr *mask, cake_type place) {
    cake_type type = cake_resolve_value(resolver, mask);
    if (cake_resolve_is_error(type)) return;
    if (type.dtype != CAKE_DTYPE_BOOL) {
        cake_resolve_report(resolver, CAKE_L321, mask->span, "a mask is bool, and this is %s",
                            cake_resolve_type_text(resolver, type));
    } else if (type.rank != 0 && type.rank != place.rank) {
        cake_diagnostic *diagnostic = cake_resolve_report(
            resolver, CAKE_L303, mask->span, "the mask has rank %u, and the access has rank %u", type.rank, place.rank);
        if (type.rank < place.rank)
            cake_diagnostic_note(resolver->diagnostics, diagnostic, mask->span,
                                 "say with [:, None] or [None, :] which axis it lacks");
    }
}

static void check_cache(cake_resolver *resolver, cake_name cache, cake_span span) {
    if (!cache || strcmp(cache, "evict_first") == 0 || strcmp(cache, "evict_last") == 0) return;
    cake_resolve_report(resolver, CAKE_L219, span, "'cache' takes evict_first or evict_last, not '%s'", cache);
}

void cake_resolve_clauses(cake_resolver *resolver, cake_access_clauses *clauses, cake_type place, cake_span span) {
    bool known = !cake_resolve_is_error(place);
    if (clauses->vec) {
        bool constant = cake_resolve_integer_at(resolver, clauses->vec, CAKE_TIME_COMPILE, "the length of a run");
        if (constant && known && place.rank == 0)
            cake_resolve_report(resolver, CAKE_L303, clauses->vec->span,
                                "'vec' needs an axis, and this access is a scalar");
    }
    if (clauses->clip_value) {
        cake_type type = cake_resolve_value(resolver, clauses->clip_value);
        cake_type wanted = cake_resolve_value_type(place.dtype, 0);
        if (known) (void)cake_resolve_fits(resolver, clauses->clip_value, type, wanted, "the value of clipped lanes");
    }
    if (clauses->where && known) check_mask(resolver, clauses->where, place);
    check_cache(resolver, clauses->cache, span);
}

cake_type cake_resolve_load(cake_resolver *resolver, cake_expr *expr) {
    cake_type type = cake_resolve_place(resolver, expr->u.load.place, CAKE_ACCESS_READ);
    cake_resolve_clauses(resolver, &expr->u.load.clauses, type, expr->span);
    if (!cake_resolve_is_error(type)) type.kind = CAKE_TYPE_VALUE;
    return type;
}

/* Atomics and polling have effects: they stand in roles only. */
static bool is_in_role(cake_resolver *resolver, const cake_expr *expr, const char *what) {
    if (resolver->where == CAKE_WHERE_ROLE) return true;
    cake_resolve_report(resolver, CAKE_L217, expr->span, "%s has effects: it stands in roles only", what);
    return false;
}

static void check_atomic_operands(cake_resolver *resolver, cake_expr *expr, cake_type place) {
    cake_expr_list *operands = &expr->u.atomic.operands;
    cake_type wanted = cake_resolve_value_type(place.dtype, place.rank);
    for (uint32_t i = 0; i < operands->count; i++) {
        cake_type type = cake_resolve_value(resolver, operands->items[i]);
        if (!cake_resolve_is_error(place))
            (void)cake_resolve_fits(resolver, operands->items[i], type, wanted, "the place");
    }
    uint32_t count = cake_atomic_operand_count(expr->u.atomic.op);
    if (operands->count != count)
        cake_resolve_report(resolver, CAKE_L308, expr->span, "atomic.%s takes %u value%s behind '<-', not %u",
                            cake_atomic_name(expr->u.atomic.op), count, count == 1 ? "" : "s", operands->count);
}

static bool atomic_allows(cake_resolver *resolver, const cake_expr *expr, cake_type place) {
    cake_atomic_op op = expr->u.atomic.op;
    bool bits = op == CAKE_ATOMIC_AND || op == CAKE_ATOMIC_OR || op == CAKE_ATOMIC_XOR;
    bool counts = op == CAKE_ATOMIC_ADD || op == CAKE_ATOMIC_MIN || op == CAKE_ATOMIC_MAX;
    const char *wanted = NULL;
    if (bits && !cake_resolve_is_integer(place.dtype)) wanted = "integers";
    if (counts && place.dtype == CAKE_DTYPE_BOOL) wanted = "numbers";
    if (!wanted) return true;
    cake_resolve_report(resolver, CAKE_L302, expr->u.atomic.place->span, "atomic.%s works on %s, and this is %s",
                        cake_atomic_name(op), wanted, cake_resolve_type_text(resolver, place));
    return false;
}

cake_type cake_resolve_atomic(cake_resolver *resolver, cake_expr *expr) {
    cake_access access = expr->u.atomic.op == CAKE_ATOMIC_LOAD ? CAKE_ACCESS_READ : CAKE_ACCESS_WRITE;
    if (!is_in_role(resolver, expr, "an atomic")) return cake_resolve_error();
    cake_type type = cake_resolve_place(resolver, expr->u.atomic.place, access);
    check_atomic_operands(resolver, expr, type);
    if (expr->u.atomic.where && !cake_resolve_is_error(type)) check_mask(resolver, expr->u.atomic.where, type);
    if (cake_resolve_is_error(type) || !atomic_allows(resolver, expr, type)) return cake_resolve_error();
    type.kind = CAKE_TYPE_VALUE;
    return type;
}

static bool check_from(cake_resolver *resolver, cake_expr *expr) {
    cake_expr_list *from = &expr->u.await.from;
    bool good = true;
    for (uint32_t i = 0; i < from->count; i++) {
        cake_type type = cake_resolve_value(resolver, from->items[i]);
        if (cake_resolve_is_error(type)) {
            good = false;
        } else if (!cake_resolve_is_integer(type.dtype)) {
            cake_resolve_report(resolver, CAKE_L302, from->items[i]->span, "a coordinate is an integer, and this is %s",
                                cake_resolve_type_text(resolver, type));
            good = false;
        }
    }
    const cake_grid *grid = resolver->kernel->grid;
    if (!grid || grid->axes.count == from->count) return good;
    cake_diagnostic *diagnostic =
        cake_resolve_report(resolver, CAKE_L308, expr->span, "'from' names a tile: it takes %u coordinate%s, not %u",
                            grid->axes.count, grid->axes.count == 1 ? "" : "s", from->count);
    cake_diagnostic_note(resolver->diagnostics, diagnostic, grid->span, "the grid is declared here");
    return false;
}

cake_type cake_resolve_await(cake_resolver *resolver, cake_expr *expr) {
    if (!is_in_role(resolver, expr, "'await'")) return cake_resolve_error();
    cake_type type = cake_resolve_place(resolver, expr->u.await.place, CAKE_ACCESS_READ);
    if (!cake_resolve_is_error(type)) type.kind = CAKE_TYPE_VALUE;
    expr->u.await.it->type = type;
    cake_expr *until = expr->u.await.until;
    cake_type condition = cake_resolve_value(resolver, until);
    bool from = check_from(resolver, expr);
    if (cake_resolve_is_error(type) || cake_resolve_is_error(condition) || !from) return cake_resolve_error();
    const cake_symbol *memory = cake_resolve_memory(cake_resolve_root(expr->u.await.place));
    if (memory && memory->kind != CAKE_SYMBOL_TENSOR) {
        cake_resolve_report(resolver, CAKE_L204, expr->u.await.place->span,
                            "'await' polls a tensor, and '%s' is %s: wait for shared memory with a signal",
                            memory->name, cake_resolve_kind_text(memory->kind));
        return cake_resolve_error();
    }
    if (condition.dtype == CAKE_DTYPE_BOOL) return type;
    cake_resolve_report(resolver, CAKE_L321, until->span, "the condition of 'await' is bool, and this is %s",
                        cake_resolve_type_text(resolver, condition));
    return cake_resolve_error();
}
