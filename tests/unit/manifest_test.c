/* Manifests: what is written reads back the same, and every damage is refused with the member's name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <jansson.h>

#include "manifest/manifest.h"

/* The smallest manifest with one of everything; the damages below are edits of it. */
static const char sample[] =
    "{\n"
    "\"version\": 1,\n"
    "\"tool\": \"cake 0.1.0\",\n"
    "\"target\": \"sm_90a\",\n"
    "\"source_hash\": \"\",\n"
    "\"proof\": {\"proved\": 3, \"refuted\": 0, \"unknown\": 1, \"unchecked\": 2, \"families\": [\"races\"], "
    "\"allowed\": [\"V301\"]},\n"
    "\"kernels\": [{\"name\": \"gemm\", \"dimensions\": [\"M\", \"N\"], \"statics\": {\"K\": 64}, "
    "\"tunables\": {\"BM\": 128}, "
    "\"tensors\": [{\"name\": \"a\", \"dtype\": \"bf16\", \"mode\": \"in\", \"shape\": [\"M\", 64], \"strides\": []}, "
    "{\"name\": \"c\", \"dtype\": \"f32\", \"mode\": \"out\", \"shape\": [\"M\", \"N\"], \"strides\": [\"N\", 1]}], "
    "\"scalars\": [{\"name\": \"eps\", \"dtype\": \"f32\"}, {\"name\": \"n\", \"dtype\": \"i64\"}], "
    "\"parameters\": [\"a\", \"c\", \"eps\", \"n\"], "
    "\"contract\": [{\"text\": \"N % 8 == 0\", \"condition\": [\"eq\", [\"mod\", \"N\", 8], 0]}], "
    "\"trust\": [\"eps > 0\"], "
    "\"tensor_maps\": [{\"tensor\": 0, \"dtype\": \"bf16\", \"extents\": [64, \"M\"], \"strides\": [128], "
    "\"box\": [64, 128], \"swizzle\": 128, \"l2_promotion\": 256}], "
    "\"arguments\": [{\"tensor_map\": 0}, {\"pointer\": 1}, {\"dimension\": 0, \"bits\": 32}, {\"scalar\": 0}], "
    "\"threads\": 384, \"cluster\": 2, \"shared_bytes\": 200000, \"ctas_per_sm\": 1, "
    "\"grid\": [\"min\", \"sm_count\", [\"cdiv\", \"M\", 128]]}],\n"
    "\"programs\": [{\"name\": \"twice\", \"dimensions\": [\"P\", \"Q\"], \"statics\": {}, \"tunables\": {}, "
    "\"tensors\": [{\"name\": \"x\", \"dtype\": \"bf16\", \"mode\": \"in\", \"shape\": [\"P\", 64], \"strides\": []}, "
    "{\"name\": \"z\", \"dtype\": \"f32\", \"mode\": \"out\", \"shape\": [\"P\", \"Q\"], \"strides\": []}, "
    "{\"name\": \"h\", \"dtype\": \"f32\", \"mode\": \"inout\", \"shape\": [\"Q\"], \"strides\": [2]}], "
    "\"scalars\": [{\"name\": \"e\", \"dtype\": \"f32\"}, {\"name\": \"k\", \"dtype\": \"i32\"}], "
    "\"parameters\": [\"x\", \"z\", \"h\", \"e\", \"k\"], \"contract\": [], \"trust\": [\"e > 0\"], "
    "\"required\": [{\"text\": \"gemm: Q % 8 == 0\", \"condition\": [\"eq\", [\"mod\", \"Q\", 8], 0]}], "
    "\"temporaries\": [{\"name\": \"t\", \"dtype\": \"f32\", \"shape\": [\"P\", [\"mul\", \"Q\", 2]]}], "
    "\"steps\": [{\"fill\": 3, \"bits\": \"bf800000\"}, "
    "{\"kernel\": 0, \"tensors\": [0, 3], \"dimensions\": [\"P\", [\"mul\", \"Q\", 2]], "
    "\"scalars\": [{\"scalar\": 0}, {\"expression\": \"k\"}], \"overlap\": false}, "
    "{\"kernel\": 0, \"tensors\": [0, 1], \"dimensions\": [\"P\", \"Q\"], "
    "\"scalars\": [{\"bits\": \"3f800000\"}, {\"bits\": \"fffffffffffffffe\"}], \"overlap\": true}]}]\n"
    "}\n";

