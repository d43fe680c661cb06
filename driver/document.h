/* The one JSON document that a command prints with --format json (docs/cli.md). */
#ifndef CAKE_DRIVER_DOCUMENT_H
#define CAKE_DRIVER_DOCUMENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "support/arena.h"

/* {"schema": 1, "command": .., "ok": .., "error": null}; a new reference, like all below. */
json_t *cake_document_create(const char *command, bool ok);
/* What failed and is no diagnostic: {"kind": .., "message": ..}, null without a message. */
json_t *cake_document_error(cake_arena *arena, const char *kind, const char *message);
/* Foreign text, such as a file's name; bytes that are not UTF-8 become \xNN. For UTF-8 the arena may be null. */
json_t *cake_document_string(cake_arena *arena, const char *text);
/* Prints and frees it. */
void cake_document_print(json_t *document, FILE *out);

/* Whether a command line that could not be understood asked for JSON. */
bool cake_document_wanted(int argc, char **argv);
/* Prints a document of nothing but an error. */
void cake_document_refuse(cake_arena *arena, const char *command, const char *kind, const char *message, FILE *out);

#endif
