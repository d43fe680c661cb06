/* From the parser's expressions to trees of program.h: names, ranges, operand counts and classes.
 *
 * A range that is not written is found in this order: the dimension whose lower-case spelling is the index name; the
 * extent of the first axis that the plain name indexes. The second is why binders are filled while their body is
 * resolved, and checked behind it.
 */
#include "oracle/reader.h"

#include <math.h>
#include <string.h>

/* ---- names ---- */

const cake_scope_entry *cake_reader_lookup(const cake_reader *reader, cake_name name) {
    for (uint32_t i = reader->scope.count; i-- > 0;)
        if (reader->scope.items[i].name == name) return &reader->scope.items[i];
    return NULL;
}

bool cake_reader_declare(cake_reader *reader, cake_scope_entry entry) {
    const cake_scope_entry *earlier = cake_reader_lookup(reader, entry.name);
    if (earlier) {
        cake_diagnostic *d =
            cake_report(reader->diagnostics, CAKE_W103, entry.span, "'%s' is declared already", entry.name);
        cake_diagnostic_note(reader->diagnostics, d, earlier->span, "here");
        return false;
    }
    if (reader->scope.count >= CAKE_ORACLE_MAX_NAMES) {
        cake_report(reader->diagnostics, CAKE_W113, entry.span, "more than %d names in scope", CAKE_ORACLE_MAX_NAMES);
        return false;
    }
    *CAKE_PUSH(reader->arena, &reader->scope) = entry;
    return true;
}

int64_t cake_reader_dimension(cake_reader *reader, cake_name name, cake_span span) {
    const cake_scope_entry *entry = cake_reader_lookup(reader, name);
    if (entry && entry->kind == CAKE_ENTRY_DIMENSION) return entry->number;
    uint32_t number = reader->workload->dimensions.count;
    if (!cake_reader_declare(
            reader, (cake_scope_entry){.name = name, .span = span, .kind = CAKE_ENTRY_DIMENSION, .number = number}))
        return -1;
    *CAKE_PUSH(reader->arena, &reader->workload->dimensions) = name;
    return number;
}

/* ---- nodes ---- */

cake_node *cake_node_new(cake_reader *reader, cake_node_kind kind, cake_node_class class, cake_span span) {
    if (++reader->body->nodes > CAKE_ORACLE_MAX_NODES && !reader->full) {
        reader->full = true;
        cake_report(reader->diagnostics, CAKE_W113, span, "the workload has more than %d operations",
                    CAKE_ORACLE_MAX_NODES);
    }
    cake_node *node = CAKE_NEW(reader->arena, cake_node);
    node->kind = kind;
    node->class = class;
    node->span = span;
    node->height = 1;
    node->frames = 1;
    return node;
}

static void node_holds(cake_reader *reader, cake_node *node, const cake_node *inner, uint32_t frames) {
    if (node->frames < frames) node->frames = frames;
    if (reader->body->frames < frames) reader->body->frames = frames;
    if (node->height <= inner->height) node->height = inner->height + 1;
    node->reduces |= inner->reduces;
}

/* A call's arguments stay until its body was evaluated; no other node needs more than three operands at once. */
void cake_node_add(cake_reader *reader, cake_node *node, const cake_node *operand) {
    uint32_t before = node->operands.count;
    if (node->kind != CAKE_NODE_CALL && before > 2) before = 2;
    *CAKE_PUSH(reader->arena, &node->operands) = operand;
    node_holds(reader, node, operand, before + 1 + operand->frames);
}

void cake_node_enter(cake_reader *reader, cake_node *node, const cake_node *body) {
    node_holds(reader, node, body, node->operands.count + 1 + body->frames);
}

static cake_node *constant(cake_reader *reader, cake_node_class class, double value, cake_span span) {
    cake_node *node = cake_node_new(reader, CAKE_NODE_CONSTANT, class, span);
    node->u.constant = value;
    return node;
}

