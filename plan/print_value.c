/* Values and places as short text.
 *
 * Values are a graph in which an operand may be shared, so its text can be exponentially long: after a fixed number of
 * nodes what is left is shown by number.
 */
#include "plan/print.h"

#define MAX_NODES 12

typedef struct value_printer {
    cake_text *out;
    uint32_t nodes;
} value_printer;

static void print_value(value_printer *p, const cake_plan_value *value, int level);

static void print_constant(cake_text *out, const cake_plan_value *value) {
    if (value->dtype == CAKE_DTYPE_BOOL)
        cake_text_add_string(out, value->integer ? "true" : "false");
    else if (cake_dtype_class_of(value->dtype) == CAKE_CLASS_FLOAT || value->dtype == CAKE_DTYPE_REAL)
        cake_text_format(out, "%.9g", value->real);
    else if (cake_dtype_class_of(value->dtype) == CAKE_CLASS_UNSIGNED)
        cake_text_format(out, "%llu", (unsigned long long)value->integer);
    else
        cake_text_format(out, "%lld", (long long)value->integer);
}

#define PREFIX_LEVEL 7 /* binds tighter than any binary operator */

static void print_binary(value_printer *p, const cake_plan_op *op, int outer) {
    int level = cake_binary_level(op->u.binary);
    if (level <= outer) cake_text_add_string(p->out, "(");
    print_value(p, op->operands[0], level ? level - 1 : 0);
    cake_text_format(p->out, " %s ", cake_binary_name(op->u.binary));
    print_value(p, op->operands[1], level);
    if (level <= outer) cake_text_add_string(p->out, ")");
}

static void print_call(value_printer *p, const cake_plan_op *op) {
    uint8_t modifiers = op->u.call.modifiers;
    cake_text_format(p->out, "%s%s%s%s(", cake_builtin_info_of(op->u.call.function)->name,
                     modifiers & CAKE_MODIFIER_APPROX ? ".approx" : "", modifiers & CAKE_MODIFIER_FTZ ? ".ftz" : "",
                     modifiers & CAKE_MODIFIER_NAN ? ".nan" : "");
    for (uint8_t i = 0; i < op->operand_count; i++) {
        if (i) cake_text_add_string(p->out, ", ");
        print_value(p, op->operands[i], -1);
    }
    cake_text_add_string(p->out, ")");
}

static void print_insert_axis(value_printer *p, const cake_plan_op *op) {
    print_value(p, op->operands[0], PREFIX_LEVEL);
    for (uint8_t d = 0; d < op->result->shape.rank; d++)
        cake_text_format(p->out, "%s%s", d ? ", " : "[", d == op->u.axis ? "None" : ":");
    cake_text_add_string(p->out, "]");
}

static void print_slice(value_printer *p, const cake_plan_op *op) {
    print_value(p, op->operands[0], PREFIX_LEVEL);
    for (uint8_t d = 0; d < op->result->shape.rank; d++) {
        uint32_t length = op->result->shape.extents[d];
        cake_text_add_string(p->out, d ? ", " : "[");
        if (length == op->operands[0]->shape.extents[d])
            cake_text_add_string(p->out, ":");
        else
            cake_text_format(p->out, "%u :+ %u", op->u.offsets[d], length);
    }
    cake_text_add_string(p->out, "]");
}

static void print_reshape(value_printer *p, const cake_plan_op *op) {
    cake_text_add_string(p->out, "reshape(");
    print_value(p, op->operands[0], -1);
    for (uint8_t d = 0; d < op->result->shape.rank; d++)
        cake_text_format(p->out, ", %u", op->result->shape.extents[d]);
    cake_text_add_string(p->out, ")");
}

/* False where the definition is no expression over names. */
static bool print_definition(value_printer *p, const cake_plan_op *op, int outer) {
    switch (op->kind) {
    case CAKE_PLAN_DIMENSION:
    case CAKE_PLAN_PARAMETER:
        cake_text_add_string(p->out, op->u.leaf.name);
        return true;
    case CAKE_PLAN_UNARY:
        cake_text_add_string(p->out, cake_unary_name(op->u.unary));
        print_value(p, op->operands[0], PREFIX_LEVEL);
        return true;
    case CAKE_PLAN_CAST:
    case CAKE_PLAN_BITCAST:
        cake_text_format(p->out, "%s %s ", op->kind == CAKE_PLAN_CAST ? "cast" : "bitcast",
                         cake_dtype_name(op->result->dtype));
        print_value(p, op->operands[0], PREFIX_LEVEL);
        if (op->kind == CAKE_PLAN_CAST && op->u.cast.saturate) cake_text_add_string(p->out, " sat");
        if (op->kind == CAKE_PLAN_CAST && op->u.cast.rounding == CAKE_ROUND_TOWARD_ZERO)
            cake_text_add_string(p->out, " round rz");
        return true;
    case CAKE_PLAN_BINARY:
        print_binary(p, op, outer);
        return true;
    case CAKE_PLAN_CALL:
        print_call(p, op);
        return true;
    case CAKE_PLAN_READ:
        cake_plan_slice_print(op, p->out);
        return true;
    case CAKE_PLAN_IOTA:
        cake_text_format(p->out, "iota(%u)", op->result->shape.extents[0]);
        return true;
    case CAKE_PLAN_SPLAT:
        print_value(p, op->operands[0], outer);
        return true;
    case CAKE_PLAN_INSERT_AXIS:
        print_insert_axis(p, op);
        return true;
    case CAKE_PLAN_SLICE:
        print_slice(p, op);
        return true;
    case CAKE_PLAN_RESHAPE:
        print_reshape(p, op);
        return true;
    case CAKE_PLAN_TRANSPOSE:
        print_value(p, op->operands[0], PREFIX_LEVEL);
        cake_text_add_string(p->out, ".T");
        return true;
    case CAKE_PLAN_CONCAT:
        cake_text_add_string(p->out, "concat(");
        print_value(p, op->operands[0], -1);
        cake_text_add_string(p->out, ", ");
        print_value(p, op->operands[1], -1);
        cake_text_format(p->out, ", axis=%u)", op->u.axis);
        return true;
    case CAKE_PLAN_CTA_ID:
        cake_text_add_string(p->out, "cta_number");
        return true;
    case CAKE_PLAN_GRID_SIZE:
        cake_text_add_string(p->out, "cta_count");
        return true;
    case CAKE_PLAN_CLUSTER_RANK:
        cake_text_add_string(p->out, "cta");
        return true;
    default:
        return false;
    }
}

