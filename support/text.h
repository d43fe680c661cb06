/* Text builder: output of printers, grown in an arena. */
#ifndef CAKE_SUPPORT_TEXT_H
#define CAKE_SUPPORT_TEXT_H

#include <stdint.h>

#include "support/arena.h"

typedef struct cake_text {
    cake_arena *arena;
    char *bytes; /* zero-terminated once anything was added, else null */
    size_t size, capacity;
} cake_text;

void cake_text_init(cake_text *text, cake_arena *arena);
void cake_text_add(cake_text *text, const char *bytes, size_t size);
void cake_text_add_string(cake_text *text, const char *string);
void cake_text_format(cake_text *text, const char *format, ...) CAKE_PRINTF(2, 3);

/* Adds foreign bytes in a form that is safe to show: printable UTF-8 as it is, a tab as four spaces, anything else
 * (control characters, broken UTF-8, invisible and direction-changing characters) byte by byte as \xNN. */
void cake_text_add_escaped(cake_text *text, const char *bytes, size_t size);
/* The same for the first character alone; size > 0. Gives the number of bytes it took and of columns it fills. */
size_t cake_text_add_glyph(cake_text *text, const char *bytes, size_t size, uint32_t *out_columns);

/* The text so far, "" if none. */
const char *cake_text_string(const cake_text *text);

#endif
