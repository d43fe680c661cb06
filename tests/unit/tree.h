/* A module's expressions as fully bracketed text, in the order of the source: two modules are equal if both their
 * printed text and this are, since the printed text shows everything but where its parentheses were. */
#ifndef CAKE_TESTS_UNIT_TREE_H
#define CAKE_TESTS_UNIT_TREE_H

#include <inttypes.h>

#include "ir/module.h"

static inline void tree_expr(cake_text *out, const cake_expr *expr);

static inline void tree_list(cake_text *out, const cake_expr_list *list) {
    for (uint32_t i = 0; i < list->count; i++)
        tree_expr(out, list->items[i]);
}

static inline void tree_clauses(cake_text *out, const cake_access_clauses *clauses) {
    if (clauses->vec) {
        cake_text_add_string(out, " vec");
        tree_expr(out, clauses->vec);
    }
    if (clauses->clip) cake_text_add_string(out, " clip");
    tree_expr(out, clauses->clip_value);
    if (clauses->where) {
        cake_text_add_string(out, " where");
        tree_expr(out, clauses->where);
    }
    if (clauses->cache) cake_text_format(out, " cache %s", clauses->cache);
}

static inline void tree_items(cake_text *out, const cake_expr *expr) {
    for (uint32_t i = 0; i < expr->u.index.items.count; i++) {
        const cake_item *item = &expr->u.index.items.items[i];
        static const char *const names[] = {" :", " None", "", " :+"};
        cake_text_add_string(out, names[item->kind]);
        tree_expr(out, item->base);
        tree_expr(out, item->length);
    }
}

static inline void tree_call(cake_text *out, const cake_expr *expr) {
    cake_text_format(out, "%s/%u", expr->u.call.function, expr->u.call.modifiers);
    for (uint32_t i = 0; i < expr->u.call.arguments.count; i++) {
        const cake_argument *argument = &expr->u.call.arguments.items[i];
        if (argument->keyword) cake_text_format(out, " %s=", argument->keyword);
        tree_expr(out, argument->value);
        if (argument->within) cake_text_format(out, " within%d", argument->within);
    }
}

static inline void tree_chain(cake_text *out, const cake_expr *expr) {
    for (uint32_t i = 0; i < expr->u.compare.operands.count; i++) {
        if (i > 0) cake_text_format(out, " %s", cake_binary_name(expr->u.compare.ops.items[i - 1]));
        tree_expr(out, expr->u.compare.operands.items[i]);
    }
}

/* " (KIND ..)", or nothing for null. */
static inline void tree_expr(cake_text *out, const cake_expr *expr) {
    if (!expr) return;
    cake_text_add_string(out, " ");
    switch (expr->kind) {
    case CAKE_EXPR_INT:
        cake_text_format(out, expr->u.integer.hexadecimal ? "0x%" PRIx64 : "%" PRIu64, expr->u.integer.value);
        return;
    case CAKE_EXPR_FLOAT:
        cake_text_format(out, "%.17gf", expr->u.real);
        return;
    case CAKE_EXPR_INF:
        cake_text_add_string(out, "inf");
        return;
    case CAKE_EXPR_NAN:
        cake_text_add_string(out, "nan");
        return;
    case CAKE_EXPR_BOOL:
        cake_text_add_string(out, expr->u.boolean ? "true" : "false");
        return;
    case CAKE_EXPR_NAME:
        cake_text_add_string(out, expr->u.name.text);
        return;
    case CAKE_EXPR_UNARY:
        cake_text_format(out, "(%s", cake_unary_name(expr->u.unary.op));
        tree_expr(out, expr->u.unary.operand);
        break;
    case CAKE_EXPR_BINARY:
        cake_text_format(out, "(%s", cake_binary_name(expr->u.binary.op));
        tree_expr(out, expr->u.binary.left);
        tree_expr(out, expr->u.binary.right);
        break;
    case CAKE_EXPR_COMPARE:
        cake_text_add_string(out, "(compare");
        tree_chain(out, expr);
        break;
    case CAKE_EXPR_IN:
        cake_text_add_string(out, expr->u.in.set.is_range ? "(in .." : "(in {}");
        tree_expr(out, expr->u.in.left);
        tree_list(out, &expr->u.in.set.items);
        break;
    case CAKE_EXPR_CAST:
    case CAKE_EXPR_BITCAST:
        cake_text_format(out, "(%s %s", expr->kind == CAKE_EXPR_CAST ? "cast" : "bitcast",
                         cake_dtype_name(expr->u.cast.dtype));
        tree_expr(out, expr->u.cast.operand);
        cake_text_add_string(out, expr->u.cast.saturate ? " sat" : "");
        cake_text_add_string(out, expr->u.cast.rounding ? " rz" : "");
        break;
    case CAKE_EXPR_RELAYOUT:
        cake_text_add_string(out, "(relayout");
        tree_expr(out, expr->u.unary.operand);
        break;
    case CAKE_EXPR_LOAD:
        cake_text_add_string(out, "(load");
        tree_expr(out, expr->u.load.place);
        tree_clauses(out, &expr->u.load.clauses);
        break;
    case CAKE_EXPR_ATOMIC:
        cake_text_format(out, "(atomic.%s %d %d", cake_atomic_name(expr->u.atomic.op), expr->u.atomic.scope,
                         expr->u.atomic.order);
        tree_expr(out, expr->u.atomic.place);
        tree_list(out, &expr->u.atomic.operands);
        cake_text_add_string(out, expr->u.atomic.where ? " where" : "");
        tree_expr(out, expr->u.atomic.where);
        break;
    case CAKE_EXPR_AWAIT:
        cake_text_add_string(out, "(await");
        tree_expr(out, expr->u.await.place);
        tree_expr(out, expr->u.await.until);
        cake_text_add_string(out, " from");
        tree_list(out, &expr->u.await.from);
        break;
    case CAKE_EXPR_INDEX:
        cake_text_add_string(out, "([]");
        tree_expr(out, expr->u.index.base);
        tree_items(out, expr);
        break;
    case CAKE_EXPR_TRANSPOSE:
        cake_text_add_string(out, "(.T");
        tree_expr(out, expr->u.unary.operand);
        break;
    case CAKE_EXPR_AGE:
        cake_text_format(out, "(@%" PRIu32, expr->u.age.age);
        tree_expr(out, expr->u.age.base);
        break;
    case CAKE_EXPR_MEMBER:
        cake_text_format(out, "(.%s", expr->u.member.name);
        tree_expr(out, expr->u.member.base);
        break;
    case CAKE_EXPR_PEER:
        cake_text_add_string(out, "(peer");
        tree_expr(out, expr->u.peer.place);
        tree_expr(out, expr->u.peer.rank);
        break;
    case CAKE_EXPR_CALL:
        cake_text_add_string(out, "(");
        tree_call(out, expr);
        break;
    }
    cake_text_add_string(out, ")");
}

