/* The child's half of 'run' and 'bench': all that touches the GPU, and whether there is one. */
#include <stdlib.h>
#include <string.h>

#include "driver/run_job.h"
#include "driver/watch.h"
#include "runtime/timing.h"

/* Bytes before and after each tensor that must stay as they are; a multiple of the alignment of allocations. */
#define GUARD_BYTES 4096

/* Sets of tensors are in turn until together they are this large, far beyond any L2. */
#define ROTATION_BYTES ((uint64_t)256 << 20)
#define SET_LIMIT      64

#define RETURN_UNLESS_OK(expression)                                                                                   \
    do {                                                                                                               \
        cake_status status_ = (expression);                                                                            \
        if (status_.kind != CAKE_STATUS_OK) return status_;                                                            \
    } while (0)

typedef struct session {
    const cake_run_job *job;
    int channel;
    cake_cuda *cuda;
    cake_device *device;
    cake_image *image;
} session;

static void say_stage(const session *run, cake_run_stage stage) {
    cake_watch_send(run->channel, CAKE_RUN_MESSAGE_STAGE, stage, NULL, 0);
}

static void say_alive(void *context) {
    const session *run = context;
    cake_watch_send(run->channel, CAKE_RUN_MESSAGE_ALIVE, 0, NULL, 0);
}

static cake_status out_of_memory(void) {
    return cake_status_make(CAKE_STATUS_NO_MEMORY, "out of memory");
}

/* ---- opening ---- */

static cake_status open_device(session *run) {
    say_stage(run, CAKE_RUN_OPENING);
    RETURN_UNLESS_OK(cake_cuda_open(&run->cuda));
    RETURN_UNLESS_OK(cake_device_open(run->cuda, run->job->device, &run->device));
    const cake_device_info *info = cake_device_info_of(run->device);
    cake_watch_send(run->channel, CAKE_RUN_MESSAGE_DEVICE, 0, info, sizeof *info);
    return cake_status_ok();
}

static cake_status load_code(session *run) {
    const cake_run_code *code = run->job->code;
    say_stage(run, CAKE_RUN_LOADING);
    if (!code->manifest) return cake_image_load_ptx(run->device, code->bytes, code->size, &run->image);
    return cake_image_load_cubin(run->device, code->bytes, code->size, code->manifest, code->manifest_size,
                                 &run->image);
}

/* ---- tensors on the device ---- */

/* Guards differ by tensor, so that bytes copied from one tensor's guard to another's are found. */
static unsigned char guard_pattern(uint32_t index) {
    return (unsigned char)(0xC3 + 37 * index);
}

static cake_status place_tensor(const session *run, uint32_t index, cake_tensor_argument *out_argument) {
    const cake_run_tensor *tensor = &run->job->tensors.items[index];
    cake_address block;
    uint64_t bytes = tensor->bytes + 2 * GUARD_BYTES;
    RETURN_UNLESS_OK(cake_device_alloc(run->device, bytes, &block));
    RETURN_UNLESS_OK(cake_device_fill(run->device, block, guard_pattern(index), bytes, NULL));
    RETURN_UNLESS_OK(cake_stream_wait(run->device, NULL));
    *out_argument = (cake_tensor_argument){tensor->name, block + GUARD_BYTES, tensor->bytes};
    return cake_device_upload(run->device, out_argument->address, tensor->data, tensor->bytes);
}

/* One set of tensors; nothing is freed: the child ends soon, and its context with it. */
static cake_status place_tensors(const session *run, cake_tensor_argument *out_arguments) {
    for (uint32_t i = 0; i < run->job->tensors.count; i++) {
        RETURN_UNLESS_OK(place_tensor(run, i, &out_arguments[i]));
        cake_watch_send(run->channel, CAKE_RUN_MESSAGE_ALIVE, 0, NULL, 0);
    }
    return cake_status_ok();
}

static cake_status prepare_call(const session *run, const cake_tensor_argument *arguments, cake_call **out_call) {
    const cake_run_job *job = run->job;
    cake_call_request request = {
        .kernel = job->kernel,
        .dimensions = job->dimensions.items,
        .dimension_count = job->dimensions.count,
        .tensors = arguments,
        .tensor_count = job->tensors.count,
        .scalars = job->scalars.items,
        .scalar_count = job->scalars.count,
    };
    return cake_call_prepare(run->image, &request, out_call);
}

/* ---- run ---- */

