#include "driver/compile_command.h"

#include <string.h>

#include "driver/compile_setup.h"
#include "driver/document.h"
#include "driver/output.h"
#include "driver/run_command.h"
#include "driver/simulate.h"

/* ---- reports ---- */

/* Diagnostics and problem as text, or as a document of the command; 'text' is what it made, null: nothing to show. */
static void report(const cake_options *options, const char *command, const cake_compilation *c, const char *problem,
                   int exit_status, const cake_text *text, FILE *out, FILE *err) {
    if (!cake_options_json(options)) {
        cake_diagnostics_print(&c->diagnostics, err);
        if (problem) cake_complain(c->arena, problem, err);
        return;
    }
    json_t *document = cake_document_create(command, exit_status == CAKE_DONE);
    json_object_set_new(document, "error", cake_document_error(c->arena, cake_exit_kind(exit_status), problem));
    json_object_set_new(document, "diagnostics", cake_diagnostics_json(&c->diagnostics));
    if (text && exit_status == CAKE_DONE)
        json_object_set_new(document, "text", cake_document_string(c->arena, cake_text_string(text)));
    cake_document_print(document, out);
}

int cake_command_refuse(cake_arena *arena, const cake_options *options, const char *command, const char *problem,
                        FILE *out, FILE *err) {
    if (cake_options_json(options))
        cake_document_refuse(arena, command, cake_exit_kind(CAKE_COMMAND_LINE), problem, out);
    else
        cake_complain(arena, problem, err);
    return CAKE_COMMAND_LINE;
}

#define ONE_FILE "give one file; --help lists commands and options"

/* ---- compile ---- */

static cake_emit_form emit_form(const cake_options *options) {
    static const char *const names[] = {"ptx", "cubin", "llvm", "plan", "ir", "manifest"};
    const char *name = cake_options_text(options, CAKE_OPTION_EMIT, "ptx");
    for (int i = 0; i < 6; i++)
        if (strcmp(names[i], name) == 0) return (cake_emit_form)i;
    return CAKE_EMIT_PTX;
}

/* A cubin's manifest stands beside it, and first: whoever finds the cubin finds both. */
static cake_status write_all(cake_compilation *c, cake_emit_form form, const char *path, const cake_text *text,
                             FILE *out) {
    cake_status status = cake_status_ok();
    if (form == CAKE_EMIT_CUBIN && cake_output_is_file(path)) {
        cake_text manifest;
        cake_text_init(&manifest, c->arena);
        cake_manifest_write(&c->manifest, &manifest);
        const char *beside = cake_arena_format(c->arena, "%s.json", path);
        status = cake_output_write(c->arena, beside, cake_text_string(&manifest), manifest.size, out);
    }
    if (status.kind != CAKE_STATUS_OK) return status;
    return cake_output_write(c->arena, path, cake_text_string(text), text->size, out);
}

/* Gives the exit status. In JSON mode, what has no path is part of the document. */
static int emit(const cake_options *options, cake_compilation *c, cake_text *text, const char *path,
                const char **out_problem, FILE *out) {
    cake_emit_form form = emit_form(options);
    cake_status status = cake_compile_emit(c, form, text);
    if (status.kind == CAKE_STATUS_OK && c->diagnostics.error_count) return CAKE_WRONG;
    if (status.kind == CAKE_STATUS_OK && (path || !cake_options_json(options)))
        status = write_all(c, form, path, text, out);
    if (status.kind != CAKE_STATUS_OK) *out_problem = cake_arena_format(c->arena, "%s", status.message);
    return cake_exit_status(&status);
}

int cake_compile_command(cake_arena *arena, const cake_options *options, FILE *out, FILE *err) {
    cake_compilation c;
    cake_text text;
    const char *problem = NULL, *path = cake_options_text(options, CAKE_OPTION_OUTPUT, NULL);
    cake_emit_form form = emit_form(options);
    if (path && strcmp(path, "-") == 0) path = NULL;
    if (options->files.count != 1) return cake_command_refuse(arena, options, "compile", ONE_FILE, out, err);
    if (form == CAKE_EMIT_CUBIN && !path && cake_options_json(options))
        return cake_command_refuse(arena, options, "compile", "--emit cubin --format json needs -o PATH", out, err);
    cake_text_init(&text, arena);
    int exit_status = cake_compile_setup(arena, options, options->files.items[0], form != CAKE_EMIT_IR, &c, &problem);
    if (exit_status == CAKE_DONE) exit_status = emit(options, &c, &text, path, &problem, out);
    report(options, "compile", &c, problem, exit_status, path ? NULL : &text, out, err);
    return exit_status;
}

/* ---- run, bench ---- */

/* Without --device the GPU if there is one; the simulator's own options ask for it. */
static bool wants_simulator(cake_arena *arena, const cake_options *options, FILE *err) {
    const char *device = cake_options_text(options, CAKE_OPTION_DEVICE, NULL);
    if (options->command != CAKE_COMMAND_RUN) return false;
    if (device) return strcmp(device, "sim") == 0;
    if (cake_options_has(options, CAKE_OPTION_SCHEDULES) || cake_options_has(options, CAKE_OPTION_SMS)) return true;
    cake_status status = cake_run_probe_gpu();
    if (status.kind != CAKE_STATUS_UNAVAILABLE) return false;
    if (!cake_options_json(options))
        cake_complain(arena, cake_arena_format(arena, "%s; running on the simulator", status.message), err);
    return true;
}

