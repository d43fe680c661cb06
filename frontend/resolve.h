/* What the files of the resolver share.
 *
 * The work is done in two walks over each expression. Binding gives every name its symbol in the scope where the text
 * stands; typing gives every expression its type and expands calls. They are apart because the body of a user-defined
 * function is bound once, where it is defined, and typed once per call, in a copy.
 *
 * An expression of type ERROR has been reported; whoever meets one stays silent.
 *
 *     resolve.c              entry, file level
 *     resolve_scope.c        names: scopes, declaring, looking up, suggesting
 *     resolve_walk.c         the children of an expression: binding, copying, when a value is known
 *     resolve_report.c       wording of types and the fixes that many checks share
 *     resolve_expression.c   operators and names
 *     resolve_place.c        places in memory and what reads them: indices, load, atomics, await
 *     resolve_builtin.c      built-in functions
 *     resolve_call.c         user-defined functions, reduce and scan
 *     resolve_shape.c        parameters, dimensions, contract; what kernels and programs share
 *     resolve_kernel.c       declarations of a kernel
 *     resolve_statement.c    statements: names, control, synchronisation
 *     resolve_transfer.c     statements that move or multiply: copies, store, matrix units
 *     resolve_program.c      programs
 */
#ifndef CAKE_FRONTEND_RESOLVE_H
#define CAKE_FRONTEND_RESOLVE_H

#include "frontend/internal.h"

/* Deepest tree that is walked, calls expanded. The parser's nesting limit does not bound 'a + b + c + ..'. */
#define CAKE_RESOLVE_MAX_DEPTH 1500
/* Longer lists are errors, so that looking through one is no matter of time. A CTA has 32 warps. */
#define CAKE_RESOLVE_MAX_ROLES     64
#define CAKE_RESOLVE_MAX_ARGUMENTS 64

/* ---- state ---- */

/* When the value of an expression is known. Ordered. */
typedef enum cake_time {
    CAKE_TIME_COMPILE, /* literals, constants, tunables, statics */
    CAKE_TIME_LAUNCH,  /* dimensions, scalar parameters, contents of tensors in a contract */
    CAKE_TIME_DEVICE
} cake_time;

typedef enum cake_progress { CAKE_PROGRESS_NONE, CAKE_PROGRESS_RUNNING, CAKE_PROGRESS_DONE } cake_progress;

/* What is known of a symbol beside the module. */
typedef struct cake_symbol_note {
    cake_progress progress; /* of its value (CONST TUNE DEFINITION VIEW) or expansion (FUNCTION) */
    cake_time time;
    bool needs_tile; /* uses a coordinate of a persistent grid: meaningful inside 'for tile' only */
} cake_symbol_note;

/* Roles and kernels are named only where nothing else can stand, so they share no names with the rest. */
typedef enum cake_namespace { CAKE_SPACE_VALUE, CAKE_SPACE_ROLE, CAKE_SPACE_KERNEL, CAKE_SPACE_COUNT } cake_namespace;

typedef struct cake_binding {
    cake_name name;
    cake_symbol *symbols[CAKE_SPACE_COUNT]; /* in scope, or null */
    uint32_t contract;                      /* number of the last contract that mentions the name */
} cake_binding;

/* Where an expression stands: decides whether places can be read without 'load' and what may be executed. */
typedef enum cake_where {
    CAKE_WHERE_DECLARATION, /* constants, shapes, grid, resources: no memory at all */
    CAKE_WHERE_CONTRACT,    /* a tensor's name means its contents */
    CAKE_WHERE_DEFINITION,  /* 'let' outside roles: pure */
    CAKE_WHERE_ROLE
} cake_where;

