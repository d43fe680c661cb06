/* Programs on the fake driver: steps in order, temporaries, fills of every width, overlap, and refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "runtime/timing.h"
#include "tests/unit/fake_driver.h"

/* Kernel 'copy' takes N floats from x to y. Program 'relay' copies a to b through t; 'fills' fills outputs of every
 * width; 'empty' has launches that may have no CTAs. */
#define KERNEL                                                                                                         \
    "{\"name\": \"copy\", \"dimensions\": [\"N\"], \"statics\": {}, \"tunables\": {}, "                                \
    "\"tensors\": [{\"name\": \"x\", \"dtype\": \"f32\", \"mode\": \"in\", \"shape\": [\"N\"], \"strides\": []}, "     \
    "{\"name\": \"y\", \"dtype\": \"f32\", \"mode\": \"out\", \"shape\": [\"N\"], \"strides\": []}], "                 \
    "\"scalars\": [{\"name\": \"s\", \"dtype\": \"i16\"}, {\"name\": \"e\", \"dtype\": \"f32\"}], "                    \
    "\"parameters\": [\"x\", \"y\", \"s\", \"e\"], "                                                                   \
    "\"contract\": [{\"text\": \"N <= 1000\", \"condition\": [\"le\", \"N\", 1000]}], \"trust\": [], "                 \
    "\"tensor_maps\": [], \"arguments\": [{\"pointer\": 0}, {\"pointer\": 1}, {\"dimension\": 0, \"bits\": 32}, "      \
    "{\"scalar\": 0}, {\"scalar\": 1}], "                                                                              \
    "\"threads\": 64, \"cluster\": 2, \"shared_bytes\": 0, \"ctas_per_sm\": 1, "                                       \
    "\"grid\": [\"mul\", 2, [\"cdiv\", \"N\", 128]]}"

#define LAUNCH(x, y, n, overlap)                                                                                       \
    "{\"kernel\": 0, \"tensors\": [" #x ", " #y "], \"dimensions\": [" n "], "                                         \
    "\"scalars\": [{\"expression\": [\"mul\", \"M\", 2]}, {\"scalar\": 0}], \"overlap\": " #overlap "}"

#define PROGRAM(name, dimensions, tensors, scalars, parameters, rest)                                                  \
    "{\"name\": \"" name "\", \"dimensions\": [" dimensions "], \"statics\": {\"K\": 3}, \"tunables\": {}, "           \
    "\"tensors\": [" tensors "], \"scalars\": [" scalars "], \"parameters\": [" parameters "], "                       \
    "\"contract\": [{\"text\": \"1 <= M\", \"condition\": [\"le\", 1, \"M\"]}], \"trust\": [], " rest "}"

#define TENSOR(name, dtype, mode, shape)                                                                               \
    "{\"name\": \"" name "\", \"dtype\": \"" dtype "\", \"mode\": \"" mode "\", \"shape\": [" shape                    \
    "], \"strides\": []}"

#define STRIDED_TENSOR(name, dtype, shape, strides)                                                                    \
    "{\"name\": \"" name "\", \"dtype\": \"" dtype "\", \"mode\": \"inout\", \"shape\": [" shape                       \
    "], \"strides\": [" strides "]}"

/* Values that are worked out at the launch, into rows with gaps, columns, and as floats. */
#define STRIDED                                                                                                        \
    PROGRAM("strided", "\"M\"",                                                                                        \
            STRIDED_TENSOR("a", "u8", "\"M\", 2", "4, 1") ", " STRIDED_TENSOR("b", "f32", "\"M\"", "2"),               \
            "{\"name\": \"e\", \"dtype\": \"f32\"}", "\"a\", \"b\", \"e\"",                                            \
            "\"required\": [], \"temporaries\": [], \"steps\": ["                                                      \
            "{\"fill\": 0, \"expression\": [\"add\", \"M\", 4]}, "                                                     \
            "{\"fill\": 1, \"expression\": [\"f32.mul\", \"e\", [\"f32\", \"M\"]]}]")

static const char strided_text[] =
    "{\"version\": 1, \"tool\": \"cake 0.1.0\", \"target\": \"sm_90a\", \"source_hash\": \"\", "
    "\"proof\": {\"proved\": 0, \"refuted\": 0, \"unknown\": 0, \"unchecked\": 0, \"families\": [], \"allowed\": []}, "
    "\"kernels\": [" KERNEL "], \"programs\": [" STRIDED "]}";