/* What is to be launched: PTX, or for the simulator the manifest of the plans. */
static cake_status make_code(cake_compilation *c, bool simulated, cake_run_code *out_code) {
    cake_text text;
    cake_text_init(&text, c->arena);
    cake_status status = cake_compile_emit(c, simulated ? CAKE_EMIT_MANIFEST : CAKE_EMIT_PTX, &text);
    *out_code = (cake_run_code){.path = c->source->name};
    if (simulated) {
        out_code->manifest = cake_text_string(&text);
        out_code->manifest_size = text.size;
    } else {
        out_code->bytes = cake_text_string(&text);
        out_code->size = text.size;
    }
    return status;
}

int cake_launch_command(cake_arena *arena, const cake_options *options, FILE *out, FILE *err) {
    cake_compilation c;
    cake_run_code code;
    cake_run_simulator simulator;
    const char *problem = NULL, *command = options->command == CAKE_COMMAND_RUN ? "run" : "bench";
    if (options->files.count != 1) return cake_command_refuse(arena, options, command, ONE_FILE, out, err);
    int exit_status = cake_compile_setup(arena, options, options->files.items[0], true, &c, &problem);
    bool simulated = exit_status == CAKE_DONE && wants_simulator(arena, options, err);
    if (exit_status == CAKE_DONE) {
        cake_status status = make_code(&c, simulated, &code);
        exit_status = cake_exit_status(&status);
        if (exit_status != CAKE_DONE) problem = cake_arena_format(arena, "%s", status.message);
    }
    if (exit_status != CAKE_DONE) {
        report(options, command, &c, problem, exit_status, NULL, out, err);
        return exit_status;
    }
    if (!cake_options_json(options)) cake_diagnostics_print(&c.diagnostics, err);
    cake_simulate_init(&c, options, &simulator);
    if (simulated) code.simulator = &simulator;
    return cake_run_command(options, &code, out, err);
}

/* ---- fmt ---- */

static bool is_formatted(const cake_source *source, const char *text) {
    return strlen(text) == source->size && memcmp(text, source->text, source->size) == 0;
}

int cake_format_command(cake_arena *arena, const cake_options *options, FILE *out, FILE *err) {
    cake_source source;
    cake_text text;
    cake_compilation c = {.arena = arena};
    const char *problem = NULL, *formatted = NULL;
    bool only_check = cake_options_has(options, CAKE_OPTION_ONLY_CHECK);
    if (options->files.count != 1) return cake_command_refuse(arena, options, "fmt", ONE_FILE, out, err);
    cake_text_init(&text, arena);
    cake_status status = cake_source_read(arena, options->files.items[0], &source);
    cake_diagnostics_init(&c.diagnostics, arena, status.kind == CAKE_STATUS_OK ? &source : NULL);
    if (status.kind == CAKE_STATUS_OK) formatted = cake_frontend_format(arena, &source, &c.diagnostics);
    if (formatted) cake_text_add_string(&text, formatted);
    if (formatted && !only_check && !cake_options_json(options))
        status = cake_output_write(arena, NULL, formatted, text.size, out);
    if (formatted && only_check && !is_formatted(&source, formatted))
        status = cake_status_make(CAKE_STATUS_INVALID, "'%.300s' is not as 'cakec fmt' prints it", source.name);
    if (status.kind != CAKE_STATUS_OK) problem = status.message;
    int exit_status = problem ? cake_exit_status(&status) : formatted ? CAKE_DONE : CAKE_WRONG;
    report(options, "fmt", &c, problem, exit_status, only_check ? NULL : &text, out, err);
    return exit_status;
}

/* ---- explain ---- */

static const char *unknown_code(cake_arena *arena, const char *name) {
    const char *codes[CAKE_DIAGNOSTIC_COUNT];
    for (cake_diagnostic_code code = 0; code < CAKE_DIAGNOSTIC_COUNT; code++)
        codes[code] = cake_diagnostic_info_of(code)->code;
    const char *nearest = cake_nearest_name(name, codes, CAKE_DIAGNOSTIC_COUNT);
    return cake_arena_format(arena, "there is no code '%s'%s%s%s", name, nearest ? "; did you mean '" : "",
                             nearest ? nearest : "", nearest ? "'?" : "");
}

int cake_explain_command(cake_arena *arena, const cake_options *options, FILE *out, FILE *err) {
    if (options->files.count != 1) return cake_command_refuse(arena, options, "explain", "give one code", out, err);
    const char *name = options->files.items[0];
    cake_diagnostic_code code = cake_diagnostic_code_find(name);
    if (code == CAKE_DIAGNOSTIC_COUNT)
        return cake_command_refuse(arena, options, "explain", unknown_code(arena, name), out, err);
    const cake_diagnostic_info *info = cake_diagnostic_info_of(code);
    if (!cake_options_json(options)) {
        fprintf(out, "%s (%s, %s): %s\n\n%s\n", info->code, cake_severity_name(info->severity), info->category,
                info->title, info->explanation);
        return CAKE_DONE;
    }
    json_t *document = cake_document_create("explain", true);
    json_object_update_new(document, json_pack("{s:[], s:s, s:s, s:s, s:s, s:s}", "diagnostics", "code", info->code,
                                               "severity", cake_severity_name(info->severity), "category",
                                               info->category, "title", info->title, "explanation", info->explanation));
    cake_document_print(document, out);
    return CAKE_DONE;
}
