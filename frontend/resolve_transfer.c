/* Statements that move data or multiply it: tma, async.load, store, mma, wgmma, tcgen05.mma. */
#include "frontend/resolve.h"

#include <string.h>

/* ---- what a copy's ends are ---- */

static cake_symbol *memory_of(const cake_expr *place) {
    return cake_resolve_memory(cake_resolve_root(place));
}

static bool is_buffer(const cake_symbol *symbol) {
    return symbol && symbol->kind == CAKE_SYMBOL_BUFFER && !symbol->buffer->tensor_memory;
}

static void report_end(cake_resolver *resolver, const cake_stmt *stmt, const cake_expr *place, const char *wanted) {
    const cake_symbol *symbol = memory_of(place);
    cake_diagnostic *diagnostic =
        cake_resolve_report(resolver, CAKE_L223, place->span, "'%s' needs %s here", cake_stmt_name(stmt->kind), wanted);
    if (symbol) cake_resolve_declared_note(resolver, diagnostic, symbol);
}

/* The target of a load into a slot: it completes through the slot's pipeline. */
static bool check_slot(cake_resolver *resolver, const cake_stmt *stmt) {
    const cake_symbol *symbol = memory_of(stmt->u.copy.to);
    if (is_buffer(symbol) && symbol->buffer->pipeline) return true;
    report_end(resolver, stmt, stmt->u.copy.to, "a buffer of a pipeline, through which it completes");
    return false;
}

static bool check_shared(cake_resolver *resolver, const cake_stmt *stmt, const cake_expr *place) {
    if (is_buffer(memory_of(place))) return true;
    report_end(resolver, stmt, place, "a buffer in shared memory");
    return false;
}

static bool check_tensor(cake_resolver *resolver, const cake_stmt *stmt, const cake_expr *place) {
    const cake_symbol *symbol = memory_of(place);
    if (symbol && symbol->kind == CAKE_SYMBOL_TENSOR) return true;
    report_end(resolver, stmt, place, "a tensor");
    return false;
}

static bool check_copied_dtypes(cake_resolver *resolver, const cake_stmt *stmt, cake_type to, cake_type from) {
    if (to.dtype == from.dtype) return true;
    cake_resolve_report(resolver, CAKE_L301, stmt->u.copy.from->span, "a copy keeps the element type: %s to %s",
                        cake_dtype_name(from.dtype), cake_dtype_name(to.dtype));
    return false;
}

/* ---- boxes of tensor copies ---- */

/* Counts the entries of a box; false when an entry is none that a box may have (reported). */
static bool count_box(cake_resolver *resolver, const cake_expr *index, uint32_t *out_dimensions) {
    *out_dimensions = 0;
    for (uint32_t i = 0; i < index->u.index.items.count; i++) {
        const cake_item *item = &index->u.index.items.items[i];
        if (item->kind == CAKE_ITEM_ALL || item->kind == CAKE_ITEM_RANGE) ++*out_dimensions;
        if (item->kind != CAKE_ITEM_ONE || item->base->type.rank == 0) continue;
        cake_resolve_report(resolver, CAKE_L318, item->span,
                            "a tensor copy moves a box: this entry is a tile, and gathers");
        return false;
    }
    return true;
}

/* tensor[..] against the buffer: one entry per dimension; the entries that are no scalars are the buffer's dimensions,
 * or, when all are scalars, the buffer's shape is the box of the last dimensions. */
static void check_box(cake_resolver *resolver, const cake_expr *tensor, const cake_expr *buffer) {
    const cake_expr *base = tensor->kind == CAKE_EXPR_INDEX ? tensor->u.index.base : tensor;
    uint32_t rank = base->type.rank, entries = tensor == base ? 0 : tensor->u.index.items.count, box;
    if (entries != rank) {
        cake_diagnostic *diagnostic =
            cake_resolve_report(resolver, CAKE_L318, tensor->span,
                                "a tensor copy has one entry per dimension of the tensor: %u, not %u", rank, entries);
        const cake_symbol *symbol = cake_resolve_root(base);
        if (symbol) cake_resolve_declared_note(resolver, diagnostic, symbol);
        return;
    }
    if (!count_box(resolver, tensor, &box)) return;
    uint32_t buffer_rank = buffer->type.rank;
    if (box == 0 ? buffer_rank <= rank : box == buffer_rank) return;
    cake_diagnostic *diagnostic =
        box == 0
            ? cake_resolve_report(resolver, CAKE_L318, tensor->span,
                                  "the buffer has rank %u, more than the tensor's %u", buffer_rank, rank)
            : cake_resolve_report(resolver, CAKE_L318, tensor->span,
                                  "the box has %u dimension%s (':' and 'base :+ length'), and the buffer has rank %u",
                                  box, box == 1 ? "" : "s", buffer_rank);
    cake_diagnostic_note(resolver->diagnostics, diagnostic, buffer->span, "the buffer");
}

/* ---- copies ---- */

