/* The typed module: what a .cake file says, resolved and typed, in the order it was written.
 *
 * The text is the IR: there is one tree, made by the parser, annotated by the resolver (symbols and types), printed by
 * ir/print.h to text that parses to the same tree, and read by plan/. Nodes live in the module's arena and are not
 * changed after the frontend returns. Parentheses are not nodes; the printer puts back those that are needed.
 *
 * After resolution without errors:
 *   - every NAME expression has a symbol, every expression a type other than ERROR;
 *   - a call of a user-defined function has 'expansion': a copy of the function's body with the arguments' types, in
 *     which the function's parameters are symbols of kind PARAMETER_VALUE whose 'bound' is the argument expression;
 *   - a literal, dimension or other 'index' (or 'real') beside a typed operand keeps its own type: the operator's
 * result type tells what it is converted to (cake_type_common).
 */
#ifndef CAKE_IR_MODULE_H
#define CAKE_IR_MODULE_H

#include "ir/type.h"
#include "support/diagnostic.h"
#include "support/intern.h"

typedef struct cake_expr cake_expr;
typedef struct cake_stmt cake_stmt;
typedef struct cake_symbol cake_symbol;
typedef struct cake_kernel cake_kernel;

typedef CAKE_VECTOR(cake_expr *) cake_expr_list;

/* ---- operators, from ops.def and builtins.def ---- */

typedef enum cake_unary_op {
#define CAKE_UNARY(enumerator, spelling) CAKE_UNARY_##enumerator,
#include "ir/ops.def"
#undef CAKE_UNARY
    CAKE_UNARY_COUNT
} cake_unary_op;

typedef enum cake_binary_op {
#define CAKE_BINARY(enumerator, spelling, level) CAKE_BINARY_##enumerator,
#include "ir/ops.def"
#undef CAKE_BINARY
    CAKE_BINARY_COUNT
} cake_binary_op;

typedef enum cake_atomic_op {
#define CAKE_ATOMIC(enumerator, spelling, operands) CAKE_ATOMIC_##enumerator,
#include "ir/ops.def"
#undef CAKE_ATOMIC
    CAKE_ATOMIC_COUNT
} cake_atomic_op;

typedef enum cake_builtin {
    CAKE_BUILTIN_NONE, /* a user-defined function */
#define CAKE_BUILTIN(enumerator, spelling, kind, min_args, max_args, modifiers, dtypes) CAKE_BUILTIN_##enumerator,
#include "ir/builtins.def"
#undef CAKE_BUILTIN
    CAKE_BUILTIN_END
} cake_builtin;

typedef enum cake_builtin_kind {
    CAKE_BUILTIN_KIND_ELEMENT,
    CAKE_BUILTIN_KIND_FOLD,
    CAKE_BUILTIN_KIND_SHAPE,
    CAKE_BUILTIN_KIND_INTEGER,
    CAKE_BUILTIN_KIND_COMBINE,
    CAKE_BUILTIN_KIND_DATA
} cake_builtin_kind;

#define CAKE_MODIFIER_APPROX 1u
#define CAKE_MODIFIER_FTZ    2u
#define CAKE_MODIFIER_NAN    4u

/* Dtypes as elementwise functions tell them apart. */
#define CAKE_OPERAND_NARROW   1u /* f16, bf16 */
#define CAKE_OPERAND_SINGLE   2u /* f32, real */
#define CAKE_OPERAND_DOUBLE   4u /* f64 */
#define CAKE_OPERAND_SIGNED   8u /* 8 to 64 bits, and index */
#define CAKE_OPERAND_UNSIGNED 16u

typedef struct cake_builtin_info {
    const char *name;
    cake_builtin_kind kind;
    uint8_t min_args, max_args;
    uint8_t modifiers; /* the legal ones */
    uint8_t dtypes;    /* CAKE_OPERAND_*, joined; 0 unless it is elementwise */
} cake_builtin_info;

const char *cake_unary_name(cake_unary_op op);
const char *cake_binary_name(cake_binary_op op);
int cake_binary_level(cake_binary_op op); /* 0: comparison */
const char *cake_atomic_name(cake_atomic_op op);
uint32_t cake_atomic_operand_count(cake_atomic_op op);
const cake_builtin_info *cake_builtin_info_of(cake_builtin builtin);
cake_builtin cake_builtin_find(const char *name); /* NONE if there is none */
/* The dtype's CAKE_OPERAND_*; 0: no function computes with it (bool, 8-bit floats, tf32, 4-bit integers). */
uint8_t cake_dtype_operand(cake_dtype dtype);
/* Whether the elementwise function exists with these modifiers on operands of this dtype. binary64 and integers have
 * neither .approx nor .ftz, integers no .nan, and fma.ftz is of binary32 alone. */
