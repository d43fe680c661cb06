#include "tests/fake_cuda/fake_cuda.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MEMORY_BYTES ((size_t)1 << 30)
#define LOG_BYTES    16384

#define LAUNCH_MICROSECONDS 10.0
#define MEMORY_MICROSECONDS 5.0

struct cake_cuda_context_handle {
    int unused;
};
struct cake_cuda_module_handle {
    int unused;
};
struct cake_cuda_function_handle {
    char name[64];
    int shared_bytes;
};

typedef struct fake_launch {
    cake_cuda_launch_config config;
    cake_cuda_function function;
    void **arguments;
} fake_launch;

/* Graphs and instantiated graphs are the same thing here: the launches that were captured. */
struct cake_cuda_graph_handle {
    fake_launch launches[2048];
    size_t count;
    size_t fills; /* done when they are captured; a graph only takes their time */
};

static struct {
    struct cake_cuda_context_handle context;
    struct cake_cuda_function_handle functions[16];
    int function_count;
    cake_cuda_graph capturing;
    int depth; /* of the stack of current contexts */
    int live;
    int fault;   /* sticky result, as after an illegal address */
    int hanging; /* a kernel that never ends was launched */
    size_t allocated;
    double clock;
    char log[LOG_BYTES], taken[LOG_BYTES];
} fake;

static void write_log(const char *format, ...) CAKE_PRINTF(1, 2);

static void write_log(const char *format, ...) {
    size_t used = strlen(fake.log);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fake.log + used, sizeof fake.log - used, format, arguments);
    va_end(arguments);
}

const char *fake_cuda_take_log(void) {
    strcpy(fake.taken, fake.log);
    fake.log[0] = '\0';
    return fake.taken;
}

int fake_cuda_live(void) {
    return fake.live;
}

/* The result that the environment wants from a function, or the sticky one. */
static int begin(const char *symbol) {
    const char *wanted = getenv("FAKE_CUDA_FAIL");
    size_t size = strlen(symbol);
    if (wanted && strncmp(wanted, symbol, size) == 0 && wanted[size] == ':') return atoi(wanted + size + 1);
    return fake.fault;
}

#define BEGIN()                                                                                                        \
    do {                                                                                                               \
        int result_ = begin(__func__);                                                                                 \
        if (result_) return result_;                                                                                   \
    } while (0)

