/* The oracle: numbers against the formats' definitions, workloads and their mistakes, references against values worked
 * out by hand, and comparisons of outputs that are right, wrong and not written. */
#include "oracle/number.h"
#include "oracle/oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* cmocka needs the headers above first. */
#include <cmocka.h>

typedef struct fixture {
    jmp_buf out_of_memory;
    cake_arena arena;
    cake_source source;
    cake_diagnostics diagnostics;
} fixture;

static int set_up(void **state) {
    fixture *created = calloc(1, sizeof *created);
    if (!created) return -1;
    *state = created;
    if (setjmp(created->out_of_memory)) fail_msg("the arena is exhausted");
    cake_arena_init(&created->arena, CAKE_CASE_ARENA_LIMIT, &created->out_of_memory);
    return 0;
}

static int tear_down(void **state) {
    fixture *used = *state;
    cake_arena_fini(&used->arena);
    free(used);
    return 0;
}

static cake_workload *parse(fixture *used, const char *text) {
    cake_source_init(&used->source, &used->arena, "test.work", text, (uint32_t)strlen(text));
    cake_diagnostics_init(&used->diagnostics, &used->arena, &used->source);
    return cake_workload_parse(&used->arena, &used->source, &used->diagnostics);
}

static cake_case *start(fixture *used, const char *text) {
    cake_workload *workload = parse(used, text);
    if (used->diagnostics.error_count) cake_diagnostics_print(&used->diagnostics, stderr);
    assert_int_equal(used->diagnostics.error_count, 0);
    cake_case *one;
    cake_status status = cake_case_create(&used->arena, workload, NULL, NULL, 0, 7, &one);
    assert_string_equal(status.message, "");
    status = cake_case_generate(one);
    assert_string_equal(status.message, "");
    return one;
}

/* ---- numbers ---- */

/* The value of a float format's bits by its definition, without any shortcut. */
static double by_definition(uint64_t bits, int exponent_bits, int mantissa_bits, bool has_infinity) {
    int bias = (1 << (exponent_bits - 1)) - 1;
    uint64_t mantissa = bits & ((1u << mantissa_bits) - 1);
    int exponent = (int)(bits >> mantissa_bits & ((1u << exponent_bits) - 1));
    double sign = bits >> (exponent_bits + mantissa_bits) & 1 ? -1 : 1;
    if (exponent == (1 << exponent_bits) - 1) {
        if (has_infinity) return mantissa ? (double)NAN : sign * (double)INFINITY;
        if (mantissa == (1u << mantissa_bits) - 1) return (double)NAN;
    }
    double fraction = (double)mantissa / pow(2, mantissa_bits);
    return sign * (exponent ? (1 + fraction) * pow(2, exponent - bias) : fraction * pow(2, 1 - bias));
}

