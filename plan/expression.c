/* Expressions: a walk over the typed tree that appends operations to the current block. */
#include <math.h>

#include "plan/internal.h"

static cake_plan_value *integer_literal(cake_builder *builder, uint64_t value) {
    cake_plan_value *constant = cake_plan_constant_index(builder, (int64_t)value);
    constant->real = (double)value;
    if (value > (uint64_t)CAKE_RANGE_LIMIT) constant->low = constant->high = CAKE_RANGE_LIMIT;
    return constant;
}

/* A definition outside roles is evaluated where it is used, once if it is a constant; the frontend has excluded cycles.
 */
static cake_plan_value *definition(cake_builder *builder, const cake_symbol *symbol) {
    cake_plan_value **known = &builder->bindings[symbol->number].value;
    if (*known) return *known;
    cake_plan_value *value = cake_plan_expression(builder, symbol->value);
    if (value && value->is_constant) *known = value;
    return value;
}

static cake_plan_value *read_variable(cake_builder *builder, cake_plan_variable *variable) {
    cake_plan_op *op = cake_plan_append(builder, CAKE_PLAN_READ);
    op->u.variable.variable = variable;
    op->u.variable.whole = true;
    op->u.variable.shape = variable->shape;
    cake_plan_value *value = cake_plan_result(builder, op, variable->dtype, &variable->shape);
    if (variable->shape.rank) cake_plan_class_join(builder, value->layout_class, variable->layout_class);
    return value;
}

static cake_plan_value *name_value(cake_builder *builder, const cake_expr *expr) {
    const cake_symbol *symbol = expr->u.name.symbol;
    const cake_binding_row *binding = &builder->bindings[symbol->number];
    switch (symbol->kind) {
    case CAKE_SYMBOL_CONST:
    case CAKE_SYMBOL_DEFINITION:
        return definition(builder, symbol);
    case CAKE_SYMBOL_VAR:
        return binding->variable ? read_variable(builder, binding->variable) : NULL;
    case CAKE_SYMBOL_TUNE:
    case CAKE_SYMBOL_DIMENSION:
    case CAKE_SYMBOL_PARAMETER:
    case CAKE_SYMBOL_COORDINATE:
    case CAKE_SYMBOL_TEAM_INDEX:
    case CAKE_SYMBOL_LOOP_INDEX:
    case CAKE_SYMBOL_LET:
    case CAKE_SYMBOL_PARAMETER_VALUE:
    case CAKE_SYMBOL_IT:
        return binding->value; /* null: its definition had an error */
    case CAKE_SYMBOL_CTA_RANK:
        return cake_plan_cluster_rank(builder);
    case CAKE_SYMBOL_FUNCTION:
    case CAKE_SYMBOL_TENSOR:
    case CAKE_SYMBOL_TEMPORARY:
    case CAKE_SYMBOL_VIEW:
    case CAKE_SYMBOL_BUFFER:
    case CAKE_SYMBOL_PIPELINE:
    case CAKE_SYMBOL_SIGNAL:
    case CAKE_SYMBOL_BATON:
    case CAKE_SYMBOL_ROLE:
    case CAKE_SYMBOL_KERNEL:
        break; /* no values: the frontend reports them */
    }
    CAKE_ASSERT(!"a name without a value");
}

cake_plan_variable *cake_plan_variable_of(cake_builder *builder, const cake_expr *place) {
    if (place->kind != CAKE_EXPR_NAME || place->u.name.symbol->kind != CAKE_SYMBOL_VAR) return NULL;
    return builder->bindings[place->u.name.symbol->number].variable;
}

/* Both operands in the dtype that they have in common. */
static bool operands_of(cake_builder *builder, const cake_expr *left, const cake_expr *right,
                        cake_plan_value **out_values) {
    out_values[0] = cake_plan_expression(builder, left);
    out_values[1] = cake_plan_expression(builder, right);
    if (!out_values[0] || !out_values[1]) return false;
    cake_dtype dtype = cake_type_common(left->type, right->type).dtype;
    if (!cake_plan_is_computable(builder, left->span, dtype)) return false;
    for (int i = 0; i < 2; i++)
        out_values[i] = cake_plan_convert(builder, out_values[i], dtype);
    return out_values[0] && out_values[1];
}

