/* Statements of a role's body, in order, into the current block. */
#include "plan/internal.h"

static void unbuilt(cake_builder *builder, cake_span span, const char *what) {
    cake_report(builder->diagnostics, CAKE_U001, span, "%s is not lowered yet", what);
}

static void block_into(cake_builder *builder, cake_plan_block *into, const cake_block *block) {
    cake_plan_block *outer = builder->block;
    builder->block = into;
    cake_plan_statements(builder, block);
    builder->block = outer;
}

/* ---- let, var, assignment ---- */

static void let(cake_builder *builder, const cake_stmt *stmt) {
    cake_plan_value *value = cake_plan_expression(builder, stmt->u.let.value);
    cake_plan_name_value(value, stmt->u.let.names.items[0].name);
    builder->bindings[stmt->u.let.symbols[0]->number].value = value;
    if (stmt->u.let.names.count < 2 || !value) return;
    if (stmt->u.let.value->kind == CAKE_EXPR_CALL && stmt->u.let.value->u.call.builtin == CAKE_BUILTIN_NONE)
        builder->bindings[stmt->u.let.symbols[1]->number].value =
            cake_plan_expression(builder, stmt->u.let.value->u.call.expansion_second);
    else /* reduce or scan over two tiles */
        builder->bindings[stmt->u.let.symbols[1]->number].value = value->definition->second;
    cake_plan_name_value(builder->bindings[stmt->u.let.symbols[1]->number].value, stmt->u.let.names.items[1].name);
}

static cake_dtype variable_dtype(cake_dtype dtype) {
    if (dtype == CAKE_DTYPE_INDEX) return CAKE_DTYPE_I64;
    return dtype == CAKE_DTYPE_REAL ? CAKE_DTYPE_F32 : dtype;
}

static cake_plan_variable *new_variable(cake_builder *builder, const cake_stmt *stmt, cake_dtype dtype,
                                        const cake_shape *shape) {
    cake_plan_variable *variable = CAKE_NEW(builder->arena, cake_plan_variable);
    variable->name = stmt->u.var.name;
    variable->span = stmt->u.var.name_span;
    variable->dtype = dtype;
    variable->shape = *shape;
    if (shape->rank) variable->layout_class = cake_plan_class_new(builder, shape);
    *CAKE_PUSH(builder->arena, &builder->plan->variables) = variable;
    variable->number = builder->plan->variables.count;
    return variable;
}

static void write_mismatch(cake_builder *builder, cake_span span, const cake_shape *value, const cake_shape *variable) {
    cake_text text;
    cake_text_init(&text, builder->arena);
    cake_shape_print(value, &text);
    cake_text_add_string(&text, " to a variable or slice of shape ");
    cake_shape_print(variable, &text);
    cake_report(builder->diagnostics, CAKE_L404, span, "a value of shape %s", cake_text_string(&text));
}

/* Writes the variable, or the slice of it at 'offsets' when given. Scalars go to every element. */
static void write(cake_builder *builder, cake_span span, cake_plan_variable *variable, const uint32_t *offsets,
                  const cake_shape *shape, cake_plan_value *value) {
    value = cake_plan_convert(builder, value, variable->dtype);
    if (!value) return;
    if (value->shape.rank && !cake_shape_equal(&value->shape, shape)) {
        write_mismatch(builder, span, &value->shape, shape);
        return;
    }
    cake_plan_op *op = cake_plan_append(builder, CAKE_PLAN_WRITE);
    op->operands[op->operand_count++] = value;
    op->u.variable.variable = variable;
    if (!value->is_constant || value->integer != 0 || value->real != 0.0) variable->computed = true;
    op->u.variable.whole = cake_shape_equal(shape, &variable->shape);
    op->u.variable.shape = *shape;
    for (uint8_t d = 0; offsets && d < shape->rank; d++)
        op->u.variable.offsets[d] = offsets[d];
    if (value->shape.rank == 0) return;
    if (op->u.variable.whole)
        cake_plan_class_join(builder, value->layout_class, variable->layout_class);
    else
        cake_plan_relate(builder, CAKE_RELATION_SLICE, value->layout_class, variable->layout_class, 0, offsets);
}