static void check_value(cake_dtype dtype, uint64_t bits, double expected) {
    double value = cake_number_decode(dtype, bits), loaded;
    unsigned char bytes[8];
    for (uint32_t i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(bits >> (8 * i));
    loaded = cake_number_load(dtype, bytes, 0);
    if (isnan(expected)) {
        assert_true(isnan(value) && isnan(loaded));
        assert_true(isnan(cake_number_decode(dtype, cake_number_encode(dtype, value, false))));
        return;
    }
    assert_true(value == expected && loaded == expected);
    assert_int_equal(cake_number_encode(dtype, value, false), bits);
}

static void test_every_small_float_round_trips(void **state) {
    (void)state;
    for (uint32_t bits = 0; bits < 65536; bits++) {
        check_value(CAKE_DTYPE_F16, bits, by_definition(bits, 5, 10, true));
        check_value(CAKE_DTYPE_BF16, bits, by_definition(bits, 8, 7, true));
    }
    for (uint32_t bits = 0; bits < 256; bits++) {
        check_value(CAKE_DTYPE_E4M3, bits, by_definition(bits, 4, 3, false));
        check_value(CAKE_DTYPE_E5M2, bits, by_definition(bits, 5, 2, true));
    }
}

/* Between two neighbours: the nearer one, and the even one from the middle. */
static void check_between(cake_dtype dtype, uint64_t low_bits) {
    double low = cake_number_decode(dtype, low_bits), high = cake_number_decode(dtype, low_bits + 1);
    double middle = (low + high) / 2;
    if (!isfinite(low) || !isfinite(high)) return;
    assert_int_equal(cake_number_encode(dtype, middle, false), low_bits + low_bits % 2);
    assert_int_equal(cake_number_encode(dtype, nextafter(middle, low), false), low_bits);
    assert_int_equal(cake_number_encode(dtype, nextafter(middle, high), false), low_bits + 1);
    assert_true(cake_number_half_ulp(dtype, nextafter(middle, low)) == (high - low) / 2);
}

static void test_rounding_is_to_nearest_even(void **state) {
    (void)state;
    for (uint32_t bits = 0; bits < 0x7FFF; bits++) {
        check_between(CAKE_DTYPE_F16, bits);
        check_between(CAKE_DTYPE_BF16, bits);
    }
    for (uint32_t bits = 0; bits < 0x7F; bits++) {
        check_between(CAKE_DTYPE_E4M3, bits);
        check_between(CAKE_DTYPE_E5M2, bits);
    }
}

static void test_f32_encodes_as_the_machine_does(void **state) {
    (void)state;
    static const double values[] = {0,      -0.0,        1,    0.1,      3.4028234e38, 3.4028236e38, 1e-45,  7e-46,
                                    1e-310, 1.17549e-38, -2.5, 16777217, 16777219,     1e39,         -1e300, 1.0 / 3};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        float machine = (float)values[i];
        uint32_t bits;
        memcpy(&bits, &machine, sizeof bits);
        assert_int_equal(cake_number_encode(CAKE_DTYPE_F32, values[i], false), bits);
    }
    assert_int_equal(cake_number_encode(CAKE_DTYPE_TF32, 1 + 0x1p-11, false), 0x3F800000);
    assert_int_equal(cake_number_encode(CAKE_DTYPE_TF32, 1 + 0x1.8p-10, false), 0x3F804000);
}

