/* Loads code and its manifest, and checks that the device can run it. */
#include "runtime/image.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define JIT_LOG_BYTES 2048

/* A manifest and copies of what it was read from. */
#define IMAGE_ARENA_LIMIT ((size_t)256 << 20)

/* Clusters up to this size need no permission (CUDA C++ Programming Guide, 'Thread Block Clusters'). */
#define PORTABLE_CLUSTER 8

/* ---- does the code fit the device? ---- */

/* sm_90a runs on exactly 9.0, sm_80 on 8.x as a cubin and on all later devices as PTX. */
static cake_status check_target(const cake_image *image, bool is_cubin) {
    const char *target = image->manifest->target;
    const cake_device_info *info = &image->device->info;
    char *suffix;
    uint32_t wanted = (uint32_t)strtoul(target + strlen("sm_"), &suffix, 10);
    uint32_t present = info->major * 10 + info->minor;
    bool fits = *suffix ? present == wanted : present >= wanted && (!is_cubin || present / 10 == wanted / 10);
    if (fits) return cake_status_ok();
    return cake_status_make(CAKE_STATUS_UNAVAILABLE,
                            "the code is for %s and device cuda:%" PRIu32 " (%s) is sm_%" PRIu32
                            ": compile the schedule for that target or choose another device",
                            target, info->ordinal, info->name, present);
}

static cake_status check_resources(const cake_image *image, const cake_manifest_kernel *kernel) {
    const cake_device_info *info = &image->device->info;
    if (kernel->shared_bytes <= info->shared_bytes) return cake_status_ok();
    return cake_status_make(CAKE_STATUS_INVALID,
                            "kernel '%s' wants %" PRIu32 " bytes of shared memory, %s has %" PRIu32 " per CTA",
                            kernel->interface.name, kernel->shared_bytes, info->name, info->shared_bytes);
}

/* ---- loading; all within the device's context ---- */

/* The driver's compiler writes lines; a status is one sentence. */
static void flatten(char *log) {
    for (char *c = log; *c; c++)
        if ((unsigned char)*c < ' ') *c = ' ';
    size_t size = strlen(log);
    while (size > 0 && log[size - 1] == ' ')
        log[--size] = '\0';
}

