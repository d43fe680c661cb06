/* Operators, comparisons, casts and functions, each with the error it passes on and the one it adds.
 *
 * For a real operation on operands a, b with errors ea, eb the result's error is what ea and eb become through it, plus
 * 'unit' times the result for its own rounding. Where both operands are exact and the result is a float exactly, a
 * kernel computes the same, and nothing is added.
 */
#include <math.h>

#include "oracle/evaluate.h"
#include "oracle/number.h"

#define TWO_TO_63 0x1p63
#define CAST_WORK 20 /* lane operations that rounding one value is worth */

static double own_rounding(const cake_evaluator *evaluator, double value, bool exact) {
    bool same = evaluator->wide ? value == rint(value) && fabs(value) <= 0x1p53 : (double)(float)value == value;
    return exact && same ? 0 : evaluator->unit * fabs(value);
}

/* ---- integers ---- */

static int64_t to_integer(double value) {
    if (!(fabs(value) < TWO_TO_63)) /* u64 beyond: its bits as a signed number */
        return value >= TWO_TO_63 && value < 2 * TWO_TO_63 ? (int64_t)(value - TWO_TO_63) + INT64_MIN : 0;
    return (int64_t)value;
}

static double shift(double left, double right, bool up) {
    if (!(right >= 0 && right < 64)) return (double)NAN;
    return up ? ldexp(left, (int)right) : floor(ldexp(left, -(int)right));
}

static double integer_binary(cake_binary_op op, double a, double b) {
    switch (op) {
    case CAKE_BINARY_ADD:
        return a + b;
    case CAKE_BINARY_SUB:
        return a - b;
    case CAKE_BINARY_MUL:
        return a * b;
    case CAKE_BINARY_DIV:
        return b == 0 ? (double)NAN : floor(a / b);
    case CAKE_BINARY_MOD:
        return b == 0 ? (double)NAN : a - b * floor(a / b);
    case CAKE_BINARY_AND:
        return (double)(to_integer(a) & to_integer(b));
    case CAKE_BINARY_OR:
        return (double)(to_integer(a) | to_integer(b));
    case CAKE_BINARY_XOR:
        return (double)(to_integer(a) ^ to_integer(b));
    case CAKE_BINARY_SHL:
        return shift(a, b, true);
    case CAKE_BINARY_SHR:
        return shift(a, b, false);
    case CAKE_BINARY_EQ:
    case CAKE_BINARY_NE:
    case CAKE_BINARY_LT:
    case CAKE_BINARY_LE:
    case CAKE_BINARY_GT:
    case CAKE_BINARY_GE:
    case CAKE_BINARY_COUNT:
        break;
    }
    return (double)NAN;
}

/* ---- reals ---- */

static void real_values(cake_binary_op op, cake_lanes *a, const cake_lanes *b) {
    if (op == CAKE_BINARY_ADD)
        for (uint32_t i = 0; i < a->count; i++)
            a->value[i] += b->value[i];
    else if (op == CAKE_BINARY_SUB)
        for (uint32_t i = 0; i < a->count; i++)
            a->value[i] -= b->value[i];
    else if (op == CAKE_BINARY_MUL)
        for (uint32_t i = 0; i < a->count; i++)
            a->value[i] *= b->value[i];
    else
        for (uint32_t i = 0; i < a->count; i++)
            a->value[i] /= b->value[i];
}

/* Error of a / b, whose value is v. */
static double quotient_error(double ea, double b, double eb, double v) {
    double error = ea + fabs(v) * eb;
    if (error == 0) return 0;
    return fabs(b) > eb ? error / (fabs(b) - eb) : (double)INFINITY;
}

