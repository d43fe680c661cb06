/* The plan's tables as text. Rows that come from one place of the schedule begin with its line number. */
#include "plan/print.h"

const char *cake_plan_op_name(cake_plan_op_kind kind) {
    static const char *const names[] = {
        [CAKE_PLAN_DIMENSION] = "dimension",
        [CAKE_PLAN_PARAMETER] = "parameter",
        [CAKE_PLAN_CTA_ID] = "cta_number",
        [CAKE_PLAN_GRID_SIZE] = "cta_count",
        [CAKE_PLAN_TEAM_INDEX] = "team_index",
        [CAKE_PLAN_CLUSTER_RANK] = "cta",
        [CAKE_PLAN_COMBINED] = "combined",
        [CAKE_PLAN_INDUCTION] = "induction",
        [CAKE_PLAN_UNARY] = "unary",
        [CAKE_PLAN_BINARY] = "binary",
        [CAKE_PLAN_CALL] = "call",
        [CAKE_PLAN_CAST] = "cast",
        [CAKE_PLAN_BITCAST] = "bitcast",
        [CAKE_PLAN_IOTA] = "iota",
        [CAKE_PLAN_INSERT_AXIS] = "insert_axis",
        [CAKE_PLAN_SPLAT] = "splat",
        [CAKE_PLAN_REDUCE] = "reduce",
        [CAKE_PLAN_SCAN] = "scan",
        [CAKE_PLAN_TOPK] = "topk",
        [CAKE_PLAN_SLICE] = "slice",
        [CAKE_PLAN_RESHAPE] = "reshape",
        [CAKE_PLAN_TRANSPOSE] = "transpose",
        [CAKE_PLAN_CONCAT] = "concat",
        [CAKE_PLAN_RELAYOUT] = "relayout",
        [CAKE_PLAN_READ] = "read",
        [CAKE_PLAN_LOAD] = "load",
        [CAKE_PLAN_WRITE] = "write",
        [CAKE_PLAN_STORE] = "store",
        [CAKE_PLAN_ATOMIC] = "atomic",
        [CAKE_PLAN_FOR] = "for",
        [CAKE_PLAN_WHILE] = "while",
        [CAKE_PLAN_IF] = "if",
        [CAKE_PLAN_ACQUIRE] = "acquire",
        [CAKE_PLAN_COMMIT] = "commit",
        [CAKE_PLAN_WAIT] = "wait",
        [CAKE_PLAN_RELEASE] = "release",
        [CAKE_PLAN_TAKE] = "take",
        [CAKE_PLAN_PASS] = "pass",
        [CAKE_PLAN_ASYNC_LOAD] = "async.load",
        [CAKE_PLAN_TMA_LOAD] = "tma.load",
        [CAKE_PLAN_TMA_STORE] = "tma.store",
        [CAKE_PLAN_MMA] = "mma",
        [CAKE_PLAN_WGMMA] = "wgmma",
        [CAKE_PLAN_WGMMA_COMMIT] = "wgmma.commit",
        [CAKE_PLAN_WGMMA_WAIT] = "wgmma.wait",
        [CAKE_PLAN_BULK_COMMIT] = "bulk.commit",
        [CAKE_PLAN_BULK_WAIT] = "bulk.wait",
        [CAKE_PLAN_BULK_WAIT_READ] = "bulk.wait.read",
        [CAKE_PLAN_FENCE_ASYNC] = "fence async",
        [CAKE_PLAN_SYNC_TEAM] = "sync team",
        [CAKE_PLAN_SYNC_ROLE] = "sync role",
        [CAKE_PLAN_SYNC_CTA] = "sync cta",
        [CAKE_PLAN_SYNC_CLUSTER] = "sync cluster",
        [CAKE_PLAN_ARRIVE] = "arrive",
        [CAKE_PLAN_AWAIT_SIGNAL] = "await",
        [CAKE_PLAN_GRID_WAIT] = "grid.wait",
        [CAKE_PLAN_GRID_TRIGGER] = "grid.trigger",
    };
    return names[kind];
}

/* ---- what was chosen ---- */