bool cake_builtin_has_form(cake_builtin builtin, uint8_t modifiers, cake_dtype dtype);

/* ---- expressions ---- */

typedef enum cake_expr_kind {
    CAKE_EXPR_INT,       /* integer */
    CAKE_EXPR_FLOAT,     /* real */
    CAKE_EXPR_INF,       /* - */
    CAKE_EXPR_NAN,       /* - */
    CAKE_EXPR_BOOL,      /* boolean */
    CAKE_EXPR_NAME,      /* name */
    CAKE_EXPR_UNARY,     /* unary */
    CAKE_EXPR_BINARY,    /* binary; comparisons are COMPARE */
    CAKE_EXPR_COMPARE,   /* compare: a chain a <= b < c, at least one operator */
    CAKE_EXPR_IN,        /* in: x in {..} or x in a .. b; 'left' may itself be a COMPARE */
    CAKE_EXPR_CAST,      /* cast */
    CAKE_EXPR_BITCAST,   /* cast, without clauses */
    CAKE_EXPR_RELAYOUT,  /* unary.operand */
    CAKE_EXPR_LOAD,      /* load */
    CAKE_EXPR_ATOMIC,    /* atomic */
    CAKE_EXPR_AWAIT,     /* await */
    CAKE_EXPR_INDEX,     /* index: base[items] */
    CAKE_EXPR_TRANSPOSE, /* unary.operand: base.T */
    CAKE_EXPR_AGE,       /* age: base@n */
    CAKE_EXPR_MEMBER,    /* member: base.name (ragged coordinate: group, row, rows) */
    CAKE_EXPR_PEER,      /* peer(place, rank) */
    CAKE_EXPR_CALL       /* call */
} cake_expr_kind;

/* a .. b (half open) or { a, b, .. } */
typedef struct cake_set {
    bool is_range;
    cake_expr_list items; /* two when is_range */
} cake_set;

typedef enum cake_item_kind {
    CAKE_ITEM_ALL,  /* :              */
    CAKE_ITEM_NONE, /* None           */
    CAKE_ITEM_ONE,  /* expr: a scalar drops the dimension, a tile gathers */
    CAKE_ITEM_RANGE /* base :+ length */
} cake_item_kind;

typedef struct cake_item {
    cake_item_kind kind;
    cake_expr *base;   /* ONE, RANGE */
    cake_expr *length; /* RANGE */
    cake_span span;
} cake_item;

typedef enum cake_clip { CAKE_CLIP_NO, CAKE_CLIP_YES } cake_clip;

/* Clauses of load and store. */
typedef struct cake_access_clauses {
    cake_expr *vec;        /* null: none */
    cake_clip clip;        /* the access is predicated by its bounds */
    cake_expr *clip_value; /* load: value of the lanes that are off; null: 0 */
    cake_expr *where;      /* mask, or null */
    cake_name cache;       /* evict_first, evict_last, ..; or null */
} cake_access_clauses;

typedef enum cake_scope { CAKE_SCOPE_DEFAULT, CAKE_SCOPE_CTA, CAKE_SCOPE_GPU, CAKE_SCOPE_SYS } cake_scope;
typedef enum cake_order { CAKE_ORDER_RELAXED, CAKE_ORDER_ACQUIRE, CAKE_ORDER_RELEASE, CAKE_ORDER_ACQ_REL } cake_order;
typedef enum cake_within { CAKE_WITHIN_TEAM, CAKE_WITHIN_LANE, CAKE_WITHIN_WARP } cake_within;
typedef enum cake_rounding { CAKE_ROUND_NEAREST_EVEN, CAKE_ROUND_TOWARD_ZERO } cake_rounding; /* default; 'round rz' */

typedef struct cake_argument {
    cake_name keyword; /* axis, stride, pad, dilation; null: positional */
    cake_expr *value;
    cake_within within;
    cake_expr_list over; /* workloads only: sum(x over k, q in a .. b): NAMEs, or INs of a name and a range */
} cake_argument;