static uint64_t count_changed(const unsigned char *bytes, unsigned char pattern) {
    uint64_t changed = 0;
    for (uint32_t i = 0; i < GUARD_BYTES; i++)
        changed += bytes[i] != pattern;
    return changed;
}

static cake_status check_guards(const session *run, uint32_t index, const cake_tensor_argument *argument) {
    unsigned char before[GUARD_BYTES], after[GUARD_BYTES];
    RETURN_UNLESS_OK(cake_device_download(run->device, before, argument->address - GUARD_BYTES, GUARD_BYTES));
    RETURN_UNLESS_OK(cake_device_download(run->device, after, argument->address + argument->bytes, GUARD_BYTES));
    cake_run_damage damage = {count_changed(before, guard_pattern(index)), count_changed(after, guard_pattern(index))};
    if (damage.before || damage.after)
        cake_watch_send(run->channel, CAKE_RUN_MESSAGE_DAMAGE, index, &damage, sizeof damage);
    return cake_status_ok();
}

static cake_status read_back(const session *run, uint32_t index, const cake_tensor_argument *argument) {
    RETURN_UNLESS_OK(check_guards(run, index, argument));
    if (run->job->tensors.items[index].mode == CAKE_TENSOR_IN || argument->bytes == 0) return cake_status_ok();
    void *bytes = malloc(argument->bytes);
    if (!bytes) return out_of_memory();
    cake_status status = cake_device_download(run->device, bytes, argument->address, argument->bytes);
    if (status.kind == CAKE_STATUS_OK)
        cake_watch_send(run->channel, CAKE_RUN_MESSAGE_OUTPUT, index, bytes, argument->bytes);
    free(bytes);
    return status;
}

static cake_status run_once(const session *run, cake_tensor_argument *arguments) {
    cake_call *call = NULL;
    cake_stream stream = NULL;
    say_stage(run, CAKE_RUN_FILLING);
    RETURN_UNLESS_OK(place_tensors(run, arguments));
    RETURN_UNLESS_OK(prepare_call(run, arguments, &call));
    RETURN_UNLESS_OK(cake_stream_create(run->device, &stream));
    say_stage(run, CAKE_RUN_RUNNING);
    RETURN_UNLESS_OK(cake_call_launch(call, stream));
    RETURN_UNLESS_OK(cake_stream_wait(run->device, stream));
    say_stage(run, CAKE_RUN_READING);
    for (uint32_t i = 0; i < run->job->tensors.count; i++)
        RETURN_UNLESS_OK(read_back(run, i, &arguments[i]));
    return cake_status_ok();
}

/* ---- bench ---- */

/* As many sets as fill the rotation, at least two, if the device's memory holds them and a copy of what is put back. */
static cake_status choose_set_count(const session *run, uint32_t *out_count) {
    uint64_t bytes = 1 + run->job->temporary_bytes, free_bytes;
    for (uint32_t i = 0; i < run->job->tensors.count; i++)
        bytes += run->job->tensors.items[i].bytes + 2 * GUARD_BYTES;
    RETURN_UNLESS_OK(cake_device_free_bytes(run->device, &free_bytes));
    uint64_t wanted = ROTATION_BYTES / bytes + 2, fitting = free_bytes / 10 * 9 / bytes;
    if (wanted > SET_LIMIT) wanted = SET_LIMIT;
    if (fitting > 1) fitting--;
    if (wanted > fitting) wanted = fitting;
    *out_count = wanted ? (uint32_t)wanted : 1;
    return cake_status_ok();
}

/* Tensors that the kernel changes in place are put back before each launch, from one copy that all sets share. */
static cake_status plan_restores(const session *run, cake_tensor_argument *pristine,
                                 const cake_tensor_argument *arguments, cake_timing_restore *restores,
                                 uint32_t *out_count) {
    *out_count = 0;
    for (uint32_t i = 0; i < run->job->tensors.count; i++) {
        const cake_run_tensor *tensor = &run->job->tensors.items[i];
        if (tensor->mode != CAKE_TENSOR_INOUT || tensor->bytes == 0) continue;
        if (!pristine[i].address) RETURN_UNLESS_OK(place_tensor(run, i, &pristine[i]));
        restores[(*out_count)++] = (cake_timing_restore){arguments[i].address, pristine[i].address, arguments[i].bytes};
    }
    return cake_status_ok();
}

