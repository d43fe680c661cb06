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

/* ---- dimensions ---- */

/* By number, all NaN: no value yet. */
double *cake_dimensions_new(cake_arena *arena, const cake_workload *workload);
/* Gives the dimensions that are still NaN the shape's values. */
void cake_shape_apply(cake_evaluator *constants, const cake_shape *shape, double *dimensions);
/* The text of the first condition of the domain that the evaluator's dimensions break, or null. */
const char *cake_domain_broken(cake_evaluator *constants, cake_arena *arena);
/* Reports named shapes outside of the domain. */
void cake_workload_check_shapes(cake_arena *arena, const cake_workload *workload, cake_diagnostics *diagnostics);

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
 * from the case's seed. Every run is at most CAKE_LANES long and stays within one row. out_cost: lane operations that
 * one more element takes. */
void cake_case_choose_runs(cake_case *one, const cake_case_tensor *tensor, const cake_tensor_body *body,
                           cake_evaluator *evaluator, cake_run_list *out_runs, double *out_cost);

/* ---- judging ---- */

/* An element by its linear index, and what is wrong with it. */
cake_mismatch cake_case_mismatch(const cake_case_tensor *tensor, uint64_t linear, double got, double want,
                                 double allowed);
/* Whether an element of an output still holds the bytes it was filled with. */
bool cake_case_is_unwritten(const cake_case_tensor *tensor, const void *got, uint64_t linear);
/* collection.c: cake_case_compare for a tensor with 'holds'. */
cake_status cake_case_compare_collection(cake_case *one, uint32_t tensor, const void *got, cake_comparison *result);

#define CAKE_SURVEY_STRIPS 16

/* survey.c: what a whole output shows without its reference. */
typedef struct cake_survey {
    double norm;                               /* Euclidean, of the finite elements */
    uint64_t suspects[2 * CAKE_SURVEY_STRIPS]; /* elements where it is unlike itself, the most suspect first; no NaNs */
    uint32_t count;
} cake_survey;

void cake_case_survey(const cake_case_tensor *tensor, const void *got, cake_survey *out_survey);

/* ---- random numbers ---- */

/* A number that looks random and depends on (stream, index) alone (SplitMix64). */
uint64_t cake_random_bits(uint64_t stream, uint64_t index);
/* A stream of numbers for a name under a seed. */
uint64_t cake_random_stream(uint64_t seed, const char *name);

#endif