static cake_arena arena;
static jmp_buf out_of_memory;

static int setup(void **state) {
    (void)state;
    if (setjmp(out_of_memory)) abort();
    cake_arena_init(&arena, CAKE_ARENA_DEFAULT_LIMIT, &out_of_memory);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    cake_arena_fini(&arena);
    return 0;
}

static cake_manifest *read_good(const char *json) {
    cake_manifest *manifest = NULL;
    cake_status status = cake_manifest_read(&arena, json, strlen(json), &manifest);
    assert_string_equal(status.message, "");
    assert_int_equal(status.kind, CAKE_STATUS_OK);
    return manifest;
}

static void test_round_trip(void **state) {
    (void)state;
    cake_manifest *manifest = read_good(sample);
    cake_text text;
    cake_text_init(&text, &arena);
    cake_manifest_write(manifest, &text);
    assert_string_equal(cake_text_string(&text), sample);
}

static void test_members(void **state) {
    (void)state;
    const cake_manifest *manifest = read_good(sample);
    assert_string_equal(manifest->tool, "cake 0.1.0");
    assert_int_equal(manifest->proof.unknown, 1);
    assert_string_equal(manifest->proof.allowed.items[0], "V301");
    const cake_manifest_kernel *kernel = &manifest->kernels.items[0];
    assert_string_equal(kernel->interface.name, "gemm");
    assert_string_equal(kernel->interface.statics.items[0].name, "K");
    assert_int_equal(kernel->interface.statics.items[0].value, 64);
    assert_int_equal(kernel->interface.tensors.items[1].mode, CAKE_TENSOR_OUT);
    assert_int_equal(kernel->tensor_maps.items[0].box.items[1], 128);
    assert_int_equal(kernel->arguments.items[2].kind, CAKE_ARGUMENT_DIMENSION);
    assert_int_equal(kernel->arguments.items[2].bits, 32);
    assert_int_equal(kernel->cluster, 2);
    cake_binding bindings[] = {{"M", 1000}, {"sm_count", 132}};
    int64_t grid = 0;
    assert_true(cake_launch_evaluate(kernel->grid, bindings, 2, &grid));
    assert_int_equal(grid, 8);
}

static void test_programs(void **state) {
    (void)state;
    const cake_manifest_program *program = &read_good(sample)->programs.items[0];
    assert_string_equal(program->interface.kind, "program");
    assert_int_equal(program->required.count, 1);
    assert_int_equal(program->temporaries.items[0].shape.count, 2);
    const cake_manifest_step *steps = program->steps.items;
    assert_int_equal(steps[0].kind, CAKE_MANIFEST_STEP_FILL);
    assert_int_equal(steps[0].memory, 3);
    assert_int_equal(steps[0].value.bits, 0xbf800000);
    assert_int_equal(steps[1].tensors.items[1], 3);
    assert_int_equal(steps[1].scalars.items[0].kind, CAKE_SOURCE_SCALAR);
    assert_int_equal(steps[1].scalars.items[1].kind, CAKE_SOURCE_EXPRESSION);
    assert_true(steps[2].overlap && steps[2].scalars.items[1].bits == UINT64_MAX - 1);
    /* the member may be left out */
    const char *at = strstr(sample, ",\n\"programs\"");
    assert_int_equal(read_good(cake_arena_format(&arena, "%.*s}", (int)(at - sample), sample))->programs.count, 0);
}

