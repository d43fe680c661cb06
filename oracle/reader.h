/* Reading a workload: the state of one parse, its scope, and how trees are made. workload.c and read_judge.c read
 * lines, resolve.c names and operators, resolve_call.c functions and folds. */
#ifndef CAKE_ORACLE_READER_H
#define CAKE_ORACLE_READER_H

#include "oracle/program.h"

typedef enum cake_entry_kind {
    CAKE_ENTRY_DIMENSION, /* number */
    CAKE_ENTRY_TENSOR,    /* number */
    CAKE_ENTRY_LET,       /* number */
    CAKE_ENTRY_INDEX      /* binder */
} cake_entry_kind;

typedef struct cake_scope_entry {
    cake_name name;
    cake_span span;
    cake_entry_kind kind;
    uint32_t number;
    cake_binder *binder;
} cake_scope_entry;

/* State of parsing one workload. */
typedef struct cake_reader {
    cake_arena *arena;
    cake_diagnostics *diagnostics;
    cake_interner names;
    cake_parser *parser;
    cake_workload *workload;
    cake_workload_body *body;
    CAKE_VECTOR(cake_scope_entry) scope;
    bool constants_only; /* only dimensions may be named */
    bool declares;       /* and unknown names become dimensions */
    bool judges;         /* outputs and inouts may be named: as they were written */
    bool full;           /* the limit of nodes was reported */
    uint32_t depth;      /* of the expression being resolved */
} cake_reader;

/* ---- scope ---- */

/* Declares a name; reports one that is taken. False when it was not declared. */
bool cake_reader_declare(cake_reader *reader, cake_scope_entry entry);
const cake_scope_entry *cake_reader_lookup(const cake_reader *reader, cake_name name);
/* The dimension of that name, declared if it is new; -1 when something else has the name (reported). */
int64_t cake_reader_dimension(cake_reader *reader, cake_name name, cake_span span);

/* Declares a binder as an index name with a slot of its own. Without a range it takes that of the dimension whose name
 * is its own in upper case, if there is one. The binder must not move while it is in scope. */
bool cake_reader_bind(cake_reader *reader, cake_binder *binder);
/* Reads NAME or NAME in a .. b into a binder and binds it; false after an error. */
bool cake_reader_binder(cake_reader *reader, const cake_expr *expr, cake_binder *binder);
/* Takes back what was declared since the scope had 'count' entries. */
void cake_reader_unbind(cake_reader *reader, uint32_t count);
/* Reports a binder that is still without a range. */
bool cake_reader_require_range(cake_reader *reader, const cake_binder *binder);

/* ---- pieces of lines; false after an error (reported) ---- */

/* NAME or NAME in a .. b, between brackets; none if there is no bracket. */
bool cake_reader_axis_list(cake_reader *reader, cake_expr_list *out_list);
/* Binds written names of axes. The items of 'axes' have places for them; with a tensor its extents are the ranges. */
bool cake_reader_bind_axes(cake_reader *reader, const cake_expr_list *names, const cake_tensor_body *tensor,
                           cake_binder_list *axes);

/* read_judge.c, all behind their first word: 'holds' of an output, and the lines 'property' and 'domain'. */
bool cake_reader_holds(cake_reader *reader, cake_dtype dtype, cake_tensor_body *body);
bool cake_reader_property(cake_reader *reader);
bool cake_reader_domain(cake_reader *reader);

/* ---- trees ---- */

/* An expression's tree, or null after an error (reported). */
const cake_node *cake_reader_resolve(cake_reader *reader, const cake_expr *expr);
/* The same for an expression over dimensions only. With 'declares', unknown names become dimensions. */
const cake_node *cake_reader_resolve_constant(cake_reader *reader, const cake_expr *expr, bool declares);
/* A call of a built-in function or a fold. */
const cake_node *cake_reader_resolve_call(cake_reader *reader, const cake_expr *expr);

cake_node *cake_node_new(cake_reader *reader, cake_node_kind kind, cake_node_class class, cake_span span);
void cake_node_add(cake_reader *reader, cake_node *node, const cake_node *operand);
/* Accounts for a tree that evaluating 'node' enters behind its operands: the body of a let. */
void cake_node_enter(cake_reader *reader, cake_node *node, const cake_node *body);
const cake_node *cake_node_cast(cake_reader *reader, cake_dtype dtype, const cake_node *value);

/* Reports what workloads lack; null. */
const cake_node *cake_reader_unavailable(cake_reader *reader, cake_span span, const char *what);
/* Reports a number where a condition is wanted, or the other way round. */
bool cake_reader_require_class(cake_reader *reader, const cake_node *node, bool condition, const char *what);

#endif
