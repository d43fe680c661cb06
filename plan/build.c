/* Building a plan: choices and contract, then roles and memory, then each role's body, then what follows from them. */
#include "plan/internal.h"

void cake_plan_cost_add(cake_builder *builder, cake_span span, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    cake_plan_cost *cost = CAKE_PUSH(builder->arena, &builder->plan->costs);
    cost->span = span;
    cost->text = cake_arena_vformat(builder->arena, format, arguments);
    va_end(arguments);
}

static void bind_coordinates(cake_builder *builder) {
    const cake_plan_value *tiles = builder->plan->launch.tiles;
    if (builder->plan->launch.persistent || !tiles) return;
    builder->span = builder->kernel->grid->span;
    int64_t last = tiles->high > 0 ? tiles->high - 1 : 0;
    cake_plan_bind_tile(builder, builder->plan->launch.claim
                                     ? cake_plan_leaf(builder, CAKE_PLAN_CLAIMED, CAKE_DTYPE_INDEX, 0, last)
                                     : cake_plan_cluster_number(builder, CAKE_PLAN_CTA_ID, 0, last));
}

static void bind_team(cake_builder *builder, const cake_role_body *body) {
    cake_plan_role *role = builder->role;
    if (!body->team_symbol) return;
    cake_plan_value *index =
        role->team_count > 1 ? cake_plan_leaf(builder, CAKE_PLAN_TEAM_INDEX, CAKE_DTYPE_INDEX, 0, role->team_count - 1)
                             : cake_plan_constant_index(builder, 0);
    cake_plan_name_value(index, body->team);
    builder->bindings[body->team_symbol->number].value = index;
    role->team_index = index;
}

static void build_body(cake_builder *builder, const cake_role_body *body) {
    builder->role = (cake_plan_role *)cake_plan_role_find(builder->plan, body->role.name);
    if (!builder->role) return;
    builder->block = &builder->role->body;
    builder->classes.count = builder->relations.count = builder->exchanges.count = 0;
    builder->span = body->span;
    bind_team(builder, body);
    bind_coordinates(builder);
    cake_plan_statements(builder, &body->block);
    if (builder->diagnostics->error_count) return;
    cake_plan_infer(builder);
    if (builder->diagnostics->error_count) return;
    cake_plan_finish_accesses(builder);
    cake_plan_held_slots(builder, builder->role);
}

const cake_plan *cake_plan_build(cake_arena *arena, const cake_module *module, const cake_kernel *kernel,
                                 const cake_plan_options *options, cake_diagnostics *diagnostics) {
    cake_plan *plan = CAKE_NEW(arena, cake_plan);
    *plan = (cake_plan){.arena = arena,
                        .module = module,
                        .kernel = kernel,
                        .entry = options->entry ? options->entry : kernel->name,
                        .target = module->target,
                        .layouts = {.arena = arena}};
    uint32_t errors = diagnostics->error_count;
    diagnostics->error_count = 0; /* of this kernel: later stages look whether it has any */
    cake_builder builder = {.arena = arena,
                            .module = module,
                            .kernel = kernel,
                            .options = options,
                            .diagnostics = diagnostics,
                            .plan = plan,
                            .block = &plan->launch_scope,
                            .span = kernel->span,
                            .bindings = CAKE_NEW_ARRAY(arena, cake_binding_row, module->symbol_count + 1)};
    cake_plan_choices(&builder);
    if (!diagnostics->error_count) cake_plan_contract(&builder);
    if (!diagnostics->error_count) cake_plan_grid(&builder);
    if (!diagnostics->error_count) cake_plan_roles(&builder);
    if (!diagnostics->error_count) cake_plan_memory(&builder);
    bool ready = diagnostics->error_count == 0;
    for (uint32_t i = 0; ready && i < kernel->bodies.count; i++)
        build_body(&builder, kernel->bodies.items[i]);
    if (!diagnostics->error_count) cake_plan_finish_objects(&builder);
    bool failed = diagnostics->error_count != 0;
    diagnostics->error_count += errors;
    return failed ? NULL : plan;
}
