/* The commands of cakec that work on schedules: compile, check, fmt, explain, and run and bench through compiled code.
 *
 * Data goes to out, diagnostics to err; with --format json one document to out. Each gives the exit status of
 * docs/cli.md.
 */
#ifndef CAKE_DRIVER_COMPILE_COMMAND_H
#define CAKE_DRIVER_COMPILE_COMMAND_H

#include <stdio.h>

#include "driver/options.h"

int cake_compile_command(cake_arena *arena, const cake_options *options, FILE *out, FILE *err);
int cake_check_command(cake_arena *arena, const cake_options *options, FILE *out, FILE *err);
int cake_format_command(cake_arena *arena, const cake_options *options, FILE *out, FILE *err);
int cake_explain_command(cake_arena *arena, const cake_options *options, FILE *out, FILE *err);
/* run and bench */
int cake_launch_command(cake_arena *arena, const cake_options *options, FILE *out, FILE *err);

/* For the commands: says that the command line is wrong, as text or as a document, and gives that status. */
int cake_command_refuse(cake_arena *arena, const cake_options *options, const char *command, const char *problem,
                        FILE *out, FILE *err);

#endif
