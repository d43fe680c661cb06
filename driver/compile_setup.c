#include "driver/compile_setup.h"

#include <string.h>
#include <unistd.h>

#include "driver/static_values.h"
#include "oracle/oracle.h"

/* ---- names of the command line ---- */

static bool has_scalar(const cake_parameter_list *parameters, const char *name) {
    for (uint32_t i = 0; i < parameters->count; i++) {
        const cake_parameter *parameter = parameters->items[i];
        if (parameter->type.extents.count == 0 && strcmp(parameter->name, name) == 0) return true;
    }
    return false;
}

static bool is_scalar(const cake_module *module, const char *name) {
    for (uint32_t k = 0; k < module->kernels.count; k++)
        if (has_scalar(&module->kernels.items[k]->parameters, name)) return true;
    for (uint32_t k = 0; k < module->programs.count; k++)
        if (has_scalar(&module->programs.items[k]->parameters, name)) return true;
    return false;
}

static bool is_among(const cake_name_list *names, const char *name) {
    for (uint32_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0) return true;
    return false;
}

static const char *unknown_definition(cake_compilation *c, const cake_name_list *names, const char *name) {
    const char *nearest = cake_nearest_name(name, names->items, names->count);
    return cake_arena_format(c->arena, "-D %s: '%s' has no tunable or dimension of that name%s%s%s", name,
                             c->source->name, nearest ? "; did you mean '" : "", nearest ? nearest : "",
                             nearest ? "'?" : "");
}

/* Null when all is well, else what to say. */
static const char *check_definitions(cake_compilation *c, const cake_options *options) {
    bool launches = options->command == CAKE_COMMAND_RUN || options->command == CAKE_COMMAND_BENCH;
    cake_name_list names = cake_compile_names(c);
    for (uint32_t i = 0; i < options->definitions.count; i++) {
        const cake_definition_option *one = &options->definitions.items[i];
        if (launches && is_scalar(c->module, one->name)) continue;
        if (!is_among(&names, one->name)) return unknown_definition(c, &names, one->name);
        if (!one->is_integer)
            return cake_arena_format(c->arena, "-D %s takes an integer, not '%s'", one->name, one->text);
    }
    return NULL;
}

static const char *check_target(cake_compilation *c, const cake_options *options) {
    const char *target = cake_options_text(options, CAKE_OPTION_TARGET, NULL);
    const char *own = cake_target_info_of(c->module->target)->name;
    if (!target || strcmp(target, own) == 0) return NULL;
    return cake_arena_format(c->arena, "--target %s: '%s' is written for %s", target, c->source->name, own);
}

static const char *check_codes(cake_arena *arena, const cake_options *options) {
    for (uint32_t i = 0; i < options->uses.count; i++) {
        const cake_option_use *use = &options->uses.items[i];
        if (use->option == CAKE_OPTION_ALLOW && cake_diagnostic_code_find(use->value) == CAKE_DIAGNOSTIC_COUNT)
            return cake_arena_format(arena, "--allow %s: there is no such code", use->value);
    }
    return NULL;
}

/* ---- workload ---- */

/* "dir/gemm.cake" -> "dir/gemm.work"; null where there is no such file. */
static const char *workload_beside(cake_arena *arena, const char *path) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - path) : strlen(path);
    const char *workload = cake_arena_format(arena, "%.*s.work", (int)stem, path);
    return strcmp(path, "-") != 0 && access(workload, F_OK) == 0 ? workload : NULL;
}

/* *out_workload is null where there is none. What is wrong with it is reported beside what is wrong with the schedule.
 */
static cake_status read_workload(cake_compilation *c, const cake_options *options, const cake_workload **out_workload) {
    const char *path = cake_options_text(options, CAKE_OPTION_WORKLOAD, NULL);
    cake_source *source = CAKE_NEW(c->arena, cake_source);
    *out_workload = NULL;
    if (!path) path = workload_beside(c->arena, c->source->name);
    if (!path) return cake_status_ok();
    cake_status status = cake_source_read(c->arena, path, source);
    if (status.kind != CAKE_STATUS_OK) return status;
    uint32_t errors = c->diagnostics.error_count;
    c->diagnostics.source = source;
    const cake_workload *workload = cake_workload_parse(c->arena, source, &c->diagnostics);
    c->diagnostics.source = c->source;
    if (c->diagnostics.error_count == errors) *out_workload = workload;
    return status;
}

