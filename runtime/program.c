/* Programs: steps over the caller's tensors and temporaries that belong to the call. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/call.h"

#define RETURN_UNLESS_OK(expression)                                                                                   \
    do {                                                                                                               \
        cake_status status_ = (expression);                                                                            \
        if (status_.kind != CAKE_STATUS_OK) return status_;                                                            \
    } while (0)

/* What the steps refer to: the program's tensors in order, then its temporaries. */
typedef struct memory_place {
    cake_address address;
    uint64_t bytes, count; /* elements of what may be filled */
    const char *dtype;
} memory_place;

typedef struct program_layout {
    cake_call *call;
    const cake_image *image;
    const cake_manifest_program *program;
    cake_bound bound;
    memory_place *memory;
    bool after_launch; /* the step before this one runs a kernel */
} program_layout;

/* ---- memory ---- */

static uint64_t aligned(uint64_t bytes) {
    return (bytes + CAKE_TEMPORARY_ALIGNMENT - 1) / CAKE_TEMPORARY_ALIGNMENT * CAKE_TEMPORARY_ALIGNMENT;
}

cake_status cake_bound_temporary(const cake_bound *bound, const cake_manifest_temporary *temporary, uint64_t *bytes) {
    cake_memory_shape shape = {temporary->name, temporary->dtype, &temporary->shape, NULL};
    cake_tensor_layout layout;
    RETURN_UNLESS_OK(cake_bound_memory(bound, &shape, &layout));
    *bytes = layout.bytes;
    return cake_status_ok();
}

static uint64_t element_count(uint64_t bytes, const char *dtype) {
    return bytes * 8 / cake_dtype_bits(cake_dtype_find(dtype));
}

static cake_status place_parameters(program_layout *layout, const cake_call_request *request) {
    const cake_manifest_interface *interface = &layout->program->interface;
    cake_tensor_place *places = CAKE_NEW_ARRAY(&layout->call->arena, cake_tensor_place, interface->tensors.count);
    RETURN_UNLESS_OK(cake_place_tensors(&layout->bound, request, places));
    for (uint32_t i = 0; i < interface->tensors.count; i++) {
        const char *dtype = interface->tensors.items[i].dtype;
        layout->memory[i] =
            (memory_place){places[i].argument->address, places[i].bytes, element_count(places[i].bytes, dtype), dtype};
    }
    return cake_status_ok();
}

/* All temporaries lie in one block. */
static cake_status place_temporaries(program_layout *layout) {
    const cake_manifest_program *program = layout->program;
    memory_place *memory = layout->memory + program->interface.tensors.count;
    uint64_t total = 0;
    for (uint32_t i = 0; i < program->temporaries.count; i++) {
        const cake_manifest_temporary *temporary = &program->temporaries.items[i];
        uint64_t bytes;
        RETURN_UNLESS_OK(cake_bound_temporary(&layout->bound, temporary, &bytes));
        memory[i] = (memory_place){total, bytes, element_count(bytes, temporary->dtype), temporary->dtype};
        total += aligned(bytes); /* each at most 2^57: no overflow with as few as a manifest may have */
    }
    if (total == 0) return cake_status_ok();
    RETURN_UNLESS_OK(cake_device_alloc(layout->call->device, total, &layout->call->temporaries));
    for (uint32_t i = 0; i < program->temporaries.count; i++)
        memory[i].address += layout->call->temporaries;
    return cake_status_ok();
}

/* ---- steps ---- */

/* An integer that the dtype holds, or the bits of a float. */
static cake_status evaluate_element(const program_layout *layout, const char *what, const char *dtype_name,
                                    const cake_launch_expr *expression, uint64_t *out_bits) {
    cake_dtype dtype = cake_dtype_find(dtype_name);
    bool is_signed = cake_dtype_class_of(dtype) == CAKE_CLASS_SIGNED;
    uint32_t bits = cake_dtype_bits(dtype);
    int64_t high = (int64_t)(UINT64_MAX >> (is_signed || bits == 64 ? 65 - bits : 64 - bits)), value;
    bool real = cake_dtype_class_of(dtype) == CAKE_CLASS_FLOAT;
    int64_t low = is_signed ? -high - 1 : 0;
    RETURN_UNLESS_OK(
        cake_bound_evaluate(&layout->bound, expression, what, real ? INT64_MIN : low, real ? INT64_MAX : high, &value));
    memcpy(out_bits, &value, sizeof value);
    return cake_status_ok();
}

