/* Source files and places in them. Lines and columns count from 1, columns in bytes, ends are exclusive. */
#ifndef CAKE_SUPPORT_SOURCE_H
#define CAKE_SUPPORT_SOURCE_H

#include <stdint.h>

#include "support/arena.h"
#include "support/status.h"

/* Largest file that is read: more is an error, not a long wait. */
#define CAKE_SOURCE_MAX_BYTES (8u << 20)

typedef struct cake_span {
    uint32_t begin, end; /* byte offsets into the source; begin == end is a point */
} cake_span;

typedef struct cake_position {
    uint32_t line, column;
} cake_position;

typedef struct cake_source {
    const char *name; /* as the user gave it; "-" for standard input */
    const char *text; /* zero-terminated; may hold zeros inside */
    uint32_t size;
    const uint32_t *line_starts; /* offset of each line's first byte */
    uint32_t line_count;
} cake_source;

/* Takes text as it is (not copied; must outlive the source). size <= CAKE_SOURCE_MAX_BYTES. */
void cake_source_init(cake_source *source, cake_arena *arena, const char *name, const char *text, uint32_t size);

/* Reads a whole file, "-" is standard input. Fails for unreadable, too large or no regular input. */
CAKE_MUST_USE cake_status cake_source_read(cake_arena *arena, const char *path, cake_source *out_source);

cake_position cake_source_position(const cake_source *source, uint32_t offset);
cake_span cake_span_join(cake_span first, cake_span last);

#endif
