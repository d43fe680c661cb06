#include "ir/module.h"

#include <string.h>

static const char *const unary_names[CAKE_UNARY_COUNT] = {
#define CAKE_UNARY(enumerator, spelling) [CAKE_UNARY_##enumerator] = spelling,
#include "ir/ops.def"
#undef CAKE_UNARY
};

static const struct {
    const char *name;
    int level;
} binary_rows[CAKE_BINARY_COUNT] = {
#define CAKE_BINARY(enumerator, spelling, level) [CAKE_BINARY_##enumerator] = {spelling, level},
#include "ir/ops.def"
#undef CAKE_BINARY
};

static const struct {
    const char *name;
    uint32_t operands;
} atomic_rows[CAKE_ATOMIC_COUNT] = {
#define CAKE_ATOMIC(enumerator, spelling, operands) [CAKE_ATOMIC_##enumerator] = {spelling, operands},
#include "ir/ops.def"
#undef CAKE_ATOMIC
};

static const struct {
    const char *name;
    cake_executor executor;
} statement_rows[CAKE_STMT_COUNT] = {
#define CAKE_STATEMENT(enumerator, spelling, executor) [CAKE_STMT_##enumerator] = {spelling, CAKE_EXECUTOR_##executor},
#include "ir/ops.def"
#undef CAKE_STATEMENT
};

static const cake_builtin_info builtin_rows[CAKE_BUILTIN_END] = {
    [CAKE_BUILTIN_NONE] = {"", CAKE_BUILTIN_KIND_ELEMENT, 0, 0, 0, 0},
#define CAKE_BUILTIN(enumerator, spelling, kind, min_args, max_args, modifiers, dtypes)                                \
    [CAKE_BUILTIN_##enumerator] = {spelling, CAKE_BUILTIN_KIND_##kind, min_args, max_args, modifiers, dtypes},
#include "ir/builtins.def"
#undef CAKE_BUILTIN
};

const char *cake_unary_name(cake_unary_op op) {
    return unary_names[op];
}

const char *cake_binary_name(cake_binary_op op) {
    return binary_rows[op].name;
}

int cake_binary_level(cake_binary_op op) {
    return binary_rows[op].level;
}

const char *cake_atomic_name(cake_atomic_op op) {
    return atomic_rows[op].name;
}

uint32_t cake_atomic_operand_count(cake_atomic_op op) {
    return atomic_rows[op].operands;
}

const char *cake_stmt_name(cake_stmt_kind kind) {
    return statement_rows[kind].name;
}

cake_executor cake_stmt_executor(cake_stmt_kind kind) {
    return statement_rows[kind].executor;
}

const cake_builtin_info *cake_builtin_info_of(cake_builtin builtin) {
    return &builtin_rows[builtin];
}

cake_builtin cake_builtin_find(const char *name) {
    for (cake_builtin builtin = CAKE_BUILTIN_NONE + 1; builtin < CAKE_BUILTIN_END; builtin++)
        if (strcmp(builtin_rows[builtin].name, name) == 0) return builtin;
    return CAKE_BUILTIN_NONE;
}

uint8_t cake_dtype_operand(cake_dtype dtype) {
    uint32_t bits = cake_dtype_bits(dtype);
    switch (cake_dtype_class_of(dtype)) {
    case CAKE_CLASS_FLOAT:
        if (dtype == CAKE_DTYPE_TF32 || bits < 16) return 0;
        return bits == 64 ? CAKE_OPERAND_DOUBLE : bits == 32 ? CAKE_OPERAND_SINGLE : CAKE_OPERAND_NARROW;
    case CAKE_CLASS_REAL:
        return CAKE_OPERAND_SINGLE;
    case CAKE_CLASS_SIGNED:
        return bits < 8 ? 0 : CAKE_OPERAND_SIGNED;
    case CAKE_CLASS_UNSIGNED:
        return bits < 8 ? 0 : CAKE_OPERAND_UNSIGNED;
    case CAKE_CLASS_INDEX:
        return CAKE_OPERAND_SIGNED;
    case CAKE_CLASS_NONE:
    case CAKE_CLASS_BOOL:
        return 0;
    }
    return 0;
}

bool cake_builtin_has_form(cake_builtin builtin, uint8_t modifiers, cake_dtype dtype) {
    const cake_builtin_info *info = cake_builtin_info_of(builtin);
    uint8_t operand = cake_dtype_operand(dtype), legal = info->modifiers;
    if (operand & (CAKE_OPERAND_SIGNED | CAKE_OPERAND_UNSIGNED)) legal = 0;
    if (operand == CAKE_OPERAND_DOUBLE) legal &= CAKE_MODIFIER_NAN;
    if (operand == CAKE_OPERAND_NARROW && builtin == CAKE_BUILTIN_FMA) legal = 0;
    return (info->dtypes & operand) && !(modifiers & ~legal);
}

/* The element type of the result, or NONE. An index takes the type beside it if that is a number; a real takes a float
 * type only: 0.5 beside an integer would lose its value. */
static cake_dtype dtype_common(cake_dtype left, cake_dtype right) {
    if (left == right) return left;
    cake_dtype_class left_class = cake_dtype_class_of(left), right_class = cake_dtype_class_of(right);
    if (left_class == CAKE_CLASS_INDEX && right_class != CAKE_CLASS_BOOL) return right;
    if (right_class == CAKE_CLASS_INDEX && left_class != CAKE_CLASS_BOOL) return left;
    if (left_class == CAKE_CLASS_REAL && right_class == CAKE_CLASS_FLOAT) return right;
    if (right_class == CAKE_CLASS_REAL && left_class == CAKE_CLASS_FLOAT) return left;
    return CAKE_DTYPE_NONE;
}

cake_type cake_type_common(cake_type left, cake_type right) {
    cake_type common = {CAKE_TYPE_ERROR, CAKE_DTYPE_NONE, 0};
    if (left.kind != CAKE_TYPE_VALUE || right.kind != CAKE_TYPE_VALUE) return common;
    if (left.rank != right.rank && left.rank != 0 && right.rank != 0) return common;
    cake_dtype dtype = dtype_common(left.dtype, right.dtype);
    if (dtype == CAKE_DTYPE_NONE) return common;
    common.kind = CAKE_TYPE_VALUE;
    common.dtype = dtype;
    common.rank = left.rank > right.rank ? left.rank : right.rank;
    return common;
}
