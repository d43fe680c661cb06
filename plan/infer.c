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
    /* whole, since the rows of the role before are used again */
    *row = (cake_layout_class){.parent = id, .shape = *shape, .span = builder->span, .reason_span = builder->span};
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
    if (first > second) { /* the oldest stands for all: where nothing else decides, classes get layouts in its turn */
        uint32_t older = second;
        second = first;
        first = older;
    }
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

void cake_plan_relate_concat(cake_builder *builder, uint32_t first, uint32_t second, uint32_t whole, uint8_t axis) {
    uint32_t offsets[CAKE_MAX_RANK] = {0};
    cake_plan_relate(builder, CAKE_RELATION_PART, first, whole, 0, offsets);
    offsets[axis] = builder->classes.items[first].shape.extents[axis];
    cake_plan_relate(builder, CAKE_RELATION_PART, second, whole, 0, offsets);
    cake_plan_relate(builder, CAKE_RELATION_CONCAT, first, whole, axis, NULL);
    builder->relations.items[builder->relations.count - 1].second = second;
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

void cake_plan_class_fix(cake_builder *builder, uint32_t layout_class, const cake_layout *layout) {
    class_of(builder, layout_class)->layout = layout;
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
    case CAKE_RELATION_PART:
        return cake_layout_slice(layouts, big, relation->offsets, &class_of(builder, relation->small)->shape);
    case CAKE_RELATION_RESHAPE:
        return cake_layout_reshape(layouts, big, &class_of(builder, relation->small)->shape);
    case CAKE_RELATION_TRANSPOSE:
        return cake_layout_transpose(layouts, big);
    case CAKE_RELATION_TOP:
        return cake_layout_spread(layouts, big, (uint8_t)relation->axes,
                                  class_of(builder, relation->small)->shape.extents[relation->axes]);
    case CAKE_RELATION_CONCAT:
        break;
    }
    return NULL;
}

/* The big side's layout, where the relation holds that way too. */
static const cake_layout *derive_big(cake_builder *builder, const cake_relation *relation, const cake_layout *small) {
    cake_layouts *layouts = &builder->plan->layouts;
    if (relation->kind == CAKE_RELATION_INSERT) return cake_layout_insert_axis(layouts, small, (uint8_t)relation->axes);
    if (relation->kind == CAKE_RELATION_TRANSPOSE) return cake_layout_transpose(layouts, small);
    if (relation->kind == CAKE_RELATION_RESHAPE)
        return cake_layout_reshape(layouts, small, &class_of(builder, relation->big)->shape);
    if (relation->kind != CAKE_RELATION_CONCAT) return NULL;
    const cake_layout *second = class_of(builder, relation->second)->layout;
    return second ? cake_layout_concat(layouts, small, second, (uint8_t)relation->axes) : NULL;
}

/* ---- the relations of each class ---- */

/* The classes that the relation ties: two, or three for a concat. */
static uint32_t classes_of(cake_builder *builder, const cake_relation *relation, uint32_t out_roots[3]) {
    out_roots[0] = root_of(builder, relation->small);
    out_roots[1] = root_of(builder, relation->big);
    if (relation->kind != CAKE_RELATION_CONCAT) return 2;
    out_roots[2] = root_of(builder, relation->second);
    return 3;
}

/* Sorts the relations by class, by counting; classes are joined no more from here on. */
static void index_relations(cake_builder *builder) {
    uint32_t count = builder->classes.count, total = 0, roots[3];
    uint32_t *end = CAKE_NEW_ARRAY(builder->arena, uint32_t, count + 2);
    for (uint32_t i = 0; i < builder->relations.count; i++)
        for (uint32_t k = classes_of(builder, &builder->relations.items[i], roots); k-- > 0; total++)
            end[roots[k] + 1]++;
    for (uint32_t i = 0; i <= count; i++)
        end[i + 1] += end[i];
    builder->related = CAKE_NEW_ARRAY(builder->arena, uint32_t, total + 1);
    for (uint32_t i = 0; i < builder->relations.count; i++)
        for (uint32_t k = classes_of(builder, &builder->relations.items[i], roots); k-- > 0;)
            builder->related[end[roots[k]]++] = i;
    builder->related_end = end;
}

/* Relation number 'at' of the class, or null behind the last one. */
static const cake_relation *related(const cake_builder *builder, uint32_t id, uint32_t at) {
    uint32_t begin = id ? builder->related_end[id - 1] : 0;
    return begin + at < builder->related_end[id] ? &builder->relations.items[builder->related[begin + at]] : NULL;
}

/* ---- propagation ---- */