/* Errors that operands pass on; a's error array becomes the result's. Values are still the operands'. */
static void passed_errors(cake_binary_op op, cake_lanes *a, const cake_lanes *b) {
    if (op == CAKE_BINARY_ADD || op == CAKE_BINARY_SUB)
        for (uint32_t i = 0; i < a->count; i++)
            a->error[i] += b->error[i];
    else if (op == CAKE_BINARY_MUL)
        for (uint32_t i = 0; i < a->count; i++)
            a->error[i] = a->error[i] * (fabs(b->value[i]) + b->error[i]) + fabs(a->value[i]) * b->error[i];
    else
        for (uint32_t i = 0; i < a->count; i++)
            a->error[i] = quotient_error(a->error[i], b->value[i], b->error[i], a->value[i] / b->value[i]);
}

static void add_roundings(const cake_evaluator *evaluator, cake_binary_op op, cake_lanes *lanes) {
    double roundings = op == CAKE_BINARY_DIV ? 3 : 1; /* a kernel may multiply by the reciprocal instead */
    for (uint32_t i = 0; i < lanes->count; i++)
        lanes->error[i] += roundings * own_rounding(evaluator, lanes->value[i], lanes->error[i] == 0);
}

static void real_binary(const cake_evaluator *evaluator, cake_binary_op op, cake_lanes *a, cake_lanes *b) {
    bool passes = !a->exact || !b->exact;
    if (!evaluator->exact) {
        cake_lanes_show_errors(a);
        cake_lanes_show_errors(b);
        if (passes) passed_errors(op, a, b);
    }
    real_values(op, a, b);
    if (!evaluator->exact) add_roundings(evaluator, op, a);
}

/* Conditions and integers: exact unless an operand may be wrong. */
static void whole_binary(cake_node_class class, cake_binary_op op, cake_lanes *a, cake_lanes *b) {
    if (!a->exact || !b->exact) {
        cake_lanes_show_errors(a);
        cake_lanes_show_errors(b);
        if (class == CAKE_NODE_BOOL)
            for (uint32_t i = 0; i < a->count; i++)
                a->error[i] = fmax(a->error[i], b->error[i]);
        else
            passed_errors(op == CAKE_BINARY_MUL || op == CAKE_BINARY_DIV ? op : CAKE_BINARY_ADD, a, b);
    }
    for (uint32_t i = 0; i < a->count; i++)
        a->value[i] = integer_binary(op, a->value[i], b->value[i]);
}

static cake_lanes evaluate_binary(cake_evaluator *evaluator, const cake_node *node, uint32_t frame) {
    cake_lanes a = cake_evaluate_node(evaluator, node->operands.items[0], frame);
    cake_lanes b = cake_evaluate_node(evaluator, node->operands.items[1], frame + 1);
    cake_lanes_widen(&a, a.count > b.count ? a.count : b.count);
    cake_lanes_widen(&b, a.count);
    if (node->class == CAKE_NODE_REAL)
        real_binary(evaluator, node->u.binary, &a, &b);
    else
        whole_binary(node->class, node->u.binary, &a, &b);
    return a;
}

static cake_lanes evaluate_unary(cake_evaluator *evaluator, const cake_node *node, uint32_t frame) {
    cake_lanes a = cake_evaluate_node(evaluator, node->operands.items[0], frame);
    for (uint32_t i = 0; i < a.count; i++) {
        if (node->u.unary == CAKE_UNARY_NEG)
            a.value[i] = -a.value[i];
        else if (node->u.unary == CAKE_UNARY_NOT)
            a.value[i] = a.value[i] == 0;
        else
            a.value[i] = -a.value[i] - 1;
    }
    return a;
}

/* ---- comparisons ---- */

#define COMPARE_ALL(operator)                                                                                          \
    for (uint32_t i = 0; i < count; i++)                                                                               \
        out_holds[i] = a[i] operator b[i];                                                                             \
    break

