#include "driver/ceiling.h"

#include <math.h>
#include <string.h>

typedef struct device_peaks {
    const char *name;
    double memory; /* TB/s */
    double half, tf32, byte_float, byte_integer, f64;
} device_peaks;

static const device_peaks devices[] = {
#define CAKE_DEVICE_PEAKS(name, memory, half, tf32, byte_float, byte_integer, f64)                                     \
    {name, memory, half, tf32, byte_float, byte_integer, f64},
#include "driver/device_peaks.def"
#undef CAKE_DEVICE_PEAKS
};

static const device_peaks *device_find(const char *name) {
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (strcmp(devices[i].name, name) == 0) return &devices[i];
    return NULL;
}

static double peak_of(const device_peaks *device, cake_dtype dtype) {
    bool is_float = cake_dtype_class_of(dtype) == CAKE_CLASS_FLOAT;
    switch (cake_dtype_bits(dtype)) {
    case 8:
        return is_float ? device->byte_float : dtype == CAKE_DTYPE_BOOL ? 0 : device->byte_integer;
    case 16:
        return is_float ? device->half : 0;
    case 32:
        return is_float ? device->tf32 : 0;
    case 64:
        return is_float ? device->f64 : 0;
    default:
        return 0;
    }
}

/* 10^12 operations a second; 0: not known. */
static double fastest_peak(const device_peaks *device, const cake_case *one) {
    double fastest = 0;
    for (uint32_t i = 0; one && i < one->tensors.count; i++) {
        const cake_case_tensor *tensor = &one->tensors.items[i];
        if (tensor->use != CAKE_USE_OUTPUT && tensor->rank > 0) fastest = fmax(fastest, peak_of(device, tensor->dtype));
    }
    return fastest;
}

bool cake_ceiling_find(const char *device, const cake_case *one, double flops, double bytes,
                       cake_ceiling *out_ceiling) {
    const device_peaks *peaks = device_find(device);
    if (!peaks) return false;
    double peak = fastest_peak(peaks, one);
    double memory = bytes / peaks->memory / 1e6, compute = peak > 0 ? flops / peak / 1e6 : 0;
    *out_ceiling = compute > memory ? (cake_ceiling){"compute", compute} : (cake_ceiling){"memory", memory};
    return out_ceiling->us > 0;
}