static void test_comment_block(void **state) {
    (void)state;
    cake_manifest *manifest = read_good(sample);
    cake_text ptx;
    cake_text_init(&ptx, &arena);
    cake_text_add_string(&ptx, "//\n.version 8.0\n.target sm_90a\n.address_size 64\n");
    cake_manifest_write_comment(manifest, &ptx);
    cake_text_add_string(&ptx, ".visible .entry gemm() { ret; }\n");
    cake_manifest *again = NULL;
    cake_status status = cake_manifest_read_ptx(&arena, cake_text_string(&ptx), ptx.size, &again);
    assert_string_equal(status.message, "");
    cake_text text;
    cake_text_init(&text, &arena);
    cake_manifest_write(again, &text);
    assert_string_equal(cake_text_string(&text), sample);
}

static void test_comment_block_damage(void **state) {
    (void)state;
    static const struct {
        const char *ptx, *message;
    } rows[] = {
        {"", "carries no manifest"},
        {".version 8.0\n", "carries no manifest"},
        {" // cake-manifest-begin 1\n", "carries no manifest"},
        {"// cake-manifest-begin 2\n// {}\n// cake-manifest-end\n", "another version than 1"},
        {"// cake-manifest-begin 11\n// {}\n// cake-manifest-end\n", "another version than 1"},
        {"// cake-manifest-begin", "another version than 1"},
        {"// cake-manifest-begin 1", "has no '// cake-manifest-end'"},
        {"// cake-manifest-begin 1\n// {\n.visible", "has no '// cake-manifest-end'"},
        {"// cake-manifest-begin 1\n// {\n// cake-manifest-end\n", "line 2"},
        {"// cake-manifest-begin 1\r\n// {}\r\n// cake-manifest-end\r\n", "version is missing"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cake_manifest *manifest = NULL;
        cake_status status = cake_manifest_read_ptx(&arena, rows[i].ptx, strlen(rows[i].ptx), &manifest);
        assert_int_equal(status.kind, CAKE_STATUS_INVALID);
        if (!strstr(status.message, rows[i].message)) fail_msg("'%s' lacks '%s'", status.message, rows[i].message);
        assert_null(manifest);
    }
}

/* An edit of the sample and what the reader says about it. */
typedef struct damage {
    const char *from, *to, *message;
} damage;

static const damage damages[] = {
    {"{\n\"version\"", "[\n\"version\"", "line 2"},
    {"\"version\": 1", "\"version\": 2", "version is 2, and only 1 is understood"},
    {"\"version\": 1", "\"version\": \"1\"", "version is no integer"},
    {"\"version\": 1,\n", "", "version is missing"},
    {"\"version\": 1", "\"version\": 1, \"extra\": 0", "the document has 8 members instead of 7"},
    {"\"version\": 1", "\"version\": 1, \"version\": 1", "duplicate"},
    {"\"tool\": \"cake 0.1.0\"", "\"tool\": []", "tool is no text"},
    {"cake 0.1.0", "cake \\n0.1.0", "tool is not printable ASCII"},
    {"cake 0.1.0", "cake \xc3\xa9", "tool is not printable ASCII"},
    {"sm_90a", "sm_17", "target is no known architecture"},
    {"\"source_hash\": \"\"", "\"source_hash\": \"abc\"", "source_hash is no SHA-256"},
    {"\"proof\": {", "\"proof\": {\"x\": 0, ", "proof has 7 members"},
    {"\"proved\": 3", "\"proved\": -1", "proof.proved is -1, outside 0 to 4294967295"},
    {"\"proved\": 3", "\"proved\": 3.0", "proof.proved is no integer"},
    {"[\"races\"]", "[7]", "proof.families[0] is no text"},
    {"\"kernels\": [{", "\"kernels\": [3, {", "kernels[0] is no object"},
    {"\"kernels\": [{", "\"kernels\": {\"a\": {", "line"},
    {"\"name\": \"gemm\"", "\"name\": \"ge mm\"", "kernels[0].name is no name"},
    {"\"name\": \"gemm\"", "\"name\": \"\"", "kernels[0].name is no name"},
    {"[\"M\", \"N\"], \"statics\"", "[\"M\", \"M\"], \"statics\"", "dimensions name 'M' more than once"},
    {"[\"M\", \"N\"], \"statics\"", "[\"M\", \"sm_count\"], \"statics\"", "name 'sm_count' more than once"},
    {"[\"M\", \"N\"], \"statics\"", "[\"M\", \"N-\"], \"statics\"", "dimensions hold what is no name"},
    {"[\"M\", \"N\"], \"statics\"", "[\"M\", \"Q\"], \"statics\"", "uses 'N', which has no value"},
    {"{\"K\": 64}", "{\"M\": 64}", "dimensions name 'M' more than once"},
    {"{\"K\": 64}", "{\"K\": true}", "kernels[0].statics.K is no integer"},
    {"{\"K\": 64}", "{\"K!\": 64}", "statics has a member whose key is no name"},
    {"\"BM\": 128", "\"BM\": 1e3", "kernels[0].tunables.BM is no integer"},
    {"\"BM\": 128", "\"BM\": 99999999999999999999", "too big integer"},
    {"\"dtype\": \"bf16\", \"mode\"", "\"dtype\": \"index\", \"mode\"", "tensors[0].dtype is no element type"},
    {"\"mode\": \"in\"", "\"mode\": \"into\"", "tensors[0].mode is none of in, out, inout"},
    {"[\"M\", 64], \"strides\"", "[], \"strides\"", "tensors[0].shape is empty"},
    {"[\"M\", 64], \"strides\"", "[1,1,1,1,1,1,1,1,1], \"strides\"", "tensors[0].shape has more than 8 items"},
    {"[\"M\", 64], \"strides\"", "[\"M\", null], \"strides\"", "tensors[0].shape[1] is no launch expression"},
    {"\"strides\": [\"N\", 1]", "\"strides\": [\"N\"]", "tensors[1].strides differ from the shape in number"},
    {"\"name\": \"eps\"", "\"name\": \"a\"", "name 'a' more than once"},
    {"\"name\": \"eps\", \"dtype\": \"f32\"", "\"name\": \"eps\", \"dtype\": \"u4\"", "less than a byte"},
    {"[\"a\", \"c\", \"eps\", \"n\"]", "[\"a\", \"c\", \"eps\", \"m\"]", "name 'm', which is no tensor or scalar"},
    {"[\"a\", \"c\", \"eps\", \"n\"]", "[\"a\", \"c\", \"eps\"]", "are not all tensors and scalars"},
    {"\"tensor\": 0", "\"tensor\": 2", "tensor_maps[0].tensor is 2, outside 0 to 1"},
    {"[64, \"M\"], \"strides\"", "[], \"strides\"", "tensor_maps[0].extents are empty"},
    {"[64, \"M\"], \"strides\"", "[1,1,1,1,1,1], \"strides\"", "extents has more than 5 items"},
    {"\"strides\": [128]", "\"strides\": []", "strides are not one fewer"},
    {"\"box\": [64, 128]", "\"box\": [64]", "box has another rank"},
    {"\"box\": [64, 128]", "\"box\": [64, 0]", "box[1] is 0, outside 1 to 256"},
    {"\"box\": [64, 128]", "\"box\": [64, 257]", "box[1] is 257, outside 1 to 256"},
    {"\"box\": [64, 128]", "\"box\": [63, 128]", "row that is no multiple of 16 bytes"},
    {"\"box\": [64, 128]", "\"box\": [128, 128]", "row longer than the swizzle span"},
    {"\"swizzle\": 128", "\"swizzle\": 96", "swizzle is 96, which the hardware lacks"},
    {"\"swizzle\": 128", "\"swizzle\": 256", "swizzle is 256, which the hardware lacks"},
    {"\"l2_promotion\": 256", "\"l2_promotion\": 32", "l2_promotion is 32, which the hardware lacks"},
    {"{\"tensor_map\": 0}", "{\"tensor_map\": 1}", "arguments[0].tensor_map is 1, outside 0 to 0"},
    {"{\"tensor_map\": 0}", "{\"tensor_map\": 0, \"pointer\": 0}", "arguments[0] has 2 members instead of 1"},
    {"{\"tensor_map\": 0}", "{}", "arguments[0].scalar is missing"},
    {"{\"pointer\": 1}", "{\"pointer\": -1}", "arguments[1].pointer is -1"},
    {"\"bits\": 32", "\"bits\": 48", "arguments[2].bits is neither 32 nor 64"},
    {"\"dimension\": 0, \"bits\": 32", "\"dimension\": 0", "arguments[2].bits is missing"},
    {"{\"scalar\": 0}", "{\"scalar\": 7}", "arguments[3].scalar is 7, outside 0 to 1"},
    {"[\"mod\", \"N\", 8]", "[\"mod\", \"N\"]", "contract[0].condition is no launch expression"},
    {"[\"mod\", \"N\", 8]", "[\"pow\", \"N\", 8]", "contract[0].condition is no launch expression"},
    {"[\"mod\", \"N\", 8]", "[\"mod\", \"eps\", 8]", "uses 'eps', which has no value"},
    {"[\"mod\", \"N\", 8]", "[\"mod\", \"a\", 8]", "uses 'a', which has no value"},
    {"\"threads\": 384", "\"threads\": 0", "threads is 0, outside 1 to 1024"},
    {"\"threads\": 384", "\"threads\": 1025", "threads is 1025, outside 1 to 1024"},
    {"\"cluster\": 2", "\"cluster\": 17", "cluster is 17, outside 1 to 16"},
    {"\"shared_bytes\": 200000", "\"shared_bytes\": 10000000", "shared_bytes is 10000000"},
    {"\"ctas_per_sm\": 1", "\"ctas_per_sm\": 0", "ctas_per_sm is 0"},
    {"\"grid\": [\"min\"", "\"grid\": [\"\"", "grid is no launch expression"},
    {"\"grid\": [", "\"grids\": [", "grid is missing"},
    {"\"programs\": [{", "\"programs\": [7, {", "programs[0] is no object"},
    {"\"name\": \"twice\"", "\"name\": \"\"", "programs[0].name is no name"},
    {"\"name\": \"twice\"", "\"name\": \"twice\", \"grid\": 1", "programs[0] has 13 members instead of 12"},
    {"[\"mod\", \"Q\", 8]", "[\"mod\", \"N\", 8]", "required[0].condition uses 'N', which has no value"},
    {"\"name\": \"t\"", "\"name\": \"z\"", "temporaries[0].name is taken"},
    {"\"name\": \"t\"", "\"name\": \"sm_count\"", "temporaries[0].name is taken"},
    {"[\"P\", [\"mul\", \"Q\", 2]]}", "[]}", "temporaries[0].shape is empty"},
    {"[\"P\", [\"mul\", \"Q\", 2]]}", "[\"M\"]}", "temporaries[0].shape uses 'M'"},
    {"\"fill\": 3", "\"fill\": 4", "steps[0].fill is 4, outside 0 to 3"},
    {"\"fill\": 3", "\"fill\": 0", "steps[0].fill names a tensor that is only read"},
    {"\"bf800000\"", "\"\"", "steps[0].bits are no element of f32"},
    {"\"bf800000\"", "\"1bf800000\"", "steps[0].bits are no element of f32"},
    {"\"bf800000\"", "\"0x8\"", "steps[0].bits are no element of f32"},
    {"\"kernel\": 0", "\"kernel\": 1", "steps[1].kernel is 1, outside 0 to 0"},
    {"\"tensors\": [0, 3]", "\"tensors\": [0]", "steps[1].tensors are not those of the kernel"},
    {"\"tensors\": [0, 3]", "\"tensors\": [0, 4]", "steps[1].tensors[1] is 4, outside 0 to 3"},
    {"\"tensors\": [0, 3]", "\"tensors\": [3, 3]", "steps[1].tensors give 't' for 'a', which has another type"},
    {"\"tensors\": [0, 3]", "\"tensors\": [0, 2]", "steps[1].tensors give 'h' for 'c', which has another type"},
    {"\"mode\": \"out\", \"shape\": [\"P\", \"Q\"]", "\"mode\": \"in\", \"shape\": [\"P\", \"Q\"]",
     "steps[2].tensors give 'z', which is only read, for 'c'"},
    {"\"dimensions\": [\"P\", [", "\"dimensions\": [[", "steps[1].dimensions are not those of the kernel"},
    {"\"dimensions\": [\"P\", [", "\"dimensions\": [\"M\", [", "steps[1].dimensions uses 'M'"},
    {"{\"expression\": \"k\"}]", "{\"expression\": \"k\"}, {}]", "steps[1].scalars are not those of the kernel"},
    {"{\"scalar\": 0}, {\"exp", "{\"scalar\": 1}, {\"exp", "scalars[0].scalar has another type than f32"},
    {"\"3f800000\"", "\"x\"", "steps[2].scalars[0].bits are no element of f32"},
    {"\"overlap\": false", "\"overlap\": true", "steps[1].overlap has no launch before it"},
    {"\"overlap\": false", "\"overlap\": 0", "steps[1].overlap is neither true nor false"},
};

/* The sample with the first 'from' replaced. */
static char *damaged(const damage *edit) {
    const char *at = strstr(sample, edit->from);
    assert_non_null(at);
    return cake_arena_format(&arena, "%.*s%s%s", (int)(at - sample), sample, edit->to, at + strlen(edit->from));
}

static void test_damages(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        char *json = damaged(&damages[i]);
        cake_manifest *manifest = NULL;
        cake_status status = cake_manifest_read(&arena, json, strlen(json), &manifest);
        if (status.kind != CAKE_STATUS_INVALID || !strstr(status.message, damages[i].message))
            fail_msg("'%s' -> '%s': '%s' lacks '%s'", damages[i].from, damages[i].to, status.message,
                     damages[i].message);
        assert_null(manifest);
    }
}