typedef struct cake_resolver {
    cake_module *module;
    cake_arena *arena;
    cake_diagnostics *diagnostics;

    cake_binding *bindings; /* open addressing by name, a power of two */
    uint32_t binding_capacity, binding_count;
    CAKE_VECTOR(cake_symbol *) live;          /* in the order of their declaration; scopes are marks in it */
    CAKE_VECTOR(cake_symbol_note) notes;      /* by symbol number */
    CAKE_VECTOR(const cake_expr *) expanding; /* calls of user-defined functions, the innermost last */

    cake_where where;
    cake_kernel *kernel; /* being resolved, or null */
    const cake_program *program;
    const cake_role *role;      /* whose body is being resolved, or null */
    bool in_tile;               /* inside 'for tile' */
    uint32_t features_reported; /* missing ones, reported once a kernel */
    uint32_t depth;
    uint32_t expansion_nodes;
    uint32_t contract; /* number of the present one, see cake_binding */
    bool given_up;     /* a limit was exceeded and reported: the rest of the expressions stays untyped */
} cake_resolver;

/* ---- resolve_scope.c ---- */

uint32_t cake_resolve_scope_enter(const cake_resolver *resolver);
void cake_resolve_scope_leave(cake_resolver *resolver, uint32_t mark);

/* A new symbol, in scope until the scope is left. Reports a reserved name and one that is in scope already; the symbol
 * is then made, but cannot be found. */
cake_symbol *cake_resolve_declare(cake_resolver *resolver, cake_symbol_kind kind, cake_name name, cake_span span);
cake_symbol_note *cake_resolve_note(cake_resolver *resolver, const cake_symbol *symbol);

/* Null if there is none. */
cake_symbol *cake_resolve_find(const cake_resolver *resolver, cake_namespace space, cake_name name);
/* Reports an unknown name, with what it may have been meant to be; 'what' as in "a role". */
cake_symbol *cake_resolve_lookup(cake_resolver *resolver, cake_namespace space, cake_name name, cake_span span,
                                 const char *what);
/* A symbol of one kind under a reference; null after an error. Sets reference->symbol. */
cake_symbol *cake_resolve_reference(cake_resolver *resolver, cake_named_reference *reference, cake_symbol_kind kind);
const char *cake_resolve_kind_text(cake_symbol_kind kind); /* "a pipeline" */

/* Remembers that the contract being resolved mentions a name; whether it does. */
void cake_resolve_mention(cake_resolver *resolver, cake_name name);
bool cake_resolve_is_mentioned(const cake_resolver *resolver, cake_name name);

/* Did you mean: nearest of the words to name, or null. */
typedef struct cake_nearest {
    const char *name, *best;
    uint32_t distance;
} cake_nearest;
void cake_resolve_nearest(cake_nearest *nearest, const char *candidate);

/* ---- resolve_walk.c ---- */

typedef void cake_expr_visit(void *context, cake_expr **child);
void cake_resolve_children(cake_expr *expr, cake_expr_visit *visit, void *context);

/* Gives the names in an expression their symbols, in the present scope. Null is allowed. */
void cake_resolve_bind(cake_resolver *resolver, cake_expr *expr);

/* A copy of a definition's value, with parameters[i] in place of the definition's i-th parameter. Null when the limit
 * of the module is exceeded (reported). */
cake_expr *cake_resolve_copy(cake_resolver *resolver, const cake_expr *expr, const cake_definition *definition,
                             cake_symbol *const *parameters, cake_span call);

/* When a typed expression is known, and whether it needs a tile. */
cake_time cake_resolve_time(cake_resolver *resolver, cake_expr *expr, bool *out_needs_tile);

/* Counts a level of recursion; false at the limit (reported). */
bool cake_resolve_descend(cake_resolver *resolver, cake_span span);
void cake_resolve_ascend(cake_resolver *resolver);

/* ---- resolve_report.c ---- */

/* cake_report with the path (kernel/role) and a note for each call that is being expanded. */
cake_diagnostic *cake_resolve_report(cake_resolver *resolver, cake_diagnostic_code code, cake_span span,
                                     const char *format, ...) CAKE_PRINTF(4, 5);