static cake_status load_code(cake_image *image, const void *code) {
    const cake_cuda *cuda = image->device->cuda;
    char log[JIT_LOG_BYTES] = "";
    int options[] = {CAKE_CUDA_JIT_ERROR_LOG, CAKE_CUDA_JIT_ERROR_LOG_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    int result = cuda->image_load(&image->module, code, 2, options, values);
    cake_status status = cake_cuda_check(cuda, result, "cuModuleLoadDataEx");
    if (status.kind == CAKE_STATUS_OK) return status;
    image->module = NULL;
    log[sizeof log - 1] = '\0';
    flatten(log);
    if (!*log) return status;
    return cake_status_make(status.kind, "%.200s: %s", status.message, log);
}

static cake_status prepare_function(cake_image *image, uint32_t index) {
    const cake_cuda *cuda = image->device->cuda;
    const cake_manifest_kernel *kernel = &image->manifest->kernels.items[index];
    cake_cuda_function *function = &image->functions[index];
    cake_status status = check_resources(image, kernel);
    if (status.kind != CAKE_STATUS_OK) return status;
    status = cake_cuda_check(cuda, cuda->function_get(function, image->module, kernel->interface.name),
                             "cuModuleGetFunction");
    if (status.kind != CAKE_STATUS_OK) return status;
    int bytes = (int)kernel->shared_bytes;
    status = cake_cuda_check(cuda, cuda->function_set(*function, CAKE_CUDA_FUNCTION_SHARED_BYTES, bytes),
                             "cuFuncSetAttribute(dynamic shared memory)");
    if (status.kind != CAKE_STATUS_OK || kernel->cluster <= PORTABLE_CLUSTER) return status;
    return cake_cuda_check(cuda, cuda->function_set(*function, CAKE_CUDA_FUNCTION_ANY_CLUSTER, 1),
                           "cuFuncSetAttribute(cluster size)");
}

static cake_status load_within_context(cake_image *image, const void *code) {
    cake_status status = load_code(image, code);
    image->functions = CAKE_NEW_ARRAY(&image->arena, cake_cuda_function, image->manifest->kernels.count);
    for (uint32_t i = 0; i < image->manifest->kernels.count && status.kind == CAKE_STATUS_OK; i++)
        status = prepare_function(image, i);
    return status;
}

/* ---- the two forms of code ---- */

typedef struct image_source {
    const char *code;
    size_t code_size;
    const char *manifest; /* null: within the code, which is PTX */
    size_t manifest_size;
} image_source;

static cake_status read_manifest(cake_image *image, const image_source *source) {
    if (source->manifest)
        return cake_manifest_read(&image->arena, source->manifest, source->manifest_size, &image->manifest);
    return cake_manifest_read_ptx(&image->arena, source->code, source->code_size, &image->manifest);
}

static cake_status load(cake_image *image, const image_source *source) {
    cake_status status = read_manifest(image, source);
    if (status.kind != CAKE_STATUS_OK) return status;
    status = check_target(image, source->manifest != NULL);
    if (status.kind != CAKE_STATUS_OK) return status;
    /* The driver takes no size: it wants PTX to end in a zero, and reads a cubin's size from its header. */
    const char *code = cake_arena_copy(&image->arena, source->code, source->code_size);
    status = cake_device_enter(image->device);
    if (status.kind != CAKE_STATUS_OK) return status;
    status = load_within_context(image, code);
    cake_device_leave(image->device);
    return status;
}

static cake_status load_guarded(cake_image *image, const image_source *source) {
    jmp_buf out_of_memory;
    cake_arena_init(&image->arena, IMAGE_ARENA_LIMIT, &out_of_memory);
    if (setjmp(out_of_memory)) return cake_status_make(CAKE_STATUS_NO_MEMORY, "out of memory while loading code");
    return load(image, source);
}

static cake_status create(cake_device *device, const image_source *source, cake_image **out_image) {
    cake_image *image = calloc(1, sizeof *image);
    if (!image) return cake_status_make(CAKE_STATUS_NO_MEMORY, "out of memory while loading code");
    image->device = device;
    cake_status status = load_guarded(image, source);
    if (status.kind == CAKE_STATUS_OK)
        *out_image = image;
    else
        cake_image_unload(image);
    return status;
}

cake_status cake_image_load_ptx(cake_device *device, const char *ptx, size_t size, cake_image **out_image) {
    return create(device, &(image_source){.code = ptx, .code_size = size}, out_image);
}

/* The driver takes a cubin's size from its section headers: one that was cut short would send it past the end. */
static bool is_whole_elf(const char *bytes, size_t size) {
    Elf64_Ehdr header;
    if (size < sizeof header) return false;
    memcpy(&header, bytes, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return false;
    if (header.e_shoff > size || header.e_shentsize != sizeof(Elf64_Shdr) ||
        header.e_shnum > (size - header.e_shoff) / sizeof(Elf64_Shdr))
        return false;
    for (uint32_t i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr section;
        memcpy(&section, bytes + header.e_shoff + i * sizeof section, sizeof section);
        bool has_bytes = section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL;
        if (has_bytes && (section.sh_offset > size || section.sh_size > size - section.sh_offset)) return false;
    }
    return true;
}

cake_status cake_image_load_cubin(cake_device *device, const void *cubin, size_t size, const char *manifest,
                                  size_t manifest_size, cake_image **out_image) {
    if (!is_whole_elf(cubin, size))
        return cake_status_make(CAKE_STATUS_INVALID, "the code is no cubin, or not all of one");
    image_source source = {cubin, size, manifest, manifest_size};
    return create(device, &source, out_image);
}

void cake_image_unload(cake_image *image) {
    if (!image) return;
    if (image->module && cake_device_enter(image->device).kind == CAKE_STATUS_OK) {
        image->device->cuda->image_unload(image->module);
        cake_device_leave(image->device);
    }
    cake_arena_fini(&image->arena);
    free(image);
}

const cake_manifest *cake_image_manifest(const cake_image *image) {
    return image->manifest;
}
