/* From code, workload and command line to a job for the device. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/run.h"
#include "oracle/number.h"
#include "runtime/bind.h"

#define DEFAULT_REPS 50

/* ---- manifest, workload, kernel ---- */

static bool read_manifest(cake_run *run) {
    const cake_run_code *code = run->code;
    cake_status status = code->manifest
                             ? cake_manifest_read(run->arena, code->manifest, code->manifest_size, &run->manifest)
                             : cake_manifest_read_ptx(run->arena, code->bytes, code->size, &run->manifest);
    return status.kind == CAKE_STATUS_OK || cake_run_fail(run, CAKE_EXIT_WRONG, "manifest", "%s", status.message);
}

/* PATH.work for PATH.ptx, if there is such a file; null otherwise. */
static const char *default_workload(cake_run *run) {
    const char *path = run->code->path;
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    size_t stem = dot ? (size_t)(dot - path) : strlen(path);
    const char *workload = cake_arena_format(run->arena, "%.*s.work", (int)stem, path);
    return access(workload, F_OK) == 0 ? workload : NULL;
}

static bool read_workload(cake_run *run) {
    const char *path = cake_options_text(run->options, CAKE_OPTION_WORKLOAD, NULL);
    if (!path) path = default_workload(run);
    if (!path) return true;
    cake_status status = cake_source_read(run->arena, path, &run->source);
    if (status.kind != CAKE_STATUS_OK)
        return cake_run_fail(run, CAKE_EXIT_ENVIRONMENT, "environment", "%s", status.message);
    const cake_source *schedule = run->diagnostics.source;
    run->diagnostics.source = &run->source;
    run->workload = cake_workload_parse(run->arena, &run->source, &run->diagnostics);
    run->diagnostics.source = schedule;
    return run->diagnostics.error_count == 0 ||
           cake_run_fail(run, CAKE_EXIT_WRONG, "workload", "the workload has errors");
}

/* --kernel, else what the workload is for. The workload beside the code is for another unit where --kernel names one.
 */
static bool choose_unit(cake_run *run) {
    const char *asked = cake_options_text(run->options, CAKE_OPTION_KERNEL, NULL);
    const char *described = run->workload ? run->workload->kernel : NULL;
    if (asked && described && strcmp(asked, described) != 0) {
        if (cake_options_text(run->options, CAKE_OPTION_WORKLOAD, NULL))
            return cake_run_fail(run, CAKE_EXIT_WRONG, "workload", "the workload is for '%s', not for '%s'", described,
                                 asked);
        run->workload = NULL;
        described = NULL;
    }
    cake_status status = cake_unit_find(run->manifest, asked ? asked : described, &run->unit);
    if (status.kind == CAKE_STATUS_OK) {
        run->job.kernel = run->unit.interface->name;
        return true;
    }
    if (asked || !described)
        return cake_run_fail(run, CAKE_EXIT_COMMAND_LINE, "command line", "%s%s", status.message,
                             asked ? "" : " with --kernel NAME");
    return cake_run_fail(run, CAKE_EXIT_WRONG, "workload", "the workload does not fit: %s", status.message);
}

/* ---- names on the command line ---- */

static const cake_manifest_value *find_fixed(const cake_manifest_value *values, uint32_t count, const char *name) {
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(values[i].name, name) == 0) return &values[i];
    return NULL;
}

static bool is_dimension(const cake_manifest_interface *interface, const char *name) {
    for (uint32_t i = 0; i < interface->dimensions.count; i++)
        if (strcmp(interface->dimensions.items[i], name) == 0) return true;
    return false;
}

static bool is_scalar(const cake_manifest_interface *interface, const char *name) {
    for (uint32_t i = 0; i < interface->scalars.count; i++)
        if (strcmp(interface->scalars.items[i].name, name) == 0) return true;
    return false;
}

typedef CAKE_VECTOR(const char *) name_list;
typedef CAKE_VECTOR(cake_manifest_value) value_list;

static void add_values(cake_run *run, const cake_manifest_interface *interface, value_list *values) {
    for (uint32_t i = 0; i < interface->tunables.count; i++)
        *CAKE_PUSH(run->arena, values) = interface->tunables.items[i];
}