static cake_node *variable(cake_reader *reader, uint32_t slot, cake_span span) {
    cake_node *node = cake_node_new(reader, CAKE_NODE_VARIABLE, CAKE_NODE_INTEGER, span);
    node->number = slot;
    return node;
}

static cake_node *dimension(cake_reader *reader, uint32_t number, cake_span span) {
    cake_node *node = cake_node_new(reader, CAKE_NODE_DIMENSION, CAKE_NODE_INTEGER, span);
    node->number = number;
    return node;
}

static cake_node_class class_of_dtype(cake_dtype dtype) {
    switch (cake_dtype_class_of(dtype)) {
    case CAKE_CLASS_FLOAT:
    case CAKE_CLASS_REAL:
        return CAKE_NODE_REAL;
    case CAKE_CLASS_BOOL:
        return CAKE_NODE_BOOL;
    case CAKE_CLASS_SIGNED:
    case CAKE_CLASS_UNSIGNED:
    case CAKE_CLASS_INDEX:
    case CAKE_CLASS_NONE:
        break;
    }
    return CAKE_NODE_INTEGER;
}

const cake_node *cake_node_cast(cake_reader *reader, cake_dtype dtype, const cake_node *value) {
    cake_node *node = cake_node_new(reader, CAKE_NODE_CAST, class_of_dtype(dtype), value->span);
    node->dtype = dtype;
    cake_node_add(reader, node, value);
    return node;
}

const cake_node *cake_reader_unavailable(cake_reader *reader, cake_span span, const char *what) {
    cake_report(reader->diagnostics, CAKE_W105, span, "%s cannot stand in a workload", what);
    return NULL;
}

bool cake_reader_require_class(cake_reader *reader, const cake_node *node, bool condition, const char *what) {
    if ((node->class == CAKE_NODE_BOOL) == condition) return true;
    cake_report(reader->diagnostics, CAKE_W108, node->span, "%s must be %s", what,
                condition ? "a condition" : "a number, but this is a condition");
    return false;
}

/* ---- index names ---- */

/* The dimension that 'name' is the lower-case spelling of, or null. */
static const cake_scope_entry *dimension_in_lower_case(const cake_reader *reader, cake_name name) {
    for (uint32_t i = 0; i < reader->scope.count; i++) {
        const cake_scope_entry *entry = &reader->scope.items[i];
        size_t k = 0;
        while (entry->kind == CAKE_ENTRY_DIMENSION && name[k] &&
               name[k] ==
                   (entry->name[k] >= 'A' && entry->name[k] <= 'Z' ? entry->name[k] + ('a' - 'A') : entry->name[k]))
            k++;
        if (entry->kind == CAKE_ENTRY_DIMENSION && !name[k] && !entry->name[k]) return entry;
    }
    return NULL;
}

bool cake_reader_bind(cake_reader *reader, cake_binder *binder) {
    binder->slot = reader->body->slots++;
    cake_scope_entry entry = {.name = binder->name, .span = binder->span, .kind = CAKE_ENTRY_INDEX, .binder = binder};
    if (!cake_reader_declare(reader, entry)) return false;
    const cake_scope_entry *spelled = binder->to ? NULL : dimension_in_lower_case(reader, binder->name);
    if (spelled) binder->to = dimension(reader, spelled->number, binder->span);
    return true;
}

void cake_reader_unbind(cake_reader *reader, uint32_t count) {
    reader->scope.count = count;
}

bool cake_reader_require_range(cake_reader *reader, const cake_binder *binder) {
    if (binder->to) return true;
    cake_report(reader->diagnostics, CAKE_W107, binder->span,
                "the range of '%s' is not known: write it as '%s in 0 .. N', or index an axis with it", binder->name,
                binder->name);
    return false;
}

/* ---- leaves and places ---- */