void cake_resolve_declared_note(cake_resolver *resolver, cake_diagnostic *diagnostic, const cake_symbol *symbol);
const char *cake_resolve_type_text(cake_resolver *resolver, cake_type type); /* "a bf16 tile of rank 2" */
/* Source text of an expression, in parentheses unless it needs none as an operand of a prefix. */
const char *cake_resolve_operand_text(cake_resolver *resolver, const cake_expr *expr);
void cake_resolve_cast_fix(cake_resolver *resolver, cake_diagnostic *diagnostic, const cake_expr *expr,
                           cake_dtype dtype);
/* Reports that the target lacks a feature, once a kernel. */
void cake_resolve_need(cake_resolver *resolver, uint32_t feature, cake_span span, const char *what);
/* Reports that a construct stands in a kernel without a cluster. */
void cake_resolve_need_cluster(cake_resolver *resolver, cake_span span, const char *what);

/* ---- resolve_expression.c ---- */

cake_type cake_resolve_error(void);
cake_type cake_resolve_value_type(cake_dtype dtype, uint32_t rank);
bool cake_resolve_is_error(cake_type type);
bool cake_resolve_is_integer(cake_dtype dtype); /* index too */
bool cake_resolve_is_float(cake_dtype dtype);   /* real too */

/* Types an expression: sets and gives its type. It must be bound. */
cake_type cake_resolve_type(cake_resolver *resolver, cake_expr *expr);
/* Types it and asks for a value; a place is reported, outside contracts. */
cake_type cake_resolve_value(cake_resolver *resolver, cake_expr *expr);
/* The same for an expression that is typed already. */
cake_type cake_resolve_as_value(cake_resolver *resolver, const cake_expr *expr);
/* Types it and asks for an integer scalar, a bool scalar, a bool, an integer known at that time. 'what' as in "the
 * step". */
bool cake_resolve_integer(cake_resolver *resolver, cake_expr *expr, const char *what);
bool cake_resolve_condition(cake_resolver *resolver, cake_expr *expr, const char *what);
bool cake_resolve_integer_at(cake_resolver *resolver, cake_expr *expr, cake_time latest, const char *what);
/* Reports what is known too late. */
bool cake_resolve_known_at(cake_resolver *resolver, cake_expr *expr, cake_time latest, const char *what);

/* The type in which two operands meet. Reports and gives ERROR if there is none. */
cake_type cake_resolve_meet(cake_resolver *resolver, cake_span span, const cake_expr *left, cake_type left_type,
                            const cake_expr *right, cake_type right_type);
/* Whether a value may stand where 'wanted' is asked for: its dtype or a literal of one that gives way, its rank or a
 * scalar. Reports; 'what' as in "the place". */
bool cake_resolve_fits(cake_resolver *resolver, const cake_expr *value, cake_type type, cake_type wanted,
                       const char *what);

/* ---- resolve_place.c ---- */

typedef enum cake_access {
    CAKE_ACCESS_READ,
    CAKE_ACCESS_COPY, /* read by tma.load */
    CAKE_ACCESS_WRITE
} cake_access;

/* The symbol whose memory a place is part of (as written: maybe a view), or null. */
cake_symbol *cake_resolve_root(const cake_expr *place);
/* The tensor, buffer or temporary behind a view; the symbol itself otherwise. */
cake_symbol *cake_resolve_memory(cake_symbol *symbol);
/* Types a place and asks for memory that may be accessed so here; ERROR after a report. */
cake_type cake_resolve_place(cake_resolver *resolver, cake_expr *place, cake_access access);
/* Whether memory may be accessed so here, by this role; reports. */
bool cake_resolve_may_access(cake_resolver *resolver, const cake_expr *place, cake_access access);
cake_type cake_resolve_index(cake_resolver *resolver, cake_expr *expr);
cake_type cake_resolve_transpose(cake_resolver *resolver, cake_expr *expr);
cake_type cake_resolve_age(cake_resolver *resolver, cake_expr *expr);
cake_type cake_resolve_member(cake_resolver *resolver, cake_expr *expr);
cake_type cake_resolve_peer(cake_resolver *resolver, cake_expr *expr);
cake_type cake_resolve_load(cake_resolver *resolver, cake_expr *expr);
cake_type cake_resolve_atomic(cake_resolver *resolver, cake_expr *expr);
cake_type cake_resolve_await(cake_resolver *resolver, cake_expr *expr);
/* vec, where, cache of an access to a place of that type. */
void cake_resolve_clauses(cake_resolver *resolver, cake_access_clauses *clauses, cake_type place, cake_span span);

