/* Calls: a kernel's launch laid out once, so that launching is one call of the driver. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/bind.h"
#include "runtime/image.h"
#include "runtime/tensor_map.h"

#define CALL_ARENA_LIMIT ((size_t)64 << 20)

/* Bases of tensors are promised to the kernel at this alignment (docs/language.md, 'Declarations'). */
#define BASE_ALIGNMENT 16

struct cake_call {
    const cake_device *device;
    cake_arena arena; /* of arguments and what they point at */
    cake_cuda_function function;
    cake_cuda_launch_config config; /* without a stream */
    cake_cuda_launch_attribute cluster;
    void **arguments; /* one pointer per parameter of the entry point */
};

typedef struct tensor_place {
    const cake_tensor_argument *argument;
    uint64_t bytes;
} tensor_place;

/* ---- tensors: where they are and whether they may be there ---- */

static cake_status find_argument(const cake_manifest_kernel *kernel, uint32_t tensor, const cake_call_request *request,
                                 const cake_tensor_argument **out_argument) {
    const char *name = kernel->tensors.items[tensor].name;
    *out_argument = NULL;
    for (uint32_t i = 0; i < request->tensor_count; i++)
        if (strcmp(request->tensors[i].name, name) == 0) *out_argument = &request->tensors[i];
    if (*out_argument) return cake_status_ok();
    return cake_status_make(CAKE_STATUS_INVALID, "tensor '%s' of kernel '%s' was given no memory", name, kernel->name);
}

static cake_status check_place(const cake_manifest_kernel *kernel, const tensor_place *place) {
    const cake_tensor_argument *argument = place->argument;
    if (argument->address % BASE_ALIGNMENT != 0)
        return cake_status_make(CAKE_STATUS_INVALID,
                                "tensor '%s' of kernel '%s' begins at 0x%" PRIx64 ", which is not aligned to %d bytes",
                                argument->name, kernel->name, argument->address, BASE_ALIGNMENT);
    if (argument->bytes > 0 && argument->bytes < place->bytes)
        return cake_status_make(CAKE_STATUS_INVALID,
                                "tensor '%s' of kernel '%s' has %" PRIu64 " bytes of memory and needs %" PRIu64,
                                argument->name, kernel->name, argument->bytes, place->bytes);
    if (argument->address == 0 && place->bytes > 0)
        return cake_status_make(CAKE_STATUS_INVALID, "tensor '%s' of kernel '%s' has a null address", argument->name,
                                kernel->name);
    return cake_status_ok();
}

/* The contract of every kernel: what is written lies apart from all else. */
static cake_status check_overlap(const cake_manifest_kernel *kernel, const tensor_place *places) {
    for (uint32_t i = 0; i < kernel->tensors.count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            const cake_tensor_argument *a = places[i].argument, *b = places[k].argument;
            bool written =
                kernel->tensors.items[i].mode != CAKE_TENSOR_IN || kernel->tensors.items[k].mode != CAKE_TENSOR_IN;
            bool apart = a->address >= b->address ? a->address - b->address >= places[k].bytes
                                                  : b->address - a->address >= places[i].bytes;
            if (!written || apart || places[i].bytes == 0 || places[k].bytes == 0) continue;
            return cake_status_make(CAKE_STATUS_INVALID, "tensors '%s' and '%s' of kernel '%s' overlap in memory",
                                    b->name, a->name, kernel->name);
        }
    }
    return cake_status_ok();
}

static cake_status check_tensor_names(const cake_manifest_kernel *kernel, const cake_call_request *request) {
    for (uint32_t i = 0; i < request->tensor_count; i++) {
        bool known = false;
        for (uint32_t k = 0; k < kernel->tensors.count; k++)
            known = known || strcmp(kernel->tensors.items[k].name, request->tensors[i].name) == 0;
        if (!known)
            return cake_status_make(CAKE_STATUS_INVALID, "kernel '%s' has no tensor '%s'", kernel->name,
                                    request->tensors[i].name);
    }
    return cake_status_ok();
}

static cake_status place_tensors(const cake_bound *bound, const cake_call_request *request, tensor_place *out_places) {
    const cake_manifest_kernel *kernel = bound->kernel;
    cake_status status = check_tensor_names(kernel, request);
    for (uint32_t i = 0; i < kernel->tensors.count && status.kind == CAKE_STATUS_OK; i++) {
        cake_tensor_layout layout = {0};
        status = find_argument(kernel, i, request, &out_places[i].argument);
        if (status.kind == CAKE_STATUS_OK) status = cake_bound_tensor(bound, i, &layout);
        out_places[i].bytes = layout.bytes;
        if (status.kind == CAKE_STATUS_OK) status = check_place(kernel, &out_places[i]);
    }
    return status.kind == CAKE_STATUS_OK ? check_overlap(kernel, out_places) : status;
}

/* ---- arguments ---- */

/* The driver copies a tensor map from wherever it lies, but encodes it only into aligned memory. */
static cake_cuda_tensor_map *aligned_map(cake_arena *arena) {
    size_t alignment = _Alignof(cake_cuda_tensor_map);
    char *bytes = cake_arena_alloc(arena, sizeof(cake_cuda_tensor_map) + alignment);
    uintptr_t beyond = (uintptr_t)bytes % alignment;
    return (void *)(bytes + (beyond ? alignment - beyond : 0));
}

static cake_status lay_out_map(cake_call *call, const cake_bound *bound, const tensor_place *places, uint32_t index,
                               void **out_argument) {
    const tensor_place *place = &places[bound->kernel->tensor_maps.items[index].tensor];
    cake_cuda_tensor_map *map = aligned_map(&call->arena);
    *out_argument = map;
    return cake_tensor_map_encode(call->device, bound, index, place->argument->address, place->bytes, map);
}