/* The class that gets its layout by the relation now; 0 if none does. */
static uint32_t follow(cake_builder *builder, const cake_relation *relation) {
    cake_layout_class *small = class_of(builder, relation->small), *big = class_of(builder, relation->big);
    if (big->layout && !small->layout) {
        small->layout = derive(builder, relation, big->layout);
        if (!small->layout) return 0;
        small->reason_span = big->reason_span;
        return root_of(builder, relation->small);
    }
    if (!small->layout || big->layout) return 0;
    big->layout = derive_big(builder, relation, small->layout);
    if (!big->layout) return 0;
    big->reason_span = small->reason_span;
    return root_of(builder, relation->big);
}

/* What follows from the layout of one class. */
static void propagate(cake_builder *builder, uint32_t from) {
    CAKE_VECTOR(uint32_t) pending = {0};
    *CAKE_PUSH(builder->arena, &pending) = from;
    while (pending.count) {
        uint32_t id = pending.items[--pending.count], next;
        const cake_relation *relation;
        for (uint32_t i = 0; (relation = related(builder, id, i)); i++)
            if ((next = follow(builder, relation))) *CAKE_PUSH(builder->arena, &pending) = next;
    }
}

uint8_t cake_plan_warp_bits(const cake_builder *builder) {
    uint8_t bits = 0;
    while (!(builder->role->warps_per_team >> bits & 1))
        bits++;
    return bits;
}

/* Stands for one that could not be made: an error has been reported, so no more of it. */
static const cake_layout *silent_layout(cake_builder *builder, const cake_layout_class *row) {
    return cake_layout_collapse(&builder->plan->layouts, &(cake_layout){.shape = row->shape}, 0);
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
    row->layout = silent_layout(builder, row);
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
    for (uint32_t i = 1; i < builder->classes.count; i++)
        if (builder->classes.items[i].parent == i && builder->classes.items[i].layout) propagate(builder, i);
}

static void fix_vectors(cake_builder *builder, bool stores) {
    for (uint32_t i = 1; i < builder->classes.count; i++) {
        cake_layout_class *row = &builder->classes.items[i];
        uint32_t vec = stores ? row->store_vec : row->vec;
        if (row->parent != i || row->layout || !vec) continue;
        fix_runs(builder, row, vec);
        propagate(builder, i);
    }
}

/* Whether the class may still get its layout from a larger one, or a concat from its parts. */
static bool waits(cake_builder *builder, uint32_t id) {
    const cake_relation *relation;
    for (uint32_t i = 0; (relation = related(builder, id, i)); i++) {
        if (relation->kind == CAKE_RELATION_PART) continue;
        if (relation->kind == CAKE_RELATION_CONCAT) {
            bool complete = class_of(builder, relation->small)->layout && class_of(builder, relation->second)->layout;
            if (root_of(builder, relation->big) == id && !complete) return true;
        } else if (root_of(builder, relation->small) == id && !class_of(builder, relation->big)->layout &&
                   root_of(builder, relation->big) != id) {
            return true;
        }
    }
    return false;
}

/* Of a part of a concat whose other part has a layout: the one that goes with it. */
static const cake_layout *layout_beside(cake_builder *builder, uint32_t id) {
    const cake_relation *relation;
    const cake_shape *shape = &builder->classes.items[id].shape;
    for (uint32_t i = 0; (relation = related(builder, id, i)); i++) {
        if (relation->kind != CAKE_RELATION_CONCAT || root_of(builder, relation->big) == id) continue;
        bool first = root_of(builder, relation->small) == id;
        const cake_layout_class *other = class_of(builder, first ? relation->second : relation->small);
        if (other->layout) return cake_layout_like(&builder->plan->layouts, other->layout, shape);
    }
    return NULL;
}

/* A relation by which the class would get its layout from classes that have one, and can't; or null. */
static const cake_relation *stuck(cake_builder *builder, uint32_t id) {
    const cake_relation *relation;
    for (uint32_t i = 0; (relation = related(builder, id, i)); i++) {
        uint32_t small = root_of(builder, relation->small), big = root_of(builder, relation->big);
        const cake_layout_class *rows = builder->classes.items;
        if (relation->kind == CAKE_RELATION_RESHAPE &&
            ((small == id && rows[big].layout) || (big == id && rows[small].layout)))
            return relation;
        if (relation->kind == CAKE_RELATION_CONCAT && big == id && rows[small].layout &&
            class_of(builder, relation->second)->layout)
            return relation;
    }
    return NULL;
}

static void report_reshape(cake_builder *builder, const cake_relation *relation) {
    cake_report(builder->diagnostics, CAKE_L505, relation->span, "this reshape would move elements between threads");
}