static const cake_node *unknown_name(cake_reader *reader, cake_name name, cake_span span) {
    if (reader->constants_only)
        cake_report(reader->diagnostics, CAKE_W104, span, "'%s' is no dimension; only dimensions have a value here",
                    name);
    else
        cake_report(reader->diagnostics, CAKE_W104, span, "nothing above declares '%s'", name);
    return NULL;
}

/* Whether it has no contents that an expression could read here. */
static bool is_output(const cake_reader *reader, uint32_t tensor) {
    return reader->workload->tensors.items[tensor].use == CAKE_USE_OUTPUT && !reader->judges;
}

static const cake_node *output_read(cake_reader *reader, cake_name name, cake_span span) {
    cake_report(reader->diagnostics, CAKE_W104, span,
                "'%s' is an output, which only properties read: name its expression with 'let'", name);
    return NULL;
}

/* An element of a tensor or let: what 'entry' names, with one operand per axis. */
static const cake_node *place(cake_reader *reader, const cake_scope_entry *entry, const cake_expr *expr,
                              const cake_node *const *indices, uint32_t count) {
    bool is_let = entry->kind == CAKE_ENTRY_LET;
    if (is_let && !reader->body->lets.items[entry->number].value) return NULL;
    const cake_let *let = is_let ? &reader->body->lets.items[entry->number] : NULL;
    uint32_t rank = is_let ? let->axes.count : reader->workload->tensors.items[entry->number].rank;
    if (rank != count) {
        cake_report(reader->diagnostics, CAKE_W106, expr->span, "'%s' has %u axes, but %u indices are given",
                    entry->name, rank, count);
        return NULL;
    }
    cake_node_class class;
    cake_dtype dtype = is_let ? CAKE_DTYPE_NONE : reader->workload->tensors.items[entry->number].dtype;
    if (is_let)
        class = let->value->class;
    else
        class = class_of_dtype(dtype);
    cake_node *node = cake_node_new(reader, is_let ? CAKE_NODE_CALL : CAKE_NODE_ELEMENT, class, expr->span);
    node->number = entry->number;
    node->dtype = dtype;
    node->written = !is_let && reader->judges && reader->workload->tensors.items[entry->number].use != CAKE_USE_INPUT;
    if (node->written) reader->body->tensors.items[entry->number].in_property = true;
    for (uint32_t i = 0; i < count; i++)
        cake_node_add(reader, node, indices[i]);
    if (is_let) cake_node_enter(reader, node, let->value);
    return node;
}

static const cake_node *resolve_name(cake_reader *reader, const cake_expr *expr) {
    cake_name name = expr->u.name.text;
    const cake_scope_entry *entry = cake_reader_lookup(reader, name);
    if (!entry && reader->declares) {
        int64_t number = cake_reader_dimension(reader, name, expr->span);
        return number < 0 ? NULL : dimension(reader, (uint32_t)number, expr->span);
    }
    if (!entry || (reader->constants_only && entry->kind != CAKE_ENTRY_DIMENSION))
        return unknown_name(reader, name, expr->span);
    switch (entry->kind) {
    case CAKE_ENTRY_DIMENSION:
        return dimension(reader, entry->number, expr->span);
    case CAKE_ENTRY_INDEX:
        return variable(reader, entry->binder->slot, expr->span);
    case CAKE_ENTRY_TENSOR:
    case CAKE_ENTRY_LET:
        break;
    }
    if (entry->kind == CAKE_ENTRY_TENSOR && is_output(reader, entry->number))
        return output_read(reader, name, expr->span);
    return place(reader, entry, expr, NULL, 0);
}

/* A plain index name without a range yet takes that of the axis it stands for. */
static void range_from_use(cake_reader *reader, const cake_scope_entry *entry, uint32_t axis, const cake_expr *index) {
    if (index->kind != CAKE_EXPR_NAME) return;
    const cake_scope_entry *name = cake_reader_lookup(reader, index->u.name.text);
    if (!name || name->kind != CAKE_ENTRY_INDEX || name->binder->to) return;
    if (entry->kind == CAKE_ENTRY_TENSOR && axis < reader->body->tensors.items[entry->number].extents.count)
        name->binder->to = reader->body->tensors.items[entry->number].extents.items[axis];
    if (entry->kind == CAKE_ENTRY_LET && axis < reader->body->lets.items[entry->number].axes.count)
        name->binder->to = reader->body->lets.items[entry->number].axes.items[axis].to;
}

