/* Which constructs statements use. */
#include "tests/constructs/internal.h"

#include <string.h>

static void see_store(cake_construct_set *set, const cake_stmt *stmt) {
    static const cake_clause_rows rows = {CAKE_CONSTRUCT_STORE_VEC,         CAKE_CONSTRUCT_STORE_CLIP,
                                          CAKE_CONSTRUCT_STORE_CLIP,        CAKE_CONSTRUCT_STORE_WHERE,
                                          CAKE_CONSTRUCT_STORE_EVICT_FIRST, CAKE_CONSTRUCT_STORE_EVICT_LAST};
    const cake_expr *place = stmt->u.store.place, *value = stmt->u.store.value;
    const cake_symbol *root = cake_construct_root(place);
    cake_construct_see_if(set, cake_construct_root_is(place, CAKE_SYMBOL_TENSOR), CAKE_CONSTRUCT_STORE_TENSOR);
    cake_construct_see_if(set, cake_construct_root_is(place, CAKE_SYMBOL_VIEW), CAKE_CONSTRUCT_STORE_VIEW);
    cake_construct_see_if(set, cake_construct_root_is(place, CAKE_SYMBOL_BUFFER), CAKE_CONSTRUCT_STORE_SHARED);
    cake_construct_see_if(set, root && root->kind == CAKE_SYMBOL_BUFFER && root->buffer->pipeline,
                          CAKE_CONSTRUCT_PIPELINE_BY_STORE);
    cake_construct_see_if(set, place->type.rank == 0, CAKE_CONSTRUCT_STORE_ELEMENT);
    cake_construct_see_if(set, cake_construct_gathers(place) > 0, CAKE_CONSTRUCT_STORE_SCATTER);
    cake_construct_see_if(set, place->type.rank > 0 && value->type.rank == 0, CAKE_CONSTRUCT_STORE_SCALAR);
    cake_construct_see_clauses(set, &stmt->u.store.clauses, &rows);
    cake_construct_see_expr(set, place);
    cake_construct_see_expr(set, value);
}

/* ---- copies ---- */

static bool is_slice_of_buffer(const cake_expr *place) {
    return place->kind == CAKE_EXPR_INDEX;
}

/* The tensor's end of a copy: its box, whose extents are the buffer's where all entries are scalars. */
static void see_box(cake_construct_set *set, const cake_expr *tensor) {
    bool ranges = cake_construct_has_item(tensor, CAKE_ITEM_RANGE) || cake_construct_has_item(tensor, CAKE_ITEM_ALL);
    cake_construct_see(set, ranges ? CAKE_CONSTRUCT_TMA_RANGES : CAKE_CONSTRUCT_TMA_SCALARS);
}

static void see_tma_load(cake_construct_set *set, const cake_stmt *stmt) {
    static const cake_clause_rows rows = {.evict_first = CAKE_CONSTRUCT_TMA_EVICT_FIRST,
                                          .evict_last = CAKE_CONSTRUCT_TMA_EVICT_LAST};
    const cake_expr *to = stmt->u.copy.to;
    cake_construct_see(set, CAKE_CONSTRUCT_PIPELINE_BY_TMA);
    cake_construct_see_if(set, is_slice_of_buffer(to), CAKE_CONSTRUCT_TMA_SLICE);
    cake_construct_see_if(set, stmt->u.copy.multicast, CAKE_CONSTRUCT_TMA_MULTICAST);
    cake_construct_see_clauses(set, &stmt->u.copy.clauses, &rows);
    cake_construct_see_dtype(set, to->type.dtype, CAKE_USE_TMA_LOAD);
    see_box(set, stmt->u.copy.from);
}

static void see_async_load(cake_construct_set *set, const cake_stmt *stmt) {
    static const cake_clause_rows rows = {.clip = CAKE_CONSTRUCT_ASYNC_CLIP,
                                          .clip_value = CAKE_CONSTRUCT_ASYNC_CLIP,
                                          .evict_first = CAKE_CONSTRUCT_ASYNC_EVICT_FIRST,
                                          .evict_last = CAKE_CONSTRUCT_ASYNC_EVICT_LAST};
    cake_construct_see(set, CAKE_CONSTRUCT_PIPELINE_BY_ASYNC);
    cake_construct_see_if(set, is_slice_of_buffer(stmt->u.copy.to), CAKE_CONSTRUCT_ASYNC_SLICE);
    cake_construct_see_clauses(set, &stmt->u.copy.clauses, &rows);
}

