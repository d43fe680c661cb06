#include "driver/compile_setup.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "oracle/oracle.h"

/* ---- choices ---- */

static bool is_scalar(const cake_module *module, const char *name) {
    for (uint32_t k = 0; k < module->kernels.count; k++)
        for (uint32_t i = 0; i < module->kernels.items[k]->parameters.count; i++) {
            const cake_parameter *parameter = module->kernels.items[k]->parameters.items[i];
            if (parameter->type.extents.count == 0 && strcmp(parameter->name, name) == 0) return true;
        }
    return false;
}

/* Names that -D may give; null when all are known, else what to say. */
static const char *check_definitions(cake_compilation *c, const cake_options *options) {
    bool launches = options->command == CAKE_COMMAND_RUN || options->command == CAKE_COMMAND_BENCH;
    for (uint32_t i = 0; i < options->definitions.count; i++) {
        const cake_definition_option *one = &options->definitions.items[i];
        if (launches && is_scalar(c->module, one->name)) continue;
        if (!cake_compile_knows(c, one->name))
            return cake_arena_format(c->arena, "-D %s: %s has no tunable or dimension of that name", one->name,
                                     c->source->name);
        if (!one->is_integer)
            return cake_arena_format(c->arena, "-D %s=%s: an integer is expected", one->name, one->text);
    }
    return NULL;
}

/* "dir/gemm.cake" -> "dir/gemm.work"; null where there is no such file. */
static const char *workload_beside(cake_arena *arena, const char *path) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - path) : strlen(path);
    const char *workload = cake_arena_format(arena, "%.*s.work", (int)stem, path);
    return access(workload, R_OK) == 0 ? workload : NULL;
}

static const cake_workload *read_workload(cake_compilation *c, const cake_options *options, const char *path) {
    const char *name = cake_options_text(options, CAKE_OPTION_WORKLOAD, NULL);
    cake_source *source = CAKE_NEW(c->arena, cake_source);
    cake_diagnostics *silent = CAKE_NEW(c->arena, cake_diagnostics); /* 'run' reports what is wrong with it */
    if (!name) name = workload_beside(c->arena, path);
    if (!name || strcmp(path, "-") == 0) return NULL;
    if (cake_source_read(c->arena, name, source).kind != CAKE_STATUS_OK) return NULL;
    cake_diagnostics_init(silent, c->arena, source);
    const cake_workload *workload = cake_workload_parse(c->arena, source, silent);
    return silent->error_count ? NULL : workload;
}

typedef CAKE_VECTOR(cake_choice) choice_list;

static bool has_choice(const choice_list *choices, const char *name) {
    for (uint32_t i = 0; i < choices->count; i++)
        if (strcmp(choices->items[i].name, name) == 0) return true;
    return false;
}

/* Statics that -D left open take the value of the workload's shape. */
static void add_statics(cake_compilation *c, const cake_options *options, const char *path, choice_list *choices) {
    const cake_workload *workload = NULL;
    const char *shape = cake_options_text(options, CAKE_OPTION_SHAPE, NULL);
    for (uint32_t k = 0; k < c->module->kernels.count; k++) {
        const cake_kernel *kernel = c->module->kernels.items[k];
        for (uint32_t i = 0; i < kernel->dimensions.count; i++) {
            const cake_symbol *dimension = kernel->dimensions.items[i];
            int64_t value;
            if (!dimension->is_static || has_choice(choices, dimension->name)) continue;
            if (!workload && !(workload = read_workload(c, options, path))) return;
            if (cake_workload_shape_value(c->arena, workload, shape, dimension->name, &value))
                *CAKE_PUSH(c->arena, choices) = (cake_choice){dimension->name, value};
        }
    }
}

