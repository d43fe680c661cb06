/* Launch expressions: building with folding, checked evaluation, JSON both ways. */
#include "manifest/expression.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "manifest/json_reader.h"

/* Operands nest at most this deep in JSON: a bound on recursion, far above what schedules need. */
#define DEPTH_LIMIT 64

static const struct {
    const char *name;
    uint32_t operands;
} operations[CAKE_LAUNCH_OP_COUNT] = {[CAKE_LAUNCH_CONSTANT] = {"", 0},
                                      [CAKE_LAUNCH_NAME] = {"", 0},
#define CAKE_LAUNCH_OP(enumerator, name, operands) [CAKE_LAUNCH_##enumerator] = {name, operands},
                                      CAKE_LAUNCH_OPS(CAKE_LAUNCH_OP)
#undef CAKE_LAUNCH_OP
};

const char *cake_launch_op_name(cake_launch_op op) {
    return operations[op].name;
}

uint32_t cake_launch_operand_count(cake_launch_op op) {
    return operations[op].operands;
}

/* ---- arithmetic: each false when the exact result does not exist or does not fit 64 bits ---- */

static bool add(int64_t a, int64_t b, int64_t *out) {
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return false;
    *out = a + b;
    return true;
}

static bool subtract(int64_t a, int64_t b, int64_t *out) {
    if (b > 0 ? a < INT64_MIN + b : a > INT64_MAX + b) return false;
    *out = a - b;
    return true;
}

static bool multiply(int64_t a, int64_t b, int64_t *out) {
    bool overflows = false;
    if (a > 0)
        overflows = b > 0 ? a > INT64_MAX / b : b < INT64_MIN / a;
    else if (a < 0)
        overflows = b > 0 ? a < INT64_MIN / b : b < INT64_MAX / a;
    if (overflows) return false;
    *out = a * b;
    return true;
}

static bool divide_down(int64_t a, int64_t b, int64_t *out) {
    if (b == 0 || (a == INT64_MIN && b == -1)) return false;
    *out = a / b - (a % b != 0 && (a < 0) != (b < 0));
    return true;
}

static bool divide_up(int64_t a, int64_t b, int64_t *out) {
    if (b == 0 || (a == INT64_MIN && b == -1)) return false;
    *out = a / b + (a % b != 0 && (a < 0) == (b < 0));
    return true;
}

static bool remainder_down(int64_t a, int64_t b, int64_t *out) {
    if (b == 0) return false;
    int64_t rest = b == -1 ? 0 : a % b; /* INT64_MIN % -1 traps */
    *out = rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    return true;
}

static bool shift_left(int64_t a, int64_t count, int64_t *out) {
    if (count < 0 || count > 62) return false;
    return multiply(a, (int64_t)1 << count, out);
}

static bool shift_right(int64_t a, int64_t count, int64_t *out) {
    if (count < 0 || count > 63) return false;
    if (count == 63) *out = a < 0 ? -1 : 0;
    return count == 63 || divide_down(a, (int64_t)1 << count, out);
}

/* ---- floats, as bits ---- */

static float single_of(int64_t bits) {
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

static bool single(float value, int64_t *out) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return *out = bits, true;
}