static int setting(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

/* ---- errors, driver, devices ---- */

int cuGetErrorName(int result, const char **out_text) {
    *out_text = result == CAKE_CUDA_OUT_OF_MEMORY     ? "CUDA_ERROR_OUT_OF_MEMORY"
                : result == CAKE_CUDA_NO_DEVICE       ? "CUDA_ERROR_NO_DEVICE"
                : result == CAKE_CUDA_INVALID_PTX     ? "CUDA_ERROR_INVALID_PTX"
                : result == CAKE_CUDA_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                                      : NULL;
    return *out_text ? CAKE_CUDA_SUCCESS : 1;
}

int cuGetErrorString(int result, const char **out_text) {
    *out_text = "described by the fake";
    return result < 900 ? CAKE_CUDA_SUCCESS : 1;
}

int cuDriverGetVersion(int *out_version) {
    BEGIN();
    *out_version = setting("FAKE_CUDA_VERSION", 13000);
    return CAKE_CUDA_SUCCESS;
}

int cuInit(unsigned flags) {
    BEGIN();
    return flags ? 1 : CAKE_CUDA_SUCCESS;
}

int cuDeviceGetCount(int *out_count) {
    BEGIN();
    *out_count = setting("FAKE_CUDA_DEVICES", 1);
    return CAKE_CUDA_SUCCESS;
}

int cuDeviceGet(int *out_device, int ordinal) {
    BEGIN();
    *out_device = ordinal;
    return CAKE_CUDA_SUCCESS;
}

int cuDeviceGetName(char *out_name, int size, int device) {
    BEGIN();
    const char *name = getenv("FAKE_CUDA_NAME");
    if (name)
        snprintf(out_name, (size_t)size, "%s", name);
    else
        snprintf(out_name, (size_t)size, "Fake GPU %d", device);
    return CAKE_CUDA_SUCCESS;
}

int cuDeviceTotalMem_v2(size_t *out_bytes, int device) {
    (void)device;
    BEGIN();
    *out_bytes = MEMORY_BYTES;
    return CAKE_CUDA_SUCCESS;
}

int cuDeviceGetAttribute(int *out_value, int attribute, int device) {
    (void)device;
    BEGIN();
    int arch = setting("FAKE_CUDA_ARCH", 90);
    *out_value = attribute == CAKE_CUDA_DEVICE_MAJOR          ? arch / 10
                 : attribute == CAKE_CUDA_DEVICE_MINOR        ? arch % 10
                 : attribute == CAKE_CUDA_DEVICE_SM_COUNT     ? 132
                 : attribute == CAKE_CUDA_DEVICE_L2_BYTES     ? 1 << 20
                 : attribute == CAKE_CUDA_DEVICE_SHARED_BYTES ? 232448
                                                              : -1;
    return CAKE_CUDA_SUCCESS;
}

int cuDevicePrimaryCtxRetain(cake_cuda_context *out_context, int device) {
    (void)device;
    BEGIN();
    *out_context = &fake.context;
    fake.live++;
    return CAKE_CUDA_SUCCESS;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
    (void)device;
    fake.live--;
    return CAKE_CUDA_SUCCESS;
}

int cuCtxPushCurrent_v2(cake_cuda_context context) {
    BEGIN();
    if (context != &fake.context) return 201;
    fake.depth++;
    return CAKE_CUDA_SUCCESS;
}

int cuCtxPopCurrent_v2(cake_cuda_context *out_context) {
    if (fake.depth == 0) abort(); /* a pop too many is a bug of the runtime */
    fake.depth--;
    *out_context = &fake.context;
    return CAKE_CUDA_SUCCESS;
}

/* Everything below needs a current context. */
#define BEGIN_IN_CONTEXT()                                                                                             \
    do {                                                                                                               \
        BEGIN();                                                                                                       \
        if (fake.depth == 0) return 201;                                                                               \
    } while (0)

/* ---- memory: each block is preceded by its size ---- */

#define HEADER 256

int cuMemGetInfo_v2(size_t *out_free, size_t *out_total) {
    BEGIN_IN_CONTEXT();
    *out_free = MEMORY_BYTES - fake.allocated;
    *out_total = MEMORY_BYTES;
    return CAKE_CUDA_SUCCESS;
}

int cuMemAlloc_v2(uint64_t *out_address, size_t bytes) {
    BEGIN_IN_CONTEXT();
    if (bytes == 0 || bytes > MEMORY_BYTES - fake.allocated) return CAKE_CUDA_OUT_OF_MEMORY;
    char *block = aligned_alloc(HEADER, HEADER + (bytes + HEADER - 1) / HEADER * HEADER);
    if (!block) return CAKE_CUDA_OUT_OF_MEMORY;
    memcpy(block, &bytes, sizeof bytes);
    memset(block + HEADER, 0x55, bytes);
    *out_address = (uintptr_t)(block + HEADER);
    fake.allocated += bytes;
    fake.live++;
    return CAKE_CUDA_SUCCESS;
}

static void *pointer(uint64_t address) {
    return (void *)(uintptr_t)address;
}

int cuMemFree_v2(uint64_t address) {
    size_t bytes;
    char *block = (char *)pointer(address) - HEADER;
    memcpy(&bytes, block, sizeof bytes);
    fake.allocated -= bytes;
    fake.live--;
    free(block);
    return CAKE_CUDA_SUCCESS;
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
    BEGIN_IN_CONTEXT();
    memcpy(pointer(to), from, bytes);
    return CAKE_CUDA_SUCCESS;
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
    BEGIN_IN_CONTEXT();
    memcpy(to, pointer(from), bytes);
    return CAKE_CUDA_SUCCESS;
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream) {
    (void)stream;
    BEGIN_IN_CONTEXT();
    memcpy(pointer(to), pointer(from), bytes);
    fake.clock += MEMORY_MICROSECONDS;
    return CAKE_CUDA_SUCCESS;
}

static void take_memory_time(void) {
    if (fake.capturing)
        fake.capturing->fills++;
    else
        fake.clock += MEMORY_MICROSECONDS;
}

int cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes, void *stream) {
    (void)stream;
    BEGIN_IN_CONTEXT();
    memset(pointer(to), value, bytes);
    take_memory_time();
    return CAKE_CUDA_SUCCESS;
}

int cuMemsetD16Async(uint64_t to, unsigned short value, size_t count, void *stream) {
    (void)stream;
    BEGIN_IN_CONTEXT();
    for (size_t i = 0; i < count; i++)
        memcpy((char *)pointer(to) + i * sizeof value, &value, sizeof value);
    take_memory_time();
    return CAKE_CUDA_SUCCESS;
}

int cuMemsetD32Async(uint64_t to, unsigned value, size_t count, void *stream) {
    return cuMemsetD2D32Async(to, sizeof value, value, 1, count, stream);
}