struct cake_expr {
    cake_expr_kind kind;
    cake_span span;
    cake_type type; /* set by the resolver */
    union {
        struct {
            uint64_t value; /* literals have no sign; '-' is an operator */
            bool hexadecimal;
        } integer;
        double real;
        bool boolean;
        struct {
            cake_name text;
            cake_symbol *symbol; /* set by the resolver */
        } name;
        struct {
            cake_unary_op op; /* UNARY */
            cake_expr *operand;
        } unary; /* UNARY, RELAYOUT, TRANSPOSE */
        struct {
            cake_binary_op op;
            cake_expr *left, *right;
        } binary;
        struct {
            cake_expr_list operands; /* one more than ops */
            CAKE_VECTOR(cake_binary_op) ops;
        } compare;
        struct {
            cake_expr *left;
            cake_set set;
        } in;
        struct {
            cake_dtype dtype;
            cake_expr *operand;
            bool saturate;
            cake_rounding rounding;
        } cast; /* CAST, BITCAST */
        struct {
            cake_expr *place;
            cake_access_clauses clauses;
        } load;
        struct {
            cake_atomic_op op;
            cake_expr *place;
            cake_expr_list operands;
            cake_expr *where;
            cake_scope scope;
            cake_order order;
        } atomic;
        struct {
            cake_expr *place, *until;
            cake_expr_list from;
            cake_symbol *it; /* stands for the polled value in 'until'; set by the resolver */
        } await;
        struct {
            cake_expr *base;
            CAKE_VECTOR(cake_item) items;
        } index;
        struct {
            cake_expr *base;
            uint32_t age;
        } age;
        struct {
            cake_expr *base;
            cake_name name;
        } member;
        struct {
            cake_expr *place, *rank;
        } peer;
        struct {
            cake_name function;
            cake_span function_span;
            cake_builtin builtin; /* NONE: user-defined (set by the resolver) */
            uint8_t modifiers;    /* CAKE_MODIFIER_*; printed as .approx .ftz .nan in this order */
            CAKE_VECTOR(cake_argument) arguments;
            cake_symbol *symbol;  /* the user-defined function, also the first argument of reduce and scan */
            cake_expr *expansion; /* user-defined, or the combiner of reduce and scan: body with bound parameters */
            cake_expr *expansion_second;           /* second of a pair, or null */
            CAKE_VECTOR(cake_symbol *) parameters; /* of the expansion; for reduce and scan unbound (a .., b ..) */
        } call;
    } u;
};

/* ---- symbols ---- */

typedef enum cake_symbol_kind {
    CAKE_SYMBOL_CONST,      /* value */
    CAKE_SYMBOL_TUNE,       /* value: default; tune */
    CAKE_SYMBOL_DEFINITION, /* value: 'let' outside roles, evaluated where used */
    CAKE_SYMBOL_FUNCTION,   /* function */
    CAKE_SYMBOL_DIMENSION,  /* is_static */
    CAKE_SYMBOL_PARAMETER,  /* scalar parameter of a kernel or program */
    CAKE_SYMBOL_TENSOR,     /* parameter */
    CAKE_SYMBOL_TEMPORARY,  /* of a program */
    CAKE_SYMBOL_VIEW,       /* view */
    CAKE_SYMBOL_BUFFER,     /* buffer */
    CAKE_SYMBOL_PIPELINE,   /* pipeline */
    CAKE_SYMBOL_SIGNAL,     /* signal */
    CAKE_SYMBOL_BATON,      /* baton */
    CAKE_SYMBOL_ROLE,       /* role */
    CAKE_SYMBOL_KERNEL,     /* kernel */
    CAKE_SYMBOL_COORDINATE, /* tile coordinate; axis */
    CAKE_SYMBOL_TEAM_INDEX,
    CAKE_SYMBOL_CTA_RANK, /* 'cta' */
    CAKE_SYMBOL_LOOP_INDEX,
    CAKE_SYMBOL_LET,             /* 'let' in a role: value (null for a name of a pair: see pair) */
    CAKE_SYMBOL_VAR,             /* 'var' in a role */
    CAKE_SYMBOL_PARAMETER_VALUE, /* parameter of a user-defined function in an expansion: bound */
    CAKE_SYMBOL_IT
} cake_symbol_kind;