static void plan(cake_compilation *c, const cake_options *options, const char *path) {
    choice_list choices = {0};
    cake_compile_options compile = {0};
    for (uint32_t i = 0; i < options->definitions.count; i++)
        if (options->definitions.items[i].is_integer)
            *CAKE_PUSH(c->arena, &choices) =
                (cake_choice){options->definitions.items[i].name, options->definitions.items[i].integer};
    add_statics(c, options, path, &choices);
    compile.plan = (cake_plan_options){choices.items, choices.count, cake_options_has(options, CAKE_OPTION_SPECIALISE)};
    for (uint32_t i = 0; i < options->uses.count; i++)
        if (options->uses.items[i].option == CAKE_OPTION_ALLOW)
            *CAKE_PUSH(c->arena, &compile.allowed) = options->uses.items[i].value;
    cake_compile_plan(c, &compile);
}

static const char *check_codes(cake_arena *arena, const cake_options *options) {
    for (uint32_t i = 0; i < options->uses.count; i++) {
        const cake_option_use *use = &options->uses.items[i];
        if (use->option == CAKE_OPTION_ALLOW && cake_diagnostic_code_find(use->value) == CAKE_DIAGNOSTIC_COUNT)
            return cake_arena_format(arena, "--allow %s: there is no such code", use->value);
    }
    return NULL;
}

int cake_compile_setup(cake_arena *arena, const cake_options *options, const char *path, bool planned,
                       cake_compilation *out_compilation, const char **out_problem) {
    cake_source *source = CAKE_NEW(arena, cake_source);
    *out_compilation = (cake_compilation){.arena = arena};
    cake_diagnostics_init(&out_compilation->diagnostics, arena, NULL);
    if ((*out_problem = check_codes(arena, options))) return CAKE_COMMAND_LINE;
    cake_status status = cake_source_read(arena, path, source);
    if (status.kind != CAKE_STATUS_OK) {
        *out_problem = cake_arena_format(arena, "%s", status.message);
        return status.kind == CAKE_STATUS_INVALID ? CAKE_WRONG : CAKE_ENVIRONMENT;
    }
    cake_compile_open(out_compilation, arena, source);
    if (out_compilation->diagnostics.error_count) return CAKE_WRONG;
    if ((*out_problem = check_definitions(out_compilation, options))) return CAKE_COMMAND_LINE;
    const char *target = cake_options_text(options, CAKE_OPTION_TARGET, NULL);
    const char *own = cake_target_info_of(out_compilation->module->target)->name;
    if (target && strcmp(target, own) != 0) {
        *out_problem = cake_arena_format(arena, "--target %s: %s is written for %s", target, path, own);
        return CAKE_COMMAND_LINE;
    }
    if (planned) plan(out_compilation, options, path);
    return out_compilation->diagnostics.error_count ? CAKE_WRONG : CAKE_DONE;
}

/* ---- output ---- */

static cake_status write_file(FILE *file, const char *path, const char *bytes, size_t size) {
    bool written = fwrite(bytes, 1, size, file) == size && fflush(file) == 0;
    int error = errno;
    if (file != stdout && fclose(file) != 0) written = false;
    return written ? cake_status_ok()
                   : cake_status_make(CAKE_STATUS_UNAVAILABLE, "cannot write %s: %s", path, strerror(error));
}

static cake_status open_failed(const char *path) {
    return cake_status_make(CAKE_STATUS_UNAVAILABLE, "cannot write %s: %s", path, strerror(errno));
}

cake_status cake_write_output(cake_arena *arena, const char *path, const char *bytes, size_t size, FILE *out) {
    if (!path || strcmp(path, "-") == 0)
        return fwrite(bytes, 1, size, out) == size && fflush(out) == 0 ? cake_status_ok()
                                                                       : open_failed("standard output");
    struct stat info;
    bool in_place = stat(path, &info) == 0 && !S_ISREG(info.st_mode);
    const char *temporary = in_place ? path : cake_arena_format(arena, "%s.%ld.tmp", path, (long)getpid());
    FILE *file = fopen(temporary, "wb");
    if (!file) return open_failed(path);
    cake_status status = write_file(file, path, bytes, size);
    if (in_place || status.kind != CAKE_STATUS_OK) {
        if (!in_place) remove(temporary);
        return status;
    }
    if (rename(temporary, path) == 0) return status;
    status = open_failed(path);
    remove(temporary);
    return status;
}
