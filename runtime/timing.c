#include "runtime/timing.h"

#include <stdlib.h>

#include "runtime/cuda.h"

/* A graph lasts at least about this long, many times what starting it costs, and at most about that long. */
#define GRAPH_MICROSECONDS         2000.0
#define LONGEST_GRAPH_MICROSECONDS 50000.0
#define GRAPH_LAUNCHES             1024u

/* Launches before the first time is taken: clocks rise, code and tables arrive in caches. */
#define WARM_UP_MICROSECONDS 20000.0
#define WARM_UP_LAUNCHES     200u

/* Written to flush L2: the larger of this many times its size and a floor. */
#define FLUSH_FACTOR 4
#define FLUSH_BYTES  ((uint64_t)128 << 20)

/* What a measurement holds on the device; zero members were not made. */
typedef struct measurement {
    const cake_device *device;
    const cake_cuda *cuda;
    const cake_timing_request *request;
    cake_stream stream;
    void *before, *after; /* events */
    cake_cuda_graph_exec graph;
    uint32_t graph_launches;
    cake_address flush;
    uint64_t flush_bytes;
} measurement;

#define RETURN_UNLESS_OK(expression)                                                                                   \
    do {                                                                                                               \
        cake_status status_ = (expression);                                                                            \
        if (status_.kind != CAKE_STATUS_OK) return status_;                                                            \
    } while (0)

static cake_status record(const measurement *bench, void *event) {
    return cake_cuda_check(bench->cuda, bench->cuda->event_record(event, bench->stream), "cuEventRecord");
}

/* Waits for the stream and reads the time between the two events. */
static cake_status read_clock(const measurement *bench, double *out_microseconds) {
    float milliseconds = 0;
    RETURN_UNLESS_OK(cake_stream_wait(bench->device, bench->stream));
    int result = bench->cuda->event_elapsed(&milliseconds, bench->before, bench->after);
    RETURN_UNLESS_OK(cake_cuda_check(bench->cuda, result, "cuEventElapsedTime"));
    *out_microseconds = (double)milliseconds * 1e3;
    if (bench->request->alive) bench->request->alive(bench->request->alive_context);
    return cake_status_ok();
}

/* ---- one launch at a time ---- */

static cake_status measure_launch(const measurement *bench, uint32_t set_index, double *out_microseconds) {
    const cake_timing_set *set = &bench->request->sets[set_index % bench->request->set_count];
    for (uint32_t i = 0; i < set->restore_count; i++) {
        const cake_timing_restore *restore = &set->restores[i];
        RETURN_UNLESS_OK(cake_device_copy(bench->device, restore->to, restore->from, restore->bytes, bench->stream));
    }
    if (bench->request->cold)
        RETURN_UNLESS_OK(cake_device_fill(bench->device, bench->flush, 0, bench->flush_bytes, bench->stream));
    RETURN_UNLESS_OK(record(bench, bench->before));
    RETURN_UNLESS_OK(cake_call_launch(set->call, bench->stream));
    RETURN_UNLESS_OK(record(bench, bench->after));
    return read_clock(bench, out_microseconds);
}

/* Launches until clocks and caches have settled; gives the last time. */
static cake_status warm_up(const measurement *bench, double *out_microseconds) {
    double total = 0;
    for (uint32_t i = 0; i < WARM_UP_LAUNCHES && (i < bench->request->set_count || total < WARM_UP_MICROSECONDS); i++) {
        RETURN_UNLESS_OK(measure_launch(bench, i, out_microseconds));
        total += *out_microseconds;
    }
    return cake_status_ok();
}

/* ---- graphs ---- */

static cake_status capture_launches(const measurement *bench) {
    for (uint32_t i = 0; i < bench->graph_launches; i++)
        RETURN_UNLESS_OK(cake_call_launch(bench->request->sets[i % bench->request->set_count].call, bench->stream));
    return cake_status_ok();
}

/* Rounds over all sets, as many as make the graph long enough; of long kernels fewer sets than there are. */
static uint32_t choose_launches(const measurement *bench, double launch_microseconds) {
    double one = launch_microseconds > 0.5 ? launch_microseconds : 0.5;
    uint32_t sets = bench->request->set_count;
    uint32_t rounds = (uint32_t)(GRAPH_MICROSECONDS / (one * sets)) + 1;
    uint32_t launches = rounds * sets, longest = (uint32_t)(LONGEST_GRAPH_MICROSECONDS / one) + 2;
    if (launches > GRAPH_LAUNCHES) launches = GRAPH_LAUNCHES;
    return launches < longest ? launches : longest;
}