static void var(cake_builder *builder, const cake_stmt *stmt) {
    cake_plan_value *value = NULL;
    if (stmt->u.var.value && !(value = cake_plan_expression(builder, stmt->u.var.value))) return;
    cake_shape shape = value ? value->shape : (cake_shape){0};
    cake_dtype dtype = stmt->u.var.has_type ? stmt->u.var.type.dtype : variable_dtype(value->dtype);
    if (stmt->u.var.has_type && !cake_plan_shape(builder, &stmt->u.var.type, &shape)) return;
    cake_plan_variable *variable = new_variable(builder, stmt, dtype, &shape);
    builder->bindings[stmt->u.var.symbol->number].variable = variable;
    if (value) write(builder, stmt->span, variable, NULL, &variable->shape, value);
}

static void assign(cake_builder *builder, const cake_stmt *stmt) {
    const cake_expr *place = stmt->u.assign.place;
    const cake_expr *base = place->kind == CAKE_EXPR_INDEX ? place->u.index.base : place;
    cake_plan_variable *variable = cake_plan_variable_of(builder, base);
    if (!variable) return; /* its declaration had an error */
    uint32_t offsets[CAKE_MAX_RANK] = {0};
    cake_shape shape = variable->shape;
    if (place->kind == CAKE_EXPR_INDEX && !cake_plan_slice(builder, place, variable, offsets, &shape)) return;
    cake_plan_value *value = cake_plan_expression(builder, stmt->u.assign.value);
    if (value && stmt->u.assign.add) {
        if (!cake_plan_is_computable(builder, place->span, variable->dtype)) return;
        cake_plan_value *old = cake_plan_expression(builder, place);
        value = cake_plan_convert(builder, value, variable->dtype);
        value = old && value ? cake_plan_binary(builder, CAKE_BINARY_ADD, old, value) : NULL;
    }
    if (value) write(builder, stmt->span, variable, offsets, &shape, value);
}

/* ---- control ---- */

/* The tile is below the number of tiles in the body: the operation that gives it doesn't know. */
static cake_plan_value *claimed_tile(cake_builder *builder, cake_plan_value *claimed, int64_t last) {
    cake_plan_value *tile = cake_plan_convert(builder, claimed, CAKE_DTYPE_INDEX);
    tile->high = last;
    return tile;
}

/* while the next tile of the counter is one */
static void for_claimed_tile(cake_builder *builder, const cake_stmt *stmt, cake_plan_value *tiles) {
    cake_plan_op *op = cake_plan_append(builder, CAKE_PLAN_WHILE);
    cake_plan_block *outer = builder->block;
    int64_t most = tiles->high > 0 ? tiles->high : 1;
    op->u.loop_while.tiles = true;
    op->u.loop_while.bound = most;
    builder->block = &op->u.loop_while.condition;
    cake_plan_value *claimed = cake_plan_claim(builder);
    cake_plan_value *number = cake_plan_convert(builder, claimed, CAKE_DTYPE_INDEX);
    op->u.loop_while.value = cake_plan_binary(builder, CAKE_BINARY_LT, number, tiles);
    builder->block = &op->u.loop_while.body;
    cake_plan_bind_tile(builder, claimed_tile(builder, claimed, most - 1));
    cake_plan_statements(builder, &stmt->u.for_tile.body);
    builder->block = outer;
}

static void for_tile(cake_builder *builder, const cake_stmt *stmt) {
    const cake_plan_value *tiles = builder->plan->launch.tiles;
    if (!tiles) return;
    if (builder->plan->launch.claim) {
        for_claimed_tile(builder, stmt, (cake_plan_value *)tiles);
        return;
    }
    cake_plan_value *from = cake_plan_cluster_number(builder, CAKE_PLAN_CTA_ID, 0, tiles->high);
    cake_plan_value *step =
        cake_plan_cluster_number(builder, CAKE_PLAN_GRID_SIZE, 1, tiles->high > 1 ? tiles->high : 1);
    cake_plan_op *op = cake_plan_append(builder, CAKE_PLAN_FOR);
    op->u.loop.from = from;
    op->u.loop.to = (cake_plan_value *)tiles;
    op->u.loop.step = step;
    op->u.loop.tiles = true;
    op->u.loop.induction =
        cake_plan_leaf(builder, CAKE_PLAN_INDUCTION, CAKE_DTYPE_INDEX, 0, tiles->high > 0 ? tiles->high - 1 : 0);
    cake_plan_block *outer = builder->block;
    builder->block = &op->u.loop.body;
    cake_plan_bind_tile(builder, op->u.loop.induction);
    cake_plan_statements(builder, &stmt->u.for_tile.body);
    builder->block = outer;
}