static cake_plan_value *binary(cake_builder *builder, cake_binary_op op, const cake_expr *left,
                               const cake_expr *right) {
    cake_plan_value *values[2];
    return operands_of(builder, left, right, values) ? cake_plan_binary(builder, op, values[0], values[1]) : NULL;
}

static cake_plan_value *both(cake_builder *builder, cake_binary_op op, cake_plan_value *so_far, cake_plan_value *next) {
    if (!so_far || !next) return NULL;
    if (so_far->is_constant && op == CAKE_BINARY_AND) return so_far->integer ? next : so_far;
    if (so_far->is_constant && op == CAKE_BINARY_OR) return so_far->integer ? so_far : next;
    return cake_plan_binary(builder, op, so_far, next);
}

static cake_plan_value *comparison(cake_builder *builder, const cake_expr *expr) {
    cake_plan_value *result = NULL;
    for (uint32_t i = 0; i < expr->u.compare.ops.count; i++) {
        cake_plan_value *one = binary(builder, expr->u.compare.ops.items[i], expr->u.compare.operands.items[i],
                                      expr->u.compare.operands.items[i + 1]);
        result = i ? both(builder, CAKE_BINARY_AND, result, one) : one;
    }
    return result;
}

static cake_plan_value *membership(cake_builder *builder, const cake_expr *expr) {
    const cake_expr_list *items = &expr->u.in.set.items;
    if (expr->u.in.set.is_range)
        return both(builder, CAKE_BINARY_AND, binary(builder, CAKE_BINARY_GE, expr->u.in.left, items->items[0]),
                    binary(builder, CAKE_BINARY_LT, expr->u.in.left, items->items[1]));
    cake_plan_value *result = cake_plan_constant(builder, CAKE_DTYPE_BOOL, 0, 0);
    for (uint32_t i = 0; i < items->count; i++)
        result =
            both(builder, CAKE_BINARY_OR, result, binary(builder, CAKE_BINARY_EQ, expr->u.in.left, items->items[i]));
    return result;
}

static cake_plan_value *cast(cake_builder *builder, const cake_expr *expr) {
    cake_plan_value *operand = cake_plan_expression(builder, expr->u.cast.operand);
    cake_dtype dtype = expr->u.cast.dtype;
    if (!operand || (operand->dtype == dtype && !expr->u.cast.saturate)) return operand;
    bool nearest = expr->u.cast.rounding == CAKE_ROUND_NEAREST_EVEN, bytes = cake_dtype_is_byte_float(dtype);
    if (bytes && !nearest) {
        cake_report(builder->diagnostics, CAKE_H212, expr->span, "there is no cast to %s that rounds to zero",
                    cake_dtype_name(dtype));
        return NULL;
    }
    cake_plan_op_kind kind = expr->kind == CAKE_EXPR_BITCAST ? CAKE_PLAN_BITCAST : CAKE_PLAN_CAST;
    if (kind == CAKE_PLAN_CAST && operand->is_constant && cake_dtype_class_of(dtype) == CAKE_CLASS_FLOAT && nearest &&
        !bytes && !expr->u.cast.saturate)
        return cake_plan_constant(builder, dtype, 0,
                                  operand->dtype == CAKE_DTYPE_INDEX ? (double)operand->integer : operand->real);
    if (operand->dtype == CAKE_DTYPE_REAL) operand = cake_plan_convert(builder, operand, CAKE_DTYPE_F32);
    cake_plan_value *result = cake_plan_elementwise(builder, kind, dtype, &operand, 1, (cake_range){0, 0});
    if (!result) return NULL;
    result->low = -CAKE_RANGE_LIMIT;
    result->high = CAKE_RANGE_LIMIT;
    builder->block->last->u.cast.saturate = expr->u.cast.saturate;
    builder->block->last->u.cast.rounding = expr->u.cast.rounding;
    return result;
}

/* The combined types of select's values or of an elementwise function's arguments. */
static cake_dtype argument_dtype(const cake_expr *expr, uint32_t first) {
    cake_type type = expr->u.call.arguments.items[first].value->type;
    for (uint32_t i = first + 1; i < expr->u.call.arguments.count; i++)
        type = cake_type_common(type, expr->u.call.arguments.items[i].value->type);
    return type.dtype;
}

