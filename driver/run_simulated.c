/* 'run' on the simulator: one schedule after the other, and a limit on the time of all.
 *
 * Under a limit a child does everything, its report included, and sends what it would have printed. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "driver/run.h"

#define EXIT_BUG 4

void cake_run_simulate(cake_run *run) {
    run->status = run->code->simulator->simulate(run);
    run->has_status = true;
    switch (run->status.kind) {
    case CAKE_STATUS_OK:
        break;
    case CAKE_STATUS_INVALID:
        cake_run_fail(run, CAKE_EXIT_WRONG, "contract", "%s", run->status.message);
        break;
    case CAKE_STATUS_FAILED:
        cake_run_fail(run, EXIT_BUG, "bug", "%s", run->status.message);
        break;
    case CAKE_STATUS_UNAVAILABLE:
    case CAKE_STATUS_NO_MEMORY:
    case CAKE_STATUS_TIMEOUT:
        cake_run_fail(run, CAKE_EXIT_ENVIRONMENT, "environment", "%s", run->status.message);
        break;
    }
    uint32_t errors = run->diagnostics.error_count;
    if (errors)
        cake_run_fail(run, CAKE_EXIT_WRONG, "finding", "the simulator observed %" PRIu32 " error%s with seed %" PRIu64,
                      errors, errors == 1 ? "" : "s", run->seed);
}

static int run_schedules(const cake_options *options, const cake_run_code *code, FILE *out, FILE *err) {
    uint64_t count = (uint64_t)cake_options_number(options, CAKE_OPTION_SCHEDULES, 1);
    int exit_status = CAKE_EXIT_DONE;
    for (uint64_t i = 0; i < count && exit_status == CAKE_EXIT_DONE; i++)
        exit_status = cake_run_once(options, code, i, i + 1 == count, out, err);
    return exit_status;
}

/* ---- under a limit ---- */

enum { TO_OUT, TO_ERR, ALL_SAID }; /* kinds of messages; the last has the exit status as its index */

typedef struct limited_run {
    const cake_options *options;
    const cake_run_code *code;
    char *texts[2]; /* by TO_OUT, TO_ERR */
    size_t sizes[2];
    bool ended;
    int exit_status;
} limited_run;

static void work(void *context, int channel) {
    const limited_run *run = context;
    char *texts[2] = {NULL, NULL};
    size_t sizes[2] = {0, 0};
    FILE *out = open_memstream(&texts[TO_OUT], &sizes[TO_OUT]), *err = open_memstream(&texts[TO_ERR], &sizes[TO_ERR]);
    if (!out || !err) return;
    int exit_status = run_schedules(run->options, run->code, out, err);
    if (fclose(out) != 0 || fclose(err) != 0) return;
    for (uint32_t i = TO_OUT; i <= TO_ERR; i++)
        cake_watch_send(channel, i, 0, texts[i], sizes[i]);
    cake_watch_send(channel, ALL_SAID, (uint32_t)exit_status, NULL, 0);
}

static void *place(void *context, const cake_message *message) {
    limited_run *run = context;
    if (message->kind == ALL_SAID) return message->size == 0 ? run : NULL;
    if (message->kind > TO_ERR || run->texts[message->kind] || message->size > SIZE_MAX - 1) return NULL;
    run->sizes[message->kind] = message->size;
    return run->texts[message->kind] = malloc(message->size + 1);
}

static void accept(void *context, const cake_message *message, void *bytes) {
    limited_run *run = context;
    (void)bytes;
    if (message->kind != ALL_SAID) return;
    run->ended = true;
    run->exit_status = (int)message->index;
}

static uint32_t limit(void *context) {
    const limited_run *run = context;
    return (uint32_t)cake_options_number(run->options, CAKE_OPTION_TIMEOUT, 0);
}

/* Reports a run that ended without a report of its own. */
static int report_end(const limited_run *limited, const cake_watch_result *result, FILE *out, FILE *err) {
    char message[160];
    cake_run run = {.options = limited->options, .code = limited->code, .message = message};
    run.exit_status = CAKE_EXIT_ENVIRONMENT;
    run.kind = "crash";
    switch (result->end) {
    case CAKE_WATCH_SILENT:
        run.kind = "timeout";
        snprintf(message, sizeof message,
                 "the simulation did not end within %d s: use a smaller shape or a larger --timeout", result->number);
        break;
    case CAKE_WATCH_CRASHED:
        snprintf(message, sizeof message, "the simulator was ended by signal %d (%s)", result->number,
                 strsignal(result->number));
        break;
    case CAKE_WATCH_EXITED:
        if (result->number) run.exit_status = result->number;
        snprintf(message, sizeof message, "the simulator ended early with status %d", result->number);
        break;
    case CAKE_WATCH_GARBLED:
        snprintf(message, sizeof message, "the simulator went astray");
        break;
    }
    cake_run_report(&run, out, err);
    return run.exit_status;
}

int cake_run_simulated(const cake_options *options, const cake_run_code *code, FILE *out, FILE *err) {
    if (!cake_options_has(options, CAKE_OPTION_TIMEOUT)) return run_schedules(options, code, out, err);
    limited_run run = {.options = options, .code = code};
    cake_watch watch = {work, place, accept, limit, &run};
    cake_watch_result result;
    cake_status status = cake_watch_run(&watch, &result);
    if (status.kind != CAKE_STATUS_OK)
        return cake_run_refuse(options, CAKE_EXIT_ENVIRONMENT, "environment", status.message, out, err);
    if (!run.ended) run.exit_status = report_end(&run, &result, out, err);
    if (run.ended) fwrite(run.texts[TO_OUT], 1, run.sizes[TO_OUT], out);
    fflush(out);
    if (run.ended) fwrite(run.texts[TO_ERR], 1, run.sizes[TO_ERR], err);
    for (uint32_t i = TO_OUT; i <= TO_ERR; i++)
        free(run.texts[i]);
    return run.exit_status;
}
