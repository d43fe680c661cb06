/* Statements of roles: names, control flow, synchronisation. */
#include "frontend/resolve.h"

static void resolve_block(cake_resolver *resolver, cake_block *block);

/* ---- let, var, assignment ---- */

static void declare_let(cake_resolver *resolver, cake_stmt *stmt, uint32_t position, cake_expr *value, cake_type type,
                        cake_time time) {
    const cake_function_parameter *name = &stmt->u.let.names.items[position];
    cake_symbol *symbol = cake_resolve_declare(resolver, CAKE_SYMBOL_LET, name->name, name->span);
    symbol->type = type;
    symbol->value = value;
    symbol->position = position;
    cake_resolve_note(resolver, symbol)->time = time;
    stmt->u.let.symbols[position] = symbol;
}

static void resolve_pair(cake_resolver *resolver, cake_stmt *stmt) {
    cake_expr *value = stmt->u.let.value;
    cake_type first = cake_resolve_type(resolver, value), second = cake_resolve_error();
    if (!cake_resolve_is_error(first) && !cake_resolve_is_pair(value)) {
        cake_resolve_report(resolver, CAKE_L313, value->span, "two names need a call that gives a pair");
        first = cake_resolve_error();
    }
    if (!cake_resolve_is_error(first)) {
        second = value->u.call.expansion_second->type;
        if (value->u.call.builtin != CAKE_BUILTIN_NONE) second.rank = first.rank; /* folded in step */
    }
    declare_let(resolver, stmt, 0, NULL, first, CAKE_TIME_DEVICE);
    declare_let(resolver, stmt, 1, NULL, second, CAKE_TIME_DEVICE);
}

static void resolve_let(cake_resolver *resolver, cake_stmt *stmt) {
    cake_expr *value = stmt->u.let.value;
    cake_resolve_bind(resolver, value);
    if (stmt->u.let.names.count == 2) {
        resolve_pair(resolver, stmt);
        return;
    }
    cake_type type = cake_resolve_value(resolver, value);
    cake_time time = cake_resolve_time(resolver, value, NULL);
    declare_let(resolver, stmt, 0, value, type, time);
}

/* What a variable becomes whose type is not written. */
static cake_type variable_type(cake_type type) {
    if (type.dtype == CAKE_DTYPE_INDEX) type.dtype = CAKE_DTYPE_I64;
    if (type.dtype == CAKE_DTYPE_REAL) type.dtype = CAKE_DTYPE_F32;
    return type;
}

static void resolve_var(cake_resolver *resolver, cake_stmt *stmt) {
    cake_type type = cake_resolve_error();
    cake_expr *value = stmt->u.var.value;
    if (stmt->u.var.has_type) {
        type = cake_resolve_written_type(resolver, &stmt->u.var.type, CAKE_TIME_COMPILE);
        if (!cake_resolve_is_error(type)) type.kind = CAKE_TYPE_VALUE;
    }
    if (value) {
        cake_resolve_bind(resolver, value);
        cake_type value_type = cake_resolve_value(resolver, value);
        if (stmt->u.var.has_type)
            (void)cake_resolve_fits(resolver, value, value_type, type, "the variable");
        else
            type = variable_type(value_type);
    } else if (!stmt->u.var.has_type) {
        cake_resolve_report(resolver, CAKE_L315, stmt->span,
                            "'%s' needs a type or a value: var %s: f32[..] or var %s = ..", stmt->u.var.name,
                            stmt->u.var.name, stmt->u.var.name);
    }
    cake_symbol *symbol = cake_resolve_declare(resolver, CAKE_SYMBOL_VAR, stmt->u.var.name, stmt->u.var.name_span);
    symbol->type = type;
    stmt->u.var.symbol = symbol;
}