static const char
    manifest_text
        [] = "{\"version\": 1, \"tool\": \"cake 0.1.0\", \"target\": \"sm_90a\", \"source_hash\": \"\", "
             "\"proof\": {\"proved\": 0, \"refuted\": 0, \"unknown\": 0, \"unchecked\": 0, \"families\": [], "
             "\"allowed\": []}, "
             "\"kernels\": [" KERNEL "], \"programs\": [" PROGRAM(
                 "relay", "\"M\"",
                 TENSOR("a", "f32", "in", "[\"mul\", \"M\", \"K\"]") ", " TENSOR("b", "f32", "out",
                                                                                 "[\"mul\", \"M\", \"K\"]"),
                 "{\"name\": \"e\", \"dtype\": \"f32\"}", "\"a\", \"b\", \"e\"",
                 "\"required\": [{\"text\": \"copy: M * 3 <= 1000\", \"condition\": [\"le\", [\"mul\", \"M\", 3], "
                 "1000]}], "
                 "\"temporaries\": [{\"name\": \"t\", \"dtype\": \"f32\", \"shape\": [\"M\", \"K\"]}, "
                 "{\"name\": \"u\", \"dtype\": \"f32\", \"shape\": [[\"mul\", \"M\", \"K\"]]}], "
                 "\"steps\": [{\"fill\": 3, \"bits\": \"3f800000\"}, " LAUNCH(0, 3, "[\"mul\", \"M\", \"K\"]", false) ", " LAUNCH(
                     3, 1, "[\"mul\", \"M\", \"K\"]",
                     true) "]") ", " PROGRAM("fills", "\"M\"",
                                             TENSOR("a", "u8", "out", "\"M\"") ", " TENSOR("b", "bf16", "out", "\"M\"") ", " TENSOR(
                                                 "c", "f32", "out",
                                                 "\"M\"") ", " TENSOR("d", "i64", "out",
                                                                      "\"M\"") ", " TENSOR("e", "i64", "out",
                                                                                           "\"M\"") ", " TENSOR("f",
                                                                                                                "u4",
                                                                                                                "out",
                                                                                                                "\"M"
                                                                                                                "\""),
                                             "", "\"a\", \"b\", \"c\", \"d\", \"e\", \"f\"",
                                             "\"required\": [], \"temporaries\": [], \"steps\": [{\"fill\": 0, "
                                             "\"bits\": \"5\"}, "
                                             "{\"fill\": 1, \"bits\": \"3f80\"}, {\"fill\": 2, \"bits\": "
                                             "\"3f800000\"}, "
                                             "{\"fill\": 3, \"bits\": \"fffffffffffffffe\"}, {\"fill\": 4, \"bits\": "
                                             "\"700000007\"}, "
                                             "{\"fill\": 5, \"bits\": \"9\"}]") ", " PROGRAM("empty", "\"M\", \"L\"",
                                                                                             TENSOR("a", "f32", "in", "\"M\"") ", " TENSOR(
                                                                                                 "b", "f32", "in",
                                                                                                 "\"L\"") ", " TENSOR("c",
                                                                                                                      "f32",
                                                                                                                      "out",
                                                                                                                      "\"L\"") ", " TENSOR("d",
                                                                                                                                           "f32",
                                                                                                                                           "out",
                                                                                                                                           "\"M\""),
                                                                                             "{\"name\": \"e\", "
                                                                                             "\"dtype\": \"f32\"}",
                                                                                             "\"a\", \"b\", \"c\", "
                                                                                             "\"d\", \"e\"",
                                                                                             "\"required\": [], "
                                                                                             "\"temporaries\": "
                                                                                             "[{\"name\": \"t\", "
                                                                                             "\"dtype\": \"f32\", "
                                                                                             "\"shape\": [\"L\"]}], "
                                                                                             "\"steps\": [" LAUNCH(
                                                                                                 1, 2, "\"L\"",
                                                                                                 false) ", " LAUNCH(0,
                                                                                                                    3,
                                                                                                                    "\""
                                                                                                                    "M"
                                                                                                                    "\"",
                                                                                                                    true) "]") "]}";

typedef struct program_test {
    cake_image *image;
    cake_address memory[6]; /* 64 KiB each, all bytes 0xAA */
    float e;
} program_test;

#define BYTES 65536

