/* What the examples' workloads ask for, against loops written out by hand: a workload whose expression says something
 * else than its kernel's purpose would pass a wrong kernel. Every shape that a second of loops can do is tried; an
 * output whose last element is changed must be wrong there and nowhere else. */
#include "oracle/number.h"
#include "oracle/oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

/* cmocka needs the headers above first. */
#include <cmocka.h>

#define MOST_WORK     1e8 /* inner steps of the loops below */
#define MOST_ELEMENTS (1 << 20)
#define MOST_TENSORS  16

/* ---- access, not the oracle's own ---- */

static int64_t dimension(const cake_case *one, const char *name) {
    for (uint32_t i = 0; i < one->dimensions.count; i++)
        if (strcmp(one->dimensions.items[i].name, name) == 0) return one->dimensions.items[i].value;
    fail_msg("no dimension %s", name);
    return 0;
}

static void *data(cake_case *one, const char *name) {
    cake_case_tensor *tensor = cake_case_tensor_find(one, name);
    assert_non_null(tensor);
    return tensor->data;
}

static double from_bf16(uint16_t bits) {
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return (double)value;
}

/* To nearest, ties to even; finite values only. */
static uint16_t to_bf16(double value) {
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

/* ---- the examples ---- */

static void vector_add(cake_case *one, void *out) {
    int64_t n = dimension(one, "N");
    const float *x = data(one, "x"), *y = data(one, "y");
    float *z = out;
    for (int64_t i = 0; i < n; i++)
        z[i] = x[i] + y[i];
}

static void rowsum(cake_case *one, void *out) {
    int64_t m = dimension(one, "M"), n = dimension(one, "N");
    const uint16_t *x = data(one, "x");
    float *y = out;
    for (int64_t i = 0; i < m; i++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++)
            sum += from_bf16(x[i * n + j]);
        y[i] = (float)sum;
    }
}

static void transpose(cake_case *one, void *out) {
    int64_t m = dimension(one, "M"), n = dimension(one, "N");
    const uint16_t *x = data(one, "x");
    uint16_t *y = out;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            y[j * m + i] = x[i * n + j];
}

static void rmsnorm(cake_case *one, void *out) {
    int64_t m = dimension(one, "M"), n = dimension(one, "N");
    const uint16_t *x = data(one, "x"), *g = data(one, "g");
    uint16_t *y = out;
    for (int64_t i = 0; i < m; i++, x += n, y += n) {
        double squares = 0;
        for (int64_t j = 0; j < n; j++)
            squares += from_bf16(x[j]) * from_bf16(x[j]);
        double root = sqrt(squares / (double)n + 1e-6);
        for (int64_t j = 0; j < n; j++)
            y[j] = to_bf16(from_bf16(x[j]) / root * from_bf16(g[j]));
    }
}

static void layernorm(cake_case *one, void *out) {
    int64_t m = dimension(one, "M"), n = dimension(one, "N");
    const uint16_t *x = data(one, "x"), *g = data(one, "g"), *b = data(one, "b");
    uint16_t *y = out;
    for (int64_t i = 0; i < m; i++, x += n, y += n) {
        double sum = 0, squares = 0;
        for (int64_t j = 0; j < n; j++)
            sum += from_bf16(x[j]);
        double mean = sum / (double)n;
        for (int64_t j = 0; j < n; j++)
            squares += pow(from_bf16(x[j]) - mean, 2);
        double root = sqrt(squares / (double)n + 1e-5);
        for (int64_t j = 0; j < n; j++)
            y[j] = to_bf16((from_bf16(x[j]) - mean) / root * from_bf16(g[j]) + from_bf16(b[j]));
    }
}

static double normalised(const uint16_t *x, const float *mean, const float *rstd, int64_t i, int64_t j, int64_t n) {
    return (from_bf16(x[i * n + j]) - (double)mean[i]) * (double)rstd[i];
}

static void layernorm_backward_dx(cake_case *one, void *out) {
    int64_t m = dimension(one, "M"), n = dimension(one, "N");
    const uint16_t *x = data(one, "x"), *g = data(one, "g"), *dy = data(one, "dy");
    const float *mean = data(one, "mean"), *rstd = data(one, "rstd");
    uint16_t *dx = out;
    for (int64_t i = 0; i < m; i++) {
        double with_h = 0, plain = 0;
        for (int64_t j = 0; j < n; j++) {
            double e = from_bf16(dy[i * n + j]) * from_bf16(g[j]);
            with_h += e * normalised(x, mean, rstd, i, j, n);
            plain += e;
        }
        for (int64_t j = 0; j < n; j++) {
            double e = from_bf16(dy[i * n + j]) * from_bf16(g[j]);
            double projected = (normalised(x, mean, rstd, i, j, n) * with_h + plain) / (double)n;
            dx[i * n + j] = to_bf16((e - projected) * (double)rstd[i]);
        }
    }
}

