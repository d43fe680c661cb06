/* Tensor maps: from the manifest's recipe to the driver's 128 bytes. Internal to runtime/. */
#ifndef CAKE_RUNTIME_TENSOR_MAP_H
#define CAKE_RUNTIME_TENSOR_MAP_H

#include "runtime/bind.h"
#include "runtime/cuda.h"

/* Encodes a map of the bound kernel over memory at 'address' that holds 'tensor_bytes'. What the hardware cannot
 * describe is refused in plain words before the driver would with a number. */
CAKE_MUST_USE cake_status cake_tensor_map_encode(const cake_device *device, const cake_bound *bound,
                                                 const cake_manifest_tensor_map *map, cake_address address,
                                                 uint64_t tensor_bytes, cake_cuda_tensor_map *out_map);

#endif
