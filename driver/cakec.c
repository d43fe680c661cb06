/* cakec: the compiler's command line. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "compiler/compiler.h"
#include "driver/compile_command.h"

#define EXIT_COMMAND_LINE 2
#define EXIT_ENVIRONMENT  3
#define EXIT_BUG          4

static const cake_tool tool = {
    "cakec", CAKE_IN(COMPILE) | CAKE_IN(CHECK) | CAKE_IN(RUN) | CAKE_IN(BENCH) | CAKE_IN(EXPLAIN) | CAKE_IN(FMT),
    CAKE_COMMAND_COMPILE};

static int print_version(cake_arena *arena) {
    const char *llvm = cake_compile_llvm_version(arena);
    printf("cakec %s, language 1, manifest %d, LLVM %s, Z3 none\n", CAKE_VERSION_TEXT, CAKE_MANIFEST_VERSION,
           llvm ? llvm : "none");
    return 0;
}

static int run_tool(cake_arena *arena, int argc, char **argv) {
    cake_options options;
    cake_status status = cake_options_parse(arena, &tool, argc, argv, &options);
    if (status.kind != CAKE_STATUS_OK) {
        fprintf(stderr, "cakec: %s\n", status.message);
        return EXIT_COMMAND_LINE;
    }
    if (options.request == CAKE_REQUEST_VERSION) return print_version(arena);
    if (options.request == CAKE_REQUEST_HELP) {
        cake_options_help(&tool, stdout);
        return 0;
    }
    switch (options.command) {
    case CAKE_COMMAND_COMPILE:
        return cake_compile_command(arena, &options, stdout, stderr);
    case CAKE_COMMAND_CHECK:
        return cake_check_command(arena, &options, stdout, stderr);
    case CAKE_COMMAND_RUN:
    case CAKE_COMMAND_BENCH:
        return cake_launch_command(arena, &options, stdout, stderr);
    case CAKE_COMMAND_EXPLAIN:
        return cake_explain_command(arena, &options, stdout, stderr);
    case CAKE_COMMAND_FMT:
        return cake_format_command(arena, &options, stdout, stderr);
    case CAKE_COMMAND_COUNT:
        break;
    }
    return EXIT_COMMAND_LINE;
}

/* LLVM ends the process on what it takes for a fatal error: that is a bug of ours and has its own status. */
static void on_abort(int signal_number) {
    static const char text[] = "cakec: internal error; please report the schedule\n";
    (void)signal_number;
    ssize_t written = write(2, text, sizeof text - 1);
    (void)written;
    _exit(EXIT_BUG);
}

int main(int argc, char **argv) {
    jmp_buf out_of_memory;
    cake_arena arena;
    signal(SIGABRT, on_abort);
    cake_arena_init(&arena, CAKE_ARENA_DEFAULT_LIMIT, &out_of_memory);
    int exit_status = EXIT_ENVIRONMENT;
    if (setjmp(out_of_memory) == 0)
        exit_status = run_tool(&arena, argc, argv);
    else
        fprintf(stderr, "cakec: out of memory\n");
    cake_arena_fini(&arena);
    return exit_status;
}
