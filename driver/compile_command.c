#include "driver/compile_command.h"

#include <jansson.h>
#include <string.h>
#include <time.h>

#include "driver/compile_setup.h"
#include "driver/run_command.h"

/* ---- reports ---- */

static json_t *document(const char *command) {
    return json_pack("{s:i, s:s}", "schema", 1, "command", command);
}

static void print_document(json_t *json, FILE *out) {
    json_dumpf(json, out, JSON_COMPACT | JSON_PRESERVE_ORDER);
    fputc('\n', out);
    json_decref(json);
}

/* Diagnostics and problem of one compilation, as text or as a JSON document of the command. */
static void report(const cake_options *options, const char *command, const cake_compilation *c, const char *problem,
                   int exit_status, FILE *out, FILE *err) {
    if (!cake_options_json(options)) {
        cake_diagnostics_print(&c->diagnostics, err);
        if (problem) fprintf(err, "cakec: %s\n", problem);
        return;
    }
    json_t *json = document(command);
    json_object_set_new(json, "ok", json_boolean(exit_status == CAKE_DONE));
    json_object_set_new(json, "diagnostics", cake_diagnostics_json(&c->diagnostics));
    if (problem) json_object_set_new(json, "message", json_string(problem));
    print_document(json, out);
}

static bool one_file(const cake_options *options, FILE *err) {
    if (options->files.count == 1) return true;
    fprintf(err, "cakec: give one file; --help lists commands and options\n");
    return false;
}

/* ---- compile ---- */

static cake_emit_form emit_form(const cake_options *options) {
    static const char *const names[] = {"ptx", "cubin", "llvm", "plan", "ir", "manifest"};
    const char *name = cake_options_text(options, CAKE_OPTION_EMIT, "ptx");
    for (int i = 0; i < 6; i++)
        if (strcmp(names[i], name) == 0) return (cake_emit_form)i;
    return CAKE_EMIT_PTX;
}

/* A cubin's manifest stands beside it. */
static cake_status write_all(cake_compilation *c, cake_emit_form form, const char *path, const cake_text *text,
                             FILE *out) {
    cake_status status = cake_write_output(c->arena, path, cake_text_string(text), text->size, out);
    if (status.kind != CAKE_STATUS_OK || form != CAKE_EMIT_CUBIN || !path || strcmp(path, "-") == 0) return status;
    cake_text manifest;
    cake_text_init(&manifest, c->arena);
    cake_manifest_write(&c->manifest, &manifest);
    return cake_write_output(c->arena, cake_arena_format(c->arena, "%s.json", path), cake_text_string(&manifest),
                             manifest.size, out);
}

static int status_exit(cake_status status) {
    return status.kind == CAKE_STATUS_OK        ? CAKE_DONE
           : status.kind == CAKE_STATUS_INVALID ? CAKE_WRONG
                                                : CAKE_ENVIRONMENT;
}

int cake_compile_command(cake_arena *arena, const cake_options *options, FILE *out, FILE *err) {
    cake_compilation c;
    const char *problem = NULL, *path = cake_options_text(options, CAKE_OPTION_OUTPUT, NULL);
    if (!one_file(options, err)) return CAKE_COMMAND_LINE;
    cake_emit_form form = emit_form(options);
    int exit_status = cake_compile_setup(arena, options, options->files.items[0], form != CAKE_EMIT_IR, &c, &problem);
    if (exit_status == CAKE_DONE) {
        cake_text text;
        cake_text_init(&text, arena);
        cake_status status = cake_compile_emit(&c, form, &text);
        if (status.kind == CAKE_STATUS_OK && (path || !cake_options_json(options)))
            status = write_all(&c, form, path, &text, out);
        exit_status = status_exit(status);
        if (exit_status != CAKE_DONE) problem = cake_arena_format(arena, "%s", status.message);
    }
    report(options, "compile", &c, problem, exit_status, out, err);
    return exit_status;
}

/* ---- check ---- */

static void count_obligations(const cake_compilation *c, json_t *file) {
    const cake_manifest_proof *proof = &c->manifest.proof;
    json_t *trust = json_array();
    for (uint32_t k = 0; k < c->manifest.kernels.count; k++)
        for (uint32_t i = 0; i < c->manifest.kernels.items[k].trust.count; i++)
            json_array_append_new(trust, json_string(c->manifest.kernels.items[k].trust.items[i]));
    json_object_set_new(file, "obligations",
                        json_pack("{s:i, s:i, s:i, s:i}", "proved", (int)proof->proved, "refuted", (int)proof->refuted,
                                  "unknown", (int)proof->unknown, "unchecked", (int)proof->unchecked));
    json_object_set_new(file, "trust", trust);
}

static void print_verdict(const cake_compilation *c, const char *path, FILE *out) {
    const cake_manifest_proof *proof = &c->manifest.proof;
    fprintf(out, "%s: %u proved, %u refuted, %u unknown, %u unchecked", path, proof->proved, proof->refuted,
            proof->unknown, proof->unchecked);
    for (uint32_t i = 0; i < proof->families.count; i++)
        fprintf(out, "%s%s", i ? ", " : " (", proof->families.items[i]);
    fprintf(out, proof->families.count ? ")\n" : "\n");
}

