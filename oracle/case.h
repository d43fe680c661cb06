/* The private half of a case, shared by the files that make data and compare. */
#ifndef CAKE_ORACLE_CASE_H
#define CAKE_ORACLE_CASE_H

#include "oracle/evaluate.h"

/* A tensor's tolerance in numbers. */
typedef struct cake_case_bounds {
    bool derived;
    double absolute, relative;
} cake_case_bounds;

struct cake_case_private {
    cake_arena *arena;
    double *dimensions;                   /* by number; NaN: no value */
    cake_evaluator constants;             /* for extents and arguments */
    double work_limit;                    /* lane operations that one tensor may take */
    cake_evaluator *evaluator;            /* for tensors; made on first use */
    CAKE_VECTOR(cake_case_bounds) bounds; /* by tensor */
};

/* The case's evaluator, made ready for an output of that dtype. */
cake_evaluator *cake_case_evaluator(cake_case *one, cake_dtype dtype, bool errors);

/* ---- which elements of an output are judged ---- */

/* Consecutive elements along the last axis. */
typedef struct cake_run {
    uint64_t first;
    uint32_t count;
} cake_run;

typedef CAKE_VECTOR(cake_run) cake_run_list;

/* The values of a run: what an expression says for these elements of a tensor with the same axes. */
cake_lanes cake_case_evaluate_run(cake_evaluator *evaluator, const cake_tensor_body *body,
                                  const cake_case_tensor *tensor, cake_run run);

/* Runs in ascending order without overlap: all elements where the reference of all is cheap enough, else a sample drawn
 * from the case's seed. Every run is at most CAKE_LANES long and stays within one row. */
void cake_case_choose_runs(cake_case *one, uint32_t tensor, cake_evaluator *evaluator, cake_run_list *out_runs);

/* A number that looks random and depends on (stream, index) alone (SplitMix64). */
uint64_t cake_random_bits(uint64_t stream, uint64_t index);
/* A stream of numbers for a name under a seed. */
uint64_t cake_random_stream(uint64_t seed, const char *name);

#endif
