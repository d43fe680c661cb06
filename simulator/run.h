/* A run: a kernel, or a program's steps one after the other. Internal to simulator/. */
#ifndef CAKE_SIMULATOR_RUN_H
#define CAKE_SIMULATOR_RUN_H

#include "simulator/state.h"

#define CAKE_SIM_ARENA_LIMIT ((size_t)16 << 30)

typedef struct cake_sim_run {
    cake_arena *arena; /* of the whole run */
    cake_arena machine_arena;
    bool has_machine; /* machine_arena is to be freed */
    const cake_sim_options *options;
    cake_diagnostics *diagnostics;
    cake_sim_history history;
    uint32_t kernel_number, wave;
    bool stopped;
} cake_sim_run;

/* 'shadows': by tensor of the plan (views aside); null for memory that nothing in the run writes. TIMEOUT where the run
 * took too many steps. */
CAKE_MUST_USE cake_status cake_sim_launch_kernel(cake_sim_run *run, const cake_sim_kernel *kernel,
                                                 cake_sim_shadow *const *shadows, bool overlapped);

/* A warp in which the program's launch scope has been evaluated, its contract seen to hold. */
CAKE_MUST_USE cake_status cake_sim_open_scope(cake_sim_run *run, const cake_sim_program *program,
                                              cake_sim_warp **out_scope);

#endif
