/* Reading JSON with a sticky error: the first thing that is wrong is kept, and everything read after it is empty.
 *
 * A reading function so needs no tests of its own: it reads all members and looks at 'status' once at the end. Lists
 * are bounded, so going on after an error is cheap. Internal to manifest/.
 */
#ifndef CAKE_MANIFEST_JSON_READER_H
#define CAKE_MANIFEST_JSON_READER_H

#include <jansson.h>
#include <stdbool.h>

#include "manifest/expression.h"
#include "support/status.h"

typedef struct cake_json_reader {
    cake_arena *arena;
    cake_status status; /* INVALID from the first error on */
} cake_json_reader;

/* An object or array of the document and its path, "kernels[0].tensors". json is null after an error. */
typedef struct cake_json_node {
    const json_t *json;
    const char *path;
} cake_json_node;

/* Records an error, unless there was one: "manifest: PATH.KEY ...". Null key: the node itself. */
void cake_json_fail(cake_json_reader *reader, cake_json_node node, const char *key, const char *format, ...)
    CAKE_PRINTF(4, 5);

cake_json_node cake_json_object(cake_json_reader *reader, cake_json_node object, const char *key);
/* At most 'limit' items. */
cake_json_node cake_json_list(cake_json_reader *reader, cake_json_node object, const char *key, uint32_t limit);
uint32_t cake_json_size(cake_json_node list);
/* Item of a list, which must be an object. */
cake_json_node cake_json_item(cake_json_reader *reader, cake_json_node list, uint32_t index);
/* The object has exactly 'count' members; call it after all known ones were read. */
void cake_json_end(cake_json_reader *reader, cake_json_node object, uint32_t count);

bool cake_json_has(cake_json_node object, const char *key);

/* Members of an object. "" and 'low' after an error. */
const char *cake_json_string(cake_json_reader *reader, cake_json_node object, const char *key);
const char *cake_json_identifier(cake_json_reader *reader, cake_json_node object, const char *key);
int64_t cake_json_integer(cake_json_reader *reader, cake_json_node object, const char *key, int64_t low, int64_t high);
bool cake_json_boolean(cake_json_reader *reader, cake_json_node object, const char *key);
const cake_launch_expr *cake_json_expression(cake_json_reader *reader, cake_json_node object, const char *key);

/* Items of a list. */
const char *cake_json_string_at(cake_json_reader *reader, cake_json_node list, uint32_t index);
int64_t cake_json_integer_at(cake_json_reader *reader, cake_json_node list, uint32_t index, int64_t low, int64_t high);
const cake_launch_expr *cake_json_expression_at(cake_json_reader *reader, cake_json_node list, uint32_t index);

bool cake_json_is_identifier(const char *text);

#endif