static void compare(cake_binary_op op, const double *a, const double *b, uint32_t count, bool *out_holds) {
    switch (op) {
    case CAKE_BINARY_EQ:
        COMPARE_ALL(==);
    case CAKE_BINARY_NE:
        COMPARE_ALL(!=);
    case CAKE_BINARY_LT:
        COMPARE_ALL(<);
    case CAKE_BINARY_LE:
        COMPARE_ALL(<=);
    case CAKE_BINARY_GT:
        COMPARE_ALL(>);
    case CAKE_BINARY_GE:
        COMPARE_ALL(>=);
    case CAKE_BINARY_OR:
    case CAKE_BINARY_XOR:
    case CAKE_BINARY_AND:
    case CAKE_BINARY_SHL:
    case CAKE_BINARY_SHR:
    case CAKE_BINARY_ADD:
    case CAKE_BINARY_SUB:
    case CAKE_BINARY_MUL:
    case CAKE_BINARY_DIV:
    case CAKE_BINARY_MOD:
    case CAKE_BINARY_COUNT:
        CAKE_ASSERT(false && "a comparison");
    }
}

/* Folds one comparison into a condition: and-ed in a chain, or-ed in a set. Within their errors two numbers may compare
 * either way: the condition then has error 1. */
static void compare_into(cake_lanes *result, cake_binary_op op, cake_lanes *a, cake_lanes *b, bool all) {
    uint32_t count = a->count > b->count ? a->count : b->count;
    if (count < result->count) count = result->count;
    cake_lanes_widen(a, count);
    cake_lanes_widen(b, count);
    cake_lanes_widen(result, count);
    if (!a->exact || !b->exact) {
        cake_lanes_show_errors(a);
        cake_lanes_show_errors(b);
        cake_lanes_show_errors(result);
        for (uint32_t i = 0; i < count; i++)
            if (fabs(a->value[i] - b->value[i]) <= a->error[i] + b->error[i] && a->error[i] + b->error[i] > 0)
                result->error[i] = 1;
    }
    bool holds[CAKE_LANES];
    compare(op, a->value, b->value, count, holds);
    for (uint32_t i = 0; i < count; i++)
        result->value[i] = all ? (result->value[i] != 0) & holds[i] : (result->value[i] != 0) | holds[i];
}

static cake_lanes evaluate_compare(cake_evaluator *evaluator, const cake_node *node, uint32_t frame) {
    cake_lanes result = cake_evaluator_frame(evaluator, frame, 1);
    uint32_t left = frame + 1, right = frame + 2;
    cake_lanes a = cake_evaluate_node(evaluator, node->operands.items[0], left);
    result.value[0] = 1;
    for (uint32_t i = 1; i < node->operands.count; i++) {
        cake_lanes b = cake_evaluate_node(evaluator, node->operands.items[i], right);
        compare_into(&result, node->u.comparisons[i - 1], &a, &b, true);
        if (i + 1 == node->operands.count) break;
        /* The right operand is the next left one; its frame must stay below the next right one's. */
        cake_lanes moved = cake_evaluator_frame(evaluator, left, b.count);
        moved.exact = b.exact;
        for (uint32_t k = 0; k < b.count; k++) {
            moved.value[k] = b.value[k];
            moved.error[k] = b.exact ? 0 : b.error[k];
        }
        a = moved;
    }
    return result;
}

static cake_lanes evaluate_member(cake_evaluator *evaluator, const cake_node *node, uint32_t frame) {
    cake_lanes result = cake_evaluator_frame(evaluator, frame, 1);
    cake_lanes a = cake_evaluate_node(evaluator, node->operands.items[0], frame + 1);
    result.value[0] = 0;
    for (uint32_t i = 1; i < node->operands.count; i++) {
        cake_lanes b = cake_evaluate_node(evaluator, node->operands.items[i], frame + 2);
        compare_into(&result, CAKE_BINARY_EQ, &a, &b, false);
    }
    return result;
}

/* ---- casts ---- */

