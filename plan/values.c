/* Values: constants, leaves and pure operations, with folding and ranges.
 *
 * Only exact integers (INDEX), booleans and untyped literals are folded here, since shapes, unrolling and 'if' over
 * constants depend on them; arithmetic on typed values is left to LLVM, which rounds as the target does.
 */
#include <math.h>

#include "plan/internal.h"

static cake_plan_value *new_value(cake_builder *builder, cake_dtype dtype) {
    cake_plan_value *value = CAKE_NEW(builder->arena, cake_plan_value);
    value->number = ++builder->plan->value_count;
    value->dtype = dtype;
    value->span = builder->span;
    value->low = -CAKE_RANGE_LIMIT;
    value->high = CAKE_RANGE_LIMIT;
    return value;
}

void cake_plan_name_value(cake_plan_value *value, cake_name name) {
    if (value && !value->is_constant && !value->name) value->name = name;
}

/* LLVM has no tf32, so its constants are rounded here: to 11 bits, the one before the point included. */
static double rounded(cake_dtype dtype, double real) {
    if (dtype != CAKE_DTYPE_TF32 || !isfinite(real)) return real;
    int exponent;
    double fraction = frexp(real, &exponent);
    return ldexp(rint(ldexp(fraction, 11)), exponent - 11);
}

cake_plan_value *cake_plan_constant(cake_builder *builder, cake_dtype dtype, int64_t integer, double real) {
    cake_plan_value *value = new_value(builder, dtype);
    value->is_constant = true;
    value->integer = integer;
    value->real = rounded(dtype, real);
    value->low = value->high = cake_range_make(integer, integer).low;
    return value;
}

cake_plan_value *cake_plan_constant_index(cake_builder *builder, int64_t value) {
    return cake_plan_constant(builder, CAKE_DTYPE_INDEX, value, (double)value);
}

cake_plan_op *cake_plan_append(cake_builder *builder, cake_plan_op_kind kind) {
    cake_plan_op *op = CAKE_NEW(builder->arena, cake_plan_op);
    op->kind = kind;
    op->span = builder->span;
    builder->operations++;
    if (builder->block->last)
        builder->block->last->next = op;
    else
        builder->block->first = op;
    builder->block->last = op;
    return op;
}

cake_plan_value *cake_plan_result(cake_builder *builder, cake_plan_op *op, cake_dtype dtype, const cake_shape *shape) {
    cake_plan_value *value = new_value(builder, dtype);
    value->shape = *shape;
    value->definition = op;
    if (shape->rank) value->layout_class = cake_plan_class_new(builder, shape);
    op->result = value;
    return value;
}

cake_plan_value *cake_plan_leaf(cake_builder *builder, cake_plan_op_kind kind, cake_dtype dtype, int64_t low,
                                int64_t high) {
    cake_plan_op *op = CAKE_NEW(builder->arena, cake_plan_op);
    op->kind = kind;
    op->span = builder->span;
    cake_plan_value *value = new_value(builder, dtype);
    value->definition = op;
    value->low = low;
    value->high = high;
    op->result = value;
    return value;
}

bool cake_plan_broadcast(cake_builder *builder, cake_plan_value **operands, uint8_t count, cake_shape *out_shape) {
    cake_shape shape = {0};
    for (uint8_t i = 0; i < count; i++) {
        const cake_shape *other = &operands[i]->shape;
        if (other->rank == 0) continue;
        if (shape.rank == 0) shape = *other;
        bool fits = shape.rank == other->rank;
        for (uint8_t d = 0; fits && d < shape.rank; d++) {
            uint32_t a = shape.extents[d], b = other->extents[d];
            fits = a == b || a == 1 || b == 1;
            if (a == 1) shape.extents[d] = b;
        }
        if (fits) continue;
        cake_text text;
        cake_text_init(&text, builder->arena);
        cake_shape_print(&shape, &text);
        cake_text_add_string(&text, " and ");
        cake_shape_print(other, &text);
        cake_report(builder->diagnostics, CAKE_L404, builder->span, "shapes %s do not broadcast together",
                    cake_text_string(&text));
        return false;
    }
    *out_shape = shape;
    return true;
}

