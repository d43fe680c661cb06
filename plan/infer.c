/* Layout inference.
 *
 * Tiles that must have equal layouts form a class (union-find); relations between classes say how one layout follows
 * from another. Classes are fixed in the order of docs/language.md, 'Layouts': fragments of matrix instructions, then
 * 'vec' of loads, 'vec' of stores, then runs of 1, each followed by propagation along the relations. At the end every
 * relation is checked, so a tile with two different needs is an error and never a silent conversion.
 */
#include <string.h>

#include "plan/internal.h"

uint32_t cake_plan_class_new(cake_builder *builder, const cake_shape *shape) {
    if (builder->classes.count == 0) (void)CAKE_PUSH(builder->arena, &builder->classes); /* 0: scalars */
    cake_layout_class *row = CAKE_PUSH(builder->arena, &builder->classes);
    uint32_t id = builder->classes.count - 1;
    row->parent = id;
    row->shape = *shape;
    row->span = row->reason_span = builder->span;
    return id;
}

static uint32_t root_of(cake_builder *builder, uint32_t id) {
    cake_layout_class *rows = builder->classes.items;
    while (rows[id].parent != id) {
        rows[id].parent = rows[rows[id].parent].parent;
        id = rows[id].parent;
    }
    return id;
}

static cake_layout_class *class_of(cake_builder *builder, uint32_t id) {
    return &builder->classes.items[root_of(builder, id)];
}

void cake_plan_class_join(cake_builder *builder, uint32_t a, uint32_t b) {
    uint32_t first = root_of(builder, a), second = root_of(builder, b);
    if (first == second) return;
    cake_layout_class *keep = &builder->classes.items[first], *gone = &builder->classes.items[second];
    gone->parent = first;
    if (gone->wgmma && !keep->wgmma) keep->reason_span = gone->reason_span;
    keep->wgmma |= gone->wgmma;
    if (gone->mma && !keep->mma) keep->reason_span = gone->reason_span;
    keep->mma |= gone->mma;
    if (gone->vec > keep->vec) {
        keep->vec = gone->vec;
        if (!keep->wgmma) keep->reason_span = gone->reason_span;
    }
    if (gone->store_vec > keep->store_vec) keep->store_vec = gone->store_vec;
}

void cake_plan_relate(cake_builder *builder, cake_relation_kind kind, uint32_t small, uint32_t big, uint32_t axes,
                      const uint32_t *offsets) {
    cake_relation *relation = CAKE_PUSH(builder->arena, &builder->relations);
    *relation = (cake_relation){.kind = kind, .small = small, .big = big, .axes = axes, .span = builder->span};
    if (offsets) memcpy(relation->offsets, offsets, sizeof relation->offsets);
}

void cake_plan_class_vec(cake_builder *builder, uint32_t layout_class, uint32_t vec, bool store) {
    cake_layout_class *row = class_of(builder, layout_class);
    if (store) {
        if (vec > row->store_vec) row->store_vec = vec;
    } else if (vec > row->vec) {
        row->vec = vec;
        if (!row->wgmma) row->reason_span = builder->span;
    }
}

void cake_plan_class_wgmma(cake_builder *builder, uint32_t layout_class) {
    cake_layout_class *row = class_of(builder, layout_class);
    if (!row->wgmma) row->reason_span = builder->span;
    row->wgmma = 1;
}

void cake_plan_class_mma(cake_builder *builder, uint32_t layout_class, uint32_t per_word) {
    cake_layout_class *row = class_of(builder, layout_class);
    if (!row->mma) row->reason_span = builder->span;
    row->mma |= per_word;
}

/* The small side's layout by a relation, from the big side's. */
static const cake_layout *derive(cake_builder *builder, const cake_relation *relation, const cake_layout *big) {
    cake_layouts *layouts = &builder->plan->layouts;
    switch (relation->kind) {
    case CAKE_RELATION_COLLAPSE:
        return cake_layout_collapse(layouts, big, relation->axes);
    case CAKE_RELATION_REDUCE: {
        const cake_layout *layout = cake_layout_collapse(layouts, big, relation->axes);
        for (uint8_t d = big->shape.rank; d-- > 0;)
            if (relation->axes >> d & 1) layout = cake_layout_drop_axis(layouts, layout, d);
        return layout;
    }
    case CAKE_RELATION_FOLD_LANE:
    case CAKE_RELATION_FOLD_WARP:
        return cake_layout_fold(layouts, big, relation->axes, relation->kind == CAKE_RELATION_FOLD_WARP);
    case CAKE_RELATION_INSERT:
        return cake_layout_drop_axis(layouts, big, (uint8_t)relation->axes);
    case CAKE_RELATION_SLICE:
        return cake_layout_slice(layouts, big, relation->offsets, &class_of(builder, relation->small)->shape);
    }
    return NULL;
}

