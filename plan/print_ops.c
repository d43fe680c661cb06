/* The operation tree of a role. Scalar arithmetic gets no rows: it is shown where it is used. */
#include "plan/print.h"

#define LINE_COLUMNS 6
#define FACTS_COLUMN 64

void cake_plan_print_row(const cake_plan *plan, cake_text *out, cake_span span, uint32_t depth, const cake_text *what,
                         const cake_text *facts) {
    uint32_t line = cake_source_position(plan->module->source, span.begin).line;
    int indent = (int)(2 * (depth < 16 ? depth : 16));
    cake_text_format(out, "%*u  %*s%s", LINE_COLUMNS, line, indent, "", cake_text_string(what));
    if (facts && facts->size) {
        size_t used = LINE_COLUMNS + 2 + (size_t)indent + what->size;
        int pad = used + 2 < FACTS_COLUMN ? (int)(FACTS_COLUMN - used) : 2;
        cake_text_format(out, "%*s%s", pad, "", cake_text_string(facts));
    }
    cake_text_add_string(out, "\n");
}

typedef struct op_printer {
    const cake_plan *plan;
    cake_text *out;
    uint32_t depth;
    cake_text what, facts; /* of the row that is being made */
} op_printer;

/* ---- facts ---- */

static void separate(cake_text *facts) {
    if (facts->size) cake_text_add_string(facts, ", ");
}

static void tile_facts(op_printer *p, const cake_plan_value *value) {
    if (value->shape.rank == 0) return;
    separate(&p->facts);
    cake_text_format(&p->facts, "%s", cake_dtype_name(value->dtype));
    cake_shape_print(&value->shape, &p->facts);
    if (value->layout)
        cake_text_format(&p->facts, " in layout %u: %u register%s", value->layout->number,
                         value->layout->register_count, value->layout->register_count == 1 ? "" : "s");
}

static void access_facts(op_printer *p, const cake_plan_access *access) {
    const cake_plan_place *place = &access->place;
    uint32_t bits = cake_dtype_bits(place->tensor ? place->tensor->dtype : place->buffer->dtype) * access->width;
    uint32_t bytes = (bits + 7) / 8;
    separate(&p->facts);
    switch (access->form) {
    case CAKE_ACCESS_ELEMENTS:
        if (access->width > 1)
            cake_text_format(&p->facts, "vectors of %u, %u bytes", access->width, bytes);
        else if (bits < 8)
            cake_text_add_string(&p->facts, "single elements, half a byte");
        else
            cake_text_format(&p->facts, "single elements of %u byte%s", bytes, bytes == 1 ? "" : "s");
        break;
    case CAKE_ACCESS_LDMATRIX:
        cake_text_add_string(&p->facts, "ldmatrix.x4");
        break;
    case CAKE_ACCESS_STMATRIX:
        cake_text_add_string(&p->facts, "stmatrix.x4");
        break;
    }
    if (access->clip) cake_text_add_string(&p->facts, ", predicated by clip");
    if (access->mask) cake_text_add_string(&p->facts, access->clip ? " and mask" : ", predicated by mask");
    if (access->read_only) cake_text_add_string(&p->facts, ", read-only");
    if (access->cache) cake_text_format(&p->facts, ", %s", access->cache);
}

/* '0, 1 or 2': the counts in a set. */
static void print_counts(cake_text *out, uint64_t set) {
    for (uint32_t h = 0; h < 64; h++) {
        if (!(set >> h & 1)) continue;
        cake_text_format(out, "%u", h);
        set &= ~((uint64_t)1 << h);
        if (set) cake_text_add_string(out, set & (set - 1) ? ", " : " or ");
    }
}

static void print_bits(cake_text *out, const char *what, uint32_t bits) {
    cake_text_format(out, ", %s ", what);
    for (bool first = true; bits; bits &= bits - 1, first = false) {
        uint32_t bit = 0;
        while (!(bits >> bit & 1))
            bit++;
        cake_text_format(out, "%s%u", first ? "" : "+", bit);
    }
}

