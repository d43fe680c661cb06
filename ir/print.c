/* Declarations and statements as text: one a line, in the order they were written, two spaces a block. */
#include "ir/print.h"

#include <inttypes.h>

#include "ir/print_internal.h"

typedef struct block_printer {
    cake_text *out;
    uint32_t depth;
} block_printer;

static void print_block(block_printer *printer, const cake_block *block);

static void begin_line(const block_printer *printer) {
    for (uint32_t i = 0; i < printer->depth; i++)
        cake_text_add_string(printer->out, "  ");
}

static void end_line(const block_printer *printer) {
    cake_text_add_string(printer->out, "\n");
}

static void print_clause(cake_text *out, const char *word, const cake_expr *expr) {
    if (!expr) return;
    cake_text_add_string(out, word);
    cake_print_expr(out, expr, 0);
}

static void print_bracketed(cake_text *out, const char *before, const cake_expr_list *list) {
    cake_text_add_string(out, before);
    cake_text_add_string(out, "[");
    cake_print_exprs(out, list);
    cake_text_add_string(out, "]");
}

static void print_type(cake_text *out, const cake_written_type *type) {
    cake_text_add_string(out, cake_dtype_name(type->dtype));
    if (type->extents.count > 0) print_bracketed(out, "", &type->extents);
}

/* ---- statements ---- */

static void print_let(cake_text *out, const cake_stmt *stmt) {
    for (uint32_t i = 0; i < stmt->u.let.names.count; i++)
        cake_text_format(out, "%s%s", i == 0 ? "let " : ", ", stmt->u.let.names.items[i].name);
    print_clause(out, " = ", stmt->u.let.value);
}

static void print_var(cake_text *out, const cake_stmt *stmt) {
    cake_text_format(out, "var %s", stmt->u.var.name);
    if (stmt->u.var.has_type) {
        cake_text_add_string(out, ": ");
        print_type(out, &stmt->u.var.type);
    }
    print_clause(out, " = ", stmt->u.var.value);
}

static void print_binding(cake_text *out, const cake_stmt *stmt) {
    if (stmt->kind == CAKE_STMT_LET) {
        print_let(out, stmt);
    } else if (stmt->kind == CAKE_STMT_VAR) {
        print_var(out, stmt);
    } else {
        cake_print_expr(out, stmt->u.assign.place, 0);
        print_clause(out, stmt->u.assign.add ? " += " : " = ", stmt->u.assign.value);
    }
}

static void print_for_tile(block_printer *printer, const cake_stmt *stmt) {
    cake_text_add_string(printer->out, "for tile (");
    for (uint32_t i = 0; i < stmt->u.for_tile.coordinates.count; i++)
        cake_text_format(printer->out, "%s%s", i == 0 ? "" : ", ", stmt->u.for_tile.coordinates.items[i].name);
    cake_text_add_string(printer->out, ")");
    print_block(printer, &stmt->u.for_tile.body);
}

static void print_for(block_printer *printer, const cake_stmt *stmt) {
    cake_text *out = printer->out;
    cake_text_format(out, "for %s in ", stmt->u.loop.name);
    cake_print_expr(out, stmt->u.loop.from, 0);
    print_clause(out, " .. ", stmt->u.loop.to);
    print_clause(out, " step ", stmt->u.loop.step);
    if (stmt->u.loop.unroll) cake_text_add_string(out, " unroll");
    print_clause(out, " ", stmt->u.loop.unroll_by);
    print_block(printer, &stmt->u.loop.body);
}

static void print_while(block_printer *printer, const cake_stmt *stmt) {
    print_clause(printer->out, "while ", stmt->u.loop_while.condition);
    print_clause(printer->out, " max ", stmt->u.loop_while.bound);
    print_block(printer, &stmt->u.loop_while.body);
}

/* An 'else' that holds one 'if' is written 'else if'. */
static void print_if(block_printer *printer, const cake_stmt *stmt) {
    const cake_block *otherwise = &stmt->u.branch.otherwise;
    print_clause(printer->out, "if ", stmt->u.branch.condition);
    print_block(printer, &stmt->u.branch.then);
    if (!stmt->u.branch.has_else) return;
    cake_text_add_string(printer->out, " else");
    if (otherwise->statements.count == 1 && otherwise->statements.items[0]->kind == CAKE_STMT_IF) {
        cake_text_add_string(printer->out, " ");
        print_if(printer, otherwise->statements.items[0]);
    } else {
        print_block(printer, otherwise);
    }
}

