/* One 'run' or 'bench' from command line to report. Internal to driver/. */
#ifndef CAKE_DRIVER_RUN_H
#define CAKE_DRIVER_RUN_H

#include <stdio.h>

#include "driver/run_job.h"
#include "driver/watch.h"
#include "oracle/oracle.h"
#include "runtime/bind.h"

/* Exit statuses of the tools (docs/cli.md). */
enum { CAKE_EXIT_DONE, CAKE_EXIT_WRONG, CAKE_EXIT_COMMAND_LINE, CAKE_EXIT_ENVIRONMENT };

typedef struct cake_run {
    const cake_options *options;
    const cake_run_code *code;
    cake_arena *arena;
    uint64_t schedule;            /* simulator: how many runs with other seeds went before */
    cake_diagnostics diagnostics; /* on the workload, and what the simulator observed */

    /* made by cake_run_setup */
    cake_manifest *manifest;
    cake_unit unit;          /* kernel or program */
    cake_source source;      /* of the workload */
    cake_workload *workload; /* null: none, outputs are not compared */
    cake_case *one;          /* null without a workload */
    uint64_t seed;
    double flops, bytes; /* of one launch; 0: not known */
    cake_run_job job;

    /* learned from the device */
    cake_run_stage stage;
    bool has_device;
    cake_device_info device;
    void **results;           /* by tensor; null: nothing came back */
    cake_run_damage *damages; /* by tensor */
    double *times;            /* null until they came */
    uint32_t set_count;
    bool has_status;
    cake_status status;

    CAKE_VECTOR(cake_comparison) comparisons; /* of outputs */
    CAKE_VECTOR(cake_comparison) properties;

    /* the verdict: 'kind' is null while nothing is wrong */
    int exit_status;
    const char *kind;
    const char *message;
} cake_run;

/* Records what ended the run, unless something did already; always false. */
bool cake_run_fail(cake_run *run, int exit_status, const char *kind, const char *format, ...) CAKE_PRINTF(4, 5);

/* Reads manifest and workload, makes inputs, checks the contract. False after a failure. */
bool cake_run_setup(cake_run *run);

/* One run, or one schedule of the simulator, with the seed --seed + schedule. It is reported if it is the last one or
 * something is wrong. Gives the exit status. */
int cake_run_once(const cake_options *options, const cake_run_code *code, uint64_t schedule, bool last, FILE *out,
                  FILE *err);

/* Does the job on the simulator and judges what was observed. */
void cake_run_simulate(cake_run *run);

/* All of 'run' on the simulator, within --timeout if there is one. */
int cake_run_simulated(const cake_options *options, const cake_run_code *code, FILE *out, FILE *err);

/* Judges what came back. */
void cake_run_compare(cake_run *run);

/* The outcome as text (data to out, messages to err) or as one JSON document on out. */
void cake_run_report(const cake_run *run, FILE *out, FILE *err);

#endif