static void print_settings(cake_text *out, const char *title, const cake_plan_setting *settings, uint32_t count) {
    if (!count) return;
    cake_text_format(out, "  %-11s", title);
    for (uint32_t i = 0; i < count; i++)
        cake_text_format(out, "%s%s = %lld", i ? ", " : " ", settings[i].name, (long long)settings[i].value);
    cake_text_add_string(out, "\n");
}

static void print_dimensions(const cake_plan *plan, cake_text *out) {
    if (!plan->dimensions.count) return;
    cake_text_add_string(out, "  dimensions ");
    for (uint32_t i = 0; i < plan->dimensions.count; i++) {
        const cake_plan_value *dimension = plan->dimensions.items[i];
        cake_text_format(out, "%s%lld <= %s <= %lld", i ? ", " : " ", (long long)dimension->low,
                         dimension->definition->u.leaf.name, (long long)dimension->high);
    }
    cake_text_add_string(out, "\n");
}

static void print_grid(const cake_plan *plan, cake_text *out) {
    const cake_grid *grid = plan->kernel->grid;
    const char *order = grid->order ? grid->order : "row";
    cake_text_format(out, "  %-11s %stile(", "grid", plan->launch.persistent ? "persistent " : "");
    for (uint32_t i = 0; i < grid->axes.count; i++) {
        cake_text_format(out, "%s%s: ", i ? ", " : "", grid->axes.items[i].name);
        cake_plan_value_print(plan->axes[i], out);
    }
    cake_text_format(out, ") order %s", order);
    for (uint32_t i = 0; i < grid->order_arguments.count; i++) {
        const cake_expr *argument = grid->order_arguments.items[i];
        cake_text_add_string(out, i ? ", " : "(");
        if (argument->kind == CAKE_EXPR_NAME && i == 0)
            cake_text_add_string(out, argument->u.name.text);
        else
            cake_text_format(out, "%lld", (long long)plan->group);
    }
    if (grid->order_arguments.count) cake_text_add_string(out, ")");
    if (plan->launch.cluster > 1)
        cake_text_format(out, " cluster %u along %s", plan->launch.cluster, grid->cluster_axis);
    cake_text_add_string(out, "\n");
}

/* ---- launch ---- */

static void print_idle(cake_text *out, uint32_t first, uint32_t end) {
    if (first < end) cake_text_format(out, "  warps %2u .. %2u  idle\n", first, end);
}

static void print_roles(const cake_plan *plan, cake_text *out) {
    uint32_t next = 0;
    for (uint32_t i = 0; i < plan->roles.count; i++) {
        const cake_plan_role *role = plan->roles.items[i];
        print_idle(out, next, role->first_warp);
        next = role->first_warp + role->warps;
        cake_text_format(out, "  warps %2u .. %2u  %s: %u team%s of %u warp%s", role->first_warp, next, role->name,
                         role->team_count, role->team_count == 1 ? "" : "s", role->warps_per_team,
                         role->warps_per_team == 1 ? "" : "s");
        if (role->registers) cake_text_format(out, ", %u registers", role->registers);
        if (role->leader) cake_text_add_string(out, ", in rank 0 of the cluster alone");
        if (role->first_warp_only && role->warps_per_team > 1)
            cake_text_format(out, ", only the first warp of %s runs", role->team_count == 1 ? "it" : "each");
        cake_text_add_string(out, "\n");
    }
    print_idle(out, next, plan->launch.warps);
}

/* 'min(M, sm_count / 2) clusters of 2 CTAs, 1 a multiprocessor' */
static void print_ctas(const cake_plan_launch *launch, cake_text *out) {
    if (launch->persistent) cake_text_add_string(out, "min(");
    cake_plan_value_print(launch->tiles, out);
    if (launch->persistent) {
        cake_text_add_string(out, ", ");
        if (launch->ctas_per_sm > 1) cake_text_format(out, "%u * ", launch->ctas_per_sm);
        cake_text_add_string(out, "sm_count");
        if (launch->cluster > 1) cake_text_format(out, " / %u", launch->cluster);
        cake_text_add_string(out, ")");
    }
    if (launch->cluster > 1)
        cake_text_format(out, " clusters of %u CTAs", launch->cluster);
    else
        cake_text_add_string(out, " CTAs");
    if (launch->ctas_per_sm) cake_text_format(out, ", %u a multiprocessor", launch->ctas_per_sm);
}

