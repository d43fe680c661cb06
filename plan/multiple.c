/* Powers of two that divide index values, for the alignment of addresses: what constants, arithmetic and conditions
 * 'D % n == 0' of the contract show. */
#include "plan/internal.h"

#define MAX_DEPTH 12 /* values are a graph: operands may be shared, so a deep one is not walked to its end */

static uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static uint32_t of_integer(int64_t integer) {
    uint64_t bits = (uint64_t)integer;
    uint64_t lowest = bits & (~bits + 1);
    return lowest == 0 || lowest > CAKE_MAX_MULTIPLE ? CAKE_MAX_MULTIPLE : (uint32_t)lowest;
}

/* What a condition says of a dimension: 1 where it says nothing. */
static uint32_t of_condition(const cake_plan_value *condition, const cake_plan_value *dimension) {
    const cake_plan_op *op = condition->definition;
    if (!op || op->kind != CAKE_PLAN_BINARY) return 1;
    if (op->u.binary == CAKE_BINARY_AND)
        return larger(of_condition(op->operands[0], dimension), of_condition(op->operands[1], dimension));
    if (op->u.binary != CAKE_BINARY_EQ || !op->operands[1]->is_constant || op->operands[1]->integer != 0) return 1;
    const cake_plan_op *rest = op->operands[0]->definition;
    if (!rest || rest->kind != CAKE_PLAN_BINARY || rest->u.binary != CAKE_BINARY_MOD) return 1;
    if (rest->operands[0] != dimension || !rest->operands[1]->is_constant) return 1;
    return of_integer(rest->operands[1]->integer);
}

static uint32_t of_dimension(const cake_builder *builder, const cake_plan_value *dimension) {
    uint32_t multiple = 1;
    for (uint32_t i = 0; i < builder->plan->contract.count; i++)
        if (builder->plan->contract.items[i].value)
            multiple = larger(multiple, of_condition(builder->plan->contract.items[i].value, dimension));
    return multiple;
}

static uint32_t of_value(const cake_builder *builder, const cake_plan_value *value, uint32_t depth);

static uint32_t of_binary(const cake_builder *builder, const cake_plan_op *op, uint32_t depth) {
    uint32_t a = of_value(builder, op->operands[0], depth), b = of_value(builder, op->operands[1], depth);
    const cake_plan_value *right = op->operands[1];
    switch (op->u.binary) {
    case CAKE_BINARY_ADD:
    case CAKE_BINARY_SUB:
    case CAKE_BINARY_MOD:
    case CAKE_BINARY_OR:
    case CAKE_BINARY_XOR:
        return smaller(a, b);
    case CAKE_BINARY_AND:
        return larger(a, b);
    case CAKE_BINARY_MUL:
        return smaller(a * b, CAKE_MAX_MULTIPLE);
    case CAKE_BINARY_SHL:
        return right->is_constant && right->integer < 12 ? smaller(a << right->integer, CAKE_MAX_MULTIPLE) : a;
    case CAKE_BINARY_DIV: /* exact for the power of two that the divisor is */
        if (!right->is_constant || right->integer < 1 || (right->integer & (right->integer - 1)) != 0) return 1;
        return right->integer < a ? a / (uint32_t)right->integer : 1;
    case CAKE_BINARY_SHR:
    case CAKE_BINARY_EQ:
    case CAKE_BINARY_NE:
    case CAKE_BINARY_LT:
    case CAKE_BINARY_LE:
    case CAKE_BINARY_GT:
    case CAKE_BINARY_GE:
    case CAKE_BINARY_COUNT:
        return 1;
    }
    return 1;
}

static uint32_t of_call(const cake_builder *builder, const cake_plan_op *op, uint32_t depth) {
    uint8_t first = op->u.call.function == CAKE_BUILTIN_SELECT ? 1 : 0;
    if (op->u.call.function == CAKE_BUILTIN_CEILTO) return of_value(builder, op->operands[1], depth);
    if (op->u.call.function != CAKE_BUILTIN_MIN && op->u.call.function != CAKE_BUILTIN_MAX && !first) return 1;
    uint32_t multiple = CAKE_MAX_MULTIPLE;
    for (uint8_t i = first; i < op->operand_count; i++)
        multiple = smaller(multiple, of_value(builder, op->operands[i], depth));
    return multiple;
}

static uint32_t of_value(const cake_builder *builder, const cake_plan_value *value, uint32_t depth) {
    if (value->is_constant) return of_integer(value->integer);
    if (depth == 0 || value->dtype != CAKE_DTYPE_INDEX || value->shape.rank) return 1;
    const cake_plan_op *op = value->definition;
    if (op->kind == CAKE_PLAN_DIMENSION) return of_dimension(builder, value);
    if (op->kind == CAKE_PLAN_INDUCTION && op->operand_count == 2)
        return smaller(of_value(builder, op->operands[0], depth - 1), of_value(builder, op->operands[1], depth - 1));
    if (op->kind == CAKE_PLAN_BINARY) return of_binary(builder, op, depth - 1);
    if (op->kind == CAKE_PLAN_CALL) return of_call(builder, op, depth - 1);
    return op->kind == CAKE_PLAN_UNARY ? of_value(builder, op->operands[0], depth - 1) : 1;
}

uint32_t cake_plan_multiple(const cake_builder *builder, const cake_plan_value *value) {
    return of_value(builder, value, MAX_DEPTH);
}