static double double_of(int64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool put_double(double value, int64_t *out) {
    return memcpy(out, &value, sizeof value), true;
}

static bool apply(cake_launch_op op, const int64_t v[3], int64_t *out) {
    switch (op) {
    case CAKE_LAUNCH_CONSTANT:
    case CAKE_LAUNCH_NAME:
    case CAKE_LAUNCH_OP_COUNT:
        return false;
    case CAKE_LAUNCH_ADD:
        return add(v[0], v[1], out);
    case CAKE_LAUNCH_SUB:
        return subtract(v[0], v[1], out);
    case CAKE_LAUNCH_MUL:
        return multiply(v[0], v[1], out);
    case CAKE_LAUNCH_DIV:
        return divide_down(v[0], v[1], out);
    case CAKE_LAUNCH_MOD:
        return remainder_down(v[0], v[1], out);
    case CAKE_LAUNCH_CDIV:
        return divide_up(v[0], v[1], out);
    case CAKE_LAUNCH_CEILTO:
        return divide_up(v[0], v[1], out) && multiply(*out, v[1], out);
    case CAKE_LAUNCH_MIN:
        return *out = v[0] < v[1] ? v[0] : v[1], true;
    case CAKE_LAUNCH_MAX:
        return *out = v[0] > v[1] ? v[0] : v[1], true;
    case CAKE_LAUNCH_SHL:
        return shift_left(v[0], v[1], out);
    case CAKE_LAUNCH_SHR:
        return shift_right(v[0], v[1], out);
    case CAKE_LAUNCH_EQ:
        return *out = v[0] == v[1], true;
    case CAKE_LAUNCH_NE:
        return *out = v[0] != v[1], true;
    case CAKE_LAUNCH_LT:
        return *out = v[0] < v[1], true;
    case CAKE_LAUNCH_LE:
        return *out = v[0] <= v[1], true;
    case CAKE_LAUNCH_AND:
        return *out = v[0] && v[1], true;
    case CAKE_LAUNCH_OR:
        return *out = v[0] || v[1], true;
    case CAKE_LAUNCH_NOT:
        return *out = !v[0], true;
    case CAKE_LAUNCH_ISPOW2:
        return *out = v[0] > 0 && (v[0] & (v[0] - 1)) == 0, true;
    case CAKE_LAUNCH_SELECT:
        return *out = v[0] ? v[1] : v[2], true;
    case CAKE_LAUNCH_F32:
        return single((float)v[0], out);
    case CAKE_LAUNCH_F32_OF_F64:
        return single((float)double_of(v[0]), out);
    case CAKE_LAUNCH_F32_ADD:
        return single(single_of(v[0]) + single_of(v[1]), out);
    case CAKE_LAUNCH_F32_SUB:
        return single(single_of(v[0]) - single_of(v[1]), out);
    case CAKE_LAUNCH_F32_MUL:
        return single(single_of(v[0]) * single_of(v[1]), out);
    case CAKE_LAUNCH_F32_DIV:
        return single(single_of(v[0]) / single_of(v[1]), out);
    case CAKE_LAUNCH_F32_SQRT:
        return single(sqrtf(single_of(v[0])), out);
    case CAKE_LAUNCH_F64:
        return put_double((double)v[0], out);
    case CAKE_LAUNCH_F64_OF_F32:
        return put_double((double)single_of(v[0]), out);
    case CAKE_LAUNCH_F64_ADD:
        return put_double(double_of(v[0]) + double_of(v[1]), out);
    case CAKE_LAUNCH_F64_SUB:
        return put_double(double_of(v[0]) - double_of(v[1]), out);
    case CAKE_LAUNCH_F64_MUL:
        return put_double(double_of(v[0]) * double_of(v[1]), out);
    case CAKE_LAUNCH_F64_DIV:
        return put_double(double_of(v[0]) / double_of(v[1]), out);
    case CAKE_LAUNCH_F64_SQRT:
        return put_double(sqrt(double_of(v[0])), out);
    }
    return false;
}

/* ---- building ---- */

const cake_launch_expr *cake_launch_constant(cake_arena *arena, int64_t value) {
    cake_launch_expr *expr = CAKE_NEW(arena, cake_launch_expr);
    expr->op = CAKE_LAUNCH_CONSTANT;
    expr->value = value;
    return expr;
}

const cake_launch_expr *cake_launch_name(cake_arena *arena, const char *name) {
    cake_launch_expr *expr = CAKE_NEW(arena, cake_launch_expr);
    expr->op = CAKE_LAUNCH_NAME;
    expr->name = name;
    return expr;
}

const cake_launch_expr *cake_launch_apply(cake_arena *arena, cake_launch_op op, const cake_launch_expr *a,
                                          const cake_launch_expr *b, const cake_launch_expr *c) {
    const cake_launch_expr *operands[3] = {a, b, c};
    int64_t values[3] = {0, 0, 0};
    bool constant = true;
    for (uint32_t i = 0; i < cake_launch_operand_count(op); i++) {
        constant = constant && operands[i]->op == CAKE_LAUNCH_CONSTANT;
        values[i] = operands[i]->value;
    }
    int64_t folded;
    if (constant && apply(op, values, &folded)) return cake_launch_constant(arena, folded);

    cake_launch_expr *expr = CAKE_NEW(arena, cake_launch_expr);
    expr->op = op;
    memcpy(expr->operands, operands, sizeof operands);
    return expr;
}

/* ---- evaluation ---- */

static bool find(const cake_binding *bindings, uint32_t count, const char *name, int64_t *out_value) {
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(bindings[i].name, name) != 0) continue;
        *out_value = bindings[i].value;
        return true;
    }
    return false;
}