static void reduction_facts(op_printer *p, const cake_plan_op *op) {
    const cake_plan_reduction *reduction = op->u.reduction;
    tile_facts(p, op->operands[0]);
    if (reduction->within != CAKE_WITHIN_TEAM)
        cake_text_add_string(&p->facts, reduction->within == CAKE_WITHIN_LANE ? ", within lanes" : ", within warps");
    if (reduction->lane_bits) print_bits(&p->facts, "lane bits", reduction->lane_bits);
    if (reduction->warp_bits) print_bits(&p->facts, "warp bits", reduction->warp_bits);
    if (reduction->scratch_bytes)
        cake_text_format(&p->facts, ", %u bytes of scratch, 2 barriers", reduction->scratch_bytes);
}

/* '2 boxes of map 1 [64, 128]'; maps may differ between boxes. */
static void copy_facts(op_printer *p, const cake_plan_copy *copy) {
    cake_text_format(&p->facts, "%u bytes:", copy->bytes);
    for (uint32_t i = 0; i < copy->boxes.count;) {
        uint32_t same = 1;
        while (i + same < copy->boxes.count && copy->boxes.items[i + same].map == copy->boxes.items[i].map)
            same++;
        cake_text_format(&p->facts, "%s %u box%s of map %u", i ? "," : "", same, same == 1 ? "" : "es",
                         copy->boxes.items[i].map->number);
        i += same;
    }
    if (copy->multicast) cake_text_add_string(&p->facts, ", to all CTAs of the cluster");
    if (copy->cache) cake_text_format(&p->facts, ", %s", copy->cache);
}

static void matrix_facts(op_printer *p, const cake_plan_matrix *matrix, bool one_warp) {
    uint32_t steps = matrix->k / matrix->k_per_step, columns = one_warp ? 8 : matrix->n;
    cake_text_format(&p->facts, "%u x m%un%uk%u %s: %u block%s of rows, %u step%s%s",
                     matrix->m_blocks * steps * (matrix->n / columns), one_warp ? 16 : 64, columns, matrix->k_per_step,
                     cake_dtype_name(matrix->dtype), matrix->m_blocks, matrix->m_blocks == 1 ? "" : "s", steps,
                     steps == 1 ? "" : "s", matrix->fresh ? ", fresh" : "");
    if (matrix->x_transposed) cake_text_add_string(&p->facts, ", x MN-major");
    if (matrix->y_transposed) cake_text_add_string(&p->facts, ", y MN-major");
}

/* ---- rows ---- */

static void clear(cake_text *text) {
    text->size = 0;
    if (text->bytes) text->bytes[0] = 0;
}

static void finish_row(op_printer *p, const cake_plan_op *op) {
    cake_plan_print_row(p->plan, p->out, op->span, p->depth, &p->what, &p->facts);
    clear(&p->what);
    clear(&p->facts);
}

static void what(op_printer *p, const char *text) {
    cake_text_add_string(&p->what, text);
}

static void what_value(op_printer *p, const cake_plan_value *value) {
    cake_plan_value_print(value, &p->what);
}

static void print_block(op_printer *p, const cake_plan_block *block);

static void print_nested(op_printer *p, const cake_plan_block *block) {
    p->depth++;
    print_block(p, block);
    p->depth--;
}

static void print_load(op_printer *p, const cake_plan_op *op) {
    what_value(p, op->result);
    what(p, " = load ");
    cake_plan_place_print(&op->u.access->place, &p->what);
    tile_facts(p, op->result);
    access_facts(p, op->u.access);
}

static void print_store(op_printer *p, const cake_plan_op *op) {
    what(p, "store ");
    cake_plan_place_print(&op->u.access->place, &p->what);
    what(p, " <- ");
    what_value(p, op->operands[0]);
    tile_facts(p, op->operands[0]);
    access_facts(p, op->u.access);
}