static cake_status find_element(const program_layout *layout, const char *what, const char *dtype,
                                const cake_manifest_source *source, const void **out_value) {
    uint64_t *bits = CAKE_NEW(&layout->call->arena, uint64_t);
    *out_value = bits; /* little endian: an element's bytes come first */
    switch (source->kind) {
    case CAKE_SOURCE_SCALAR:
        *out_value = layout->bound.scalars[source->index];
        break;
    case CAKE_SOURCE_VALUE:
        *bits = source->bits;
        break;
    case CAKE_SOURCE_EXPRESSION:
        return evaluate_element(layout, what, dtype, source->expression, bits);
    }
    return cake_status_ok();
}

/* ---- fills ---- */

#define MAX_RUNS 65536 /* of one fill: each is a step */

static void add_run(program_layout *layout, const cake_call_fill *fill) {
    *CAKE_PUSH(&layout->call->arena, &layout->call->steps) = (cake_call_step){.kind = CAKE_CALL_FILL, .fill = *fill};
}

/* Joins the innermost axes that lie behind each other to one run; the axes that are left before it. */
static uint32_t join_axes(const cake_tensor_layout *tensor, uint64_t *out_run) {
    uint32_t axes = tensor->rank;
    *out_run = 1;
    while (axes && (tensor->extents[axes - 1] == 1 || (uint64_t)tensor->strides[axes - 1] == *out_run))
        *out_run *= (uint64_t)tensor->extents[--axes];
    return axes;
}

/* A tensor with strides: run by run, the outer axes counted like digits. */
static cake_status add_strided_fill(program_layout *layout, cake_call_fill fill, uint32_t index) {
    cake_tensor_layout tensor;
    RETURN_UNLESS_OK(cake_bound_tensor(&layout->bound, index, &tensor));
    if (tensor.bytes == 0) return cake_status_ok();
    uint32_t axes = join_axes(&tensor, &fill.count);
    uint64_t runs = 1;
    for (uint32_t i = 0; i < axes; i++)
        if (!cake_size_multiply(runs, (uint64_t)tensor.extents[i], &runs) || runs > MAX_RUNS)
            return cake_status_make(CAKE_STATUS_INVALID, "'fill' of a tensor in more than %d separate runs", MAX_RUNS);
    cake_address first = fill.to;
    for (uint64_t run = 0; run < runs; run++) {
        uint64_t rest = run, at = 0;
        for (uint32_t i = axes; i-- > 0; rest /= (uint64_t)tensor.extents[i])
            at += rest % (uint64_t)tensor.extents[i] * (uint64_t)tensor.strides[i];
        fill.to = first + at * fill.bytes;
        add_run(layout, &fill);
    }
    return cake_status_ok();
}

static cake_status add_fill(program_layout *layout, const cake_manifest_step *step) {
    const cake_manifest_interface *interface = &layout->program->interface;
    const memory_place *memory = &layout->memory[step->memory];
    uint32_t bits = cake_dtype_bits(cake_dtype_find(memory->dtype));
    const void *element;
    RETURN_UNLESS_OK(find_element(layout, "what 'fill' writes", memory->dtype, &step->value, &element));
    cake_call_fill fill = {memory->address, memory->count, bits / 8, 0};
    memcpy(&fill.value, element, bits < 8 ? 1 : bits / 8);
    if (bits == 4) fill = (cake_call_fill){memory->address, memory->bytes, 1, fill.value | fill.value << 4};
    layout->after_launch = false;
    if (step->memory < interface->tensors.count && interface->tensors.items[step->memory].strides.count)
        return add_strided_fill(layout, fill, step->memory);
    add_run(layout, &fill);
    return cake_status_ok();
}

