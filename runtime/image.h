/* Loaded code: internal to runtime/. */
#ifndef CAKE_RUNTIME_IMAGE_H
#define CAKE_RUNTIME_IMAGE_H

#include "runtime/cuda.h"

struct cake_image {
    cake_device *device;
    cake_arena arena; /* of the manifest and this structure's lists */
    cake_manifest *manifest;
    cake_cuda_module module;       /* null until loaded */
    cake_cuda_function *functions; /* by the manifest's index */
};

#endif