static cake_plan_value *bound(cake_builder *builder, const cake_expr *expr) {
    cake_plan_value *value = cake_plan_expression(builder, expr);
    return value ? cake_plan_convert(builder, value, CAKE_DTYPE_INDEX) : NULL;
}

static void expand(cake_builder *builder, const cake_stmt *stmt, int64_t from, int64_t to, int64_t step) {
    for (int64_t i = from; i < to; i += step) {
        if (builder->operations > CAKE_MAX_OPERATIONS) {
            cake_report(builder->diagnostics, CAKE_L405, stmt->span,
                        "unrolling this loop makes more than %d operations", CAKE_MAX_OPERATIONS);
            return;
        }
        builder->operations++;
        builder->bindings[stmt->u.loop.symbol->number].value = cake_plan_constant_index(builder, i);
        uint32_t errors = builder->diagnostics->error_count;
        cake_plan_statements(builder, &stmt->u.loop.body);
        if (builder->diagnostics->error_count != errors) return; /* the same again in every turn */
    }
}

static void loop(cake_builder *builder, const cake_stmt *stmt) {
    cake_plan_value *from = bound(builder, stmt->u.loop.from), *to = bound(builder, stmt->u.loop.to);
    cake_plan_value *step =
        stmt->u.loop.step ? bound(builder, stmt->u.loop.step) : cake_plan_constant_index(builder, 1);
    if (!from || !to || !step) return;
    if (step->low < 1) {
        cake_report(builder->diagnostics, CAKE_L402, stmt->u.loop.step->span, "the step may be zero or negative");
        return;
    }
    bool whole = stmt->u.loop.unroll && !stmt->u.loop.unroll_by;
    if (whole && from->is_constant && to->is_constant && step->is_constant) {
        expand(builder, stmt, from->low, to->low, step->low);
        return;
    }
    if (whole) {
        cake_report(builder->diagnostics, CAKE_L403, stmt->span,
                    "the bounds of an unrolled loop must be known at compile time");
        return;
    }
    int64_t unroll = 0;
    if (stmt->u.loop.unroll_by && !cake_plan_integer(builder, stmt->u.loop.unroll_by, "the unroll factor", &unroll))
        return;
    if (to->high <= from->low) return; /* never runs */
    cake_plan_op *op = cake_plan_append(builder, CAKE_PLAN_FOR);
    op->u.loop.from = from;
    op->u.loop.to = to;
    op->u.loop.step = step;
    op->u.loop.unroll = unroll > 0 && unroll <= 64 ? (uint32_t)unroll : 0;
    op->u.loop.at_least_once = from->high < to->low;
    op->u.loop.induction = cake_plan_leaf(builder, CAKE_PLAN_INDUCTION, CAKE_DTYPE_INDEX, from->low, to->high - 1);
    cake_plan_op *leaf = (cake_plan_op *)op->u.loop.induction->definition;
    leaf->operands[leaf->operand_count++] = from;
    leaf->operands[leaf->operand_count++] = step;
    cake_plan_name_value(op->u.loop.induction, stmt->u.loop.name);
    builder->bindings[stmt->u.loop.symbol->number].value = op->u.loop.induction;
    block_into(builder, &op->u.loop.body, &stmt->u.loop.body);
}

static void loop_while(cake_builder *builder, const cake_stmt *stmt) {
    int64_t rounds;
    if (!cake_plan_integer(builder, stmt->u.loop_while.bound, "the bound of 'while'", &rounds)) return;
    cake_plan_op *op = cake_plan_append(builder, CAKE_PLAN_WHILE);
    op->u.loop_while.bound = rounds;
    cake_plan_block *outer = builder->block;
    builder->block = &op->u.loop_while.condition;
    op->u.loop_while.value = cake_plan_expression(builder, stmt->u.loop_while.condition);
    builder->block = outer;
    block_into(builder, &op->u.loop_while.body, &stmt->u.loop_while.body);
}

static void branch(cake_builder *builder, const cake_stmt *stmt) {
    cake_plan_value *condition = cake_plan_expression(builder, stmt->u.branch.condition);
    if (!condition) return;
    if (condition->is_constant) {
        cake_plan_statements(builder, condition->integer ? &stmt->u.branch.then : &stmt->u.branch.otherwise);
        return;
    }
    cake_plan_op *op = cake_plan_append(builder, CAKE_PLAN_IF);
    op->u.branch.condition = condition;
    block_into(builder, &op->u.branch.then, &stmt->u.branch.then);
    block_into(builder, &op->u.branch.otherwise, &stmt->u.branch.otherwise);
}