static void layernorm_backward_dg(cake_case *one, void *out) {
    int64_t m = dimension(one, "M"), n = dimension(one, "N");
    const uint16_t *x = data(one, "x"), *dy = data(one, "dy");
    const float *mean = data(one, "mean"), *rstd = data(one, "rstd");
    uint16_t *dg = out;
    for (int64_t j = 0; j < n; j++) {
        double sum = 0;
        for (int64_t i = 0; i < m; i++)
            sum += from_bf16(dy[i * n + j]) * normalised(x, mean, rstd, i, j, n);
        dg[j] = to_bf16(sum);
    }
}

static void softmax(cake_case *one, void *out) {
    int64_t m = dimension(one, "M"), n = dimension(one, "N");
    const uint16_t *x = data(one, "x");
    uint16_t *y = out;
    for (int64_t i = 0; i < m; i++, x += n, y += n) {
        double sum = 0; /* inputs are small enough to do without the maximum */
        for (int64_t j = 0; j < n; j++)
            sum += exp(from_bf16(x[j]));
        for (int64_t j = 0; j < n; j++)
            y[j] = to_bf16(exp(from_bf16(x[j])) / sum);
    }
}

static void gemm(cake_case *one, void *out) {
    int64_t m = dimension(one, "M"), n = dimension(one, "N"), k = dimension(one, "K");
    const uint16_t *a = data(one, "a"), *b = data(one, "b");
    uint16_t *c = out;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t l = 0; l < k; l++)
                sum += from_bf16(a[i * k + l]) * from_bf16(b[j * k + l]);
            c[i * n + j] = to_bf16(sum);
        }
}

static void gemm_gelu(cake_case *one, void *out) {
    int64_t m = dimension(one, "M"), n = dimension(one, "N"), k = dimension(one, "K");
    const uint16_t *a = data(one, "a"), *b = data(one, "b"), *bias = data(one, "bias"), *r = data(one, "r");
    uint16_t *c = out;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double x = from_bf16(bias[j]);
            for (int64_t l = 0; l < k; l++)
                x += from_bf16(a[i * k + l]) * from_bf16(b[j * k + l]);
            c[i * n + j] = to_bf16(x * erfc(-x * 0.70710678118654752) / 2 + from_bf16(r[i * n + j]));
        }
}

static void histogram(cake_case *one, void *out) {
    const uint8_t *x = data(one, "x");
    uint32_t *counts = out;
    memcpy(counts, data(one, "counts"), 256 * sizeof *counts);
    for (int64_t i = 0; i < dimension(one, "N"); i++)
        counts[x[i]]++;
}

/* Linear probing, one key after the other. */
static void insert(cake_case *one, void *out) {
    const int64_t *keys = data(one, "keys");
    uint64_t mask = (uint64_t)dimension(one, "C") - 1;
    int64_t *table = out;
    memset(table, 0xFF, (mask + 1) * sizeof *table);
    for (int64_t i = 0; i < dimension(one, "N"); i++) {
        uint64_t bits = (uint64_t)keys[i];
        uint64_t slot = (bits ^ bits >> 32) * UINT64_C(0x9E3779B97F4A7C15) >> 32 & mask;
        while (table[slot] != -1 && table[slot] != keys[i])
            slot = (slot + 1) & mask;
        table[slot] = keys[i];
    }
}

static double dot(const uint16_t *a, const uint16_t *b, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += from_bf16(a[i]) * from_bf16(b[i]);
    return sum;
}

/* One query: weights in bf16 where they multiply v, as any kernel on tensor cores has them. */
static void attend(const uint16_t *q, const uint16_t *k, const uint16_t *v, int64_t t, int64_t d, uint16_t *o) {
    double top = -HUGE_VAL, total = 0, sums[128] = {0};
    assert_true(d <= 128);
    for (int64_t j = 0; j < t; j++)
        top = fmax(top, dot(q, k + j * d, d));
    for (int64_t j = 0; j < t; j++) {
        double weight = exp((dot(q, k + j * d, d) - top) / sqrt((double)d));
        total += weight;
        for (int64_t l = 0; l < d; l++)
            sums[l] += from_bf16(to_bf16(weight)) * from_bf16(v[j * d + l]);
    }
    for (int64_t l = 0; l < d; l++)
        o[l] = to_bf16(sums[l] / total);
}