/* Functions that compute nothing (select) or with exact integers alone (cdiv) have no list of dtypes. */
bool cake_plan_has_form(cake_builder *builder, const cake_expr *expr, cake_dtype dtype) {
    const cake_builtin_info *info = cake_builtin_info_of(expr->u.call.builtin);
    uint8_t modifiers = expr->u.call.modifiers;
    if (!info->dtypes || cake_builtin_has_form(expr->u.call.builtin, modifiers, dtype)) return true;
    cake_report(builder->diagnostics, CAKE_H212, expr->span, "there is no '%s%s%s%s' of %s", info->name,
                modifiers & CAKE_MODIFIER_APPROX ? ".approx" : "", modifiers & CAKE_MODIFIER_FTZ ? ".ftz" : "",
                modifiers & CAKE_MODIFIER_NAN ? ".nan" : "", cake_dtype_name(dtype));
    return false;
}

static cake_plan_value *elementwise_call(cake_builder *builder, const cake_expr *expr) {
    cake_builtin function = expr->u.call.builtin;
    uint32_t first = function == CAKE_BUILTIN_SELECT ? 1 : 0;
    cake_dtype dtype = argument_dtype(expr, first);
    if (!cake_plan_has_form(builder, expr, dtype)) return NULL;
    bool literal = dtype == CAKE_DTYPE_REAL && function != CAKE_BUILTIN_SELECT;
    cake_plan_value *operands[3];
    uint8_t count = (uint8_t)expr->u.call.arguments.count;
    for (uint8_t i = 0; i < count; i++) {
        operands[i] = cake_plan_expression(builder, expr->u.call.arguments.items[i].value);
        if (operands[i] && i >= first)
            operands[i] = cake_plan_convert(builder, operands[i], literal ? CAKE_DTYPE_F32 : dtype);
        if (!operands[i]) return NULL;
    }
    cake_dtype result = expr->type.dtype == CAKE_DTYPE_REAL && literal ? CAKE_DTYPE_F32 : expr->type.dtype;
    return cake_plan_call(builder, function, expr->u.call.modifiers, result, operands, count);
}

static cake_plan_value *call(cake_builder *builder, const cake_expr *expr) {
    if (expr->u.call.builtin == CAKE_BUILTIN_NONE) {
        for (uint32_t i = 0; i < expr->u.call.parameters.count; i++) {
            cake_symbol *parameter = expr->u.call.parameters.items[i];
            cake_plan_value *value = cake_plan_expression(builder, parameter->bound);
            if (!value) return NULL;
            builder->bindings[parameter->number].value = value;
        }
        return cake_plan_expression(builder, expr->u.call.expansion);
    }
    switch (cake_builtin_info_of(expr->u.call.builtin)->kind) {
    case CAKE_BUILTIN_KIND_ELEMENT:
    case CAKE_BUILTIN_KIND_INTEGER:
        return elementwise_call(builder, expr);
    case CAKE_BUILTIN_KIND_FOLD:
        return expr->u.call.arguments.count > 1 && !expr->u.call.arguments.items[1].keyword
                   ? elementwise_call(builder, expr)
                   : cake_plan_tile_call(builder, expr);
    case CAKE_BUILTIN_KIND_SHAPE:
    case CAKE_BUILTIN_KIND_COMBINE:
    case CAKE_BUILTIN_KIND_DATA:
        return cake_plan_tile_call(builder, expr);
    }
    return NULL;
}

