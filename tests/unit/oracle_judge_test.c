/* The oracle where an output is not unique or not compared whole: tensors that hold values in any order, properties,
 * domains, and what norms find beside a sample. */
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

#define HEAD "workload t for t\n"

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

static cake_comparison compare(cake_case *one, uint32_t tensor, const void *got) {
    cake_comparison result;
    cake_status status = cake_case_compare(one, tensor, got, &result);
    assert_string_equal(status.message, "");
    return result;
}

static cake_comparison judge(cake_case *one, uint32_t property, uint32_t tensor, const void *got) {
    cake_comparison result;
    const void *written[8] = {0};
    written[tensor] = got;
    cake_status status = cake_case_judge_property(one, property, written, &result);
    assert_string_equal(status.message, "");
    return result;
}

/* ---- holds ---- */

static void check_collection(const cake_comparison *result, uint64_t mismatches, int64_t index, double got,
                             double want) {
    assert_int_equal(result->mismatches, mismatches);
    assert_int_equal(result->checked, result->count);
    assert_int_equal(result->has_first, mismatches > 0);
    if (!mismatches) return;
    assert_int_equal(result->first.index[0], index);
    assert_true(result->first.got == got && result->first.want == want && result->first.allowed == 0);
}

static void test_a_table_holds_each_key_once(void **state) {
    cake_case *one = start(*state, HEAD "shape s(N = 6, C = 5)\n"
                                        "input keys[n]: i64[N] = n % 3 * 10\n"
                                        "inout table: i64[C] constant(-1) holds once keys[n] over n else -1\n");
    static const struct {
        int64_t table[5];
        uint64_t mismatches;
        int64_t index;
        double got, want;
    } rows[] = {
        {{0, 10, 20, -1, -1}, 0, 0, 0, 0},   {{-1, 20, 0, -1, 10}, 0, 0, 0, 0}, {{0, 10, 20, 10, -1}, 1, 3, 10, -1},
        {{0, 10, -1, -1, -1}, 1, 4, -1, 20}, {{7, 10, 20, -1, -1}, 1, 0, 7, 0}, {{-1, -1, -1, -1, -1}, 3, 2, -1, 0},
        {{0, 10, 20, -1, 30}, 1, 4, 30, -1}, {{0, 0, 0, 10, 20}, 2, 1, 0, -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cake_comparison result = compare(one, 1, rows[i].table);
        check_collection(&result, rows[i].mismatches, rows[i].index, rows[i].got, rows[i].want);
        assert_int_equal(result.unwritten, 0);
    }
}

static void test_an_output_holds_chosen_values_in_any_order(void **state) {
    cake_case *one = start(*state, HEAD "shape s(M = 2, N = 3)\n"
                                        "input x: f32[M, N] = m * 3 + n - 1\n" /* -1 0 1 2 3 4 */
                                        "output y: f32[M, N] holds x[m, n] over m, n where x[m, n] > 0 else 0.0\n"
                                        "output z: f32[M, N] holds min(x[m, n], 1.0) over m, n\n"
                                        "output f: bool[N] holds x[0, n] > 0 over n\n");
    cake_comparison result = compare(one, 1, (float[]){4, 3, 0, 1, 0, 2});
    check_collection(&result, 0, 0, 0, 0);
    result = compare(one, 1, (float[]){4, 3, 3, 1, 0, 0});
    assert_true(result.mismatches == 1 && result.first.index[0] == 0 && result.first.index[1] == 2);
    assert_true(result.first.got == 3 && result.first.want == 2);
    result = compare(one, 2, (float[]){1, -1, 1, 1, 0, 1});
    check_collection(&result, 0, 0, 0, 0);
    result = compare(one, 2, (float[]){1, -1, 1, 1, 0, 0});
    assert_true(result.mismatches == 1 && result.first.index[1] == 2 && result.first.want == 1);
    result = compare(one, 2, one->tensors.items[2].data);
    assert_true(result.mismatches == 6 && result.unwritten == 6 && isnan(result.first.got));
    result = compare(one, 3, (unsigned char[]){7, 0, 0});
    check_collection(&result, 0, 0, 0, 0);
}

/* ---- properties ---- */

static const char permutation[] = HEAD "shape s(N = 1000)\n"
                                       "input x: f32[N] normal(0, 1)\n"
                                       "output at: i32[N]\n"
                                       "property sorted[i in 0 .. N - 1] = x[at[i]] <= x[at[i + 1]]\n"
                                       "property each[n] = count(at[i] == n over i in 0 .. N) == 1\n"
                                       "property sum = sum(at[i] over i in 0 .. N) == N * (N - 1) / 2\n";

static int by_value(const void *left, const void *right) {
    const float *a = *(const float *const *)left, *b = *(const float *const *)right;
    return (*a > *b) - (*a < *b);
}

static void test_properties_of_a_permutation(void **state) {
    cake_case *one = start(*state, permutation);
    const float *x = one->tensors.items[0].data, *places[1000];
    int32_t order[1000];
    assert_int_equal(one->workload->properties.count, 3);
    assert_string_equal(one->workload->properties.items[1], "each");
    assert_false(one->tensors.items[1].judged);
    for (int i = 0; i < 1000; i++)
        places[i] = x + i;
    qsort(places, 1000, sizeof *places, by_value);
    for (int i = 0; i < 1000; i++)
        order[i] = (int32_t)(places[i] - x);
    for (uint32_t i = 0; i < 3; i++) {
        cake_comparison right = judge(one, i, 1, order);
        assert_true(right.mismatches == 0 && right.checked == right.count && !right.has_first);
        assert_int_equal(right.count, i == 0 ? 999 : i == 1 ? 1000 : 1);
    }
    order[499] = order[500];
    cake_comparison wrong = judge(one, 1, 1, order);
    assert_int_equal(wrong.mismatches, 2);
    assert_int_equal(judge(one, 2, 1, order).mismatches, 1);
    assert_int_equal(judge(one, 0, 1, order).mismatches, 0);
    order[3] = 1 << 20; /* outside: nothing is sorted there */
    wrong = judge(one, 0, 1, order);
    assert_int_equal(wrong.mismatches, 2);
    assert_true(wrong.first.rank == 1 && wrong.first.index[0] == 2 && wrong.first.got == 0 && wrong.first.want == 1);
}

/* A let sees an inout as it was made, a property as it was written. */
static void test_properties_see_both_ends(void **state) {
    cake_case *one = start(*state, HEAD "shape s(M = 2, N = 300)\n"
                                        "inout x: i32[M, N] index\n"
                                        "let before[m, n] = x[m, n]\n"
                                        "property grown[m, n] = x[m, n] > before[m, n]\n");
    int32_t got[600];
    for (int i = 0; i < 600; i++)
        got[i] = i + 1;
    assert_int_equal(judge(one, 0, 0, got).mismatches, 0);
    got[300 + 17] = 0;
    cake_comparison wrong = judge(one, 0, 0, got);
    assert_true(wrong.mismatches == 1 && wrong.first.index[0] == 1 && wrong.first.index[1] == 17);
    assert_int_equal(judge(one, 0, 0, one->tensors.items[0].data).mismatches, 600);
}

static void test_large_properties_are_sampled(void **state) {
    fixture *used = *state;
    cake_case *one = start(used, HEAD "shape s(N = 100000)\noutput y: i32[N]\n"
                                      "property each[n] = any(y[i] == n over i in 0 .. N)\n");
    int32_t *got = cake_arena_alloc(&used->arena, 400000);
    for (int32_t i = 0; i < 100000; i++)
        got[i] = 99999 - i;
    cake_comparison right = judge(one, 0, 0, got);
    assert_true(right.mismatches == 0 && right.checked >= 1000 && right.checked < right.count);
    got[0] = 0; /* 99999 is missing: the last index is always judged */
    assert_int_equal(judge(one, 0, 0, got).mismatches, 1);
}

static void test_judgements_that_cannot_be_worked_out(void **state) {
    fixture *used = *state;
    static const struct {
        const char *line, *message;
    } rows[] = {
        {"output y: f32[N] holds x[k + 1] over k in 0 .. N", "reads outside"},
        {"output y: f32[N] holds exp(x[n]) over n", "compares exactly"},
        {"output y: f32[N] holds x[n] over n, k in 0 .. 2", "has 4 elements, but holds at least 5 values"},
        {"output y: f32[N] holds x[n] over n where n > 0", "has 4 elements, but holds 3 values"},
        {"output y: f32[N] holds once x[n] * 0 over n", "has 4 elements, but holds 1 values"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[300];
        snprintf(text, sizeof text, HEAD "shape s(N = 4)\ninput x: f32[N] index\n%s\n", rows[i].line);
        cake_case *one = start(used, text);
        cake_comparison result;
        cake_status status = cake_case_compare(one, 1, one->tensors.items[1].data, &result);
        if (status.kind != CAKE_STATUS_INVALID || !strstr(status.message, rows[i].message))
            fail_msg("row %zu: %s", i, status.message);
    }
    cake_case *one = start(used, HEAD "output y: f32[4]\nproperty p = sum(y[0] over i in 0 .. 1 << 50) > 0\n");
    const void *written[1] = {one->tensors.items[0].data};
    cake_comparison result;
    cake_status status = cake_case_judge_property(one, 0, written, &result);
    assert_true(status.kind == CAKE_STATUS_INVALID && strstr(status.message, "property 'p' takes too much work"));
}

/* ---- domains ---- */

static void test_domains(void **state) {
    fixture *used = *state;
    static const char text[] = HEAD "shape s(M = 8, N = 64)\nshape t(M = 1, N = 8)\n"
                                    "domain 1 <= M <= 100, N % 8 == 0\ndomain M <= N\n"
                                    "output y: f32[M, N] = 0\n";
    static const struct {
        const char *name;
        int64_t value;
        const char *message; /* part of it */
    } rows[] = {
        {"M", 64, ""},
        {"M", 0, "'1 <= M <= 100' does not hold"},
        {"N", 12, "'N % 8 == 0' does not hold"},
        {"M", 65, "'M <= N' does not hold"},
    };
    cake_workload *workload = parse(used, text);
    assert_int_equal(used->diagnostics.error_count, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cake_case *one;
        cake_case_dimension chosen = {rows[i].name, rows[i].value};
        cake_status status = cake_case_create(&used->arena, workload, NULL, &chosen, 1, 0, &one);
        assert_int_equal(status.kind, *rows[i].message ? CAKE_STATUS_INVALID : CAKE_STATUS_OK);
        if (!strstr(status.message, rows[i].message)) fail_msg("row %zu: %s", i, status.message);
    }
}

/* ---- what is wrong with workloads ---- */

static void test_mistakes(void **state) {
    fixture *used = *state;
    static const struct {
        const char *lines, *codes; /* in order */
    } rows[] = {
        {"output y: f32[N] holds x[n] over n\n", ""},
        {"output y: f32[N]\n", "W114"},
        {"output y: f32[N] tolerance abs 1\n", "W101"},
        {"output y: f32[N] holds x[n]\n", "L105"},
        {"output y: f32[N] holds x[n] over k + 1\n", "W105"},
        {"output y: f32[N] holds 1.0 over k\n", "W107"},
        {"output y: f32[N] holds x[n] over n where x[n]\n", "W108"},
        {"output y: f32[N] holds x[n] > 1 over n\n", "W108"},
        {"output y: f32[N] holds x[n] over n else x[0]\n", "W104"},
        {"output y: f32[N] holds x[n] over n else n\n", "W104"},
        {"output y: f32[N] holds y[n] over n\n", "W104"},
        {"output y: f32[N]\nproperty p[n] = y[n] > x[n]\n", ""},
        {"output y: f32[N]\nproperty p[n] = x[n] > 0\n", "W114"},
        {"output y: f32[N]\nproperty p[n] = y[n]\n", "W108"},
        {"output y: f32[N]\nproperty p[i in 1 .. N] = y[i] > 0\n", "W107"},
        {"output y: f32[N]\nproperty p[i] = N > 0\n", "W107"},
        {"output y: f32[N]\nproperty p[i] = y[i] > 0\nproperty p = y[0] > 0\n", "W103"},
        {"output y: f32[N]\nlet l = y[0]\nproperty p = l > 0\n", "W104"},
        {"domain N > 3, N < 5\noutput y: f32[N] = 0\n", ""},
        {"domain N > 4\noutput y: f32[N] = 0\n", "W110"},
        {"domain N\noutput y: f32[N] = 0\n", "W108"},
        {"domain Q > 4\noutput y: f32[N] = 0\n", "W104"},
        {"domain x[0] > 4.0\noutput y: f32[N] = 0\n", "W104"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[500], codes[200] = "";
        snprintf(text, sizeof text, HEAD "shape s(N = 4)\ninput x: f32[N] index\n%s", rows[i].lines);
        cake_workload *workload = parse(used, text);
        for (uint32_t k = 0; k < used->diagnostics.list.count; k++)
            snprintf(codes + strlen(codes), sizeof codes - strlen(codes), "%s%s", k ? " " : "",
                     cake_diagnostic_info_of(used->diagnostics.list.items[k]->code)->code);
        if (strcmp(codes, rows[i].codes) != 0) {
            cake_diagnostics_print(&used->diagnostics, stderr);
            fail_msg("%sgives '%s', not '%s'", rows[i].lines, codes, rows[i].codes);
        }
        cake_case *one;
        cake_status status = cake_case_create(&used->arena, workload, NULL, NULL, 0, 0, &one);
        assert_int_equal(status.kind, *codes ? CAKE_STATUS_INVALID : CAKE_STATUS_OK);
    }
}

/* ---- norms ---- */

/* A reference whose elements cost enough that few of them are judged, but are easy to make here: sum x[k] over k is s.
 */
static const char dear[] = HEAD "shape s(M = 4096, N = 4096, K = 50000)\n"
                                "input x: f32[K] integers(-1, 2)\n"
                                "output y[i, j]: f32[M, N] = sum(x[k] over k) + (i * 7 + j * 13) % 97\n";

static void test_norms_lead_the_sample(void **state) {
    fixture *used = *state;
    cake_case *one = start(used, dear);
    const float *x = one->tensors.items[0].data;
    float *got = cake_arena_alloc(&used->arena, one->tensors.items[1].bytes), sum = 0;
    double squares = 0;
    for (int k = 0; k < 50000; k++)
        sum += x[k];
    for (int64_t i = 0; i < 4096; i++)
        for (int64_t j = 0; j < 4096; j++) {
            float value = sum + (float)((i * 7 + j * 13) % 97);
            got[i * 4096 + j] = value;
            squares += (double)value * (double)value;
        }
    cake_comparison right = compare(one, 1, got);
    assert_int_equal(right.mismatches, 0);
    assert_true(right.checked > 100 && right.checked < right.count / 100);
    assert_true(fabs(right.norm / sqrt(squares) - 1) < 1e-6);
    memset(got + 1234 * 4096 + 512, 0, 128 * sizeof *got);
    cake_comparison wrong = compare(one, 1, got);
    assert_true(wrong.mismatches >= 1 && wrong.first.got == 0);
    assert_true(wrong.first.index[0] == 1234 && wrong.first.index[1] >= 512 && wrong.first.index[1] < 640);
    for (int64_t j = 512; j < 640; j++)
        got[1234 * 4096 + j] = 2 * sum;
    got[2000 * 4096 + 2000] = (float)INFINITY;
    wrong = compare(one, 1, got);
    assert_true(wrong.mismatches >= 2 && wrong.first.index[0] == 1234 && wrong.first.got == 2 * (double)sum);
    assert_true(isfinite(wrong.norm));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_a_table_holds_each_key_once),
        TEST(test_an_output_holds_chosen_values_in_any_order),
        TEST(test_properties_of_a_permutation),
        TEST(test_properties_see_both_ends),
        TEST(test_large_properties_are_sampled),
        TEST(test_judgements_that_cannot_be_worked_out),
        TEST(test_domains),
        TEST(test_mistakes),
        TEST(test_norms_lead_the_sample),
    };
#undef TEST
    return cmocka_run_group_tests_name("oracle_judge", tests, NULL, NULL);
}
