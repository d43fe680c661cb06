/* The runtime against the fake driver of tests/fake_cuda: what is launched with which values, and every refusal's
 * words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/libcake.h"
#include "runtime/timing.h"
#include "tests/unit/fake_driver.h"

/* ---- a kernel with one of everything ---- */

static const char manifest_text[] =
    "{\"version\": 1, \"tool\": \"cake 0.1.0\", \"target\": \"sm_90a\", \"source_hash\": \"\", "
    "\"proof\": {\"proved\": 0, \"refuted\": 0, \"unknown\": 0, \"unchecked\": 0, \"families\": [], \"allowed\": []}, "
    "\"kernels\": [{\"name\": \"copy\", \"dimensions\": [\"N\", \"M\"], \"statics\": {\"K\": 64}, "
    "\"tunables\": {\"B\": 128}, "
    "\"tensors\": [{\"name\": \"x\", \"dtype\": \"f32\", \"mode\": \"in\", \"shape\": [\"N\"], \"strides\": []}, "
    "{\"name\": \"y\", \"dtype\": \"f32\", \"mode\": \"out\", \"shape\": [\"N\"], \"strides\": []}, "
    "{\"name\": \"t\", \"dtype\": \"bf16\", \"mode\": \"in\", \"shape\": [\"M\", \"K\"], \"strides\": [\"s\", 1]}], "
    "\"scalars\": [{\"name\": \"eps\", \"dtype\": \"f32\"}, {\"name\": \"s\", \"dtype\": \"i64\"}], "
    "\"parameters\": [\"x\", \"y\", \"t\", \"eps\", \"s\"], "
    "\"tensor_maps\": [{\"tensor\": 2, \"dtype\": \"bf16\", \"extents\": [\"K\", \"M\"], "
    "\"strides\": [[\"mul\", \"s\", 2]], \"box\": [64, 128], \"swizzle\": 128, \"l2_promotion\": 256}], "
    "\"arguments\": [{\"pointer\": 0}, {\"pointer\": 1}, {\"dimension\": 0, \"bits\": 32}, {\"tensor_map\": 0}, "
    "{\"scalar\": 0}, {\"dimension\": 1, \"bits\": 64}], "
    "\"contract\": [{\"text\": \"N % 4 == 0\", \"condition\": [\"eq\", [\"mod\", \"N\", 4], 0]}, "
    "{\"text\": \"M < N\", \"condition\": [\"lt\", \"M\", \"N\"]}], "
    "\"trust\": [], \"threads\": 256, \"cluster\": 2, \"shared_bytes\": 100000, \"ctas_per_sm\": 1, "
    "\"grid\": [\"mul\", 2, [\"cdiv\", \"N\", \"B\"]]}]}";

static char *ptx_text(void) {
    static char text[8192];
    snprintf(text, sizeof text, ".version 8.0\n.target sm_90a\n// cake-manifest-begin 1\n// %s\n// cake-manifest-end\n",
             manifest_text);
    return text;
}

static cake_image *load(void) {
    cake_image *image = NULL;
    assert_ok(cake_image_load_ptx(device, ptx_text(), strlen(ptx_text()), &image));
    return image;
}

/* A request that is right; tests change one part of it. */
typedef struct launch_sample {
    cake_binding dimensions[3];
    cake_tensor_argument tensors[4];
    cake_scalar_argument scalars[3];
    cake_call_request request;
    float eps;
    int64_t stride;
} launch_sample;

static void make_sample(launch_sample *sample) {
    *sample = (struct launch_sample){
        .dimensions = {{"N", 1000}, {"M", 100}, {"K", 64}},
        .scalars = {{"eps", &sample->eps}, {"s", &sample->stride}},
        .eps = 1e-5f,
        .stride = 72,
    };
    const char *names[] = {"x", "y", "t"};
    for (int i = 0; i < 3; i++) {
        cake_address address;
        assert_ok(cake_device_alloc(device, 16384, &address));
        sample->tensors[i] = (cake_tensor_argument){names[i], address, 16384};
    }
    sample->request = (cake_call_request){.kernel = NULL,
                                          .dimensions = sample->dimensions,
                                          .dimension_count = 2,
                                          .tensors = sample->tensors,
                                          .tensor_count = 3,
                                          .scalars = sample->scalars,
                                          .scalar_count = 2};
}

