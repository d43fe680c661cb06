/* Diagnostics for tools. Each JSON node passes through 'must' once: jansson answers null when memory is gone or when
 * text is not UTF-8, and only the former can be left by then. */
#include "support/diagnostic.h"

#include <jansson.h>
#include <string.h>

static json_t *must(cake_arena *arena, json_t *node) {
    if (!node) longjmp(*arena->out_of_memory, 1);
    return node;
}

static void put(cake_arena *arena, json_t *object, const char *key, json_t *value) {
    if (json_object_set_new(object, key, must(arena, value)) != 0) longjmp(*arena->out_of_memory, 1);
}

static void append(cake_arena *arena, json_t *array, json_t *value) {
    if (json_array_append_new(array, must(arena, value)) != 0) longjmp(*arena->out_of_memory, 1);
}

/* Text may quote bytes of the source, and those need not be UTF-8. */
static json_t *string_json(cake_arena *arena, const char *string) {
    if (!string) return json_null();
    json_t *exact = json_string(string);
    if (exact) return exact;
    cake_text escaped;
    cake_text_init(&escaped, arena);
    cake_text_add_escaped(&escaped, string, strlen(string));
    return json_string(cake_text_string(&escaped));
}

static json_t *span_json(cake_arena *arena, const cake_source *source, cake_span span) {
    if (!source) return json_null();
    cake_position begin = cake_source_position(source, span.begin), end = cake_source_position(source, span.end);
    json_t *object = must(arena, json_object());
    put(arena, object, "file", string_json(arena, source->name));
    put(arena, object, "line", json_integer(begin.line));
    put(arena, object, "col", json_integer(begin.column));
    put(arena, object, "end_line", json_integer(end.line));
    put(arena, object, "end_col", json_integer(end.column));
    return object;
}

static json_t *note_json(cake_arena *arena, const cake_source *source, const cake_note *note) {
    json_t *object = must(arena, json_object());
    put(arena, object, "span", span_json(arena, note->span.end > 0 ? source : NULL, note->span));
    put(arena, object, "message", string_json(arena, note->message));
    return object;
}

static json_t *fix_json(cake_arena *arena, const cake_source *source, const cake_fix *fix) {
    json_t *object = must(arena, json_object()), *edits = must(arena, json_array());
    for (uint32_t i = 0; i < fix->edits.count; i++) {
        json_t *edit = must(arena, json_object());
        put(arena, edit, "span", span_json(arena, source, fix->edits.items[i].span));
        put(arena, edit, "text", string_json(arena, fix->edits.items[i].text));
        append(arena, edits, edit);
    }
    put(arena, object, "title", string_json(arena, fix->title));
    put(arena, object, "edits", edits);
    put(arena, object, "rechecked", json_boolean(fix->rechecked));
    return object;
}

static json_t *counterexample_json(cake_arena *arena, const cake_diagnostic *diagnostic) {
    if (diagnostic->counterexample.count == 0) return json_null();
    json_t *object = must(arena, json_object());
    for (uint32_t i = 0; i < diagnostic->counterexample.count; i++) {
        const cake_counterexample_value *one = &diagnostic->counterexample.items[i];
        put(arena, object, one->name, json_integer(one->value));
    }
    return object;
}

static json_t *diagnostic_json(cake_arena *arena, const cake_diagnostic *diagnostic) {
    const cake_diagnostic_info *info = cake_diagnostic_info_of(diagnostic->code);
    json_t *object = must(arena, json_object());
    json_t *related = must(arena, json_array()), *fixes = must(arena, json_array());
    for (uint32_t i = 0; i < diagnostic->notes.count; i++)
        append(arena, related, note_json(arena, diagnostic->source, &diagnostic->notes.items[i]));
    for (uint32_t i = 0; i < diagnostic->fixes.count; i++)
        append(arena, fixes, fix_json(arena, diagnostic->source, &diagnostic->fixes.items[i]));
    put(arena, object, "code", json_string(info->code));
    put(arena, object, "severity", json_string(cake_severity_name(info->severity)));
    put(arena, object, "category", json_string(info->category));
    put(arena, object, "message", string_json(arena, diagnostic->message));
    put(arena, object, "span", span_json(arena, diagnostic->source, diagnostic->span));
    put(arena, object, "path", string_json(arena, diagnostic->path));
    put(arena, object, "observed", json_boolean(diagnostic->observed));
    put(arena, object, "related", related);
    put(arena, object, "counterexample", counterexample_json(arena, diagnostic));
    put(arena, object, "fixes", fixes);
    return object;
}

json_t *cake_diagnostics_json(const cake_diagnostics *diagnostics) {
    const cake_diagnostic *order[CAKE_DIAGNOSTIC_LIMIT];
    uint32_t count = cake_diagnostics_order(diagnostics, order);
    json_t *array = must(diagnostics->arena, json_array());
    for (uint32_t i = 0; i < count; i++)
        append(diagnostics->arena, array, diagnostic_json(diagnostics->arena, order[i]));
    return array;
}
