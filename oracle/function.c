/* Elementwise functions: value, the error that operands pass on, and the function's own.
 *
 * Own errors are in units of the result's rounding. The plain forms are within 2 ulp by the language; kernels may
 * compute exp(x) as exp2(x log2 e), whose argument is rounded, so that its error grows with |x|. The '.approx' forms
 * follow the hardware instructions (PTX ISA, 'Floating Point Instructions': ex2, lg2, sin, cos, tanh, rcp, rsqrt, sqrt
 * .approx).
 */
#include <math.h>

#include "oracle/evaluate.h"
#include "oracle/number.h"

#define FUNCTION_WORK 10 /* lane operations that a call of the math library is worth */

typedef struct estimate {
    double value, error; /* error: before the function's own rounding */
    double ulps;         /* own rounding, relative to the value, in units */
    double absolute;     /* own error besides */
} estimate;

/* exp(a) or 2^a with argument error ea, in exponents of e. */
static estimate exponential(double value, double argument, double error, bool approximate) {
    double grown = error > 0 ? expm1(error) : 0;
    return (estimate){value, value * grown, (approximate ? 4 : 2) + 2 * fabs(argument), 0};
}

static estimate logarithm(double value, double a, double error, double scale, bool approximate) {
    double passed = error == 0 ? 0 : a > error ? scale * error / (a - error) : (double)INFINITY;
    return (estimate){value, passed, 3, approximate ? 0x1p-21 : 0x1p-24};
}

static estimate square_root(double a, double error, bool approximate) {
    double value = sqrt(a);
    double passed = error == 0 ? 0 : value > 0 ? fmin(error / value, sqrt(error)) : sqrt(error);
    return (estimate){value, passed, approximate ? 2 : 1, 0};
}

static estimate inverse_root(double a, double error) {
    double value = 1 / sqrt(a);
    double passed = error == 0 ? 0 : a > error ? 1 / sqrt(a - error) - value : (double)INFINITY;
    return (estimate){value, passed, 3, 0};
}

static estimate reciprocal(double a, double error) {
    double value = 1 / a;
    double passed = error == 0 ? 0 : fabs(a) > error ? fabs(value) * error / (fabs(a) - error) : (double)INFINITY;
    return (estimate){value, passed, 2, 0};
}

/* A step function: wrong by whole steps where the argument may lie on the other side of one. */
static estimate step(double (*function)(double), double a, double error) {
    double value = function(a);
    double reach = fmax(fabs(function(a + error) - value), fabs(function(a - error) - value));
    return (estimate){value, error == 0 ? 0 : reach, 0, 0};
}

static estimate unary_function(cake_builtin builtin, bool approximate, double a, double error) {
    const double log2_of_e = 1.4426950408889634;
    switch ((int)builtin) {
    case CAKE_BUILTIN_EXP:
        return exponential(exp(a), a, error, approximate);
    case CAKE_BUILTIN_EXP2:
        return exponential(exp2(a), 0, error / log2_of_e, approximate);
    case CAKE_BUILTIN_LOG:
        return logarithm(log(a), a, error, 1, approximate);
    case CAKE_BUILTIN_LOG2:
        return logarithm(log2(a), a, error, log2_of_e, approximate);
    case CAKE_BUILTIN_SQRT:
        return square_root(a, error, approximate);
    case CAKE_BUILTIN_RSQRT:
        return inverse_root(a, error);
    case CAKE_BUILTIN_RCP:
        return reciprocal(a, error);
    case CAKE_BUILTIN_TANH:
        return (estimate){tanh(a), error, approximate ? 0x1p13 : 3, 0};
    case CAKE_BUILTIN_ERF:
        return (estimate){erf(a), 1.13 * error, 3, 0};
    case CAKE_BUILTIN_SIN:
        return (estimate){sin(a), error, 3, approximate ? 0x1p-20 * (1 + fabs(a)) : 0x1p-24};
    case CAKE_BUILTIN_COS:
        return (estimate){cos(a), error, 3, approximate ? 0x1p-20 * (1 + fabs(a)) : 0x1p-24};
    case CAKE_BUILTIN_ABS:
        return (estimate){fabs(a), error, 0, 0};
    case CAKE_BUILTIN_FLOOR:
        return step(floor, a, error);
    case CAKE_BUILTIN_CEIL:
        return step(ceil, a, error);
    case CAKE_BUILTIN_ROUND:
        return step(rint, a, error);
    default:
        CAKE_ASSERT(false && "a function of one number");
        return (estimate){0};
    }
}