static cake_plan_value *value_of(cake_builder *builder, const cake_expr *expr) {
    cake_plan_value *operand;
    switch (expr->kind) {
    case CAKE_EXPR_INT:
        return integer_literal(builder, expr->u.integer.value);
    case CAKE_EXPR_FLOAT:
        return cake_plan_constant(builder, CAKE_DTYPE_REAL, 0, expr->u.real);
    case CAKE_EXPR_INF:
        return cake_plan_constant(builder, CAKE_DTYPE_REAL, 0, (double)INFINITY);
    case CAKE_EXPR_NAN:
        return cake_plan_constant(builder, CAKE_DTYPE_REAL, 0, (double)NAN);
    case CAKE_EXPR_BOOL:
        return cake_plan_constant(builder, CAKE_DTYPE_BOOL, expr->u.boolean, 0);
    case CAKE_EXPR_NAME:
        return name_value(builder, expr);
    case CAKE_EXPR_UNARY:
        operand = cake_plan_expression(builder, expr->u.unary.operand);
        if (!operand || !cake_plan_is_computable(builder, expr->span, operand->dtype)) return NULL;
        return cake_plan_unary(builder, expr->u.unary.op, operand);
    case CAKE_EXPR_BINARY:
        return binary(builder, expr->u.binary.op, expr->u.binary.left, expr->u.binary.right);
    case CAKE_EXPR_COMPARE:
        return comparison(builder, expr);
    case CAKE_EXPR_IN:
        return membership(builder, expr);
    case CAKE_EXPR_CAST:
    case CAKE_EXPR_BITCAST:
        return cast(builder, expr);
    case CAKE_EXPR_RELAYOUT:
        operand = cake_plan_expression(builder, expr->u.unary.operand);
        return operand ? cake_plan_relayout(builder, operand) : NULL;
    case CAKE_EXPR_LOAD:
        return cake_plan_load(builder, expr);
    case CAKE_EXPR_ATOMIC:
        return cake_plan_atomic(builder, expr, true);
    case CAKE_EXPR_AWAIT:
        return cake_plan_poll(builder, expr, true);
    case CAKE_EXPR_INDEX:
        return cake_plan_tile_index(builder, expr);
    case CAKE_EXPR_TRANSPOSE:
        operand = cake_plan_expression(builder, expr->u.unary.operand);
        return operand ? cake_plan_transpose(builder, operand) : NULL;
    case CAKE_EXPR_MEMBER:
        return cake_plan_ragged_member(builder, expr);
    case CAKE_EXPR_CALL:
        return call(builder, expr);
    case CAKE_EXPR_AGE:
    case CAKE_EXPR_PEER:
        break; /* places, no values: the frontend reports them */
    }
    CAKE_ASSERT(!"an expression without a value");
}

#define MAX_STEPS (1u << 20)
#define MAX_DEPTH 1000

/* Definitions that use each other may grow without end in number and in depth. */
cake_plan_value *cake_plan_expression(cake_builder *builder, const cake_expr *expr) {
    if (builder->steps > MAX_STEPS) return NULL; /* reported */
    builder->steps++;
    if (builder->steps > MAX_STEPS || builder->depth >= MAX_DEPTH) {
        cake_report(builder->diagnostics, CAKE_L405, expr->span,
                    builder->steps > MAX_STEPS ? "the kernel takes more than %u steps to work out"
                                               : "definitions use each other more than %u levels deep",
                    builder->steps > MAX_STEPS ? MAX_STEPS : MAX_DEPTH);
        return NULL;
    }
    builder->depth++;
    cake_plan_value *value = value_of(builder, expr);
    builder->depth--;
    return value;
}

bool cake_plan_integer(cake_builder *builder, const cake_expr *expr, const char *what, int64_t *out_value) {
    uint32_t errors = builder->diagnostics->error_count;
    cake_plan_value *value = cake_plan_expression(builder, expr);
    if (value && value->is_constant && value->dtype == CAKE_DTYPE_INDEX) {
        *out_value = value->integer;
        return true;
    }
    if (builder->diagnostics->error_count == errors)
        cake_report(builder->diagnostics, CAKE_L403, expr->span, "%s must be known at compile time", what);
    return false;
}

#define MAX_EXTENT ((int64_t)1 << 24)

bool cake_plan_shape(cake_builder *builder, const cake_written_type *type, cake_shape *out_shape) {
    cake_shape shape = {.rank = (uint8_t)type->extents.count};
    for (uint8_t d = 0; d < shape.rank; d++) {
        int64_t extent;
        if (!cake_plan_integer(builder, type->extents.items[d], "an extent", &extent)) return false;
        if (extent < 1 || extent > MAX_EXTENT) {
            cake_report(builder->diagnostics, CAKE_L405, type->extents.items[d]->span,
                        "an extent of %lld: 1 to %lld are possible", (long long)extent, (long long)MAX_EXTENT);
            return false;
        }
        shape.extents[d] = (uint32_t)extent;
    }
    *out_shape = shape;
    return true;
}
