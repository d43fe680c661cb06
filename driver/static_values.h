/* Which values of a schedule's static dimensions are planned.
 *
 * A value given with -D is the only one. Without it 'check' takes each member of a contract's 'NAME in {..}', and what
 * is still open takes the workload's shape.
 */
#ifndef CAKE_DRIVER_STATIC_VALUES_H
#define CAKE_DRIVER_STATIC_VALUES_H

#include "compiler/compiler.h"

#define CAKE_STATIC_VALUES 16

typedef CAKE_VECTOR(cake_choice) cake_choice_list;

typedef struct cake_static {
    const char *name;
    int64_t values[CAKE_STATIC_VALUES];
    uint32_t count; /* 0: no value yet */
} cake_static;

typedef CAKE_VECTOR(cake_static) cake_static_list;

/* The statics that the choices leave open, each name once. With 'sets' they take the members of their sets, as long as
 * there are no more than CAKE_STATIC_VALUES combinations in all. */
cake_static_list cake_static_find(cake_arena *arena, const cake_module *module, const cake_choice_list *choices,
                                  bool sets);

/* Whether one of them has no value. */
bool cake_static_open(const cake_static_list *statics);

/* Plans for each combination of values. Plans, manifest rows and counts of obligations add up; a diagnostic stands
 * once, with a note of the values where there are several. */
void cake_static_plan(cake_compilation *compilation, const cake_compile_options *options,
                      const cake_choice_list *choices, const cake_static_list *statics);

#endif