/* ---- synchronisation ---- */

static void slot(cake_builder *builder, const cake_stmt *stmt, cake_plan_op_kind kind) {
    const cake_plan_pipeline *pipeline = cake_plan_pipeline_find(builder->plan, stmt->u.object.object.name);
    int64_t keep = 0;
    if (!pipeline) return;
    if (stmt->u.object.keep && !cake_plan_integer(builder, stmt->u.object.keep, "'keep'", &keep)) return;
    if (keep < 0 || keep >= pipeline->stages) {
        cake_report(builder->diagnostics, CAKE_H208, stmt->span, "'keep %lld' of a pipeline with %u stages: 0 to %u",
                    (long long)keep, pipeline->stages, pipeline->stages - 1);
        return;
    }
    cake_plan_op *op = cake_plan_append(builder, kind);
    op->u.slot.pipeline = pipeline;
    op->u.slot.keep = (uint32_t)keep;
}

static void baton(cake_builder *builder, const cake_stmt *stmt, cake_plan_op_kind kind) {
    for (uint32_t i = 0; i < builder->plan->batons.count; i++)
        if (builder->plan->batons.items[i]->name == stmt->u.object.object.name)
            cake_plan_append(builder, kind)->u.baton = builder->plan->batons.items[i];
}

static void signal(cake_builder *builder, const cake_stmt *stmt, cake_plan_op_kind kind) {
    const cake_expr *place = stmt->u.signal.place;
    cake_plan_value *rank = NULL;
    if (place->kind == CAKE_EXPR_PEER && kind == CAKE_PLAN_AWAIT_SIGNAL) {
        unbuilt(builder, stmt->span, "waiting for another rank's signal");
        return;
    }
    if (place->kind == CAKE_EXPR_PEER) {
        if (!(rank = cake_plan_peer_rank(builder, place->u.peer.rank))) return;
        place = place->u.peer.place;
    }
    for (uint32_t i = 0; i < builder->plan->signals.count; i++) {
        if (builder->plan->signals.items[i]->name != place->u.name.text) continue;
        cake_plan_op *op = cake_plan_append(builder, kind);
        op->u.signal = builder->plan->signals.items[i];
        if (!rank) return;
        builder->plan->signals.items[i]->remote = true;
        op->operands[op->operand_count++] = rank;
    }
}

static void counted(cake_builder *builder, const cake_stmt *stmt, cake_plan_op_kind kind) {
    int64_t count;
    if (!cake_plan_integer(builder, stmt->u.wait.count, "the number of groups", &count)) return;
    if (count < 0 || count > CAKE_LIMIT_PENDING_GROUPS) {
        cake_report(builder->diagnostics, CAKE_L405, stmt->u.wait.count->span, "0 to 7 groups may stay pending");
        return;
    }
    cake_plan_append(builder, kind)->u.count = (uint32_t)count;
}

static void facts(cake_builder *builder, const cake_stmt *stmt) {
    for (uint32_t i = 0; i < stmt->u.facts.conditions.count; i++) {
        const cake_expr *condition = stmt->u.facts.conditions.items[i];
        cake_plan_value *value = condition->type.rank ? NULL : cake_plan_expression(builder, condition);
        if (stmt->kind == CAKE_STMT_CHECK && value && value->is_constant && !value->integer)
            cake_report(builder->diagnostics, CAKE_L407, condition->span, "this is false for the values chosen");
    }
}

static void evaluate(cake_builder *builder, const cake_expr *expr) {
    if (expr->kind == CAKE_EXPR_ATOMIC)
        (void)cake_plan_atomic(builder, expr, false);
    else if (expr->kind == CAKE_EXPR_AWAIT)
        (void)cake_plan_poll(builder, expr, false);
    else
        (void)cake_plan_expression(builder, expr);
}