cake_plan_value *cake_plan_elementwise(cake_builder *builder, cake_plan_op_kind kind, cake_dtype dtype,
                                       cake_plan_value **operands, uint8_t count, cake_range range) {
    cake_shape shape;
    if (!cake_plan_broadcast(builder, operands, count, &shape)) return NULL;
    cake_plan_op *op = cake_plan_append(builder, kind);
    cake_plan_value *result = cake_plan_result(builder, op, dtype, &shape);
    result->low = range.low;
    result->high = range.high;
    for (uint8_t i = 0; i < count; i++) {
        op->operands[op->operand_count++] = operands[i];
        if (operands[i]->shape.rank == 0) continue;
        uint32_t axes = 0;
        for (uint8_t d = 0; d < shape.rank; d++)
            if (operands[i]->shape.extents[d] != shape.extents[d]) axes |= 1u << d;
        if (axes)
            cake_plan_relate(builder, CAKE_RELATION_COLLAPSE, operands[i]->layout_class, result->layout_class, axes,
                             NULL);
        else
            cake_plan_class_join(builder, operands[i]->layout_class, result->layout_class);
    }
    return result;
}

static cake_range range_of(const cake_plan_value *value) {
    return (cake_range){value->low, value->high};
}

static const cake_range unknown_range = {-CAKE_RANGE_LIMIT, CAKE_RANGE_LIMIT};

static bool is_comparison(cake_binary_op op) {
    return cake_binary_level(op) == 0;
}

static bool is_integer(const cake_plan_value *value, int64_t integer) {
    return value->is_constant && value->dtype == CAKE_DTYPE_INDEX && value->integer == integer;
}

/* x + 0, x - 0, x * 1, x / 1: the other operand, when it has the result's shape. */
static cake_plan_value *neutral(cake_binary_op op, cake_plan_value *left, cake_plan_value *right) {
    if (op == CAKE_BINARY_ADD && is_integer(left, 0)) return right;
    if ((op == CAKE_BINARY_ADD || op == CAKE_BINARY_SUB) && is_integer(right, 0)) return left;
    if (op == CAKE_BINARY_MUL && is_integer(left, 1)) return right;
    if ((op == CAKE_BINARY_MUL || op == CAKE_BINARY_DIV) && is_integer(right, 1)) return left;
    return NULL;
}

/* A quotient is at least 1 where the contract puts the divisor below the dividend. */
static bool at_least_one(const cake_builder *builder, cake_binary_op op, const cake_plan_value *left,
                         const cake_plan_value *right) {
    for (uint32_t i = 0; op == CAKE_BINARY_DIV && i < builder->orders.count; i++)
        if (builder->orders.items[i].small == right && builder->orders.items[i].big == left) return true;
    return false;
}

static bool reaches_limit(cake_range range) {
    return range.low <= -CAKE_RANGE_LIMIT || range.high >= CAKE_RANGE_LIMIT;
}

/* Reported where a value first leaves the range that 64-bit arithmetic covers. Conditions of the contract are the
 * host's to work out, with a check for overflow. */
static void check_bounded(cake_builder *builder, const cake_plan_value *left, const cake_plan_value *right,
                          cake_range result) {
    if (builder->keep_comparisons || !reaches_limit(result)) return;
    if (!left->is_constant && reaches_limit(range_of(left))) return;
    if (!right->is_constant && reaches_limit(range_of(right))) return;
    cake_report(builder->diagnostics, CAKE_L409, builder->span,
                "an integer here may need more than 62 bits: bound the dimensions in 'where'");
}