static void see_tma_reduce(cake_construct_set *set, const cake_stmt *stmt) {
    static const struct {
        const char *name;
        cake_construct row;
    } operations[] = {{"add", CAKE_CONSTRUCT_TMA_REDUCE_ADD}, {"min", CAKE_CONSTRUCT_TMA_REDUCE_MIN},
                      {"max", CAKE_CONSTRUCT_TMA_REDUCE_MAX}, {"and", CAKE_CONSTRUCT_TMA_REDUCE_AND},
                      {"or", CAKE_CONSTRUCT_TMA_REDUCE_OR},   {"xor", CAKE_CONSTRUCT_TMA_REDUCE_XOR}};
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        cake_construct_see_if(set, strcmp(stmt->u.copy.reduce, operations[i].name) == 0, operations[i].row);
}

static void see_copy(cake_construct_set *set, const cake_stmt *stmt) {
    if (stmt->kind == CAKE_STMT_TMA_LOAD) {
        see_tma_load(set, stmt);
    } else if (stmt->kind == CAKE_STMT_ASYNC_LOAD) {
        see_async_load(set, stmt);
    } else {
        bool reduces = stmt->kind == CAKE_STMT_TMA_REDUCE;
        if (reduces) see_tma_reduce(set, stmt);
        cake_construct_see_dtype(set, stmt->u.copy.to->type.dtype, reduces ? CAKE_USE_TMA_REDUCE : CAKE_USE_TMA_STORE);
        see_box(set, stmt->u.copy.to);
    }
    cake_construct_see_expr(set, stmt->u.copy.to);
    cake_construct_see_expr(set, stmt->u.copy.from);
}

/* ---- matrix units ---- */

/* A place that is read transposed: a value's '.T' is part of how its registers are named. */
static bool is_transposed(const cake_expr *operand) {
    return operand->kind == CAKE_EXPR_TRANSPOSE;
}

static void see_mma(cake_construct_set *set, const cake_stmt *stmt) {
    const cake_expr *x = stmt->u.matrix.x, *y = stmt->u.matrix.y;
    bool x_shared = x->type.kind == CAKE_TYPE_MEMORY, y_shared = y->type.kind == CAKE_TYPE_MEMORY;
    cake_construct_see(set, x_shared ? CAKE_CONSTRUCT_MMA_X_SHARED : CAKE_CONSTRUCT_MMA_X_REGISTERS);
    cake_construct_see_if(set, is_transposed(x), CAKE_CONSTRUCT_MMA_X_TRANSPOSED);
    cake_construct_see_if(set, !y_shared, CAKE_CONSTRUCT_MMA_Y_REGISTERS);
    cake_construct_see_if(set, y_shared && is_transposed(y), CAKE_CONSTRUCT_MMA_Y_SHARED);
    cake_construct_see_if(set, y_shared && !is_transposed(y), CAKE_CONSTRUCT_MMA_Y_STRAIGHT);
    cake_construct_see_if(set, !stmt->u.matrix.add, CAKE_CONSTRUCT_MMA_FRESH);
    cake_construct_see_dtype(set, x->type.dtype, CAKE_USE_MMA);
    cake_construct_see_dtype(set, y->type.dtype, CAKE_USE_MMA);
}

static void see_wgmma(cake_construct_set *set, const cake_stmt *stmt) {
    const cake_expr *x = stmt->u.matrix.x, *y = stmt->u.matrix.y;
    bool x_shared = x->type.kind == CAKE_TYPE_MEMORY;
    cake_construct_see(set, x_shared ? CAKE_CONSTRUCT_WGMMA_X_SHARED : CAKE_CONSTRUCT_WGMMA_X_REGISTERS);
    cake_construct_see_if(set, is_transposed(x), CAKE_CONSTRUCT_WGMMA_X_TRANSPOSED);
    cake_construct_see(set, is_transposed(y) ? CAKE_CONSTRUCT_WGMMA_Y_SHARED : CAKE_CONSTRUCT_WGMMA_Y_STRAIGHT);
    cake_construct_see_if(set, !stmt->u.matrix.add, CAKE_CONSTRUCT_WGMMA_FRESH);
    cake_construct_see_dtype(set, x->type.dtype, CAKE_USE_WGMMA);
    cake_construct_see_dtype(set, y->type.dtype, CAKE_USE_WGMMA);
}