static void test_truncations(void **state) {
    (void)state;
    for (size_t size = 0; size < sizeof sample - 2; size++) {
        cake_manifest *manifest = NULL;
        assert_int_equal(cake_manifest_read(&arena, sample, size, &manifest).kind, CAKE_STATUS_INVALID);
    }
}

static void read_within(size_t limit) {
    jmp_buf ran_out;
    cake_arena small;
    cake_arena_init(&small, limit, &ran_out);
    if (setjmp(ran_out) == 0) {
        cake_manifest *manifest = NULL;
        cake_status status = cake_manifest_read(&small, sample, sizeof sample - 1, &manifest);
        assert_int_equal(status.kind, CAKE_STATUS_OK);
    }
    cake_arena_fini(&small);
}

/* Reading frees the JSON tree also when the arena runs out: the leak checker of the sanitizer build looks. */
static void test_small_arena(void **state) {
    (void)state;
    for (size_t limit = 0; limit < 6000; limit += 500)
        read_within(limit);
}

static void test_strings_are_escaped(void **state) {
    (void)state;
    cake_manifest manifest = {.tool = "a\"b\\c\n\xc3\xa9", .target = "sm_90a", .source_hash = ""};
    cake_text text;
    cake_text_init(&text, &arena);
    cake_manifest_write(&manifest, &text);
    assert_non_null(strstr(cake_text_string(&text), "\"a\\\"b\\\\c ??\""));
}