/* Tunables of the unit, and of the kernels that a program runs. */
static value_list tunables_of(cake_run *run) {
    value_list values = {0};
    add_values(run, run->unit.interface, &values);
    for (uint32_t i = 0; run->unit.program && i < run->unit.program->steps.count; i++) {
        const cake_manifest_step *step = &run->unit.program->steps.items[i];
        if (step->kind == CAKE_MANIFEST_STEP_LAUNCH)
            add_values(run, &run->manifest->kernels.items[step->kernel].interface, &values);
    }
    return values;
}

static name_list known_names(const cake_run *run, const value_list *tunables) {
    const cake_manifest_interface *interface = run->unit.interface;
    name_list names = {0};
    for (uint32_t i = 0; i < interface->dimensions.count; i++)
        *CAKE_PUSH(run->arena, &names) = interface->dimensions.items[i];
    for (uint32_t i = 0; i < interface->statics.count; i++)
        *CAKE_PUSH(run->arena, &names) = interface->statics.items[i].name;
    for (uint32_t i = 0; i < tunables->count; i++)
        *CAKE_PUSH(run->arena, &names) = tunables->items[i].name;
    for (uint32_t i = 0; run->workload && i < run->workload->dimensions.count; i++)
        *CAKE_PUSH(run->arena, &names) = run->workload->dimensions.items[i];
    for (uint32_t i = 0; !run->workload && i < interface->scalars.count; i++)
        *CAKE_PUSH(run->arena, &names) = interface->scalars.items[i].name;
    return names;
}