static void free_sample(launch_sample *sample) {
    for (int i = 0; i < 3; i++)
        cake_device_free(device, sample->tensors[i].address & ~(cake_address)255);
}

static void test_launch(void **state) {
    (void)state;
    cake_image *image = load();
    launch_sample sample;
    make_sample(&sample);
    float x[1000], y[1000] = {0};
    for (int i = 0; i < 1000; i++)
        x[i] = (float)i;
    assert_ok(cake_device_upload(device, sample.tensors[0].address, x, sizeof x));

    cake_call *call = NULL;
    assert_ok(cake_call_prepare(image, &sample.request, &call));
    assert_int_equal(cake_call_grid(call), 16);
    assert_string_equal(take_log(), "map dtype 9 swizzle 3 l2 3: 64/64 100/128 stride 144\n");
    assert_ok(cake_call_launch(call, NULL));
    assert_ok(cake_call_launch(call, NULL));
    assert_string_equal(take_log(), "copy<<<16, 256, 100000>>> cluster 2\ncopy<<<16, 256, 100000>>> cluster 2\n");
    assert_ok(cake_stream_wait(device, NULL));
    assert_ok(cake_device_download(device, y, sample.tensors[1].address, sizeof y));
    assert_memory_equal(x, y, sizeof x);

    cake_call_destroy(call);
    free_sample(&sample);
    cake_image_unload(image);
}

static void test_static_dimension_may_be_given(void **state) {
    (void)state;
    cake_image *image = load();
    launch_sample sample;
    make_sample(&sample);
    sample.request.dimension_count = 3;
    cake_call *call = NULL;
    assert_ok(cake_call_prepare(image, &sample.request, &call));
    cake_call_destroy(call);
    free_sample(&sample);
    cake_image_unload(image);
}

/* ---- refusals ---- */