/* ---- expressions ---- */

/* An expression in JSON and its value with M = 7, Z = 0, BIG = 2^62; "-": it has none. */
static const struct {
    const char *json, *value;
} evaluations[] = {
    {"5", "5"},
    {"-9223372036854775808", "-9223372036854775808"},
    {"\"M\"", "7"},
    {"\"unbound\"", "-"},
    {"[\"add\", \"M\", 1]", "8"},
    {"[\"add\", [\"add\", \"BIG\", \"BIG\"], -1]", "-"},
    {"[\"add\", \"BIG\", 4611686018427387903]", "9223372036854775807"},
    {"[\"sub\", -2, 9223372036854775807]", "-"},
    {"[\"sub\", \"M\", 9]", "-2"},
    {"[\"mul\", \"M\", -3]", "-21"},
    {"[\"mul\", \"BIG\", 2]", "-"},
    {"[\"mul\", \"BIG\", -2]", "-9223372036854775808"},
    {"[\"mul\", -1, -9223372036854775808]", "-"},
    {"[\"mul\", -9223372036854775808, -1]", "-"},
    {"[\"mul\", 0, -9223372036854775808]", "0"},
    {"[\"div\", -7, 2]", "-4"},
    {"[\"div\", 7, -2]", "-4"},
    {"[\"div\", \"M\", \"Z\"]", "-"},
    {"[\"div\", -9223372036854775808, -1]", "-"},
    {"[\"mod\", -7, 3]", "2"},
    {"[\"mod\", 7, -3]", "-2"},
    {"[\"mod\", -9223372036854775808, -1]", "0"},
    {"[\"mod\", \"M\", \"Z\"]", "-"},
    {"[\"cdiv\", \"M\", 2]", "4"},
    {"[\"cdiv\", -7, 2]", "-3"},
    {"[\"cdiv\", 9223372036854775807, 2]", "4611686018427387904"},
    {"[\"ceilto\", \"M\", 4]", "8"},
    {"[\"ceilto\", 9223372036854775807, 2]", "-"},
    {"[\"min\", \"M\", 3]", "3"},
    {"[\"max\", \"M\", 3]", "7"},
    {"[\"shl\", 1, 62]", "4611686018427387904"},
    {"[\"shl\", 2, 62]", "-"},
    {"[\"shl\", 1, -1]", "-"},
    {"[\"shr\", -5, 1]", "-3"},
    {"[\"shr\", -5, 63]", "-1"},
    {"[\"shr\", 5, 64]", "-"},
    {"[\"eq\", \"M\", 7]", "1"},
    {"[\"ne\", \"M\", 7]", "0"},
    {"[\"lt\", \"M\", 8]", "1"},
    {"[\"le\", 8, \"M\"]", "0"},
    {"[\"and\", \"M\", 2]", "1"},
    {"[\"or\", \"Z\", 0]", "0"},
    {"[\"not\", \"Z\"]", "1"},
    {"[\"ispow2\", \"BIG\"]", "1"},
    {"[\"ispow2\", 0]", "0"},
    {"[\"ispow2\", -9223372036854775808]", "0"},
    {"[\"select\", \"Z\", 1, 2]", "2"},
    {"[\"select\", 1, \"unbound\", 2]", "-"},
    {"[\"f32\", \"M\"]", "1088421888"},                                  /* 7.0f */
    {"[\"f32\", 16777217]", "1266679808"},                               /* rounds to 2^24 */
    {"[\"f32.div\", 1065353216, [\"f32\", \"M\"]]", "1041385765"},       /* 1.0f / 7 */
    {"[\"f32.div\", [\"f32\", \"Z\"], [\"f32\", \"Z\"]]", "4290772992"}, /* NaN */
    {"[\"f32.sqrt\", [\"f32\", 2]]", "1068827891"},
    {"[\"f32.add\", [\"f32\", 1], [\"f32.sub\", [\"f32\", 2], [\"f32\", 3]]]", "0"},
    {"[\"f32.mul\", 3212836864, [\"f32\", \"Z\"]]", "2147483648"}, /* -1 * 0 */
    {"[\"f64\", -1]", "-4616189618054758400"},
    {"[\"f64.mul\", [\"f64.f32\", [\"f32\", 3]], [\"f64.div\", [\"f64\", 1], [\"f64\", 4]]]",
     "4604930618986332160"}, /* 0.75 */
    {"[\"f32.f64\", [\"f64.sqrt\", [\"f64.add\", [\"f64\", 7], [\"f64.sub\", [\"f64\", 3], [\"f64\", 1]]]]]",
     "1077936128"}, /* 3.0f */
};

