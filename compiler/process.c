/* Running another program without a shell: bounded in time and in what it may say. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "compiler/process.h"

extern char **environ;

static int64_t now_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- starting ---- */

/* Only the ends that the child is given as its own outlive exec. */
static bool open_pipe(int ends[2]) {
    if (pipe(ends) != 0) return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}

static bool is_missing(int error) {
    return error == ENOENT || error == ENOTDIR || error == EACCES;
}

/* The first program that is there. Gives 0 or an error number. */
static int spawn_first(const cake_process *process, posix_spawn_file_actions_t *actions, pid_t *out_child) {
    int error = ENOENT;
    for (uint32_t i = 0; process->programs[i] && is_missing(error); i++)
        error = posix_spawnp(out_child, process->programs[i], actions, NULL, process->arguments, environ);
    return error;
}

static int spawn(const cake_process *process, int output, pid_t *out_child) {
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    if (!error) error = spawn_first(process, &actions, out_child);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* ---- listening ---- */

typedef struct listener {
    int input;
    int64_t deadline;
    char *log;
    size_t size, capacity;
} listener;

/* Takes what is there; what does not fit is read and forgotten, so that the child is never held up. */
static bool take_output(listener *l) {
    char rest[4096];
    bool fits = l->size < l->capacity;
    ssize_t got = fits ? read(l->input, l->log + l->size, l->capacity - l->size) : read(l->input, rest, sizeof rest);
    if (got < 0) return errno == EINTR;
    if (fits) l->size += (size_t)got;
    return got > 0;
}

/* Until the child's end closes; false when time is up before. */
static bool listen_to_end(listener *l) {
    for (;;) {
        int64_t left = l->deadline - now_milliseconds();
        struct pollfd event = {.fd = l->input, .events = POLLIN};
        if (left <= 0) return false;
        int ready = poll(&event, 1, (int)(left < 1000 ? left : 1000));
        if (ready < 0 && errno != EINTR) return false;
        if (ready > 0 && !take_output(l)) return true;
    }
}

/* A program may close its output and go on; false when time is up. */
static bool await_end(pid_t child, int64_t deadline, int *out_status) {
    const struct timespec pause = {.tv_nsec = 2000000};
    for (;;) {
        pid_t ended = waitpid(child, out_status, WNOHANG);
        if (ended == child) return true;
        if (ended < 0 && errno != EINTR) return false;
        if (now_milliseconds() >= deadline) return false;
        nanosleep(&pause, NULL);
    }
}

static cake_status stop(const cake_process *process, pid_t child) {
    kill(child, SIGKILL);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    return cake_status_make(CAKE_STATUS_TIMEOUT, "%s did not end within %u s", process->programs[0],
                            process->limit_seconds);
}

cake_status cake_process_run(const cake_process *process, char *log, size_t log_capacity, int *out_exit_status) {
    int ends[2], status = 0;
    pid_t child;
    listener l = {.deadline = now_milliseconds() + (int64_t)process->limit_seconds * 1000, .log = log};
    l.capacity = log_capacity - 1;
    log[0] = '\0';
    if (!open_pipe(ends)) return cake_status_make(CAKE_STATUS_UNAVAILABLE, "no pipe: %s", strerror(errno));
    int error = spawn(process, ends[1], &child);
    close(ends[1]);
    l.input = ends[0];
    bool ended = !error && listen_to_end(&l) && await_end(child, l.deadline, &status);
    close(ends[0]);
    log[l.size] = '\0';
    if (error)
        return cake_status_make(CAKE_STATUS_UNAVAILABLE, "cannot start %s: %s", process->programs[0], strerror(error));
    if (!ended) return stop(process, child);
    if (WIFSIGNALED(status))
        return cake_status_make(CAKE_STATUS_UNAVAILABLE, "%s was ended by signal %d", process->programs[0],
                                WTERMSIG(status));
    *out_exit_status = WEXITSTATUS(status);
    return cake_status_ok();
}
