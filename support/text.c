#include "support/text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

void cake_text_init(cake_text *text, cake_arena *arena) {
    *text = (cake_text){.arena = arena};
}

/* Makes room for size more bytes and the terminating zero. */
static void reserve(cake_text *text, size_t size) {
    if (size >= SIZE_MAX / 4 || text->size >= SIZE_MAX / 4) longjmp(*text->arena->out_of_memory, 1);
    size_t needed = text->size + size + 1;
    if (needed <= text->capacity) return;
    size_t capacity = text->capacity ? text->capacity * 2 : 128;
    if (capacity < needed) capacity = needed;
    char *bytes = cake_arena_alloc(text->arena, capacity);
    if (text->size) memcpy(bytes, text->bytes, text->size);
    text->bytes = bytes;
    text->capacity = capacity;
}

void cake_text_add(cake_text *text, const char *bytes, size_t size) {
    reserve(text, size);
    if (size) memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    text->bytes[text->size] = '\0';
}

void cake_text_add_string(cake_text *text, const char *string) {
    cake_text_add(text, string, strlen(string));
}

void cake_text_format(cake_text *text, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (size < 0) {
        va_end(again);
        longjmp(*text->arena->out_of_memory, 1);
    }
    reserve(text, (size_t)size);
    vsnprintf(text->bytes + text->size, (size_t)size + 1, format, again);
    va_end(again);
    text->size += (size_t)size;
}

const char *cake_text_string(const cake_text *text) {
    return text->bytes ? text->bytes : "";
}

/* Length of the well-formed UTF-8 sequence at bytes, 0 if there is none: no overlong forms, no surrogates. */
static size_t decode_utf8(const unsigned char *bytes, size_t size, uint32_t *out_code) {
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (bytes[0] < 0x80) {
        *out_code = bytes[0];
        return 1;
    }
    size_t length = bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : 2;
    if (bytes[0] < 0xc0 || bytes[0] >= 0xf8 || length > size) return 0;
    uint32_t code = bytes[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (bytes[i] & 0x3fu);
    }
    if (code < smallest[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return 0;
    *out_code = code;
    return length;
}

/* Neither a control character nor one that hides or reorders its neighbours. */
static int is_printable(uint32_t code) {
    if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad || code == 0xfeff) return 0;
    return !(code >= 0x200b && code <= 0x200f) && !(code >= 0x2028 && code <= 0x202e) &&
           !(code >= 0x2060 && code <= 0x206f);
}

size_t cake_text_add_glyph(cake_text *text, const char *bytes, size_t size, uint32_t *out_columns) {
    uint32_t code = 0;
    size_t length = decode_utf8((const unsigned char *)bytes, size, &code);
    if (length && is_printable(code)) {
        cake_text_add(text, bytes, length);
        *out_columns = 1;
        return length;
    }
    if (bytes[0] == '\t')
        cake_text_add_string(text, "    ");
    else
        cake_text_format(text, "\\x%02x", (unsigned)(unsigned char)bytes[0]);
    *out_columns = 4;
    return 1;
}

void cake_text_add_escaped(cake_text *text, const char *bytes, size_t size) {
    uint32_t columns;
    for (size_t i = 0; i < size;)
        i += cake_text_add_glyph(text, bytes + i, size - i, &columns);
}