int cuMemsetD2D32Async(uint64_t to, size_t pitch, unsigned value, size_t width, size_t height, void *stream) {
    (void)stream;
    BEGIN_IN_CONTEXT();
    for (size_t row = 0; row < height; row++)
        for (size_t i = 0; i < width; i++)
            memcpy((char *)pointer(to) + row * pitch + i * sizeof value, &value, sizeof value);
    take_memory_time();
    return CAKE_CUDA_SUCCESS;
}

/* ---- kernels ---- */

static void copy(void **arguments, size_t count) {
    float *x, *y;
    memcpy(&x, arguments[0], sizeof x);
    memcpy(&y, arguments[1], sizeof y);
    memcpy(y, x, count * sizeof *x);
}

static float *output(void **arguments) {
    float *y;
    memcpy(&y, arguments[1], sizeof y);
    return y;
}

static void run_kernel(const char *name, void **arguments) {
    int32_t count = 0;
    bool is_known = strcmp(name, "hang") != 0 && strcmp(name, "crash") != 0 && strcmp(name, "fault") != 0;
    if (is_known) {
        memcpy(&count, arguments[2], sizeof count);
        copy(arguments, (size_t)count - (strcmp(name, "skip") == 0));
    }
    if (strcmp(name, "overrun") == 0) output(arguments)[count] = 1;
    if (strcmp(name, "wrong") == 0) output(arguments)[0] = 2 * output(arguments)[0] + 1;
    if (strcmp(name, "hang") == 0) fake.hanging = 1;
    if (strcmp(name, "fault") == 0) fake.fault = CAKE_CUDA_ILLEGAL_ADDRESS;
    if (strcmp(name, "crash") == 0) raise(SIGKILL);
    fake.clock += LAUNCH_MICROSECONDS;
}

static const cake_cuda_launch_attribute *find_attribute(const cake_cuda_launch_config *config, int id) {
    for (unsigned i = 0; i < config->attribute_count; i++)
        if (config->attributes[i].id == id) return &config->attributes[i];
    return NULL;
}

int cuLaunchKernelEx(const cake_cuda_launch_config *config, cake_cuda_function function, void **arguments,
                     void **extra) {
    BEGIN_IN_CONTEXT();
    if (extra || config->grid_x == 0) return 1;
    const cake_cuda_launch_attribute *cluster = find_attribute(config, CAKE_CUDA_LAUNCH_CLUSTER);
    const cake_cuda_launch_attribute *overlap = find_attribute(config, CAKE_CUDA_LAUNCH_PROGRAMMATIC);
    if (!fake.capturing)
        write_log("%s<<<%u, %u, %u>>> cluster %u%s\n", function->name, config->grid_x, config->block_x,
                  config->shared_bytes, cluster ? cluster->value.cluster.x : 1,
                  overlap && overlap->value.programmatic == 1 ? " overlap" : "");
    if (config->shared_bytes > (unsigned)function->shared_bytes) return 1;
    if (!fake.capturing) {
        run_kernel(function->name, arguments);
        return CAKE_CUDA_SUCCESS;
    }
    if (fake.capturing->count == sizeof fake.capturing->launches / sizeof *fake.capturing->launches)
        return CAKE_CUDA_OUT_OF_MEMORY;
    fake.capturing->launches[fake.capturing->count++] = (fake_launch){*config, function, arguments};
    return CAKE_CUDA_SUCCESS;
}

/* ---- streams, events, graphs ---- */

/* A stream is nothing, an event the time when it was recorded. */
static int create(void **out_object) {
    *out_object = calloc(1, sizeof(double));
    fake.live++;
    return *out_object ? CAKE_CUDA_SUCCESS : CAKE_CUDA_OUT_OF_MEMORY;
}

static int destroy(void *object) {
    free(object);
    fake.live--;
    return CAKE_CUDA_SUCCESS;
}

int cuStreamCreate(void **out_stream, unsigned flags) {
    (void)flags;
    BEGIN_IN_CONTEXT();
    return create(out_stream);
}

int cuStreamDestroy_v2(void *stream) {
    return destroy(stream);
}

int cuStreamSynchronize(void *stream) {
    (void)stream;
    BEGIN_IN_CONTEXT();
    while (fake.hanging)
        nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    return CAKE_CUDA_SUCCESS;
}

int cuEventCreate(void **out_event, unsigned flags) {
    (void)flags;
    BEGIN_IN_CONTEXT();
    return create(out_event);
}

int cuEventDestroy_v2(void *event) {
    return destroy(event);
}

int cuEventRecord(void *event, void *stream) {
    (void)stream;
    BEGIN_IN_CONTEXT();
    memcpy(event, &fake.clock, sizeof fake.clock);
    return CAKE_CUDA_SUCCESS;
}

