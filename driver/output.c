#include "driver/output.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_standard(const char *path) {
    return !path || strcmp(path, "-") == 0;
}

static bool is_special(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

bool cake_output_is_file(const char *path) {
    return !is_standard(path) && !is_special(path);
}

static cake_status failed(const char *path, int error) {
    return cake_status_make(CAKE_STATUS_UNAVAILABLE, "cannot write '%.300s': %s", path, strerror(error));
}

/* Gives 0 or an error number. */
static int write_and_close(FILE *file, const char *bytes, size_t size) {
    errno = 0;
    int error = fwrite(bytes, 1, size, file) == size && fflush(file) == 0 ? 0 : errno ? errno : EIO;
    if (fclose(file) != 0 && !error) error = errno;
    return error;
}

static int write_at(const char *path, const char *mode, const char *bytes, size_t size) {
    FILE *file = fopen(path, mode);
    return file ? write_and_close(file, bytes, size) : errno;
}

/* A short name in the path's folder: the path's own may already be as long as names can be. */
static const char *temporary_beside(cake_arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    return cake_arena_format(arena, "%.*s.cake.%ld.tmp", folder, path, (long)getpid());
}

cake_status cake_output_write(cake_arena *arena, const char *path, const char *bytes, size_t size, FILE *out) {
    if (is_standard(path)) {
        bool written = fwrite(bytes, 1, size, out) == size && fflush(out) == 0;
        return written ? cake_status_ok() : failed("standard output", errno);
    }
    if (is_special(path)) {
        int error = write_at(path, "wb", bytes, size);
        return error ? failed(path, error) : cake_status_ok();
    }
    const char *temporary = temporary_beside(arena, path);
    int error = write_at(temporary, "wbx", bytes, size);
    if (!error && rename(temporary, path) != 0) error = errno;
    if (!error) return cake_status_ok();
    if (error != EEXIST) remove(temporary);
    return failed(path, error);
}
