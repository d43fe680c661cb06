/* Watching a child process: work that may hang or crash is done in a child, and what it finds out comes back as
 * messages through a pipe. A child that stays silent for too long is killed.
 *
 *     static void work(void *context, int channel) { ...; cake_watch_send(channel, KIND, 0, &value, sizeof value); }
 *     cake_watch watch = {work, place, accept, limit, context};
 *     cake_watch_result result;
 *     cake_status status = cake_watch_run(&watch, &result);
 *
 * The child shares nothing with its parent but a copy of the memory at the fork; it must not touch standard output.
 */
#ifndef CAKE_DRIVER_WATCH_H
#define CAKE_DRIVER_WATCH_H

#include <stdint.h>

#include "support/status.h"

typedef struct cake_message {
    uint32_t kind, index; /* their meaning is the sender's */
    uint64_t size;        /* bytes that follow */
} cake_message;

typedef struct cake_watch {
    void (*work)(void *context, int channel); /* in the child, which ends when it returns */
    /* In the parent: memory for a message's bytes, or null if there should be no such message. */
    void *(*place)(void *context, const cake_message *message);
    /* In the parent: the bytes have arrived. */
    void (*accept)(void *context, const cake_message *message, void *bytes);
    /* In the parent: how many seconds the child may stay silent now. */
    uint32_t (*limit)(void *context);
    void *context;
} cake_watch;

typedef enum cake_watch_end {
    CAKE_WATCH_EXITED,  /* number: exit status */
    CAKE_WATCH_CRASHED, /* number: signal */
    CAKE_WATCH_SILENT,  /* killed; number: the limit in seconds that was reached */
    CAKE_WATCH_GARBLED  /* killed after a message that should not be */
} cake_watch_end;

typedef struct cake_watch_result {
    cake_watch_end end;
    int number;
} cake_watch_result;

/* UNAVAILABLE if there can be no child. */
CAKE_MUST_USE cake_status cake_watch_run(const cake_watch *watch, cake_watch_result *out_result);

/* In the child; ends it if the parent is gone. */
void cake_watch_send(int channel, uint32_t kind, uint32_t index, const void *bytes, uint64_t size);

#endif