static void print_compound(block_printer *printer, const cake_stmt *stmt) {
    if (stmt->kind == CAKE_STMT_FOR_TILE)
        print_for_tile(printer, stmt);
    else if (stmt->kind == CAKE_STMT_FOR)
        print_for(printer, stmt);
    else if (stmt->kind == CAKE_STMT_WHILE)
        print_while(printer, stmt);
    else
        print_if(printer, stmt);
}

static void print_object(cake_text *out, const cake_stmt *stmt) {
    cake_text_format(out, "%s %s", cake_stmt_name(stmt->kind), stmt->u.object.object.name);
    print_clause(out, " keep ", stmt->u.object.keep);
}

static void print_facts_stated(cake_text *out, const cake_stmt *stmt) {
    cake_text_format(out, "%s ", cake_stmt_name(stmt->kind));
    cake_print_exprs(out, &stmt->u.facts.conditions);
}

static void print_copy(cake_text *out, const cake_stmt *stmt) {
    cake_text_format(out, "%s ", cake_stmt_name(stmt->kind));
    if (stmt->kind == CAKE_STMT_TMA_REDUCE) cake_text_format(out, "%s ", stmt->u.copy.reduce);
    cake_print_expr(out, stmt->u.copy.to, 0);
    print_clause(out, " <- ", stmt->u.copy.from);
    if (stmt->u.copy.multicast) cake_text_add_string(out, " multicast");
    cake_print_clauses(out, &stmt->u.copy.clauses, 0);
}

static void print_store(cake_text *out, const cake_stmt *stmt) {
    print_clause(out, "store ", stmt->u.store.place);
    cake_text_add_string(out, " <- ");
    cake_print_expr(out, stmt->u.store.value, cake_print_clause_bits(&stmt->u.store.clauses));
    cake_print_clauses(out, &stmt->u.store.clauses, 0);
}

static void print_matrix(cake_text *out, const cake_stmt *stmt) {
    cake_text_format(out, "%s ", cake_stmt_name(stmt->kind));
    cake_print_expr(out, stmt->u.matrix.accumulator, 0);
    cake_text_add_string(out, stmt->u.matrix.add ? " += " : " = ");
    cake_print_prefix(out, stmt->u.matrix.x, CAKE_FOLLOW_OPERATOR);
    cake_text_add_string(out, " * ");
    cake_print_prefix(out, stmt->u.matrix.y, 0);
    if (stmt->u.matrix.pair) cake_text_add_string(out, " pair");
}

static void print_stmt(block_printer *printer, const cake_stmt *stmt) {
    cake_text *out = printer->out;
    switch (stmt->kind) {
    case CAKE_STMT_LET:
    case CAKE_STMT_VAR:
    case CAKE_STMT_ASSIGN:
        print_binding(out, stmt);
        break;
    case CAKE_STMT_FOR_TILE:
    case CAKE_STMT_FOR:
    case CAKE_STMT_WHILE:
    case CAKE_STMT_IF:
        print_compound(printer, stmt);
        break;
    case CAKE_STMT_ACQUIRE:
    case CAKE_STMT_COMMIT:
    case CAKE_STMT_WAIT:
    case CAKE_STMT_RELEASE:
    case CAKE_STMT_TAKE:
    case CAKE_STMT_PASS:
        print_object(out, stmt);
        break;
    case CAKE_STMT_ARRIVE:
    case CAKE_STMT_AWAIT_SIGNAL:
        cake_text_add_string(out, cake_stmt_name(stmt->kind));
        print_clause(out, " ", stmt->u.signal.place);
        break;
    case CAKE_STMT_EVALUATE:
        cake_print_expr(out, stmt->u.evaluate.value, 0);
        break;
    case CAKE_STMT_TMA_LOAD:
    case CAKE_STMT_ASYNC_LOAD:
    case CAKE_STMT_TMA_STORE:
    case CAKE_STMT_TMA_REDUCE:
        print_copy(out, stmt);
        break;
    case CAKE_STMT_STORE:
        print_store(out, stmt);
        break;
    case CAKE_STMT_MMA:
    case CAKE_STMT_WGMMA:
    case CAKE_STMT_TCGEN05_MMA:
        print_matrix(out, stmt);
        break;
    case CAKE_STMT_WGMMA_WAIT:
    case CAKE_STMT_BULK_WAIT:
    case CAKE_STMT_BULK_WAIT_READ:
        cake_text_add_string(out, cake_stmt_name(stmt->kind));
        print_clause(out, " ", stmt->u.wait.count);
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
        cake_text_add_string(out, cake_stmt_name(stmt->kind));
        break;
    case CAKE_STMT_ASSUME:
    case CAKE_STMT_CHECK:
        print_facts_stated(out, stmt);
        break;
    case CAKE_STMT_COUNT:
        break;
    }
}