/* Causal: the last query sees all t keys, each one before it a key less. */
static void attend_all(cake_case *one, bool causal, void *out) {
    int64_t heads = dimension(one, "HQ"), shared = dimension(one, "HK");
    int64_t s = dimension(one, "S"), t = dimension(one, "T"), d = dimension(one, "D");
    const uint16_t *q = data(one, "q"), *k = data(one, "k"), *v = data(one, "v");
    uint16_t *o = out;
    for (int64_t b = 0; b < dimension(one, "B"); b++)
        for (int64_t h = 0; h < heads; h++) {
            int64_t keys = (b * shared + h * shared / heads) * t * d;
            for (int64_t i = 0; i < s; i++) {
                int64_t row = ((b * heads + h) * s + i) * d;
                attend(q + row, k + keys, v + keys, causal ? i + t - s + 1 : t, d, o + row);
            }
        }
}

static void attention(cake_case *one, void *out) {
    attend_all(one, false, out);
}

static void attention_causal(cake_case *one, void *out) {
    attend_all(one, true, out);
}

typedef struct example_case {
    const char *name, *output;
    const char *work; /* dimensions whose product is about the number of inner steps */
    void (*compute)(cake_case *one, void *out);
} example_case;

static const example_case examples[] = {
    {"vector_add", "z", "N", vector_add},
    {"rowsum", "y", "M N", rowsum},
    {"transpose", "y", "M N", transpose},
    {"rmsnorm", "y", "M N", rmsnorm},
    {"layernorm", "y", "M N", layernorm},
    {"softmax", "y", "M N", softmax},
    {"gemm_sm90a", "c", "M N K", gemm},
    {"gemm_cluster_sm90a", "c", "M N K", gemm},
    {"gemm_gelu_sm90a", "c", "M N K", gemm_gelu},
    {"histogram", "counts", "N", histogram},
    {"splitk_sm90a", "c", "M N K", gemm},
    {"layernorm_backward", "dx", "M N", layernorm_backward_dx},
    {"layernorm_backward", "dg", "M N", layernorm_backward_dg},
    {"hash_insert", "table", "N", insert},
    {"attention_sm90a", "o", "B HQ S T D", attention},
    {"attention_causal_sm90a", "o", "B HQ S T D", attention_causal},
};

/* ---- the test ---- */

static double work_of(const cake_case *one, const example_case *example) {
    double work = 1;
    for (uint32_t i = 0; i < one->dimensions.count; i++) {
        const char *name = one->dimensions.items[i].name, *found = strstr(example->work, name);
        char after = found ? found[strlen(name)] : 'x';
        if (after == ' ' || after == 0) work *= (double)one->dimensions.items[i].value;
    }
    return work;
}

static uint32_t output_of(const cake_case *one, const char *name) {
    for (uint32_t i = 0; i < one->tensors.count; i++)
        if (strcmp(one->tensors.items[i].name, name) == 0) return i;
    fail_msg("no tensor %s", name);
    return 0;
}

static cake_comparison judge(cake_case *one, uint32_t output, const void *got) {
    cake_comparison result;
    cake_status status = cake_case_compare(one, output, got, &result);
    if (status.kind != CAKE_STATUS_OK) fail_msg("%s", status.message);
    return result;
}

/* The properties of a computed output; the example's others are as they were. */
static void check_properties(cake_case *one, uint32_t output, const void *got) {
    const void *written[MOST_TENSORS] = {0};
    cake_comparison result;
    assert_true(one->tensors.count <= MOST_TENSORS);
    for (uint32_t i = 0; i < one->tensors.count; i++)
        written[i] = i == output ? got : one->tensors.items[i].data;
    for (uint32_t i = 0; i < one->workload->properties.count; i++) {
        cake_status status = cake_case_judge_property(one, i, written, &result);
        if (status.kind != CAKE_STATUS_OK) fail_msg("%s", status.message);
        if (result.mismatches) fail_msg("%s does not hold of %s", result.name, one->shape);
    }
}

