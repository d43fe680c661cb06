/* Launches: a kernel with everything that cuLaunchKernelEx takes, laid out once. */
#include "runtime/launch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/tensor_map.h"

/* Bases of tensors are promised to the kernel at this alignment (docs/language.md, 'Declarations'). */
#define BASE_ALIGNMENT 16

/* ---- tensors: where they are and whether they may be there ---- */

static cake_status find_argument(const cake_manifest_interface *interface, uint32_t tensor,
                                 const cake_call_request *request, const cake_tensor_argument **out_argument) {
    const char *name = interface->tensors.items[tensor].name;
    *out_argument = NULL;
    for (uint32_t i = 0; i < request->tensor_count; i++)
        if (strcmp(request->tensors[i].name, name) == 0) *out_argument = &request->tensors[i];
    if (*out_argument) return cake_status_ok();
    return cake_status_make(CAKE_STATUS_INVALID, "tensor '%s' of %s '%s' was given no memory", name, interface->kind,
                            interface->name);
}

static cake_status check_place(const cake_manifest_interface *interface, const cake_tensor_place *place) {
    const cake_tensor_argument *argument = place->argument;
    if (argument->address % BASE_ALIGNMENT != 0)
        return cake_status_make(CAKE_STATUS_INVALID,
                                "tensor '%s' of %s '%s' begins at 0x%" PRIx64 ", which is not aligned to %d bytes",
                                argument->name, interface->kind, interface->name, argument->address, BASE_ALIGNMENT);
    if (argument->bytes > 0 && argument->bytes < place->bytes)
        return cake_status_make(CAKE_STATUS_INVALID,
                                "tensor '%s' of %s '%s' has %" PRIu64 " bytes of memory and needs %" PRIu64,
                                argument->name, interface->kind, interface->name, argument->bytes, place->bytes);
    if (argument->address == 0 && place->bytes > 0)
        return cake_status_make(CAKE_STATUS_INVALID, "tensor '%s' of %s '%s' has a null address", argument->name,
                                interface->kind, interface->name);
    return cake_status_ok();
}

/* The contract of every kernel: what is written lies apart from all else. */
static cake_status check_overlap(const cake_manifest_interface *interface, const cake_tensor_place *places) {
    for (uint32_t i = 0; i < interface->tensors.count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            const cake_tensor_argument *a = places[i].argument, *b = places[k].argument;
            bool written = interface->tensors.items[i].mode != CAKE_TENSOR_IN ||
                           interface->tensors.items[k].mode != CAKE_TENSOR_IN;
            bool apart = a->address >= b->address ? a->address - b->address >= places[k].bytes
                                                  : b->address - a->address >= places[i].bytes;
            if (!written || apart || places[i].bytes == 0 || places[k].bytes == 0) continue;
            return cake_status_make(CAKE_STATUS_INVALID, "tensors '%s' and '%s' of %s '%s' overlap in memory", b->name,
                                    a->name, interface->kind, interface->name);
        }
    }
    return cake_status_ok();
}

static cake_status check_tensor_names(const cake_manifest_interface *interface, const cake_call_request *request) {
    for (uint32_t i = 0; i < request->tensor_count; i++) {
        bool known = false;
        for (uint32_t k = 0; k < interface->tensors.count; k++)
            known = known || strcmp(interface->tensors.items[k].name, request->tensors[i].name) == 0;
        if (!known)
            return cake_status_make(CAKE_STATUS_INVALID, "%s '%s' has no tensor '%s'", interface->kind, interface->name,
                                    request->tensors[i].name);
    }
    return cake_status_ok();
}

cake_status cake_place_tensors(const cake_bound *bound, const cake_call_request *request,
                               cake_tensor_place *out_places) {
    const cake_manifest_interface *interface = bound->interface;
    cake_status status = check_tensor_names(interface, request);
    for (uint32_t i = 0; i < interface->tensors.count && status.kind == CAKE_STATUS_OK; i++) {
        cake_tensor_layout layout = {0};
        status = find_argument(interface, i, request, &out_places[i].argument);
        if (status.kind == CAKE_STATUS_OK) status = cake_bound_tensor(bound, i, &layout);
        out_places[i].bytes = layout.bytes;
        if (status.kind == CAKE_STATUS_OK) status = check_place(interface, &out_places[i]);
    }
    return status.kind == CAKE_STATUS_OK ? check_overlap(interface, out_places) : status;
}

/* ---- arguments ---- */

typedef struct launch_layout {
    cake_arena *arena;
    const cake_device *device;
    const cake_manifest_kernel *kernel;
    const cake_bound *bound;
    const cake_tensor_place *places;
} launch_layout;

/* The driver copies a tensor map from wherever it lies, but encodes it only into aligned memory. */
static cake_cuda_tensor_map *aligned_map(cake_arena *arena) {
    size_t alignment = _Alignof(cake_cuda_tensor_map);
    char *bytes = cake_arena_alloc(arena, sizeof(cake_cuda_tensor_map) + alignment);
    uintptr_t beyond = (uintptr_t)bytes % alignment;
    return (void *)(bytes + (beyond ? alignment - beyond : 0));
}