static void see_matrix(cake_construct_set *set, const cake_stmt *stmt) {
    if (stmt->kind == CAKE_STMT_MMA) see_mma(set, stmt);
    if (stmt->kind == CAKE_STMT_WGMMA) see_wgmma(set, stmt);
    cake_construct_see_if(set, stmt->u.matrix.pair, CAKE_CONSTRUCT_PAIR);
    cake_construct_see_expr(set, stmt->u.matrix.accumulator);
    cake_construct_see_expr(set, stmt->u.matrix.x);
    cake_construct_see_expr(set, stmt->u.matrix.y);
}

static bool is_zero(const cake_expr *expr) {
    return expr->kind == CAKE_EXPR_INT && expr->u.integer.value == 0;
}

static void see_wait(cake_construct_set *set, const cake_stmt *stmt) {
    bool wgmma = stmt->kind == CAKE_STMT_WGMMA_WAIT;
    if (!is_zero(stmt->u.wait.count))
        cake_construct_see(set, wgmma ? CAKE_CONSTRUCT_WGMMA_WAIT_SOME : CAKE_CONSTRUCT_BULK_WAIT_SOME);
    cake_construct_see_expr(set, stmt->u.wait.count);
}

/* ---- control and variables ---- */

static void see_let(cake_construct_set *set, const cake_stmt *stmt) {
    cake_construct_see_if(set, stmt->u.let.names.count > 1, CAKE_CONSTRUCT_LET_PAIR);
    cake_construct_see_expr(set, stmt->u.let.value);
}

static void see_var(cake_construct_set *set, const cake_stmt *stmt) {
    bool is_tile = stmt->u.var.symbol->type.rank > 0;
    cake_construct_see(set, is_tile ? CAKE_CONSTRUCT_VAR_TILE : CAKE_CONSTRUCT_VAR_SCALAR);
    cake_construct_see_if(set, !stmt->u.var.value, CAKE_CONSTRUCT_VAR_UNSET);
    if (stmt->u.var.value) cake_construct_see_expr(set, stmt->u.var.value);
}

static void see_assign(cake_construct_set *set, const cake_stmt *stmt) {
    cake_construct_see_if(set, stmt->u.assign.add, CAKE_CONSTRUCT_ASSIGN_ADD);
    cake_construct_see_if(set, stmt->u.assign.place->kind == CAKE_EXPR_INDEX, CAKE_CONSTRUCT_ASSIGN_SLICE);
    cake_construct_see_expr(set, stmt->u.assign.place);
    cake_construct_see_expr(set, stmt->u.assign.value);
}

static void see_for(cake_construct_set *set, const cake_stmt *stmt) {
    cake_construct_see_expr(set, stmt->u.loop.from);
    cake_construct_see_expr(set, stmt->u.loop.to);
    if (stmt->u.loop.unroll)
        cake_construct_see(set, stmt->u.loop.unroll_by ? CAKE_CONSTRUCT_FOR_UNROLL_BY : CAKE_CONSTRUCT_FOR_UNROLL);
    if (stmt->u.loop.step) {
        cake_construct_see(set, CAKE_CONSTRUCT_FOR_STEP);
        cake_construct_see_expr(set, stmt->u.loop.step);
    }
    cake_construct_see_block(set, &stmt->u.loop.body);
}

static void see_if(cake_construct_set *set, const cake_stmt *stmt) {
    const cake_block *otherwise = &stmt->u.branch.otherwise;
    bool chained = otherwise->statements.count == 1 && otherwise->statements.items[0]->kind == CAKE_STMT_IF;
    cake_construct_see_expr(set, stmt->u.branch.condition);
    cake_construct_see_block(set, &stmt->u.branch.then);
    if (!stmt->u.branch.has_else) return;
    cake_construct_see(set, chained ? CAKE_CONSTRUCT_IF_CHAIN : CAKE_CONSTRUCT_IF_ELSE);
    cake_construct_see_block(set, otherwise);
}

