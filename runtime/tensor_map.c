#include "runtime/tensor_map.h"

#include <inttypes.h>
#include <stdio.h>

#define RANK_LIMIT 5

/* CUDA driver API, cuTensorMapEncodeTiled: extents up to 2^32, strides multiples of 16 below 2^40. */
#define LARGEST_EXTENT ((int64_t)1 << 32)
#define LARGEST_STRIDE (((int64_t)1 << 40) - 16)

/* CUtensorMapDataType, or -1. Bytes are copied as they are, so types of equal size share one, and tf32 is not rounded.
 */
static int encoded_dtype(cake_dtype dtype) {
    switch (dtype) {
    case CAKE_DTYPE_E4M3:
    case CAKE_DTYPE_E5M2:
    case CAKE_DTYPE_I8:
    case CAKE_DTYPE_U8:
    case CAKE_DTYPE_BOOL:
        return 0; /* UINT8 */
    case CAKE_DTYPE_I16:
    case CAKE_DTYPE_U16:
        return 1; /* UINT16 */
    case CAKE_DTYPE_U32:
        return 2; /* UINT32 */
    case CAKE_DTYPE_I32:
        return 3; /* INT32 */
    case CAKE_DTYPE_U64:
        return 4; /* UINT64 */
    case CAKE_DTYPE_I64:
        return 5; /* INT64 */
    case CAKE_DTYPE_F16:
        return 6; /* FLOAT16 */
    case CAKE_DTYPE_F32:
    case CAKE_DTYPE_TF32:
        return 7; /* FLOAT32 */
    case CAKE_DTYPE_F64:
        return 8; /* FLOAT64 */
    case CAKE_DTYPE_BF16:
        return 9; /* BFLOAT16 */
    case CAKE_DTYPE_NONE:
    case CAKE_DTYPE_I4:
    case CAKE_DTYPE_U4:
    case CAKE_DTYPE_INDEX:
    case CAKE_DTYPE_REAL:
    case CAKE_DTYPE_COUNT:
        return -1;
    }
    return -1;
}

/* CUtensorMapSwizzle and CUtensorMapL2promotion count spans: none, 32, 64, 128 and none, 64, 128, 256 bytes. */
static int encoded_span(uint32_t bytes, uint32_t smallest) {
    int code = 0;
    for (uint32_t span = smallest; span <= bytes; span *= 2)
        code++;
    return code;
}

typedef struct map_shape {
    uint64_t extents[RANK_LIMIT], strides[RANK_LIMIT]; /* innermost first; strides of all but the innermost */
} map_shape;

static cake_status evaluate_shape(const cake_bound *bound, const cake_manifest_tensor_map *map, map_shape *out_shape) {
    const char *tensor = bound->interface->tensors.items[map->tensor].name;
    char what[160];
    int64_t value;
    snprintf(what, sizeof what, "an extent of the tensor map of '%.60s'", tensor);
    for (uint32_t i = 0; i < map->extents.count; i++) {
        cake_status status = cake_bound_evaluate(bound, map->extents.items[i], what, 1, LARGEST_EXTENT, &value);
        if (status.kind != CAKE_STATUS_OK) return status;
        out_shape->extents[i] = (uint64_t)value;
    }
    snprintf(what, sizeof what, "a stride in bytes of the tensor map of '%.60s'", tensor);
    for (uint32_t i = 0; i < map->strides.count; i++) {
        cake_status status = cake_bound_evaluate(bound, map->strides.items[i], what, 0, LARGEST_STRIDE, &value);
        if (status.kind != CAKE_STATUS_OK) return status;
        if (value % 16 != 0)
            return cake_status_make(CAKE_STATUS_INVALID,
                                    "%s of kernel '%s' is %" PRId64
                                    ", which is no multiple of 16 as the copy engine needs",
                                    what, bound->interface->name, value);
        out_shape->strides[i] = (uint64_t)value;
    }
    return cake_status_ok();
}

/* Bytes from the map's first element to the end of its last; false on overflow. */
static bool span_bytes(const cake_manifest_tensor_map *map, const map_shape *shape, uint64_t *out_bytes) {
    uint64_t element = cake_dtype_bits(cake_dtype_find(map->dtype)) / 8, step;
    if (!cake_size_multiply(shape->extents[0], element, out_bytes)) return false;
    for (uint32_t i = 0; i < map->strides.count; i++) {
        if (!cake_size_multiply(shape->extents[i + 1] - 1, shape->strides[i], &step) ||
            !cake_size_add(*out_bytes, step, out_bytes))
            return false;
    }
    return true;
}

cake_status cake_tensor_map_encode(const cake_device *device, const cake_bound *bound,
                                   const cake_manifest_tensor_map *map, cake_address address, uint64_t tensor_bytes,
                                   cake_cuda_tensor_map *out_map) {
    static const uint32_t ones[RANK_LIMIT] = {1, 1, 1, 1, 1};
    int dtype = encoded_dtype(cake_dtype_find(map->dtype));
    if (dtype < 0)
        return cake_status_make(CAKE_STATUS_INVALID, "the copy engine does not know elements of type %s", map->dtype);
    map_shape shape;
    cake_status status = evaluate_shape(bound, map, &shape);
    if (status.kind != CAKE_STATUS_OK) return status;
    uint64_t bytes;
    if (!span_bytes(map, &shape, &bytes) || bytes > tensor_bytes)
        return cake_status_make(CAKE_STATUS_INVALID, "a tensor map of kernel '%s' reaches beyond tensor '%s'",
                                bound->interface->name, bound->interface->tensors.items[map->tensor].name);
    /* The driver's prototype takes a void pointer for an address in device memory. */
    void *base = (void *)(uintptr_t)address;
    status = cake_device_enter(device); /* some drivers want a context even here */
    if (status.kind != CAKE_STATUS_OK) return status;
    int result = device->cuda->tensor_map_encode(out_map, dtype, map->extents.count, base, shape.extents, shape.strides,
                                                 map->box.items, ones, 0, encoded_span(map->swizzle, 32),
                                                 encoded_span(map->l2_promotion, 64), 0);
    cake_device_leave(device);
    return cake_cuda_check(device->cuda, result, "cuTensorMapEncodeTiled");
}