static void open_manifest(program_test *test, const char *manifest) {
    static char text[16384];
    snprintf(text, sizeof text, ".target sm_90a\n// cake-manifest-begin 1\n// %s\n// cake-manifest-end\n", manifest);
    assert_ok(cake_image_load_ptx(device, text, strlen(text), &test->image));
    for (int i = 0; i < 6; i++) {
        assert_ok(cake_device_alloc(device, BYTES, &test->memory[i]));
        assert_ok(cake_device_fill(device, test->memory[i], 0xAA, BYTES, NULL));
    }
    test->e = 1;
    take_log();
}

static void open_test(program_test *test) {
    open_manifest(test, manifest_text);
}

static void close_test(program_test *test) {
    for (int i = 0; i < 6; i++)
        cake_device_free(device, test->memory[i]);
    cake_image_unload(test->image);
}

/* Tensors 'a', 'b', .. in order; scalar 'e' where the program has one. */
static cake_status prepare(program_test *test, const char *name, const cake_binding *dimensions, uint32_t count,
                           uint32_t tensor_count, bool scalar, cake_call **out_call) {
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    cake_tensor_argument tensors[6];
    for (uint32_t i = 0; i < tensor_count; i++)
        tensors[i] = (cake_tensor_argument){names[i], test->memory[i], BYTES};
    cake_scalar_argument scalars[] = {{"e", &test->e}};
    cake_call_request request = {name, dimensions, count, tensors, tensor_count, scalars, scalar};
    return cake_call_prepare(test->image, &request, out_call);
}

static void test_steps_in_order(void **state) {
    (void)state;
    program_test test;
    cake_call *call = NULL;
    float a[300], b[300];
    open_test(&test);
    for (int i = 0; i < 300; i++)
        a[i] = (float)i;
    assert_ok(cake_device_upload(device, test.memory[0], a, sizeof a));
    int before = live();
    assert_ok(prepare(&test, "relay", (cake_binding[]){{"M", 100}}, 1, 2, true, &call));
    assert_int_equal(live(), before + 1); /* both temporaries in one block */
    assert_int_equal(cake_call_grid(call), 12);
    assert_ok(cake_call_launch(call, NULL));
    assert_string_equal(take_log(), "copy<<<6, 64, 0>>> cluster 2\ncopy<<<6, 64, 0>>> cluster 2 overlap\n");
    assert_ok(cake_device_download(device, b, test.memory[1], sizeof b));
    assert_memory_equal(a, b, sizeof a);
    cake_call_destroy(call);
    assert_int_equal(live(), before);
    close_test(&test);
}

static void test_fills(void **state) {
    (void)state;
    program_test test;
    cake_call *call = NULL;
    open_test(&test);
    assert_ok(prepare(&test, "fills", (cake_binding[]){{"M", 3}}, 1, 6, false, &call));
    assert_ok(cake_call_launch(call, NULL));
    static const unsigned char wanted[6][25] = {
        {5, 5, 5, 0xAA},
        {0x80, 0x3f, 0x80, 0x3f, 0x80, 0x3f, 0xAA},
        {0, 0, 0x80, 0x3f, 0, 0, 0x80, 0x3f, 0, 0, 0x80, 0x3f, 0xAA},
        {0xfe, 255, 255, 255,  255, 255, 255, 255, 0xfe, 255, 255, 255, 255,
         255,  255, 255, 0xfe, 255, 255, 255, 255, 255,  255, 255, 0xAA},
        {7, 0, 0, 0, 7, 0, 0, 0, 7, 0, 0, 0, 7, 0, 0, 0, 7, 0, 0, 0, 7, 0, 0, 0, 0xAA},
        {0x99, 0x99, 0xAA},
    };
    static const size_t sizes[6] = {4, 7, 13, 25, 25, 3};
    for (int i = 0; i < 6; i++) {
        unsigned char got[25];
        assert_ok(cake_device_download(device, got, test.memory[i], sizeof got));
        assert_memory_equal(got, wanted[i], sizes[i]);
    }
    cake_call_destroy(call);
    close_test(&test);
}

