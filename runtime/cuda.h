/* What is used of the CUDA driver API, declared here so that building needs no CUDA toolkit.
 *
 * Values and layouts are those of cuda.h, which keeps them stable over releases; tests/unit/runtime_test.c compares
 * them with that header where it is installed. Internal to runtime/.
 */
#ifndef CAKE_RUNTIME_CUDA_H
#define CAKE_RUNTIME_CUDA_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/libcake.h"

typedef struct cake_cuda_context_handle *cake_cuda_context;
typedef struct cake_cuda_module_handle *cake_cuda_module;
typedef struct cake_cuda_function_handle *cake_cuda_function;
typedef struct cake_cuda_graph_handle *cake_cuda_graph;
typedef struct cake_cuda_graph_exec_handle *cake_cuda_graph_exec;

/* CUtensorMap: 128 bytes, aligned to as many in recent headers. */
typedef struct cake_cuda_tensor_map {
    _Alignas(128) uint64_t opaque[16];
} cake_cuda_tensor_map;

/* CUlaunchAttribute: the value is a union of 64 bytes. */
typedef struct cake_cuda_launch_attribute {
    int id;
    char pad[4];
    union {
        char bytes[64];
        struct {
            unsigned x, y, z;
        } cluster;
        int programmatic; /* programmaticStreamSerializationAllowed */
    } value;
} cake_cuda_launch_attribute;

/* CUlaunchConfig */
typedef struct cake_cuda_launch_config {
    unsigned grid_x, grid_y, grid_z;
    unsigned block_x, block_y, block_z;
    unsigned shared_bytes;
    void *stream;
    cake_cuda_launch_attribute *attributes;
    unsigned attribute_count;
} cake_cuda_launch_config;

enum {
    CAKE_CUDA_SUCCESS = 0,
    CAKE_CUDA_OUT_OF_MEMORY = 2,
    CAKE_CUDA_STUB_LIBRARY = 34,
    CAKE_CUDA_DEVICE_UNAVAILABLE = 46,
    CAKE_CUDA_NO_DEVICE = 100,
    CAKE_CUDA_NO_BINARY_FOR_GPU = 209,
    CAKE_CUDA_INVALID_PTX = 218,
    CAKE_CUDA_JIT_COMPILER_NOT_FOUND = 221,
    CAKE_CUDA_UNSUPPORTED_PTX_VERSION = 222,
    CAKE_CUDA_NOT_FOUND = 500,
    CAKE_CUDA_ILLEGAL_ADDRESS = 700,
    CAKE_CUDA_LAUNCH_OUT_OF_RESOURCES = 701,
    CAKE_CUDA_LAUNCH_TIMEOUT = 702,
    CAKE_CUDA_ILLEGAL_INSTRUCTION = 715,
    CAKE_CUDA_MISALIGNED_ADDRESS = 716,
    CAKE_CUDA_LAUNCH_FAILED = 719,
    CAKE_CUDA_SYSTEM_NOT_READY = 802,
    CAKE_CUDA_SYSTEM_DRIVER_MISMATCH = 803
};

enum { /* CUdevice_attribute */
       CAKE_CUDA_DEVICE_SM_COUNT = 16,
       CAKE_CUDA_DEVICE_L2_BYTES = 38,
       CAKE_CUDA_DEVICE_MAJOR = 75,
       CAKE_CUDA_DEVICE_MINOR = 76,
       CAKE_CUDA_DEVICE_SHARED_BYTES = 97 /* that a CTA may opt in to */
};

enum { /* CUfunction_attribute */
       CAKE_CUDA_FUNCTION_SHARED_BYTES = 8,
       CAKE_CUDA_FUNCTION_ANY_CLUSTER = 14 /* clusters of more than 8 CTAs */
};

enum { /* CUjit_option */
       CAKE_CUDA_JIT_ERROR_LOG = 5,
       CAKE_CUDA_JIT_ERROR_LOG_BYTES = 6
};

enum {
    CAKE_CUDA_STREAM_NON_BLOCKING = 1,
    CAKE_CUDA_CAPTURE_THREAD_LOCAL = 1,
    CAKE_CUDA_LAUNCH_CLUSTER = 4, /* CUlaunchAttributeID */
    CAKE_CUDA_LAUNCH_PROGRAMMATIC = 6
};

/* The library, opened once per cake_cuda. */
struct cake_cuda {
    void *library;
    int version; /* 13000 is CUDA 13.0 */
    uint32_t count;
#define CAKE_CUDA_ENTRY(member, symbol, parameters) int(*member) parameters;
#include "runtime/cuda_entry_points.def"
#undef CAKE_CUDA_ENTRY
};

/* OK for success; else the call, the driver's name and text for the result, and advice where there is some. */
cake_status cake_cuda_check(const cake_cuda *cuda, int result, const char *call);

struct cake_device {
    cake_cuda *cuda;
    int handle;
    cake_cuda_context context;
    cake_device_info info;
};

/* Makes the device's context current for the calls between enter and leave; leave gives back what was current. */
cake_status cake_device_enter(const cake_device *device);
void cake_device_leave(const cake_device *device);

#endif