/* Of one lane's value for a team of several warps. */
static void broadcast_facts(op_printer *p, uint32_t scratch_bytes) {
    if (!scratch_bytes) return;
    separate(&p->facts);
    cake_text_format(&p->facts, "%u bytes of scratch, 2 barriers", scratch_bytes);
}

static void print_atomic(op_printer *p, const cake_plan_op *op) {
    static const char *const scopes[] = {"", "cta", "gpu", "sys"};
    static const char *const orders[] = {"relaxed", "acquire", "release", "acq_rel"};
    const cake_plan_atomic_access *atomic = op->u.atomic;
    if (atomic->used) {
        what_value(p, op->result);
        what(p, " = ");
    }
    cake_text_format(&p->what, "atomic.%s ", cake_atomic_name(atomic->op));
    cake_plan_place_print(&atomic->access.place, &p->what);
    for (uint8_t i = 0; i < op->operand_count; i++) {
        what(p, i ? ", " : " <- ");
        what_value(p, op->operands[i]);
    }
    if (atomic->shape.rank == 0) cake_text_add_string(&p->facts, "by one lane");
    if (op->result) tile_facts(p, op->result);
    separate(&p->facts);
    cake_text_format(&p->facts, "%s at %s scope%s", orders[atomic->order], scopes[atomic->scope],
                     atomic->access.mask ? ", predicated by mask" : "");
    broadcast_facts(p, atomic->scratch_bytes);
}

static void print_await(op_printer *p, const cake_plan_op *op) {
    if (op->u.await->used) {
        what_value(p, op->result);
        what(p, " = ");
    }
    what(p, "await ");
    cake_plan_place_print(&op->u.await->access.place, &p->what);
    tile_facts(p, op->result);
    broadcast_facts(p, op->u.await->scratch_bytes);
}

static void print_reduction(op_printer *p, const cake_plan_op *op) {
    const cake_plan_combiner *combiner = op->u.reduction->combiner;
    bool finds = combiner && !combiner->name; /* argmin and argmax: the second tile holds the positions */
    what_value(p, finds ? op->second : op->result);
    if (op->second && !finds) {
        what(p, ", ");
        what_value(p, op->second);
    }
    cake_text_format(&p->what, " = %s(", cake_builtin_info_of(op->u.reduction->function)->name);
    if (combiner && combiner->name) cake_text_format(&p->what, "%s, ", combiner->name);
    what_value(p, op->operands[0]);
    if (op->second && !finds) {
        what(p, ", ");
        what_value(p, op->operands[1]);
    }
    if (op->u.reduction->count) cake_text_format(&p->what, ", %u", op->u.reduction->count);
    for (uint32_t d = 0; d < CAKE_MAX_RANK; d++)
        if (op->u.reduction->axes >> d & 1) cake_text_format(&p->what, ", axis=%u", d);
    what(p, ")");
    reduction_facts(p, op);
}

static void print_relayout(op_printer *p, const cake_plan_op *op) {
    what_value(p, op->result);
    what(p, " = relayout ");
    what_value(p, op->operands[0]);
    tile_facts(p, op->result);
    if (op->operands[0]->layout) cake_text_format(&p->facts, ", from layout %u", op->operands[0]->layout->number);
    if (op->u.bytes)
        cake_text_format(&p->facts, ", %u bytes of scratch, 2 barriers", op->u.bytes);
    else
        cake_text_add_string(&p->facts, ", nothing moves");
}

static void print_write(op_printer *p, const cake_plan_op *op) {
    const cake_plan_variable *variable = op->u.variable.variable;
    cake_plan_slice_print(op, &p->what);
    what(p, " = ");
    what_value(p, op->operands[0]);
    if (variable->shape.rank == 0) return;
    cake_text_format(&p->facts, "%s", cake_dtype_name(variable->dtype));
    cake_shape_print(&variable->shape, &p->facts);
    if (variable->layout)
        cake_text_format(&p->facts, " in layout %u: %u registers%s", variable->layout->number,
                         variable->layout->register_count, variable->accumulator ? ", accumulator" : "");
}