static void no_value(launch_sample *sample) {
    sample->request.dimension_count = 1;
}
static void unknown_dimension(launch_sample *sample) {
    sample->dimensions[1].name = "Q";
}
static void other_static(launch_sample *sample) {
    sample->request.dimension_count = 3;
    sample->dimensions[2].value = 65;
}
static void contract(launch_sample *sample) {
    sample->dimensions[0].value = 1001;
}
static void contract_of_two(launch_sample *sample) {
    sample->dimensions[1].value = 1000;
}
static void unknown_kernel(launch_sample *sample) {
    sample->request.kernel = "gemm";
}
static void no_memory(launch_sample *sample) {
    sample->request.tensor_count = 2;
}
static void unknown_tensor(launch_sample *sample) {
    sample->tensors[3] = (cake_tensor_argument){"z", 256, 0};
    sample->request.tensor_count = 4;
}
static void misaligned(launch_sample *sample) {
    sample->tensors[1].address += 8;
}
static void too_small(launch_sample *sample) {
    sample->tensors[1].bytes = 3999;
}
static void null_address(launch_sample *sample) {
    cake_device_free(device, sample->tensors[1].address);
    sample->tensors[1].address = 0;
}
static void overlap(launch_sample *sample) {
    cake_device_free(device, sample->tensors[1].address);
    sample->tensors[1].address = sample->tensors[0].address + 16;
    sample->tensors[1].bytes = 0;
}
static void no_scalar(launch_sample *sample) {
    sample->request.scalar_count = 1;
}
static void unknown_scalar(launch_sample *sample) {
    sample->scalars[0].name = "epsilon";
}
static void odd_stride(launch_sample *sample) {
    sample->stride = 68;
}
static void negative_stride(launch_sample *sample) {
    sample->stride = -72;
}
static void large_tensor(launch_sample *sample) {
    sample->stride = INT64_MAX / 2;
}
static void short_stride(launch_sample *sample) {
    sample->stride = 8; /* rows overlap: the map still ends within the tensor */
}
static void empty_map(launch_sample *sample) {
    sample->dimensions[1].value = 0;
}
static void large_dimension(launch_sample *sample) {
    sample->dimensions[0].value = (int64_t)1 << 32;
    for (int i = 0; i < 3; i++)
        sample->tensors[i].bytes = 0;
}

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        void (*change)(launch_sample *);
        const char *message; /* null: none */
    } rows[] = {
        {no_value, "dimension 'M' of kernel 'copy' has no value"},
        {unknown_dimension, "kernel 'copy' has no dimension 'Q'"},
        {other_static, "was compiled for K = 64 and cannot be launched with 65"},
        {contract, "the contract of kernel 'copy' says 'N % 4 == 0', which does not hold for N=1001"},
        {contract_of_two, "says 'M < N', which does not hold for M=1000, N=1000"},
        {unknown_kernel, "there is no kernel 'gemm'"},
        {no_memory, "tensor 't' of kernel 'copy' was given no memory"},
        {unknown_tensor, "kernel 'copy' has no tensor 'z'"},
        {misaligned, "which is not aligned to 16 bytes"},
        {too_small, "tensor 'y' of kernel 'copy' has 3999 bytes of memory and needs 4000"},
        {null_address, "tensor 'y' of kernel 'copy' has a null address"},
        {overlap, "tensors 'x' and 'y' of kernel 'copy' overlap in memory"},
        {no_scalar, "scalar parameter 's' of kernel 'copy' has no value"},
        {unknown_scalar, "has no scalar parameter 'epsilon'"},
        {odd_stride, "is 136, which is no multiple of 16 as the copy engine needs"},
        {negative_stride, "a stride of tensor 't' of kernel 'copy' is -72"},
        {large_tensor, "tensor 't' of kernel 'copy' is larger than any memory"},
        {short_stride, NULL},
        {empty_map, "an extent of the tensor map of 't' of kernel 'copy' is 0"},
        {large_dimension, "tensors 'x' and 'y' of kernel 'copy' overlap"},
    };
    cake_image *image = load();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        launch_sample sample;
        make_sample(&sample);
        rows[i].change(&sample);
        cake_call *call = NULL;
        cake_status status = cake_call_prepare(image, &sample.request, &call);
        const char *wanted = rows[i].message ? rows[i].message : "";
        if (!strstr(status.message, wanted)) fail_msg("row %zu: '%s' lacks '%s'", i, status.message, wanted);
        assert_int_equal(status.kind, rows[i].message ? CAKE_STATUS_INVALID : CAKE_STATUS_OK);
        cake_call_destroy(call);
        if (rows[i].change == overlap) sample.tensors[1].address = 0;
        free_sample(&sample);
    }
    cake_image_unload(image);
}

/* N == 0 gives a grid of 0; tensors are empty, nothing is encoded or launched. */
static void test_empty_grid(void **state) {
    (void)state;
    char *text = ptx_text();
    memcpy(strstr(text, "\"lt\""), "\"le\"", 4); /* M <= N: both may be 0 */
    cake_image *image = NULL;
    assert_ok(cake_image_load_ptx(device, text, strlen(text), &image));
    launch_sample sample;
    make_sample(&sample);
    sample.dimensions[0].value = sample.dimensions[1].value = 0;
    cake_call *call = NULL;
    assert_ok(cake_call_prepare(image, &sample.request, &call));
    assert_ok(cake_call_launch(call, NULL));
    assert_string_equal(take_log(), "");
    cake_call_destroy(call);
    free_sample(&sample);
    cake_image_unload(image);
}

/* ---- the driver's errors ---- */

