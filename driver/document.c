#include "driver/document.h"

#include <string.h>

#include "support/text.h"

json_t *cake_document_create(const char *command, bool ok) {
    return json_pack("{s:i, s:s, s:b, s:n}", "schema", 1, "command", command, "ok", ok, "error");
}

json_t *cake_document_string(cake_arena *arena, const char *text) {
    json_t *exact = json_string(text);
    if (exact) return exact;
    cake_text escaped;
    cake_text_init(&escaped, arena);
    cake_text_add_escaped(&escaped, text, strlen(text));
    return json_string(cake_text_string(&escaped));
}

json_t *cake_document_error(cake_arena *arena, const char *kind, const char *message) {
    if (!message) return json_null();
    return json_pack("{s:s, s:o}", "kind", kind, "message", cake_document_string(arena, message));
}

void cake_document_print(json_t *document, FILE *out) {
    json_dumpf(document, out, JSON_INDENT(2));
    fputc('\n', out);
    json_decref(document);
}

bool cake_document_wanted(int argc, char **argv) {
    bool json = false;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--format=json") == 0) json = true;
        if (strcmp(argv[i], "--format") == 0 && i + 1 < argc) json = strcmp(argv[i + 1], "json") == 0;
    }
    return json;
}

void cake_document_refuse(cake_arena *arena, const char *command, const char *kind, const char *message, FILE *out) {
    json_t *document = cake_document_create(command, false);
    json_object_set_new(document, "error", cake_document_error(arena, kind, message));
    json_object_set_new(document, "diagnostics", json_array());
    cake_document_print(document, out);
}
