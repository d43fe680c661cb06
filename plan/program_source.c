/* Elements that steps of a program give: scalar arguments, and what 'fill' writes.
 *
 * What is known only at launch is worked out by the host in launch expressions: exact integers over dimensions and
 * integer scalars, and f32 and f64 with + - * / and sqrt, which round as the GPU does.
 */
#include "plan/program_internal.h"

#define MAX_DEPTH 48 /* a launch expression's, with room for casts */

static bool is_real(cake_dtype dtype) {
    return dtype == CAKE_DTYPE_F32 || dtype == CAKE_DTYPE_F64;
}

/* Typed integers stay exact on the host: signed ones may not overflow anyway, unsigned ones would wrap. */
static bool is_exact(cake_dtype dtype) {
    return dtype == CAKE_DTYPE_INDEX || cake_dtype_class_of(dtype) == CAKE_CLASS_SIGNED;
}

static bool is_integer(cake_dtype dtype) {
    return is_exact(dtype) || cake_dtype_class_of(dtype) == CAKE_CLASS_UNSIGNED;
}

static bool binary_works(const cake_plan_op *op) {
    cake_dtype dtype = op->operands[0]->dtype;
    bool arithmetic = op->u.binary == CAKE_BINARY_ADD || op->u.binary == CAKE_BINARY_SUB ||
                      op->u.binary == CAKE_BINARY_MUL || op->u.binary == CAKE_BINARY_DIV;
    if (is_real(dtype)) return arithmetic;
    return dtype == CAKE_DTYPE_INDEX || (is_exact(dtype) && (arithmetic || op->u.binary == CAKE_BINARY_MOD));
}

/* Integers to wider ones, to what the parameter is, and to floats. */
static bool cast_works(const cake_plan_op *op) {
    cake_dtype from = op->operands[0]->dtype, to = op->result->dtype;
    if (is_real(from)) return is_real(to);
    if (!is_integer(from)) return false;
    if (is_real(to) || to == CAKE_DTYPE_INDEX) return true;
    if (from == CAKE_DTYPE_INDEX) return is_integer(to);
    return is_exact(to) && cake_dtype_bits(to) > cake_dtype_bits(from);
}

static bool host_computes(const cake_plan_value *value, uint32_t depth);

static bool operands_work(const cake_plan_op *op, uint32_t depth) {
    for (uint8_t i = 0; i < op->operand_count; i++)
        if (!host_computes(op->operands[i], depth)) return false;
    return true;
}

static bool host_computes(const cake_plan_value *value, uint32_t depth) {
    const cake_plan_op *op = value->definition;
    if (value->is_constant) return true;
    if (!depth || value->shape.rank) return false;
    switch (op->kind) {
    case CAKE_PLAN_DIMENSION:
        return true;
    case CAKE_PLAN_PARAMETER:
        return is_integer(value->dtype) || is_real(value->dtype);
    case CAKE_PLAN_CAST:
        return cast_works(op) && operands_work(op, depth - 1);
    case CAKE_PLAN_BINARY:
        return binary_works(op) && operands_work(op, depth - 1);
    case CAKE_PLAN_UNARY:
        return (is_exact(value->dtype) || (is_real(value->dtype) && op->u.unary == CAKE_UNARY_NEG)) &&
               operands_work(op, depth - 1);
    case CAKE_PLAN_CALL:
        return (value->dtype == CAKE_DTYPE_INDEX ||
                (is_real(value->dtype) && op->u.call.function == CAKE_BUILTIN_SQRT)) &&
               operands_work(op, depth - 1);
    default:
        return false;
    }
}

static bool is_parameter(const cake_plan_program_builder *p, const cake_expr *expr, cake_dtype dtype,
                         uint32_t *out_index) {
    if (expr->kind != CAKE_EXPR_NAME || expr->u.name.symbol->kind != CAKE_SYMBOL_PARAMETER) return false;
    const cake_plan_value *value = p->scope.bindings[expr->u.name.symbol->number].value;
    for (uint32_t i = 0; i < p->scope.plan->scalars.count; i++) {
        *out_index = i;
        if (p->scope.plan->scalars.items[i] == value) return value->dtype == dtype;
    }
    return false;
}

bool cake_plan_program_source(cake_plan_program_builder *p, const cake_expr *expr, cake_dtype dtype,
                              cake_plan_source *out_source) {
    *out_source = (cake_plan_source){.kind = CAKE_PLAN_SOURCE_SCALAR};
    if (is_parameter(p, expr, dtype, &out_source->scalar)) return true;
    p->scope.span = expr->span;
    cake_plan_value *value = cake_plan_expression(&p->scope, expr);
    if (!value) return false;
    if (value->is_constant) {
        *out_source = (cake_plan_source){.kind = CAKE_PLAN_SOURCE_BITS, .bits = cake_plan_constant_bits(dtype, value)};
        return true;
    }
    bool fits = value->dtype == CAKE_DTYPE_INDEX ? is_integer(dtype) || is_real(dtype) : value->dtype == dtype;
    if (fits && is_real(dtype)) value = cake_plan_convert(&p->scope, value, dtype);
    *out_source = (cake_plan_source){.kind = CAKE_PLAN_SOURCE_VALUE, .value = value};
    if (value && fits && host_computes(value, MAX_DEPTH)) return true;
    if (value)
        cake_report(p->scope.diagnostics, CAKE_U001, expr->span,
                    "a value of this type that is worked out at launch is not lowered yet, or not by these operations");
    return false;
}