/* ---- resolve_builtin.c, resolve_call.c ---- */

cake_type cake_resolve_call(cake_resolver *resolver, cake_expr *expr); /* in resolve_call.c */
cake_type cake_resolve_builtin(cake_resolver *resolver, cake_expr *expr);
cake_type cake_resolve_combine(cake_resolver *resolver, cake_expr *expr); /* reduce, scan */
/* Whether a call gives two values. */
bool cake_resolve_is_pair(const cake_expr *expr);
/* Number of positional arguments; reports keywords other than those listed (null ends the list) and repeated ones. */
uint32_t cake_resolve_positional(cake_resolver *resolver, cake_expr *call, const char *const *keywords);
cake_argument *cake_resolve_keyword(cake_expr *call, const char *keyword); /* null: not given */
/* Whether some argument is followed by 'within'. */
bool cake_resolve_has_within(const cake_expr *call);
/* The rank that axis= leaves of 'rank' (all axes without it, unless it is required); false after a report. */
bool cake_resolve_axis(cake_resolver *resolver, cake_expr *call, uint32_t rank, bool required);

/* ---- resolve_shape.c ---- */

/* A list of expressions that must be integers known at that time. */
void cake_resolve_extents(cake_resolver *resolver, const cake_expr_list *extents, cake_time latest, const char *what);
/* Type of memory with written extents; checks the rank. */
cake_type cake_resolve_memory_type(cake_resolver *resolver, const cake_written_type *type);
/* dtype[extents] of a buffer, tile or temporary, bound and typed. */
cake_type cake_resolve_written_type(cake_resolver *resolver, const cake_written_type *type, cake_time latest);

/* The parts of a kernel and of a program that are alike. */
typedef struct cake_signature {
    cake_parameter *const *parameters;
    uint32_t parameter_count;
    cake_fact *facts;
    uint32_t fact_count;
} cake_signature;
typedef CAKE_VECTOR(cake_symbol *) cake_symbol_list;

void cake_resolve_parameters(cake_resolver *resolver, cake_signature signature);
/* Declares the dimensions that the shapes introduce, and marks the static ones; appends to the list. */
void cake_resolve_dimensions(cake_resolver *resolver, cake_signature signature, cake_symbol_list *out_dimensions);
void cake_resolve_shapes(cake_resolver *resolver, cake_signature signature);
void cake_resolve_facts(cake_resolver *resolver, cake_signature signature);

/* ---- the larger parts ---- */

void cake_resolve_common_declare(cake_resolver *resolver, cake_common *common); /* constants and tunables */
void cake_resolve_common_define(cake_resolver *resolver, cake_common *common);  /* names of definitions */
void cake_resolve_common(cake_resolver *resolver, cake_common *common);         /* values of all of them */
/* The value of a constant, tunable, definition or view, if it is not resolved yet. */
void cake_resolve_symbol(cake_resolver *resolver, cake_symbol *symbol, cake_span use);

void cake_resolve_view(cake_resolver *resolver, cake_symbol *symbol); /* sets the type */
void cake_resolve_kernel(cake_resolver *resolver, cake_kernel *kernel);
void cake_resolve_body(cake_resolver *resolver, cake_role_body *body);
void cake_resolve_transfer(cake_resolver *resolver, cake_stmt *stmt); /* copies, store, matrix statements */
void cake_resolve_program(cake_resolver *resolver, cake_program *program);

#endif
