/* From a command line to a planned compilation; shared by the commands that compile. */
#ifndef CAKE_DRIVER_COMPILE_SETUP_H
#define CAKE_DRIVER_COMPILE_SETUP_H

#include <stdio.h>

#include "compiler/compiler.h"
#include "driver/options.h"

enum { CAKE_DONE = 0, CAKE_WRONG = 1, CAKE_COMMAND_LINE = 2, CAKE_ENVIRONMENT = 3 };

/* Reads, parses and plans one file. Statics without -D take the first shape of the workload beside it. Gives 0 or the
 * exit status; what is wrong with the schedule is in out_compilation->diagnostics, all else in *out_problem. With
 * 'planned' false it stops after the frontend. */
int cake_compile_setup(cake_arena *arena, const cake_options *options, const char *path, bool planned,
                       cake_compilation *out_compilation, const char **out_problem);

/* Writes through a temporary that is renamed; "-" and null are 'out', what exists and is no regular file is written in
 * place. */
CAKE_MUST_USE cake_status cake_write_output(cake_arena *arena, const char *path, const char *bytes, size_t size,
                                            FILE *out);

#endif