int cuEventElapsedTime(float *out_milliseconds, void *from, void *to) {
    BEGIN_IN_CONTEXT();
    double begun, ended;
    memcpy(&begun, from, sizeof begun);
    memcpy(&ended, to, sizeof ended);
    *out_milliseconds = (float)((ended - begun) / 1e3);
    return CAKE_CUDA_SUCCESS;
}

int cuStreamBeginCapture_v2(void *stream, int mode) {
    (void)stream;
    (void)mode;
    BEGIN_IN_CONTEXT();
    fake.capturing = calloc(1, sizeof *fake.capturing);
    fake.live++;
    return fake.capturing ? CAKE_CUDA_SUCCESS : CAKE_CUDA_OUT_OF_MEMORY;
}

int cuStreamEndCapture(void *stream, cake_cuda_graph *out_graph) {
    (void)stream;
    BEGIN_IN_CONTEXT();
    *out_graph = fake.capturing;
    fake.capturing = NULL;
    return CAKE_CUDA_SUCCESS;
}

int cuGraphDestroy(cake_cuda_graph graph) {
    return destroy(graph);
}

int cuGraphInstantiateWithFlags(cake_cuda_graph_exec *out_exec, cake_cuda_graph graph, unsigned long long flags) {
    (void)flags;
    BEGIN_IN_CONTEXT();
    cake_cuda_graph copied = malloc(sizeof *copied);
    if (!copied) return CAKE_CUDA_OUT_OF_MEMORY;
    *copied = *graph;
    *out_exec = (cake_cuda_graph_exec)(void *)copied;
    fake.live++;
    return CAKE_CUDA_SUCCESS;
}

int cuGraphLaunch(cake_cuda_graph_exec exec, void *stream) {
    (void)stream;
    BEGIN_IN_CONTEXT();
    const struct cake_cuda_graph_handle *graph = (void *)exec;
    write_log("graph of %zu\n", graph->count);
    for (size_t i = 0; i < graph->count; i++)
        run_kernel(graph->launches[i].function->name, graph->launches[i].arguments);
    fake.clock += MEMORY_MICROSECONDS * (double)graph->fills;
    return CAKE_CUDA_SUCCESS;
}

int cuGraphExecDestroy(cake_cuda_graph_exec exec) {
    return destroy(exec);
}

/* ---- code and tensor maps ---- */

int cuModuleLoadDataEx(cake_cuda_module *out_module, const void *image, unsigned option_count, int *options,
                       void **values) {
    for (unsigned i = 0; i < option_count; i++)
        if (options[i] == CAKE_CUDA_JIT_ERROR_LOG)
            strcpy(values[i], "ptxas fake, line 7; fatal : Parsing error near 'x'\nptxas fatal : aborted\n");
    BEGIN_IN_CONTEXT();
    (void)image;
    void *module;
    int result = create(&module);
    *out_module = module;
    return result;
}

int cuModuleUnload(cake_cuda_module module) {
    return destroy(module);
}

int cuModuleGetFunction(cake_cuda_function *out_function, cake_cuda_module module, const char *name) {
    (void)module;
    BEGIN_IN_CONTEXT();
    int index = fake.function_count++ % (int)(sizeof fake.functions / sizeof *fake.functions);
    *out_function = &fake.functions[index];
    snprintf(fake.functions[index].name, sizeof fake.functions[index].name, "%s", name);
    fake.functions[index].shared_bytes = 48 << 10;
    return CAKE_CUDA_SUCCESS;
}

int cuFuncSetAttribute(cake_cuda_function function, int attribute, int value) {
    BEGIN_IN_CONTEXT();
    if (attribute == CAKE_CUDA_FUNCTION_SHARED_BYTES) function->shared_bytes = value;
    return CAKE_CUDA_SUCCESS;
}

int cuTensorMapEncodeTiled(cake_cuda_tensor_map *out_map, int dtype, uint32_t rank, void *address,
                           const uint64_t *extents, const uint64_t *strides, const uint32_t *box,
                           const uint32_t *element_strides, int interleave, int swizzle, int l2_promotion, int fill) {
    BEGIN();
    if ((uintptr_t)out_map % 64 != 0 || interleave || fill || element_strides[0] != 1) return 1;
    memset(out_map, 0, sizeof *out_map);
    out_map->opaque[0] = (uintptr_t)address;
    write_log("map dtype %d swizzle %d l2 %d:", dtype, swizzle, l2_promotion);
    for (uint32_t i = 0; i < rank; i++)
        write_log(" %llu/%u", (unsigned long long)extents[i], box[i]);
    for (uint32_t i = 0; i + 1 < rank; i++)
        write_log(" stride %llu", (unsigned long long)strides[i]);
    write_log("\n");
    return CAKE_CUDA_SUCCESS;
}
