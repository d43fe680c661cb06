#include "manifest/json_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "support/text.h"

static bool failed(const cake_json_reader *reader) {
    return reader->status.kind != CAKE_STATUS_OK;
}

void cake_json_fail(cake_json_reader *reader, cake_json_node node, const char *key, const char *format, ...) {
    if (failed(reader)) return;
    char what[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    const char *dot = node.path[0] && key ? "." : "";
    const char *name = key ? key : node.path[0] ? "" : "the document";
    reader->status =
        cake_status_make(CAKE_STATUS_INVALID, "the manifest is damaged: %s%s%s %s", node.path, dot, name, what);
}

static const json_t *member(cake_json_reader *reader, cake_json_node object, const char *key) {
    if (failed(reader)) return NULL;
    const json_t *value = json_object_get(object.json, key);
    if (!value) cake_json_fail(reader, object, key, "is missing");
    return value;
}

static const char *join(cake_json_reader *reader, cake_json_node object, const char *key) {
    return object.path[0] ? cake_arena_format(reader->arena, "%s.%s", object.path, key) : key;
}

cake_json_node cake_json_object(cake_json_reader *reader, cake_json_node object, const char *key) {
    const json_t *value = member(reader, object, key);
    if (value && !json_is_object(value)) cake_json_fail(reader, object, key, "is no object");
    return (cake_json_node){failed(reader) ? NULL : value, join(reader, object, key)};
}

cake_json_node cake_json_list(cake_json_reader *reader, cake_json_node object, const char *key, uint32_t limit) {
    const json_t *value = member(reader, object, key);
    if (value && !json_is_array(value)) cake_json_fail(reader, object, key, "is no list");
    if (json_array_size(value) > limit) cake_json_fail(reader, object, key, "has more than %" PRIu32 " items", limit);
    return (cake_json_node){failed(reader) ? NULL : value, join(reader, object, key)};
}

uint32_t cake_json_size(cake_json_node list) {
    return (uint32_t)json_array_size(list.json);
}

cake_json_node cake_json_item(cake_json_reader *reader, cake_json_node list, uint32_t index) {
    cake_json_node item = {json_array_get(list.json, index),
                           cake_arena_format(reader->arena, "%s[%" PRIu32 "]", list.path, index)};
    if (item.json && !json_is_object(item.json)) cake_json_fail(reader, item, NULL, "is no object");
    if (failed(reader)) item.json = NULL;
    return item;
}

void cake_json_end(cake_json_reader *reader, cake_json_node object, uint32_t count) {
    if (!failed(reader) && json_object_size(object.json) != count)
        cake_json_fail(reader, object, NULL, "has %zu members instead of %" PRIu32, json_object_size(object.json),
                       count);
}

bool cake_json_has(cake_json_node object, const char *key) {
    return json_object_get(object.json, key) != NULL;
}

/* True also for null. */
static bool is_printable(const char *text) {
    while (text && *text >= 0x20 && *text < 0x7f)
        text++;
    return !text || !*text;
}

/* ---- values, from an object's member or a list's item ---- */

static const char *string_of(cake_json_reader *reader, cake_json_node node, const char *key, const json_t *value) {
    if (value && !json_is_string(value)) cake_json_fail(reader, node, key, "is no text");
    if (value && !is_printable(json_string_value(value))) cake_json_fail(reader, node, key, "is not printable ASCII");
    if (failed(reader) || !value) return "";
    return cake_arena_copy(reader->arena, json_string_value(value), json_string_length(value));
}

static int64_t integer_of(cake_json_reader *reader, cake_json_node node, const char *key, const json_t *value,
                          int64_t low, int64_t high) {
    if (value && !json_is_integer(value)) cake_json_fail(reader, node, key, "is no integer");
    if (failed(reader) || !value) return low;
    int64_t integer = json_integer_value(value);
    if (integer >= low && integer <= high) return integer;
    cake_json_fail(reader, node, key, "is %" PRId64 ", outside %" PRId64 " to %" PRId64, integer, low, high);
    return low;
}

static const cake_launch_expr *expression_of(cake_json_reader *reader, cake_json_node node, const char *key,
                                             const json_t *value) {
    const cake_launch_expr *expr = value ? cake_launch_from_json(reader->arena, value) : NULL;
    if (value && !expr) cake_json_fail(reader, node, key, "is no launch expression");
    return expr && !failed(reader) ? expr : cake_launch_constant(reader->arena, 0);
}

const char *cake_json_string(cake_json_reader *reader, cake_json_node object, const char *key) {
    return string_of(reader, object, key, member(reader, object, key));
}

const char *cake_json_identifier(cake_json_reader *reader, cake_json_node object, const char *key) {
    const char *name = cake_json_string(reader, object, key);
    if (!cake_json_is_identifier(name)) cake_json_fail(reader, object, key, "is no name");
    return name;
}

int64_t cake_json_integer(cake_json_reader *reader, cake_json_node object, const char *key, int64_t low, int64_t high) {
    return integer_of(reader, object, key, member(reader, object, key), low, high);
}

bool cake_json_boolean(cake_json_reader *reader, cake_json_node object, const char *key) {
    const json_t *value = member(reader, object, key);
    if (value && !json_is_boolean(value)) cake_json_fail(reader, object, key, "is neither true nor false");
    return !failed(reader) && json_is_true(value);
}

const cake_launch_expr *cake_json_expression(cake_json_reader *reader, cake_json_node object, const char *key) {
    return expression_of(reader, object, key, member(reader, object, key));
}

/* The place of a list's item, for messages: "kernels[0].trust[3]". */
static cake_json_node place_at(cake_json_reader *reader, cake_json_node list, uint32_t index) {
    return (cake_json_node){list.json, cake_arena_format(reader->arena, "%s[%" PRIu32 "]", list.path, index)};
}

const char *cake_json_string_at(cake_json_reader *reader, cake_json_node list, uint32_t index) {
    return string_of(reader, place_at(reader, list, index), NULL, json_array_get(list.json, index));
}

int64_t cake_json_integer_at(cake_json_reader *reader, cake_json_node list, uint32_t index, int64_t low, int64_t high) {
    return integer_of(reader, place_at(reader, list, index), NULL, json_array_get(list.json, index), low, high);
}

const cake_launch_expr *cake_json_expression_at(cake_json_reader *reader, cake_json_node list, uint32_t index) {
    return expression_of(reader, place_at(reader, list, index), NULL, json_array_get(list.json, index));
}

bool cake_json_is_identifier(const char *text) {
    for (const char *c = text; *c; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_';
        bool digit = *c >= '0' && *c <= '9';
        if (!letter && !(digit && c > text)) return false;
    }
    return *text != '\0';
}