struct cake_symbol {
    cake_symbol_kind kind;
    cake_name name;
    cake_span span; /* where it is declared */
    cake_type type;
    uint32_t number;              /* unique in the module, from 1 */
    bool is_static;               /* DIMENSION: its value is asked for at compile time */
    cake_expr *value;             /* CONST, TUNE, DEFINITION, LET */
    cake_expr *bound;             /* PARAMETER_VALUE */
    uint32_t position;            /* COORDINATE: axis; LET: index in a pair; PARAMETER TENSOR ROLE: in its list */
    const struct cake_tune *tune; /* TUNE */
    const struct cake_definition *definition; /* DEFINITION, FUNCTION */
    const struct cake_parameter *parameter;   /* PARAMETER, TENSOR */
    const struct cake_temporary *temporary;
    const struct cake_view *view;
    const struct cake_buffer *buffer;
    const struct cake_pipeline *pipeline;
    const struct cake_signal *signal;
    const struct cake_baton *baton;
    const struct cake_role *role;
    cake_kernel *kernel;
};

/* ---- declarations ---- */

typedef struct cake_const {
    cake_name name;
    cake_span span;
    cake_expr *value;
    cake_symbol *symbol;
} cake_const;

typedef struct cake_tune {
    cake_name name;
    cake_span span;
    bool has_set;
    cake_set set;
    cake_expr *value; /* default */
    cake_symbol *symbol;
} cake_tune;

typedef struct cake_function_parameter {
    cake_name name;
    cake_span span;
} cake_function_parameter;

typedef struct cake_definition {
    cake_name name;
    cake_span span;
    bool is_function;
    CAKE_VECTOR(cake_function_parameter) parameters;
    cake_expr *value;
    cake_expr *second; /* of a pair, or null */
    cake_symbol *symbol;
} cake_definition;

/* dtype[extents], as written. */
typedef struct cake_written_type {
    cake_dtype dtype;
    cake_expr_list extents;
    cake_span span;
} cake_written_type;

typedef enum cake_parameter_mode { CAKE_PARAMETER_IN, CAKE_PARAMETER_OUT, CAKE_PARAMETER_INOUT } cake_parameter_mode;

typedef struct cake_parameter {
    cake_name name;
    cake_span span;
    cake_parameter_mode mode;
    cake_written_type type; /* no extents: scalar */
    bool has_strides;
    cake_expr_list strides; /* elements */
    cake_symbol *symbol;
} cake_parameter;

typedef CAKE_VECTOR(cake_parameter *) cake_parameter_list;

typedef enum cake_fact_kind { CAKE_FACT_CONDITION, CAKE_FACT_STATIC, CAKE_FACT_DETERMINISTIC } cake_fact_kind;

typedef struct cake_fact {
    cake_fact_kind kind;
    cake_span span;
    cake_expr *condition; /* CONDITION */
    cake_name name;       /* STATIC */
} cake_fact;

typedef CAKE_VECTOR(cake_fact) cake_fact_list;

typedef struct cake_axis {
    cake_name name;
    cake_span span;
    cake_expr *extent; /* plain axis */
    cake_name ragged;  /* offsets tensor of a ragged axis, or null */
    cake_span ragged_span;
    cake_expr *ragged_block; /* rows of a block */
    cake_symbol *ragged_symbol;
    cake_symbol *symbol; /* of the coordinate; one per axis, shared by every 'for tile' that names it */
} cake_axis;

typedef struct cake_grid {
    cake_span span;
    bool persistent;
    uint32_t ctas_per_sm; /* persistent n; 1 if not written */
    CAKE_VECTOR(cake_axis) axes;
    cake_name order; /* row, grouped, snake, reverse; null: row */
    cake_span order_span;
    cake_expr_list order_arguments; /* axis names are NAME expressions */
    cake_name claim;
    cake_span claim_span;
    cake_symbol *claim_symbol;
    uint32_t cluster; /* CTAs; 0: none */
    cake_name cluster_axis;
    cake_span cluster_span;
} cake_grid;

typedef struct cake_role {
    cake_name name;
    cake_span span;
    bool warpgroups; /* unit of count */
    cake_expr *count;
    cake_expr *registers; /* or null */
    bool leader;
    cake_symbol *symbol;
    const struct cake_role_body *body; /* set by the resolver */
} cake_role;

typedef struct cake_named_reference {
    cake_name name;
    cake_span span;
    cake_symbol *symbol;
} cake_named_reference;

