#include "driver/run_command.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "driver/run.h"

#define DEFAULT_TIMEOUT 20

/* Opening a driver and compiling PTX may take longer than any kernel should. */
#define SETUP_TIMEOUT 120

bool cake_run_fail(cake_run *run, int exit_status, const char *kind, const char *format, ...) {
    if (run->kind) return false;
    va_list arguments;
    va_start(arguments, format);
    run->message = cake_arena_vformat(run->arena, format, arguments);
    va_end(arguments);
    run->exit_status = exit_status;
    run->kind = kind;
    return false;
}

/* ---- messages of the child ---- */

static uint64_t expected_size(const cake_run *run, const cake_message *message) {
    switch ((cake_run_message)message->kind) {
    case CAKE_RUN_MESSAGE_STAGE:
    case CAKE_RUN_MESSAGE_ALIVE:
        return 0;
    case CAKE_RUN_MESSAGE_DEVICE:
        return sizeof(cake_device_info);
    case CAKE_RUN_MESSAGE_OUTPUT:
        return run->job.tensors.items[message->index].bytes;
    case CAKE_RUN_MESSAGE_DAMAGE:
        return sizeof(cake_run_damage);
    case CAKE_RUN_MESSAGE_TIMES:
        return run->job.reps * sizeof(double);
    case CAKE_RUN_MESSAGE_STATUS:
        return sizeof(cake_status);
    }
    return UINT64_MAX;
}

static void *place_message(void *context, const cake_message *message) {
    cake_run *run = context;
    bool of_tensor = message->kind == CAKE_RUN_MESSAGE_OUTPUT || message->kind == CAKE_RUN_MESSAGE_DAMAGE;
    if (of_tensor && message->index >= run->job.tensors.count) return NULL;
    if (message->size != expected_size(run, message)) return NULL;
    return message->size ? cake_arena_alloc(run->arena, message->size) : (void *)run;
}

static void accept_message(void *context, const cake_message *message, void *bytes) {
    cake_run *run = context;
    switch ((cake_run_message)message->kind) {
    case CAKE_RUN_MESSAGE_STAGE:
        run->stage = (cake_run_stage)message->index;
        break;
    case CAKE_RUN_MESSAGE_ALIVE:
        break;
    case CAKE_RUN_MESSAGE_DEVICE:
        run->has_device = true;
        memcpy(&run->device, bytes, sizeof run->device);
        break;
    case CAKE_RUN_MESSAGE_OUTPUT:
        run->results[message->index] = bytes;
        break;
    case CAKE_RUN_MESSAGE_DAMAGE:
        memcpy(&run->damages[message->index], bytes, sizeof *run->damages);
        break;
    case CAKE_RUN_MESSAGE_TIMES:
        run->set_count = message->index;
        run->times = bytes;
        break;
    case CAKE_RUN_MESSAGE_STATUS:
        run->has_status = true;
        memcpy(&run->status, bytes, sizeof run->status);
        break;
    }
}

static uint32_t silence_limit(void *context) {
    const cake_run *run = context;
    uint32_t limit = (uint32_t)cake_options_number(run->options, CAKE_OPTION_TIMEOUT, DEFAULT_TIMEOUT);
    return run->stage == CAKE_RUN_RUNNING || limit > SETUP_TIMEOUT ? limit : SETUP_TIMEOUT;
}

static void work(void *context, int channel) {
    const cake_run *run = context;
    cake_run_on_device(&run->job, channel);
}

/* ---- how the child ended ---- */

static const char *stage_name(cake_run_stage stage) {
    switch (stage) {
    case CAKE_RUN_OPENING:
        return "opening the device";
    case CAKE_RUN_LOADING:
        return "loading the code";
    case CAKE_RUN_FILLING:
        return "filling the tensors";
    case CAKE_RUN_RUNNING:
        return "running the kernel";
    case CAKE_RUN_READING:
        return "reading the outputs";
    }
    return "working";
}

static void judge_silence(cake_run *run, int seconds) {
    if (run->stage == CAKE_RUN_RUNNING)
        cake_run_fail(run, CAKE_EXIT_WRONG, "hang",
                      "kernel '%s' did not end within %d s: some role waits for what never comes, or the work needs "
                      "--timeout SECONDS",
                      run->job.kernel, seconds);
    else
        cake_run_fail(run, CAKE_EXIT_ENVIRONMENT, "environment", "the driver did not answer within %d s while %s",
                      seconds, stage_name(run->stage));
}