/* The indices of base[...], resolved; false after an error. */
static bool resolve_indices(cake_reader *reader, const cake_scope_entry *entry, const cake_expr *expr,
                            const cake_node **out_indices) {
    for (uint32_t i = 0; i < expr->u.index.items.count; i++) {
        const cake_item *item = &expr->u.index.items.items[i];
        if (item->kind != CAKE_ITEM_ONE) {
            cake_reader_unavailable(reader, item->span, "a slice");
            return false;
        }
        range_from_use(reader, entry, i, item->base);
        out_indices[i] = cake_reader_resolve(reader, item->base);
        if (!out_indices[i] || !cake_reader_require_class(reader, out_indices[i], false, "an index")) return false;
        if (out_indices[i]->class == CAKE_NODE_REAL) {
            cake_report(reader->diagnostics, CAKE_W108, item->span, "an index must be an integer: 'cast i64' it");
            return false;
        }
    }
    return true;
}

static const cake_node *resolve_index(cake_reader *reader, const cake_expr *expr) {
    const cake_expr *base = expr->u.index.base;
    if (base->kind != CAKE_EXPR_NAME)
        return cake_reader_unavailable(reader, expr->span, "an index behind anything but a name");
    const cake_scope_entry *entry = cake_reader_lookup(reader, base->u.name.text);
    if (!entry || reader->constants_only) return unknown_name(reader, base->u.name.text, base->span);
    if (entry->kind != CAKE_ENTRY_TENSOR && entry->kind != CAKE_ENTRY_LET) {
        cake_report(reader->diagnostics, CAKE_W106, expr->span, "'%s' is a number and has no elements", entry->name);
        return NULL;
    }
    if (entry->kind == CAKE_ENTRY_TENSOR && is_output(reader, entry->number))
        return output_read(reader, entry->name, base->span);
    if (expr->u.index.items.count > CAKE_MAX_RANK) {
        cake_report(reader->diagnostics, CAKE_W106, expr->span, "more than %d indices", CAKE_MAX_RANK);
        return NULL;
    }
    cake_scope_entry copy = *entry; /* the scope may move while indices are resolved */
    const cake_node *indices[CAKE_MAX_RANK];
    if (!resolve_indices(reader, &copy, expr, indices)) return NULL;
    return place(reader, &copy, expr, indices, expr->u.index.items.count);
}

/* ---- operators ---- */

static const cake_node *resolve_unary(cake_reader *reader, const cake_expr *expr) {
    const cake_node *operand = cake_reader_resolve(reader, expr->u.unary.operand);
    if (!operand) return NULL;
    cake_unary_op op = expr->u.unary.op;
    if (!cake_reader_require_class(reader, operand, op == CAKE_UNARY_NOT, "the operand")) return NULL;
    if (op == CAKE_UNARY_BIT_NOT && operand->class != CAKE_NODE_INTEGER)
        return cake_reader_unavailable(reader, expr->span, "'~' of a real number");
    cake_node *node = cake_node_new(reader, CAKE_NODE_UNARY, operand->class, expr->span);
    node->u.unary = op;
    cake_node_add(reader, node, operand);
    return node;
}

static bool is_logical(cake_binary_op op) {
    return op == CAKE_BINARY_AND || op == CAKE_BINARY_OR || op == CAKE_BINARY_XOR;
}

