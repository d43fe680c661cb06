/* What the files that plan programs share. */
#ifndef CAKE_PLAN_PROGRAM_INTERNAL_H
#define CAKE_PLAN_PROGRAM_INTERNAL_H

#include "plan/internal.h"
#include "plan/program.h"

/* What the steps so far have done with a tensor or temporary. */
typedef struct cake_plan_memory_state {
    bool written;                          /* its contents are defined */
    cake_span pending_read, pending_write; /* by launches that the next one may overlap with; empty: none */
} cake_plan_memory_state;

typedef struct cake_plan_program_builder {
    cake_builder scope; /* launch scope of the program */
    const cake_plan_options *options;
    cake_plan_module *plans;
    cake_plan_program *program;
    CAKE_VECTOR(const cake_plan_tensor *) memory; /* by number */
    CAKE_VECTOR(cake_plan_memory_state) states;   /* of memory */
    CAKE_VECTOR(const cake_plan_value *) known;   /* conditions that hold: the program's contract, taken apart */
    uint32_t comparisons;                         /* with what is known, so far; bounded */
} cake_plan_program_builder;

/* ---- program_bind.c ---- */
/* Binds the kernel's dimensions to what the step's arguments give them, in the program's scope, and finds or plans the
 * instance. False after an error (reported). */
bool cake_plan_program_bind(cake_plan_program_builder *p, const cake_step *step, cake_plan_step *row);

/* ---- program_source.c ---- */
/* Where an element of the dtype comes from that the expression says, in the program's scope; false after an error
 * (reported). */
bool cake_plan_program_source(cake_plan_program_builder *p, const cake_expr *expr, cake_dtype dtype,
                              cake_plan_source *out_source);

/* ---- program_contract.c ---- */
/* Notes a condition that holds at every launch of the program. */
void cake_plan_program_know(cake_plan_program_builder *p, const cake_plan_value *condition);
/* A condition of the step's kernel on the program: shown, required at launch, or refuted (reported). 'text' is the
 * kernel's own words for it, 'span' where they stand. */
void cake_plan_program_require(cake_plan_program_builder *p, const cake_step *step, cake_plan_value *condition,
                               cake_span span, const char *text);
bool cake_plan_value_equal(const cake_plan_value *a, const cake_plan_value *b);

/* ---- program_order.c ---- */
/* Contents are written before they are read, and what overlaps waits before it touches what the launches before it
 * may still use. Call with the step's row complete. */
void cake_plan_program_order_run(cake_plan_program_builder *p, const cake_step *step, const cake_plan_step *row);
void cake_plan_program_order_fill(cake_plan_program_builder *p, uint32_t memory);
void cake_plan_program_order_end(cake_plan_program_builder *p);

#endif
