/* PTX to a cubin through ptxas, in a folder of its own that is gone before anything is made of the result. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/compiler.h"
#include "compiler/internal.h"
#include "compiler/process.h"

#define TIME_LIMIT_SECONDS 120
#define LOG_CAPACITY       ((size_t)1 << 16)
#define CUBIN_LIMIT        ((off_t)1 << 28)

typedef struct assembly {
    char *folder, *ptx_path, *cubin_path;
    size_t path_capacity;
    cake_text ptx;
    char *log;
    int exit_status;
    int cubin; /* descriptor, or -1 */
} assembly;

/* Without an explicit time and size (0 counts as none) ptxas writes the date of the schedule itself into the cubin. */
static void add_dated(cake_text *out, const char *ptx, size_t size) {
    for (const char *line = ptx, *end = ptx + size; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *next = newline ? newline + 1 : end;
        size_t length = (size_t)((newline ? newline : end) - line);
        bool is_file = strncmp(line + strspn(line, " \t"), ".file", 5) == 0;
        cake_text_add(out, line, length);
        if (is_file && line[length - 1] == '"') cake_text_add_string(out, ", 1, 1");
        if (newline) cake_text_add_string(out, "\n");
        line = next;
    }
}

static cake_status failed(const char *path) {
    return cake_status_make(CAKE_STATUS_UNAVAILABLE, "cannot write '%.300s' for ptxas: %s", path, strerror(errno));
}

static cake_status write_all(const char *path, const cake_text *text) {
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    size_t written = 0;
    while (descriptor >= 0 && written < text->size) {
        ssize_t one = write(descriptor, text->bytes + written, text->size - written);
        if (one < 0 && errno != EINTR) break;
        if (one > 0) written += (size_t)one;
    }
    cake_status status = descriptor >= 0 && written == text->size ? cake_status_ok() : failed(path);
    if (descriptor >= 0) close(descriptor);
    return status;
}

static cake_status run(assembly *a, const char *target) {
    cake_status status = write_all(a->ptx_path, &a->ptx);
    if (status.kind != CAKE_STATUS_OK) return status;
    char *arguments[] = {"ptxas", "-v", "-arch", (char *)target, a->ptx_path, "-o", a->cubin_path, NULL};
    cake_process process = {.programs = {"ptxas", "/usr/local/cuda/bin/ptxas"},
                            .arguments = arguments,
                            .limit_seconds = TIME_LIMIT_SECONDS};
    status = cake_process_run(&process, a->log, LOG_CAPACITY, &a->exit_status);
    a->cubin = open(a->cubin_path, O_RDONLY | O_CLOEXEC);
    return status;
}

/* Nothing here takes memory from the arena, which may jump: the folder never outlives this call. */
static cake_status run_in_folder(assembly *a, const char *target) {
    if (!mkdtemp(a->folder)) return failed(a->folder);
    snprintf(a->ptx_path, a->path_capacity, "%s/kernel.ptx", a->folder);
    snprintf(a->cubin_path, a->path_capacity, "%s/kernel.cubin", a->folder);
    cake_status status = run(a, target);
    unlink(a->ptx_path);
    unlink(a->cubin_path);
    rmdir(a->folder);
    return status;
}

static cake_status read_cubin(cake_arena *arena, int descriptor, cake_text *out) {
    struct stat info;
    if (descriptor < 0 || fstat(descriptor, &info) != 0 || info.st_size == 0 || info.st_size > CUBIN_LIMIT)
        return cake_status_make(CAKE_STATUS_UNAVAILABLE, "ptxas ended well, but wrote no usable cubin");
    size_t size = (size_t)info.st_size, got = 0;
    char *bytes = cake_arena_alloc(arena, size);
    while (got < size) {
        ssize_t one = read(descriptor, bytes + got, size - got);
        if (one < 0 && errno == EINTR) continue;
        if (one <= 0) return cake_status_make(CAKE_STATUS_UNAVAILABLE, "cannot read the cubin back");
        got += (size_t)one;
    }
    cake_text_add(out, bytes, size);
    return cake_status_ok();
}

static const char *temporary_root(void) {
    const char *root = getenv("TMPDIR");
    return root && root[0] == '/' ? root : "/tmp";
}

cake_status cake_compile_assemble(cake_compilation *compilation, const char *ptx, size_t size, cake_text *out) {
    cake_arena *arena = compilation->arena;
    assembly a = {.folder = cake_arena_format(arena, "%s/cake.XXXXXX", temporary_root()), .cubin = -1};
    a.path_capacity = strlen(a.folder) + sizeof "/kernel.cubin";
    a.ptx_path = cake_arena_alloc(arena, a.path_capacity);
    a.cubin_path = cake_arena_alloc(arena, a.path_capacity);
    a.log = cake_arena_alloc(arena, LOG_CAPACITY);
    cake_text_init(&a.ptx, arena);
    add_dated(&a.ptx, ptx, size);
    cake_status status = run_in_folder(&a, cake_target_info_of(compilation->module->target)->name);
    if (status.kind == CAKE_STATUS_OK) status = cake_compile_remarks(compilation, &a.ptx, a.log, a.exit_status);
    if (status.kind == CAKE_STATUS_OK && a.exit_status == 0) status = read_cubin(arena, a.cubin, out);
    if (a.cubin >= 0) close(a.cubin);
    return status;
}