static void propagate(cake_builder *builder) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < builder->relations.count; i++) {
            const cake_relation *relation = &builder->relations.items[i];
            cake_layout_class *small = class_of(builder, relation->small), *big = class_of(builder, relation->big);
            if (big->layout && !small->layout) {
                small->layout = derive(builder, relation, big->layout);
                small->reason_span = big->reason_span;
                changed = changed || small->layout;
            } else if (relation->kind == CAKE_RELATION_INSERT && small->layout && !big->layout) {
                big->layout = cake_layout_insert_axis(&builder->plan->layouts, small->layout, (uint8_t)relation->axes);
                big->reason_span = small->reason_span;
                changed = true;
            }
        }
    }
}

uint8_t cake_plan_warp_bits(const cake_builder *builder) {
    uint8_t bits = 0;
    while ((1u << bits) < builder->role->warps_per_team)
        bits++;
    return bits;
}

static void fix_runs(cake_builder *builder, cake_layout_class *row, uint32_t run) {
    row->layout = cake_layout_runs(&builder->plan->layouts, &row->shape, run, cake_plan_warp_bits(builder));
    if (row->layout) return;
    cake_text text;
    cake_text_init(&text, builder->arena);
    cake_shape_print(&row->shape, &text);
    cake_report(builder->diagnostics, CAKE_L502, row->reason_span,
                "a tile of shape %s in runs of %u does not deal evenly to %u threads", cake_text_string(&text), run,
                builder->role->warps_per_team * 32);
    row->layout =
        cake_layout_collapse(&builder->plan->layouts, &(cake_layout){.shape = row->shape}, 0); /* silent from here */
}

const cake_layout *cake_plan_class_layout(cake_builder *builder, uint32_t layout_class) {
    const cake_layout_class *row = class_of(builder, layout_class);
    cake_layouts *layouts = &builder->plan->layouts;
    if (row->wgmma) return cake_layout_wgmma(layouts, &row->shape, cake_plan_warp_bits(builder));
    if (row->mma) return cake_layout_mma(layouts, &row->shape, row->mma, cake_plan_warp_bits(builder));
    return cake_layout_runs(layouts, &row->shape, row->vec ? row->vec : 1, cake_plan_warp_bits(builder));
}

static void fix_fragments(cake_builder *builder) {
    for (uint32_t i = 1; i < builder->classes.count; i++) {
        cake_layout_class *row = &builder->classes.items[i];
        if (row->parent != i || (!row->wgmma && !row->mma)) continue;
        row->layout = cake_plan_class_layout(builder, i);
        if (row->layout) continue;
        if (row->mma & (row->mma - 1))
            cake_report(builder->diagnostics, CAKE_L501, row->reason_span,
                        "this tile would be an accumulator and an operand of elements that are not 16 bits wide, or an "
                        "operand of two widths");
        else
            cake_report(builder->diagnostics, row->mma ? CAKE_H210 : CAKE_H205, row->reason_span,
                        "this tile's shape has no accumulator layout for the team");
    }
    propagate(builder);
}

static void fix_vectors(cake_builder *builder, bool stores) {
    for (uint32_t i = 1; i < builder->classes.count; i++) {
        cake_layout_class *row = &builder->classes.items[i];
        uint32_t vec = stores ? row->store_vec : row->vec;
        if (row->parent != i || row->layout || !vec) continue;
        fix_runs(builder, row, vec);
        propagate(builder);
    }
}

/* Whether the class may still get its layout from a larger one. */
static bool waits_for_larger(cake_builder *builder, uint32_t id) {
    for (uint32_t i = 0; i < builder->relations.count; i++) {
        const cake_relation *relation = &builder->relations.items[i];
        if (root_of(builder, relation->small) == id && !class_of(builder, relation->big)->layout &&
            root_of(builder, relation->big) != id)
            return true;
    }
    return false;
}