static void print_block(block_printer *printer, const cake_block *block) {
    cake_text_add_string(printer->out, " {\n");
    printer->depth++;
    for (uint32_t i = 0; i < block->statements.count; i++) {
        begin_line(printer);
        print_stmt(printer, block->statements.items[i]);
        end_line(printer);
    }
    printer->depth--;
    begin_line(printer);
    cake_text_add_string(printer->out, "}");
}

/* ---- declarations of files and kernels ---- */

static void print_tune(cake_text *out, const cake_tune *tune) {
    cake_text_add_string(out, tune->name);
    if (tune->has_set) {
        cake_text_add_string(out, " in ");
        cake_print_set(out, &tune->set, 0);
    }
    print_clause(out, " = ", tune->value);
}

static void print_definition(cake_text *out, const cake_definition *definition) {
    cake_text_format(out, "let %s", definition->name);
    for (uint32_t i = 0; i < definition->parameters.count; i++)
        cake_text_format(out, "%s%s", i == 0 ? "(" : ", ", definition->parameters.items[i].name);
    cake_text_add_string(out, definition->is_function ? ") = " : " = ");
    cake_text_add_string(out, definition->second ? "(" : "");
    cake_print_expr(out, definition->value, 0);
    print_clause(out, ", ", definition->second);
    cake_text_add_string(out, definition->second ? ")" : "");
}

static void print_facts(cake_text *out, const cake_fact *facts, uint32_t count) {
    cake_text_add_string(out, "where ");
    for (uint32_t i = 0; i < count; i++) {
        cake_text_add_string(out, i == 0 ? "" : ", ");
        switch (facts[i].kind) {
        case CAKE_FACT_STATIC:
            cake_text_format(out, "static %s", facts[i].name);
            break;
        case CAKE_FACT_DETERMINISTIC:
            cake_text_add_string(out, "deterministic");
            break;
        case CAKE_FACT_CONDITION:
            cake_print_expr(out, facts[i].condition, 0);
            break;
        }
    }
}

static void print_axis(cake_text *out, const cake_axis *axis) {
    cake_text_format(out, "%s: ", axis->name);
    if (axis->ragged) {
        cake_text_format(out, "ragged(%s", axis->ragged);
        print_clause(out, ", ", axis->ragged_block);
        cake_text_add_string(out, ")");
    } else {
        cake_print_expr(out, axis->extent, 0);
    }
}

static void print_grid(cake_text *out, const cake_grid *grid) {
    cake_text_add_string(out, grid->persistent ? "grid persistent " : "grid ");
    if (grid->ctas_per_sm > 1) cake_text_format(out, "%" PRIu32 " ", grid->ctas_per_sm);
    cake_text_add_string(out, "tile(");
    for (uint32_t i = 0; i < grid->axes.count; i++) {
        cake_text_add_string(out, i == 0 ? "" : ", ");
        print_axis(out, &grid->axes.items[i]);
    }
    cake_text_add_string(out, ")");
    if (grid->order) cake_text_format(out, " order %s", grid->order);
    if (grid->order_arguments.count > 0) {
        cake_text_add_string(out, "(");
        cake_print_exprs(out, &grid->order_arguments);
        cake_text_add_string(out, ")");
    }
    if (grid->claim) cake_text_format(out, " claim %s", grid->claim);
    if (grid->cluster_axis) cake_text_format(out, " cluster %" PRIu32 " along %s", grid->cluster, grid->cluster_axis);
}

static void print_role_row(cake_text *out, const cake_role *role) {
    cake_text_format(out, "%s: %s ", role->name, role->warpgroups ? "warpgroups" : "warps");
    cake_print_expr(out, role->count, 0);
    print_clause(out, " regs ", role->registers);
    if (role->leader) cake_text_add_string(out, " leader");
}