static void print_launch(const cake_plan *plan, cake_text *out) {
    const cake_target_info *target = cake_target_info_of(plan->target);
    const cake_plan_launch *launch = &plan->launch;
    cake_text_format(out, "\nlaunch: %u threads, ", launch->warps * 32);
    print_ctas(launch, out);
    cake_text_format(out, "\n  shared memory  %u of %u bytes\n", launch->shared_bytes, target->shared_per_cta);
    if (launch->entry_registers)
        cake_text_format(out, "  registers      %u a thread at entry\n", launch->entry_registers);
    if (launch->deterministic) cake_text_add_string(out, "  deterministic\n");
    print_roles(plan, out);
}

/* ---- shared memory ---- */

typedef struct memory_row {
    uint32_t offset, bytes, stages;
    const cake_plan_buffer *buffer; /* or null */
    const char *text;
} memory_row;

typedef CAKE_VECTOR(memory_row) memory_map;

/* Keeps the map sorted by offset; equal offsets ('over') in order of addition. */
static void add_memory(cake_arena *arena, memory_map *map, memory_row row) {
    (void)CAKE_PUSH(arena, map);
    uint32_t i = map->count - 1;
    for (; i > 0 && map->items[i - 1].offset > row.offset; i--)
        map->items[i] = map->items[i - 1];
    map->items[i] = row;
}

static void collect_memory(const cake_plan *plan, cake_arena *arena, memory_map *map) {
    for (uint32_t i = 0; i < plan->buffers.count; i++) {
        const cake_plan_buffer *buffer = plan->buffers.items[i];
        uint32_t stages = buffer->pipeline ? buffer->pipeline->stages : 1;
        add_memory(arena, map, (memory_row){buffer->offset, buffer->bytes, stages, buffer, buffer->name});
    }
    for (uint32_t i = 0; i < plan->roles.count; i++) {
        const cake_plan_role *role = plan->roles.items[i];
        if (!role->scratch_bytes) continue;
        const char *text = cake_arena_format(arena, "scratch of %s", role->name);
        add_memory(arena, map, (memory_row){role->scratch_offset, role->scratch_bytes, role->team_count, NULL, text});
    }
    for (uint32_t i = 0; i < plan->pipelines.count; i++) {
        const cake_plan_pipeline *pipeline = plan->pipelines.items[i];
        const char *full = cake_arena_format(arena, "mbarriers of %s: full", pipeline->name);
        const char *empty = cake_arena_format(arena, "mbarriers of %s: empty", pipeline->name);
        add_memory(arena, map, (memory_row){pipeline->full_barrier, 8, pipeline->stages, NULL, full});
        add_memory(arena, map, (memory_row){pipeline->empty_barrier, 8, pipeline->stages, NULL, empty});
    }
    if (plan->launch.claim && !plan->launch.persistent)
        add_memory(arena, map, (memory_row){plan->launch.claim_offset, 4, 1, NULL, "the claimed tile"});
    for (uint32_t i = 0; i < plan->signals.count; i++) {
        const cake_plan_signal *signal = plan->signals.items[i];
        const char *text = cake_arena_format(arena, "mbarrier of %s", signal->name);
        add_memory(arena, map, (memory_row){signal->barrier, 8, 1, NULL, text});
    }
}

static void print_buffer(const cake_plan_buffer *buffer, cake_text *out) {
    cake_text_format(out, ": %s", cake_dtype_name(buffer->dtype));
    cake_shape_print(&buffer->shape, out);
    if (buffer->swizzle)
        cake_text_format(out, ", swizzle %u, %u panel%s", buffer->swizzle, buffer->panels,
                         buffer->panels == 1 ? "" : "s");
    cake_text_format(out, ", rows of %u bytes", buffer->row_bytes);
    if (buffer->over) cake_text_format(out, ", over %s", buffer->over->name);
}