static const cake_launch_expr *parse_expression(const char *text) {
    json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
    const cake_launch_expr *expr = cake_launch_from_json(&arena, json);
    json_decref(json);
    return expr;
}

static void test_evaluation(void **state) {
    (void)state;
    cake_binding bindings[] = {{"M", 7}, {"Z", 0}, {"BIG", (int64_t)1 << 62}};
    for (size_t i = 0; i < sizeof evaluations / sizeof *evaluations; i++) {
        const cake_launch_expr *expr = parse_expression(evaluations[i].json);
        assert_non_null(expr);
        int64_t value;
        char got[32] = "-";
        if (cake_launch_evaluate(expr, bindings, 3, &value)) snprintf(got, sizeof got, "%lld", (long long)value);
        if (strcmp(got, evaluations[i].value) != 0)
            fail_msg("%s is %s, not %s", evaluations[i].json, got, evaluations[i].value);
    }
}

static void test_expression_text(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof evaluations / sizeof *evaluations; i++) {
        const cake_launch_expr *expr = parse_expression(evaluations[i].json);
        cake_text text;
        cake_text_init(&text, &arena);
        cake_launch_write(expr, &text);
        assert_string_equal(cake_text_string(&text), evaluations[i].json);
        json_t *tree = cake_launch_to_json(expr);
        char *dumped = json_dumps(tree, JSON_ENCODE_ANY);
        assert_string_equal(dumped, evaluations[i].json);
        free(dumped);
        json_decref(tree);
    }
}