static void test_conversions_at_the_ends(void **state) {
    (void)state;
    static const struct {
        cake_dtype dtype;
        double value;
        bool saturate;
        uint64_t bits;
    } rows[] = {
        {CAKE_DTYPE_F16, 65519, false, 0x7BFF},
        {CAKE_DTYPE_F16, 65520, false, 0x7C00},
        {CAKE_DTYPE_F16, 1e9, true, 0x7BFF},
        {CAKE_DTYPE_E4M3, 448, false, 0x7E},
        {CAKE_DTYPE_E4M3, 464, false, 0x7E},
        {CAKE_DTYPE_E4M3, 465, false, 0x7F},
        {CAKE_DTYPE_E4M3, -1000, true, 0xFE},
        {CAKE_DTYPE_E5M2, 57344, false, 0x7B},
        {CAKE_DTYPE_E5M2, 61440, false, 0x7C},
        {CAKE_DTYPE_I8, 127.5, false, 0x80},
        {CAKE_DTYPE_I8, 300, false, 0x2C},
        {CAKE_DTYPE_I8, 300, true, 0x7F},
        {CAKE_DTYPE_I8, -300, true, 0x80},
        {CAKE_DTYPE_U8, -1, false, 0xFF},
        {CAKE_DTYPE_U8, -1, true, 0},
        {CAKE_DTYPE_I4, -8, false, 0x8},
        {CAKE_DTYPE_U4, 2.5, false, 2},
        {CAKE_DTYPE_U4, 99, true, 15},
        {CAKE_DTYPE_I64, -1, false, UINT64_MAX},
        {CAKE_DTYPE_U64, 0x1p63, false, UINT64_C(1) << 63},
        {CAKE_DTYPE_U64, 0x1p70, true, UINT64_MAX},
        {CAKE_DTYPE_I32, (double)INFINITY, true, 0x7FFFFFFF},
        {CAKE_DTYPE_I32, (double)NAN, false, 0},
        {CAKE_DTYPE_BOOL, 0.5, false, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(cake_number_encode(rows[i].dtype, rows[i].value, rows[i].saturate), rows[i].bits);
    unsigned char nibbles[2] = {0, 0};
    cake_number_store(CAKE_DTYPE_I4, nibbles, 3, -3);
    cake_number_store(CAKE_DTYPE_I4, nibbles, 2, 7);
    assert_int_equal(nibbles[1], 0xD7);
    assert_true(cake_number_load(CAKE_DTYPE_I4, nibbles, 3) == -3);
    assert_true(cake_number_load(CAKE_DTYPE_I4, nibbles, 2) == 7);
}

/* ---- references ---- */

#define HEAD "workload t for t\n"

static void test_expressions(void **state) {
    fixture *used = *state;
    static const struct {
        const char *expression; /* over x = {1, 2, 3, 4, 5, 6} as f32[2, 3], n in 0 .. 2, and i32 k = 7 */
        double value;
    } rows[] = {
        {"sum(x[i, j] over i, j)", 21},
        {"sum(x[i, j] over i in 0 .. 2, j in 0 .. i + 1)", 1 + 4 + 5},
        {"prod(x[0, j] over j)", 6},
        {"max(x[i, j] over i, j) - min(x[i, j] over i, j)", 5},
        {"cast f32 argmax(x[1, j] * x[1, j] over j)", 2},
        {"cast f32 count(x[i, j] > 2.5 over i, j)", 4},
        {"select(any(x[i, j] == 6 over i, j) & !all(x[0, j] > 1 over j), 1, 0)", 1},
        {"k / 2 + k % 4 - (-k) / 2", 3 + 3 + 4},
        {"(k << 2 | 1) ^ 3", (28 | 1) ^ 3},
        {"cdiv(k, 2) * 10 + ceilto(k, 4)", 48},
        {"popc(k)", 3},
        {"1 / 2", 0},
        {"1.0 / 2", 0.5},
        {"k / 2.0", 3.5},
        {"cast bf16 1.00390625", 1},
        {"cast bf16 1.00390625001", 1.0078125},
        {"cast i8 300 sat", 127},
        {"cast i32 2.5", 2},
        {"cast i32 -2.9 round rz", -2},
        {"cast f16 2049.0 round rz", 2048},
        {"bitcast u32 cast f32 1.0", 0x3F800000},
        {"exp(0) + sqrt(16) + rsqrt(4) + rcp(4) + log2(8)", 1 + 4 + 0.5 + 0.25 + 3},
        {"floor(-1.5) + ceil(-1.5) + round(2.5) + abs(-3)", -2 - 1 + 2 + 3},
        {"fma(2, 3, 4) + min(2, 3) + max(2, 3)", 15},
        {"max(nan, 3)", 3},
        {"select(1 <= k < 8, 10, 20)", 10},
        {"select(k in {1, 7}, 10, 20)", 10},
        {"select(k in 0 .. 7, 10, 20)", 20},
        {"select(k > 7, x[9, 0], 1.0)", 1},
        {"sum(select(0 <= j - 1, x[0, j - 1], 0.0) over j in 0 .. 3)", 3},
        {"sum(1.0 over j in 0 .. 1000)", 1000},
        {"max(x[0, j] over j in 3 .. 3)", -(double)INFINITY},
        {"N * 100 + M", 302},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 HEAD "shape s(M = 2, N = 3)\ninput x: f32[M, N] = m * N + n + 1\ninput k: i32 = 7\n"
                      "output y: f32 = %s\n",
                 rows[i].expression);
        double value = 0, error = 0;
        cake_status status = cake_case_reference(start(used, text), 2, NULL, &value, &error);
        assert_string_equal(status.message, "");
        if (value != rows[i].value) fail_msg("%s is %.17g, not %.17g", rows[i].expression, value, rows[i].value);
    }
}

/* A product worked out with plain loops, over bytes of the case. */
static double product(const cake_case *one, int64_t m, int64_t n, int64_t depth) {
    double sum = 0;
    for (int64_t k = 0; k < depth; k++)
        sum += cake_number_load(CAKE_DTYPE_BF16, one->tensors.items[0].data, (uint64_t)(m * depth + k)) *
               cake_number_load(CAKE_DTYPE_BF16, one->tensors.items[1].data, (uint64_t)(n * depth + k));
    return sum;
}

static const char gemm[] = HEAD "shape small(M = 19, N = 8, K = 300)\n"
                                "shape large(M = 4096, N = 4096, K = 64)\n"
                                "input a: bf16[M, K] normal(0, 1)\n"
                                "input b: bf16[N, K] normal(0, 1)\n"
                                "output c: bf16[M, N] = sum(a[m, k] * b[n, k] over k) tolerance derived\n"
                                "flops 2 * M * N * K\n";

static void test_product_agrees_with_loops(void **state) {
    cake_case *one = start(*state, gemm);
    assert_true(one->flops == 2.0 * 19 * 8 * 300);
    assert_true(one->bytes == 2.0 * (19 * 300 + 8 * 300 + 19 * 8));
    for (int64_t m = 0; m < 19; m++) {
        for (int64_t n = 0; n < 8; n++) {
            double value, error;
            cake_status status = cake_case_reference(one, 2, (int64_t[]){m, n}, &value, &error);
            assert_string_equal(status.message, "");
            assert_true(fabs(value - product(one, m, n, 300)) < 1e-11);
            assert_true(error > 0 && error < 0.01);
        }
    }
}

static void test_lets_agree_with_loops(void **state) {
    cake_case *one = start(*state, HEAD "shape s(M = 3, N = 700)\n"
                                        "input x: f32[M, N] uniform(-2, 2)\n"
                                        "let top[m] = max(x[m, n] over n)\n"
                                        "let e[m, n] = exp(x[m, n] - top[m])\n"
                                        "output y[row, column]: f32[M, N] = e[row, column] / sum(e[row, q] over q)\n");
    const float *x = one->tensors.items[0].data;
    for (int64_t m = 0; m < 3; m++) {
        double top = -(double)INFINITY, sum = 0, value, error;
        for (int64_t n = 0; n < 700; n++)
            top = fmax(top, (double)x[m * 700 + n]);
        for (int64_t n = 0; n < 700; n++)
            sum += exp((double)x[m * 700 + n] - top);
        for (int64_t n = 0; n < 700; n += 233) {
            cake_status status = cake_case_reference(one, 1, (int64_t[]){m, n}, &value, &error);
            assert_string_equal(status.message, "");
            assert_true(fabs(value - exp((double)x[m * 700 + n] - top) / sum) < 1e-15);
        }
    }
}

/* ---- data ---- */

static void test_data_depends_on_seed_alone(void **state) {
    fixture *used = *state;
    cake_workload *workload = parse(used, gemm);
    cake_case *cases[3];
    for (uint64_t i = 0; i < 3; i++) {
        cake_status status = cake_case_create(&used->arena, workload, "small", NULL, 0, i / 2, &cases[i]);
        assert_string_equal(status.message, "");
        status = cake_case_generate(cases[i]);
        assert_string_equal(status.message, "");
    }
    size_t bytes = cases[0]->tensors.items[0].bytes;
    assert_memory_equal(cases[0]->tensors.items[0].data, cases[1]->tensors.items[0].data, bytes);
    assert_memory_not_equal(cases[0]->tensors.items[0].data, cases[2]->tensors.items[0].data, bytes);
    assert_memory_not_equal(cases[0]->tensors.items[0].data, cases[0]->tensors.items[1].data, 64);
    const unsigned char *output = cases[0]->tensors.items[2].data;
    for (size_t i = 0; i < cases[0]->tensors.items[2].bytes; i++)
        assert_int_equal(output[i], 0xFF);
}

static void test_distributions(void **state) {
    cake_case *one = start(*state, HEAD "shape s(N = 40000)\n"
                                        "input a: f32[N] normal(3, 2)\n"
                                        "input b: f64[N] uniform(-1, 3)\n"
                                        "input c: i4[N] integers(-3, 4)\n"
                                        "input d: bf16[N] index\n"
                                        "input e: u8[N] constant(9)\n"
                                        "input f: bool[N] integers(0, 1)\n"
                                        "output y: f32[N] = a[n]\n");
    double sum = 0, squares = 0, low = 9, high = -9, seen[8] = {0}, truths = 0;
    for (uint64_t i = 0; i < 40000; i++) {
        double a = cake_number_load(CAKE_DTYPE_F32, one->tensors.items[0].data, i);
        double b = cake_number_load(CAKE_DTYPE_F64, one->tensors.items[1].data, i);
        double c = cake_number_load(CAKE_DTYPE_I4, one->tensors.items[2].data, i);
        sum += a;
        squares += (a - 3) * (a - 3);
        low = fmin(low, b);
        high = fmax(high, b);
        assert_true(c >= -3 && c <= 4);
        seen[(int)c + 3]++;
        assert_true(cake_number_load(CAKE_DTYPE_BF16, one->tensors.items[3].data, i) == (double)(i % 256));
        assert_true(cake_number_load(CAKE_DTYPE_U8, one->tensors.items[4].data, i) == 9);
        truths += cake_number_load(CAKE_DTYPE_BOOL, one->tensors.items[5].data, i);
    }
    assert_true(fabs(sum / 40000 - 3) < 0.05 && fabs(sqrt(squares / 40000) - 2) < 0.05);
    assert_true(low >= -1 && low < -0.99 && high < 3 && high > 2.99);
    for (int i = 0; i < 8; i++)
        assert_true(fabs(seen[i] - 5000) < 400);
    assert_true(fabs(truths - 20000) < 600);
}

/* ---- comparison ---- */

/* The right output of gemm, rounded to bf16. */
static unsigned char *right_output(fixture *used, const cake_case *one) {
    unsigned char *output = cake_arena_alloc(&used->arena, one->tensors.items[2].bytes);
    for (int64_t m = 0; m < 19; m++)
        for (int64_t n = 0; n < 8; n++)
            cake_number_store(CAKE_DTYPE_BF16, output, (uint64_t)(m * 8 + n), product(one, m, n, 300));
    return output;
}

static cake_comparison compare(cake_case *one, uint32_t tensor, const void *got) {
    cake_comparison result;
    cake_status status = cake_case_compare(one, tensor, got, &result);
    assert_string_equal(status.message, "");
    return result;
}

static void test_right_output_passes(void **state) {
    cake_case *one = start(*state, gemm);
    cake_comparison result = compare(one, 2, right_output(*state, one));
    assert_int_equal(result.checked, 19 * 8);
    assert_int_equal(result.mismatches, 0);
    assert_false(result.has_first);
    assert_true(result.rel_norm > 0 && result.rel_norm < 0.005 && result.worst <= 1 && result.max_rel < 0.004);
}

static void test_wrong_elements_are_found(void **state) {
    cake_case *one = start(*state, gemm);
    unsigned char *output = right_output(*state, one);
    double near = cake_number_load(CAKE_DTYPE_BF16, output, 5 * 8 + 3);
    cake_number_store(CAKE_DTYPE_BF16, output, 5 * 8 + 3, near + fmax(0.25, fabs(near) / 50));
    cake_number_store(CAKE_DTYPE_BF16, output, 18 * 8 + 7, (double)NAN);
    cake_number_store(CAKE_DTYPE_BF16, output, 18 * 8 + 6, (double)INFINITY);
    cake_comparison result = compare(one, 2, output);
    assert_int_equal(result.mismatches, 3);
    assert_int_equal(result.unwritten, 0);
    assert_true(result.has_first && result.worst > 1);
    assert_int_equal(result.first.rank, 2);
    assert_int_equal(result.first.index[0], 5);
    assert_int_equal(result.first.index[1], 3);
    assert_true(fabs(result.first.want - product(one, 5, 3, 300)) < 1e-11);
    assert_true(fabs(result.first.got - result.first.want) > result.first.allowed);
}

static void test_dropping_one_term_in_300_is_found(void **state) {
    cake_case *one = start(*state, gemm);
    unsigned char *output = right_output(*state, one);
    for (int64_t m = 0; m < 19; m++)
        for (int64_t n = 0; n < 8; n++)
            cake_number_store(CAKE_DTYPE_BF16, output, (uint64_t)(m * 8 + n), product(one, m, n, 299));
    assert_true(compare(one, 2, output).mismatches > 0);
}

static void test_unwritten_elements_are_found_in_large_outputs(void **state) {
    fixture *used = *state;
    cake_workload *workload = parse(used, gemm);
    cake_case *one;
    cake_status status = cake_case_create(&used->arena, workload, "large", NULL, 0, 1, &one);
    assert_string_equal(status.message, "");
    status = cake_case_generate(one);
    assert_string_equal(status.message, "");
    unsigned char *zeros = cake_arena_alloc(&used->arena, one->tensors.items[2].bytes);
    cake_comparison none = compare(one, 2, one->tensors.items[2].data);
    assert_int_equal(none.count, 4096 * 4096);
    assert_int_equal(none.unwritten, 4096 * 4096);
    memset(zeros + 2 * (1234 * 4096 + 777), 0xFF, 2);
    cake_comparison one_left = compare(one, 2, zeros);
    assert_true(one_left.checked >= 1000 && one_left.checked < one_left.count);
    assert_true(one_left.unwritten == 1 && one_left.mismatches > one_left.checked * 9 / 10);
}

static void test_exact_data_leaves_no_slack(void **state) {
    cake_case *one = start(*state, HEAD "shape s(M = 4, K = 64)\n"
                                        "input a: bf16[M, K] integers(-2, 2)\n"
                                        "output c: f32[M] = sum(a[m, k] * a[m, k] over k)\n"
                                        "output d: i32[M] = sum(cast i32 a[m, k] over k)\n"
                                        "output e: f32[M] = sum(a[m, k] over k) tolerance abs 2 rel 0.5\n");
    double value, error;
    cake_status status = cake_case_reference(one, 1, (int64_t[]){2}, &value, &error);
    assert_string_equal(status.message, "");
    assert_true(error == 0);
    int32_t sums[4];
    float loose[4];
    for (int64_t m = 0; m < 4; m++) {
        status = cake_case_reference(one, 2, &m, &value, &error);
        assert_string_equal(status.message, "");
        sums[m] = (int32_t)value;
        loose[m] = (float)(value + 2 + 0.49 * fabs(value));
    }
    assert_int_equal(compare(one, 2, sums).mismatches, 0);
    sums[3]++;
    assert_int_equal(compare(one, 2, sums).mismatches, 1);
    assert_int_equal(compare(one, 3, loose).mismatches, 0);
}

/* The neighbour below 1 is half a place of 1 away. */
static void test_copies_are_exact(void **state) {
    cake_case *one = start(*state, HEAD "shape s(N = 2)\ninput x: bf16[N] constant(1)\noutput y: bf16[N] = x[n]\n");
    static const uint16_t got[2] = {0x3F80, 0x3F7F};
    cake_comparison result = compare(one, 1, got);
    assert_int_equal(result.mismatches, 1);
    assert_int_equal(result.first.index[0], 1);
    assert_true(result.first.allowed == 0);
}

static void test_specials_compare(void **state) {
    cake_case *one = start(*state, HEAD "shape s(N = 4)\n"
                                        "input x: f32[N] = select(n == 0, nan, select(n == 1, inf, 70000.0))\n"
                                        "output y: f16[N] = x[n]\n"
                                        "inout z: f32[N] constant(5) = z[n] + 1\n");
    static const uint16_t same[4] = {0x7E00, 0x7C00, 0x7C00, 0x7BFF}, other[4] = {0, 0x7BFF, 0x7E00, 0xFC00};
    assert_int_equal(compare(one, 1, same).mismatches, 0);
    assert_int_equal(compare(one, 1, other).mismatches, 4);
    assert_int_equal(compare(one, 2, (float[]){6, 6, 6, 6}).mismatches, 0);
    assert_int_equal(compare(one, 2, one->tensors.items[2].data).mismatches, 4);
}

/* ---- what is wrong with cases ---- */

static void test_dimensions(void **state) {
    fixture *used = *state;
    static const struct {
        const char *shape, *name;
        int64_t value;
        cake_status_kind kind;
        const char *message; /* part of it */
    } rows[] = {
        {NULL, "M", 5, CAKE_STATUS_OK, ""},
        {"large", "M", 0, CAKE_STATUS_OK, ""},
        {"huge", "M", 5, CAKE_STATUS_INVALID, "no shape 'huge'; it has small, large"},
        {NULL, "BM", 5, CAKE_STATUS_INVALID, "no dimension 'BM'; it has M, N, K"},
        {NULL, "M", -1, CAKE_STATUS_INVALID, "'M' cannot be -1"},
        {NULL, "M", INT64_MAX, CAKE_STATUS_INVALID, "'M' cannot be"},
        {"large", "M", INT64_C(1) << 50, CAKE_STATUS_INVALID, "more than any memory holds"},
        {"large", "M", INT64_C(1) << 40, CAKE_STATUS_NO_MEMORY, "MiB are allowed"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cake_case *one;
        cake_case_dimension chosen = {rows[i].name, rows[i].value};
        cake_workload *workload = parse(used, gemm);
        cake_status status = cake_case_create(&used->arena, workload, rows[i].shape, &chosen, 1, 1, &one);
        if (status.kind == CAKE_STATUS_OK && rows[i].kind == CAKE_STATUS_NO_MEMORY) status = cake_case_generate(one);
        if (status.kind != rows[i].kind || !strstr(status.message, rows[i].message))
            fail_msg("row %zu: %s", i, status.message);
    }
    int64_t value;
    cake_workload *workload = parse(used, gemm);
    assert_true(cake_workload_shape_value(&used->arena, workload, "large", "K", &value) && value == 64);
    assert_true(cake_workload_shape_value(&used->arena, workload, NULL, "M", &value) && value == 19);
    assert_false(cake_workload_shape_value(&used->arena, workload, "none", "M", &value));
    assert_true(cake_workload_has_dimension(workload, "N") && !cake_workload_has_dimension(workload, "n"));
}

static void test_derived_dimensions_follow(void **state) {
    fixture *used = *state;
    cake_workload *workload = parse(used, HEAD "shape s(N = 10, B = cdiv(N, 4))\n"
                                               "input x: f32[N] index\noutput y: f32[B, 4] = 0\n");
    cake_case *one;
    cake_case_dimension chosen = {"N", 17};
    cake_status status = cake_case_create(&used->arena, workload, NULL, &chosen, 1, 1, &one);
    assert_string_equal(status.message, "");
    assert_int_equal(one->dimensions.items[1].value, 5);
    assert_int_equal(one->tensors.items[1].count, 20);
}

static void test_references_that_cannot_be_worked_out(void **state) {
    fixture *used = *state;
    static const struct {
        const char *output, *message;
    } rows[] = {
        {"output y: f32[N] = x[n + 1]", "reads outside"},
        {"output y: f32[N] = sum(1.0 over k in 0 .. 1 << 50)", "too much work"},
        {"output y: f32[N] = sum(sum(1.0 over k in 0 .. 1 << 20, j in 0 .. 0) over i in 0 .. 1 << 20)",
         "too much work"},
        {"output y: f32[N] = 1.0 / (sin(x[n] * 0.000000001 + 0.5) - sin(0.5))", "no tolerance can be derived"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[300];
        snprintf(text, sizeof text, HEAD "shape s(N = 4)\ninput x: f32[N] index\n%s\n", rows[i].output);
        cake_case *one = start(used, text);
        cake_comparison result;
        cake_status status = cake_case_compare(one, 1, one->tensors.items[1].data, &result);
        if (status.kind != CAKE_STATUS_INVALID || !strstr(status.message, rows[i].message))
            fail_msg("row %zu: %s", i, status.message);
    }
}

/* ---- what is wrong with workloads ---- */

static void test_mistakes(void **state) {
    fixture *used = *state;
    static const struct {
        const char *lines, *codes; /* in order */
    } rows[] = {
        {"output y: f32[N] = x[n]\n", ""},
        {"shape tile(N = 9)\noutput y: f32[N] = x[n]\n", ""},
        {"outptu y: f32[N] = x[n]\noutput y: f32[N] = x[n]\n", "W101"},
        {"workload u for v\noutput y: f32[N] = x[n]\n", "W102"},
        {"input x: f32[N] index\noutput y: f32[N] = x[n]\n", "W103"},
        {"shape s(N = 3)\noutput y: f32[N] = x[n]\n", "W103"},
        {"output y: f32[N] = sum(x[n] over n)\n", "W103"},
        {"output y: f32[N] = z[n] + w\noutput q: f32[N] = y[n]\noutput r: f32[N] = foo(1)\n", "W104 W104 W104 W104"},
        {"input i: f32[x + 1] normal(n, 1)\noutput y: f32[N] = x[n]\n", "W104"},
        {"output y: f32[N] = load x[n]\n", "W105"},
        {"output y: f32[N] = x[n :+ 4]\n", "W105"},
        {"output y: f32[N] = sum(x[n], axis=0)\n", "W107"},
        {"output y: f32[N] = x[n, n] + x\n", "W106 W106"},
        {"output y: f32[N] = exp(x[n], 1.0)\n", "W106"},
        {"output y: f32[N] = sum(1.0 over k)\n", "W107"},
        {"output y: f32[N] = sum(x[n])\n", "W107"},
        {"let l[z] = 1.0\noutput y: f32[N] = l[n]\n", "W107"},
        {"output y: f32[N] = select(x[n], 1.0, 2.0)\n", "W108"},
        {"output y: f32[N] = x[x[n]]\n", "W108"},
        {"output y: f32[N] = x[n] % 2\n", "W105"},
        {"output y: f32[N] = (x[n] > 1) + 1\n", "W108"},
        {"output y: f32[N] = x[n] > 1\n", "W108"},
        {"output y: f32[N, N] = x[n]\n", "W109"},
        {"output y[i, i]: f32[N, N] = x[i]\n", "W103"},
        {"output y[i]: f32[N, N] = x[i]\n", "W106"},
        {"shape t(M = 4)\noutput y: f32[N] = x[n]\n", "W110 W110"},
        {"shape t(N = 4, N = 5)\noutput y: f32[N] = x[n]\n", "W110"},
        {"input z: f32[N] gauss(0, 1)\noutput y: f32[N] = x[n]\n", "W111"},
        {"output y: f32[N] = x[n] tolerance loose\n", "W112"},
        {"input z: f32[N] index\n", "W114"},
        {"output y: f32[N] = x[n] +\n", "L105"},
        {"output y: f32[N] = x[n] x[n]\n", "W101"},
        {"output y: f32[1, 1, 1, 1, 1, 1, 1, 1, 1] = 0\n", "W106"},
        {"let l = foo(1)\noutput y: f32[N] = l + l\n", "W104"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[500], codes[200] = "";
        snprintf(text, sizeof text, HEAD "shape s(N = 4)\ninput x: f32[N] index\n%s", rows[i].lines);
        cake_workload *workload = parse(used, text);
        for (uint32_t k = 0; k < used->diagnostics.list.count; k++) {
            const cake_diagnostic *diagnostic = used->diagnostics.list.items[k];
            snprintf(codes + strlen(codes), sizeof codes - strlen(codes), "%s%s", k ? " " : "",
                     cake_diagnostic_info_of(diagnostic->code)->code);
            assert_true(diagnostic->span.begin <= diagnostic->span.end && diagnostic->span.end <= strlen(text));
        }
        if (strcmp(codes, rows[i].codes) != 0) {
            cake_diagnostics_print(&used->diagnostics, stderr);
            fail_msg("%sgives '%s', not '%s'", rows[i].lines, codes, rows[i].codes);
        }
        cake_case *one;
        cake_status status = cake_case_create(&used->arena, workload, NULL, NULL, 0, 0, &one);
        assert_int_equal(status.kind, *codes ? CAKE_STATUS_INVALID : CAKE_STATUS_OK);
    }
}

static void test_limits(void **state) {
    fixture *used = *state;
    cake_text text;
    cake_text_init(&text, &used->arena);
    cake_text_add_string(&text, HEAD "let a0 = 1.0\n");
    for (int i = 1; i < 1900; i++)
        cake_text_format(&text, "let a%d = a%d + a%d\n", i, i - 1, i - 1);
    cake_text_add_string(&text, "output y: f32 = a1899\n");
    parse(used, cake_text_string(&text));
    assert_int_equal(used->diagnostics.error_count, 1);
    assert_int_equal(used->diagnostics.list.items[0]->code, CAKE_W113);
    cake_text_init(&text, &used->arena);
    cake_text_add_string(&text, HEAD);
    for (int i = 1; i < 30000; i++)
        cake_text_format(&text, "output y%d: f32 = 1.0 + 2.0 * 3.0\n", i);
    parse(used, cake_text_string(&text));
    assert_true(used->diagnostics.error_count > 0);
}

/* Lets that double at every step are worked out once, not 2^60 times. */
static void test_doubling_lets_end(void **state) {
    fixture *used = *state;
    cake_text text;
    cake_text_init(&text, &used->arena);
    cake_text_add_string(&text, HEAD "shape s(N = 4)\nlet a0[n] = sum(1.0 over j in 0 .. 2)\n");
    for (int i = 1; i < 60; i++)
        cake_text_format(&text, "let a%d[n] = a%d[n] * 0.5 + a%d[n] * 0.5\n", i, i - 1, i - 1);
    cake_text_add_string(&text, "output y: f32[N] = a59[n]\n");
    double value, error;
    cake_status status = cake_case_reference(start(used, cake_text_string(&text)), 0, (int64_t[]){1}, &value, &error);
    assert_string_equal(status.message, "");
    assert_true(value == 2);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_every_small_float_round_trips),
        TEST(test_rounding_is_to_nearest_even),
        TEST(test_f32_encodes_as_the_machine_does),
        TEST(test_conversions_at_the_ends),
        TEST(test_expressions),
        TEST(test_product_agrees_with_loops),
        TEST(test_lets_agree_with_loops),
        TEST(test_data_depends_on_seed_alone),
        TEST(test_distributions),
        TEST(test_right_output_passes),
        TEST(test_wrong_elements_are_found),
        TEST(test_dropping_one_term_in_300_is_found),
        TEST(test_unwritten_elements_are_found_in_large_outputs),
        TEST(test_exact_data_leaves_no_slack),
        TEST(test_copies_are_exact),
        TEST(test_specials_compare),
        TEST(test_dimensions),
        TEST(test_derived_dimensions_follow),
        TEST(test_references_that_cannot_be_worked_out),
        TEST(test_mistakes),
        TEST(test_limits),
        TEST(test_doubling_lets_end),
    };
#undef TEST
    return cmocka_run_group_tests_name("oracle", tests, NULL, NULL);
}