static void test_strided_fills(void **state) {
    (void)state;
    program_test test;
    cake_call *call = NULL;
    unsigned char bytes[11];
    float numbers[5], gap;
    open_manifest(&test, strided_text);
    memset(&gap, 0xAA, sizeof gap);
    assert_ok(prepare(&test, "strided", (cake_binding[]){{"M", 3}}, 1, 2, true, &call));
    assert_ok(cake_call_launch(call, NULL));
    assert_ok(cake_device_download(device, bytes, test.memory[0], sizeof bytes));
    assert_memory_equal(bytes, "\x07\x07\xAA\xAA\x07\x07\xAA\xAA\x07\x07\xAA", sizeof bytes);
    assert_ok(cake_device_download(device, numbers, test.memory[1], sizeof numbers));
    for (int i = 0; i < 5; i++)
        assert_memory_equal(&numbers[i], i % 2 ? &gap : &(float){test.e * 3}, sizeof gap);
    cake_call_destroy(call);
    call = NULL;
    assert_int_equal(prepare(&test, "strided", (cake_binding[]){{"M", 252}}, 1, 2, true, &call).kind,
                     CAKE_STATUS_INVALID); /* 256 is no u8 */
    assert_null(call);
    close_test(&test);
}

/* What overlaps with a launch that does not happen would overlap with what the stream held before the program. */
static void test_no_overlap_with_an_empty_launch(void **state) {
    (void)state;
    program_test test;
    cake_call *call = NULL;
    open_test(&test);
    assert_ok(prepare(&test, "empty", (cake_binding[]){{"M", 4}, {"L", 0}}, 2, 4, true, &call));
    assert_ok(cake_call_launch(call, NULL));
    assert_string_equal(take_log(), "copy<<<2, 64, 0>>> cluster 2\n");
    cake_call_destroy(call);
    assert_ok(prepare(&test, "empty", (cake_binding[]){{"M", 4}, {"L", 4}}, 2, 4, true, &call));
    assert_ok(cake_call_launch(call, NULL));
    assert_string_equal(take_log(), "copy<<<2, 64, 0>>> cluster 2\ncopy<<<2, 64, 0>>> cluster 2 overlap\n");
    cake_call_destroy(call);
    close_test(&test);
}

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int64_t m;
        const char *message;
    } rows[] = {
        {"relay", 0, "the contract of program 'relay' says '1 <= M', which does not hold for M=0"},
        {"relay", 334, "a kernel of program 'relay' says 'copy: M * 3 <= 1000', which does not hold for M=334"},
        {"nothing", 1, "there is no kernel 'nothing' in this code"},
        {NULL, 1, "this code has 3 programs and 1 kernels: say which one"},
        {"empty", 4, "dimension 'L' of program 'empty' has no value"},
    };
    program_test test;
    open_test(&test);
    int before = live();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cake_call *call = NULL;
        cake_status status = prepare(&test, rows[i].name, (cake_binding[]){{"M", rows[i].m}}, 1, 2, true, &call);
        assert_int_equal(status.kind, CAKE_STATUS_INVALID);
        assert_string_equal(status.message, rows[i].message);
    }
    cake_call *call = NULL;
    cake_status status = prepare(&test, "empty", (cake_binding[]){{"M", 16384}, {"L", 0}}, 2, 4, true, &call);
    assert_non_null(strstr(status.message, "the scalar parameter 's' gets in a step"));
    setenv("FAKE_CUDA_FAIL", "cuMemAlloc_v2:2", 1);
    status = prepare(&test, "relay", (cake_binding[]){{"M", 3}}, 1, 2, true, &call);
    assert_int_equal(status.kind, CAKE_STATUS_NO_MEMORY);
    unsetenv("FAKE_CUDA_FAIL");
    assert_int_equal(live(), before);
    close_test(&test);
}

/* A program is timed as a whole, in a graph. */
static void test_timing(void **state) {
    (void)state;
    program_test test;
    cake_call *call = NULL;
    open_test(&test);
    assert_ok(prepare(&test, "empty", (cake_binding[]){{"M", 4}, {"L", 4}}, 2, 4, true, &call));
    cake_timing_set set = {.call = call};
    cake_timing_request request = {.sets = &set, .set_count = 1, .reps = 3};
    double times[3];
    assert_ok(cake_timing_measure(device, &request, times));
    for (int i = 0; i < 3; i++)
        assert_true(times[i] > 19.9 && times[i] < 20.1);
    cake_call_destroy(call);
    close_test(&test);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_steps_in_order), TEST(test_fills),
        TEST(test_strided_fills),  TEST(test_no_overlap_with_an_empty_launch),
        TEST(test_refusals),       TEST(test_timing),
    };
    return cmocka_run_group_tests(tests, open_fake, close_fake);
}