static void report_not_assignable(cake_resolver *resolver, const cake_expr *place, cake_type type) {
    const cake_symbol *symbol = cake_resolve_root(place);
    if (type.kind == CAKE_TYPE_MEMORY) {
        cake_resolve_report(resolver, CAKE_L222, place->span,
                            "'=' assigns to a variable; memory is written by 'store'");
        return;
    }
    cake_diagnostic *diagnostic = cake_resolve_report(resolver, CAKE_L222, place->span, "%s cannot be assigned to",
                                                      symbol ? cake_resolve_kind_text(symbol->kind) : "this");
    if (!symbol) return;
    cake_resolve_declared_note(resolver, diagnostic, symbol);
    if (symbol->kind == CAKE_SYMBOL_LET)
        cake_diagnostic_note(resolver->diagnostics, diagnostic, symbol->span, "declare it with 'var' to change it");
}

static bool is_assignable(const cake_expr *place) {
    const cake_expr *base = place->kind == CAKE_EXPR_INDEX ? place->u.index.base : place;
    return base->kind == CAKE_EXPR_NAME && base->u.name.symbol->kind == CAKE_SYMBOL_VAR;
}

static void resolve_assign(cake_resolver *resolver, cake_stmt *stmt) {
    cake_expr *place = stmt->u.assign.place, *value = stmt->u.assign.value;
    cake_resolve_bind(resolver, place);
    cake_resolve_bind(resolver, value);
    cake_type type = cake_resolve_type(resolver, place);
    cake_type value_type = cake_resolve_value(resolver, value);
    if (cake_resolve_is_error(type)) return;
    if (!is_assignable(place)) {
        report_not_assignable(resolver, place, type);
        return;
    }
    if (stmt->u.assign.add && type.dtype == CAKE_DTYPE_BOOL) {
        cake_resolve_report(resolver, CAKE_L302, place->span, "'+=' works on numbers, and this is %s",
                            cake_resolve_type_text(resolver, type));
        return;
    }
    (void)cake_resolve_fits(resolver, value, value_type, type, "the variable");
}

/* ---- loops and branches ---- */

static void resolve_scoped_block(cake_resolver *resolver, cake_block *block) {
    uint32_t mark = cake_resolve_scope_enter(resolver);
    resolve_block(resolver, block);
    cake_resolve_scope_leave(resolver, mark);
}

static void check_coordinates(cake_resolver *resolver, cake_stmt *stmt, const cake_grid *grid) {
    uint32_t count = stmt->u.for_tile.coordinates.count;
    bool match = count == grid->axes.count;
    for (uint32_t i = 0; match && i < count; i++) {
        cake_named_reference *reference = &stmt->u.for_tile.coordinates.items[i];
        reference->symbol = grid->axes.items[i].symbol;
        match = reference->name == grid->axes.items[i].name;
    }
    if (match) return;
    cake_text names;
    cake_text_init(&names, resolver->arena);
    for (uint32_t i = 0; i < grid->axes.count; i++)
        cake_text_format(&names, "%s%s", i ? ", " : "", grid->axes.items[i].name);
    const cake_named_reference *first = stmt->u.for_tile.coordinates.items;
    cake_span span = count ? cake_span_join(first[0].span, first[count - 1].span) : stmt->span;
    cake_diagnostic *diagnostic =
        cake_resolve_report(resolver, CAKE_L214, span, "'for tile' names all coordinates in the grid's order: (%s)",
                            cake_text_string(&names));
    cake_diagnostic_note(resolver->diagnostics, diagnostic, grid->span, "the grid is declared here");
    if (count) cake_diagnostic_fix(resolver->diagnostics, diagnostic, "name them", span, cake_text_string(&names));
}

