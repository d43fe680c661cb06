/* Finds the manifest's comment block in PTX text. */
#include "manifest/manifest.h"

#include <stdbool.h>
#include <string.h>

typedef struct line_cursor {
    const char *next, *end;
} line_cursor;

/* The next line without its newline; false at the end. */
static bool next_line(line_cursor *lines, const char **out_line, size_t *out_size) {
    if (lines->next == lines->end) return false;
    const char *newline = memchr(lines->next, '\n', (size_t)(lines->end - lines->next));
    *out_line = lines->next;
    *out_size = (size_t)((newline ? newline : lines->end) - lines->next);
    lines->next = newline ? newline + 1 : lines->end;
    return true;
}

static bool starts_with(const char *line, size_t size, const char *prefix) {
    return size >= strlen(prefix) && memcmp(line, prefix, strlen(prefix)) == 0;
}

/* Collects the lines up to the end mark, without their '//'. */
static cake_status collect_block(line_cursor *lines, cake_text *json) {
    const char *line;
    size_t size;
    while (next_line(lines, &line, &size)) {
        if (starts_with(line, size, CAKE_MANIFEST_END)) return cake_status_ok();
        if (!starts_with(line, size, "//")) break;
        cake_text_add(json, line + 2, size - 2);
        cake_text_add_string(json, "\n");
    }
    return cake_status_make(CAKE_STATUS_INVALID, "the manifest is damaged: its block in the PTX has no '%s'",
                            CAKE_MANIFEST_END);
}

static bool is_version_line(const char *line, size_t size) {
    size_t begin = strlen(CAKE_MANIFEST_BEGIN) + 1;
    while (size > begin && (line[size - 1] == '\r' || line[size - 1] == ' '))
        size--;
    return size == begin + 1 && line[begin - 1] == ' ' && line[begin] == '0' + CAKE_MANIFEST_VERSION;
}

cake_status cake_manifest_read_ptx(cake_arena *arena, const char *ptx, size_t size, cake_manifest **out_manifest) {
    line_cursor lines = {ptx, ptx + size};
    const char *line;
    size_t line_size;
    while (next_line(&lines, &line, &line_size)) {
        if (!starts_with(line, line_size, CAKE_MANIFEST_BEGIN)) continue;
        if (!is_version_line(line, line_size))
            return cake_status_make(CAKE_STATUS_INVALID,
                                    "the manifest in the PTX is of another version than %d, the only one understood: "
                                    "compile the schedule again with this release",
                                    CAKE_MANIFEST_VERSION);
        cake_text json;
        cake_text_init(&json, arena);
        cake_status status = collect_block(&lines, &json);
        if (status.kind != CAKE_STATUS_OK) return status;
        return cake_manifest_read(arena, cake_text_string(&json), json.size, out_manifest);
    }
    return cake_status_make(CAKE_STATUS_INVALID, "the PTX carries no manifest: it was not written by cakec");
}