/* What the kernel or its code did wrong is told from what the environment lacks by when it happened. */
static void judge_status(cake_run *run) {
    const cake_status *status = &run->status;
    switch (status->kind) {
    case CAKE_STATUS_OK:
        break;
    case CAKE_STATUS_INVALID:
        cake_run_fail(run, CAKE_EXIT_WRONG, "contract", "%s", status->message);
        break;
    case CAKE_STATUS_FAILED:
    case CAKE_STATUS_TIMEOUT:
        if (run->stage == CAKE_RUN_RUNNING)
            cake_run_fail(run, CAKE_EXIT_WRONG, "fault", "kernel '%s' broke: %s", run->job.kernel, status->message);
        else if (run->stage == CAKE_RUN_LOADING)
            cake_run_fail(run, CAKE_EXIT_WRONG, "code", "%s", status->message);
        else
            cake_run_fail(run, CAKE_EXIT_ENVIRONMENT, "environment", "%s (while %s)", status->message,
                          stage_name(run->stage));
        break;
    case CAKE_STATUS_UNAVAILABLE:
    case CAKE_STATUS_NO_MEMORY:
        cake_run_fail(run, CAKE_EXIT_ENVIRONMENT, "environment", "%s", status->message);
        break;
    }
}

static void judge_end(cake_run *run, const cake_watch_result *result) {
    if (run->has_status) {
        judge_status(run);
        return;
    }
    switch (result->end) {
    case CAKE_WATCH_SILENT:
        judge_silence(run, result->number);
        break;
    case CAKE_WATCH_CRASHED:
        cake_run_fail(run, CAKE_EXIT_ENVIRONMENT, "crash",
                      "the process that drives the GPU was ended by signal %d (%s) while %s", result->number,
                      strsignal(result->number), stage_name(run->stage));
        break;
    case CAKE_WATCH_EXITED:
        cake_run_fail(run, result->number ? result->number : CAKE_EXIT_ENVIRONMENT, "crash",
                      "the process that drives the GPU ended early with status %d while %s", result->number,
                      stage_name(run->stage));
        break;
    case CAKE_WATCH_GARBLED:
        cake_run_fail(run, CAKE_EXIT_ENVIRONMENT, "crash", "the process that drives the GPU went astray while %s",
                      stage_name(run->stage));
        break;
    }
}

static void judge_damages(cake_run *run) {
    for (uint32_t i = 0; i < run->job.tensors.count; i++) {
        const cake_run_damage *damage = &run->damages[i];
        if (damage->before || damage->after)
            cake_run_fail(
                run, CAKE_EXIT_WRONG, "overrun",
                "kernel '%s' wrote outside tensor '%s': %llu bytes before it and %llu bytes behind it changed",
                run->job.kernel, run->job.tensors.items[i].name, (unsigned long long)damage->before,
                (unsigned long long)damage->after);
    }
}

/* ---- the whole ---- */

static void run_on_gpu(cake_run *run) {
    cake_watch watch = {work, place_message, accept_message, silence_limit, run};
    cake_watch_result result;
    cake_status status = cake_watch_run(&watch, &result);
    if (status.kind != CAKE_STATUS_OK) {
        cake_run_fail(run, CAKE_EXIT_ENVIRONMENT, "environment", "%s", status.message);
        return;
    }
    judge_end(run, &result);
    judge_damages(run);
}

static void do_run(cake_run *run) {
    if (!cake_run_setup(run)) return;
    if (run->code->simulator)
        cake_run_simulate(run);
    else
        run_on_gpu(run);
    if (run->has_status && run->status.kind == CAKE_STATUS_OK && !run->job.bench) cake_run_compare(run);
}

static int report(const cake_run *run, FILE *out, FILE *err) {
    cake_run_report(run, out, err);
    return run->exit_status;
}

int cake_run_once(const cake_options *options, const cake_run_code *code, uint64_t schedule, bool last, FILE *out,
                  FILE *err) {
    jmp_buf out_of_memory;
    cake_arena arena;
    cake_arena_init(&arena, CAKE_CASE_ARENA_LIMIT, &out_of_memory);
    if (setjmp(out_of_memory)) {
        const cake_run failed = {.options = options,
                                 .code = code,
                                 .exit_status = CAKE_EXIT_ENVIRONMENT,
                                 .kind = "environment",
                                 .message = "out of memory"};
        cake_arena_fini(&arena);
        return report(&failed, out, err);
    }
    cake_run run = {.options = options, .code = code, .arena = &arena, .schedule = schedule};
    cake_diagnostics_init(&run.diagnostics, &arena, code->simulator ? code->simulator->source : NULL);
    do_run(&run);
    if (run.kind || last) cake_run_report(&run, out, err);
    int exit_status = run.exit_status;
    cake_arena_fini(&arena);
    return exit_status;
}

int cake_run_command(const cake_options *options, const cake_run_code *code, FILE *out, FILE *err) {
    if (code->simulator) return cake_run_simulated(options, code, out, err);
    return cake_run_once(options, code, 0, true, out, err);
}

int cake_run_refuse(const cake_options *options, int exit_status, const char *kind, const char *message, FILE *out,
                    FILE *err) {
    cake_run run = {.options = options, .exit_status = exit_status, .kind = kind, .message = message};
    run.job.bench = options->command == CAKE_COMMAND_BENCH;
    return report(&run, out, err);
}
