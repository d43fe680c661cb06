/* Which constructs an expression uses. */
#include "tests/constructs/internal.h"

#include <string.h>

void cake_construct_see(cake_construct_set *set, uint32_t row) {
    set->uses[row] = true;
}

void cake_construct_see_if(cake_construct_set *set, bool condition, uint32_t row) {
    if (condition) set->uses[row] = true;
}

void cake_construct_see_dtype(cake_construct_set *set, cake_dtype dtype, cake_dtype_use use) {
    cake_construct_see(set, CAKE_ROWS_DTYPE + (uint32_t)dtype * CAKE_USE_COUNT + use);
}

void cake_construct_see_exprs(cake_construct_set *set, const cake_expr_list *list) {
    for (uint32_t i = 0; i < list->count; i++)
        cake_construct_see_expr(set, list->items[i]);
}

/* ---- places ---- */

const cake_symbol *cake_construct_root(const cake_expr *place) {
    switch (place->kind) {
    case CAKE_EXPR_NAME:
        return place->u.name.symbol;
    case CAKE_EXPR_INDEX:
        return cake_construct_root(place->u.index.base);
    case CAKE_EXPR_TRANSPOSE:
        return cake_construct_root(place->u.unary.operand);
    case CAKE_EXPR_AGE:
        return cake_construct_root(place->u.age.base);
    case CAKE_EXPR_PEER:
        return cake_construct_root(place->u.peer.place);
    default:
        return NULL;
    }
}

bool cake_construct_root_is(const cake_expr *place, cake_symbol_kind kind) {
    const cake_symbol *root = cake_construct_root(place);
    return root && root->kind == kind;
}

bool cake_construct_has_item(const cake_expr *place, cake_item_kind kind) {
    if (place->kind != CAKE_EXPR_INDEX) return false;
    for (uint32_t i = 0; i < place->u.index.items.count; i++)
        if (place->u.index.items.items[i].kind == kind) return true;
    return false;
}

uint32_t cake_construct_gathers(const cake_expr *place) {
    uint32_t count = 0;
    if (place->kind != CAKE_EXPR_INDEX) return 0;
    for (uint32_t i = 0; i < place->u.index.items.count; i++) {
        const cake_item *item = &place->u.index.items.items[i];
        count += item->kind == CAKE_ITEM_ONE && item->base->type.rank > 0;
    }
    return count;
}

static bool is_sliced(const cake_expr *place) {
    return cake_construct_has_item(place, CAKE_ITEM_RANGE) || cake_construct_has_item(place, CAKE_ITEM_ONE);
}

static void see_items(cake_construct_set *set, const cake_expr *index) {
    for (uint32_t i = 0; i < index->u.index.items.count; i++) {
        const cake_item *item = &index->u.index.items.items[i];
        if (item->base) cake_construct_see_expr(set, item->base);
        if (item->length) cake_construct_see_expr(set, item->length);
    }
}

static void see_index(cake_construct_set *set, const cake_expr *expr) {
    cake_construct_see_expr(set, expr->u.index.base);
    see_items(set, expr);
    if (expr->type.kind != CAKE_TYPE_VALUE) return;
    cake_construct_see_if(set, cake_construct_has_item(expr, CAKE_ITEM_NONE), CAKE_CONSTRUCT_TILE_NEW_AXIS);
    cake_construct_see_if(set, is_sliced(expr), CAKE_CONSTRUCT_TILE_SLICE);
}

/* ---- accesses ---- */

static void see_cache(cake_construct_set *set, cake_name cache, const cake_clause_rows *rows) {
    if (cache) cake_construct_see(set, strcmp(cache, "evict_first") == 0 ? rows->evict_first : rows->evict_last);
}

void cake_construct_see_clauses(cake_construct_set *set, const cake_access_clauses *clauses,
                                const cake_clause_rows *rows) {
    cake_construct_see_if(set, clauses->vec != NULL, rows->vec);
    if (clauses->clip) cake_construct_see(set, clauses->clip_value ? rows->clip_value : rows->clip);
    cake_construct_see_if(set, clauses->where != NULL, rows->where);
    see_cache(set, clauses->cache, rows);
    if (clauses->vec) cake_construct_see_expr(set, clauses->vec);
    if (clauses->clip_value) cake_construct_see_expr(set, clauses->clip_value);
    if (clauses->where) cake_construct_see_expr(set, clauses->where);
}

