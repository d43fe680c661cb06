#include "support/source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void cake_source_init(cake_source *source, cake_arena *arena, const char *name, const char *text, uint32_t size) {
    CAKE_ASSERT(size <= CAKE_SOURCE_MAX_BYTES);
    uint32_t count = 1;
    for (uint32_t i = 0; i < size; i++)
        count += text[i] == '\n';
    uint32_t *starts = CAKE_NEW_ARRAY(arena, uint32_t, count);
    for (uint32_t i = 0, line = 1; i < size; i++) {
        if (text[i] == '\n') starts[line++] = i + 1;
    }
    *source = (cake_source){.name = name, .text = text, .size = size, .line_starts = starts, .line_count = count};
}

/* Reads until the end or until capacity bytes are there; -1 with errno set on failure. */
static ssize_t read_up_to(int descriptor, char *bytes, size_t capacity) {
    size_t size = 0;
    while (size < capacity) {
        ssize_t got = read(descriptor, bytes + size, capacity - size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        size += (size_t)got;
    }
    return (ssize_t)size;
}

static cake_status too_large(const char *path) {
    return cake_status_make(CAKE_STATUS_UNAVAILABLE, "'%.200s' is too large: a source file may have %u bytes", path,
                            CAKE_SOURCE_MAX_BYTES);
}

static cake_status unreadable(const char *path, int error) {
    return cake_status_make(CAKE_STATUS_UNAVAILABLE, "cannot read '%.200s': %s", path, strerror(error));
}

static cake_status read_standard_input(cake_arena *arena, char **out_text, size_t *out_size) {
    size_t capacity = CAKE_SOURCE_MAX_BYTES + 1;
    *out_text = cake_arena_alloc(arena, capacity + 1);
    ssize_t size = read_up_to(STDIN_FILENO, *out_text, capacity);
    if (size < 0) return unreadable("-", errno);
    if ((size_t)size == capacity) return too_large("-");
    *out_size = (size_t)size;
    return cake_status_ok();
}

/* The memory is taken before the file is opened: running out of it must not leave a descriptor behind. Not blocking
 * matters only should a pipe have taken the file's place meanwhile. */
static cake_status read_file(cake_arena *arena, const char *path, char **out_text, size_t *out_size) {
    struct stat information;
    if (stat(path, &information) != 0) return unreadable(path, errno);
    if (!S_ISREG(information.st_mode))
        return cake_status_make(CAKE_STATUS_UNAVAILABLE, "'%.200s' is not a regular file; '-' reads standard input",
                                path);
    if (information.st_size > (off_t)CAKE_SOURCE_MAX_BYTES) return too_large(path);
    size_t capacity = (size_t)information.st_size + 1;
    *out_text = cake_arena_alloc(arena, capacity + 1);
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return unreadable(path, errno);
    ssize_t size = read_up_to(descriptor, *out_text, capacity);
    int error = errno;
    close(descriptor);
    if (size < 0) return unreadable(path, error);
    if ((size_t)size == capacity)
        return cake_status_make(CAKE_STATUS_UNAVAILABLE, "'%.200s' grew while it was read; try again", path);
    *out_size = (size_t)size;
    return cake_status_ok();
}

cake_status cake_source_read(cake_arena *arena, const char *path, cake_source *out_source) {
    char *text = NULL;
    size_t size = 0;
    cake_status status =
        strcmp(path, "-") == 0 ? read_standard_input(arena, &text, &size) : read_file(arena, path, &text, &size);
    if (status.kind == CAKE_STATUS_OK) {
        text[size] = '\0';
        cake_source_init(out_source, arena, cake_arena_copy(arena, path, strlen(path)), text, (uint32_t)size);
    }
    return status;
}

/* Binary search for the last line that starts at or before the offset. An offset behind the end counts as the end. */
cake_position cake_source_position(const cake_source *source, uint32_t offset) {
    if (offset > source->size) offset = source->size;
    uint32_t low = 0, high = source->line_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (source->line_starts[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return (cake_position){.line = low + 1, .column = offset - source->line_starts[low] + 1};
}

cake_span cake_span_join(cake_span first, cake_span last) {
    return (cake_span){.begin = first.begin < last.begin ? first.begin : last.begin,
                       .end = first.end > last.end ? first.end : last.end};
}