/* A tile that the schedule names; the steps to it have no rows. */
static void print_pure(op_printer *p, const cake_plan_op *op) {
    if (!op->result || !op->result->name || op->result->shape.rank == 0) return;
    what_value(p, op->result);
    what(p, " = ");
    cake_plan_definition_print(op->result, &p->what);
    tile_facts(p, op->result);
    finish_row(p, op);
}

static void print_copy(op_printer *p, const cake_plan_op *op) {
    const cake_plan_copy *copy = op->u.copy;
    bool loads = op->kind == CAKE_PLAN_TMA_LOAD;
    what(p, loads ? "tma.load " : copy->reduce ? "tma.reduce " : "tma.store ");
    if (copy->reduce) cake_text_format(&p->what, "%s ", copy->reduce);
    cake_plan_place_print(loads ? &copy->shared : &copy->global, &p->what);
    what(p, " <- ");
    cake_plan_place_print(loads ? &copy->global : &copy->shared, &p->what);
    copy_facts(p, copy);
}

static void print_async(op_printer *p, const cake_plan_op *op) {
    const cake_plan_async *async = op->u.async;
    uint32_t bytes = async->width * cake_dtype_bits(async->shared.buffer->dtype) / 8;
    what(p, "async.load ");
    cake_plan_place_print(&async->shared, &p->what);
    what(p, " <- ");
    cake_plan_place_print(&async->global.place, &p->what);
    cake_text_format(&p->facts, "layout %u: %u copies of %u bytes a lane%s", async->layout->number,
                     async->layout->register_count / async->width, bytes,
                     async->global.clip ? ", zeros where clipped" : "");
}

static void operand_facts(op_printer *p, const char *name, const cake_plan_value *registers) {
    if (registers)
        cake_text_format(&p->facts, ", %s in registers: layout %u", name,
                         registers->layout ? registers->layout->number : 0);
}

static void print_matrix(op_printer *p, const cake_plan_op *op) {
    const cake_plan_matrix *matrix = op->u.matrix;
    cake_text_format(&p->what, "%s %s %s ", cake_plan_op_name(op->kind), matrix->accumulator->name,
                     matrix->fresh ? "=" : "+=");
    if (matrix->x_registers)
        what_value(p, matrix->x_registers);
    else
        cake_plan_place_print(&matrix->x, &p->what);
    what(p, " * ");
    if (matrix->y_registers) {
        what_value(p, matrix->y_registers);
        what(p, ".T");
    } else {
        cake_plan_place_print(&matrix->y, &p->what);
    }
    matrix_facts(p, matrix, op->kind == CAKE_PLAN_MMA);
    operand_facts(p, "x", matrix->x_registers);
    operand_facts(p, "y", matrix->y_registers);
}

static void print_slot(op_printer *p, const cake_plan_op *op) {
    const cake_plan_pipeline *pipeline = op->u.slot.pipeline;
    cake_text_format(&p->what, "%s %s", cake_plan_op_name(op->kind), pipeline->name);
    if (op->kind == CAKE_PLAN_COMMIT && pipeline->bytes_per_stage)
        cake_text_format(&p->facts, "full after %u arrival%s and %u bytes", pipeline->full_count,
                         pipeline->full_count == 1 ? "" : "s", pipeline->bytes_per_stage);
    else if (op->kind == CAKE_PLAN_COMMIT)
        cake_text_format(&p->facts, "full after %u arrival%s", pipeline->full_count,
                         pipeline->full_count == 1 ? "" : "s");
    if (op->kind != CAKE_PLAN_RELEASE) return;
    cake_text_format(&p->what, " keep %u", op->u.slot.keep);
    if (!op->u.slot.held_before) return; /* never reached, or a role that fills and reads the same slots */
    cake_text_add_string(&p->facts, "held before: ");
    print_counts(&p->facts, op->u.slot.held_before);
}

