/* From a command line to a planned compilation; shared by the commands that compile. */
#ifndef CAKE_DRIVER_COMPILE_SETUP_H
#define CAKE_DRIVER_COMPILE_SETUP_H

#include <stdio.h>

#include "compiler/compiler.h"
#include "driver/options.h"

/* Exit statuses (docs/cli.md). */
enum { CAKE_DONE = 0, CAKE_WRONG = 1, CAKE_COMMAND_LINE = 2, CAKE_ENVIRONMENT = 3, CAKE_BUG = 4 };

/* Reads, parses and plans one file. Statics without -D take the first shape of the workload; 'check' plans them for
 * each value of 'NAME in {..}' where these are few. Gives 0 or the exit status; what is wrong with the schedule is in
 * out_compilation->diagnostics, all else in *out_problem. With 'planned' false it stops after the frontend. */
int cake_compile_setup(cake_arena *arena, const cake_options *options, const char *path, bool planned,
                       cake_compilation *out_compilation, const char **out_problem);

int cake_exit_status(const cake_status *status);
/* The kind of an error in JSON: "schedule", "command line", "environment" or "bug". */
const char *cake_exit_kind(int exit_status);

/* Says what went wrong and is no diagnostic, with control characters escaped. */
void cake_complain(cake_arena *arena, const char *problem, FILE *err);

#endif