static const cake_node *resolve_binary(cake_reader *reader, const cake_expr *expr) {
    const cake_node *left = cake_reader_resolve(reader, expr->u.binary.left);
    const cake_node *right = cake_reader_resolve(reader, expr->u.binary.right);
    if (!left || !right) return NULL;
    cake_binary_op op = expr->u.binary.op;
    bool condition = is_logical(op) && left->class == CAKE_NODE_BOOL;
    if (!cake_reader_require_class(reader, left, condition, "an operand") ||
        !cake_reader_require_class(reader, right, condition, "an operand"))
        return NULL;
    bool real = left->class == CAKE_NODE_REAL || right->class == CAKE_NODE_REAL;
    if (real && (is_logical(op) || op == CAKE_BINARY_SHL || op == CAKE_BINARY_SHR || op == CAKE_BINARY_MOD))
        return cake_reader_unavailable(reader, expr->span, "this operator between real numbers");
    cake_node_class class = condition ? CAKE_NODE_BOOL : real ? CAKE_NODE_REAL : CAKE_NODE_INTEGER;
    cake_node *node = cake_node_new(reader, CAKE_NODE_BINARY, class, expr->span);
    node->u.binary = op;
    cake_node_add(reader, node, left);
    cake_node_add(reader, node, right);
    return node;
}

static bool add_number(cake_reader *reader, cake_node *node, const cake_expr *expr) {
    const cake_node *operand = cake_reader_resolve(reader, expr);
    if (!operand || !cake_reader_require_class(reader, operand, false, "what is compared")) return false;
    cake_node_add(reader, node, operand);
    return true;
}

static const cake_node *resolve_compare(cake_reader *reader, const cake_expr *expr) {
    cake_node *node = cake_node_new(reader, CAKE_NODE_COMPARE, CAKE_NODE_BOOL, expr->span);
    node->u.comparisons = expr->u.compare.ops.items;
    for (uint32_t i = 0; i < expr->u.compare.operands.count; i++)
        if (!add_number(reader, node, expr->u.compare.operands.items[i])) return NULL;
    return node;
}

/* x in a .. b is a <= x < b. */
static const cake_node *resolve_in(cake_reader *reader, const cake_expr *expr) {
    static const cake_binary_op within[2] = {CAKE_BINARY_LE, CAKE_BINARY_LT};
    const cake_expr_list *items = &expr->u.in.set.items;
    bool range = expr->u.in.set.is_range;
    cake_node *node =
        cake_node_new(reader, range ? CAKE_NODE_COMPARE : CAKE_NODE_MEMBER_OF, CAKE_NODE_BOOL, expr->span);
    node->u.comparisons = within;
    if (range && !add_number(reader, node, items->items[0])) return NULL;
    if (!add_number(reader, node, expr->u.in.left)) return NULL;
    for (uint32_t i = range ? 1 : 0; i < items->count; i++)
        if (!add_number(reader, node, items->items[i])) return NULL;
    return node;
}

static const cake_node *resolve_cast(cake_reader *reader, const cake_expr *expr) {
    const cake_node *operand = cake_reader_resolve(reader, expr->u.cast.operand);
    if (!operand) return NULL;
    cake_node *node = cake_node_new(reader, CAKE_NODE_CAST, class_of_dtype(expr->u.cast.dtype), expr->span);
    node->dtype = expr->u.cast.dtype;
    node->u.cast.saturate = expr->u.cast.saturate;
    node->u.cast.toward_zero = expr->u.cast.rounding == CAKE_ROUND_TOWARD_ZERO;
    cake_node_add(reader, node, operand);
    return node;
}

static const cake_node *resolve_bitcast(cake_reader *reader, const cake_expr *expr) {
    const cake_node *operand = cake_reader_resolve(reader, expr->u.cast.operand);
    if (!operand) return NULL;
    if (cake_dtype_bits(operand->dtype) != cake_dtype_bits(expr->u.cast.dtype)) {
        cake_report(reader->diagnostics, CAKE_W108, expr->span,
                    "'bitcast' needs an element or a cast of as many bits as %s has",
                    cake_dtype_name(expr->u.cast.dtype));
        return NULL;
    }
    cake_node *node = cake_node_new(reader, CAKE_NODE_BITCAST, class_of_dtype(expr->u.cast.dtype), expr->span);
    node->dtype = expr->u.cast.dtype;
    cake_node_add(reader, node, operand);
    return node;
}

