/* libcake: launches what cakec compiled.
 *
 * A kernel travels with its manifest (manifest/manifest.h), so a launch is asked for in the schedule's own words: the
 * dimensions by name, device pointers by tensor, scalars by parameter. The contract is checked before anything runs.
 *
 *     cake_cuda *cuda;       status = cake_cuda_open(&cuda);                       // libcuda.so.1, at run time
 *     cake_device *device;   status = cake_device_open(cuda, 0, &device);          // the primary context
 *     cake_image *image;     status = cake_image_load_ptx(device, ptx, ptx_size, &image);
 *     cake_binding sizes[] = {{"M", 4096}, {"N", 4096}, {"K", 4096}};
 *     cake_tensor_argument tensors[] = {{"a", a, 0}, {"b", b, 0}, {"c", c, 0}};
 *     cake_call_request request = {.dimensions = sizes, .dimension_count = 3, .tensors = tensors, .tensor_count = 3};
 *     cake_call *call;       status = cake_call_prepare(image, &request, &call);   // once: contract, tensor maps
 *     status = cake_call_launch(call, stream);                                     // often: a driver call a step
 *
 * Plain C without global state: nothing prints, exits or changes the caller's current context. Objects may be used by
 * one thread at a time, except that a cake_call may be launched by many; different devices and images are independent.
 * Destroy in the reverse order of creation. Every function that fails says why in its status.
 */
#ifndef CAKE_RUNTIME_LIBCAKE_H
#define CAKE_RUNTIME_LIBCAKE_H

#include <stddef.h>
#include <stdint.h>

#include "manifest/manifest.h"
#include "support/status.h"

typedef struct cake_cuda cake_cuda;     /* the driver's library */
typedef struct cake_device cake_device; /* one GPU, its primary context retained */
typedef struct cake_image cake_image;   /* loaded code with its manifest */
typedef struct cake_call cake_call;     /* a kernel or program with its arguments, ready to be launched */

typedef uint64_t cake_address; /* in device memory: a CUdeviceptr */
typedef void *cake_stream;     /* CUstream or cudaStream_t; null is the default stream */

/* ---- driver and devices ---- */

/* UNAVAILABLE, with what to do, without a driver, with one older than CUDA 12.0 and without a GPU. */
CAKE_MUST_USE cake_status cake_cuda_open(cake_cuda **out_cuda);
void cake_cuda_close(cake_cuda *cuda);

uint32_t cake_cuda_device_count(const cake_cuda *cuda);
int cake_cuda_driver_version(const cake_cuda *cuda); /* 13000 is CUDA 13.0 */

typedef struct cake_device_info {
    char name[128];
    uint32_t ordinal;
    uint32_t major, minor; /* compute capability */
    uint32_t sm_count;
    uint32_t shared_bytes; /* that one CTA may have */
    uint64_t l2_bytes, memory_bytes;
} cake_device_info;

/* UNAVAILABLE for an ordinal that does not exist. */
CAKE_MUST_USE cake_status cake_device_open(cake_cuda *cuda, uint32_t ordinal, cake_device **out_device);
void cake_device_close(cake_device *device);
const cake_device_info *cake_device_info_of(const cake_device *device);

/* ---- memory and streams; a launch takes those of anyone else just as well ---- */

CAKE_MUST_USE cake_status cake_device_free_bytes(const cake_device *device, uint64_t *out_bytes);
/* At least one byte is allocated; aligned to 256 bytes. */
CAKE_MUST_USE cake_status cake_device_alloc(const cake_device *device, uint64_t bytes, cake_address *out_address);
void cake_device_free(const cake_device *device, cake_address address);
/* Both return when the bytes have arrived, and wait for no stream made here: wait for it first. */
CAKE_MUST_USE cake_status cake_device_upload(const cake_device *device, cake_address to, const void *from,
                                             uint64_t bytes);
CAKE_MUST_USE cake_status cake_device_download(const cake_device *device, void *to, cake_address from, uint64_t bytes);
/* In stream order. */
CAKE_MUST_USE cake_status cake_device_fill(const cake_device *device, cake_address to, unsigned char value,
                                           uint64_t bytes, cake_stream stream);
CAKE_MUST_USE cake_status cake_device_copy(const cake_device *device, cake_address to, cake_address from,
                                           uint64_t bytes, cake_stream stream);

CAKE_MUST_USE cake_status cake_stream_create(const cake_device *device, cake_stream *out_stream);
void cake_stream_destroy(const cake_device *device, cake_stream stream);
/* Waits for everything in the stream; FAILED with the driver's words when a kernel in it broke. */
CAKE_MUST_USE cake_status cake_stream_wait(const cake_device *device, cake_stream stream);

/* ---- code ---- */

/* Loads PTX text that carries its manifest. INVALID for a damaged manifest or a kernel of another architecture; FAILED
 * with the driver's log when its compiler refuses the text. Nothing is kept of 'ptx'. */
CAKE_MUST_USE cake_status cake_image_load_ptx(cake_device *device, const char *ptx, size_t size,
                                              cake_image **out_image);
/* The same for a cubin and the JSON manifest beside it. */
CAKE_MUST_USE cake_status cake_image_load_cubin(cake_device *device, const void *cubin, size_t size,
                                                const char *manifest, size_t manifest_size, cake_image **out_image);
void cake_image_unload(cake_image *image);
const cake_manifest *cake_image_manifest(const cake_image *image);

/* ---- launches ---- */

typedef struct cake_tensor_argument {
    const char *name;
    cake_address address; /* aligned to 16 bytes */
    uint64_t bytes;       /* size of the allocation behind address, 0: not known */
} cake_tensor_argument;

typedef struct cake_scalar_argument {
    const char *name;
    const void *value; /* one element of the parameter's dtype */
} cake_scalar_argument;

typedef struct cake_call_request {
    const char *kernel; /* or program; null: the image's only program, else its only kernel */
    const cake_binding *dimensions;
    uint32_t dimension_count;
    const cake_tensor_argument *tensors;
    uint32_t tensor_count;
    const cake_scalar_argument *scalars;
    uint32_t scalar_count;
} cake_call_request;

/* Checks names, contract, sizes and alignments (INVALID, with the condition and its values), encodes tensor maps and
 * lays out arguments. A program's temporaries are allocated here and belong to the call. Nothing of the request is
 * kept; the tensors' memory must stay until the last launch has ended. */
CAKE_MUST_USE cake_status cake_call_prepare(const cake_image *image, const cake_call_request *request,
                                            cake_call **out_call);
/* The last launch must have ended. */
void cake_call_destroy(cake_call *call);

/* Queues the kernel, or the program's steps in order; an empty grid launches nothing. May be called by several threads
 * at a time; but launches of one program with temporaries must not run at the same time in several streams. */
CAKE_MUST_USE cake_status cake_call_launch(const cake_call *call, cake_stream stream);

uint64_t cake_call_grid(const cake_call *call); /* CTAs, of all steps */

#endif
