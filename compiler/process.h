/* Another program, run to its end: no shell, nothing to read, a limit on its time and on what is kept of its words.
 *
 *     char *arguments[] = {"ptxas", "--version", NULL};
 *     cake_process process = {.programs = {"ptxas", "/usr/local/cuda/bin/ptxas"}, .arguments = arguments,
 *                             .limit_seconds = 10};
 *     cake_status status = cake_process_run(&process, log, sizeof log, &exit_status);
 */
#ifndef CAKE_COMPILER_PROCESS_H
#define CAKE_COMPILER_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "support/status.h"

#define CAKE_PROCESS_PLACES 3

typedef struct cake_process {
    const char
        *programs[CAKE_PROCESS_PLACES]; /* where it may be, first that is there; without '/': on PATH; ends in null */
    char *const *arguments;             /* argv, ends in null */
    uint32_t limit_seconds;             /* then it is killed */
} cake_process;

/* Its standard output and standard error together become 'log', cut off at the capacity (> 0) and ended with a zero.
 * UNAVAILABLE when it is nowhere or dies by a signal, TIMEOUT, else OK with its exit status. */
CAKE_MUST_USE cake_status cake_process_run(const cake_process *process, char *log, size_t log_capacity,
                                           int *out_exit_status);

#endif