static const cake_node *resolve_kind(cake_reader *reader, const cake_expr *expr) {
    switch (expr->kind) {
    case CAKE_EXPR_INT:
        return constant(reader, CAKE_NODE_INTEGER, (double)expr->u.integer.value, expr->span);
    case CAKE_EXPR_FLOAT:
        return constant(reader, CAKE_NODE_REAL, expr->u.real, expr->span);
    case CAKE_EXPR_INF:
        return constant(reader, CAKE_NODE_REAL, (double)INFINITY, expr->span);
    case CAKE_EXPR_NAN:
        return constant(reader, CAKE_NODE_REAL, (double)NAN, expr->span);
    case CAKE_EXPR_BOOL:
        return constant(reader, CAKE_NODE_BOOL, expr->u.boolean, expr->span);
    case CAKE_EXPR_NAME:
        return resolve_name(reader, expr);
    case CAKE_EXPR_INDEX:
        return resolve_index(reader, expr);
    case CAKE_EXPR_UNARY:
        return resolve_unary(reader, expr);
    case CAKE_EXPR_BINARY:
        return resolve_binary(reader, expr);
    case CAKE_EXPR_COMPARE:
        return resolve_compare(reader, expr);
    case CAKE_EXPR_IN:
        return resolve_in(reader, expr);
    case CAKE_EXPR_CAST:
        return resolve_cast(reader, expr);
    case CAKE_EXPR_BITCAST:
        return resolve_bitcast(reader, expr);
    case CAKE_EXPR_CALL:
        return cake_reader_resolve_call(reader, expr);
    case CAKE_EXPR_RELAYOUT:
        return cake_reader_unavailable(reader, expr->span, "'relayout'");
    case CAKE_EXPR_LOAD:
        return cake_reader_unavailable(reader, expr->span, "'load' (tensors are read by their names)");
    case CAKE_EXPR_ATOMIC:
        return cake_reader_unavailable(reader, expr->span, "an atomic operation");
    case CAKE_EXPR_AWAIT:
        return cake_reader_unavailable(reader, expr->span, "'await'");
    case CAKE_EXPR_TRANSPOSE:
        return cake_reader_unavailable(reader, expr->span, "'.T' (exchange the indices)");
    case CAKE_EXPR_AGE:
        return cake_reader_unavailable(reader, expr->span, "'@'");
    case CAKE_EXPR_MEMBER:
        return cake_reader_unavailable(reader, expr->span, "a member");
    case CAKE_EXPR_PEER:
        return cake_reader_unavailable(reader, expr->span, "'peer'");
    }
    return NULL;
}

const cake_node *cake_reader_resolve(cake_reader *reader, const cake_expr *expr) {
    if (!expr || reader->full) return NULL;
    const cake_node *node = NULL;
    if (reader->depth < CAKE_ORACLE_MAX_HEIGHT) {
        reader->depth++;
        node = resolve_kind(reader, expr);
        reader->depth--;
    }
    if (reader->depth >= CAKE_ORACLE_MAX_HEIGHT || (node && node->height > CAKE_ORACLE_MAX_HEIGHT)) {
        if (!reader->full)
            cake_report(reader->diagnostics, CAKE_W113, expr->span,
                        "the expression, with the lets it uses, is more than %d operations deep",
                        CAKE_ORACLE_MAX_HEIGHT);
        reader->full = true;
        return NULL;
    }
    return node;
}

const cake_node *cake_reader_resolve_constant(cake_reader *reader, const cake_expr *expr, bool declares) {
    reader->constants_only = true;
    reader->declares = declares;
    const cake_node *node = cake_reader_resolve(reader, expr);
    reader->constants_only = reader->declares = false;
    return node;
}
