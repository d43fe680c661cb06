/* Devices: their facts, primary contexts, memory and streams. */
#include <stdlib.h>

#include "runtime/cuda.h"

/* ---- opening ---- */

static cake_status read_attributes(cake_device *device) {
    const struct {
        int attribute;
        uint32_t *out_value;
    } wanted[] = {
        {CAKE_CUDA_DEVICE_MAJOR, &device->info.major},
        {CAKE_CUDA_DEVICE_MINOR, &device->info.minor},
        {CAKE_CUDA_DEVICE_SM_COUNT, &device->info.sm_count},
        {CAKE_CUDA_DEVICE_SHARED_BYTES, &device->info.shared_bytes},
    };
    const cake_cuda *cuda = device->cuda;
    int value = 0;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        cake_status status = cake_cuda_check(cuda, cuda->device_attribute(&value, wanted[i].attribute, device->handle),
                                             "cuDeviceGetAttribute");
        if (status.kind != CAKE_STATUS_OK) return status;
        *wanted[i].out_value = (uint32_t)value;
    }
    cake_status status = cake_cuda_check(
        cuda, cuda->device_attribute(&value, CAKE_CUDA_DEVICE_L2_BYTES, device->handle), "cuDeviceGetAttribute");
    device->info.l2_bytes = (uint64_t)value;
    return status;
}

static cake_status read_info(cake_device *device) {
    const cake_cuda *cuda = device->cuda;
    cake_status status = read_attributes(device);
    if (status.kind != CAKE_STATUS_OK) return status;
    status =
        cake_cuda_check(cuda, cuda->device_name(device->info.name, (int)sizeof device->info.name - 1, device->handle),
                        "cuDeviceGetName");
    if (status.kind != CAKE_STATUS_OK) return status;
    size_t bytes = 0;
    status = cake_cuda_check(cuda, cuda->device_memory(&bytes, device->handle), "cuDeviceTotalMem");
    device->info.memory_bytes = bytes;
    return status;
}

static cake_status start(cake_device *device, uint32_t ordinal) {
    const cake_cuda *cuda = device->cuda;
    if (ordinal >= cuda->count)
        return cake_status_make(CAKE_STATUS_UNAVAILABLE, "there is no device cuda:%u: the driver lists %u, from cuda:0",
                                ordinal, cuda->count);
    device->info.ordinal = ordinal;
    cake_status status = cake_cuda_check(cuda, cuda->device_get(&device->handle, (int)ordinal), "cuDeviceGet");
    if (status.kind != CAKE_STATUS_OK) return status;
    status = read_info(device);
    if (status.kind != CAKE_STATUS_OK) return status;
    return cake_cuda_check(cuda, cuda->context_retain(&device->context, device->handle), "cuDevicePrimaryCtxRetain");
}

cake_status cake_device_open(cake_cuda *cuda, uint32_t ordinal, cake_device **out_device) {
    cake_device *device = calloc(1, sizeof *device);
    if (!device) return cake_status_make(CAKE_STATUS_NO_MEMORY, "out of memory");
    device->cuda = cuda;
    cake_status status = start(device, ordinal);
    if (status.kind == CAKE_STATUS_OK)
        *out_device = device;
    else
        free(device);
    return status;
}

void cake_device_close(cake_device *device) {
    if (!device) return;
    device->cuda->context_release(device->handle);
    free(device);
}

const cake_device_info *cake_device_info_of(const cake_device *device) {
    return &device->info;
}

cake_status cake_device_enter(const cake_device *device) {
    return cake_cuda_check(device->cuda, device->cuda->context_push(device->context), "cuCtxPushCurrent");
}

void cake_device_leave(const cake_device *device) {
    cake_cuda_context popped;
    device->cuda->context_pop(&popped);
}

/* Makes one driver call inside the device's context and gives its status. */
#define IN_CONTEXT(device, call, name)                                                                                 \
    do {                                                                                                               \
        cake_status status_ = cake_device_enter(device);                                                               \
        if (status_.kind != CAKE_STATUS_OK) return status_;                                                            \
        int result_ = (device)->cuda->call;                                                                            \
        cake_device_leave(device);                                                                                     \
        return cake_cuda_check((device)->cuda, result_, (name));                                                       \
    } while (0)

/* ---- memory ---- */

static cake_status read_free_bytes(const cake_device *device, size_t *out_free) {
    size_t total = 0;
    IN_CONTEXT(device, memory_info(out_free, &total), "cuMemGetInfo");
}

cake_status cake_device_free_bytes(const cake_device *device, uint64_t *out_bytes) {
    size_t bytes = 0;
    cake_status status = read_free_bytes(device, &bytes);
    *out_bytes = bytes;
    return status;
}

cake_status cake_device_alloc(const cake_device *device, uint64_t bytes, cake_address *out_address) {
    IN_CONTEXT(device, memory_alloc(out_address, bytes ? bytes : 1), "cuMemAlloc");
}

void cake_device_free(const cake_device *device, cake_address address) {
    if (!address || cake_device_enter(device).kind != CAKE_STATUS_OK) return;
    device->cuda->memory_free(address);
    cake_device_leave(device);
}

static cake_status upload(const cake_device *device, cake_address to, const void *from, uint64_t bytes) {
    IN_CONTEXT(device, memory_upload(to, from, bytes), "cuMemcpyHtoD");
}

/* The driver returns when it has read the bytes, not when they have arrived: hence the wait. */
cake_status cake_device_upload(const cake_device *device, cake_address to, const void *from, uint64_t bytes) {
    if (bytes == 0) return cake_status_ok();
    cake_status status = upload(device, to, from, bytes);
    return status.kind == CAKE_STATUS_OK ? cake_stream_wait(device, NULL) : status;
}

cake_status cake_device_download(const cake_device *device, void *to, cake_address from, uint64_t bytes) {
    if (bytes == 0) return cake_status_ok();
    IN_CONTEXT(device, memory_download(to, from, bytes), "cuMemcpyDtoH");
}

cake_status cake_device_fill(const cake_device *device, cake_address to, unsigned char value, uint64_t bytes,
                             cake_stream stream) {
    if (bytes == 0) return cake_status_ok();
    IN_CONTEXT(device, memory_fill(to, value, bytes, stream), "cuMemsetD8Async");
}

cake_status cake_device_copy(const cake_device *device, cake_address to, cake_address from, uint64_t bytes,
                             cake_stream stream) {
    if (bytes == 0) return cake_status_ok();
    IN_CONTEXT(device, memory_copy(to, from, bytes, stream), "cuMemcpyDtoDAsync");
}

/* ---- streams ---- */

cake_status cake_stream_create(const cake_device *device, cake_stream *out_stream) {
    IN_CONTEXT(device, stream_create(out_stream, CAKE_CUDA_STREAM_NON_BLOCKING), "cuStreamCreate");
}

void cake_stream_destroy(const cake_device *device, cake_stream stream) {
    if (!stream || cake_device_enter(device).kind != CAKE_STATUS_OK) return;
    device->cuda->stream_destroy(stream);
    cake_device_leave(device);
}

cake_status cake_stream_wait(const cake_device *device, cake_stream stream) {
    IN_CONTEXT(device, stream_wait(stream), "cuStreamSynchronize");
}