static bool check_definition(cake_run *run, const cake_definition_option *definition) {
    value_list tunables = tunables_of(run);
    name_list names = known_names(run, &tunables);
    bool known = false;
    for (uint32_t i = 0; i < names.count; i++)
        known = known || strcmp(names.items[i], definition->name) == 0;
    if (!known) {
        const char *nearest = cake_nearest_name(definition->name, names.items, names.count);
        return cake_run_fail(run, CAKE_EXIT_COMMAND_LINE, "command line", "%s '%s' has no '%s' for -D%s%s%s",
                             run->unit.interface->kind, run->unit.interface->name, definition->name,
                             nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    }
    if (!definition->is_integer && !is_scalar(run->unit.interface, definition->name))
        return cake_run_fail(run, CAKE_EXIT_COMMAND_LINE, "command line", "-D %s takes an integer, not '%s'",
                             definition->name, definition->text);
    for (uint32_t i = 0; i < tunables.count; i++)
        if (strcmp(tunables.items[i].name, definition->name) == 0 && tunables.items[i].value != definition->integer)
            return cake_run_fail(run, CAKE_EXIT_WRONG, "contract",
                                 "%s '%s' was compiled for %s = %" PRId64 " and cannot be launched with %" PRId64,
                                 run->unit.interface->kind, run->unit.interface->name, definition->name,
                                 tunables.items[i].value, definition->integer);
    return true;
}

static bool check_definitions(cake_run *run) {
    for (uint32_t i = 0; i < run->options->definitions.count; i++)
        if (!check_definition(run, &run->options->definitions.items[i])) return false;
    return true;
}

static bool choose_device(cake_run *run) {
    const char *text = cake_options_text(run->options, CAKE_OPTION_DEVICE, "cuda:0");
    if (run->code->simulator) return true;
    if (strcmp(text, "sim") == 0)
        return cake_run_fail(run, CAKE_EXIT_COMMAND_LINE, "command line",
                             "the simulator takes no times and runs no compiled code: use 'cakec run' with the "
                             "schedule, or --device cuda:N");
    if (cake_options_has(run->options, CAKE_OPTION_SCHEDULES) || cake_options_has(run->options, CAKE_OPTION_SMS))
        return cake_run_fail(run, CAKE_EXIT_COMMAND_LINE, "command line",
                             "--schedules and --sms are for 'cakec run --device sim'");
    if (strncmp(text, "cuda:", 5) == 0 && text[5] && strlen(text) <= 9 &&
        strspn(text + 5, "0123456789") == strlen(text + 5)) {
        run->job.device = (uint32_t)strtoul(text + 5, NULL, 10);
        return true;
    }
    return cake_run_fail(run, CAKE_EXIT_COMMAND_LINE, "command line", "--device takes cuda:N, not '%.60s'", text);
}

/* ---- dimensions ---- */

static const cake_definition_option *find_definition(const cake_run *run, const char *name) {
    for (uint32_t i = 0; i < run->options->definitions.count; i++)
        if (strcmp(run->options->definitions.items[i].name, name) == 0) return &run->options->definitions.items[i];
    return NULL;
}

typedef CAKE_VECTOR(cake_case_dimension) chosen_list;

/* What replaces the shape's values: the command line, and what the kernel was compiled for. */
static chosen_list choose_dimensions(const cake_run *run) {
    chosen_list chosen = {0};
    for (uint32_t i = 0; i < run->options->definitions.count; i++) {
        const cake_definition_option *definition = &run->options->definitions.items[i];
        if (cake_workload_has_dimension(run->workload, definition->name))
            *CAKE_PUSH(run->arena, &chosen) = (cake_case_dimension){definition->name, definition->integer};
    }
    for (uint32_t i = 0; i < run->unit.interface->statics.count; i++) {
        const cake_manifest_value *value = &run->unit.interface->statics.items[i];
        if (cake_workload_has_dimension(run->workload, value->name) && !find_definition(run, value->name))
            *CAKE_PUSH(run->arena, &chosen) = (cake_case_dimension){value->name, value->value};
    }
    return chosen;
}

static bool check_shape(cake_run *run) {
    const char *shape = cake_options_text(run->options, CAKE_OPTION_SHAPE, NULL);
    const name_list names = {(const char **)run->workload->shapes.items, run->workload->shapes.count, 0};
    for (uint32_t i = 0; shape && i < names.count; i++)
        if (strcmp(names.items[i], shape) == 0) return true;
    if (!shape) return true;
    const char *nearest = cake_nearest_name(shape, names.items, names.count);
    return cake_run_fail(run, CAKE_EXIT_COMMAND_LINE, "command line", "the workload has no shape '%.60s'%s%s%s", shape,
                         nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static bool make_case(cake_run *run) {
    if (!check_shape(run)) return false;
    chosen_list chosen = choose_dimensions(run);
    cake_status status =
        cake_case_create(run->arena, run->workload, cake_options_text(run->options, CAKE_OPTION_SHAPE, NULL),
                         chosen.items, chosen.count, run->seed, &run->one);
    if (status.kind == CAKE_STATUS_OK) status = cake_case_generate(run->one);
    if (status.kind == CAKE_STATUS_NO_MEMORY)
        return cake_run_fail(run, CAKE_EXIT_ENVIRONMENT, "environment", "%s", status.message);
    if (status.kind != CAKE_STATUS_OK) return cake_run_fail(run, CAKE_EXIT_WRONG, "workload", "%s", status.message);
    run->flops = run->one->flops;
    run->bytes = run->one->bytes;
    return true;
}

/* From the command line, else from the case; statics only where given, for the runtime to compare. */
static bool bind_dimensions(cake_run *run) {
    for (uint32_t i = 0; run->one && i < run->one->dimensions.count; i++) {
        const cake_case_dimension *dimension = &run->one->dimensions.items[i];
        if (is_dimension(run->unit.interface, dimension->name) && !find_definition(run, dimension->name))
            *CAKE_PUSH(run->arena, &run->job.dimensions) = (cake_binding){dimension->name, dimension->value};
    }
    for (uint32_t i = 0; i < run->options->definitions.count; i++) {
        const cake_definition_option *definition = &run->options->definitions.items[i];
        bool is_static =
            find_fixed(run->unit.interface->statics.items, run->unit.interface->statics.count, definition->name);
        if (is_static || is_dimension(run->unit.interface, definition->name))
            *CAKE_PUSH(run->arena, &run->job.dimensions) = (cake_binding){definition->name, definition->integer};
    }
    for (uint32_t i = 0; i < run->unit.interface->dimensions.count; i++) {
        bool bound = false;
        for (uint32_t k = 0; k < run->job.dimensions.count; k++)
            bound = bound || strcmp(run->job.dimensions.items[k].name, run->unit.interface->dimensions.items[i]) == 0;
        if (!bound)
            return cake_run_fail(run, CAKE_EXIT_COMMAND_LINE, "command line",
                                 "dimension '%s' has no value: give -D %s=N", run->unit.interface->dimensions.items[i],
                                 run->unit.interface->dimensions.items[i]);
    }
    return true;
}

/* ---- scalars ---- */

static const void *scalar_of_case(cake_run *run, const cake_manifest_scalar *scalar) {
    const cake_case_tensor *tensor = cake_case_tensor_find(run->one, scalar->name);
    if (tensor && tensor->rank == 0 && strcmp(cake_dtype_name(tensor->dtype), scalar->dtype) == 0) return tensor->data;
    cake_run_fail(run, CAKE_EXIT_WRONG, "workload", "the workload gives no scalar '%s' of type %s", scalar->name,
                  scalar->dtype);
    return NULL;
}

static const void *scalar_of_command_line(cake_run *run, const cake_manifest_scalar *scalar) {
    const cake_definition_option *definition = find_definition(run, scalar->name);
    if (!definition) {
        cake_run_fail(run, CAKE_EXIT_COMMAND_LINE, "command line", "scalar '%s' has no value: give -D %s=X",
                      scalar->name, scalar->name);
        return NULL;
    }
    void *value = cake_arena_alloc(run->arena, sizeof(uint64_t));
    cake_number_store(cake_dtype_find(scalar->dtype), value, 0, strtod(definition->text, NULL));
    return value;
}

static bool bind_scalars(cake_run *run) {
    for (uint32_t i = 0; i < run->unit.interface->scalars.count; i++) {
        const cake_manifest_scalar *scalar = &run->unit.interface->scalars.items[i];
        const void *value = run->one ? scalar_of_case(run, scalar) : scalar_of_command_line(run, scalar);
        if (!value) return false;
        *CAKE_PUSH(run->arena, &run->job.scalars) = (cake_scalar_argument){scalar->name, value};
    }
    return true;
}

/* ---- tensors ---- */

static cake_tensor_use use_of(cake_tensor_mode mode) {
    switch (mode) {
    case CAKE_TENSOR_IN:
        return CAKE_USE_INPUT;
    case CAKE_TENSOR_OUT:
        return CAKE_USE_OUTPUT;
    case CAKE_TENSOR_INOUT:
        return CAKE_USE_INOUT;
    }
    return CAKE_USE_INPUT;
}

/* The kernel's tensor and the workload's are the same array: no element has another place. */
static bool agree(const cake_manifest_tensor *tensor, const cake_tensor_layout *layout, const cake_case_tensor *given) {
    if (given->rank != layout->rank || given->bytes != layout->bytes || given->use != use_of(tensor->mode) ||
        strcmp(cake_dtype_name(given->dtype), tensor->dtype) != 0)
        return false;
    int64_t stride = 1;
    for (uint32_t i = layout->rank; i-- > 0;) {
        if (given->extents[i] != layout->extents[i]) return false;
        if (layout->extents[i] > 1 && layout->strides[i] != stride) return false;
        stride *= given->extents[i] > 0 ? given->extents[i] : 1;
    }
    return true;
}

static bool add_case_tensor(cake_run *run, const cake_manifest_tensor *tensor, const cake_tensor_layout *layout) {
    const cake_case_tensor *given = cake_case_tensor_find(run->one, tensor->name);
    if (!given)
        return cake_run_fail(run, CAKE_EXIT_WRONG, "workload", "the workload gives no tensor '%s'", tensor->name);
    if (!agree(tensor, layout, given))
        return cake_run_fail(
            run, CAKE_EXIT_WRONG, "workload",
            "tensor '%s' is another one in the workload than in the kernel: type, extents, strides and "
            "in, out or inout must agree",
            tensor->name);
    *CAKE_PUSH(run->arena, &run->job.tensors) =
        (cake_run_tensor){tensor->name, tensor->mode, given->data, layout->bytes};
    return true;
}

/* Steele, Lea and Flood, 'Fast splittable pseudorandom number generators', 2014. */
static double next_uniform(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-52 - 1.0;
}

/* Without a workload: floats in -1 .. 1, integers 0 (they may be indices), outputs every byte 0xFF. */
static void add_plain_tensor(cake_run *run, const cake_manifest_tensor *tensor, const cake_tensor_layout *layout) {
    cake_dtype dtype = cake_dtype_find(tensor->dtype);
    void *data = cake_arena_alloc(run->arena, layout->bytes);
    if (tensor->mode == CAKE_TENSOR_OUT) {
        memset(data, 0xFF, layout->bytes);
    } else if (cake_dtype_class_of(dtype) == CAKE_CLASS_FLOAT) {
        uint64_t state = run->seed + run->job.tensors.count;
        uint64_t count = layout->bytes / (cake_dtype_bits(dtype) / 8);
        for (uint64_t i = 0; i < count; i++)
            cake_number_store(dtype, data, i, next_uniform(&state));
    }
    run->bytes += (double)layout->bytes * (tensor->mode == CAKE_TENSOR_INOUT ? 2 : 1);
    *CAKE_PUSH(run->arena, &run->job.tensors) = (cake_run_tensor){tensor->name, tensor->mode, data, layout->bytes};
}

static bool bind_tensors(cake_run *run) {
    const cake_run_job *job = &run->job;
    cake_call_request request = {
        .dimensions = job->dimensions.items,
        .dimension_count = job->dimensions.count,
        .scalars = job->scalars.items,
        .scalar_count = job->scalars.count,
    };
    /* The contract and the sizes do not depend on the device; the child asks again with its number of SMs. */
    cake_bound bound;
    cake_status status = cake_bind(run->arena, run->unit.interface, &request, 1, &bound);
    for (uint32_t i = 0; i < run->unit.interface->tensors.count && status.kind == CAKE_STATUS_OK; i++) {
        cake_tensor_layout layout;
        status = cake_bound_tensor(&bound, i, &layout);
        if (status.kind != CAKE_STATUS_OK) break;
        if (!run->one)
            add_plain_tensor(run, &run->unit.interface->tensors.items[i], &layout);
        else if (!add_case_tensor(run, &run->unit.interface->tensors.items[i], &layout))
            return false;
    }
    for (uint32_t i = 0; run->unit.program && i < run->unit.program->temporaries.count; i++) {
        uint64_t bytes = 0;
        if (status.kind != CAKE_STATUS_OK) break;
        status = cake_bound_temporary(&bound, &run->unit.program->temporaries.items[i], &bytes);
        run->job.temporary_bytes += bytes + CAKE_TEMPORARY_ALIGNMENT;
    }
    return status.kind == CAKE_STATUS_OK || cake_run_fail(run, CAKE_EXIT_WRONG, "contract", "%s", status.message);
}

bool cake_run_setup(cake_run *run) {
    const cake_options *options = run->options;
    run->seed = (uint64_t)cake_options_number(options, CAKE_OPTION_SEED, 0) + run->schedule;
    run->job.code = run->code;
    run->job.bench = options->command == CAKE_COMMAND_BENCH;
    run->job.cold = cake_options_has(options, CAKE_OPTION_COLD);
    run->job.reps = (uint32_t)cake_options_number(options, CAKE_OPTION_REPS, DEFAULT_REPS);
    if (!read_manifest(run) || !read_workload(run) || !choose_unit(run)) return false;
    if (!check_definitions(run) || !choose_device(run)) return false;
    if (run->workload && !make_case(run)) return false;
    if (!bind_dimensions(run) || !bind_scalars(run) || !bind_tensors(run)) return false;
    run->results = CAKE_NEW_ARRAY(run->arena, void *, run->job.tensors.count);
    run->damages = CAKE_NEW_ARRAY(run->arena, cake_run_damage, run->job.tensors.count);
    return true;
}
