/* Launch expressions: exact integers over a kernel's dimensions, 64-bit scalars and the device's 'sm_count'. Floats are
 * worked with as the integers that their bits are: a scalar parameter of f32 or f64 is named as such.
 *
 * In JSON an integer is a number, a name a string, an operation an array: ["mul", "M", 2], ["cdiv", "K", 64].
 * Evaluation is checked: overflow of 64 bits and division by zero are errors, never wrapped values.
 */
#ifndef CAKE_MANIFEST_EXPRESSION_H
#define CAKE_MANIFEST_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "support/arena.h"
#include "support/text.h"

struct json_t;

/* CAKE_LAUNCH_OP(enumerator, json name, operand count). Comparisons and logic give 0 or 1; div and mod round down. */
#define CAKE_LAUNCH_OPS(CAKE_LAUNCH_OP)                                                                                \
    CAKE_LAUNCH_OP(ADD, "add", 2)                                                                                      \
    CAKE_LAUNCH_OP(SUB, "sub", 2)                                                                                      \
    CAKE_LAUNCH_OP(MUL, "mul", 2)                                                                                      \
    CAKE_LAUNCH_OP(DIV, "div", 2)                                                                                      \
    CAKE_LAUNCH_OP(MOD, "mod", 2)                                                                                      \
    CAKE_LAUNCH_OP(CDIV, "cdiv", 2)                                                                                    \
    CAKE_LAUNCH_OP(CEILTO, "ceilto", 2)                                                                                \
    CAKE_LAUNCH_OP(MIN, "min", 2)                                                                                      \
    CAKE_LAUNCH_OP(MAX, "max", 2)                                                                                      \
    CAKE_LAUNCH_OP(SHL, "shl", 2)                                                                                      \
    CAKE_LAUNCH_OP(SHR, "shr", 2)                                                                                      \
    CAKE_LAUNCH_OP(EQ, "eq", 2)                                                                                        \
    CAKE_LAUNCH_OP(NE, "ne", 2)                                                                                        \
    CAKE_LAUNCH_OP(LT, "lt", 2)                                                                                        \
    CAKE_LAUNCH_OP(LE, "le", 2)                                                                                        \
    CAKE_LAUNCH_OP(AND, "and", 2)                                                                                      \
    CAKE_LAUNCH_OP(OR, "or", 2)                                                                                        \
    CAKE_LAUNCH_OP(NOT, "not", 1)                                                                                      \
    CAKE_LAUNCH_OP(ISPOW2, "ispow2", 1)                                                                                \
    CAKE_LAUNCH_OP(SELECT, "select", 3)                                                                                \
    CAKE_LAUNCH_OP(F32, "f32", 1) /* bits of an integer, rounded */                                                    \
    CAKE_LAUNCH_OP(F32_OF_F64, "f32.f64", 1)                                                                           \
    CAKE_LAUNCH_OP(F32_ADD, "f32.add", 2)                                                                              \
    CAKE_LAUNCH_OP(F32_SUB, "f32.sub", 2)                                                                              \
    CAKE_LAUNCH_OP(F32_MUL, "f32.mul", 2)                                                                              \
    CAKE_LAUNCH_OP(F32_DIV, "f32.div", 2)                                                                              \
    CAKE_LAUNCH_OP(F32_SQRT, "f32.sqrt", 1)                                                                            \
    CAKE_LAUNCH_OP(F64, "f64", 1)                                                                                      \
    CAKE_LAUNCH_OP(F64_OF_F32, "f64.f32", 1)                                                                           \
    CAKE_LAUNCH_OP(F64_ADD, "f64.add", 2)                                                                              \
    CAKE_LAUNCH_OP(F64_SUB, "f64.sub", 2)                                                                              \
    CAKE_LAUNCH_OP(F64_MUL, "f64.mul", 2)                                                                              \
    CAKE_LAUNCH_OP(F64_DIV, "f64.div", 2)                                                                              \
    CAKE_LAUNCH_OP(F64_SQRT, "f64.sqrt", 1)

typedef enum cake_launch_op {
    CAKE_LAUNCH_CONSTANT, /* value */
    CAKE_LAUNCH_NAME,     /* name */
#define CAKE_LAUNCH_OP(enumerator, name, operands) CAKE_LAUNCH_##enumerator,
    CAKE_LAUNCH_OPS(CAKE_LAUNCH_OP)
#undef CAKE_LAUNCH_OP
        CAKE_LAUNCH_OP_COUNT
} cake_launch_op;

typedef struct cake_launch_expr cake_launch_expr;
struct cake_launch_expr {
    cake_launch_op op;
    int64_t value;
    const char *name;
    const cake_launch_expr *operands[3];
};

typedef struct cake_binding {
    const char *name;
    int64_t value;
} cake_binding;

const cake_launch_expr *cake_launch_constant(cake_arena *arena, int64_t value);
const cake_launch_expr *cake_launch_name(cake_arena *arena, const char *name);
/* Folds constants. Unused operands are null. */
const cake_launch_expr *cake_launch_apply(cake_arena *arena, cake_launch_op op, const cake_launch_expr *a,
                                          const cake_launch_expr *b, const cake_launch_expr *c);

/* False for an unbound name, overflow or division by zero. */
bool cake_launch_evaluate(const cake_launch_expr *expr, const cake_binding *bindings, uint32_t binding_count,
                          int64_t *out_value);

/* The operation's JSON name; "" for CONSTANT and NAME. */
const char *cake_launch_op_name(cake_launch_op op);
uint32_t cake_launch_operand_count(cake_launch_op op);

/* The expression's JSON text on one line. */
void cake_launch_write(const cake_launch_expr *expr, cake_text *out);
/* The same as a tree: a new reference, null when memory is exhausted. */
struct json_t *cake_launch_to_json(const cake_launch_expr *expr);
/* Null for anything that is no expression (depth over 64 included). */
const cake_launch_expr *cake_launch_from_json(cake_arena *arena, const struct json_t *json);

#endif