static cake_status add_shape(cake_compilation *c, const cake_options *options, cake_static_list *statics) {
    const cake_workload *workload;
    const char *shape = cake_options_text(options, CAKE_OPTION_SHAPE, NULL);
    if (!cake_static_open(statics)) return cake_status_ok();
    cake_status status = read_workload(c, options, &workload);
    if (status.kind != CAKE_STATUS_OK || !workload) return status;
    for (uint32_t i = 0; i < statics->count; i++) {
        cake_static *one = &statics->items[i];
        if (one->count == 0 && cake_workload_shape_value(c->arena, workload, shape, one->name, &one->values[0]))
            one->count = 1;
    }
    return status;
}

/* ---- planning ---- */

static cake_status plan(cake_compilation *c, const cake_options *options) {
    cake_compile_options compile = {.plan.specialise = cake_options_has(options, CAKE_OPTION_SPECIALISE)};
    for (uint32_t i = 0; i < options->uses.count; i++)
        if (options->uses.items[i].option == CAKE_OPTION_ALLOW)
            *CAKE_PUSH(c->arena, &compile.allowed) = options->uses.items[i].value;
    cake_choice_list choices = {0};
    for (uint32_t i = 0; i < options->definitions.count; i++)
        if (options->definitions.items[i].is_integer)
            *CAKE_PUSH(c->arena, &choices) =
                (cake_choice){options->definitions.items[i].name, options->definitions.items[i].integer};
    cake_static_list statics = cake_static_find(c->arena, c->module, &choices, options->command == CAKE_COMMAND_CHECK);
    cake_status status = add_shape(c, options, &statics);
    if (status.kind == CAKE_STATUS_OK) cake_static_plan(c, &compile, &choices, &statics);
    return status;
}

int cake_compile_setup(cake_arena *arena, const cake_options *options, const char *path, bool planned,
                       cake_compilation *out_compilation, const char **out_problem) {
    cake_source *source = CAKE_NEW(arena, cake_source);
    *out_compilation = (cake_compilation){.arena = arena};
    cake_diagnostics_init(&out_compilation->diagnostics, arena, NULL);
    if ((*out_problem = check_codes(arena, options))) return CAKE_COMMAND_LINE;
    cake_status status = cake_source_read(arena, path, source);
    if (status.kind == CAKE_STATUS_OK) {
        cake_compile_open(out_compilation, arena, source);
        if (out_compilation->diagnostics.error_count) return CAKE_WRONG;
        if ((*out_problem = check_definitions(out_compilation, options))) return CAKE_COMMAND_LINE;
        if ((*out_problem = check_target(out_compilation, options))) return CAKE_COMMAND_LINE;
        if (planned) status = plan(out_compilation, options);
    }
    if (status.kind != CAKE_STATUS_OK) *out_problem = cake_arena_format(arena, "%s", status.message);
    if (status.kind != CAKE_STATUS_OK) return cake_exit_status(&status);
    return out_compilation->diagnostics.error_count ? CAKE_WRONG : CAKE_DONE;
}

/* ---- ends ---- */

int cake_exit_status(const cake_status *status) {
    switch (status->kind) {
    case CAKE_STATUS_OK:
        return CAKE_DONE;
    case CAKE_STATUS_INVALID:
        return CAKE_WRONG;
    case CAKE_STATUS_FAILED:
        return CAKE_BUG;
    case CAKE_STATUS_UNAVAILABLE:
    case CAKE_STATUS_NO_MEMORY:
    case CAKE_STATUS_TIMEOUT:
        return CAKE_ENVIRONMENT;
    }
    return CAKE_BUG;
}

const char *cake_exit_kind(int exit_status) {
    switch (exit_status) {
    case CAKE_WRONG:
        return "schedule";
    case CAKE_COMMAND_LINE:
        return "command line";
    case CAKE_ENVIRONMENT:
        return "environment";
    default:
        return "bug";
    }
}

void cake_complain(cake_arena *arena, const char *problem, FILE *err) {
    cake_text text;
    cake_text_init(&text, arena);
    cake_text_add_escaped(&text, problem, strlen(problem));
    fprintf(err, "cakec: %s\n", cake_text_string(&text));
}
