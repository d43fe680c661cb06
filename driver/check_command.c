/* The command 'check': every file on its own, so that one that breaks leaves the others their verdict. */
#include <string.h>
#include <time.h>

#include "driver/compile_command.h"
#include "driver/compile_setup.h"
#include "driver/document.h"

static bool holds(const json_t *array, const char *text) {
    for (size_t i = 0; i < json_array_size(array); i++)
        if (strcmp(json_string_value(json_array_get(array, i)), text) == 0) return true;
    return false;
}

static void add_trust(json_t *trust, const cake_manifest_interface *interface) {
    for (uint32_t i = 0; i < interface->trust.count; i++)
        if (!holds(trust, interface->trust.items[i]))
            json_array_append_new(trust, json_string(interface->trust.items[i]));
}

static json_t *trust_json(const cake_compilation *c) {
    json_t *trust = json_array();
    for (uint32_t k = 0; k < c->manifest.kernels.count; k++)
        add_trust(trust, &c->manifest.kernels.items[k].interface);
    for (uint32_t k = 0; k < c->manifest.programs.count; k++)
        add_trust(trust, &c->manifest.programs.items[k].interface);
    return trust;
}

/* Conditions of kernels that programs leave to the host. */
static uint32_t required_count(const cake_manifest *manifest) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < manifest->programs.count; i++)
        count += manifest->programs.items[i].required.count;
    return count;
}

static json_t *obligations_json(const cake_manifest *manifest) {
    const cake_manifest_proof *proof = &manifest->proof;
    json_t *families = json_array();
    for (uint32_t i = 0; i < proof->families.count; i++)
        json_array_append_new(families, json_string(proof->families.items[i]));
    return json_pack("{s:i, s:i, s:i, s:i, s:i, s:o}", "proved", (int)proof->proved, "refuted", (int)proof->refuted,
                     "unknown", (int)proof->unknown, "unchecked", (int)proof->unchecked, "at_launch",
                     (int)required_count(manifest), "families", families);
}

static json_t *file_json(const cake_compilation *c, const char *path, const char *problem, int exit_status, double ms) {
    return json_pack("{s:o, s:b, s:o, s:o, s:o, s:o, s:o}", "file", cake_document_string(c->arena, path), "ok",
                     exit_status == CAKE_DONE, "error",
                     cake_document_error(c->arena, cake_exit_kind(exit_status), problem), "obligations",
                     obligations_json(&c->manifest), "trust", trust_json(c), "ms",
                     json_real((double)(int64_t)(ms * 10) / 10), "diagnostics", cake_diagnostics_json(&c->diagnostics));
}

static void print_verdict(const cake_compilation *c, const char *path, FILE *out) {
    const cake_manifest_proof *proof = &c->manifest.proof;
    cake_text text;
    cake_text_init(&text, c->arena);
    cake_text_add_escaped(&text, path, strlen(path));
    cake_text_format(&text, ": %u proved, %u refuted, %u unknown, %u unchecked", proof->proved, proof->refuted,
                     proof->unknown, proof->unchecked);
    for (uint32_t i = 0; i < proof->families.count; i++)
        cake_text_format(&text, "%s%s", i ? ", " : " (", proof->families.items[i]);
    if (proof->families.count) cake_text_add_string(&text, ")");
    if (required_count(&c->manifest)) cake_text_format(&text, ", %u checked at launch", required_count(&c->manifest));
    fprintf(out, "%s\n", cake_text_string(&text));
}

static double milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* In JSON mode the verdict goes to 'files', else to out and err. */
static int check_one(cake_arena *arena, const cake_options *options, const char *path, json_t *files, FILE *out,
                     FILE *err) {
    cake_compilation c;
    const char *problem = NULL;
    double begin = milliseconds();
    int exit_status = cake_compile_setup(arena, options, path, true, &c, &problem);
    if (files) {
        json_array_append_new(files, file_json(&c, path, problem, exit_status, milliseconds() - begin));
        return exit_status;
    }
    cake_diagnostics_print(&c.diagnostics, err);
    if (problem) cake_complain(arena, problem, err);
    if (exit_status == CAKE_DONE) print_verdict(&c, path, out);
    return exit_status;
}

static int check_guarded(const cake_options *options, const char *path, json_t *files, FILE *out, FILE *err) {
    jmp_buf out_of_memory;
    cake_arena arena;
    cake_arena_init(&arena, CAKE_ARENA_DEFAULT_LIMIT, &out_of_memory);
    if (setjmp(out_of_memory) == 0) {
        int exit_status = check_one(&arena, options, path, files, out, err);
        cake_arena_fini(&arena);
        return exit_status;
    }
    cake_arena_fini(&arena);
    if (files)
        json_array_append_new(files, json_pack("{s:s*, s:b, s:{s:s, s:s}, s:[]}", "file", path, "ok", false, "error",
                                               "kind", "environment", "message", "out of memory", "diagnostics"));
    else
        fprintf(err, "cakec: out of memory\n");
    return CAKE_ENVIRONMENT;
}

int cake_check_command(cake_arena *arena, const cake_options *options, FILE *out, FILE *err) {
    if (options->files.count == 0)
        return cake_command_refuse(arena, options, "check", "give the files to check", out, err);
    json_t *files = cake_options_json(options) ? json_array() : NULL;
    int worst = CAKE_DONE;
    for (uint32_t i = 0; i < options->files.count; i++) {
        int one = check_guarded(options, options->files.items[i], files, out, err);
        if (one > worst) worst = one;
    }
    if (!files) return worst;
    json_t *document = cake_document_create("check", worst == CAKE_DONE);
    json_object_set_new(document, "diagnostics", json_array());
    json_object_set_new(document, "files", files);
    cake_document_print(document, out);
    return worst;
}