static void statement(cake_builder *builder, const cake_stmt *stmt) {
    switch (stmt->kind) {
    case CAKE_STMT_LET:
        let(builder, stmt);
        return;
    case CAKE_STMT_VAR:
        var(builder, stmt);
        return;
    case CAKE_STMT_ASSIGN:
        assign(builder, stmt);
        return;
    case CAKE_STMT_FOR_TILE:
        for_tile(builder, stmt);
        return;
    case CAKE_STMT_FOR:
        loop(builder, stmt);
        return;
    case CAKE_STMT_WHILE:
        loop_while(builder, stmt);
        return;
    case CAKE_STMT_IF:
        branch(builder, stmt);
        return;
    case CAKE_STMT_ACQUIRE:
        slot(builder, stmt, CAKE_PLAN_ACQUIRE);
        return;
    case CAKE_STMT_COMMIT:
        slot(builder, stmt, CAKE_PLAN_COMMIT);
        return;
    case CAKE_STMT_WAIT:
        slot(builder, stmt, CAKE_PLAN_WAIT);
        return;
    case CAKE_STMT_RELEASE:
        slot(builder, stmt, CAKE_PLAN_RELEASE);
        return;
    case CAKE_STMT_TAKE:
        baton(builder, stmt, CAKE_PLAN_TAKE);
        return;
    case CAKE_STMT_PASS:
        baton(builder, stmt, CAKE_PLAN_PASS);
        return;
    case CAKE_STMT_TMA_LOAD:
    case CAKE_STMT_TMA_STORE:
    case CAKE_STMT_TMA_REDUCE:
        cake_plan_tma(builder, stmt);
        return;
    case CAKE_STMT_STORE:
        cake_plan_store(builder, stmt);
        return;
    case CAKE_STMT_WGMMA:
        cake_plan_wgmma(builder, stmt);
        return;
    case CAKE_STMT_WGMMA_COMMIT:
        cake_plan_append(builder, CAKE_PLAN_WGMMA_COMMIT);
        return;
    case CAKE_STMT_WGMMA_WAIT:
        counted(builder, stmt, CAKE_PLAN_WGMMA_WAIT);
        return;
    case CAKE_STMT_BULK_COMMIT:
        cake_plan_append(builder, CAKE_PLAN_BULK_COMMIT);
        return;
    case CAKE_STMT_BULK_WAIT:
        counted(builder, stmt, CAKE_PLAN_BULK_WAIT);
        return;
    case CAKE_STMT_BULK_WAIT_READ:
        counted(builder, stmt, CAKE_PLAN_BULK_WAIT_READ);
        return;
    case CAKE_STMT_FENCE_ASYNC:
        cake_plan_append(builder, CAKE_PLAN_FENCE_ASYNC);
        return;
    case CAKE_STMT_SYNC_TEAM:
        cake_plan_append(builder, CAKE_PLAN_SYNC_TEAM);
        return;
    case CAKE_STMT_SYNC_ROLE:
        cake_plan_append(builder, CAKE_PLAN_SYNC_ROLE);
        return;
    case CAKE_STMT_SYNC_CTA:
        cake_plan_append(builder, CAKE_PLAN_SYNC_CTA);
        return;
    case CAKE_STMT_GRID_WAIT:
        cake_plan_append(builder, CAKE_PLAN_GRID_WAIT);
        builder->plan->launch.waits_for_grid = true;
        return;
    case CAKE_STMT_GRID_TRIGGER:
        cake_plan_append(builder, CAKE_PLAN_GRID_TRIGGER);
        return;
    case CAKE_STMT_ASSUME:
    case CAKE_STMT_CHECK:
        facts(builder, stmt);
        return;
    case CAKE_STMT_ARRIVE:
        signal(builder, stmt, CAKE_PLAN_ARRIVE);
        return;
    case CAKE_STMT_AWAIT_SIGNAL:
        signal(builder, stmt, CAKE_PLAN_AWAIT_SIGNAL);
        return;
    case CAKE_STMT_EVALUATE:
        evaluate(builder, stmt->u.evaluate.value);
        return;
    case CAKE_STMT_ASYNC_LOAD:
        cake_plan_async_load(builder, stmt);
        return;
    case CAKE_STMT_MMA:
        cake_plan_mma(builder, stmt);
        return;
    case CAKE_STMT_TCGEN05_MMA:
        unbuilt(builder, stmt->span, "'tcgen05.mma'");
        return;
    case CAKE_STMT_SYNC_CLUSTER:
        cake_plan_append(builder, CAKE_PLAN_SYNC_CLUSTER);
        return;
    case CAKE_STMT_COUNT:
        return;
    }
}

void cake_plan_statements(cake_builder *builder, const cake_block *block) {
    cake_span outer = builder->span;
    for (uint32_t i = 0; i < block->statements.count; i++) {
        builder->span = block->statements.items[i]->span;
        statement(builder, block->statements.items[i]);
    }
    builder->span = outer;
}