static void print_buffer(cake_text *out, const cake_buffer *buffer) {
    cake_text_format(out, "%s: ", buffer->name);
    print_type(out, &buffer->type);
    print_clause(out, " swizzle ", buffer->swizzle);
    print_clause(out, " pad ", buffer->pad);
    print_clause(out, " align ", buffer->align);
    if (buffer->over.name) cake_text_format(out, " over %s", buffer->over.name);
}

static void print_pipeline(cake_text *out, const cake_pipeline *pipeline) {
    cake_text_format(out, "pipeline %s", pipeline->name);
    print_clause(out, " stages ", pipeline->stages);
    cake_text_format(out, " from %s to ", pipeline->producer.name);
    for (uint32_t i = 0; i < pipeline->consumers.count; i++)
        cake_text_format(out, "%s%s", i == 0 ? "" : ", ", pipeline->consumers.items[i].name);
    cake_text_add_string(out, " {\n");
    for (uint32_t i = 0; i < pipeline->buffers.count; i++) {
        cake_text_add_string(out, pipeline->buffers.items[i]->tensor_memory ? "  tmem " : "  ");
        print_buffer(out, pipeline->buffers.items[i]);
        cake_text_add_string(out, "\n");
    }
    cake_text_add_string(out, "}");
}

static void print_view(cake_text *out, const cake_view *view) {
    cake_text_format(out, "view %s: ", view->name);
    print_type(out, &view->type);
    print_clause(out, " = ", view->value);
    if (view->has_strides) print_bracketed(out, " strides ", &view->strides);
}

static void print_body(cake_text *out, const cake_role_body *body) {
    block_printer printer = {out, 0};
    cake_text_format(out, "\nrole %s", body->role.name);
    if (body->team) cake_text_format(out, "(%s)", body->team);
    print_block(&printer, &body->block);
}

static void print_conditions(cake_text *out, const char *word, const cake_expr_list *list, uint32_t first,
                             uint32_t count) {
    cake_expr_list slice = {list->items + first, count, count};
    cake_text_add_string(out, word);
    cake_print_exprs(out, &slice);
}

static void print_common_declaration(cake_text *out, const cake_common *common, const cake_declaration *declaration) {
    bool is_const = declaration->kind == CAKE_DECLARATION_CONST;
    cake_text_add_string(out, is_const ? "const " : "tune ");
    for (uint32_t i = declaration->first; i < declaration->first + declaration->count; i++) {
        cake_text_add_string(out, i == declaration->first ? "" : ", ");
        if (is_const) {
            cake_text_add_string(out, common->constants.items[i]->name);
            print_clause(out, " = ", common->constants.items[i]->value);
        } else {
            print_tune(out, common->tunes.items[i]);
        }
    }
}

static void print_roles(cake_text *out, const cake_kernel *kernel, const cake_declaration *declaration) {
    cake_text_add_string(out, "roles {\n");
    for (uint32_t i = declaration->first; i < declaration->first + declaration->count; i++) {
        cake_text_add_string(out, "  ");
        print_role_row(out, kernel->roles.items[i]);
        cake_text_add_string(out, "\n");
    }
    cake_text_add_string(out, "}");
}

static void print_buffer_declaration(cake_text *out, const cake_buffer *buffer) {
    cake_text_add_string(out, buffer->tensor_memory ? "tmem " : "shared ");
    print_buffer(out, buffer);
}