/* Outermost and once per role: resolve_body passes those, nested ones arrive here. */
static void resolve_for_tile(cake_resolver *resolver, cake_stmt *stmt) {
    const cake_grid *grid = resolver->kernel->grid;
    if (grid && !grid->persistent && !grid->claim) {
        cake_diagnostic *diagnostic =
            cake_resolve_report(resolver, CAKE_L214, stmt->span,
                                "'for tile' walks the tiles of a persistent grid; here each CTA has one tile");
        cake_diagnostic_note(resolver->diagnostics, diagnostic, grid->span, "the grid is declared here");
    } else if (grid) {
        check_coordinates(resolver, stmt, grid);
    }
    bool outer = resolver->in_tile;
    resolver->in_tile = true;
    resolve_scoped_block(resolver, &stmt->u.for_tile.body);
    resolver->in_tile = outer;
}

static void resolve_loop(cake_resolver *resolver, cake_stmt *stmt) {
    cake_expr *bounds[] = {stmt->u.loop.from, stmt->u.loop.to, stmt->u.loop.step};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        cake_resolve_bind(resolver, bounds[i]);
        if (bounds[i])
            (void)cake_resolve_integer(resolver, bounds[i], i == 2 ? "the step of a loop" : "a loop's bound");
    }
    cake_expr *unroll_by = stmt->u.loop.unroll_by;
    cake_resolve_bind(resolver, unroll_by);
    if (unroll_by) (void)cake_resolve_integer_at(resolver, unroll_by, CAKE_TIME_COMPILE, "the factor of 'unroll'");
    uint32_t mark = cake_resolve_scope_enter(resolver);
    cake_symbol *symbol =
        cake_resolve_declare(resolver, CAKE_SYMBOL_LOOP_INDEX, stmt->u.loop.name, stmt->u.loop.name_span);
    symbol->type = cake_resolve_value_type(CAKE_DTYPE_INDEX, 0);
    bool is_constant = stmt->u.loop.unroll && !unroll_by; /* each copy of the body has its own */
    cake_resolve_note(resolver, symbol)->time = is_constant ? CAKE_TIME_COMPILE : CAKE_TIME_DEVICE;
    stmt->u.loop.symbol = symbol;
    resolve_block(resolver, &stmt->u.loop.body);
    cake_resolve_scope_leave(resolver, mark);
}

static void resolve_while(cake_resolver *resolver, cake_stmt *stmt) {
    cake_resolve_bind(resolver, stmt->u.loop_while.condition);
    cake_resolve_bind(resolver, stmt->u.loop_while.bound);
    (void)cake_resolve_condition(resolver, stmt->u.loop_while.condition, "the condition of 'while'");
    (void)cake_resolve_integer(resolver, stmt->u.loop_while.bound, "the bound of 'while'");
    resolve_scoped_block(resolver, &stmt->u.loop_while.body);
}

static void resolve_if(cake_resolver *resolver, cake_stmt *stmt) {
    cake_resolve_bind(resolver, stmt->u.branch.condition);
    (void)cake_resolve_condition(resolver, stmt->u.branch.condition, "the condition of 'if'");
    resolve_scoped_block(resolver, &stmt->u.branch.then);
    if (stmt->u.branch.has_else) resolve_scoped_block(resolver, &stmt->u.branch.otherwise);
}

/* ---- pipelines, batons, signals ---- */

static bool is_consumer(const cake_pipeline *pipeline, const cake_symbol *role, bool *out_known) {
    *out_known = true;
    for (uint32_t i = 0; i < pipeline->consumers.count; i++) {
        if (!pipeline->consumers.items[i].symbol) *out_known = false; /* an unknown role: reported */
        if (pipeline->consumers.items[i].symbol == role) return true;
    }
    return false;
}