static void what_tiles(op_printer *p) {
    const cake_grid *grid = p->plan->kernel->grid;
    what(p, "for tile (");
    for (uint32_t i = 0; i < grid->axes.count; i++)
        cake_text_format(&p->what, "%s%s", i ? ", " : "", grid->axes.items[i].name);
    what(p, ")");
}

static void print_for(op_printer *p, const cake_plan_op *op) {
    if (op->u.loop.tiles) {
        what_tiles(p);
        cake_text_add_string(&p->facts, "tiles ");
    } else {
        what(p, "for ");
        what_value(p, op->u.loop.induction);
        what(p, " in ");
    }
    cake_text *bounds = op->u.loop.tiles ? &p->facts : &p->what;
    cake_plan_value_print(op->u.loop.from, bounds);
    cake_text_add_string(bounds, " .. ");
    cake_plan_value_print(op->u.loop.to, bounds);
    if (!op->u.loop.step->is_constant || op->u.loop.step->integer != 1) {
        cake_text_add_string(bounds, " step ");
        cake_plan_value_print(op->u.loop.step, bounds);
    }
    if (op->u.loop.at_least_once) {
        separate(&p->facts);
        cake_text_add_string(&p->facts, "at least once");
    }
    if (op->u.loop.unroll) {
        separate(&p->facts);
        cake_text_format(&p->facts, "unrolled by %u", op->u.loop.unroll);
    }
    finish_row(p, op);
    print_nested(p, &op->u.loop.body);
}

static void print_while(op_printer *p, const cake_plan_op *op) {
    if (op->u.loop_while.tiles) {
        what_tiles(p);
        cake_text_format(&p->facts, "tiles from '%s', while ", p->plan->launch.claim->name);
        cake_plan_value_print(op->u.loop_while.value, &p->facts);
    } else {
        what(p, "while ");
        if (op->u.loop_while.value) what_value(p, op->u.loop_while.value);
        cake_text_format(&p->facts, "at most %lld rounds", (long long)op->u.loop_while.bound);
    }
    finish_row(p, op);
    print_nested(p, &op->u.loop_while.condition);
    print_nested(p, &op->u.loop_while.body);
}

static void print_if(op_printer *p, const cake_plan_op *op) {
    what(p, "if ");
    what_value(p, op->u.branch.condition);
    finish_row(p, op);
    print_nested(p, &op->u.branch.then);
    if (!op->u.branch.otherwise.first) return;
    what(p, "else");
    finish_row(p, op);
    print_nested(p, &op->u.branch.otherwise);
}

static void print_signal(op_printer *p, const cake_plan_op *op) {
    cake_text_format(&p->what, "%s ", cake_plan_op_name(op->kind));
    if (!op->operand_count) {
        what(p, op->u.signal->name);
        return;
    }
    cake_text_format(&p->what, "peer(%s, ", op->u.signal->name);
    what_value(p, op->operands[0]);
    what(p, ")");
}