static void resolve_tma_load(cake_resolver *resolver, cake_stmt *stmt) {
    cake_expr *to = stmt->u.copy.to, *from = stmt->u.copy.from;
    cake_type target = cake_resolve_place(resolver, to, CAKE_ACCESS_WRITE);
    cake_type source = cake_resolve_place(resolver, from, CAKE_ACCESS_COPY);
    cake_resolve_clauses(resolver, &stmt->u.copy.clauses, target, stmt->span);
    if (stmt->u.copy.multicast) {
        cake_resolve_need(resolver, CAKE_FEATURE_CLUSTER, stmt->span, "a cluster");
        cake_resolve_need_cluster(resolver, stmt->span, "'multicast'");
    }
    if (cake_resolve_is_error(target) || cake_resolve_is_error(source)) return;
    if (!check_slot(resolver, stmt) || !check_tensor(resolver, stmt, from)) return;
    if (check_copied_dtypes(resolver, stmt, target, source)) check_box(resolver, from, to);
}

static void resolve_async_load(cake_resolver *resolver, cake_stmt *stmt) {
    cake_expr *to = stmt->u.copy.to, *from = stmt->u.copy.from;
    cake_type target = cake_resolve_place(resolver, to, CAKE_ACCESS_WRITE);
    cake_type source = cake_resolve_place(resolver, from, CAKE_ACCESS_READ);
    cake_resolve_clauses(resolver, &stmt->u.copy.clauses, target, stmt->span);
    if (cake_resolve_is_error(target) || cake_resolve_is_error(source)) return;
    if (!check_slot(resolver, stmt) || !check_tensor(resolver, stmt, from)) return;
    if (!check_copied_dtypes(resolver, stmt, target, source) || target.rank == source.rank) return;
    cake_resolve_report(resolver, CAKE_L318, from->span, "the slice has rank %u, and the buffer has rank %u",
                        source.rank, target.rank);
}

static bool check_reduction(cake_resolver *resolver, const cake_stmt *stmt) {
    static const char *const operations[] = {"add", "min", "max", "and", "or", "xor"};
    if (stmt->kind != CAKE_STMT_TMA_REDUCE) return true;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (strcmp(stmt->u.copy.reduce, operations[i]) == 0) return true;
    }
    cake_resolve_report(resolver, CAKE_L219, stmt->span, "'tma.reduce' knows add, min, max, and, or, xor, not '%s'",
                        stmt->u.copy.reduce);
    return false;
}

static void resolve_tma_store(cake_resolver *resolver, cake_stmt *stmt) {
    cake_expr *to = stmt->u.copy.to, *from = stmt->u.copy.from;
    cake_type target = cake_resolve_place(resolver, to, CAKE_ACCESS_WRITE);
    cake_type source = cake_resolve_place(resolver, from, CAKE_ACCESS_READ);
    if (!check_reduction(resolver, stmt)) return;
    if (cake_resolve_is_error(target) || cake_resolve_is_error(source)) return;
    if (!check_tensor(resolver, stmt, to) || !check_shared(resolver, stmt, from)) return;
    if (check_copied_dtypes(resolver, stmt, target, source)) check_box(resolver, to, from);
}

static void resolve_store(cake_resolver *resolver, cake_stmt *stmt) {
    cake_expr *place = stmt->u.store.place, *value = stmt->u.store.value;
    cake_type target = cake_resolve_place(resolver, place, CAKE_ACCESS_WRITE);
    cake_type type = cake_resolve_value(resolver, value);
    cake_resolve_clauses(resolver, &stmt->u.store.clauses, target, stmt->span);
    if (cake_resolve_is_error(target)) return;
    const cake_symbol *symbol = memory_of(place);
    if (symbol && symbol->kind == CAKE_SYMBOL_BUFFER && symbol->buffer->tensor_memory)
        report_end(resolver, stmt, place, "a tensor or shared memory (tensor memory is written by 'tcgen05.mma')");
    else
        (void)cake_resolve_fits(resolver, value, type, target, "the place");
}

/* ---- matrix units ---- */

static bool check_rank_two(cake_resolver *resolver, const cake_expr *operand, cake_type type, const char *what) {
    if (type.rank == 2) return true;
    cake_resolve_report(resolver, CAKE_L319, operand->span, "%s has rank 2, and this is %s", what,
                        cake_resolve_type_text(resolver, type));
    return false;
}

static void report_operand(cake_resolver *resolver, const cake_stmt *stmt, const cake_expr *operand, const char *what,
                           const char *wanted) {
    cake_resolve_report(resolver, CAKE_L319, operand->span, "'%s': %s is %s", cake_stmt_name(stmt->kind), what, wanted);
}

/* Registers hold operands along K only: x as it is, y as y.T. */
static void check_orientation(cake_resolver *resolver, const cake_stmt *stmt, const cake_expr *operand) {
    bool is_transposed = operand->kind == CAKE_EXPR_TRANSPOSE;
    if (operand == stmt->u.matrix.x && is_transposed)
        report_operand(resolver, stmt, operand, "a transposed left operand", "a place in shared memory");
    if (operand == stmt->u.matrix.y && !is_transposed)
        report_operand(resolver, stmt, operand, "a right operand without '.T'", "a place in shared memory");
}