static cake_status lay_out_dimension(cake_call *call, const cake_bound *bound, const cake_manifest_argument *argument,
                                     void **out_argument) {
    const char *name = bound->kernel->dimensions.items[argument->index];
    char what[128];
    snprintf(what, sizeof what, "dimension '%.60s'", name);
    int64_t *value = CAKE_NEW(&call->arena, int64_t);
    *out_argument = value; /* little endian: the low half is the 32-bit value */
    const cake_launch_expr *expr = cake_launch_name(&call->arena, name);
    int64_t high = argument->bits == 32 ? INT32_MAX : INT64_MAX;
    return cake_bound_evaluate(bound, expr, what, 0, high, value);
}

static void *copy_scalar(cake_call *call, const cake_bound *bound, uint32_t index) {
    uint32_t bits = cake_dtype_bits(cake_dtype_find(bound->kernel->scalars.items[index].dtype));
    return cake_arena_copy(&call->arena, bound->scalars[index], bits / 8);
}

static void *copy_address(cake_call *call, cake_address address) {
    cake_address *copy = CAKE_NEW(&call->arena, cake_address);
    *copy = address;
    return copy;
}

static cake_status lay_out_argument(cake_call *call, const cake_bound *bound, const tensor_place *places,
                                    const cake_manifest_argument *argument, void **out_argument) {
    switch (argument->kind) {
    case CAKE_ARGUMENT_TENSOR_MAP:
        return lay_out_map(call, bound, places, argument->index, out_argument);
    case CAKE_ARGUMENT_POINTER:
        *out_argument = copy_address(call, places[argument->index].argument->address);
        return cake_status_ok();
    case CAKE_ARGUMENT_DIMENSION:
        return lay_out_dimension(call, bound, argument, out_argument);
    case CAKE_ARGUMENT_SCALAR:
        *out_argument = copy_scalar(call, bound, argument->index);
        return cake_status_ok();
    }
    return cake_status_ok();
}

/* ---- the call ---- */

static void configure(cake_call *call, const cake_manifest_kernel *kernel, uint32_t grid) {
    call->config = (cake_cuda_launch_config){
        .grid_x = grid,
        .grid_y = 1,
        .grid_z = 1,
        .block_x = kernel->threads,
        .block_y = 1,
        .block_z = 1,
        .shared_bytes = kernel->shared_bytes,
    };
    if (kernel->cluster <= 1) return;
    call->cluster.id = CAKE_CUDA_LAUNCH_CLUSTER;
    call->cluster.value.cluster.x = kernel->cluster;
    call->cluster.value.cluster.y = 1;
    call->cluster.value.cluster.z = 1;
    call->config.attributes = &call->cluster;
    call->config.attribute_count = 1;
}

static cake_status build(cake_call *call, const cake_image *image, const cake_call_request *request) {
    uint32_t index;
    cake_status status = cake_manifest_kernel_find(image->manifest, request->kernel, &index);
    if (status.kind != CAKE_STATUS_OK) return status;
    const cake_manifest_kernel *kernel = &image->manifest->kernels.items[index];
    call->function = image->functions[index];

    cake_bound bound;
    status = cake_bind(&call->arena, kernel, request, image->device->info.sm_count, &bound);
    if (status.kind != CAKE_STATUS_OK) return status;
    uint32_t grid = 0;
    status = cake_bound_grid(&bound, &grid);
    if (status.kind != CAKE_STATUS_OK) return status;
    configure(call, kernel, grid);

    tensor_place *places = CAKE_NEW_ARRAY(&call->arena, tensor_place, kernel->tensors.count);
    status = place_tensors(&bound, request, places);
    call->arguments = CAKE_NEW_ARRAY(&call->arena, void *, kernel->arguments.count);
    /* Without CTAs nothing reads the arguments, and empty tensors have no tensor map. */
    for (uint32_t i = 0; grid > 0 && i < kernel->arguments.count && status.kind == CAKE_STATUS_OK; i++)
        status = lay_out_argument(call, &bound, places, &kernel->arguments.items[i], &call->arguments[i]);
    return status;
}

static cake_status build_guarded(cake_call *call, const cake_image *image, const cake_call_request *request) {
    jmp_buf out_of_memory;
    cake_arena_init(&call->arena, CALL_ARENA_LIMIT, &out_of_memory);
    if (setjmp(out_of_memory)) return cake_status_make(CAKE_STATUS_NO_MEMORY, "out of memory while preparing a launch");
    return build(call, image, request);
}

cake_status cake_call_prepare(const cake_image *image, const cake_call_request *request, cake_call **out_call) {
    cake_call *call = calloc(1, sizeof *call);
    if (!call) return cake_status_make(CAKE_STATUS_NO_MEMORY, "out of memory while preparing a launch");
    call->device = image->device;
    cake_status status = build_guarded(call, image, request);
    if (status.kind == CAKE_STATUS_OK)
        *out_call = call;
    else
        cake_call_destroy(call);
    return status;
}

void cake_call_destroy(cake_call *call) {
    if (!call) return;
    cake_arena_fini(&call->arena);
    free(call);
}

cake_status cake_call_launch(const cake_call *call, cake_stream stream) {
    if (call->config.grid_x == 0) return cake_status_ok();
    cake_status status = cake_device_enter(call->device);
    if (status.kind != CAKE_STATUS_OK) return status;
    cake_cuda_launch_config config = call->config;
    config.stream = stream;
    int result = call->device->cuda->launch(&config, call->function, call->arguments, NULL);
    cake_device_leave(call->device);
    return cake_cuda_check(call->device->cuda, result, "cuLaunchKernelEx");
}

uint32_t cake_call_grid(const cake_call *call) {
    return call->config.grid_x;
}