static cake_status build_graph(measurement *bench, double launch_microseconds) {
    const cake_cuda *cuda = bench->cuda;
    bench->graph_launches = choose_launches(bench, launch_microseconds);
    cake_cuda_graph graph = NULL;
    int result = cuda->capture_begin(bench->stream, CAKE_CUDA_CAPTURE_THREAD_LOCAL);
    RETURN_UNLESS_OK(cake_cuda_check(cuda, result, "cuStreamBeginCapture"));
    cake_status launched = capture_launches(bench);
    cake_status status = cake_cuda_check(cuda, cuda->capture_end(bench->stream, &graph), "cuStreamEndCapture");
    if (launched.kind != CAKE_STATUS_OK) status = launched;
    if (status.kind == CAKE_STATUS_OK)
        status = cake_cuda_check(cuda, cuda->graph_instantiate(&bench->graph, graph, 0), "cuGraphInstantiate");
    if (graph) cuda->graph_destroy(graph);
    return status;
}

static cake_status measure_graph(const measurement *bench, double *out_microseconds) {
    RETURN_UNLESS_OK(record(bench, bench->before));
    int result = bench->cuda->graph_launch(bench->graph, bench->stream);
    RETURN_UNLESS_OK(cake_cuda_check(bench->cuda, result, "cuGraphLaunch"));
    RETURN_UNLESS_OK(record(bench, bench->after));
    RETURN_UNLESS_OK(read_clock(bench, out_microseconds));
    *out_microseconds /= bench->graph_launches;
    return cake_status_ok();
}

/* ---- the whole ---- */

static cake_status prepare(measurement *bench) {
    const cake_cuda *cuda = bench->cuda;
    RETURN_UNLESS_OK(cake_stream_create(bench->device, &bench->stream));
    RETURN_UNLESS_OK(cake_cuda_check(cuda, cuda->event_create(&bench->before, 0), "cuEventCreate"));
    RETURN_UNLESS_OK(cake_cuda_check(cuda, cuda->event_create(&bench->after, 0), "cuEventCreate"));
    if (!bench->request->cold) return cake_status_ok();
    bench->flush_bytes = bench->device->info.l2_bytes * FLUSH_FACTOR;
    if (bench->flush_bytes < FLUSH_BYTES) bench->flush_bytes = FLUSH_BYTES;
    return cake_device_alloc(bench->device, bench->flush_bytes, &bench->flush);
}

static bool measures_single_launches(const cake_timing_request *request) {
    bool restores = false;
    for (uint32_t i = 0; i < request->set_count; i++)
        restores = restores || request->sets[i].restore_count > 0;
    return request->cold || restores;
}

static cake_status measure(measurement *bench, double *out_microseconds) {
    bool single = measures_single_launches(bench->request);
    double launch_microseconds = 0, ignored;
    RETURN_UNLESS_OK(prepare(bench));
    RETURN_UNLESS_OK(warm_up(bench, &launch_microseconds));
    if (!single) {
        RETURN_UNLESS_OK(build_graph(bench, launch_microseconds));
        RETURN_UNLESS_OK(measure_graph(bench, &ignored)); /* the first launch of a graph uploads it */
    }
    for (uint32_t i = 0; i < bench->request->reps; i++)
        RETURN_UNLESS_OK(single ? measure_launch(bench, i, &out_microseconds[i])
                                : measure_graph(bench, &out_microseconds[i]));
    return cake_status_ok();
}

static void finish(measurement *bench) {
    if (bench->graph) bench->cuda->graph_exec_destroy(bench->graph);
    if (bench->before) bench->cuda->event_destroy(bench->before);
    if (bench->after) bench->cuda->event_destroy(bench->after);
    cake_device_free(bench->device, bench->flush);
    cake_stream_destroy(bench->device, bench->stream);
}

cake_status cake_timing_measure(const cake_device *device, const cake_timing_request *request,
                                double *out_microseconds) {
    measurement bench = {.device = device, .cuda = device->cuda, .request = request};
    RETURN_UNLESS_OK(cake_device_enter(device));
    cake_status status = measure(&bench, out_microseconds);
    finish(&bench);
    cake_device_leave(device);
    return status;
}

/* ---- summary ---- */

static int compare_times(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* The value below which the fraction lies, between neighbours by their distance. */
static double quantile(const double *sorted, uint32_t count, double fraction) {
    double at = fraction * (count - 1);
    uint32_t below = (uint32_t)at;
    uint32_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (sorted[above] - sorted[below]) * (at - below);
}

cake_timing_summary cake_timing_summarise(double *times, uint32_t count) {
    qsort(times, count, sizeof *times, compare_times);
    return (cake_timing_summary){quantile(times, count, 0.5), quantile(times, count, 0.1), quantile(times, count, 0.9)};
}
