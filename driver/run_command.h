/* The commands 'run' and 'bench': launch compiled code on a GPU, judge what it computes or take its time.
 *
 * Shared by cakerun and cakec, which differ in where the code comes from. All device work is done in a child process,
 * so that a hung or broken kernel ends as a message.
 */
#ifndef CAKE_DRIVER_RUN_COMMAND_H
#define CAKE_DRIVER_RUN_COMMAND_H

#include <stdio.h>

#include "driver/options.h"

typedef struct cake_run_code {
    const char *path;  /* as the user gave it: for messages, and for the workload of the same name */
    const char *bytes; /* PTX that carries its manifest, or a cubin */
    size_t size;
    const char *manifest; /* JSON beside a cubin; null for PTX */
    size_t manifest_size;
} cake_run_code;

/* Does options->command (RUN or BENCH): data goes to out, messages to err, in JSON mode one document to out. Gives the
 * exit status: 0; 1 for a wrong output, a broken contract, a hang or a faulty kernel, a wrong workload; 2 for a -D or
 * --device that does not fit; 3 when the environment failed. */
int cake_run_command(const cake_options *options, const cake_run_code *code, FILE *out, FILE *err);

/* Reports in the form of such a run that it could not begin, and gives exit_status. kind: "environment", .. */
int cake_run_refuse(const cake_options *options, int exit_status, const char *kind, const char *message, FILE *out,
                    FILE *err);

#endif
