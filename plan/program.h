/* The plan of a whole module: its programs, and the kernels as they are run.
 *
 * A program binds a kernel's dimensions by position: where a parameter's extent is a bare name, it stands for the
 * argument's extent. Statics of a kernel so get values from the program, and a kernel that is run with different ones
 * is planned once for each: an instance, with an entry point of its own. Kernels that no program runs are planned by
 * themselves.
 *
 *     cake_plan_module plans;
 *     cake_plan_module_build(arena, module, &options, diagnostics, &plans);   // plans.instances, plans.programs
 *
 * A kernel's contract must follow from the program's. Each of its conditions, in the program's terms, is shown by
 * ranges or by a condition of the program, or refuted (an error), or else 'required': the host checks it at launch.
 */
#ifndef CAKE_PLAN_PROGRAM_H
#define CAKE_PLAN_PROGRAM_H

#include "plan/plan.h"

typedef enum cake_plan_source_kind {
    CAKE_PLAN_SOURCE_SCALAR, /* a scalar parameter of the program, unchanged */
    CAKE_PLAN_SOURCE_BITS,   /* known at compile time */
    CAKE_PLAN_SOURCE_VALUE   /* in the program's launch scope: of the wanted dtype, or INDEX where that is an integer */
} cake_plan_source_kind;

/* What a kernel's scalar parameter gets, or each element of a tensor that is filled. */
typedef struct cake_plan_source {
    cake_plan_source_kind kind;
    uint32_t scalar; /* index into the program's scalars */
    uint64_t bits;   /* one element, its bytes from the lowest on */
    const cake_plan_value *value;
} cake_plan_source;

/* Memory is numbered from 0: the program's tensors in order, then its temporaries. */
typedef struct cake_plan_step {
    cake_step_kind kind; /* FILL or RUN */
    cake_span span;
    uint32_t memory;                                 /* FILL; it may have strides */
    cake_plan_source value;                          /* FILL: one element */
    uint32_t instance;                               /* RUN: into the module's instances */
    CAKE_VECTOR(uint32_t) tensors;                   /* RUN: memory of each of the kernel's tensors */
    CAKE_VECTOR(const cake_plan_value *) dimensions; /* RUN: of each runtime dimension of the instance's plan */
    CAKE_VECTOR(cake_plan_source) scalars;           /* RUN: of each of the kernel's scalars */
    bool overlap;                                    /* RUN */
} cake_plan_step;

typedef struct cake_plan_program {
    const cake_program *program;
    const cake_plan *scope; /* dimensions, statics, tunables, parameters, contract and trust; nothing that runs */
    CAKE_VECTOR(const cake_plan_tensor *) temporaries;
    CAKE_VECTOR(cake_plan_step) steps;
    cake_plan_condition_list required; /* of kernels: for the host to check at launch */
    uint32_t shown;                    /* conditions of kernels that follow from the program's contract */
} cake_plan_program;

/* A kernel under one choice of its statics. */
typedef struct cake_plan_instance {
    const cake_kernel *kernel;
    CAKE_VECTOR(cake_choice) statics; /* that a program chose; empty for a kernel by itself */
    const cake_plan *plan;            /* null after an error */
} cake_plan_instance;

typedef struct cake_plan_module {
    CAKE_VECTOR(cake_plan_instance) instances;
    CAKE_VECTOR(const cake_plan_program *) programs;
} cake_plan_module;

/* Whether a program of the module runs the kernel: it is then planned as its instances, and not by itself. */
bool cake_plan_module_runs(const cake_module *module, const cake_kernel *kernel);

/* Plans everything that the file holds; complete only without errors (reported). */
void cake_plan_module_build(cake_arena *arena, const cake_module *module, const cake_plan_options *options,
                            cake_diagnostics *diagnostics, cake_plan_module *out_plans);

void cake_plan_program_print(const cake_plan_module *plans, const cake_plan_program *program, cake_text *out);

#endif
