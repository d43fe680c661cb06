/* Calls: a kernel or program laid out once, so that launching it is a call of the driver for each step. */
#include "runtime/call.h"

#include <stdlib.h>

#define CALL_ARENA_LIMIT ((size_t)64 << 20)

/* ---- preparing ---- */

static cake_status prepare_kernel(cake_call *call, const cake_image *image, uint32_t index,
                                  const cake_call_request *request) {
    cake_call_step *step = CAKE_PUSH(&call->arena, &call->steps);
    *step = (cake_call_step){.kind = CAKE_CALL_LAUNCH, .launch = CAKE_NEW(&call->arena, cake_launch)};
    return cake_launch_prepare(&call->arena, image, index, request, false, step->launch);
}

static cake_status build_guarded(cake_call *call, const cake_image *image, const cake_call_request *request) {
    jmp_buf out_of_memory;
    cake_arena_init(&call->arena, CALL_ARENA_LIMIT, &out_of_memory);
    if (setjmp(out_of_memory)) return cake_status_make(CAKE_STATUS_NO_MEMORY, "out of memory while preparing a launch");
    cake_unit unit;
    cake_status status = cake_unit_find(image->manifest, request->kernel, &unit);
    if (status.kind != CAKE_STATUS_OK) return status;
    return unit.program ? cake_program_prepare(call, image, unit.index, request)
                        : prepare_kernel(call, image, unit.index, request);
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
    cake_device_free(call->device, call->temporaries);
    cake_arena_fini(&call->arena);
    free(call);
}

/* ---- launching; within the device's context ---- */

/* The driver fills with at most 4 bytes at a time. Elements of 8 bytes are two columns of words. */
static cake_status run_fill(const cake_cuda *cuda, const cake_call_fill *fill, cake_stream stream) {
    uint32_t low = (uint32_t)fill->value, high = (uint32_t)(fill->value >> 32);
    if (fill->count == 0) return cake_status_ok();
    switch (fill->bytes) {
    case 1:
        return cake_cuda_check(cuda, cuda->memory_fill(fill->to, (unsigned char)low, fill->count, stream),
                               "cuMemsetD8Async");
    case 2:
        return cake_cuda_check(cuda, cuda->memory_fill_16(fill->to, (unsigned short)low, fill->count, stream),
                               "cuMemsetD16Async");
    case 4:
        return cake_cuda_check(cuda, cuda->memory_fill_32(fill->to, low, fill->count, stream), "cuMemsetD32Async");
    default:
        break;
    }
    if (low == high)
        return cake_cuda_check(cuda, cuda->memory_fill_32(fill->to, low, 2 * fill->count, stream), "cuMemsetD32Async");
    int result = cuda->memory_fill_rows(fill->to, 8, low, 1, fill->count, stream);
    if (result == CAKE_CUDA_SUCCESS) result = cuda->memory_fill_rows(fill->to + 4, 8, high, 1, fill->count, stream);
    return cake_cuda_check(cuda, result, "cuMemsetD2D32Async");
}

static cake_status run_launch(const cake_cuda *cuda, const cake_launch *launch, cake_stream stream) {
    if (launch->config.grid_x == 0) return cake_status_ok();
    cake_cuda_launch_config config = launch->config;
    config.stream = stream;
    return cake_cuda_check(cuda, cuda->launch(&config, launch->function, launch->arguments, NULL), "cuLaunchKernelEx");
}

static cake_status run_step(const cake_cuda *cuda, const cake_call_step *step, cake_stream stream) {
    switch (step->kind) {
    case CAKE_CALL_FILL:
        return run_fill(cuda, &step->fill, stream);
    case CAKE_CALL_LAUNCH:
        return run_launch(cuda, step->launch, stream);
    }
    return cake_status_ok();
}

cake_status cake_call_launch(const cake_call *call, cake_stream stream) {
    cake_status status = cake_device_enter(call->device);
    if (status.kind != CAKE_STATUS_OK) return status;
    for (uint32_t i = 0; i < call->steps.count && status.kind == CAKE_STATUS_OK; i++)
        status = run_step(call->device->cuda, &call->steps.items[i], stream);
    cake_device_leave(call->device);
    return status;
}

uint64_t cake_call_grid(const cake_call *call) {
    uint64_t ctas = 0;
    for (uint32_t i = 0; i < call->steps.count; i++)
        if (call->steps.items[i].kind == CAKE_CALL_LAUNCH) ctas += call->steps.items[i].launch->config.grid_x;
    return ctas;
}