/* 'level' is that of the operator around: what does not bind tighter goes into parentheses. */
static void print_value(value_printer *p, const cake_plan_value *value, int level) {
    bool leaf = value->definition &&
                (value->definition->kind == CAKE_PLAN_DIMENSION || value->definition->kind == CAKE_PLAN_PARAMETER);
    if (value->is_constant)
        print_constant(p->out, value);
    else if (value->name && !leaf)
        cake_text_add_string(p->out, value->name);
    else if (!value->definition || p->nodes == 0 || (p->nodes--, !print_definition(p, value->definition, level)))
        cake_text_format(p->out, "%%%u", value->number);
}

void cake_plan_value_print(const cake_plan_value *value, cake_text *out) {
    value_printer printer = {.out = out, .nodes = MAX_NODES};
    print_value(&printer, value, -1);
}

void cake_plan_definition_print(const cake_plan_value *value, cake_text *out) {
    value_printer printer = {.out = out, .nodes = MAX_NODES};
    if (value->is_constant || !value->definition || !print_definition(&printer, value->definition, -1))
        cake_plan_value_print(value, out);
}

/* ---- places ---- */

void cake_plan_slice_print(const cake_plan_op *op, cake_text *out) {
    const cake_plan_variable *variable = op->u.variable.variable;
    cake_text_add_string(out, variable->name);
    if (op->u.variable.whole) return;
    for (uint8_t d = 0; d < variable->shape.rank; d++) {
        uint32_t length = op->u.variable.shape.extents[d];
        cake_text_add_string(out, d ? ", " : "[");
        if (length == variable->shape.extents[d])
            cake_text_add_string(out, ":");
        else
            cake_text_format(out, "%u :+ %u", op->u.variable.offsets[d], length);
    }
    cake_text_add_string(out, "]");
}

static bool is_whole(const cake_plan_place *place, uint8_t d) {
    const cake_plan_index *index = &place->index[d];
    if (index->kind != CAKE_INDEX_RANGE || !index->base->is_constant || index->base->integer) return false;
    if (place->buffer) return index->length == place->buffer->shape.extents[d];
    const cake_plan_value *extent = place->tensor->extents[d];
    return index->length == 0 || (extent->is_constant && extent->integer == (int64_t)index->length);
}

/* Axes that no index runs along. */
static void print_new_axes(const cake_plan_place *place, cake_text *out) {
    uint32_t indexed = 0, all = (1u << place->shape.rank) - 1;
    for (uint8_t d = 0; d < place->dimensions; d++) {
        const cake_plan_index *index = &place->index[d];
        uint8_t count = index->kind == CAKE_INDEX_RANGE ? 1 : index->base->shape.rank;
        indexed |= ((1u << count) - 1) << index->axis;
    }
    for (uint8_t i = 0; indexed != all && i < place->shape.rank; i++)
        cake_text_format(out, "%s%s", i ? ", " : "[", indexed >> i & 1 ? ":" : "None");
    if (indexed != all) cake_text_add_string(out, "]");
}

void cake_plan_place_print(const cake_plan_place *place, cake_text *out) {
    uint8_t last = place->dimensions;
    if (place->peer) cake_text_add_string(out, "peer(");
    cake_text_add_string(out, place->buffer ? place->buffer->name : place->tensor->name);
    if (place->peer) {
        cake_text_add_string(out, ", ");
        cake_plan_value_print(place->peer, out);
        cake_text_add_string(out, ")");
    }
    if (place->age) cake_text_format(out, "@%u", place->age);
    while (last && is_whole(place, (uint8_t)(last - 1)))
        last--;
    for (uint8_t d = 0; d < last; d++) {
        cake_text_add_string(out, d ? ", " : "[");
        if (is_whole(place, d)) {
            cake_text_add_string(out, ":");
            continue;
        }
        cake_plan_value_print(place->index[d].base, out);
        if (place->index[d].kind == CAKE_INDEX_RANGE) cake_text_format(out, " :+ %u", place->index[d].length);
    }
    if (last) cake_text_add_string(out, "]");
    if (place->transposed) cake_text_add_string(out, ".T");
    print_new_axes(place, out);
}
