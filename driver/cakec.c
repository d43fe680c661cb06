/* cakec: the compiler's command line. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "driver/compile_command.h"
#include "driver/compile_setup.h"
#include "driver/document.h"

static const cake_tool tool = {
    "cakec", CAKE_IN(COMPILE) | CAKE_IN(CHECK) | CAKE_IN(RUN) | CAKE_IN(BENCH) | CAKE_IN(EXPLAIN) | CAKE_IN(FMT),
    CAKE_COMMAND_COMPILE};

static int print_version(cake_arena *arena) {
    const char *llvm = cake_compile_llvm_version(arena);
    printf("cakec %s, language 1, manifest %d, LLVM %s, Z3 none\n", CAKE_VERSION_TEXT, CAKE_MANIFEST_VERSION,
           llvm ? llvm : "none");
    return CAKE_DONE;
}

static int run_command(cake_arena *arena, const cake_options *options) {
    switch (options->command) {
    case CAKE_COMMAND_COMPILE:
        return cake_compile_command(arena, options, stdout, stderr);
    case CAKE_COMMAND_CHECK:
        return cake_check_command(arena, options, stdout, stderr);
    case CAKE_COMMAND_RUN:
    case CAKE_COMMAND_BENCH:
        return cake_launch_command(arena, options, stdout, stderr);
    case CAKE_COMMAND_EXPLAIN:
        return cake_explain_command(arena, options, stdout, stderr);
    case CAKE_COMMAND_FMT:
        return cake_format_command(arena, options, stdout, stderr);
    case CAKE_COMMAND_COUNT:
        break;
    }
    return CAKE_COMMAND_LINE;
}

static int run_tool(cake_arena *arena, int argc, char **argv) {
    cake_options options;
    cake_status status = cake_options_parse(arena, &tool, argc, argv, &options);
    if (status.kind != CAKE_STATUS_OK) {
        if (cake_document_wanted(argc, argv))
            cake_document_refuse(arena, cake_command_name(options.command), cake_exit_kind(CAKE_COMMAND_LINE),
                                 status.message, stdout);
        else
            cake_complain(arena, status.message, stderr);
        return CAKE_COMMAND_LINE;
    }
    if (options.request == CAKE_REQUEST_VERSION) return print_version(arena);
    if (options.request == CAKE_REQUEST_COMMAND) return run_command(arena, &options);
    cake_options_help(&tool, stdout);
    return CAKE_DONE;
}

/* LLVM ends the process on what it takes for a fatal error: that is a bug of ours and has its own status. */
static void on_abort(int signal_number) {
    static const char text[] = "cakec: internal error; please report the schedule\n";
    (void)signal_number;
    ssize_t written = write(2, text, sizeof text - 1);
    (void)written;
    _exit(CAKE_BUG);
}

/* What was printed may still be in the buffer, and a full disk shows only here. */
static int close_output(int exit_status) {
    errno = 0;
    bool failed = fflush(stdout) != 0 || ferror(stdout);
    if (!failed || exit_status != CAKE_DONE) return exit_status;
    fprintf(stderr, "cakec: cannot write standard output: %s\n", strerror(errno ? errno : EIO));
    return CAKE_ENVIRONMENT;
}

int main(int argc, char **argv) {
    jmp_buf out_of_memory;
    cake_arena arena;
    signal(SIGABRT, on_abort);
    cake_arena_init(&arena, CAKE_ARENA_DEFAULT_LIMIT, &out_of_memory);
    int exit_status = CAKE_ENVIRONMENT;
    if (setjmp(out_of_memory) == 0)
        exit_status = run_tool(&arena, argc, argv);
    else if (cake_document_wanted(argc, argv))
        cake_document_refuse(NULL, cake_command_name(tool.default_command), cake_exit_kind(CAKE_ENVIRONMENT),
                             "out of memory", stdout);
    else
        fprintf(stderr, "cakec: out of memory\n");
    cake_arena_fini(&arena);
    return close_output(exit_status);
}