static void see_load_place(cake_construct_set *set, const cake_expr *place) {
    const cake_symbol *root = cake_construct_root(place);
    if (root && root->kind == CAKE_SYMBOL_TENSOR)
        cake_construct_see(set, root->parameter->mode == CAKE_PARAMETER_IN ? CAKE_CONSTRUCT_LOAD_TENSOR
                                                                           : CAKE_CONSTRUCT_LOAD_WRITTEN);
    cake_construct_see_if(set, cake_construct_root_is(place, CAKE_SYMBOL_BUFFER), CAKE_CONSTRUCT_LOAD_SHARED);
    cake_construct_see_if(set, cake_construct_root_is(place, CAKE_SYMBOL_VIEW), CAKE_CONSTRUCT_LOAD_VIEW);
    cake_construct_see_if(set, place->type.rank == 0, CAKE_CONSTRUCT_LOAD_ELEMENT);
    cake_construct_see_if(set, cake_construct_gathers(place) == 1, CAKE_CONSTRUCT_LOAD_GATHER);
    cake_construct_see_if(set, cake_construct_gathers(place) > 1, CAKE_CONSTRUCT_LOAD_GATHER_MANY);
    cake_construct_see_if(set, place->kind == CAKE_EXPR_TRANSPOSE, CAKE_CONSTRUCT_LOAD_TRANSPOSED);
    cake_construct_see_if(set, cake_construct_has_item(place, CAKE_ITEM_NONE), CAKE_CONSTRUCT_LOAD_NEW_AXIS);
}

static void see_load(cake_construct_set *set, const cake_expr *expr) {
    static const cake_clause_rows rows = {CAKE_CONSTRUCT_LOAD_VEC,         CAKE_CONSTRUCT_LOAD_CLIP,
                                          CAKE_CONSTRUCT_LOAD_CLIP,        CAKE_CONSTRUCT_LOAD_WHERE,
                                          CAKE_CONSTRUCT_LOAD_EVICT_FIRST, CAKE_CONSTRUCT_LOAD_EVICT_LAST};
    see_load_place(set, expr->u.load.place);
    cake_construct_see_clauses(set, &expr->u.load.clauses, &rows);
    cake_construct_see_expr(set, expr->u.load.place);
}

void cake_construct_see_atomic(cake_construct_set *set, const cake_expr *expr) {
    static const cake_construct scopes[] = {CAKE_CONSTRUCT_FIXED, CAKE_CONSTRUCT_SCOPE_CTA, CAKE_CONSTRUCT_SCOPE_GPU,
                                            CAKE_CONSTRUCT_SCOPE_SYS};
    static const cake_construct orders[] = {CAKE_CONSTRUCT_FIXED, CAKE_CONSTRUCT_ORDER_ACQUIRE,
                                            CAKE_CONSTRUCT_ORDER_RELEASE, CAKE_CONSTRUCT_ORDER_ACQ_REL};
    const cake_expr *place = expr->u.atomic.place;
    cake_construct_see(set, CAKE_ROWS_ATOMIC + (uint32_t)expr->u.atomic.op);
    cake_construct_see_dtype(set, place->type.dtype, CAKE_USE_ATOMIC);
    cake_construct_see(set, cake_construct_root_is(place, CAKE_SYMBOL_BUFFER) ? CAKE_CONSTRUCT_ATOMIC_SHARED
                                                                              : CAKE_CONSTRUCT_ATOMIC_TENSOR);
    cake_construct_see(set, place->type.rank ? CAKE_CONSTRUCT_ATOMIC_TILE : CAKE_CONSTRUCT_ATOMIC_ELEMENT);
    cake_construct_see_if(set, cake_construct_gathers(place) > 0, CAKE_CONSTRUCT_ATOMIC_GATHER);
    cake_construct_see_if(set, expr->u.atomic.scope != CAKE_SCOPE_DEFAULT, scopes[expr->u.atomic.scope]);
    cake_construct_see_if(set, expr->u.atomic.order != CAKE_ORDER_RELAXED, orders[expr->u.atomic.order]);
    cake_construct_see_expr(set, place);
    cake_construct_see_exprs(set, &expr->u.atomic.operands);
    if (!expr->u.atomic.where) return;
    cake_construct_see(set, CAKE_CONSTRUCT_ATOMIC_WHERE);
    cake_construct_see_expr(set, expr->u.atomic.where);
}

/* ---- calls ---- */

static uint32_t operands_of(const cake_expr *call) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < call->u.call.arguments.count; i++)
        count += call->u.call.arguments.items[i].keyword == NULL;
    return count;
}

static void see_arguments(cake_construct_set *set, const cake_expr *call) {
    for (uint32_t i = 0; i < call->u.call.arguments.count; i++) {
        const cake_argument *argument = &call->u.call.arguments.items[i];
        bool names_combiner = i == 0 && call->u.call.builtin != CAKE_BUILTIN_NONE && call->u.call.symbol;
        if (!names_combiner) cake_construct_see_expr(set, argument->value);
        cake_construct_see_if(set, argument->within == CAKE_WITHIN_LANE, CAKE_CONSTRUCT_FOLD_LANE);
        cake_construct_see_if(set, argument->within == CAKE_WITHIN_WARP, CAKE_CONSTRUCT_FOLD_WARP);
    }
}

