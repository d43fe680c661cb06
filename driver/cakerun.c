/* cakerun: run and time compiled kernels without the compiler. */
#include <stdio.h>
#include <string.h>

#include "driver/document.h"
#include "driver/run_command.h"
#include "manifest/manifest.h"
#include "support/source.h"

#define EXIT_COMMAND_LINE 2
#define EXIT_ENVIRONMENT  3

static const cake_tool tool = {"cakerun", CAKE_IN(RUN) | CAKE_IN(BENCH), CAKE_COMMAND_RUN};

/* Also before the command line is understood, and when memory is gone: the arena may be null. */
static int complain(cake_arena *arena, int exit_status, cake_command command, const char *message, bool json) {
    const char *kind = exit_status == EXIT_COMMAND_LINE ? "command line" : "environment";
    if (json)
        cake_document_refuse(arena, cake_command_name(command), kind, message, stdout);
    else
        fprintf(stderr, "cakerun: %s\n", message);
    return exit_status;
}

static bool is_cubin(const cake_source *source) {
    return source->size >= 4 && memcmp(source->text,
                                       "\x7f"
                                       "ELF",
                                       4) == 0;
}

/* Reads the code and, for a cubin, the manifest beside it. */
static cake_status read_code(cake_arena *arena, const char *path, cake_run_code *out_code) {
    cake_source source;
    cake_status status = cake_source_read(arena, path, &source);
    if (status.kind != CAKE_STATUS_OK) return status;
    *out_code = (cake_run_code){.path = path, .bytes = source.text, .size = source.size};
    if (!is_cubin(&source)) return status;
    cake_source manifest;
    status = cake_source_read(arena, cake_arena_format(arena, "%s.json", path), &manifest);
    out_code->manifest = manifest.text;
    out_code->manifest_size = manifest.size;
    return status;
}

static int run_tool(cake_arena *arena, int argc, char **argv) {
    cake_options options;
    cake_status status = cake_options_parse(arena, &tool, argc, argv, &options);
    if (status.kind != CAKE_STATUS_OK)
        return complain(arena, EXIT_COMMAND_LINE, options.command, status.message, cake_document_wanted(argc, argv));
    if (options.request == CAKE_REQUEST_HELP) {
        cake_options_help(&tool, stdout);
        return 0;
    }
    if (options.request == CAKE_REQUEST_VERSION) {
        printf("cakerun %s, manifest %d\n", CAKE_VERSION, CAKE_MANIFEST_VERSION);
        return 0;
    }
    if (options.files.count != 1)
        return complain(arena, EXIT_COMMAND_LINE, options.command, "give one file of code; --help lists the options",
                        cake_options_json(&options));
    cake_run_code code = {0};
    status = read_code(arena, options.files.items[0], &code);
    if (status.kind != CAKE_STATUS_OK)
        return cake_run_refuse(&options, EXIT_ENVIRONMENT, "environment", status.message, stdout, stderr);
    return cake_run_command(&options, &code, stdout, stderr);
}

int main(int argc, char **argv) {
    jmp_buf out_of_memory;
    cake_arena arena;
    cake_arena_init(&arena, CAKE_ARENA_DEFAULT_LIMIT, &out_of_memory);
    int exit_status = EXIT_ENVIRONMENT;
    if (setjmp(out_of_memory) == 0)
        exit_status = run_tool(&arena, argc, argv);
    else
        complain(NULL, exit_status, CAKE_COMMAND_RUN, "out of memory", cake_document_wanted(argc, argv));
    cake_arena_fini(&arena);
    return exit_status;
}