static void see_compound(cake_construct_set *set, const cake_stmt *stmt) {
    if (stmt->kind == CAKE_STMT_FOR_TILE) {
        cake_construct_see_block(set, &stmt->u.for_tile.body);
    } else if (stmt->kind == CAKE_STMT_FOR) {
        see_for(set, stmt);
    } else if (stmt->kind == CAKE_STMT_WHILE) {
        cake_construct_see_expr(set, stmt->u.loop_while.condition);
        cake_construct_see_block(set, &stmt->u.loop_while.body);
    } else {
        see_if(set, stmt);
    }
}

/* An atomic whose value is not used is no ATOMIC_VALUE. */
static void see_evaluate(cake_construct_set *set, const cake_expr *value) {
    if (value->kind == CAKE_EXPR_ATOMIC)
        cake_construct_see_atomic(set, value);
    else
        cake_construct_see_expr(set, value);
}

static void see_statement(cake_construct_set *set, const cake_stmt *stmt) {
    cake_construct_see(set, CAKE_ROWS_STATEMENT + (uint32_t)stmt->kind);
    switch (stmt->kind) {
    case CAKE_STMT_LET:
        see_let(set, stmt);
        break;
    case CAKE_STMT_VAR:
        see_var(set, stmt);
        break;
    case CAKE_STMT_ASSIGN:
        see_assign(set, stmt);
        break;
    case CAKE_STMT_FOR_TILE:
    case CAKE_STMT_FOR:
    case CAKE_STMT_WHILE:
    case CAKE_STMT_IF:
        see_compound(set, stmt);
        break;
    case CAKE_STMT_RELEASE:
        cake_construct_see_if(set, !is_zero(stmt->u.object.keep), CAKE_CONSTRUCT_RELEASE_SOME);
        break;
    case CAKE_STMT_ARRIVE:
    case CAKE_STMT_AWAIT_SIGNAL:
        cake_construct_see_expr(set, stmt->u.signal.place);
        break;
    case CAKE_STMT_EVALUATE:
        see_evaluate(set, stmt->u.evaluate.value);
        break;
    case CAKE_STMT_TMA_LOAD:
    case CAKE_STMT_ASYNC_LOAD:
    case CAKE_STMT_TMA_STORE:
    case CAKE_STMT_TMA_REDUCE:
        see_copy(set, stmt);
        break;
    case CAKE_STMT_STORE:
        see_store(set, stmt);
        break;
    case CAKE_STMT_MMA:
    case CAKE_STMT_WGMMA:
    case CAKE_STMT_TCGEN05_MMA:
        see_matrix(set, stmt);
        break;
    case CAKE_STMT_WGMMA_WAIT:
    case CAKE_STMT_BULK_WAIT:
    case CAKE_STMT_BULK_WAIT_READ:
        see_wait(set, stmt);
        break;
    case CAKE_STMT_ASSUME:
    case CAKE_STMT_CHECK:
        cake_construct_see_exprs(set, &stmt->u.facts.conditions);
        break;
    case CAKE_STMT_ACQUIRE:
    case CAKE_STMT_COMMIT:
    case CAKE_STMT_WAIT:
    case CAKE_STMT_TAKE:
    case CAKE_STMT_PASS:
    case CAKE_STMT_WGMMA_COMMIT:
    case CAKE_STMT_BULK_COMMIT:
    case CAKE_STMT_FENCE_ASYNC:
    case CAKE_STMT_SYNC_TEAM:
    case CAKE_STMT_SYNC_ROLE:
    case CAKE_STMT_SYNC_CTA:
    case CAKE_STMT_SYNC_CLUSTER:
    case CAKE_STMT_GRID_WAIT:
    case CAKE_STMT_GRID_TRIGGER:
    case CAKE_STMT_COUNT:
        break;
    }
}

void cake_construct_see_block(cake_construct_set *set, const cake_block *block) {
    for (uint32_t i = 0; i < block->statements.count; i++)
        see_statement(set, block->statements.items[i]);
}