static void see_fold(cake_construct_set *set, const cake_expr *call, const cake_expr *folded) {
    bool has_axis = operands_of(call) < call->u.call.arguments.count;
    cake_construct_see(set, CAKE_ROWS_BUILTIN + (uint32_t)call->u.call.builtin);
    cake_construct_see_dtype(set, folded->type.dtype, CAKE_USE_FOLD);
    cake_construct_see_if(set, has_axis, CAKE_CONSTRUCT_FOLD_AXIS);
    cake_construct_see_if(set, !has_axis && folded->type.rank > 1, CAKE_CONSTRUCT_FOLD_ALL);
}

/* reduce and scan over one tile or two, by a function of the schedule or (scan) as a sum. */
static void see_combination(cake_construct_set *set, const cake_expr *call) {
    uint32_t tiles = operands_of(call) - (call->u.call.symbol ? 1 : 0);
    bool scans = call->u.call.builtin == CAKE_BUILTIN_SCAN;
    cake_construct_see(set, CAKE_ROWS_BUILTIN + (uint32_t)call->u.call.builtin);
    cake_construct_see_if(set, tiles > 1, scans ? CAKE_CONSTRUCT_SCAN_TWO : CAKE_CONSTRUCT_REDUCE_TWO);
    cake_construct_see_if(set, scans, call->u.call.symbol ? CAKE_CONSTRUCT_SCAN_OWN : CAKE_CONSTRUCT_SCAN_SUM);
}

static void see_builtin(cake_construct_set *set, const cake_expr *call) {
    cake_builtin builtin = call->u.call.builtin;
    cake_builtin_kind kind = cake_builtin_info_of(builtin)->kind;
    const cake_expr *first = call->u.call.arguments.items[0].value;
    bool elements = kind == CAKE_BUILTIN_KIND_ELEMENT || (kind == CAKE_BUILTIN_KIND_FOLD && operands_of(call) > 1);
    for (uint32_t i = 0; i < CAKE_MODIFIER_KINDS; i++)
        cake_construct_see_if(set, call->u.call.modifiers & 1u << i,
                              CAKE_ROWS_MODIFIER + (uint32_t)builtin * CAKE_MODIFIER_KINDS + i);
    if (kind == CAKE_BUILTIN_KIND_COMBINE)
        see_combination(set, call);
    else if (kind == CAKE_BUILTIN_KIND_FOLD && !elements)
        see_fold(set, call, first);
    else if (kind == CAKE_BUILTIN_KIND_FOLD)
        cake_construct_see(set, builtin == CAKE_BUILTIN_MIN ? CAKE_CONSTRUCT_MIN_ELEMENT : CAKE_CONSTRUCT_MAX_ELEMENT);
    else
        cake_construct_see(set, CAKE_ROWS_BUILTIN + (uint32_t)builtin);
    if (elements && builtin != CAKE_BUILTIN_SELECT) cake_construct_see_dtype(set, first->type.dtype, CAKE_USE_COMPUTED);
}

static void see_call(cake_construct_set *set, const cake_expr *expr) {
    see_arguments(set, expr);
    if (expr->u.call.builtin != CAKE_BUILTIN_NONE)
        see_builtin(set, expr);
    else
        cake_construct_see(set, expr->u.call.expansion_second ? CAKE_CONSTRUCT_FUNCTION_PAIR : CAKE_CONSTRUCT_FUNCTION);
    if (expr->u.call.expansion) cake_construct_see_expr(set, expr->u.call.expansion);
    if (expr->u.call.expansion_second) cake_construct_see_expr(set, expr->u.call.expansion_second);
}

/* ---- operators ---- */

static void see_binary(cake_construct_set *set, const cake_expr *expr) {
    cake_construct_see(set, CAKE_ROWS_BINARY + (uint32_t)expr->u.binary.op);
    if (expr->type.dtype != CAKE_DTYPE_BOOL) cake_construct_see_dtype(set, expr->type.dtype, CAKE_USE_COMPUTED);
    cake_construct_see_expr(set, expr->u.binary.left);
    cake_construct_see_expr(set, expr->u.binary.right);
}

static void see_compare(cake_construct_set *set, const cake_expr *expr) {
    for (uint32_t i = 0; i < expr->u.compare.ops.count; i++)
        cake_construct_see(set, CAKE_ROWS_BINARY + (uint32_t)expr->u.compare.ops.items[i]);
    cake_construct_see_if(set, expr->u.compare.ops.count > 1, CAKE_CONSTRUCT_COMPARE_CHAIN);
    cake_construct_see_exprs(set, &expr->u.compare.operands);
}