static void print_op(op_printer *p, const cake_plan_op *op) {
    switch (op->kind) {
    case CAKE_PLAN_DIMENSION:
    case CAKE_PLAN_PARAMETER:
    case CAKE_PLAN_CTA_ID:
    case CAKE_PLAN_GRID_SIZE:
    case CAKE_PLAN_TEAM_INDEX:
    case CAKE_PLAN_CLUSTER_RANK:
    case CAKE_PLAN_CLAIMED:
    case CAKE_PLAN_POLLED:
    case CAKE_PLAN_COMBINED:
    case CAKE_PLAN_INDUCTION:
        return;
    case CAKE_PLAN_UNARY:
    case CAKE_PLAN_BINARY:
    case CAKE_PLAN_CALL:
    case CAKE_PLAN_CAST:
    case CAKE_PLAN_BITCAST:
    case CAKE_PLAN_IOTA:
    case CAKE_PLAN_INSERT_AXIS:
    case CAKE_PLAN_SPLAT:
    case CAKE_PLAN_SLICE:
    case CAKE_PLAN_RESHAPE:
    case CAKE_PLAN_TRANSPOSE:
    case CAKE_PLAN_CONCAT:
    case CAKE_PLAN_READ:
        print_pure(p, op);
        return;
    case CAKE_PLAN_FOR:
        print_for(p, op);
        return;
    case CAKE_PLAN_WHILE:
        print_while(p, op);
        return;
    case CAKE_PLAN_IF:
        print_if(p, op);
        return;
    case CAKE_PLAN_RELAYOUT:
        print_relayout(p, op);
        break;
    case CAKE_PLAN_REDUCE:
    case CAKE_PLAN_SCAN:
    case CAKE_PLAN_TOPK:
        print_reduction(p, op);
        break;
    case CAKE_PLAN_LOAD:
        print_load(p, op);
        break;
    case CAKE_PLAN_WRITE:
        print_write(p, op);
        break;
    case CAKE_PLAN_STORE:
        print_store(p, op);
        break;
    case CAKE_PLAN_ATOMIC:
        print_atomic(p, op);
        break;
    case CAKE_PLAN_AWAIT:
        print_await(p, op);
        break;
    case CAKE_PLAN_ARRIVE:
    case CAKE_PLAN_AWAIT_SIGNAL:
        print_signal(p, op);
        break;
    case CAKE_PLAN_ACQUIRE:
    case CAKE_PLAN_COMMIT:
    case CAKE_PLAN_WAIT:
    case CAKE_PLAN_RELEASE:
        print_slot(p, op);
        break;
    case CAKE_PLAN_TAKE:
    case CAKE_PLAN_PASS:
        cake_text_format(&p->what, "%s %s", cake_plan_op_name(op->kind), op->u.baton->name);
        break;
    case CAKE_PLAN_TMA_LOAD:
    case CAKE_PLAN_TMA_STORE:
        print_copy(p, op);
        break;
    case CAKE_PLAN_ASYNC_LOAD:
        print_async(p, op);
        break;
    case CAKE_PLAN_MMA:
    case CAKE_PLAN_WGMMA:
        print_matrix(p, op);
        break;
    case CAKE_PLAN_WGMMA_WAIT:
    case CAKE_PLAN_BULK_WAIT:
    case CAKE_PLAN_BULK_WAIT_READ:
        cake_text_format(&p->what, "%s %u", cake_plan_op_name(op->kind), op->u.count);
        break;
    case CAKE_PLAN_WGMMA_COMMIT:
    case CAKE_PLAN_BULK_COMMIT:
    case CAKE_PLAN_FENCE_ASYNC:
    case CAKE_PLAN_SYNC_TEAM:
    case CAKE_PLAN_SYNC_ROLE:
    case CAKE_PLAN_SYNC_CTA:
    case CAKE_PLAN_SYNC_CLUSTER:
    case CAKE_PLAN_GRID_WAIT:
    case CAKE_PLAN_GRID_TRIGGER:
        what(p, cake_plan_op_name(op->kind));
        break;
    }
    finish_row(p, op);
}

static void print_block(op_printer *p, const cake_plan_block *block) {
    for (const cake_plan_op *op = block->first; op; op = op->next)
        print_op(p, op);
}

void cake_plan_print_role_body(const cake_plan *plan, const cake_plan_role *role, cake_text *out) {
    op_printer printer = {.plan = plan, .out = out};
    cake_text_init(&printer.what, out->arena);
    cake_text_init(&printer.facts, out->arena);
    print_block(&printer, &role->body);
}
