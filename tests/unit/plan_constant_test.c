/* Constants as bytes of an element: roundings and limits of every format. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan/program_internal.h"

static void test_floats(void **state) {
    (void)state;
    static const struct {
        cake_dtype dtype;
        double value;
        uint64_t bits;
    } rows[] = {
        {CAKE_DTYPE_F64, -2, 0xc000000000000000},
        {CAKE_DTYPE_F32, 1.5, 0x3fc00000},
        {CAKE_DTYPE_TF32, 1, 0x3f800000},
        {CAKE_DTYPE_F32, (double)INFINITY, 0x7f800000},
        {CAKE_DTYPE_F16, 0, 0},
        {CAKE_DTYPE_F16, -0.0, 0x8000},
        {CAKE_DTYPE_F16, 1.5, 0x3e00},
        {CAKE_DTYPE_F16, 65504, 0x7bff},
        {CAKE_DTYPE_F16, 65519, 0x7bff},
        {CAKE_DTYPE_F16, 65520, 0x7c00},
        {CAKE_DTYPE_F16, -1e300, 0xfc00},
        {CAKE_DTYPE_F16, 0x1p-14, 0x0400},
        {CAKE_DTYPE_F16, 0x1p-24, 0x0001},
        {CAKE_DTYPE_F16, 0x1p-25, 0x0000},
        {CAKE_DTYPE_F16, 0x1.8p-25, 0x0001},
        {CAKE_DTYPE_F16, 0x1.ffcp-15, 0x0400}, /* rounds up into the normal numbers */
        {CAKE_DTYPE_F16, 2049, 0x6800},
        {CAKE_DTYPE_F16, 2051, 0x6802},
        {CAKE_DTYPE_BF16, 1, 0x3f80},
        {CAKE_DTYPE_BF16, 257, 0x4380},
        {CAKE_DTYPE_BF16, 259, 0x4382},
        {CAKE_DTYPE_BF16, 3.4e38, 0x7f80},
        {CAKE_DTYPE_BF16, 0x1p-133, 0x0001},
        {CAKE_DTYPE_BF16, (double)NAN, 0x7f81},
        {CAKE_DTYPE_E4M3, 448, 0x7e},
        {CAKE_DTYPE_E4M3, 464, 0x7e},
        {CAKE_DTYPE_E4M3, 465, 0x7f},
        {CAKE_DTYPE_E4M3, -0x1p-9, 0x81},
        {CAKE_DTYPE_E4M3, (double)INFINITY, 0x7f},
        {CAKE_DTYPE_E5M2, 57344, 0x7b},
        {CAKE_DTYPE_E5M2, 61440, 0x7c},
        {CAKE_DTYPE_E5M2, 1, 0x3c},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cake_plan_value constant = {.dtype = CAKE_DTYPE_REAL, .is_constant = true, .real = rows[i].value};
        uint64_t bits = cake_plan_constant_bits(rows[i].dtype, &constant);
        if (bits != rows[i].bits)
            fail_msg("%s %g: %llx instead of %llx", cake_dtype_name(rows[i].dtype), rows[i].value,
                     (unsigned long long)bits, (unsigned long long)rows[i].bits);
    }
}

static void test_integers(void **state) {
    (void)state;
    static const struct {
        cake_dtype dtype;
        int64_t value;
        uint64_t bits;
    } rows[] = {
        {CAKE_DTYPE_I8, -1, 0xff},   {CAKE_DTYPE_U4, 9, 9},
        {CAKE_DTYPE_I4, -8, 8},      {CAKE_DTYPE_I64, -2, 0xfffffffffffffffe},
        {CAKE_DTYPE_BOOL, 1, 1},     {CAKE_DTYPE_U32, 4294967295, 0xffffffff},
        {CAKE_DTYPE_F16, 3, 0x4200}, {CAKE_DTYPE_F32, -1, 0xbf800000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cake_plan_value constant = {.dtype = CAKE_DTYPE_INDEX, .is_constant = true, .integer = rows[i].value};
        assert_int_equal(cake_plan_constant_bits(rows[i].dtype, &constant), rows[i].bits);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_floats), cmocka_unit_test(test_integers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