typedef struct cake_buffer {
    cake_name name;
    cake_span span;
    bool tensor_memory;
    cake_written_type type;
    cake_expr *swizzle, *pad, *align;     /* or null */
    cake_named_reference over;            /* name null: none */
    const struct cake_pipeline *pipeline; /* or null */
    cake_symbol *symbol;
} cake_buffer;

typedef struct cake_pipeline {
    cake_name name;
    cake_span span;
    cake_expr *stages;
    cake_named_reference producer;
    CAKE_VECTOR(cake_named_reference) consumers;
    CAKE_VECTOR(cake_buffer *) buffers;
    cake_symbol *symbol;
} cake_pipeline;

typedef struct cake_signal {
    cake_name name;
    cake_span span;
    cake_expr *count;
    cake_symbol *symbol;
} cake_signal;

typedef struct cake_baton {
    cake_name name;
    cake_span span;
    cake_named_reference role;
    cake_symbol *symbol;
} cake_baton;

typedef struct cake_view {
    cake_name name;
    cake_span span;
    cake_written_type type;
    cake_expr *value; /* tensor, buffer or im2col(...) */
    bool has_strides;
    cake_expr_list strides;
    cake_symbol *symbol;
} cake_view;

typedef struct cake_block {
    CAKE_VECTOR(cake_stmt *) statements;
    cake_span span; /* with the braces */
} cake_block;

typedef struct cake_role_body {
    cake_named_reference role;
    cake_span span;
    cake_name team; /* null: the whole role is one team */
    cake_span team_span;
    cake_symbol *team_symbol;
    cake_block block;
} cake_role_body;

/* ---- statements ---- */

typedef enum cake_stmt_kind {
#define CAKE_STATEMENT(enumerator, spelling, executor) CAKE_STMT_##enumerator,
#include "ir/ops.def"
#undef CAKE_STATEMENT
    CAKE_STMT_COUNT
} cake_stmt_kind;

typedef enum cake_executor {
    CAKE_EXECUTOR_NONE,
    CAKE_EXECUTOR_TEAM,
    CAKE_EXECUTOR_LANE,
    CAKE_EXECUTOR_WARP
} cake_executor;

const char *cake_stmt_name(cake_stmt_kind kind);
cake_executor cake_stmt_executor(cake_stmt_kind kind);

struct cake_stmt {
    cake_stmt_kind kind;
    cake_span span;
    union {
        struct {
            CAKE_VECTOR(cake_function_parameter) names; /* one, or two for a pair */
            cake_expr *value;
            cake_symbol *symbols[2];
        } let;
        struct {
            cake_name name;
            cake_span name_span;
            bool has_type;
            cake_written_type type;
            cake_expr *value; /* or null */
            cake_symbol *symbol;
        } var;
        struct {
            cake_expr *place;
            bool add; /* += */
            cake_expr *value;
        } assign;
        struct {
            CAKE_VECTOR(cake_named_reference) coordinates; /* symbols: those of the grid's axes */
            cake_block body;
        } for_tile;
        struct {
            cake_name name;
            cake_span name_span;
            cake_expr *from, *to, *step; /* step null: 1 */
            bool unroll;
            cake_expr *unroll_by; /* null: wholly */
            cake_symbol *symbol;
            cake_block body;
        } loop;
        struct {
            cake_expr *condition, *bound;
            cake_block body;
        } loop_while;
        struct {
            cake_expr *condition;
            cake_block then, otherwise; /* 'else if' is a block of one IF */
            bool has_else;
        } branch;
        struct {
            cake_named_reference object; /* pipeline or baton */
            cake_expr *keep;             /* RELEASE */
        } object;                        /* ACQUIRE COMMIT WAIT RELEASE TAKE PASS */
        struct {
            cake_expr *place; /* signal, or peer(signal, rank) */
        } signal;             /* ARRIVE AWAIT_SIGNAL */
        struct {
            cake_expr *value;
        } evaluate;
        struct {
            cake_expr *to, *from;
            bool multicast;
            cake_access_clauses clauses; /* cache; clip for ASYNC_LOAD */
            cake_name reduce;            /* TMA_REDUCE: add, min, max, .. */
        } copy;                          /* TMA_LOAD ASYNC_LOAD TMA_STORE TMA_REDUCE */
        struct {
            cake_expr *place, *value;
            cake_access_clauses clauses;
        } store;
        struct {
            cake_expr *accumulator, *x, *y; /* as written: y with .T where it was */
            bool add;                       /* += */
            bool pair;
        } matrix; /* MMA WGMMA TCGEN05_MMA */
        struct {
            cake_expr *count;
        } wait; /* WGMMA_WAIT BULK_WAIT BULK_WAIT_READ */
        struct {
            cake_expr_list conditions;
        } facts; /* ASSUME CHECK */
    } u;
};

