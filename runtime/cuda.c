/* The driver's library: opening it, its version, and its errors as statuses. */
#include "runtime/cuda.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* The first version with cuTensorMapEncodeTiled and all else in cuda_entry_points.def. */
#define OLDEST_VERSION 12000

static const struct {
    const char *symbol;
    size_t offset;
} entry_points[] = {
#define CAKE_CUDA_ENTRY(member, symbol, parameters) {#symbol, offsetof(cake_cuda, member)},
#include "runtime/cuda_entry_points.def"
#undef CAKE_CUDA_ENTRY
};

/* ---- errors ---- */

static const char *advice_for(int result) {
    switch (result) {
    case CAKE_CUDA_OUT_OF_MEMORY:
        return "the GPU's memory is full: use smaller dimensions or end what else runs there";
    case CAKE_CUDA_STUB_LIBRARY:
        return "the libcuda.so.1 found is the toolkit's stub: remove its folder from LD_LIBRARY_PATH";
    case CAKE_CUDA_DEVICE_UNAVAILABLE:
        return "another process holds the GPU for itself";
    case CAKE_CUDA_NO_DEVICE:
        return "there is no GPU, or CUDA_VISIBLE_DEVICES hides it";
    case CAKE_CUDA_NO_BINARY_FOR_GPU:
        return "the code is for another architecture than the GPU's";
    case CAKE_CUDA_JIT_COMPILER_NOT_FOUND:
        return "the driver's PTX compiler is not installed: install it or load a cubin";
    case CAKE_CUDA_UNSUPPORTED_PTX_VERSION:
        return "the driver is too old for this PTX: update it or load a cubin";
    case CAKE_CUDA_NOT_FOUND:
        return "code and manifest do not belong together";
    case CAKE_CUDA_ILLEGAL_ADDRESS:
        return "the kernel touched memory that is not its own";
    case CAKE_CUDA_LAUNCH_OUT_OF_RESOURCES:
        return "the kernel asks for more registers or shared memory than an SM has";
    case CAKE_CUDA_ILLEGAL_INSTRUCTION:
        return "the kernel ran into an instruction that the GPU lacks, or into a bad descriptor";
    case CAKE_CUDA_MISALIGNED_ADDRESS:
        return "the kernel accessed memory at an address that its width does not divide";
    case CAKE_CUDA_SYSTEM_NOT_READY:
    case CAKE_CUDA_SYSTEM_DRIVER_MISMATCH:
        return "driver and kernel module differ in version: restart the machine or reload the module";
    default: /* results are the driver's, not ours: most need no advice */
        return NULL;
    }
}

static cake_status_kind kind_of(int result) {
    switch (result) {
    case CAKE_CUDA_OUT_OF_MEMORY:
        return CAKE_STATUS_NO_MEMORY;
    case CAKE_CUDA_STUB_LIBRARY:
    case CAKE_CUDA_DEVICE_UNAVAILABLE:
    case CAKE_CUDA_NO_DEVICE:
    case CAKE_CUDA_JIT_COMPILER_NOT_FOUND:
    case CAKE_CUDA_UNSUPPORTED_PTX_VERSION:
    case CAKE_CUDA_SYSTEM_NOT_READY:
    case CAKE_CUDA_SYSTEM_DRIVER_MISMATCH:
        return CAKE_STATUS_UNAVAILABLE;
    case CAKE_CUDA_LAUNCH_TIMEOUT:
        return CAKE_STATUS_TIMEOUT;
    default:
        return CAKE_STATUS_FAILED;
    }
}

cake_status cake_cuda_check(const cake_cuda *cuda, int result, const char *call) {
    if (result == CAKE_CUDA_SUCCESS) return cake_status_ok();
    const char *name = NULL, *text = NULL;
    if (cuda->error_name(result, &name) != CAKE_CUDA_SUCCESS || !name) name = "unknown error";
    if (cuda->error_text(result, &text) != CAKE_CUDA_SUCCESS || !text) text = "no description";
    const char *advice = advice_for(result);
    return cake_status_make(kind_of(result), "%s answered %s (%d: %s)%s%s", call, name, result, text,
                            advice ? "; " : "", advice ? advice : "");
}

/* ---- opening ---- */

/* POSIX gives functions as void *, which C cannot convert: the bytes are copied. */
static cake_status resolve(cake_cuda *cuda) {
    for (size_t i = 0; i < sizeof entry_points / sizeof *entry_points; i++) {
        void *function = dlsym(cuda->library, entry_points[i].symbol);
        if (!function)
            return cake_status_make(CAKE_STATUS_UNAVAILABLE,
                                    "the NVIDIA driver has no %s: install one for CUDA 12.0 or newer (release 525)",
                                    entry_points[i].symbol);
        memcpy((char *)cuda + entry_points[i].offset, &function, sizeof function);
    }
    return cake_status_ok();
}

static cake_status start(cake_cuda *cuda) {
    cake_status status = resolve(cuda);
    if (status.kind != CAKE_STATUS_OK) return status;
    status = cake_cuda_check(cuda, cuda->driver_version(&cuda->version), "cuDriverGetVersion");
    if (status.kind != CAKE_STATUS_OK) return status;
    if (cuda->version < OLDEST_VERSION)
        return cake_status_make(CAKE_STATUS_UNAVAILABLE,
                                "the NVIDIA driver is made for CUDA %d.%d: install one for CUDA 12.0 or newer",
                                cuda->version / 1000, cuda->version % 1000 / 10);
    status = cake_cuda_check(cuda, cuda->init(0), "cuInit");
    if (status.kind != CAKE_STATUS_OK) return status;
    int count = 0;
    status = cake_cuda_check(cuda, cuda->device_count(&count), "cuDeviceGetCount");
    if (status.kind != CAKE_STATUS_OK) return status;
    if (count <= 0) return cake_status_make(CAKE_STATUS_UNAVAILABLE, "there is no GPU: the NVIDIA driver lists none");
    cuda->count = (uint32_t)count;
    return cake_status_ok();
}

cake_status cake_cuda_open(cake_cuda **out_cuda) {
    cake_cuda *cuda = calloc(1, sizeof *cuda);
    if (!cuda) return cake_status_make(CAKE_STATUS_NO_MEMORY, "out of memory");
    /* Never unmapped: the driver keeps threads of its own. */
    cuda->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    cake_status status = cuda->library ? start(cuda)
                                       : cake_status_make(CAKE_STATUS_UNAVAILABLE,
                                                          "there is no usable GPU: the NVIDIA driver is not installed "
                                                          "(libcuda.so.1 cannot be opened)");
    if (status.kind == CAKE_STATUS_OK)
        *out_cuda = cuda;
    else
        cake_cuda_close(cuda);
    return status;
}

void cake_cuda_close(cake_cuda *cuda) {
    if (!cuda) return;
    if (cuda->library) dlclose(cuda->library);
    free(cuda);
}

uint32_t cake_cuda_device_count(const cake_cuda *cuda) {
    return cuda->count;
}

int cake_cuda_driver_version(const cake_cuda *cuda) {
    return cuda->version;
}
