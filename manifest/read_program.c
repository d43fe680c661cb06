/* Reads and checks a program: what its steps name exists, and what they give a kernel fits it. */
#include <stdlib.h>
#include <string.h>

#include "ir/type.h"
#include "manifest/read_parts.h"

static cake_manifest_temporary read_temporary(cake_json_reader *reader, cake_json_node object,
                                              const cake_manifest_program *program) {
    const cake_manifest_interface *interface = &program->interface;
    cake_manifest_temporary temporary = {
        .name = cake_json_identifier(reader, object, "name"),
        .dtype = cake_read_dtype(reader, object),
        .shape = cake_read_expressions(reader, object, "shape", CAKE_MAX_RANK),
    };
    if (temporary.shape.count == 0) cake_json_fail(reader, object, "shape", "is empty");
    uint32_t taken = cake_read_count_name(interface, temporary.name);
    for (uint32_t i = 0; i < program->temporaries.count; i++)
        taken += strcmp(program->temporaries.items[i].name, temporary.name) == 0;
    if (taken > 0) cake_json_fail(reader, object, "name", "is taken by something else of the program");
    cake_read_check_list(reader, object, "shape", interface, &temporary.shape);
    cake_json_end(reader, object, 3);
    return temporary;
}

/* One element: hexadecimal digits, as many as fit the dtype. */
static uint64_t read_bits(cake_json_reader *reader, cake_json_node object, const char *dtype) {
    const char *text = cake_json_string(reader, object, "bits");
    size_t size = strlen(text);
    uint32_t width = cake_dtype_bits(cake_dtype_find(dtype));
    bool fits = size > 0 && size <= 16 && strspn(text, "0123456789abcdef") == size;
    uint64_t bits = fits ? strtoull(text, NULL, 16) : 0;
    if (!fits || (width < 64 && bits >> width != 0))
        cake_json_fail(reader, object, "bits", "are no element of %s", dtype);
    return bits;
}

/* ---- memory: the program's tensors, then its temporaries ---- */

typedef struct memory_view {
    const char *name, *dtype;
    uint32_t rank;
    bool strided, read_only;
} memory_view;

static uint32_t memory_count(const cake_manifest_program *program) {
    return program->interface.tensors.count + program->temporaries.count;
}

static memory_view memory_at(const cake_manifest_program *program, uint32_t index) {
    uint32_t tensors = program->interface.tensors.count;
    if (index < tensors) {
        const cake_manifest_tensor *tensor = &program->interface.tensors.items[index];
        return (memory_view){tensor->name, tensor->dtype, tensor->shape.count, tensor->strides.count > 0,
                             tensor->mode == CAKE_TENSOR_IN};
    }
    const cake_manifest_temporary *temporary = &program->temporaries.items[index - tensors];
    return (memory_view){temporary->name, temporary->dtype, temporary->shape.count, false, false};
}

/* ---- steps ---- */

/* The member of the object that says where an element of the dtype comes from. */
static cake_manifest_source read_source(cake_json_reader *reader, cake_json_node object,
                                        const cake_manifest_interface *program, const char *dtype) {
    cake_manifest_source source = {0};
    if (cake_json_has(object, "scalar")) {
        source.kind = CAKE_SOURCE_SCALAR;
        source.index = cake_read_index(reader, object, "scalar", program->scalars.count);
        if (source.index < program->scalars.count && strcmp(program->scalars.items[source.index].dtype, dtype) != 0)
            cake_json_fail(reader, object, "scalar", "has another type than %s", dtype);
    } else if (cake_json_has(object, "bits")) {
        source.kind = CAKE_SOURCE_VALUE;
        source.bits = read_bits(reader, object, dtype);
    } else {
        cake_dtype_class class = cake_dtype_class_of(cake_dtype_find(dtype));
        source.kind = CAKE_SOURCE_EXPRESSION;
        source.expression = cake_json_expression(reader, object, "expression");
        bool real = strcmp(dtype, "f32") == 0 || strcmp(dtype, "f64") == 0;
        if (real)
            cake_read_check_float(reader, object, "expression", program, source.expression);
        else
            cake_read_check(reader, object, "expression", program, source.expression);
        if (class != CAKE_CLASS_SIGNED && class != CAKE_CLASS_UNSIGNED && !real)
            cake_json_fail(reader, object, "expression", "gives no element of %s", dtype);
    }
    return source;
}

static void read_fill(cake_json_reader *reader, cake_json_node object, const cake_manifest_program *program,
                      cake_manifest_step *step) {
    step->kind = CAKE_MANIFEST_STEP_FILL;
    step->memory = cake_read_index(reader, object, "fill", memory_count(program));
    if (memory_count(program) > 0) {
        memory_view memory = memory_at(program, step->memory);
        if (memory.strided && cake_dtype_bits(cake_dtype_find(memory.dtype)) < 8)
            cake_json_fail(reader, object, "fill", "names a tensor of 4-bit elements with strides");
        if (memory.read_only) cake_json_fail(reader, object, "fill", "names a tensor that is only read");
        step->value = read_source(reader, object, &program->interface, memory.dtype);
    }
    cake_json_end(reader, object, 2);
}

