/* The simulator: runs a plan on the CPU and says what goes wrong.
 *
 * Every warp of a CTA is a task; copies, matrix products and bulk groups are tasks of their own that end late. A seeded
 * scheduler decides who goes on, so that one seed is one run. Memory carries, for each byte, who touched it last: two
 * accesses that nothing orders are a race, whatever came out (vector clocks over warps and asynchronous actors).
 * Registers, shared memory and outputs start poisoned.
 *
 * What is executed are the plan's tables, as code generation lowers them; no code is shared with it.
 *
 *     cake_sim_options options = {.seed = 1};
 *     cake_sim_kernel kernel = {.plan = plan, .dimensions = dims, .scalars = bits, .tensors = tensors};
 *     cake_status status = cake_sim_run_kernel(&kernel, &options, &diagnostics);   // diagnostics: what was observed
 *
 * The simulated device has few SMs ('sms'), so that a persistent CTA walks several tiles even on small shapes. CTAs
 * that cannot tell of each other run one after the other; memory is proportional to the resident ones.
 */
#ifndef CAKE_SIMULATOR_SIMULATOR_H
#define CAKE_SIMULATOR_SIMULATOR_H

#include "plan/program.h"
#include "support/diagnostic.h"
#include "support/status.h"

#define CAKE_SIM_DEFAULT_SMS   4
#define CAKE_SIM_MOST_FINDINGS 20          /* the run ends with this many */
#define CAKE_SIM_DEFAULT_STEPS 4000000000u /* operations of warps; a run of more is given up */

/* All orders of what does not commute, one run after the other: atomic operations and polls. Everything else of a run
 * without findings gives the same in any order (arrivals, waits and copies only ever enable each other).
 *
 *     cake_sim_choices choices;
 *     cake_sim_choices_init(&choices, &arena);
 *     do {
 *         ...                                  // tensors as they were, options.choices = &choices: run
 *     } while (cake_sim_choices_next(&choices));
 */
typedef struct cake_sim_choice {
    uint32_t chosen, count;
} cake_sim_choice;

typedef struct cake_sim_choices {
    cake_arena *arena;
    CAKE_VECTOR(cake_sim_choice) made;
    uint32_t at; /* of the run that goes on */
} cake_sim_choices;

void cake_sim_choices_init(cake_sim_choices *choices, cake_arena *arena);
/* Prepares the next run; false when all have been. */
bool cake_sim_choices_next(cake_sim_choices *choices);

/* What happens in a run, for a timeline. Times count the operations of all warps. */
typedef enum cake_sim_event_kind {
    CAKE_SIM_EVENT_OPERATION, /* done by a warp, from 'begin' to 'end': longer than one where it waited */
    CAKE_SIM_EVENT_TASK       /* of an asynchronous unit: issued by a warp at 'begin', over at 'end' */
} cake_sim_event_kind;

typedef struct cake_sim_event {
    cake_sim_event_kind kind;
    const cake_plan *plan;
    const cake_plan_op *op;
    uint32_t kernel, cta, warp; /* step of the program; number in the grid; in the CTA */
    uint64_t begin, end;
} cake_sim_event;

typedef struct cake_sim_observer {
    void *context;
    void (*event)(void *context, const cake_sim_event *event);
} cake_sim_observer;

typedef struct cake_sim_options {
    uint64_t seed;
    uint32_t sms;                      /* of the simulated device; 0: the default */
    uint64_t max_steps;                /* 0: the default */
    cake_sim_choices *choices;         /* or null: orders are random, by the seed */
    const cake_sim_observer *observer; /* or null */
} cake_sim_options;

/* Memory of a tensor: contiguous where the plan's strides say so, in the tensor's own dtype. */
typedef struct cake_sim_memory {
    void *data;
    uint64_t bytes;
    bool written; /* has contents before the run: inputs and inout tensors */
} cake_sim_memory;

typedef struct cake_sim_kernel {
    const cake_plan *plan;
    const int64_t *dimensions; /* by plan->dimensions */
    const uint64_t *scalars;   /* by plan->scalars: one element each, its bytes from the lowest on */
    cake_sim_memory *tensors;  /* by plan->tensors; those of views are not looked at */
} cake_sim_kernel;

typedef struct cake_sim_program {
    const cake_plan_module *plans;
    const cake_plan_program *program;
    const int64_t *dimensions; /* by program->scope->dimensions */
    const uint64_t *scalars;   /* by program->scope->scalars */
    cake_sim_memory *tensors;  /* by program->scope->tensors */
} cake_sim_program;

/* Run to the end, or to the first hang. What is observed is reported with codes of family S; tensors hold what was
 * written. INVALID: the contract excludes these dimensions, or a grid is too large; UNAVAILABLE: an operation that is
 * not simulated; NO_MEMORY. */
CAKE_MUST_USE cake_status cake_sim_run_kernel(const cake_sim_kernel *kernel, const cake_sim_options *options,
                                              cake_diagnostics *diagnostics);
CAKE_MUST_USE cake_status cake_sim_run_program(const cake_sim_program *program, const cake_sim_options *options,
                                               cake_diagnostics *diagnostics);

#endif