static void print_memory(const cake_plan *plan, cake_text *out) {
    memory_map map = {0};
    collect_memory(plan, out->arena, &map);
    if (!map.count) return;
    cake_text_add_string(out, "\nshared memory:  offset     bytes  count\n");
    for (uint32_t i = 0; i < map.count; i++) {
        const memory_row *row = &map.items[i];
        cake_text_format(out, "              %8u  %8u  x %-3u  %s", row->offset, row->bytes, row->stages, row->text);
        if (row->buffer) print_buffer(row->buffer, out);
        cake_text_add_string(out, "\n");
    }
    for (uint32_t i = 0; i < plan->buffer_views.count; i++) {
        const cake_plan_buffer *view = plan->buffer_views.items[i];
        cake_text_format(out, "%42s%s", "", view->name);
        print_buffer(view, out);
        cake_text_format(out, ", view of %s\n", view->view_of->name);
    }
}

/* ---- pipelines, barriers, tensor maps ---- */

static void print_pipelines(const cake_plan *plan, cake_text *out) {
    if (plan->pipelines.count) cake_text_add_string(out, "\npipelines:\n");
    for (uint32_t i = 0; i < plan->pipelines.count; i++) {
        const cake_plan_pipeline *pipeline = plan->pipelines.items[i];
        cake_text what, facts;
        cake_text_init(&what, out->arena);
        cake_text_init(&facts, out->arena);
        cake_text_format(&what, "%s: %u stage%s, %s ->", pipeline->name, pipeline->stages,
                         pipeline->stages == 1 ? "" : "s", pipeline->producer ? pipeline->producer->name : "?");
        for (uint32_t k = 0; k < pipeline->consumers.count; k++)
            cake_text_format(&what, "%s %s", k ? "," : "",
                             pipeline->consumers.items[k] ? pipeline->consumers.items[k]->name : "?");
        cake_text_format(&facts, "full after %u arrival%s and %u bytes, empty after %u", pipeline->full_count,
                         pipeline->full_count == 1 ? "" : "s", pipeline->bytes_per_stage, pipeline->empty_count);
        if (pipeline->filled_by_tma || pipeline->filled_by_store)
            cake_text_format(&facts, "; filled by %s%s%s", pipeline->filled_by_tma ? "tma.load" : "",
                             pipeline->filled_by_tma && pipeline->filled_by_store ? " and " : "",
                             pipeline->filled_by_store ? "store" : "");
        if (pipeline->multicast) cake_text_add_string(&facts, "; spans the cluster");
        if (pipeline->led) cake_text_add_string(&facts, ", committed by its leader");
        if (pipeline->claims) cake_text_add_string(&facts, "; passes the claimed tile");
        cake_plan_print_row(plan, out, pipeline->span, 0, &what, &facts);
    }
}

static void print_signals(const cake_plan *plan, cake_text *out) {
    if (plan->signals.count) cake_text_add_string(out, "\nsignals:\n");
    for (uint32_t i = 0; i < plan->signals.count; i++) {
        const cake_plan_signal *signal = plan->signals.items[i];
        cake_text what, facts;
        cake_text_init(&what, out->arena);
        cake_text_init(&facts, out->arena);
        cake_text_format(&what, "%s: count %u", signal->name, signal->count);
        cake_text_format(&facts, "complete after %u arrival%s, %u of each team", signal->arrivals,
                         signal->arrivals == 1 ? "" : "s", signal->team_arrivals);
        if (signal->remote) cake_text_add_string(&facts, "; from the whole cluster");
        cake_plan_print_row(plan, out, signal->span, 0, &what, &facts);
    }
}

static void print_barrier(cake_text *out, uint32_t barrier, const char *owner, const char *purpose, uint32_t threads) {
    cake_text_format(out, "  %2u  %s%s, %u threads\n", barrier, owner, purpose, threads);
}