static void test_driver_errors_on_open(void **state) {
    (void)state;
    static const struct {
        const char *fail;
        cake_status_kind kind;
        const char *message;
    } rows[] = {
        {"cuInit:100", CAKE_STATUS_UNAVAILABLE,
         "cuInit answered CUDA_ERROR_NO_DEVICE (100: described by the fake); there "},
        {"cuInit:803", CAKE_STATUS_UNAVAILABLE, "restart the machine"},
        {"cuInit:34", CAKE_STATUS_UNAVAILABLE, "LD_LIBRARY_PATH"},
        {"cuInit:999", CAKE_STATUS_FAILED, "cuInit answered unknown error (999: no description)"},
        {"cuDeviceGetCount:3", CAKE_STATUS_FAILED, "cuDeviceGetCount answered"},
        {"cuDeviceGetAttribute:1", CAKE_STATUS_FAILED, "cuDeviceGetAttribute answered"},
        {"cuDevicePrimaryCtxRetain:2", CAKE_STATUS_NO_MEMORY, "the GPU's memory is full"},
        {"cuDevicePrimaryCtxRetain:46", CAKE_STATUS_UNAVAILABLE, "another process holds the GPU"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        setenv("FAKE_CUDA_FAIL", rows[i].fail, 1);
        cake_cuda *other = NULL;
        cake_device *other_device = NULL;
        cake_status status = cake_cuda_open(&other);
        if (status.kind == CAKE_STATUS_OK) status = cake_device_open(other, 0, &other_device);
        if (status.kind != rows[i].kind || !strstr(status.message, rows[i].message))
            fail_msg("%s: '%s' lacks '%s'", rows[i].fail, status.message, rows[i].message);
        cake_device_close(other_device);
        cake_cuda_close(other);
    }
}

static void test_old_driver(void **state) {
    (void)state;
    setenv("FAKE_CUDA_VERSION", "11080", 1);
    cake_cuda *other = NULL;
    cake_status status = cake_cuda_open(&other);
    unsetenv("FAKE_CUDA_VERSION");
    assert_int_equal(status.kind, CAKE_STATUS_UNAVAILABLE);
    assert_non_null(strstr(status.message, "made for CUDA 11.8: install one for CUDA 12.0 or newer"));
}

static void test_no_such_device(void **state) {
    (void)state;
    cake_device *other = NULL;
    cake_status status = cake_device_open(cuda, 3, &other);
    assert_int_equal(status.kind, CAKE_STATUS_UNAVAILABLE);
    assert_non_null(strstr(status.message, "there is no device cuda:3: the driver lists 1"));
}

static void test_image_errors(void **state) {
    (void)state;
    static const struct {
        const char *fail;
        cake_status_kind kind;
        const char *message;
    } rows[] = {
        {"cuModuleLoadDataEx:218", CAKE_STATUS_FAILED,
         "ptxas fake, line 7; fatal : Parsing error near 'x' ptxas fatal"},
        {"cuModuleLoadDataEx:222", CAKE_STATUS_UNAVAILABLE, "the driver is too old for this PTX"},
        {"cuModuleGetFunction:500", CAKE_STATUS_FAILED, "code and manifest do not belong together"},
        {"cuFuncSetAttribute:1", CAKE_STATUS_FAILED, "cuFuncSetAttribute(dynamic shared memory) answered"},
        {"cuCtxPushCurrent_v2:2", CAKE_STATUS_NO_MEMORY, "cuCtxPushCurrent answered"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        setenv("FAKE_CUDA_FAIL", rows[i].fail, 1);
        cake_image *image = NULL;
        cake_status status = cake_image_load_ptx(device, ptx_text(), strlen(ptx_text()), &image);
        if (status.kind != rows[i].kind || !strstr(status.message, rows[i].message))
            fail_msg("%s: '%s' lacks '%s'", rows[i].fail, status.message, rows[i].message);
        assert_null(image);
        unsetenv("FAKE_CUDA_FAIL");
    }
}

static void test_other_architecture(void **state) {
    (void)state;
    setenv("FAKE_CUDA_ARCH", "100", 1);
    cake_device *other = NULL;
    assert_ok(cake_device_open(cuda, 0, &other));
    unsetenv("FAKE_CUDA_ARCH");
    cake_image *image = NULL;
    cake_status status = cake_image_load_ptx(other, ptx_text(), strlen(ptx_text()), &image);
    assert_int_equal(status.kind, CAKE_STATUS_UNAVAILABLE);
    assert_non_null(strstr(status.message, "the code is for sm_90a and device cuda:0 (Fake GPU 0) is sm_100"));
    cake_device_close(other);
}

static void test_cubin(void **state) {
    (void)state;
    char elf[64] = {0x7f, 'E', 'L', 'F', 2}; /* a header without sections */
    elf[0x3a] = 64;                          /* the size that a section's header would have */
    cake_image *image = NULL;
    cake_status status = cake_image_load_cubin(device, "none", 4, manifest_text, strlen(manifest_text), &image);
    assert_int_equal(status.kind, CAKE_STATUS_INVALID);
    status = cake_image_load_cubin(device, elf, sizeof elf, "{}", 2, &image);
    assert_int_equal(status.kind, CAKE_STATUS_INVALID);
    elf[0x3c] = 2;
    status = cake_image_load_cubin(device, elf, sizeof elf, manifest_text, strlen(manifest_text), &image);
    assert_string_equal(status.message, "the code is no cubin, or not all of one");
    elf[0x3c] = 0;
    assert_ok(cake_image_load_cubin(device, elf, sizeof elf, manifest_text, strlen(manifest_text), &image));
    assert_string_equal(cake_image_manifest(image)->kernels.items[0].interface.name, "copy");
    cake_image_unload(image);
}

/* ---- timing ---- */

static void count_answer(void *context) {
    ++*(int *)context;
}

static void test_timing(void **state) {
    (void)state;
    cake_image *image = load();
    launch_sample sample;
    make_sample(&sample);
    cake_call *call = NULL;
    assert_ok(cake_call_prepare(image, &sample.request, &call));
    cake_timing_restore restore = {sample.tensors[0].address, sample.tensors[2].address, 64};
    for (int mode = 0; mode < 3; mode++) {
        int answers = 0;
        cake_timing_set sets[2] = {{.call = call}, {.call = call}};
        sets[1].restores = &restore;
        sets[1].restore_count = mode == 2;
        cake_timing_request request = {.sets = sets,
                                       .set_count = 2,
                                       .reps = 5,
                                       .cold = mode == 1,
                                       .alive = count_answer,
                                       .alive_context = &answers};
        double times[5] = {0};
        take_log();
        assert_ok(cake_timing_measure(device, &request, times));
        for (int i = 0; i < 5; i++)
            assert_true(times[i] > 9.9 && times[i] < 10.1);
        assert_int_equal(strstr(take_log(), "graph of 202") != NULL, mode == 0);
        assert_true(answers >= 5);
    }
    cake_call_destroy(call);
    free_sample(&sample);
    cake_image_unload(image);
}

static void test_timing_errors_leave_nothing(void **state) {
    (void)state;
    cake_image *image = load();
    launch_sample sample;
    make_sample(&sample);
    cake_call *call = NULL;
    assert_ok(cake_call_prepare(image, &sample.request, &call));
    int before = live();
    static const char *const calls[] = {"cuStreamCreate",   "cuEventCreate",           "cuEventRecord",
                                        "cuLaunchKernelEx", "cuStreamBeginCapture_v2", "cuGraphInstantiateWithFlags",
                                        "cuGraphLaunch",    "cuEventElapsedTime",      "cuStreamSynchronize"};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        char fail[64];
        snprintf(fail, sizeof fail, "%s:1", calls[i]);
        setenv("FAKE_CUDA_FAIL", fail, 1);
        cake_timing_set set = {.call = call};
        double time;
        cake_status status = cake_timing_measure(device, &(cake_timing_request){&set, 1, 1, false, NULL, NULL}, &time);
        unsetenv("FAKE_CUDA_FAIL");
        assert_int_equal(status.kind, CAKE_STATUS_FAILED);
        assert_int_equal(live(), before);
    }
    cake_call_destroy(call);
    free_sample(&sample);
    cake_image_unload(image);
}

static void test_summary(void **state) {
    (void)state;
    double times[] = {5, 1, 3, 2, 4, 6, 7, 8, 9, 10, 11};
    cake_timing_summary summary = cake_timing_summarise(times, 11);
    assert_true(summary.median == 6 && summary.p10 == 2 && summary.p90 == 10);
    double one = 3;
    summary = cake_timing_summarise(&one, 1);
    assert_true(summary.median == 3 && summary.p10 == 3 && summary.p90 == 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_launch),
        TEST(test_static_dimension_may_be_given),
        TEST(test_refusals),
        TEST(test_empty_grid),
        TEST(test_driver_errors_on_open),
        TEST(test_old_driver),
        TEST(test_no_such_device),
        TEST(test_image_errors),
        TEST(test_other_architecture),
        TEST(test_cubin),
        TEST(test_timing),
        TEST(test_timing_errors_leave_nothing),
        TEST(test_summary),
    };
    return cmocka_run_group_tests(tests, open_fake, close_fake);
}