static void report_concat(cake_builder *builder, const cake_relation *relation) {
    cake_diagnostic *d = cake_report(builder->diagnostics, CAKE_L501, relation->span,
                                     "the parts of this concat are dealt to the threads in different ways");
    cake_diagnostic_note(builder->diagnostics, d, class_of(builder, relation->small)->reason_span, "one is fixed here");
    cake_diagnostic_note(builder->diagnostics, d, class_of(builder, relation->second)->reason_span, "the other here");
}

static void fix_default(cake_builder *builder, uint32_t id) {
    cake_layout_class *row = &builder->classes.items[id];
    const cake_relation *relation = stuck(builder, id);
    if (!relation) {
        row->layout = layout_beside(builder, id);
        if (!row->layout) fix_runs(builder, row, 1);
        return;
    }
    if (relation->kind == CAKE_RELATION_RESHAPE)
        report_reshape(builder, relation);
    else
        report_concat(builder, relation);
    row->layout = silent_layout(builder, row);
}

static void fix_rest(cake_builder *builder) {
    for (bool waiting_too = false;;) {
        bool any = false, left = false;
        for (uint32_t i = 1; i < builder->classes.count; i++) {
            if (builder->classes.items[i].parent != i || builder->classes.items[i].layout) continue;
            left = true;
            if (!waiting_too && waits(builder, i)) continue;
            fix_default(builder, i);
            propagate(builder, i);
            any = true;
            waiting_too = false;
        }
        if (!left) return;
        waiting_too = !any;
    }
}

static bool is_silent(const cake_layout *layout) {
    return !layout || layout->register_count == 0;
}

/* The small side has no layout that would go with the big side's. */
static void report_underivable(cake_builder *builder, const cake_relation *relation) {
    if (relation->kind == CAKE_RELATION_RESHAPE)
        report_reshape(builder, relation);
    else if (relation->kind == CAKE_RELATION_TOP)
        cake_report(builder->diagnostics, CAKE_L502, relation->span, "a thread would hold more than %u elements",
                    CAKE_MAX_REGISTERS);
    else
        cake_report(builder->diagnostics, CAKE_L503, relation->span,
                    relation->kind == CAKE_RELATION_PART
                        ? "a part of this concat is no equal share for every lane of the whole"
                        : "this slice does not give every lane an equal share of the tile");
}

/* Of a concat's parts one report is enough; their relations follow each other. */
static bool other_part_failed(cake_builder *builder, uint32_t i) {
    const cake_relation *relation = &builder->relations.items[i], *before = i ? relation - 1 : NULL;
    return relation->kind == CAKE_RELATION_PART && before && before->kind == CAKE_RELATION_PART &&
           !derive(builder, before, class_of(builder, before->big)->layout);
}

static void check_relations(cake_builder *builder) {
    for (uint32_t i = 0; i < builder->relations.count; i++) {
        const cake_relation *relation = &builder->relations.items[i];
        const cake_layout_class *small = class_of(builder, relation->small), *big = class_of(builder, relation->big);
        if (is_silent(small->layout) || is_silent(big->layout) || relation->kind == CAKE_RELATION_CONCAT) continue;
        const cake_layout *wanted = derive(builder, relation, big->layout);
        if (wanted == small->layout) continue;
        if (!wanted) {
            if (!other_part_failed(builder, i)) report_underivable(builder, relation);
            continue;
        }
        cake_diagnostic *d = cake_report(builder->diagnostics, CAKE_L501, relation->span,
                                         "the two sides of this operation have different layouts");
        cake_diagnostic_note(builder->diagnostics, d, small->reason_span, "one is fixed here");
        cake_diagnostic_note(builder->diagnostics, d, big->reason_span, "the other here");
    }
}

static void assign_value(cake_builder *builder, cake_plan_value *value) {
    if (value && value->shape.rank) value->layout = class_of(builder, value->layout_class)->layout;
}

static void assign(cake_builder *builder, const cake_plan_block *block) {
    for (cake_plan_op *op = block->first; op; op = op->next) {
        cake_plan_block *nested[CAKE_MAX_NESTED];
        uint32_t count = cake_plan_nested(op, nested);
        assign_value(builder, op->result);
        assign_value(builder, op->second);
        if (op->kind == CAKE_PLAN_AWAIT) assign_value(builder, op->u.await->polled);
        for (uint32_t i = 0; i < count; i++)
            assign(builder, nested[i]);
    }
}

void cake_plan_infer(cake_builder *builder) {
    index_relations(builder);
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
    cake_plan_finish_exchanges(builder);
}