/* Truncation of a float is rounding to nearest, one step back where that went away from zero. */
static double toward_zero(cake_dtype dtype, double value) {
    if (dtype == CAKE_DTYPE_F64) return value;
    uint64_t bits = cake_number_encode(dtype, value, false);
    if (fabs(cake_number_decode(dtype, bits)) > fabs(value)) bits -= dtype == CAKE_DTYPE_TF32 ? 1u << 13 : 1;
    return cake_number_decode(dtype, bits);
}

/* Integers are rounded to zero, as 'cvt.rzi' does; what leaves the range of an 8-bit float becomes its end, as
 * 'cvt.satfinite' does. */
static double convert(const cake_node *node, double value) {
    cake_dtype dtype = node->dtype;
    cake_dtype_class class_ = cake_dtype_class_of(dtype);
    bool saturate = node->u.cast.saturate || cake_dtype_is_byte_float(dtype);
    if (class_ == CAKE_CLASS_SIGNED || class_ == CAKE_CLASS_UNSIGNED) value = trunc(value);
    if (class_ == CAKE_CLASS_FLOAT && node->u.cast.toward_zero && isfinite(value)) return toward_zero(dtype, value);
    return cake_number_round(dtype, value, saturate);
}

/* How far a kernel's rounded value may be from 'rounded' when its own value is within 'error' of 'value': as far as the
 * ends of that interval go, and half a place at least, since it may have rounded at another point of the same sum. */
static double cast_error(const cake_node *node, double value, double rounded, double error) {
    if (error == 0 || !isfinite(rounded)) return error;
    double half = cake_number_half_ulp(node->dtype, value);
    if (fabs(value - rounded) + error < half) return error + half;
    double reach = fmax(fabs(convert(node, value - error) - rounded), fabs(convert(node, value + error) - rounded));
    return half > 0 ? fmax(reach, error + half) : reach;
}

static cake_lanes evaluate_cast(cake_evaluator *evaluator, const cake_node *node, uint32_t frame) {
    cake_lanes a = cake_evaluate_node(evaluator, node->operands.items[0], frame);
    evaluator->work += CAST_WORK * a.count;
    for (uint32_t i = 0; i < a.count; i++) {
        double value = a.value[i];
        a.value[i] = convert(node, value);
        if (!a.exact) a.error[i] = cast_error(node, value, a.value[i], a.error[i]);
    }
    return a;
}

static cake_lanes evaluate_bitcast(cake_evaluator *evaluator, const cake_node *node, uint32_t frame) {
    cake_lanes a = cake_evaluate_node(evaluator, node->operands.items[0], frame);
    cake_dtype from = node->operands.items[0]->dtype;
    for (uint32_t i = 0; i < a.count; i++)
        a.value[i] = cake_number_decode(node->dtype, cake_number_encode(from, a.value[i], false));
    a.exact = true;
    return a;
}

cake_lanes cake_evaluate_operation(cake_evaluator *evaluator, const cake_node *node, uint32_t frame) {
    switch (node->kind) {
    case CAKE_NODE_UNARY:
        return evaluate_unary(evaluator, node, frame);
    case CAKE_NODE_BINARY:
        return evaluate_binary(evaluator, node, frame);
    case CAKE_NODE_COMPARE:
        return evaluate_compare(evaluator, node, frame);
    case CAKE_NODE_MEMBER_OF:
        return evaluate_member(evaluator, node, frame);
    case CAKE_NODE_CAST:
        return evaluate_cast(evaluator, node, frame);
    case CAKE_NODE_BITCAST:
        return evaluate_bitcast(evaluator, node, frame);
    case CAKE_NODE_FUNCTION:
        return cake_evaluate_function(evaluator, node, frame);
    case CAKE_NODE_CONSTANT:
    case CAKE_NODE_DIMENSION:
    case CAKE_NODE_VARIABLE:
    case CAKE_NODE_ELEMENT:
    case CAKE_NODE_CALL:
    case CAKE_NODE_REDUCE:
        break;
    }
    CAKE_ASSERT(false && "an operation");
    return (cake_lanes){0};
}