/* An operand is a place in shared memory or, where the instruction has that form, a tile in registers. */
static void resolve_operand(cake_resolver *resolver, const cake_stmt *stmt, cake_expr *operand, const char *what,
                            bool in_registers) {
    cake_type type = cake_resolve_type(resolver, operand);
    const char *wanted = in_registers ? "a tile in registers or a place in shared memory" : "a place in shared memory";
    switch (type.kind) {
    case CAKE_TYPE_ERROR:
        return;
    case CAKE_TYPE_OBJECT:
        (void)cake_resolve_as_value(resolver, operand);
        return;
    case CAKE_TYPE_VALUE:
        if (!in_registers)
            report_operand(resolver, stmt, operand, what, wanted);
        else if (check_rank_two(resolver, operand, type, what))
            check_orientation(resolver, stmt, operand);
        return;
    case CAKE_TYPE_MEMORY:
        break;
    }
    if (!is_buffer(memory_of(operand)))
        report_operand(resolver, stmt, operand, what, wanted);
    else if (cake_resolve_may_access(resolver, operand, CAKE_ACCESS_READ))
        (void)check_rank_two(resolver, operand, type, what);
}

static bool is_variable(const cake_expr *place) {
    const cake_expr *base = place->kind == CAKE_EXPR_INDEX ? place->u.index.base : place;
    return base->kind == CAKE_EXPR_NAME && base->u.name.symbol && base->u.name.symbol->kind == CAKE_SYMBOL_VAR;
}

static void resolve_accumulator(cake_resolver *resolver, const cake_stmt *stmt) {
    cake_expr *place = stmt->u.matrix.accumulator;
    cake_type type;
    if (stmt->kind == CAKE_STMT_TCGEN05_MMA) {
        type = cake_resolve_place(resolver, place, CAKE_ACCESS_WRITE);
        const cake_symbol *symbol = memory_of(place);
        if (cake_resolve_is_error(type)) return;
        if (!symbol || symbol->kind != CAKE_SYMBOL_BUFFER || !symbol->buffer->tensor_memory) {
            report_operand(resolver, stmt, place, "the accumulator", "in tensor memory (tmem)");
            return;
        }
    } else {
        type = cake_resolve_type(resolver, place);
        if (cake_resolve_is_error(type)) return;
        if (!is_variable(place)) {
            report_operand(resolver, stmt, place, "the accumulator", "a 'var' of the role");
            return;
        }
    }
    (void)check_rank_two(resolver, place, type, "an accumulator");
}

static void resolve_matrix(cake_resolver *resolver, cake_stmt *stmt) {
    bool is_mma = stmt->kind == CAKE_STMT_MMA;
    resolve_accumulator(resolver, stmt);
    resolve_operand(resolver, stmt, stmt->u.matrix.x, "the left operand", stmt->kind != CAKE_STMT_TCGEN05_MMA);
    resolve_operand(resolver, stmt, stmt->u.matrix.y, "the right operand", is_mma);
    if (!stmt->u.matrix.pair) return;
    if (stmt->kind != CAKE_STMT_TCGEN05_MMA)
        cake_resolve_report(resolver, CAKE_L314, stmt->span, "'pair' is a form of 'tcgen05.mma' alone");
    else
        cake_resolve_need_cluster(resolver, stmt->span, "'pair'");
}

void cake_resolve_transfer(cake_resolver *resolver, cake_stmt *stmt) {
    if (stmt->kind == CAKE_STMT_STORE) {
        cake_access_clauses *clauses = &stmt->u.store.clauses;
        cake_expr *parts[] = {stmt->u.store.place, stmt->u.store.value, clauses->vec, clauses->where};
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            cake_resolve_bind(resolver, parts[i]);
        resolve_store(resolver, stmt);
        return;
    }
    if (stmt->kind == CAKE_STMT_MMA || stmt->kind == CAKE_STMT_WGMMA || stmt->kind == CAKE_STMT_TCGEN05_MMA) {
        cake_resolve_bind(resolver, stmt->u.matrix.accumulator);
        cake_resolve_bind(resolver, stmt->u.matrix.x);
        cake_resolve_bind(resolver, stmt->u.matrix.y);
        resolve_matrix(resolver, stmt);
        return;
    }
    cake_resolve_bind(resolver, stmt->u.copy.to);
    cake_resolve_bind(resolver, stmt->u.copy.from);
    cake_resolve_bind(resolver, stmt->u.copy.clauses.clip_value);
    if (stmt->kind == CAKE_STMT_TMA_LOAD) resolve_tma_load(resolver, stmt);
    if (stmt->kind == CAKE_STMT_ASYNC_LOAD) resolve_async_load(resolver, stmt);
    if (stmt->kind == CAKE_STMT_TMA_STORE || stmt->kind == CAKE_STMT_TMA_REDUCE) resolve_tma_store(resolver, stmt);
}
