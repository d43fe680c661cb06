/* A workload, resolved: what its expressions mean, as trees over numbered slots.
 *
 * Every index name that is bound anywhere (an output's axes, a let's parameters, the names behind 'over') has a slot of
 * its own, so evaluation keeps one array of slots and no scopes. A name may be used only below its declaration; hence a
 * let never reaches itself, and no tree is entered again while it is being evaluated.
 *
 * Invariants of a workload without errors: operand counts fit the kind; classes fit the operator; every binder has a
 * range; 'height' (through lets) is at most CAKE_ORACLE_MAX_HEIGHT and bounds the recursion of all passes.
 */
#ifndef CAKE_ORACLE_PROGRAM_H
#define CAKE_ORACLE_PROGRAM_H

#include "frontend/frontend.h"
#include "oracle/oracle.h"

#define CAKE_ORACLE_MAX_HEIGHT 500
#define CAKE_ORACLE_MAX_NODES  100000
#define CAKE_ORACLE_MAX_NAMES  2000

typedef enum cake_node_kind {
    CAKE_NODE_CONSTANT,  /* constant */
    CAKE_NODE_DIMENSION, /* number: in workload->dimensions */
    CAKE_NODE_VARIABLE,  /* number: slot */
    CAKE_NODE_ELEMENT,   /* number: tensor; operands: one index per axis */
    CAKE_NODE_CALL,      /* number: let; operands: its arguments */
    CAKE_NODE_UNARY,     /* unary */
    CAKE_NODE_BINARY,    /* binary */
    CAKE_NODE_COMPARE,   /* comparisons: one fewer than operands */
    CAKE_NODE_MEMBER_OF, /* operands[0] equals one of the others */
    CAKE_NODE_FUNCTION,  /* builtin, modifiers */
    CAKE_NODE_CAST,      /* dtype, saturate, toward_zero */
    CAKE_NODE_BITCAST,   /* from operand's dtype to dtype */
    CAKE_NODE_REDUCE     /* fold; operands[0]: what is folded over binders */
} cake_node_kind;

/* Integers are exact, '/' and '%' of two of them round down; reals are what a kernel computes in floats. */
typedef enum cake_node_class { CAKE_NODE_INTEGER, CAKE_NODE_REAL, CAKE_NODE_BOOL } cake_node_class;

typedef enum cake_fold {
    CAKE_FOLD_SUM,
    CAKE_FOLD_PROD,
    CAKE_FOLD_MAX,
    CAKE_FOLD_MIN,
    CAKE_FOLD_ARGMAX,
    CAKE_FOLD_ARGMIN,
    CAKE_FOLD_ANY,
    CAKE_FOLD_ALL,
    CAKE_FOLD_COUNT
} cake_fold;

typedef struct cake_node cake_node;

/* An index name and the integers that it runs through, from <= i < to. */
typedef struct cake_binder {
    cake_name name; /* null: an axis of an output that has no name */
    cake_span span;
    uint32_t slot;
    const cake_node *from, *to; /* from null: 0 */
} cake_binder;

typedef CAKE_VECTOR(cake_binder) cake_binder_list;

struct cake_node {
    cake_node_kind kind;
    cake_node_class class;
    cake_dtype dtype; /* ELEMENT, CAST, BITCAST: of the value; else NONE */
    cake_span span;
    uint32_t number;
    uint32_t height; /* 1 for a leaf */
    uint32_t frames; /* scratch vectors that evaluation needs at once */
    bool reduces;    /* holds a REDUCE, or a CALL of a let that does */
    bool written;    /* ELEMENT: as the kernel left it, not as it was made */
    CAKE_VECTOR(const cake_node *) operands;
    union {
        double constant;
        cake_unary_op unary;
        cake_binary_op binary;
        const cake_binary_op *comparisons;
        struct {
            cake_builtin builtin;
            uint8_t modifiers;
        } function;
        struct {
            bool saturate, toward_zero;
        } cast;
        struct {
            cake_fold fold;
            bool keep_nan;     /* MAX, MIN: .nan */
            bool narrow_terms; /* SUM of products of 8-bit floats: matrix units accumulate them in few bits */
            cake_binder_list binders;
            CAKE_VECTOR(uint32_t) free; /* slots of names bound further out that the fold depends on */
        } reduce;
    } u;
};

typedef enum cake_distribution {
    CAKE_DISTRIBUTION_NONE, /* a value is given, or it is an output */
    CAKE_DISTRIBUTION_NORMAL,
    CAKE_DISTRIBUTION_UNIFORM,
    CAKE_DISTRIBUTION_INTEGERS,
    CAKE_DISTRIBUTION_CONSTANT,
    CAKE_DISTRIBUTION_INDEX
} cake_distribution;

/* |got - want| <= absolute + relative * |want|; both null: derived. Constant. */
typedef struct cake_tolerance {
    const cake_node *absolute, *relative;
} cake_tolerance;

/* The elements of an output, in any order: a value for each index where 'where' holds, and 'rest' in what remains. */
typedef struct cake_collection {
    bool once; /* equal values count once */
    cake_binder_list binders;
    const cake_node *value;
    const cake_node *where; /* null: everywhere */
    const cake_node *rest;  /* constant; null: nothing remains */
} cake_collection;

/* The private half of a cake_workload_tensor; same place in its list. */
typedef struct cake_tensor_body {
    CAKE_VECTOR(const cake_node *) extents; /* constant: dimensions only */
    cake_distribution distribution;
    const cake_node *arguments[2]; /* of the distribution; constant */
    cake_binder_list axes;         /* names of the expression's indices */
    const cake_node *value;        /* INPUT: its data; else its reference, or null */
    const cake_collection *holds;  /* instead of a reference, or null */
    bool in_property;              /* a property reads what was written */
    cake_tolerance tolerance;
} cake_tensor_body;

/* What must hold of outputs, for each index. Indices count from 0. */
typedef struct cake_property {
    cake_name name;
    cake_span span;
    cake_binder_list axes;
    const cake_node *condition;
} cake_property;

typedef struct cake_let {
    cake_name name;
    cake_span span;
    cake_binder_list axes;
    const cake_node *value;
} cake_let;

typedef struct cake_shape_entry {
    uint32_t dimension;
    const cake_node *value; /* constant; may use dimensions given before */
} cake_shape_entry;

typedef struct cake_shape {
    cake_name name;
    cake_span span;
    CAKE_VECTOR(cake_shape_entry) entries;
} cake_shape;

struct cake_workload_body {
    bool usable; /* parsed without error */
    const cake_source *source;
    CAKE_VECTOR(cake_shape) shapes;
    CAKE_VECTOR(cake_tensor_body) tensors;
    CAKE_VECTOR(cake_let) lets;
    CAKE_VECTOR(cake_property) properties;
    CAKE_VECTOR(const cake_node *) domain; /* conditions on dimensions; constant */
    const cake_node *flops, *bytes;        /* or null */
    uint32_t slots;
    uint32_t frames; /* the most that any tree needs */
    uint32_t nodes;
};

#endif