/* What the step gives the kernel, as if a caller had asked for it. */
static cake_status request_of(const program_layout *layout, const cake_manifest_step *step,
                              const cake_manifest_interface *kernel, cake_call_request *out_request) {
    cake_arena *arena = &layout->call->arena;
    cake_binding *dimensions = CAKE_NEW_ARRAY(arena, cake_binding, kernel->dimensions.count);
    cake_tensor_argument *tensors = CAKE_NEW_ARRAY(arena, cake_tensor_argument, kernel->tensors.count);
    cake_scalar_argument *scalars = CAKE_NEW_ARRAY(arena, cake_scalar_argument, kernel->scalars.count);
    char what[160];
    for (uint32_t i = 0; i < kernel->dimensions.count; i++) {
        dimensions[i].name = kernel->dimensions.items[i];
        snprintf(what, sizeof what, "dimension '%.60s' of a step's kernel", dimensions[i].name);
        RETURN_UNLESS_OK(
            cake_bound_evaluate(&layout->bound, step->dimensions.items[i], what, 0, INT64_MAX, &dimensions[i].value));
    }
    for (uint32_t i = 0; i < kernel->tensors.count; i++) {
        const memory_place *memory = &layout->memory[step->tensors.items[i]];
        tensors[i] = (cake_tensor_argument){kernel->tensors.items[i].name, memory->address, memory->bytes};
    }
    for (uint32_t i = 0; i < kernel->scalars.count; i++) {
        const cake_manifest_scalar *scalar = &kernel->scalars.items[i];
        scalars[i].name = scalar->name;
        snprintf(what, sizeof what, "what the scalar parameter '%.60s' gets in a step", scalar->name);
        RETURN_UNLESS_OK(find_element(layout, what, scalar->dtype, &step->scalars.items[i], &scalars[i].value));
    }
    *out_request = (cake_call_request){.dimensions = dimensions,
                                       .dimension_count = kernel->dimensions.count,
                                       .tensors = tensors,
                                       .tensor_count = kernel->tensors.count,
                                       .scalars = scalars,
                                       .scalar_count = kernel->scalars.count};
    return cake_status_ok();
}

/* A launch overlaps with the launch before it and with nothing else: when that has no CTAs, it waits for all that the
 * stream holds. */
static cake_status add_launch(program_layout *layout, const cake_manifest_step *step) {
    cake_arena *arena = &layout->call->arena;
    const cake_manifest_interface *kernel = &layout->image->manifest->kernels.items[step->kernel].interface;
    cake_launch *launch = CAKE_NEW(arena, cake_launch);
    cake_call_request request;
    RETURN_UNLESS_OK(request_of(layout, step, kernel, &request));
    bool overlap = step->overlap && layout->after_launch;
    RETURN_UNLESS_OK(cake_launch_prepare(arena, layout->image, step->kernel, &request, overlap, launch));
    *CAKE_PUSH(arena, &layout->call->steps) = (cake_call_step){.kind = CAKE_CALL_LAUNCH, .launch = launch};
    layout->after_launch = launch->config.grid_x > 0;
    return cake_status_ok();
}

cake_status cake_program_prepare(cake_call *call, const cake_image *image, uint32_t index,
                                 const cake_call_request *request) {
    const cake_manifest_program *program = &image->manifest->programs.items[index];
    program_layout layout = {.call = call, .image = image, .program = program};
    uint32_t memories = program->interface.tensors.count + program->temporaries.count;
    layout.memory = CAKE_NEW_ARRAY(&call->arena, memory_place, memories);
    RETURN_UNLESS_OK(
        cake_bind(&call->arena, &program->interface, request, image->device->info.sm_count, &layout.bound));
    RETURN_UNLESS_OK(
        cake_bound_check(&call->arena, &layout.bound, "a kernel of", program->required.items, program->required.count));
    RETURN_UNLESS_OK(place_parameters(&layout, request));
    RETURN_UNLESS_OK(place_temporaries(&layout));
    for (uint32_t i = 0; i < program->steps.count; i++) {
        const cake_manifest_step *step = &program->steps.items[i];
        RETURN_UNLESS_OK(step->kind == CAKE_MANIFEST_STEP_FILL ? add_fill(&layout, step) : add_launch(&layout, step));
    }
    return cake_status_ok();
}
