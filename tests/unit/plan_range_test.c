/* Ranges against brute force: sound for every pair, and no wider than needed where the function is monotone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan/range.h"

#define SMALLEST (-5)
#define LARGEST  6

static bool is_defined(cake_binary_op op, int64_t b) {
    if (op == CAKE_BINARY_DIV || op == CAKE_BINARY_MOD) return b > 0;
    return (op != CAKE_BINARY_SHL && op != CAKE_BINARY_SHR) || b >= 0;
}

static int64_t floor_div(int64_t a, int64_t b) {
    int64_t quotient = a / b;
    return quotient * b > a ? quotient - 1 : quotient;
}

static int64_t apply(cake_binary_op op, int64_t a, int64_t b) {
    switch (op) {
    case CAKE_BINARY_OR:
        return a | b;
    case CAKE_BINARY_XOR:
        return a ^ b;
    case CAKE_BINARY_AND:
        return a & b;
    case CAKE_BINARY_SHL:
        return a * ((int64_t)1 << b);
    case CAKE_BINARY_SHR:
        return floor_div(a, (int64_t)1 << b);
    case CAKE_BINARY_ADD:
        return a + b;
    case CAKE_BINARY_SUB:
        return a - b;
    case CAKE_BINARY_MUL:
        return a * b;
    case CAKE_BINARY_DIV:
        return floor_div(a, b);
    case CAKE_BINARY_MOD:
        return a - b * floor_div(a, b);
    case CAKE_BINARY_EQ:
        return a == b;
    case CAKE_BINARY_NE:
        return a != b;
    case CAKE_BINARY_LT:
        return a < b;
    case CAKE_BINARY_LE:
        return a <= b;
    case CAKE_BINARY_GT:
        return a > b;
    case CAKE_BINARY_GE:
        return a >= b;
    case CAKE_BINARY_COUNT:
        break;
    }
    fail();
    return 0;
}

/* Bit operations and modulo may give a wider range than needed. */
static bool is_tight(cake_binary_op op) {
    return op != CAKE_BINARY_OR && op != CAKE_BINARY_XOR && op != CAKE_BINARY_AND && op != CAKE_BINARY_MOD;
}

static void check_pair(cake_binary_op op, cake_range left, cake_range right) {
    cake_range range, exact = {INT64_MAX, INT64_MIN};
    bool defined = true;
    for (int64_t b = right.low; b <= right.high; b++) {
        defined = defined && is_defined(op, b);
        for (int64_t a = left.low; a <= left.high && defined; a++) {
            int64_t value = apply(op, a, b);
            if (value < exact.low) exact.low = value;
            if (value > exact.high) exact.high = value;
        }
    }
    assert_int_equal(cake_range_binary(op, left, right, &range), defined);
    if (!defined) return;
    assert_true(range.low <= exact.low && exact.high <= range.high);
    bool points = left.low == left.high && right.low == right.high;
    if (is_tight(op) || points) assert_true(range.low == exact.low && range.high == exact.high);
}

static void test_small_ranges(void **state) {
    (void)state;
    for (int op = 0; op < CAKE_BINARY_COUNT; op++)
        for (int64_t a = SMALLEST; a <= LARGEST; a++)
            for (int64_t b = a; b <= LARGEST; b++)
                for (int64_t c = SMALLEST; c <= LARGEST; c++)
                    for (int64_t d = c; d <= LARGEST; d++)
                        check_pair((cake_binary_op)op, (cake_range){a, b}, (cake_range){c, d});
}

/* Large ends are clamped, never wrapped: a range that is clamped still holds the true values as far as 64 bits do. */
static void test_large_ranges(void **state) {
    (void)state;
    static const int64_t ends[] = {-CAKE_RANGE_LIMIT, -((int64_t)1 << 40), -1, 0, 1, 62, (int64_t)1 << 31,
                                   (int64_t)1 << 40,  CAKE_RANGE_LIMIT};
    enum { count = sizeof ends / sizeof *ends };
    for (int op = 0; op < CAKE_BINARY_COUNT; op++)
        for (int a = 0; a < count; a++)
            for (int b = a; b < count; b++)
                for (int c = 0; c < count; c++)
                    for (int d = c; d < count; d++) {
                        cake_range range;
                        cake_range left = {ends[a], ends[b]}, right = {ends[c], ends[d]};
                        if (!cake_range_binary((cake_binary_op)op, left, right, &range)) continue;
                        assert_true(range.low <= range.high);
                        assert_true(range.low >= -CAKE_RANGE_LIMIT && range.high <= CAKE_RANGE_LIMIT);
                    }
}

static void test_products_saturate(void **state) {
    (void)state;
    cake_range range, big = {(int64_t)1 << 40, (int64_t)1 << 40}, negative = {-((int64_t)1 << 40), -((int64_t)1 << 40)};
    assert_true(cake_range_binary(CAKE_BINARY_MUL, big, big, &range));
    assert_true(range.low == CAKE_RANGE_LIMIT && range.high == CAKE_RANGE_LIMIT);
    assert_true(cake_range_binary(CAKE_BINARY_MUL, big, negative, &range));
    assert_true(range.low == -CAKE_RANGE_LIMIT && range.high == -CAKE_RANGE_LIMIT);
    assert_true(cake_range_binary(CAKE_BINARY_SHL, big, (cake_range){62, 62}, &range));
    assert_true(range.low == CAKE_RANGE_LIMIT);
    assert_false(cake_range_binary(CAKE_BINARY_SHL, big, (cake_range){0, 63}, &range));
}

static void test_fits_i32(void **state) {
    (void)state;
    assert_true(cake_range_fits_i32((cake_range){INT32_MIN, INT32_MAX}));
    assert_false(cake_range_fits_i32((cake_range){0, (int64_t)INT32_MAX + 1}));
    assert_false(cake_range_fits_i32((cake_range){(int64_t)INT32_MIN - 1, 0}));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_ranges),
        cmocka_unit_test(test_large_ranges),
        cmocka_unit_test(test_products_saturate),
        cmocka_unit_test(test_fits_i32),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