/* kernel is null for declarations of the file. */
static void print_declaration(cake_text *out, const cake_module *module, const cake_kernel *kernel,
                              const cake_declaration *declaration) {
    const cake_common *common = kernel ? &kernel->common : &module->common;
    uint32_t first = declaration->first;
    switch (declaration->kind) {
    case CAKE_DECLARATION_TARGET:
        cake_text_format(out, "target %s", cake_target_info_of(module->target)->name);
        break;
    case CAKE_DECLARATION_CONST:
    case CAKE_DECLARATION_TUNE:
        print_common_declaration(out, common, declaration);
        break;
    case CAKE_DECLARATION_DEFINITION:
        print_definition(out, common->definitions.items[first]);
        break;
    case CAKE_DECLARATION_WHERE:
        print_facts(out, kernel->facts.items + first, declaration->count);
        break;
    case CAKE_DECLARATION_GRID:
        print_grid(out, kernel->grid);
        break;
    case CAKE_DECLARATION_ROLES:
        print_roles(out, kernel, declaration);
        break;
    case CAKE_DECLARATION_PIPELINE:
        print_pipeline(out, kernel->pipelines.items[first]);
        break;
    case CAKE_DECLARATION_BATON:
        cake_text_format(out, "baton %s over %s", kernel->batons.items[first]->name,
                         kernel->batons.items[first]->role.name);
        break;
    case CAKE_DECLARATION_SIGNAL:
        cake_text_format(out, "signal %s", kernel->signals.items[first]->name);
        print_clause(out, " count ", kernel->signals.items[first]->count);
        break;
    case CAKE_DECLARATION_VIEW:
        print_view(out, kernel->views.items[first]);
        break;
    case CAKE_DECLARATION_BUFFER:
        print_buffer_declaration(out, kernel->buffers.items[first]);
        break;
    case CAKE_DECLARATION_ROLE:
        print_body(out, kernel->bodies.items[first]);
        break;
    case CAKE_DECLARATION_ASSUME:
        print_conditions(out, "assume ", &kernel->assumes, first, declaration->count);
        break;
    case CAKE_DECLARATION_CHECK:
        print_conditions(out, "check ", &kernel->checks, first, declaration->count);
        break;
    }
    cake_text_add_string(out, "\n");
}

static void print_declarations(cake_text *out, const cake_module *module, const cake_kernel *kernel) {
    const cake_common *common = kernel ? &kernel->common : &module->common;
    for (uint32_t i = 0; i < common->order.count; i++)
        print_declaration(out, module, kernel, &common->order.items[i]);
}

/* ---- kernels and programs ---- */

static void print_parameters(cake_text *out, const cake_parameter_list *parameters) {
    static const char *const modes[] = {"", "out ", "inout "};
    cake_text_add_string(out, "(");
    for (uint32_t i = 0; i < parameters->count; i++) {
        const cake_parameter *parameter = parameters->items[i];
        cake_text_format(out, "%s%s%s: ", i == 0 ? "" : ", ", modes[parameter->mode], parameter->name);
        print_type(out, &parameter->type);
        if (parameter->has_strides) print_bracketed(out, " strides ", &parameter->strides);
    }
    cake_text_add_string(out, ")");
}

static void print_kernel(cake_text *out, const cake_module *module, const cake_kernel *kernel) {
    cake_text_format(out, "\nkernel %s", kernel->name);
    print_parameters(out, &kernel->parameters);
    cake_text_add_string(out, "\n");
    print_declarations(out, module, kernel);
}

static void print_step(cake_text *out, const cake_step *step) {
    switch (step->kind) {
    case CAKE_STEP_TEMPORARY:
        cake_text_format(out, "  temp %s: ", step->temporary->name);
        print_type(out, &step->temporary->type);
        break;
    case CAKE_STEP_FILL:
        cake_text_format(out, "  fill %s", step->object.name);
        print_clause(out, " <- ", step->fill_value);
        break;
    case CAKE_STEP_RUN:
        cake_text_format(out, "  run %s(", step->object.name);
        cake_print_exprs(out, &step->arguments);
        cake_text_add_string(out, step->overlap ? ") overlap" : ")");
        break;
    }
    cake_text_add_string(out, "\n");
}

static void print_program(cake_text *out, const cake_program *program) {
    cake_text_format(out, "\nprogram %s", program->name);
    print_parameters(out, &program->parameters);
    if (program->facts.count > 0) {
        cake_text_add_string(out, "\n");
        print_facts(out, program->facts.items, program->facts.count);
    }
    cake_text_add_string(out, " {\n");
    for (uint32_t i = 0; i < program->steps.count; i++)
        print_step(out, &program->steps.items[i]);
    cake_text_add_string(out, "}\n");
}

/* Kernels and programs are in two lists; their places tell how they were mixed. */
void cake_module_print(const cake_module *module, cake_text *out) {
    uint32_t kernel = 0, program = 0;
    print_declarations(out, module, NULL);
    while (kernel < module->kernels.count || program < module->programs.count) {
        bool kernel_next = program == module->programs.count ||
                           (kernel < module->kernels.count &&
                            module->kernels.items[kernel]->span.begin < module->programs.items[program]->span.begin);
        if (kernel_next)
            print_kernel(out, module, module->kernels.items[kernel++]);
        else
            print_program(out, module->programs.items[program++]);
    }
}
