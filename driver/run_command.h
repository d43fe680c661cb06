/* The commands 'run' and 'bench': launch compiled code on a GPU, judge what it computes or take its time; or run its
 * plan on the simulator and judge that.
 *
 * Shared by cakerun and cakec, which differ in where the code comes from; only cakec has plans, and so the simulator.
 * All device work is done in a child process, so that a hung or broken kernel ends as a message. The simulator notices
 * a hang by itself and runs in this process, unless --timeout limits it.
 */
#ifndef CAKE_DRIVER_RUN_COMMAND_H
#define CAKE_DRIVER_RUN_COMMAND_H

#include <stdio.h>

#include "driver/options.h"
#include "support/source.h"

struct cake_run; /* driver/run.h */

/* What takes the GPU's place. */
typedef struct cake_run_simulator {
    const cake_source *source; /* of the schedule: what is observed is reported against it */
    uint32_t sms;
    /* Does run->job once, with run->seed: reports to run->diagnostics, puts outputs into run->results. */
    cake_status (*simulate)(struct cake_run *run);
    const void *context; /* of 'simulate' */
} cake_run_simulator;

typedef struct cake_run_code {
    const char *path;  /* as the user gave it: for messages, and for the workload of the same name */
    const char *bytes; /* PTX that carries its manifest, or a cubin; null for the simulator */
    size_t size;
    const char *manifest; /* JSON beside a cubin or of what is simulated; null for PTX */
    size_t manifest_size;
    const cake_run_simulator *simulator; /* null: a GPU */
} cake_run_code;

/* Does options->command (RUN or BENCH): data goes to out, messages to err, in JSON mode one document to out. Gives the
 * exit status: 0; 1 for a wrong output, a broken contract, a hang or a faulty kernel, an error that the simulator
 * observed, a wrong workload; 2 for a -D or --device that does not fit; 3 when the environment failed. */
int cake_run_command(const cake_options *options, const cake_run_code *code, FILE *out, FILE *err);

/* Reports in the form of such a run that it could not begin, and gives exit_status. kind: "environment", .. */
int cake_run_refuse(const cake_options *options, int exit_status, const char *kind, const char *message, FILE *out,
                    FILE *err);

/* Looks for a GPU, in a child process. UNAVAILABLE, and why, where there is none. */
CAKE_MUST_USE cake_status cake_run_probe_gpu(void);

#endif