static void fix_rest(cake_builder *builder) {
    for (bool waiting_too = false;;) {
        bool any = false, left = false;
        for (uint32_t i = 1; i < builder->classes.count; i++) {
            if (builder->classes.items[i].parent != i || builder->classes.items[i].layout) continue;
            left = true;
            if (!waiting_too && waits_for_larger(builder, i)) continue;
            fix_runs(builder, &builder->classes.items[i], 1);
            propagate(builder);
            any = true;
            waiting_too = false;
        }
        if (!left) return;
        waiting_too = !any;
    }
}

static void check_relations(cake_builder *builder) {
    for (uint32_t i = 0; i < builder->relations.count; i++) {
        const cake_relation *relation = &builder->relations.items[i];
        const cake_layout_class *small = class_of(builder, relation->small), *big = class_of(builder, relation->big);
        if (!small->layout || !big->layout) continue;
        const cake_layout *wanted = derive(builder, relation, big->layout);
        if (wanted == small->layout) continue;
        if (!wanted && relation->kind == CAKE_RELATION_SLICE) {
            cake_report(builder->diagnostics, CAKE_L503, relation->span,
                        "this slice does not give every lane an equal share of the tile");
            continue;
        }
        cake_diagnostic *d = cake_report(builder->diagnostics, CAKE_L501, relation->span,
                                         "the two sides of this operation have different layouts");
        cake_diagnostic_note(builder->diagnostics, d, small->reason_span, "one is fixed here");
        cake_diagnostic_note(builder->diagnostics, d, big->reason_span, "the other here");
    }
}

static void assign(cake_builder *builder, const cake_plan_block *block);

static void assign_nested(cake_builder *builder, cake_plan_op *op) {
    if (op->kind == CAKE_PLAN_FOR) assign(builder, &op->u.loop.body);
    if (op->kind == CAKE_PLAN_IF) {
        assign(builder, &op->u.branch.then);
        assign(builder, &op->u.branch.otherwise);
    }
    if (op->kind == CAKE_PLAN_WHILE) {
        assign(builder, &op->u.loop_while.condition);
        assign(builder, &op->u.loop_while.body);
    }
}

static void assign(cake_builder *builder, const cake_plan_block *block) {
    for (cake_plan_op *op = block->first; op; op = op->next) {
        if (op->result && op->result->shape.rank)
            op->result->layout = class_of(builder, op->result->layout_class)->layout;
        assign_nested(builder, op);
    }
}

/* Which bits of lane and warp a reduction crosses, and the scratch it needs between warps. */
static void finish_reduction(cake_builder *builder, cake_plan_op *op) {
    cake_plan_reduction *reduction = op->u.reduction;
    const cake_layout *layout = op->operands[0]->layout;
    if (!layout) return;
    uint32_t warps = 1;
    for (uint8_t d = 0; d < layout->shape.rank; d++) {
        if (!(reduction->axes >> d & 1)) continue;
        for (uint32_t i = 0; i < CAKE_LANE_BITS; i++)
            if (layout->lane[i].at[d]) reduction->lane_bits |= 1u << i;
        for (uint32_t i = 0; i < layout->warp_bits; i++)
            if (layout->warp[i].at[d]) reduction->warp_bits |= 1u << i;
    }
    for (uint32_t bits = reduction->warp_bits; bits; bits &= bits - 1)
        warps *= 2;
    if (warps == 1) return;
    uint32_t bytes = cake_dtype_bits(op->result->dtype) > 32 ? 8 : 4;
    reduction->scratch_bytes = (uint32_t)cake_shape_elements(&op->result->shape) * warps * bytes;
    cake_plan_role *role = builder->role;
    if (reduction->scratch_bytes > role->scratch_bytes) role->scratch_bytes = (reduction->scratch_bytes + 15) & ~15u;
    cake_plan_cost_add(builder, op->span, "%s across %u warps: %u bytes of scratch and two 'sync team'",
                       cake_builtin_info_of(reduction->function)->name, warps, reduction->scratch_bytes);
}

void cake_plan_infer(cake_builder *builder) {
    fix_fragments(builder);
    fix_vectors(builder, false);
    fix_vectors(builder, true);
    fix_rest(builder);
    check_relations(builder);
    assign(builder, &builder->role->body);
    for (uint32_t i = 0; i < builder->plan->variables.count; i++) {
        cake_plan_variable *variable = builder->plan->variables.items[i];
        if (variable->layout_class) variable->layout = class_of(builder, variable->layout_class)->layout;
        variable->layout_class = 0; /* classes are the role's: the next role starts anew */
    }
    for (uint32_t i = 0; i < builder->reductions.count; i++)
        finish_reduction(builder, builder->reductions.items[i]);
}