typedef struct bench_memory {
    cake_tensor_argument *arguments, *pristine;
    cake_timing_restore *restores; /* of all sets, tensors.count places each */
    cake_timing_set *sets;
    double *times;
} bench_memory;

static cake_status prepare_set(const session *run, const bench_memory *memory, uint32_t index) {
    cake_timing_restore *restores = memory->restores + (size_t)index * run->job->tensors.count;
    cake_timing_set *set = &memory->sets[index];
    cake_call *call = NULL;
    RETURN_UNLESS_OK(place_tensors(run, memory->arguments));
    RETURN_UNLESS_OK(prepare_call(run, memory->arguments, &call));
    RETURN_UNLESS_OK(plan_restores(run, memory->pristine, memory->arguments, restores, &set->restore_count));
    set->call = call;
    set->restores = restores;
    return cake_status_ok();
}

static cake_status take_times(session *run, const bench_memory *memory, uint32_t set_count) {
    for (uint32_t i = 0; i < set_count; i++)
        RETURN_UNLESS_OK(prepare_set(run, memory, i));
    cake_timing_request request = {
        .sets = memory->sets,
        .set_count = set_count,
        .reps = run->job->reps,
        .cold = run->job->cold,
        .alive = say_alive,
        .alive_context = run,
    };
    say_stage(run, CAKE_RUN_RUNNING);
    RETURN_UNLESS_OK(cake_timing_measure(run->device, &request, memory->times));
    cake_watch_send(run->channel, CAKE_RUN_MESSAGE_TIMES, set_count, memory->times,
                    run->job->reps * sizeof *memory->times);
    return cake_status_ok();
}

static cake_status bench(session *run, cake_tensor_argument *arguments) {
    size_t tensors = run->job->tensors.count + 1; /* never 0, which calloc may answer with null */
    uint32_t set_count;
    say_stage(run, CAKE_RUN_FILLING);
    RETURN_UNLESS_OK(choose_set_count(run, &set_count));
    bench_memory memory = {
        .arguments = arguments,
        .pristine = calloc(tensors, sizeof(cake_tensor_argument)),
        .restores = calloc(tensors * set_count, sizeof(cake_timing_restore)),
        .sets = calloc(set_count, sizeof(cake_timing_set)),
        .times = calloc(run->job->reps, sizeof(double)),
    };
    cake_status status = memory.pristine && memory.restores && memory.sets && memory.times
                             ? take_times(run, &memory, set_count)
                             : out_of_memory();
    free(memory.pristine);
    free(memory.restores);
    free(memory.sets);
    free(memory.times);
    return status;
}

/* ---- the whole ---- */

static cake_status do_job(session *run) {
    RETURN_UNLESS_OK(open_device(run));
    RETURN_UNLESS_OK(load_code(run));
    cake_tensor_argument *arguments = calloc(run->job->tensors.count + 1, sizeof *arguments);
    if (!arguments) return out_of_memory();
    cake_status status = run->job->bench ? bench(run, arguments) : run_once(run, arguments);
    free(arguments);
    return status;
}

void cake_run_on_device(const cake_run_job *job, int channel) {
    session run = {.job = job, .channel = channel};
    cake_status status = do_job(&run);
    cake_watch_send(channel, CAKE_RUN_MESSAGE_STATUS, 0, &status, sizeof status);
}

/* ---- looking for a GPU ---- */

#define PROBE_SECONDS 60

static void probe(void *context, int channel) {
    cake_cuda *cuda = NULL;
    (void)context;
    cake_status status = cake_cuda_open(&cuda);
    cake_watch_send(channel, CAKE_RUN_MESSAGE_STATUS, 0, &status, sizeof status);
}

static void *place_probe(void *context, const cake_message *message) {
    return message->size == sizeof(cake_status) ? context : NULL;
}

static void accept_probe(void *context, const cake_message *message, void *bytes) {
    (void)context;
    (void)message;
    (void)bytes;
}

static uint32_t limit_probe(void *context) {
    (void)context;
    return PROBE_SECONDS;
}

/* A driver that breaks or stays silent belongs to a GPU: the run will tell what it does. */
cake_status cake_run_probe_gpu(void) {
    cake_status answer = cake_status_ok();
    cake_watch watch = {probe, place_probe, accept_probe, limit_probe, &answer};
    cake_watch_result result;
    cake_status status = cake_watch_run(&watch, &result);
    return status.kind == CAKE_STATUS_OK ? answer : status;
}