static cake_status lay_out_map(const launch_layout *layout, uint32_t index, void **out_argument) {
    const cake_manifest_tensor_map *map = &layout->kernel->tensor_maps.items[index];
    const cake_tensor_place *place = &layout->places[map->tensor];
    cake_cuda_tensor_map *encoded = aligned_map(layout->arena);
    *out_argument = encoded;
    return cake_tensor_map_encode(layout->device, layout->bound, map, place->argument->address, place->bytes, encoded);
}

static cake_status lay_out_dimension(const launch_layout *layout, const cake_manifest_argument *argument,
                                     void **out_argument) {
    const char *name = layout->bound->interface->dimensions.items[argument->index];
    char what[128];
    snprintf(what, sizeof what, "dimension '%.60s'", name);
    int64_t *value = CAKE_NEW(layout->arena, int64_t);
    *out_argument = value; /* little endian: the low half is the 32-bit value */
    const cake_launch_expr *expr = cake_launch_name(layout->arena, name);
    int64_t high = argument->bits == 32 ? INT32_MAX : INT64_MAX;
    return cake_bound_evaluate(layout->bound, expr, what, 0, high, value);
}

static void *copy_scalar(const launch_layout *layout, uint32_t index) {
    uint32_t bits = cake_dtype_bits(cake_dtype_find(layout->bound->interface->scalars.items[index].dtype));
    return cake_arena_copy(layout->arena, layout->bound->scalars[index], bits / 8);
}

static void *copy_address(const launch_layout *layout, cake_address address) {
    cake_address *copy = CAKE_NEW(layout->arena, cake_address);
    *copy = address;
    return copy;
}

static cake_status lay_out_argument(const launch_layout *layout, const cake_manifest_argument *argument,
                                    void **out_argument) {
    switch (argument->kind) {
    case CAKE_ARGUMENT_TENSOR_MAP:
        return lay_out_map(layout, argument->index, out_argument);
    case CAKE_ARGUMENT_POINTER:
        *out_argument = copy_address(layout, layout->places[argument->index].argument->address);
        return cake_status_ok();
    case CAKE_ARGUMENT_DIMENSION:
        return lay_out_dimension(layout, argument, out_argument);
    case CAKE_ARGUMENT_SCALAR:
        *out_argument = copy_scalar(layout, argument->index);
        return cake_status_ok();
    }
    return cake_status_ok();
}

/* ---- the launch ---- */

static void configure(cake_launch *launch, const cake_manifest_kernel *kernel, uint32_t grid, bool overlap) {
    launch->config = (cake_cuda_launch_config){
        .grid_x = grid,
        .grid_y = 1,
        .grid_z = 1,
        .block_x = kernel->threads,
        .block_y = 1,
        .block_z = 1,
        .shared_bytes = kernel->shared_bytes,
        .attributes = launch->attributes,
    };
    if (kernel->cluster > 1) {
        cake_cuda_launch_attribute *cluster = &launch->attributes[launch->config.attribute_count++];
        cluster->id = CAKE_CUDA_LAUNCH_CLUSTER;
        cluster->value.cluster.x = kernel->cluster;
        cluster->value.cluster.y = 1;
        cluster->value.cluster.z = 1;
    }
    if (overlap) {
        cake_cuda_launch_attribute *programmatic = &launch->attributes[launch->config.attribute_count++];
        programmatic->id = CAKE_CUDA_LAUNCH_PROGRAMMATIC;
        programmatic->value.programmatic = 1;
    }
}

cake_status cake_launch_prepare(cake_arena *arena, const cake_image *image, uint32_t index,
                                const cake_call_request *request, bool overlap, cake_launch *out_launch) {
    const cake_manifest_kernel *kernel = &image->manifest->kernels.items[index];
    *out_launch = (cake_launch){.function = image->functions[index]};
    cake_bound bound;
    cake_status status = cake_bind(arena, &kernel->interface, request, image->device->info.sm_count, &bound);
    if (status.kind != CAKE_STATUS_OK) return status;
    uint32_t grid = 0;
    status = cake_bound_grid(&bound, kernel, &grid);
    if (status.kind != CAKE_STATUS_OK) return status;
    configure(out_launch, kernel, grid, overlap);

    cake_tensor_place *places = CAKE_NEW_ARRAY(arena, cake_tensor_place, kernel->interface.tensors.count);
    status = cake_place_tensors(&bound, request, places);
    out_launch->arguments = CAKE_NEW_ARRAY(arena, void *, kernel->arguments.count);
    launch_layout layout = {arena, image->device, kernel, &bound, places};
    /* Without CTAs nothing reads the arguments, and empty tensors have no tensor map. */
    for (uint32_t i = 0; grid > 0 && i < kernel->arguments.count && status.kind == CAKE_STATUS_OK; i++)
        status = lay_out_argument(&layout, &kernel->arguments.items[i], &out_launch->arguments[i]);
    return status;
}