bool cake_launch_evaluate(const cake_launch_expr *expr, const cake_binding *bindings, uint32_t binding_count,
                          int64_t *out_value) {
    if (expr->op == CAKE_LAUNCH_CONSTANT) {
        *out_value = expr->value;
        return true;
    }
    if (expr->op == CAKE_LAUNCH_NAME) return find(bindings, binding_count, expr->name, out_value);

    int64_t values[3] = {0, 0, 0};
    for (uint32_t i = 0; i < cake_launch_operand_count(expr->op); i++)
        if (!cake_launch_evaluate(expr->operands[i], bindings, binding_count, &values[i])) return false;
    return apply(expr->op, values, out_value);
}

/* ---- JSON ---- */

void cake_launch_write(const cake_launch_expr *expr, cake_text *out) {
    if (expr->op == CAKE_LAUNCH_CONSTANT) {
        cake_text_format(out, "%" PRId64, expr->value);
        return;
    }
    if (expr->op == CAKE_LAUNCH_NAME) {
        cake_text_format(out, "\"%s\"", expr->name);
        return;
    }
    cake_text_format(out, "[\"%s\"", cake_launch_op_name(expr->op));
    for (uint32_t i = 0; i < cake_launch_operand_count(expr->op); i++) {
        cake_text_add_string(out, ", ");
        cake_launch_write(expr->operands[i], out);
    }
    cake_text_add_string(out, "]");
}

json_t *cake_launch_to_json(const cake_launch_expr *expr) {
    if (expr->op == CAKE_LAUNCH_CONSTANT) return json_integer(expr->value);
    if (expr->op == CAKE_LAUNCH_NAME) return json_string(expr->name);
    json_t *array = json_array();
    int failed = json_array_append_new(array, json_string(cake_launch_op_name(expr->op)));
    for (uint32_t i = 0; i < cake_launch_operand_count(expr->op); i++)
        failed |= json_array_append_new(array, cake_launch_to_json(expr->operands[i]));
    if (!failed) return array;
    json_decref(array);
    return NULL;
}

static bool find_operation(const json_t *json, cake_launch_op *out_op) {
    const char *name = json_string_value(json);
    for (uint32_t op = 0; name && op < CAKE_LAUNCH_OP_COUNT; op++) {
        if (operations[op].operands == 0 || strcmp(operations[op].name, name) != 0) continue;
        *out_op = (cake_launch_op)op;
        return true;
    }
    return false;
}

static const cake_launch_expr *read_nested(cake_arena *arena, const json_t *json, uint32_t depth) {
    if (depth > DEPTH_LIMIT) return NULL;
    if (json_is_integer(json)) return cake_launch_constant(arena, json_integer_value(json));
    if (json_is_string(json)) {
        const char *name = json_string_value(json);
        return cake_json_is_identifier(name) ? cake_launch_name(arena, cake_arena_copy(arena, name, strlen(name)))
                                             : NULL;
    }
    cake_launch_op op;
    if (!find_operation(json_array_get(json, 0), &op)) return NULL;
    if (json_array_size(json) != 1 + cake_launch_operand_count(op)) return NULL;
    cake_launch_expr *expr = CAKE_NEW(arena, cake_launch_expr);
    expr->op = op;
    for (uint32_t i = 0; i < cake_launch_operand_count(op); i++) {
        expr->operands[i] = read_nested(arena, json_array_get(json, i + 1), depth + 1);
        if (!expr->operands[i]) return NULL;
    }
    return expr;
}

const cake_launch_expr *cake_launch_from_json(cake_arena *arena, const json_t *json) {
    return json ? read_nested(arena, json, 0) : NULL;
}