static void check_data(cake_arena *arena, cake_case *one, uint32_t output, const example_case *example) {
    const cake_case_tensor *tensor = &one->tensors.items[output];
    uint8_t *out = cake_arena_alloc(arena, tensor->bytes);
    example->compute(one, out);
    check_properties(one, output, out);
    uint64_t last = tensor->count - 1;
    double right = cake_number_load(tensor->dtype, out, last);
    out[tensor->bytes - 1] ^= 0x40; /* the last element, far off; corners are always judged */
    cake_comparison result = judge(one, output, out);
    printf("%s %s: %llu of %llu checked\n", example->name, one->shape, (unsigned long long)result.checked,
           (unsigned long long)result.count);
    uint64_t first = 0;
    for (uint32_t axis = 0; axis < tensor->rank; axis++)
        first = first * (uint64_t)tensor->extents[axis] + (uint64_t)result.first.index[axis];
    if (result.mismatches != 1 || first != last)
        fail_msg("%llu wrong and not only the last; the first, at %llu, is %g instead of %g",
                 (unsigned long long)result.mismatches, (unsigned long long)first, result.first.got, result.first.want);
    assert_true(fabs(right - result.first.want) <= result.first.allowed);
}

static void check_shape(const cake_workload *workload, const char *shape, const example_case *example) {
    jmp_buf out_of_memory;
    cake_arena arena;
    cake_case *one;
    if (setjmp(out_of_memory)) fail_msg("the arena is exhausted");
    cake_arena_init(&arena, CAKE_CASE_ARENA_LIMIT, &out_of_memory);
    cake_status status = cake_case_create(&arena, workload, shape, NULL, 0, 1, &one);
    assert_string_equal(status.message, "");
    uint32_t output = output_of(one, example->output);
    if (work_of(one, example) <= MOST_WORK && one->tensors.items[output].count <= MOST_ELEMENTS) {
        status = cake_case_generate(one);
        assert_string_equal(status.message, "");
        check_data(&arena, one, output, example);
    }
    cake_arena_fini(&arena);
}

/* Reads the example's workload and gives it to 'use', with what is to be used. */
static void with_workload(const example_case *example,
                          void (*use)(const cake_workload *workload, const example_case *example)) {
    jmp_buf out_of_memory;
    cake_arena arena;
    cake_source source;
    cake_diagnostics diagnostics;
    if (setjmp(out_of_memory)) fail_msg("the arena is exhausted");
    cake_arena_init(&arena, CAKE_ARENA_DEFAULT_LIMIT, &out_of_memory);
    const char *path = cake_arena_format(&arena, "../../examples/%s/%s.work", example->name, example->name);
    cake_status status = cake_source_read(&arena, path, &source);
    assert_string_equal(status.message, "");
    cake_diagnostics_init(&diagnostics, &arena, &source);
    const cake_workload *workload = cake_workload_parse(&arena, &source, &diagnostics);
    if (diagnostics.error_count) cake_diagnostics_print(&diagnostics, stderr);
    assert_int_equal(diagnostics.error_count, 0);
    use(workload, example);
    cake_arena_fini(&arena);
}

static void check_example(const cake_workload *workload, const example_case *example) {
    assert_true(workload->shapes.count >= 6);
    for (uint32_t i = 0; i < workload->shapes.count; i++)
        check_shape(workload, workload->shapes.items[i], example);
}

static void test_references(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        with_workload(&examples[i], check_example);
}

/* A key that sits where probing does not come: the table holds what it should, and yet is wrong. */
static void misplace_key(const cake_workload *workload, const example_case *example) {
    jmp_buf out_of_memory;
    cake_arena arena;
    cake_case *one;
    cake_comparison result;
    if (setjmp(out_of_memory)) fail_msg("the arena is exhausted");
    cake_arena_init(&arena, CAKE_CASE_ARENA_LIMIT, &out_of_memory);
    cake_status status = cake_case_create(&arena, workload, "small", NULL, 0, 1, &one);
    if (status.kind == CAKE_STATUS_OK) status = cake_case_generate(one);
    assert_string_equal(status.message, "");
    uint32_t output = output_of(one, example->output);
    int64_t *table = cake_arena_alloc(&arena, one->tensors.items[output].bytes), from = 0;
    example->compute(one, table);
    while (table[from] == -1)
        from++;
    int64_t to = from + 2;
    while (table[to - 1] != -1 || table[to] != -1)
        to++;
    table[to] = table[from];
    table[from] = -1;
    assert_int_equal(judge(one, output, table).mismatches, 0);
    const void *written[MOST_TENSORS] = {0};
    written[output] = table;
    status = cake_case_judge_property(one, 0, written, &result);
    assert_string_equal(status.message, "");
    assert_true(result.mismatches > 0 && result.has_first);
    cake_arena_fini(&arena);
}

static void test_unreachable_keys_are_found(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        if (strcmp(examples[i].name, "hash_insert") == 0) with_workload(&examples[i], misplace_key);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_references),
                                       cmocka_unit_test(test_unreachable_keys_are_found)};
    return cmocka_run_group_tests_name("examples", tests, NULL, NULL);
}
