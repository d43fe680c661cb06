/* What the rows of tests/constructs/constructs.h are called, and which numbers are constructs at all. */
#include "tests/constructs/constructs.h"

static const struct {
    const char *section, *text;
} fixed[] = {
#define CONSTRUCT(enumerator, section, text) {section, text},
#include "tests/constructs/constructs.def"
#undef CONSTRUCT
};

static const char *const modifiers[CAKE_MODIFIER_KINDS] = {"approx", "ftz", "nan"};

/* The text around the type's name. */
static const struct {
    const char *before, *after;
} dtype_uses[CAKE_USE_COUNT] = {{"`", "` in tensors"},
                                {"`", "` in shared memory"},
                                {"operators and functions of `", "`"},
                                {"`cast ", "`"},
                                {"`cast` from `", "`"},
                                {"reductions of `", "`"},
                                {"atomics on `", "`"},
                                {"`tma.load` of `", "`"},
                                {"`tma.store` of `", "`"},
                                {"`tma.reduce` of `", "`"},
                                {"`mma` of `", "`"},
                                {"`wgmma` of `", "`"}};

/* The operand types of mma; wgmma takes 8-bit floats too. */
static bool is_multiplied(cake_dtype dtype) {
    return dtype == CAKE_DTYPE_F16 || dtype == CAKE_DTYPE_BF16 || dtype == CAKE_DTYPE_TF32 || dtype == CAKE_DTYPE_I8 ||
           dtype == CAKE_DTYPE_U8;
}

static bool is_reduced_by_tma(cake_dtype dtype) {
    return dtype == CAKE_DTYPE_F16 || dtype == CAKE_DTYPE_BF16 || dtype == CAKE_DTYPE_F32 || dtype == CAKE_DTYPE_F64 ||
           dtype == CAKE_DTYPE_I32 || dtype == CAKE_DTYPE_U32 || dtype == CAKE_DTYPE_I64 || dtype == CAKE_DTYPE_U64;
}

static bool dtype_has_use(cake_dtype dtype, cake_dtype_use use) {
    bool computes = cake_dtype_operand(dtype) != 0, written = cake_dtype_find(cake_dtype_name(dtype)) == dtype;
    if (dtype == CAKE_DTYPE_NONE || !written) return false;
    switch (use) {
    case CAKE_USE_TENSOR:
    case CAKE_USE_SHARED:
    case CAKE_USE_CAST_TO:
    case CAKE_USE_CAST_FROM:
    case CAKE_USE_TMA_LOAD:
    case CAKE_USE_TMA_STORE:
        return true;
    case CAKE_USE_ATOMIC: /* H209; of the small ones 'load' and 'store' */
        return cake_dtype_bits(dtype) >= 8;
    case CAKE_USE_COMPUTED:
        return computes;
    case CAKE_USE_FOLD:
        return computes || dtype == CAKE_DTYPE_BOOL;
    case CAKE_USE_TMA_REDUCE:
        return is_reduced_by_tma(dtype);
    case CAKE_USE_MMA:
        return is_multiplied(dtype);
    case CAKE_USE_WGMMA:
        return is_multiplied(dtype) || dtype == CAKE_DTYPE_E4M3 || dtype == CAKE_DTYPE_E5M2;
    case CAKE_USE_COUNT:
        break;
    }
    return false;
}

static const char *target_text(cake_arena *arena, uint32_t target) {
    if (target == CAKE_TARGET_NONE) return NULL;
    return cake_arena_format(arena, "`target %s`", cake_target_info_of((cake_target)target)->name);
}

static const char *statement_text(cake_arena *arena, uint32_t kind) {
    if (kind == CAKE_STMT_EVALUATE) return "atomic or `await` whose value is not used";
    return cake_arena_format(arena, "`%s`", cake_stmt_name((cake_stmt_kind)kind));
}

static const char *builtin_text(cake_arena *arena, uint32_t builtin) {
    if (builtin == CAKE_BUILTIN_NONE) return NULL;
    const cake_builtin_info *info = cake_builtin_info_of((cake_builtin)builtin);
    bool folds = builtin == CAKE_BUILTIN_MIN || builtin == CAKE_BUILTIN_MAX; /* of two arguments: a row of its own */
    return cake_arena_format(arena, folds ? "`%s(x)`, a reduction" : "`%s`", info->name);
}

static const char *modifier_text(cake_arena *arena, uint32_t row) {
    uint32_t builtin = row / CAKE_MODIFIER_KINDS, kind = row % CAKE_MODIFIER_KINDS;
    if (builtin == CAKE_BUILTIN_NONE) return NULL;
    const cake_builtin_info *info = cake_builtin_info_of((cake_builtin)builtin);
    if (!(info->modifiers & 1u << kind)) return NULL;
    return cake_arena_format(arena, "`%s.%s`", info->name, modifiers[kind]);
}

static const char *dtype_text(cake_arena *arena, uint32_t row) {
    cake_dtype dtype = (cake_dtype)(row / CAKE_USE_COUNT);
    cake_dtype_use use = (cake_dtype_use)(row % CAKE_USE_COUNT);
    if (!dtype_has_use(dtype, use)) return NULL;
    return cake_arena_format(arena, "%s%s%s", dtype_uses[use].before, cake_dtype_name(dtype), dtype_uses[use].after);
}

const char *cake_construct_section(uint32_t row) {
    if (row < CAKE_ROWS_TARGET) return fixed[row].section;
    if (row < CAKE_ROWS_STATEMENT) return "targets";
    if (row < CAKE_ROWS_UNARY) return "statements";
    if (row < CAKE_ROWS_ATOMIC) return "operators";
    if (row < CAKE_ROWS_BUILTIN) return "atomics";
    if (row < CAKE_ROWS_DTYPE) return "functions";
    return "element types";
}

const char *cake_construct_text(cake_arena *arena, uint32_t row) {
    if (row < CAKE_ROWS_TARGET) return fixed[row].text;
    if (row < CAKE_ROWS_STATEMENT) return target_text(arena, row - CAKE_ROWS_TARGET);
    if (row < CAKE_ROWS_UNARY) return statement_text(arena, row - CAKE_ROWS_STATEMENT);
    if (row < CAKE_ROWS_BINARY)
        return cake_arena_format(arena, "`%sx`", cake_unary_name((cake_unary_op)(row - CAKE_ROWS_UNARY)));
    if (row < CAKE_ROWS_ATOMIC)
        return cake_arena_format(arena, "`a %s b`", cake_binary_name((cake_binary_op)(row - CAKE_ROWS_BINARY)));
    if (row < CAKE_ROWS_BUILTIN)
        return cake_arena_format(arena, "`atomic.%s`", cake_atomic_name((cake_atomic_op)(row - CAKE_ROWS_ATOMIC)));
    if (row < CAKE_ROWS_MODIFIER) return builtin_text(arena, row - CAKE_ROWS_BUILTIN);
    if (row < CAKE_ROWS_DTYPE) return modifier_text(arena, row - CAKE_ROWS_MODIFIER);
    return dtype_text(arena, row - CAKE_ROWS_DTYPE);
}
