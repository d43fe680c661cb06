#include "driver/watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How long a killed child is waited for: a driver may take its time to clear up after a hung kernel. */
#define REAP_SECONDS 10

/* ---- the child's side ---- */

static void write_all(int channel, const void *bytes, uint64_t size) {
    const char *next = bytes;
    while (size > 0) {
        ssize_t written = write(channel, next, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) _exit(1); /* nobody listens any more */
        next += written;
        size -= (uint64_t)written;
    }
}

void cake_watch_send(int channel, uint32_t kind, uint32_t index, const void *bytes, uint64_t size) {
    cake_message message = {kind, index, size};
    write_all(channel, &message, sizeof message);
    write_all(channel, bytes, size);
}

static CAKE_NORETURN void be_child(const cake_watch *watch, int channel, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a hung kernel must not outlive a killed tool */
    if (getppid() == parent) watch->work(watch->context, channel);
    _exit(0);
}

/* ---- the parent's side ---- */

typedef enum read_end { READ_ALL, READ_CLOSED, READ_SILENT } read_end;

/* Milliseconds from now to the deadline, at least 0. */
static int remaining(const struct timespec *deadline) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t left = (int64_t)(deadline->tv_sec - now.tv_sec) * 1000 + (deadline->tv_nsec - now.tv_nsec) / 1000000;
    return left < 0 ? 0 : left > INT32_MAX ? INT32_MAX : (int)left;
}

/* Reads size bytes. Every piece that arrives starts the time anew. */
static read_end read_all(int channel, void *bytes, uint64_t size, uint32_t limit_seconds) {
    char *next = bytes;
    while (size > 0) {
        struct timespec deadline;
        clock_gettime(CLOCK_MONOTONIC, &deadline);
        deadline.tv_sec += (time_t)limit_seconds;
        struct pollfd wanted = {.fd = channel, .events = POLLIN};
        int ready;
        do {
            ready = poll(&wanted, 1, remaining(&deadline));
        } while (ready < 0 && errno == EINTR);
        if (ready == 0) return READ_SILENT;
        ssize_t got = ready < 0 ? -1 : read(channel, next, size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return READ_CLOSED;
        next += got;
        size -= (uint64_t)got;
    }
    return READ_ALL;
}

/* Waits for a child that was killed or has closed its end; false if it does not go. */
static int reap(pid_t child, int *out_wait_status) {
    const struct timespec pause = {.tv_nsec = 10000000};
    for (int i = 0; i < REAP_SECONDS * 100; i++) {
        pid_t reaped = waitpid(child, out_wait_status, WNOHANG);
        if (reaped == child) return 1;
        if (reaped < 0 && errno != EINTR) return 0;
        nanosleep(&pause, NULL);
    }
    return 0;
}

static cake_watch_result end_of(pid_t child) {
    int wait_status = 0;
    if (!reap(child, &wait_status)) {
        kill(child, SIGKILL);
        return (cake_watch_result){CAKE_WATCH_SILENT, REAP_SECONDS};
    }
    if (WIFSIGNALED(wait_status)) return (cake_watch_result){CAKE_WATCH_CRASHED, WTERMSIG(wait_status)};
    return (cake_watch_result){CAKE_WATCH_EXITED, WEXITSTATUS(wait_status)};
}

static cake_watch_result kill_child(pid_t child, cake_watch_end end, uint32_t number) {
    int wait_status;
    kill(child, SIGKILL);
    (void)reap(child, &wait_status);
    return (cake_watch_result){end, (int)number};
}

static cake_watch_result listen_to(const cake_watch *watch, pid_t child, int channel) {
    for (;;) {
        cake_message message;
        uint32_t limit = watch->limit(watch->context);
        read_end end = read_all(channel, &message, sizeof message, limit);
        if (end == READ_SILENT) return kill_child(child, CAKE_WATCH_SILENT, limit);
        if (end == READ_CLOSED) return end_of(child);
        void *bytes = watch->place(watch->context, &message);
        if (!bytes) return kill_child(child, CAKE_WATCH_GARBLED, 0);
        end = read_all(channel, bytes, message.size, limit);
        if (end == READ_SILENT) return kill_child(child, CAKE_WATCH_SILENT, limit);
        if (end == READ_CLOSED) return end_of(child);
        watch->accept(watch->context, &message, bytes);
    }
}

cake_status cake_watch_run(const cake_watch *watch, cake_watch_result *out_result) {
    int channel[2];
    if (pipe(channel) != 0) return cake_status_make(CAKE_STATUS_UNAVAILABLE, "cannot make a pipe: %s", strerror(errno));
    fflush(NULL); /* or the child would hold a copy of what was not yet written */
    pid_t parent = getpid(), child = fork();
    if (child < 0) {
        int error = errno;
        close(channel[0]);
        close(channel[1]);
        return cake_status_make(CAKE_STATUS_UNAVAILABLE, "cannot start a process: %s", strerror(error));
    }
    if (child == 0) {
        close(channel[0]);
        be_child(watch, channel[1], parent);
    }
    close(channel[1]);
    *out_result = listen_to(watch, child, channel[0]);
    close(channel[0]);
    return cake_status_ok();
}