static cake_lanes evaluate_unary_function(cake_evaluator *evaluator, const cake_node *node, uint32_t frame) {
    cake_lanes a = cake_evaluate_node(evaluator, node->operands.items[0], frame);
    bool approximate = node->u.function.modifiers & CAKE_MODIFIER_APPROX;
    evaluator->work += FUNCTION_WORK * a.count;
    if (!evaluator->exact) cake_lanes_show_errors(&a);
    for (uint32_t i = 0; i < a.count; i++) {
        estimate e = unary_function(node->u.function.builtin, approximate, a.value[i], a.exact ? 0 : a.error[i]);
        a.value[i] = e.value;
        if (a.exact) continue;
        a.error[i] = e.error + e.ulps * evaluator->unit * fabs(e.value) + (evaluator->wide ? 0 : e.absolute);
    }
    return a;
}

/* ---- several operands ---- */

static double bits_set(double value) {
    uint64_t bits = cake_number_encode(CAKE_DTYPE_I64, value, false);
    double count = 0;
    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

static double leading_zeros(cake_dtype dtype, double value) {
    uint64_t bits = cake_number_encode(dtype, value, false);
    double count = cake_dtype_bits(dtype);
    for (; bits; bits >>= 1)
        count--;
    return count;
}

static double integer_function(const cake_node *node, double a, double b) {
    switch ((int)node->u.function.builtin) {
    case CAKE_BUILTIN_CDIV:
        return b == 0 ? (double)NAN : ceil(a / b);
    case CAKE_BUILTIN_CEILTO:
        return b == 0 ? (double)NAN : ceil(a / b) * b;
    case CAKE_BUILTIN_ISPOW2:
        return bits_set(a) == 1 && a > 0;
    case CAKE_BUILTIN_POPC:
        return node->operands.items[0]->dtype == CAKE_DTYPE_NONE
                   ? bits_set(a)
                   : bits_set(cake_number_decode(CAKE_DTYPE_U64,
                                                 cake_number_encode(node->operands.items[0]->dtype, a, false)));
    case CAKE_BUILTIN_CLZ:
        return leading_zeros(node->operands.items[0]->dtype, a);
    default:
        CAKE_ASSERT(false && "a function of integers");
        return 0;
    }
}

/* Numbers win over NaN unless it is kept. */
static double extreme(double a, double b, bool smallest, bool keep_nan) {
    if (keep_nan && (isnan(a) || isnan(b))) return (double)NAN;
    return smallest ? fmin(a, b) : fmax(a, b);
}

static double multiply_add_error(double a, double ea, double b, double eb, double ec) {
    return ea * (fabs(b) + eb) + fabs(a) * eb + ec;
}

/* The lanes of up to three operands, made equally many. */
typedef struct operand_lanes {
    cake_lanes of[3];
    uint32_t count; /* lanes */
    bool exact;
} operand_lanes;

static operand_lanes evaluate_operands(cake_evaluator *evaluator, const cake_node *node, uint32_t frame) {
    operand_lanes result = {.count = 1, .exact = true};
    uint32_t count = node->operands.count;
    for (uint32_t i = 0; i < count; i++) {
        result.of[i] = cake_evaluate_node(evaluator, node->operands.items[i], frame + i);
        result.exact &= result.of[i].exact;
        if (result.count < result.of[i].count) result.count = result.of[i].count;
    }
    for (uint32_t i = 0; i < count; i++) {
        cake_lanes_widen(&result.of[i], result.count);
        if (!evaluator->exact) cake_lanes_show_errors(&result.of[i]);
    }
    return result;
}

static void select_lane(operand_lanes *operands, uint32_t i, bool errors) {
    const cake_lanes *condition = &operands->of[0], *yes = &operands->of[1], *no = &operands->of[2];
    double difference = fabs(yes->value[i] - no->value[i]);
    bool holds = condition->value[i] != 0, doubtful = errors && condition->error[i] != 0;
    if (errors) {
        double chosen = holds ? yes->error[i] : no->error[i];
        condition->error[i] = doubtful ? fmax(yes->error[i], no->error[i]) + difference : chosen;
    }
    condition->value[i] = holds ? yes->value[i] : no->value[i];
}

static void extreme_lane(const cake_node *node, operand_lanes *operands, uint32_t i, bool errors) {
    cake_lanes *a = &operands->of[0], *b = &operands->of[1];
    bool smallest = node->u.function.builtin == CAKE_BUILTIN_MIN;
    a->value[i] = extreme(a->value[i], b->value[i], smallest, node->u.function.modifiers & CAKE_MODIFIER_NAN);
    if (errors) a->error[i] = fmax(a->error[i], b->error[i]);
}

static void multiply_add_lane(const cake_evaluator *evaluator, const cake_node *node, operand_lanes *operands,
                              uint32_t i) {
    cake_lanes *a = &operands->of[0], *b = &operands->of[1], *c = &operands->of[2];
    double value = fma(a->value[i], b->value[i], c->value[i]);
    if (!evaluator->exact) {
        a->error[i] = multiply_add_error(a->value[i], a->error[i], b->value[i], b->error[i], c->error[i]);
        if (node->class == CAKE_NODE_REAL) a->error[i] += evaluator->unit * fabs(value);
    }
    a->value[i] = value;
}

static cake_lanes evaluate_several(cake_evaluator *evaluator, const cake_node *node, uint32_t frame) {
    operand_lanes operands = evaluate_operands(evaluator, node, frame);
    cake_builtin builtin = node->u.function.builtin;
    for (uint32_t i = 0; i < operands.count; i++) {
        if (builtin == CAKE_BUILTIN_SELECT)
            select_lane(&operands, i, !evaluator->exact);
        else if (builtin == CAKE_BUILTIN_FMA)
            multiply_add_lane(evaluator, node, &operands, i);
        else if (builtin == CAKE_BUILTIN_MIN || builtin == CAKE_BUILTIN_MAX)
            extreme_lane(node, &operands, i, !evaluator->exact);
        else
            operands.of[0].value[i] =
                integer_function(node, operands.of[0].value[i], node->operands.count > 1 ? operands.of[1].value[i] : 0);
    }
    if (operands.exact && (node->class != CAKE_NODE_REAL || builtin != CAKE_BUILTIN_FMA)) operands.of[0].exact = true;
    return operands.of[0];
}

cake_lanes cake_evaluate_function(cake_evaluator *evaluator, const cake_node *node, uint32_t frame) {
    cake_builtin builtin = node->u.function.builtin;
    bool integers = builtin == CAKE_BUILTIN_CDIV || builtin == CAKE_BUILTIN_CEILTO || builtin == CAKE_BUILTIN_ISPOW2 ||
                    builtin == CAKE_BUILTIN_POPC || builtin == CAKE_BUILTIN_CLZ;
    if (node->operands.count > 1 || integers) return evaluate_several(evaluator, node, frame);
    cake_lanes result = evaluate_unary_function(evaluator, node, frame);
    if (node->class != CAKE_NODE_REAL) result.exact = true;
    return result;
}