static void check_side(cake_resolver *resolver, const cake_stmt *stmt, const cake_pipeline *pipeline) {
    const cake_symbol *role = resolver->role->symbol;
    bool produces = stmt->kind == CAKE_STMT_ACQUIRE || stmt->kind == CAKE_STMT_COMMIT;
    bool known = pipeline->producer.symbol != NULL;
    if (produces ? !known || pipeline->producer.symbol == role : is_consumer(pipeline, role, &known) || !known) return;
    const char *side = produces ? "producer" : "consumer";
    cake_diagnostic_code code = produces ? CAKE_L209 : CAKE_L210;
    cake_diagnostic *diagnostic =
        cake_resolve_report(resolver, code, stmt->span, "'%s' is for a %s of '%s', and role '%s' is none",
                            cake_stmt_name(stmt->kind), side, pipeline->name, role->name);
    cake_diagnostic_note(resolver->diagnostics, diagnostic, pipeline->span, "the pipeline is declared here");
}

static void resolve_pipeline_statement(cake_resolver *resolver, cake_stmt *stmt) {
    cake_symbol *symbol = cake_resolve_reference(resolver, &stmt->u.object.object, CAKE_SYMBOL_PIPELINE);
    if (stmt->u.object.keep) {
        cake_resolve_bind(resolver, stmt->u.object.keep);
        (void)cake_resolve_integer_at(resolver, stmt->u.object.keep, CAKE_TIME_COMPILE, "the number of slots to keep");
    }
    if (symbol) check_side(resolver, stmt, symbol->pipeline);
}

static void resolve_baton_statement(cake_resolver *resolver, cake_stmt *stmt) {
    cake_symbol *symbol = cake_resolve_reference(resolver, &stmt->u.object.object, CAKE_SYMBOL_BATON);
    const cake_symbol *owner = symbol ? symbol->baton->role.symbol : NULL;
    if (!owner || owner == resolver->role->symbol) return;
    cake_diagnostic *diagnostic = cake_resolve_report(resolver, CAKE_L211, stmt->span,
                                                      "baton '%s' goes round in role '%s', and this is role '%s'",
                                                      symbol->name, owner->name, resolver->role->name);
    cake_resolve_declared_note(resolver, diagnostic, symbol);
}

static void resolve_signal_statement(cake_resolver *resolver, cake_stmt *stmt) {
    cake_expr *place = stmt->u.signal.place;
    cake_resolve_bind(resolver, place);
    cake_type type = cake_resolve_type(resolver, place);
    if (cake_resolve_is_error(type)) return;
    const cake_symbol *symbol = cake_resolve_root(place);
    if (type.kind == CAKE_TYPE_OBJECT && symbol && symbol->kind == CAKE_SYMBOL_SIGNAL) return;
    cake_diagnostic *diagnostic =
        cake_resolve_report(resolver, CAKE_L204, place->span, "'%s' takes a signal, and this is %s",
                            cake_stmt_name(stmt->kind), symbol ? cake_resolve_kind_text(symbol->kind) : "none");
    if (!symbol) return;
    cake_resolve_declared_note(resolver, diagnostic, symbol);
    if (stmt->kind == CAKE_STMT_AWAIT_SIGNAL && type.kind == CAKE_TYPE_MEMORY)
        cake_diagnostic_note(resolver->diagnostics, diagnostic, place->span,
                             "to poll memory: await place until it == .. from (tile)");
}

/* ---- other statements ---- */

static void resolve_evaluate(cake_resolver *resolver, cake_stmt *stmt) {
    cake_resolve_bind(resolver, stmt->u.evaluate.value);
    (void)cake_resolve_type(resolver, stmt->u.evaluate.value);
}

static void resolve_count(cake_resolver *resolver, cake_stmt *stmt) {
    cake_resolve_bind(resolver, stmt->u.wait.count);
    (void)cake_resolve_integer_at(resolver, stmt->u.wait.count, CAKE_TIME_COMPILE, "the number of groups left");
}

static void resolve_facts(cake_resolver *resolver, cake_stmt *stmt) {
    const char *what = stmt->kind == CAKE_STMT_ASSUME ? "an assumption" : "a check";
    for (uint32_t i = 0; i < stmt->u.facts.conditions.count; i++) {
        cake_resolve_bind(resolver, stmt->u.facts.conditions.items[i]);
        (void)cake_resolve_condition(resolver, stmt->u.facts.conditions.items[i], what);
    }
}