static void print_barriers(const cake_plan *plan, cake_text *out) {
    cake_text_add_string(out, "\nnamed barriers:\n");
    print_barrier(out, 0, "all warps", "", plan->launch.warps * 32);
    for (uint32_t i = 0; i < plan->roles.count; i++) {
        const cake_plan_role *role = plan->roles.items[i];
        for (uint32_t t = 0; role->first_team_barrier && t < role->team_count; t++)
            print_barrier(out, role->first_team_barrier + t, role->name, cake_arena_format(out->arena, " team %u", t),
                          role->warps_per_team * 32);
        if (role->role_barrier) print_barrier(out, role->role_barrier, role->name, "", role->warps * 32);
    }
    for (uint32_t i = 0; i < plan->batons.count; i++) {
        const cake_plan_baton *baton = plan->batons.items[i];
        for (uint32_t t = 0; baton->role && t < baton->role->team_count; t++)
            print_barrier(out, baton->first_barrier + t, baton->name,
                          cake_arena_format(out->arena, " turn of team %u", t), baton->role->warps_per_team * 64);
    }
}

static void print_tensor_maps(const cake_plan *plan, cake_text *out) {
    if (plan->tensor_maps.count) cake_text_add_string(out, "\ntensor maps:\n");
    for (uint32_t i = 0; i < plan->tensor_maps.count; i++) {
        const cake_plan_tensor_map *map = plan->tensor_maps.items[i];
        cake_shape box = {.rank = map->tensor->rank};
        for (uint8_t d = 0; d < box.rank; d++)
            box.extents[d] = map->box[d];
        cake_text_format(out, "  %2u  %s, box ", map->number, map->tensor->name);
        cake_shape_print(&box, out);
        if (map->swizzle) cake_text_format(out, ", swizzle %u", map->swizzle);
        cake_text_add_string(out, map->stores ? ", stores\n" : "\n");
    }
}

/* ---- operations, layouts, costs, contract ---- */

static void print_bodies(const cake_plan *plan, cake_text *out) {
    for (uint32_t i = 0; i < plan->roles.count; i++) {
        cake_text_format(out, "\nrole %s:\n", plan->roles.items[i]->name);
        cake_plan_print_role_body(plan, plan->roles.items[i], out);
    }
}

static void print_layouts(const cake_plan *plan, cake_text *out) {
    if (plan->layouts.rows.count) cake_text_add_string(out, "\nlayouts:\n");
    for (uint32_t i = 0; i < plan->layouts.rows.count; i++) {
        cake_text_format(out, "  %2u  ", plan->layouts.rows.items[i]->number);
        cake_layout_print(plan->layouts.rows.items[i], out);
        cake_text_add_string(out, "\n");
    }
}

static void print_remark(const cake_plan *plan, cake_text *out, cake_span span, const char *text) {
    cake_text what;
    cake_text_init(&what, out->arena);
    cake_text_add_string(&what, text);
    cake_plan_print_row(plan, out, span, 0, &what, NULL);
}

static void print_promises(const cake_plan *plan, cake_text *out) {
    if (plan->costs.count) cake_text_add_string(out, "\ncosts:\n");
    for (uint32_t i = 0; i < plan->costs.count; i++)
        print_remark(plan, out, plan->costs.items[i].span, plan->costs.items[i].text);
    if (plan->contract.count) cake_text_add_string(out, "\nchecked at launch:\n");
    for (uint32_t i = 0; i < plan->contract.count; i++)
        print_remark(plan, out, plan->contract.items[i].span, plan->contract.items[i].text);
    if (plan->trust.count) cake_text_add_string(out, "\ntrusted:\n");
    for (uint32_t i = 0; i < plan->trust.count; i++)
        cake_text_format(out, "        %s\n", plan->trust.items[i]);
}

void cake_plan_print_choices(const cake_plan *plan, cake_text *out) {
    cake_text_format(out, "  target      %s\n", cake_target_info_of(plan->target)->name);
    print_settings(out, "tunables", plan->tunables.items, plan->tunables.count);
    print_settings(out, "statics", plan->statics.items, plan->statics.count);
    print_dimensions(plan, out);
}

void cake_plan_print(const cake_plan *plan, cake_text *out) {
    if (out->size) cake_text_add_string(out, "\n");
    cake_text_format(out, "plan of %s\n", plan->entry);
    cake_plan_print_choices(plan, out);
    print_grid(plan, out);
    print_launch(plan, out);
    print_memory(plan, out);
    print_pipelines(plan, out);
    print_signals(plan, out);
    print_barriers(plan, out);
    print_tensor_maps(plan, out);
    print_bodies(plan, out);
    print_layouts(plan, out);
    print_promises(plan, out);
}
