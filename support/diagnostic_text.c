/* Diagnostics for people.
 *
 * A source line and the marks below it are built side by side, one character of the line at a time, so that an escaped
 * byte gets as many marks as columns. */
#include "support/diagnostic.h"

#include <inttypes.h>
#include <string.h>

/* Longest part of a source line that is shown, in bytes, and how much of it stands before the first mark. */
#define SHOWN_BYTES       160u
#define SHOWN_BEFORE_MARK 60u

static void add_escaped(cake_text *text, const char *string) {
    cake_text_add_escaped(text, string, strlen(string));
}

/* The bytes of a line without its line end. */
static cake_span line_span(const cake_source *source, uint32_t line) {
    uint32_t begin = source->line_starts[line - 1];
    uint32_t end = line < source->line_count ? source->line_starts[line] - 1 : source->size;
    if (end > begin && source->text[end - 1] == '\r') end--;
    return (cake_span){begin, end};
}

static bool continues_character(const cake_source *source, uint32_t offset) {
    return offset < source->size && ((unsigned char)source->text[offset] & 0xc0) == 0x80;
}

/* The part of a line that is shown when marks begin at 'mark'. */
static cake_span window_around(const cake_source *source, cake_span line, uint32_t mark) {
    if (line.end - line.begin <= SHOWN_BYTES) return line;
    cake_span window = line;
    if (mark - line.begin > SHOWN_BYTES - SHOWN_BEFORE_MARK) window.begin = mark - SHOWN_BEFORE_MARK;
    for (int i = 0; i < 3 && window.begin < mark && continues_character(source, window.begin); i++)
        window.begin++;
    if (line.end - window.begin > SHOWN_BYTES) window.end = window.begin + SHOWN_BYTES;
    for (int i = 0; i < 3 && window.end < line.end && continues_character(source, window.end); i++)
        window.end++;
    return window;
}

/* The first line of the span with marks below it, and the label behind the marks. */
static void add_excerpt(cake_text *text, const cake_source *source, cake_span span, char mark, const char *label) {
    cake_position position = cake_source_position(source, span.begin);
    cake_span line = line_span(source, position.line);
    uint32_t begin = span.begin < line.end ? span.begin : line.end;
    uint32_t end = span.end < line.end ? span.end : line.end;
    cake_span window = window_around(source, line, begin);
    cake_text marks;
    cake_text_init(&marks, text->arena);
    const char *cut_before = window.begin > line.begin ? "..." : "";
    cake_text_format(text, "%5u | %s", position.line, cut_before);
    cake_text_format(&marks, "      | %s", window.begin > line.begin ? "   " : "");
    for (uint32_t offset = window.begin; offset < window.end;) {
        uint32_t columns;
        char under = offset >= begin && offset < end ? mark : ' ';
        offset += (uint32_t)cake_text_add_glyph(text, source->text + offset, window.end - offset, &columns);
        for (uint32_t i = 0; i < columns && offset <= (end > begin ? end : begin); i++)
            cake_text_add(&marks, &under, 1);
    }
    if (end <= begin) cake_text_add(&marks, &mark, 1);
    cake_text_format(text, "%s\n%s", window.end < line.end ? "..." : "", cake_text_string(&marks));
    if (label) cake_text_add_string(text, " ");
    add_escaped(text, label ? label : "");
    cake_text_add_string(text, "\n");
}

static void add_note(cake_text *text, const cake_diagnostic *diagnostic, const cake_note *note) {
    if (diagnostic->source && note->span.end > 0) {
        add_excerpt(text, diagnostic->source, note->span, '-', note->message);
        return;
    }
    cake_text_add_string(text, "   note: ");
    add_escaped(text, note->message);
    cake_text_add_string(text, "\n");
}

static void add_counterexample(cake_text *text, const cake_diagnostic *diagnostic) {
    for (uint32_t i = 0; i < diagnostic->counterexample.count; i++) {
        cake_text_add_string(text, i ? ", " : "   counterexample: ");
        add_escaped(text, diagnostic->counterexample.items[i].name);
        cake_text_format(text, " = %" PRId64, diagnostic->counterexample.items[i].value);
    }
    if (diagnostic->counterexample.count) cake_text_add_string(text, "\n");
}

static void add_diagnostic(cake_text *text, const cake_diagnostic *diagnostic) {
    const cake_diagnostic_info *info = cake_diagnostic_info_of(diagnostic->code);
    if (diagnostic->source) {
        cake_position position = cake_source_position(diagnostic->source, diagnostic->span.begin);
        add_escaped(text, diagnostic->source->name);
        cake_text_format(text, ":%u:%u: ", position.line, position.column);
    }
    cake_text_format(text, "%s[%s]: ", cake_severity_name(info->severity), info->code);
    add_escaped(text, diagnostic->message);
    cake_text_add_string(text, "\n");
    if (diagnostic->source) add_excerpt(text, diagnostic->source, diagnostic->span, '^', NULL);
    for (uint32_t i = 0; i < diagnostic->notes.count; i++)
        add_note(text, diagnostic, &diagnostic->notes.items[i]);
    add_counterexample(text, diagnostic);
    for (uint32_t i = 0; i < diagnostic->fixes.count; i++) {
        cake_text_add_string(text, "   fix: ");
        add_escaped(text, diagnostic->fixes.items[i].title);
        cake_text_add_string(text, "\n");
    }
}

void cake_diagnostics_text(const cake_diagnostics *diagnostics, cake_text *out_text) {
    const cake_diagnostic *order[CAKE_DIAGNOSTIC_LIMIT];
    uint32_t count = cake_diagnostics_order(diagnostics, order);
    for (uint32_t i = 0; i < count; i++)
        add_diagnostic(out_text, order[i]);
    if (diagnostics->dropped) cake_text_format(out_text, "%u more diagnostics are not shown\n", diagnostics->dropped);
}

void cake_diagnostics_print(const cake_diagnostics *diagnostics, FILE *out) {
    cake_text text;
    cake_text_init(&text, diagnostics->arena);
    cake_diagnostics_text(diagnostics, &text);
    fwrite(cake_text_string(&text), 1, text.size, out);
}