/* What a target must have for a statement; 0: nothing. 'fence async' costs nothing where there is no async proxy. */
static uint32_t feature_of(cake_stmt_kind kind) {
    if (kind == CAKE_STMT_TMA_LOAD || kind == CAKE_STMT_TMA_STORE || kind == CAKE_STMT_TMA_REDUCE ||
        kind == CAKE_STMT_BULK_COMMIT || kind == CAKE_STMT_BULK_WAIT || kind == CAKE_STMT_BULK_WAIT_READ)
        return CAKE_FEATURE_ASYNC_PROXY;
    if (kind == CAKE_STMT_SYNC_CLUSTER) return CAKE_FEATURE_CLUSTER;
    if (kind == CAKE_STMT_WGMMA || kind == CAKE_STMT_WGMMA_COMMIT || kind == CAKE_STMT_WGMMA_WAIT)
        return CAKE_FEATURE_WGMMA;
    return kind == CAKE_STMT_TCGEN05_MMA ? CAKE_FEATURE_TCGEN05 : 0;
}

static void check_needs(cake_resolver *resolver, const cake_stmt *stmt) {
    uint32_t feature = feature_of(stmt->kind);
    if (!feature) return;
    const char *name = cake_arena_format(resolver->arena, "'%s'", cake_stmt_name(stmt->kind));
    cake_resolve_need(resolver, feature, stmt->span, name);
    if (stmt->kind == CAKE_STMT_SYNC_CLUSTER) cake_resolve_need_cluster(resolver, stmt->span, name);
}

static void resolve_object(cake_resolver *resolver, cake_stmt *stmt) {
    if (stmt->kind == CAKE_STMT_TAKE || stmt->kind == CAKE_STMT_PASS)
        resolve_baton_statement(resolver, stmt);
    else if (stmt->kind == CAKE_STMT_ARRIVE || stmt->kind == CAKE_STMT_AWAIT_SIGNAL)
        resolve_signal_statement(resolver, stmt);
    else
        resolve_pipeline_statement(resolver, stmt);
}