static void test_folding(void **state) {
    (void)state;
    const cake_launch_expr *two = cake_launch_constant(&arena, 2);
    const cake_launch_expr *zero = cake_launch_constant(&arena, 0);
    const cake_launch_expr *name = cake_launch_name(&arena, "M");
    assert_int_equal(cake_launch_apply(&arena, CAKE_LAUNCH_MUL, two, two, NULL)->value, 4);
    assert_int_equal(cake_launch_apply(&arena, CAKE_LAUNCH_MUL, two, name, NULL)->op, CAKE_LAUNCH_MUL);
    assert_int_equal(cake_launch_apply(&arena, CAKE_LAUNCH_DIV, two, zero, NULL)->op, CAKE_LAUNCH_DIV);
    assert_int_equal(cake_launch_apply(&arena, CAKE_LAUNCH_NOT, zero, NULL, NULL)->value, 1);
}

static void test_depth(void **state) {
    (void)state;
    for (int depth = 60; depth < 70; depth++) {
        cake_text text;
        cake_text_init(&text, &arena);
        for (int i = 0; i < depth; i++)
            cake_text_add_string(&text, "[\"not\", ");
        cake_text_add_string(&text, "1");
        for (int i = 0; i < depth; i++)
            cake_text_add_string(&text, "]");
        assert_int_equal(parse_expression(cake_text_string(&text)) != NULL, depth <= 64);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round_trip, setup, teardown),
        cmocka_unit_test_setup_teardown(test_programs, setup, teardown),
        cmocka_unit_test_setup_teardown(test_members, setup, teardown),
        cmocka_unit_test_setup_teardown(test_comment_block, setup, teardown),
        cmocka_unit_test_setup_teardown(test_comment_block_damage, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damages, setup, teardown),
        cmocka_unit_test_setup_teardown(test_truncations, setup, teardown),
        cmocka_unit_test_setup_teardown(test_small_arena, setup, teardown),
        cmocka_unit_test_setup_teardown(test_strings_are_escaped, setup, teardown),
        cmocka_unit_test_setup_teardown(test_evaluation, setup, teardown),
        cmocka_unit_test_setup_teardown(test_expression_text, setup, teardown),
        cmocka_unit_test_setup_teardown(test_folding, setup, teardown),
        cmocka_unit_test_setup_teardown(test_depth, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