static double milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int check_one(cake_arena *arena, const cake_options *options, const char *path, json_t *files, FILE *out,
                     FILE *err) {
    cake_compilation c;
    const char *problem = NULL;
    double begin = milliseconds();
    int exit_status = cake_compile_setup(arena, options, path, true, &c, &problem);
    if (!files) {
        cake_diagnostics_print(&c.diagnostics, err);
        if (problem) fprintf(err, "cakec: %s\n", problem);
        if (exit_status == CAKE_DONE) print_verdict(&c, path, out);
        return exit_status;
    }
    json_t *file = json_pack("{s:s, s:b}", "file", path, "ok", exit_status == CAKE_DONE);
    count_obligations(&c, file);
    json_object_set_new(file, "ms", json_real((double)(int64_t)((milliseconds() - begin) * 10) / 10));
    json_object_set_new(file, "diagnostics", cake_diagnostics_json(&c.diagnostics));
    if (problem) json_object_set_new(file, "message", json_string(problem));
    json_array_append_new(files, file);
    return exit_status;
}

int cake_check_command(cake_arena *arena, const cake_options *options, FILE *out, FILE *err) {
    json_t *files = cake_options_json(options) ? json_array() : NULL;
    int worst = CAKE_DONE;
    if (options->files.count == 0) {
        fprintf(err, "cakec: give the files to check\n");
        return CAKE_COMMAND_LINE;
    }
    for (uint32_t i = 0; i < options->files.count; i++) {
        int one = check_one(arena, options, options->files.items[i], files, out, err);
        if (one > worst) worst = one;
    }
    if (!files) return worst;
    json_t *json = document("check");
    json_object_set_new(json, "files", files);
    print_document(json, out);
    return worst;
}

/* ---- fmt, explain ---- */

int cake_format_command(cake_arena *arena, const cake_options *options, FILE *out, FILE *err) {
    cake_source source;
    cake_compilation c = {.arena = arena};
    const char *problem = NULL, *text = NULL;
    if (!one_file(options, err)) return CAKE_COMMAND_LINE;
    cake_status status = cake_source_read(arena, options->files.items[0], &source);
    cake_diagnostics_init(&c.diagnostics, arena, &source);
    if (status.kind == CAKE_STATUS_OK) text = cake_frontend_format(arena, &source, &c.diagnostics);
    if (status.kind == CAKE_STATUS_OK && text) status = cake_write_output(arena, NULL, text, strlen(text), out);
    if (status.kind != CAKE_STATUS_OK) problem = status.message;
    int exit_status = problem ? status_exit(status) : text ? CAKE_DONE : CAKE_WRONG;
    if (exit_status != CAKE_DONE) report(options, "fmt", &c, problem, exit_status, out, err);
    return exit_status;
}

int cake_explain_command(cake_arena *arena, const cake_options *options, FILE *out, FILE *err) {
    (void)arena;
    if (!one_file(options, err)) return CAKE_COMMAND_LINE;
    cake_diagnostic_code code = cake_diagnostic_code_find(options->files.items[0]);
    if (code == CAKE_DIAGNOSTIC_COUNT) {
        fprintf(err, "cakec: there is no code '%s'\n", options->files.items[0]);
        return CAKE_COMMAND_LINE;
    }
    const cake_diagnostic_info *info = cake_diagnostic_info_of(code);
    if (!cake_options_json(options)) {
        fprintf(out, "%s (%s): %s\n\n%s\n", info->code, info->category, info->title, info->explanation);
        return CAKE_DONE;
    }
    json_t *json = document("explain");
    json_object_update_new(json, json_pack("{s:s, s:s, s:s, s:s}", "code", info->code, "category", info->category,
                                           "title", info->title, "explanation", info->explanation));
    print_document(json, out);
    return CAKE_DONE;
}

/* ---- run, bench ---- */

int cake_launch_command(cake_arena *arena, const cake_options *options, FILE *out, FILE *err) {
    cake_compilation c;
    const char *problem = NULL, *command = options->command == CAKE_COMMAND_RUN ? "run" : "bench";
    if (!one_file(options, err)) return CAKE_COMMAND_LINE;
    const char *path = options->files.items[0];
    int exit_status = cake_compile_setup(arena, options, path, true, &c, &problem);
    cake_text ptx;
    cake_text_init(&ptx, arena);
    if (exit_status == CAKE_DONE) {
        cake_status status = cake_compile_emit(&c, CAKE_EMIT_PTX, &ptx);
        exit_status = status_exit(status);
        if (exit_status != CAKE_DONE) problem = cake_arena_format(arena, "%s", status.message);
    }
    if (exit_status != CAKE_DONE) {
        report(options, command, &c, problem, exit_status, out, err);
        return exit_status;
    }
    cake_run_code code = {.path = path, .bytes = cake_text_string(&ptx), .size = ptx.size};
    return cake_run_command(options, &code, out, err);
}