static void resolve_statement(cake_resolver *resolver, cake_stmt *stmt) {
    check_needs(resolver, stmt);
    switch (stmt->kind) {
    case CAKE_STMT_LET:
        resolve_let(resolver, stmt);
        break;
    case CAKE_STMT_VAR:
        resolve_var(resolver, stmt);
        break;
    case CAKE_STMT_ASSIGN:
        resolve_assign(resolver, stmt);
        break;
    case CAKE_STMT_FOR_TILE:
        resolve_for_tile(resolver, stmt);
        break;
    case CAKE_STMT_FOR:
        resolve_loop(resolver, stmt);
        break;
    case CAKE_STMT_WHILE:
        resolve_while(resolver, stmt);
        break;
    case CAKE_STMT_IF:
        resolve_if(resolver, stmt);
        break;
    case CAKE_STMT_ACQUIRE:
    case CAKE_STMT_COMMIT:
    case CAKE_STMT_WAIT:
    case CAKE_STMT_RELEASE:
    case CAKE_STMT_TAKE:
    case CAKE_STMT_PASS:
    case CAKE_STMT_ARRIVE:
    case CAKE_STMT_AWAIT_SIGNAL:
        resolve_object(resolver, stmt);
        break;
    case CAKE_STMT_EVALUATE:
        resolve_evaluate(resolver, stmt);
        break;
    case CAKE_STMT_TMA_LOAD:
    case CAKE_STMT_ASYNC_LOAD:
    case CAKE_STMT_TMA_STORE:
    case CAKE_STMT_TMA_REDUCE:
    case CAKE_STMT_STORE:
    case CAKE_STMT_MMA:
    case CAKE_STMT_WGMMA:
    case CAKE_STMT_TCGEN05_MMA:
        cake_resolve_transfer(resolver, stmt);
        break;
    case CAKE_STMT_WGMMA_WAIT:
    case CAKE_STMT_BULK_WAIT:
    case CAKE_STMT_BULK_WAIT_READ:
        resolve_count(resolver, stmt);
        break;
    case CAKE_STMT_ASSUME:
    case CAKE_STMT_CHECK:
        resolve_facts(resolver, stmt);
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

static void resolve_block(cake_resolver *resolver, cake_block *block) {
    if (!cake_resolve_descend(resolver, block->span)) return;
    for (uint32_t i = 0; i < block->statements.count; i++) {
        cake_stmt *stmt = block->statements.items[i];
        resolve_statement(resolver, stmt);
    }
    cake_resolve_ascend(resolver);
}

/* ---- role bodies ---- */

/* 'for tile' stands outermost and once; a second one, or one inside a block, is found by looking at all of them. */
static void check_tile_loops(cake_resolver *resolver, const cake_block *block, bool outermost,
                             const cake_stmt **first) {
    for (uint32_t i = 0; i < block->statements.count; i++) {
        const cake_stmt *stmt = block->statements.items[i];
        if (stmt->kind == CAKE_STMT_FOR_TILE) {
            if (!outermost) {
                cake_resolve_report(resolver, CAKE_L214, stmt->span, "'for tile' stands outermost in its role");
            } else if (*first) {
                cake_diagnostic *diagnostic =
                    cake_resolve_report(resolver, CAKE_L214, stmt->span, "a role walks the tiles once");
                cake_diagnostic_note(resolver->diagnostics, diagnostic, (*first)->span, "the first walk");
            } else {
                *first = stmt;
            }
            check_tile_loops(resolver, &stmt->u.for_tile.body, false, first);
        }
        if (stmt->kind == CAKE_STMT_FOR) check_tile_loops(resolver, &stmt->u.loop.body, false, first);
        if (stmt->kind == CAKE_STMT_WHILE) check_tile_loops(resolver, &stmt->u.loop_while.body, false, first);
        if (stmt->kind == CAKE_STMT_IF) {
            check_tile_loops(resolver, &stmt->u.branch.then, false, first);
            check_tile_loops(resolver, &stmt->u.branch.otherwise, false, first);
        }
    }
}

static cake_role *role_of(cake_resolver *resolver, cake_role_body *body) {
    cake_symbol *symbol = cake_resolve_reference(resolver, &body->role, CAKE_SYMBOL_ROLE);
    if (!symbol) return NULL;
    cake_role *role = resolver->kernel->roles.items[symbol->position];
    if (role->body) {
        cake_diagnostic *diagnostic =
            cake_resolve_report(resolver, CAKE_L208, body->role.span, "role '%s' has a body already", role->name);
        cake_diagnostic_note(resolver->diagnostics, diagnostic, role->body->role.span, "the first one");
    } else {
        role->body = body;
    }
    return role;
}

void cake_resolve_body(cake_resolver *resolver, cake_role_body *body) {
    cake_role *role = role_of(resolver, body);
    if (!role) return;
    uint32_t mark = cake_resolve_scope_enter(resolver);
    resolver->role = role;
    resolver->where = CAKE_WHERE_ROLE;
    resolver->in_tile = false;
    if (body->team) {
        body->team_symbol = cake_resolve_declare(resolver, CAKE_SYMBOL_TEAM_INDEX, body->team, body->team_span);
        body->team_symbol->type = cake_resolve_value_type(CAKE_DTYPE_INDEX, 0);
    }
    resolve_block(resolver, &body->block);
    const cake_stmt *first = NULL;
    if (!resolver->given_up) check_tile_loops(resolver, &body->block, true, &first);
    resolver->role = NULL;
    resolver->where = CAKE_WHERE_DECLARATION;
    cake_resolve_scope_leave(resolver, mark);
}