/* ---- kernels, programs, module ---- */

/* Declarations keep their order for printing: each row names the kind and the index into that kind's list. */
typedef enum cake_declaration_kind {
    CAKE_DECLARATION_TARGET,
    CAKE_DECLARATION_CONST,
    CAKE_DECLARATION_TUNE,
    CAKE_DECLARATION_DEFINITION,
    CAKE_DECLARATION_WHERE,
    CAKE_DECLARATION_GRID,
    CAKE_DECLARATION_ROLES,
    CAKE_DECLARATION_PIPELINE,
    CAKE_DECLARATION_BATON,
    CAKE_DECLARATION_SIGNAL,
    CAKE_DECLARATION_VIEW,
    CAKE_DECLARATION_BUFFER,
    CAKE_DECLARATION_ROLE,
    CAKE_DECLARATION_ASSUME,
    CAKE_DECLARATION_CHECK
} cake_declaration_kind;

typedef struct cake_declaration {
    cake_declaration_kind kind;
    uint32_t first, count; /* rows in the list of that kind; a 'const A = 1, B = 2' has count 2 */
    cake_span span;
} cake_declaration;

/* What both a file and a kernel may declare. */
typedef struct cake_common {
    CAKE_VECTOR(cake_const *) constants;
    CAKE_VECTOR(cake_tune *) tunes;
    CAKE_VECTOR(cake_definition *) definitions;
    CAKE_VECTOR(cake_declaration) order;
} cake_common;

struct cake_kernel {
    cake_name name;
    cake_span span;
    cake_symbol *symbol;
    cake_common common;
    cake_parameter_list parameters;
    cake_fact_list facts;
    CAKE_VECTOR(cake_symbol *) dimensions; /* in order of first appearance in the shapes; set by the resolver */
    cake_grid *grid;                       /* null only after an error */
    CAKE_VECTOR(cake_role *) roles;
    CAKE_VECTOR(cake_pipeline *) pipelines;
    CAKE_VECTOR(cake_baton *) batons;
    CAKE_VECTOR(cake_signal *) signals;
    CAKE_VECTOR(cake_view *) views;
    CAKE_VECTOR(cake_buffer *) buffers; /* plain ones; a pipeline's are in the pipeline */
    CAKE_VECTOR(cake_role_body *) bodies;
    cake_expr_list assumes, checks;
};

typedef struct cake_temporary {
    cake_name name;
    cake_span span;
    cake_written_type type;
    cake_symbol *symbol;
} cake_temporary;

typedef enum cake_step_kind { CAKE_STEP_TEMPORARY, CAKE_STEP_FILL, CAKE_STEP_RUN } cake_step_kind;

typedef struct cake_step {
    cake_step_kind kind;
    cake_span span;
    cake_temporary *temporary;   /* TEMPORARY */
    cake_named_reference object; /* FILL: tensor or temporary; RUN: kernel */
    cake_expr *fill_value;       /* FILL */
    cake_expr_list arguments;    /* RUN: names */
    bool overlap;                /* RUN */
} cake_step;

typedef struct cake_program {
    cake_name name;
    cake_span span;
    cake_parameter_list parameters;
    cake_fact_list facts;
    CAKE_VECTOR(cake_symbol *) dimensions;
    CAKE_VECTOR(cake_step) steps;
} cake_program;

typedef struct cake_module {
    cake_arena *arena;
    cake_interner names;
    const cake_source *source;
    cake_target target; /* NONE after an error */
    cake_span target_span;
    cake_common common;
    CAKE_VECTOR(cake_kernel *) kernels;
    CAKE_VECTOR(cake_program *) programs;
    uint32_t symbol_count; /* numbers run from 1 to this */
} cake_module;

/* The type both operands of an elementwise operation are converted to: index and real give way to any other dtype, real
 * wins over index; ranks must be equal or one of them 0. ERROR where there is none. */
cake_type cake_type_common(cake_type left, cake_type right);

#endif