static void read_launch_tensors(cake_json_reader *reader, cake_json_node object, const cake_manifest_program *program,
                                const cake_manifest_interface *kernel, cake_manifest_step *step) {
    cake_json_node tensors = cake_json_list(reader, object, "tensors", CAKE_READ_TENSOR_LIMIT);
    uint32_t count = cake_json_size(tensors);
    if (count != kernel->tensors.count) cake_json_fail(reader, object, "tensors", "are not those of the kernel");
    if (memory_count(program) == 0 && count > 0) cake_json_fail(reader, object, "tensors", "index an empty list");
    if (reader->status.kind != CAKE_STATUS_OK) return;
    for (uint32_t i = 0; i < count; i++) {
        const cake_manifest_tensor *wanted = &kernel->tensors.items[i];
        uint32_t index = (uint32_t)cake_json_integer_at(reader, tensors, i, 0, (int64_t)memory_count(program) - 1);
        memory_view memory = memory_at(program, index);
        if (strcmp(memory.dtype, wanted->dtype) != 0 || memory.rank != wanted->shape.count)
            cake_json_fail(reader, object, "tensors", "give '%.60s' for '%.60s', which has another type", memory.name,
                           wanted->name);
        if (memory.read_only && wanted->mode != CAKE_TENSOR_IN)
            cake_json_fail(reader, object, "tensors", "give '%.60s', which is only read, for '%.60s'", memory.name,
                           wanted->name);
        *CAKE_PUSH(reader->arena, &step->tensors) = index;
    }
}

static cake_manifest_source read_scalar(cake_json_reader *reader, cake_json_node object,
                                        const cake_manifest_interface *program, const char *dtype) {
    cake_manifest_source source = read_source(reader, object, program, dtype);
    cake_json_end(reader, object, 1);
    return source;
}

static void read_launch_values(cake_json_reader *reader, cake_json_node object, const cake_manifest_program *program,
                               const cake_manifest_interface *kernel, cake_manifest_step *step) {
    step->dimensions = cake_read_expressions(reader, object, "dimensions", CAKE_READ_NAME_LIMIT);
    if (step->dimensions.count != kernel->dimensions.count)
        cake_json_fail(reader, object, "dimensions", "are not those of the kernel");
    cake_read_check_list(reader, object, "dimensions", &program->interface, &step->dimensions);
    cake_json_node scalars = cake_json_list(reader, object, "scalars", CAKE_READ_TENSOR_LIMIT);
    if (cake_json_size(scalars) != kernel->scalars.count)
        cake_json_fail(reader, object, "scalars", "are not those of the kernel");
    if (reader->status.kind != CAKE_STATUS_OK) return;
    for (uint32_t i = 0; i < kernel->scalars.count; i++)
        *CAKE_PUSH(reader->arena, &step->scalars) = read_scalar(reader, cake_json_item(reader, scalars, i),
                                                                &program->interface, kernel->scalars.items[i].dtype);
}

static void read_launch(cake_json_reader *reader, cake_json_node object, const cake_manifest *manifest,
                        const cake_manifest_program *program, cake_manifest_step *step) {
    step->kind = CAKE_MANIFEST_STEP_LAUNCH;
    step->kernel = cake_read_index(reader, object, "kernel", manifest->kernels.count);
    step->overlap = cake_json_boolean(reader, object, "overlap");
    if (reader->status.kind != CAKE_STATUS_OK) return;
    const cake_manifest_interface *kernel = &manifest->kernels.items[step->kernel].interface;
    read_launch_tensors(reader, object, program, kernel, step);
    read_launch_values(reader, object, program, kernel, step);
    cake_json_end(reader, object, 5);
}

/* A launch can overlap with nothing else than the launch before it. */
static void read_step(cake_json_reader *reader, cake_json_node object, const cake_manifest *manifest,
                      cake_manifest_program *program) {
    cake_manifest_step step = {0};
    if (cake_json_has(object, "fill"))
        read_fill(reader, object, program, &step);
    else
        read_launch(reader, object, manifest, program, &step);
    const cake_manifest_step *before = program->steps.count ? &program->steps.items[program->steps.count - 1] : NULL;
    if (step.overlap && (!before || before->kind != CAKE_MANIFEST_STEP_LAUNCH))
        cake_json_fail(reader, object, "overlap", "has no launch before it");
    *CAKE_PUSH(reader->arena, &program->steps) = step;
}

cake_manifest_program cake_read_program(cake_json_reader *reader, cake_json_node object,
                                        const cake_manifest *manifest) {
    cake_manifest_program program = {.interface.kind = "program"};
    cake_read_interface(reader, object, &program.interface);
    CAKE_READ_CONDITIONS(reader, object, "required", &program.interface, &program.required);
    cake_json_node temporaries = cake_json_list(reader, object, "temporaries", CAKE_READ_TEMPORARY_LIMIT);
    for (uint32_t i = 0; i < cake_json_size(temporaries); i++) {
        cake_manifest_temporary one = read_temporary(reader, cake_json_item(reader, temporaries, i), &program);
        *CAKE_PUSH(reader->arena, &program.temporaries) = one;
    }
    cake_json_node steps = cake_json_list(reader, object, "steps", CAKE_READ_STEP_LIMIT);
    for (uint32_t i = 0; i < cake_json_size(steps); i++)
        read_step(reader, cake_json_item(reader, steps, i), manifest, &program);
    cake_json_end(reader, object, CAKE_READ_INTERFACE_MEMBERS + 3);
    return program;
}
