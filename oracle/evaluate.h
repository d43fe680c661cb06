/* Evaluation: trees over doubles, many lanes at a time.
 *
 * One index name at most runs along the lanes (lane_slot); it takes consecutive values from its slot's on. A result
 * with one lane is the same for all: what does not depend on the lane name is worked out once. Folds put the name that
 * they run over along the lanes; a fold that is needed for several lanes is done for one after the other.
 *
 * Beside each value stands a bound on the error that f32 arithmetic in another order may leave in it. Inputs, integers
 * and what floats hold exactly have none ('exact'). Reading outside of a tensor gives NaN and is counted.
 *
 * Lets that fold are remembered in direct-mapped tables, so rows are shared between the elements of an output; the
 * others are worked out again, which is as cheap. All work is counted, and everything stops at a limit.
 */
#ifndef CAKE_ORACLE_EVALUATE_H
#define CAKE_ORACLE_EVALUATE_H

#include "oracle/program.h"

#define CAKE_LANES   256
#define CAKE_NO_SLOT UINT32_MAX

/* Result of a tree: arrays of a scratch frame. */
typedef struct cake_lanes {
    double *value, *error; /* error is not set where exact */
    uint32_t count;        /* 1: the same for all lanes */
    bool exact;
} cake_lanes;

typedef struct cake_let_entry {
    uint64_t key; /* linear index + 1; 0: empty */
    double value, error;
} cake_let_entry;

typedef struct cake_let_cache {
    cake_let_entry *entries; /* null: not remembered */
    uint64_t mask;
    int64_t extents[CAKE_MAX_RANK];
} cake_let_cache;

typedef struct cake_evaluator {
    const cake_workload_body *body;
    const cake_case *one;       /* null while extents are worked out: no tensors, no lets */
    const double *dimensions;   /* values, by number */
    const void *const *written; /* by tensor; null while no property is evaluated */
    cake_let_cache *lets;
    int64_t *slots;
    double *frames; /* body->frames of 2 * CAKE_LANES */
    uint32_t lane_slot, lanes;
    double unit;             /* relative error of one operation */
    bool wide;               /* arithmetic in f64 */
    bool exact;              /* errors are not wanted */
    double work, work_limit; /* lane operations */
    bool stopped;            /* the limit was reached: results mean nothing */
    uint64_t outside;        /* reads outside of a tensor so far */
    cake_span outside_place; /* of the last one */
} cake_evaluator;

/* An evaluator for constants over dimensions. */
void cake_evaluator_init_constants(cake_evaluator *evaluator, cake_arena *arena, const cake_workload_body *body,
                                   const double *dimensions);
/* One for a case's tensors and lets. */
void cake_evaluator_init(cake_evaluator *evaluator, cake_arena *arena, const cake_case *one, const double *dimensions);
/* Makes it ready for one output: forgets lets and work. 'dtype' of the output decides how precise a kernel's arithmetic
 * is taken to be; without 'errors' all errors are 0. */
void cake_evaluator_prepare(cake_evaluator *evaluator, cake_dtype dtype, bool errors, double work_limit);

/* A tree's value with the slots as they are, one lane. */
double cake_evaluate_scalar(cake_evaluator *evaluator, const cake_node *node);
/* 'count' lanes (up to CAKE_LANES) with 'slot' counting up from its value; the result is valid until the next call. */
cake_lanes cake_evaluate_lanes(cake_evaluator *evaluator, const cake_node *node, uint32_t slot, uint32_t count);

/* ---- between the evaluator's files ---- */

/* The general step: the result lies in frame 'frame' and above nothing is kept. */
cake_lanes cake_evaluate_node(cake_evaluator *evaluator, const cake_node *node, uint32_t frame);
/* A frame as a result with 'count' lanes. */
cake_lanes cake_evaluator_frame(cake_evaluator *evaluator, uint32_t frame, uint32_t count);
void cake_evaluator_outside(cake_evaluator *evaluator, cake_span place);
/* Makes the lanes 'count' and the errors real: zeros where it was exact. */
void cake_lanes_widen(cake_lanes *lanes, uint32_t count);
void cake_lanes_show_errors(cake_lanes *lanes);

/* arithmetic.c: operators, comparisons, casts and functions of operands that are evaluated; the result replaces the
 * first. */
cake_lanes cake_evaluate_operation(cake_evaluator *evaluator, const cake_node *node, uint32_t frame);
cake_lanes cake_evaluate_function(cake_evaluator *evaluator, const cake_node *node, uint32_t frame); /* function.c */
/* fold.c */
cake_lanes cake_evaluate_fold(cake_evaluator *evaluator, const cake_node *node, uint32_t frame);

#endif