static cake_plan_value *binary_index(cake_builder *builder, cake_binary_op op, cake_plan_value *left,
                                     cake_plan_value *right) {
    cake_range range;
    if (!cake_range_binary(op, range_of(left), range_of(right), &range)) {
        bool shift = op == CAKE_BINARY_SHL || op == CAKE_BINARY_SHR;
        cake_report(builder->diagnostics, CAKE_L402, builder->span,
                    shift ? "the shift count may be outside 0 .. 62: it lies in %lld .. %lld"
                          : "the divisor may be zero or negative: it lies in %lld .. %lld",
                    (long long)right->low, (long long)right->high);
        return NULL;
    }
    if (range.low < 1 && at_least_one(builder, op, left, right)) range.low = 1;
    check_bounded(builder, left, right, range);
    cake_dtype dtype = is_comparison(op) ? CAKE_DTYPE_BOOL : CAKE_DTYPE_INDEX;
    bool scalar = left->shape.rank == 0 && right->shape.rank == 0;
    if (builder->keep_comparisons) scalar = left->is_constant && right->is_constant;
    if (scalar && range.low == range.high && range.low > -CAKE_RANGE_LIMIT && range.high < CAKE_RANGE_LIMIT)
        return cake_plan_constant(builder, dtype, range.low, (double)range.low);
    cake_plan_value *same = neutral(op, left, right);
    if (same) return same;
    cake_plan_value *operands[2] = {left, right};
    cake_plan_value *result = cake_plan_elementwise(builder, CAKE_PLAN_BINARY, dtype, operands, 2, range);
    if (result) builder->block->last->u.binary = op;
    return result;
}

static cake_plan_value *binary_real(cake_builder *builder, cake_binary_op op, double left, double right) {
    double value;
    if (op == CAKE_BINARY_ADD)
        value = left + right;
    else if (op == CAKE_BINARY_SUB)
        value = left - right;
    else if (op == CAKE_BINARY_MUL)
        value = left * right;
    else
        value = left / right;
    return cake_plan_constant(builder, CAKE_DTYPE_REAL, 0, value);
}

static cake_plan_value *binary_bool_constant(cake_builder *builder, cake_binary_op op, bool left, bool right) {
    bool value;
    if (op == CAKE_BINARY_AND)
        value = left && right;
    else if (op == CAKE_BINARY_OR)
        value = left || right;
    else if (op == CAKE_BINARY_EQ)
        value = left == right;
    else
        value = left != right;
    return cake_plan_constant(builder, CAKE_DTYPE_BOOL, value, 0);
}

cake_plan_value *cake_plan_binary(cake_builder *builder, cake_binary_op op, cake_plan_value *left,
                                  cake_plan_value *right) {
    if (left->dtype == CAKE_DTYPE_INDEX) return binary_index(builder, op, left, right);
    bool constants = left->is_constant && right->is_constant;
    if (left->dtype == CAKE_DTYPE_REAL && constants && !is_comparison(op))
        return binary_real(builder, op, left->real, right->real);
    if (left->dtype == CAKE_DTYPE_BOOL && constants)
        return binary_bool_constant(builder, op, left->integer != 0, right->integer != 0);
    cake_dtype dtype = is_comparison(op) ? CAKE_DTYPE_BOOL : left->dtype;
    cake_plan_value *operands[2] = {left, right};
    cake_plan_value *result = cake_plan_elementwise(builder, CAKE_PLAN_BINARY, dtype, operands, 2, unknown_range);
    if (result) builder->block->last->u.binary = op;
    return result;
}

/* Literals go up to 2^64 - 1: beyond the limit they are bits for a 64-bit type. */
static cake_plan_value *negated(cake_builder *builder, const cake_plan_value *constant) {
    cake_plan_value *value = cake_plan_constant_index(builder, (int64_t)(0 - (uint64_t)constant->integer));
    value->real = -constant->real;
    value->low = value->high = -constant->low;
    return value;
}