static inline void tree_block(cake_text *out, const cake_block *block);

static inline void tree_stmt(cake_text *out, const cake_stmt *stmt) {
    cake_text_format(out, "\n%s", cake_stmt_name(stmt->kind));
    switch (stmt->kind) {
    case CAKE_STMT_LET:
        tree_expr(out, stmt->u.let.value);
        break;
    case CAKE_STMT_VAR:
        tree_list(out, &stmt->u.var.type.extents);
        tree_expr(out, stmt->u.var.value);
        break;
    case CAKE_STMT_ASSIGN:
        tree_expr(out, stmt->u.assign.place);
        tree_expr(out, stmt->u.assign.value);
        break;
    case CAKE_STMT_FOR_TILE:
        tree_block(out, &stmt->u.for_tile.body);
        break;
    case CAKE_STMT_FOR:
        tree_expr(out, stmt->u.loop.from);
        tree_expr(out, stmt->u.loop.to);
        tree_expr(out, stmt->u.loop.step);
        tree_expr(out, stmt->u.loop.unroll_by);
        tree_block(out, &stmt->u.loop.body);
        break;
    case CAKE_STMT_WHILE:
        tree_expr(out, stmt->u.loop_while.condition);
        tree_expr(out, stmt->u.loop_while.bound);
        tree_block(out, &stmt->u.loop_while.body);
        break;
    case CAKE_STMT_IF:
        tree_expr(out, stmt->u.branch.condition);
        tree_block(out, &stmt->u.branch.then);
        tree_block(out, &stmt->u.branch.otherwise);
        break;
    case CAKE_STMT_ACQUIRE:
    case CAKE_STMT_COMMIT:
    case CAKE_STMT_WAIT:
    case CAKE_STMT_RELEASE:
    case CAKE_STMT_TAKE:
    case CAKE_STMT_PASS:
        tree_expr(out, stmt->u.object.keep);
        break;
    case CAKE_STMT_ARRIVE:
    case CAKE_STMT_AWAIT_SIGNAL:
        tree_expr(out, stmt->u.signal.place);
        break;
    case CAKE_STMT_EVALUATE:
        tree_expr(out, stmt->u.evaluate.value);
        break;
    case CAKE_STMT_TMA_LOAD:
    case CAKE_STMT_ASYNC_LOAD:
    case CAKE_STMT_TMA_STORE:
    case CAKE_STMT_TMA_REDUCE:
        tree_expr(out, stmt->u.copy.to);
        tree_expr(out, stmt->u.copy.from);
        tree_clauses(out, &stmt->u.copy.clauses);
        break;
    case CAKE_STMT_STORE:
        tree_expr(out, stmt->u.store.place);
        tree_expr(out, stmt->u.store.value);
        tree_clauses(out, &stmt->u.store.clauses);
        break;
    case CAKE_STMT_MMA:
    case CAKE_STMT_WGMMA:
    case CAKE_STMT_TCGEN05_MMA:
        tree_expr(out, stmt->u.matrix.accumulator);
        tree_expr(out, stmt->u.matrix.x);
        tree_expr(out, stmt->u.matrix.y);
        break;
    case CAKE_STMT_WGMMA_WAIT:
    case CAKE_STMT_BULK_WAIT:
    case CAKE_STMT_BULK_WAIT_READ:
        tree_expr(out, stmt->u.wait.count);
        break;
    case CAKE_STMT_ASSUME:
    case CAKE_STMT_CHECK:
        tree_list(out, &stmt->u.facts.conditions);
        break;
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

static inline void tree_block(cake_text *out, const cake_block *block) {
    cake_text_add_string(out, " {");
    for (uint32_t i = 0; i < block->statements.count; i++)
        tree_stmt(out, block->statements.items[i]);
    cake_text_add_string(out, " }");
}

static inline void tree_common(cake_text *out, const cake_common *common) {
    for (uint32_t i = 0; i < common->constants.count; i++)
        tree_expr(out, common->constants.items[i]->value);
    for (uint32_t i = 0; i < common->tunes.count; i++) {
        tree_list(out, &common->tunes.items[i]->set.items);
        tree_expr(out, common->tunes.items[i]->value);
    }
    for (uint32_t i = 0; i < common->definitions.count; i++) {
        tree_expr(out, common->definitions.items[i]->value);
        tree_expr(out, common->definitions.items[i]->second);
    }
}

static inline void tree_signature(cake_text *out, const cake_parameter_list *parameters, const cake_fact_list *facts) {
    for (uint32_t i = 0; i < parameters->count; i++) {
        tree_list(out, &parameters->items[i]->type.extents);
        tree_list(out, &parameters->items[i]->strides);
    }
    for (uint32_t i = 0; i < facts->count; i++)
        tree_expr(out, facts->items[i].condition);
}

static inline void tree_buffer(cake_text *out, const cake_buffer *buffer) {
    tree_list(out, &buffer->type.extents);
    tree_expr(out, buffer->swizzle);
    tree_expr(out, buffer->pad);
    tree_expr(out, buffer->align);
}

static inline void tree_grid(cake_text *out, const cake_grid *grid) {
    for (uint32_t i = 0; i < grid->axes.count; i++) {
        tree_expr(out, grid->axes.items[i].extent);
        tree_expr(out, grid->axes.items[i].ragged_block);
    }
    tree_list(out, &grid->order_arguments);
}

static inline void tree_pipeline(cake_text *out, const cake_pipeline *pipeline) {
    tree_expr(out, pipeline->stages);
    for (uint32_t i = 0; i < pipeline->buffers.count; i++)
        tree_buffer(out, pipeline->buffers.items[i]);
}

static inline void tree_kernel(cake_text *out, const cake_kernel *kernel) {
    tree_signature(out, &kernel->parameters, &kernel->facts);
    tree_common(out, &kernel->common);
    if (kernel->grid) tree_grid(out, kernel->grid);
    for (uint32_t i = 0; i < kernel->roles.count; i++) {
        tree_expr(out, kernel->roles.items[i]->count);
        tree_expr(out, kernel->roles.items[i]->registers);
    }
    for (uint32_t i = 0; i < kernel->pipelines.count; i++)
        tree_pipeline(out, kernel->pipelines.items[i]);
    for (uint32_t i = 0; i < kernel->signals.count; i++)
        tree_expr(out, kernel->signals.items[i]->count);
    for (uint32_t i = 0; i < kernel->views.count; i++) {
        tree_list(out, &kernel->views.items[i]->type.extents);
        tree_expr(out, kernel->views.items[i]->value);
        tree_list(out, &kernel->views.items[i]->strides);
    }
    for (uint32_t i = 0; i < kernel->buffers.count; i++)
        tree_buffer(out, kernel->buffers.items[i]);
    for (uint32_t i = 0; i < kernel->bodies.count; i++)
        tree_block(out, &kernel->bodies.items[i]->block);
    tree_list(out, &kernel->assumes);
    tree_list(out, &kernel->checks);
}

static inline void tree_module(cake_text *out, const cake_module *module) {
    tree_common(out, &module->common);
    for (uint32_t i = 0; i < module->kernels.count; i++)
        tree_kernel(out, module->kernels.items[i]);
    for (uint32_t i = 0; i < module->programs.count; i++) {
        const cake_program *program = module->programs.items[i];
        tree_signature(out, &program->parameters, &program->facts);
        for (uint32_t j = 0; j < program->steps.count; j++) {
            const cake_step *step = &program->steps.items[j];
            if (step->temporary) tree_list(out, &step->temporary->type.extents);
            tree_expr(out, step->fill_value);
            tree_list(out, &step->arguments);
        }
    }
}

#endif