static void see_cast(cake_construct_set *set, const cake_expr *expr) {
    if (expr->kind == CAKE_EXPR_BITCAST) {
        cake_construct_see(set, CAKE_CONSTRUCT_BITCAST);
    } else {
        cake_construct_see_dtype(set, expr->u.cast.dtype, CAKE_USE_CAST_TO);
        cake_construct_see_dtype(set, expr->u.cast.operand->type.dtype, CAKE_USE_CAST_FROM);
    }
    cake_construct_see_if(set, expr->u.cast.saturate, CAKE_CONSTRUCT_CAST_SATURATE);
    cake_construct_see_if(set, expr->u.cast.rounding == CAKE_ROUND_TOWARD_ZERO, CAKE_CONSTRUCT_CAST_ROUND);
    cake_construct_see_expr(set, expr->u.cast.operand);
}

static void see_await(cake_construct_set *set, const cake_expr *expr) {
    cake_construct_see(set, CAKE_CONSTRUCT_AWAIT_PLACE);
    cake_construct_see_expr(set, expr->u.await.place);
    cake_construct_see_expr(set, expr->u.await.until);
    cake_construct_see_exprs(set, &expr->u.await.from);
}

void cake_construct_see_expr(cake_construct_set *set, const cake_expr *expr) {
    switch (expr->kind) {
    case CAKE_EXPR_INT:
    case CAKE_EXPR_FLOAT:
        break;
    case CAKE_EXPR_NAME:
        cake_construct_see_if(set, cake_construct_root_is(expr, CAKE_SYMBOL_CTA_RANK), CAKE_CONSTRUCT_CLUSTER_RANK);
        break;
    case CAKE_EXPR_INF:
        cake_construct_see(set, CAKE_CONSTRUCT_LITERAL_INF);
        break;
    case CAKE_EXPR_NAN:
        cake_construct_see(set, CAKE_CONSTRUCT_LITERAL_NAN);
        break;
    case CAKE_EXPR_BOOL:
        cake_construct_see(set, CAKE_CONSTRUCT_LITERAL_BOOL);
        break;
    case CAKE_EXPR_UNARY:
        cake_construct_see(set, CAKE_ROWS_UNARY + (uint32_t)expr->u.unary.op);
        cake_construct_see_expr(set, expr->u.unary.operand);
        break;
    case CAKE_EXPR_BINARY:
        see_binary(set, expr);
        break;
    case CAKE_EXPR_COMPARE:
        see_compare(set, expr);
        break;
    case CAKE_EXPR_IN:
        cake_construct_see(set, expr->u.in.set.is_range ? CAKE_CONSTRUCT_IN_RANGE : CAKE_CONSTRUCT_IN_LIST);
        cake_construct_see_expr(set, expr->u.in.left);
        cake_construct_see_exprs(set, &expr->u.in.set.items);
        break;
    case CAKE_EXPR_CAST:
    case CAKE_EXPR_BITCAST:
        see_cast(set, expr);
        break;
    case CAKE_EXPR_RELAYOUT:
        cake_construct_see(set, CAKE_CONSTRUCT_RELAYOUT);
        cake_construct_see_expr(set, expr->u.unary.operand);
        break;
    case CAKE_EXPR_LOAD:
        see_load(set, expr);
        break;
    case CAKE_EXPR_ATOMIC:
        cake_construct_see(set, CAKE_CONSTRUCT_ATOMIC_VALUE);
        cake_construct_see_atomic(set, expr);
        break;
    case CAKE_EXPR_AWAIT:
        see_await(set, expr);
        break;
    case CAKE_EXPR_INDEX:
        see_index(set, expr);
        break;
    case CAKE_EXPR_TRANSPOSE:
        cake_construct_see_if(set, expr->type.kind == CAKE_TYPE_VALUE, CAKE_CONSTRUCT_TILE_TRANSPOSED);
        cake_construct_see_expr(set, expr->u.unary.operand);
        break;
    case CAKE_EXPR_AGE:
        cake_construct_see(set, CAKE_CONSTRUCT_SLOT_AGE);
        cake_construct_see_expr(set, expr->u.age.base);
        break;
    case CAKE_EXPR_MEMBER:
        cake_construct_see(set, CAKE_CONSTRUCT_RAGGED);
        break;
    case CAKE_EXPR_PEER:
        cake_construct_see(set, expr->type.kind == CAKE_TYPE_MEMORY ? CAKE_CONSTRUCT_PEER_MEMORY
                                                                    : CAKE_CONSTRUCT_PEER_SIGNAL);
        cake_construct_see_expr(set, expr->u.peer.place);
        cake_construct_see_expr(set, expr->u.peer.rank);
        break;
    case CAKE_EXPR_CALL:
        see_call(set, expr);
        break;
    }
}