cake_plan_value *cake_plan_unary(cake_builder *builder, cake_unary_op op, cake_plan_value *operand) {
    if (op == CAKE_UNARY_NEG && operand->dtype == CAKE_DTYPE_INDEX && operand->is_constant)
        return negated(builder, operand);
    if (op == CAKE_UNARY_NEG && operand->dtype == CAKE_DTYPE_INDEX)
        return cake_plan_binary(builder, CAKE_BINARY_SUB, cake_plan_constant_index(builder, 0), operand);
    if (op == CAKE_UNARY_NEG && operand->is_constant)
        return cake_plan_constant(builder, operand->dtype, -operand->integer, -operand->real);
    if (op == CAKE_UNARY_NOT && operand->is_constant)
        return cake_plan_constant(builder, CAKE_DTYPE_BOOL, !operand->integer, 0);
    cake_range range = {-operand->high - 1, -operand->low - 1}; /* of ~x = -x - 1; for other dtypes not looked at */
    cake_plan_value *result = cake_plan_elementwise(builder, CAKE_PLAN_UNARY, operand->dtype, &operand, 1, range);
    if (result) builder->block->last->u.unary = op;
    return result;
}

static int64_t ceil_div(int64_t a, int64_t b) {
    return -cake_floor_div(-a, b);
}

/* Range of an integer function; unknown for all others. */
static cake_range call_range(cake_builtin function, cake_plan_value **operands) {
    cake_range a = range_of(operands[0]), b = {0, 0};
    if (function == CAKE_BUILTIN_MIN || function == CAKE_BUILTIN_MAX || function == CAKE_BUILTIN_CDIV ||
        function == CAKE_BUILTIN_CEILTO)
        b = range_of(operands[1]);
    if (function == CAKE_BUILTIN_MIN)
        return (cake_range){a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
    if (function == CAKE_BUILTIN_MAX)
        return (cake_range){a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
    if (function == CAKE_BUILTIN_CDIV)
        return cake_range_make(a.low >= 0 ? ceil_div(a.low, b.high) : ceil_div(a.low, b.low),
                               a.high >= 0 ? ceil_div(a.high, b.low) : ceil_div(a.high, b.high));
    if (function == CAKE_BUILTIN_CEILTO) {
        if (a.low == a.high && b.low == b.high) {
            cake_range product;
            cake_range_binary(CAKE_BINARY_MUL, (cake_range){ceil_div(a.low, b.low), ceil_div(a.low, b.low)}, b,
                              &product);
            return product;
        }
        return cake_range_make(a.low, a.high > CAKE_RANGE_LIMIT - b.high ? CAKE_RANGE_LIMIT : a.high + b.high - 1);
    }
    if (function == CAKE_BUILTIN_SELECT) {
        cake_range x = range_of(operands[1]), y = range_of(operands[2]);
        return (cake_range){x.low < y.low ? x.low : y.low, x.high > y.high ? x.high : y.high};
    }
    if (function == CAKE_BUILTIN_ISPOW2) {
        bool constant = operands[0]->is_constant;
        int64_t value = operands[0]->integer;
        bool power = value > 0 && (value & (value - 1)) == 0;
        return constant ? (cake_range){power, power} : (cake_range){0, 1};
    }
    if (function == CAKE_BUILTIN_ABS && operands[0]->dtype == CAKE_DTYPE_INDEX) {
        int64_t high = a.high > -a.low ? a.high : -a.low;
        return (cake_range){0, high};
    }
    return unknown_range;
}

cake_plan_value *cake_plan_call(cake_builder *builder, cake_builtin function, uint8_t modifiers, cake_dtype dtype,
                                cake_plan_value **operands, uint8_t count) {
    if ((function == CAKE_BUILTIN_CDIV || function == CAKE_BUILTIN_CEILTO) && operands[1]->low <= 0) {
        cake_report(builder->diagnostics, CAKE_L402, builder->span,
                    "the divisor may be zero or negative: it lies in %lld .. %lld", (long long)operands[1]->low,
                    (long long)operands[1]->high);
        return NULL;
    }
    if (function == CAKE_BUILTIN_SELECT && operands[0]->is_constant && operands[1]->shape.rank == 0 &&
        operands[2]->shape.rank == 0)
        return operands[0]->integer ? operands[1] : operands[2];
    cake_range range = call_range(function, operands);
    bool exact = dtype == CAKE_DTYPE_INDEX || dtype == CAKE_DTYPE_BOOL;
    for (uint8_t i = 0; builder->keep_comparisons && i < count; i++)
        exact = exact && operands[i]->is_constant;
    if (exact && range.low == range.high && operands[0]->shape.rank == 0 && function != CAKE_BUILTIN_SELECT)
        return cake_plan_constant(builder, dtype, range.low, (double)range.low);
    cake_plan_value *result = cake_plan_elementwise(builder, CAKE_PLAN_CALL, dtype, operands, count, range);
    if (!result) return NULL;
    builder->block->last->u.call.function = function;
    builder->block->last->u.call.modifiers = modifiers;
    return result;
}

/* Range of the values of an integer dtype; false for others. */
static bool dtype_range(cake_dtype dtype, cake_range *out_range) {
    cake_dtype_class class_ = cake_dtype_class_of(dtype);
    uint32_t bits = cake_dtype_bits(dtype);
    if (class_ == CAKE_CLASS_UNSIGNED)
        *out_range = cake_range_make(0, bits >= 63 ? CAKE_RANGE_LIMIT : ((int64_t)1 << bits) - 1);
    else if (class_ == CAKE_CLASS_SIGNED)
        *out_range =
            bits >= 63 ? unknown_range : (cake_range){-((int64_t)1 << (bits - 1)), ((int64_t)1 << (bits - 1)) - 1};
    else
        return false;
    return true;
}

/* An index beside a type takes that type if its range is proved to fit (integers), or if it is exact (floats). */
static void check_fit(cake_builder *builder, const cake_plan_value *value, cake_dtype dtype) {
    cake_range fits;
    if (dtype_range(dtype, &fits)) {
        bool large = value->is_constant && value->low > 0 && value->integer < 0; /* a literal from 2^63 on */
        if (cake_dtype_bits(dtype) == 64 ? fits.low == 0 ? value->low >= 0 : !large
                                         : value->low >= fits.low && value->high <= fits.high)
            return;
    } else {
        uint32_t bits = cake_dtype_bits(dtype);
        int64_t exact = (int64_t)1 << (bits == 64                 ? 53
                                       : dtype == CAKE_DTYPE_BF16 ? 8
                                       : bits == 32               ? 24
                                       : bits == 16               ? 11
                                                                  : 3);
        if (value->is_constant && bits == 32 && (double)(float)value->integer == (double)value->integer) return;
        if (value->low >= -exact && value->high <= exact) return;
    }
    cake_report(builder->diagnostics, CAKE_L408, builder->span,
                "a value in %lld .. %lld does not fit '%s' exactly: bound it in 'where' or cast it",
                (long long)value->low, (long long)value->high, cake_dtype_name(dtype));
}

cake_plan_value *cake_plan_convert(cake_builder *builder, cake_plan_value *value, cake_dtype dtype) {
    if (value->dtype == dtype) return value;
    bool to_float = cake_dtype_class_of(dtype) == CAKE_CLASS_FLOAT || dtype == CAKE_DTYPE_REAL;
    if (value->dtype == CAKE_DTYPE_INDEX && dtype != CAKE_DTYPE_REAL) check_fit(builder, value, dtype);
    if (value->is_constant && (value->dtype == CAKE_DTYPE_INDEX || value->dtype == CAKE_DTYPE_REAL)) {
        double real = value->dtype == CAKE_DTYPE_INDEX ? (double)value->integer : value->real;
        return cake_plan_constant(builder, dtype, value->integer, to_float ? real : 0);
    }
    cake_range range = range_of(value), fits;
    if (dtype == CAKE_DTYPE_INDEX && dtype_range(value->dtype, &fits)) {
        if (range.low < fits.low) range.low = fits.low;
        if (range.high > fits.high) range.high = fits.high;
        if (range.low > range.high) range = fits; /* bits of a 64-bit literal */
    }
    return cake_plan_elementwise(builder, CAKE_PLAN_CAST, dtype, &value, 1, range);
}
