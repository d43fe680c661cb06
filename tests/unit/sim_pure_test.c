/* Pure operations of the simulator: each on each dtype against references that work on one number at a time, with the
 * numbers at which they go wrong: ends of ranges, ties, subnormal numbers, infinities and NaN. */
#include "tests/unit/sim_machine.h"

#define MANY 700u /* elements: several strips and a rest */

static cake_plan_value operands[3], result;

static cake_plan_op op_of(cake_plan_op_kind kind, cake_dtype from, cake_dtype to, uint8_t count) {
    cake_plan_op op = {.kind = kind, .result = &result, .operand_count = count};
    result = (cake_plan_value){.dtype = to};
    for (uint8_t k = 0; k < count; k++) {
        operands[k] = (cake_plan_value){.dtype = from};
        op.operands[k] = &operands[k];
    }
    return op;
}

static void run(const cake_plan_op *op, void *out, const void *a, const void *b, const void *c, uint32_t count) {
    cake_sim_operand in[3] = {{a, 1}, {b, 1}, {c, 1}};
    cake_sim_elementwise(&warp, op, out, in, count);
}

/* ---- floats, one at a time ---- */

static float single_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

typedef struct format {
    cake_dtype dtype;
    int mantissa, bias;
    uint32_t infinity, largest; /* codes; e4m3 has no infinity */
    bool saturates;
} format;

static const format formats[] = {{CAKE_DTYPE_F16, 10, 15, 0x7c00, 0x7bff, false},
                                 {CAKE_DTYPE_BF16, 7, 127, 0x7f80, 0x7f7f, false},
                                 {CAKE_DTYPE_E4M3, 3, 7, 0x7f, 0x7e, true},
                                 {CAKE_DTYPE_E5M2, 2, 15, 0x7c, 0x7b, true}};

static double decode(const format *f, uint32_t code) {
    int exponent = (int)(code >> f->mantissa);
    int mantissa = (int)(code & ((1u << f->mantissa) - 1));
    if (exponent == 0) return ldexp(mantissa, 1 - f->bias - f->mantissa);
    return ldexp(mantissa + (1 << f->mantissa), exponent - f->bias - f->mantissa);
}

static uint32_t encode(const format *f, cake_dtype from, cake_rounding rounding, double value) {
    float single = (float)value;
    uint16_t code = 0;
    cake_plan_op op = op_of(CAKE_PLAN_CAST, from, f->dtype, 1);
    op.u.cast.rounding = rounding;
    run(&op, &code, from == CAKE_DTYPE_F64 ? (void *)&value : (void *)&single, NULL, NULL, 1);
    return code;
}

static uint32_t nearest(const format *f, double value) {
    return encode(f, CAKE_DTYPE_F64, CAKE_ROUND_NEAREST_EVEN, value);
}

static uint32_t to_zero(const format *f, double value) {
    return encode(f, CAKE_DTYPE_F64, CAKE_ROUND_TOWARD_ZERO, value);
}

/* Between two neighbours: the tie, and what lies next to it in binary64, and in binary32. */
static void check_between(const format *f, uint32_t code) {
    double low = decode(f, code), high = decode(f, code + 1), tie = (low + high) / 2;
    uint32_t even = code & 1 ? code + 1 : code;
    assert_int_equal(nearest(f, low), code);
    assert_int_equal(nearest(f, tie), even);
    assert_int_equal(encode(f, CAKE_DTYPE_F32, CAKE_ROUND_NEAREST_EVEN, tie), even);
    assert_int_equal(nearest(f, nextafter(tie, high)), code + 1);
    assert_int_equal(nearest(f, nextafter(tie, low)), code);
    assert_int_equal(encode(f, CAKE_DTYPE_F32, CAKE_ROUND_NEAREST_EVEN, (double)nextafterf((float)tie, INFINITY)),
                     code + 1);
    if (f->saturates) return;
    assert_int_equal(to_zero(f, nextafter(high, low)), code);
    assert_int_equal(to_zero(f, low), code);
    assert_int_equal(encode(f, CAKE_DTYPE_F32, CAKE_ROUND_TOWARD_ZERO, tie), code);
}

static void check_end(const format *f) {
    double largest = decode(f, f->largest), beyond = decode(f, f->largest + 1);
    uint32_t sign = f->mantissa > 3 ? 0x8000 : 0x80, top = f->saturates ? f->largest : f->infinity;
    assert_int_equal(nearest(f, largest), f->largest);
    assert_int_equal(nearest(f, -largest), sign | f->largest);
    assert_int_equal(nearest(f, nextafter((largest + beyond) / 2, 0)), f->largest);
    assert_int_equal(nearest(f, (largest + beyond) / 2), top);
    assert_int_equal(nearest(f, 1e300), top);
    assert_int_equal(nearest(f, -(double)INFINITY), sign | top);
    assert_int_equal(nearest(f, -0.0), sign);
    assert_int_equal(nearest(f, 1e-300), 0);
    assert_true(nearest(f, (double)NAN) > f->infinity || f->dtype == CAKE_DTYPE_E4M3);
    assert_true(nearest(f, (double)NAN) > f->largest);
    if (f->saturates) return;
    assert_int_equal(to_zero(f, 1e300), f->largest);
    assert_int_equal(to_zero(f, -1e300), sign | f->largest);
    assert_int_equal(to_zero(f, (double)INFINITY), f->infinity);
    assert_int_equal(to_zero(f, -1e-300), sign);
    assert_true(to_zero(f, (double)NAN) > f->infinity);
}

static void test_formats(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        for (uint32_t code = 0; code < formats[i].largest; code++) {
            uint16_t element = (uint16_t)code;
            assert_true((double)cake_sim_to_float(formats[i].dtype, &element) == decode(&formats[i], code));
            check_between(&formats[i], code);
        }
        check_end(&formats[i]);
    }
    uint16_t special[] = {0x7c00, 0xfc00, 0x7e01};
    assert_true(cake_sim_to_float(CAKE_DTYPE_F16, &special[0]) == INFINITY);
    assert_true(cake_sim_to_float(CAKE_DTYPE_F16, &special[1]) == -INFINITY);
    assert_true(isnan(cake_sim_to_float(CAKE_DTYPE_F16, &special[2])));
    uint8_t bytes[] = {0x7f, 0xff, 0x7c, 0xfc, 0x7d, 0xfe};
    assert_true(isnan(cake_sim_to_float(CAKE_DTYPE_E4M3, &bytes[0])));
    assert_true(isnan(cake_sim_to_float(CAKE_DTYPE_E4M3, &bytes[1])));
    assert_true(cake_sim_to_float(CAKE_DTYPE_E5M2, &bytes[2]) == INFINITY);
    assert_true(cake_sim_to_float(CAKE_DTYPE_E5M2, &bytes[3]) == -INFINITY);
    assert_true(isnan(cake_sim_to_float(CAKE_DTYPE_E5M2, &bytes[4])));
    assert_true(cake_sim_to_float(CAKE_DTYPE_E4M3, &bytes[5]) == -448);
}

/* ---- floats, elementwise ---- */

/* Elements as binary64, in a dtype. */
static void put(cake_dtype dtype, double value, void *out) {
    float single = (float)value;
    if (dtype == CAKE_DTYPE_F64)
        memcpy(out, &value, sizeof value);
    else
        cake_sim_from_float(dtype, single, out);
}

static double get(cake_dtype dtype, const void *element) {
    double value;
    cake_sim_widen_double(dtype, element, &value, 1);
    return value;
}

static bool same(double a, double b) {
    return isnan(a) || isnan(b) ? isnan(a) && isnan(b) : a == b && !signbit(a) == !signbit(b);
}

/* The exact binary64 'value' in the dtype, by another way than the code that is tested. */
static double rounded(cake_dtype dtype, double value) {
    if (dtype == CAKE_DTYPE_F64 || value == 0 || !isfinite(value)) return value;
    int bits = dtype == CAKE_DTYPE_F32 ? 24 : dtype == CAKE_DTYPE_F16 ? 11 : 8;
    int least = dtype == CAKE_DTYPE_F16 ? -14 : -126, exponent = ilogb(value) < least ? least : ilogb(value);
    double unit = ldexp(1, exponent + 1 - bits), whole = nearbyint(value / unit);
    double limit = dtype == CAKE_DTYPE_F16 ? 65504 : dtype == CAKE_DTYPE_BF16 ? 0x1.FEp127 : 0x1.FFFFFEp127;
    double out = whole * unit;
    return fabs(out) > limit ? copysign((double)INFINITY, value) : copysign(out, value);
}

static const cake_dtype real_dtypes[] = {CAKE_DTYPE_F16, CAKE_DTYPE_BF16, CAKE_DTYPE_F32, CAKE_DTYPE_F64};

static const double reals[] = {0.0,     -0.0,    1,     -1,         1.5,     3,         -7,       0.1,
                               255,     65504,   1e30,  -3e38,      0x1p-14, 0x1p-24,   0x1p-126, 0x1p-133,
                               0x1p-65, 0x3p-68, 1e-40, 0x1.82p-60, 2049,    0x1.02p-8, 1e-5,     -1e-39};
#define REALS (sizeof reals / sizeof *reals)

static double real_at(size_t i) {
    if (i < REALS) return reals[i];
    return i == REALS ? (double)INFINITY : i == REALS + 1 ? -(double)INFINITY : (double)NAN;
}

static double real_binary(cake_binary_op op, double a, double b) {
    if (op == CAKE_BINARY_ADD) return a + b;
    if (op == CAKE_BINARY_SUB) return a - b;
    return op == CAKE_BINARY_MUL ? a * b : a / b;
}

static bool real_compare(cake_binary_op op, double a, double b) {
    if (op == CAKE_BINARY_EQ) return a == b;
    if (op == CAKE_BINARY_NE) return a != b;
    if (op == CAKE_BINARY_LT) return a < b;
    if (op == CAKE_BINARY_LE) return a <= b;
    return op == CAKE_BINARY_GT ? a > b : a >= b;
}

static double real_extreme(bool largest, bool keep_nan, double a, double b) {
    if (isnan(a)) return keep_nan ? a : b;
    if (isnan(b)) return keep_nan ? b : a;
    if (a == b) return (signbit(a) != 0) == largest ? b : a;
    return (a < b) == largest ? b : a;
}

static void check_real_pair(cake_dtype dtype, double x, double y) {
    uint64_t a, b, out = 0;
    put(dtype, x, &a);
    put(dtype, y, &b);
    x = get(dtype, &a);
    y = get(dtype, &b);
    for (cake_binary_op op = CAKE_BINARY_ADD; op < CAKE_BINARY_COUNT; op++) {
        bool compares = cake_binary_level(op) == 0;
        if (op == CAKE_BINARY_MOD) continue;
        cake_plan_op row = op_of(CAKE_PLAN_BINARY, dtype, compares ? CAKE_DTYPE_BOOL : dtype, 2);
        row.u.binary = op;
        run(&row, &out, &a, &b, NULL, 1);
        if (compares)
            assert_int_equal(*(const unsigned char *)&out, real_compare(op, x, y));
        else /* of f32 a sum or product may need more than binary64: that is the machine's own */
            assert_true(same(get(dtype, &out), dtype == CAKE_DTYPE_F32 ? (double)(float)real_binary(op, x, y)
                                                                       : rounded(dtype, real_binary(op, x, y))));
    }
    for (uint32_t i = 0; i < 4; i++) {
        cake_plan_op row = op_of(CAKE_PLAN_CALL, dtype, dtype, 2);
        row.u.call.function = i & 1 ? CAKE_BUILTIN_MAX : CAKE_BUILTIN_MIN;
        row.u.call.modifiers = i & 2 ? CAKE_MODIFIER_NAN : 0;
        run(&row, &out, &a, &b, NULL, 1);
        assert_true(same(get(dtype, &out), real_extreme(i & 1, i & 2, x, y)));
    }
}

static void test_real_operators(void **state) {
    (void)state;
    for (size_t d = 0; d < 4; d++)
        for (size_t i = 0; i < REALS + 3; i++)
            for (size_t j = 0; j < REALS + 3; j++)
                check_real_pair(real_dtypes[d], real_at(i), real_at(j));
}

static double call_real(cake_dtype dtype, cake_builtin function, uint8_t modifiers, double a, double b, double c) {
    uint64_t in[3], out = 0;
    cake_plan_op op = op_of(CAKE_PLAN_CALL, dtype, dtype, function == CAKE_BUILTIN_FMA ? 3 : 1);
    op.u.call.function = function;
    op.u.call.modifiers = modifiers;
    put(dtype, a, &in[0]);
    put(dtype, b, &in[1]);
    put(dtype, c, &in[2]);
    run(&op, &out, &in[0], &in[1], &in[2], 1);
    return get(dtype, &out);
}

static double call_one(cake_dtype dtype, cake_builtin function, uint8_t modifiers, double a) {
    return call_real(dtype, function, modifiers, a, 0, 0);
}

static void test_fused(void **state) {
    (void)state;
    uint32_t seed = 1;
    for (uint32_t i = 0; i < 200000; i++) {
        float x[3];
        for (uint32_t k = 0; k < 3; k++) {
            seed = seed * 1664525 + 1013904223;
            x[k] = single_of((seed & 0x80ffffff) | ((k == 2 ? 126 : 127) + (seed >> 24) % (k == 2 ? 16 : 8)) << 23);
        }
        assert_true(call_real(CAKE_DTYPE_F32, CAKE_BUILTIN_FMA, 0, (double)x[0], (double)x[1], (double)x[2]) ==
                    (double)fmaf(x[0], x[1], x[2]));
    }
    /* 261 is between 260 and 262 of bf16, 2049 between 2048 and 2050 of f16: the addend decides */
    assert_true(call_real(CAKE_DTYPE_BF16, CAKE_BUILTIN_FMA, 0, 9, 29, 0x1p-120) == 262);
    assert_true(call_real(CAKE_DTYPE_BF16, CAKE_BUILTIN_FMA, 0, 9, 29, -0x1p-120) == 260);
    assert_true(call_real(CAKE_DTYPE_BF16, CAKE_BUILTIN_FMA, 0, 9, 29, 0) == 260);
    assert_true(call_real(CAKE_DTYPE_F16, CAKE_BUILTIN_FMA, 0, 3, 683, 0x1p-24) == 2050);
    assert_true(call_real(CAKE_DTYPE_F16, CAKE_BUILTIN_FMA, 0, 3, 683, 0) == 2048);
    assert_true(call_real(CAKE_DTYPE_F32, CAKE_BUILTIN_FMA, 0, 1e30, 1e30, -(double)INFINITY) == -(double)INFINITY);
    assert_true(isnan(call_real(CAKE_DTYPE_F32, CAKE_BUILTIN_FMA, 0, (double)INFINITY, 0, 1)));
    assert_true(same(call_real(CAKE_DTYPE_F32, CAKE_BUILTIN_FMA, 0, -1, 0, -0.0), -0.0));
    assert_true(call_real(CAKE_DTYPE_F64, CAKE_BUILTIN_FMA, 0, 0x1.0000001p0, 0x1.0000001p0, -1) == 0x1.00000008p-27);
    assert_true(call_real(CAKE_DTYPE_F32, CAKE_BUILTIN_FMA, 0, 0x1p-100, 0x1p-40, 0) == 0x1p-140);
    assert_true(call_real(CAKE_DTYPE_F32, CAKE_BUILTIN_FMA, CAKE_MODIFIER_FTZ, 0x1p-100, 0x1p-40, 0) == 0);
    assert_true(call_real(CAKE_DTYPE_F32, CAKE_BUILTIN_FMA, CAKE_MODIFIER_FTZ, 0x1p-140, 0x1p100, 0) == 0);
}

static void test_functions(void **state) {
    (void)state;
    static const struct {
        cake_builtin function;
        double (*exact)(double);
    } rows[] = {{CAKE_BUILTIN_EXP, exp},   {CAKE_BUILTIN_EXP2, exp2},      {CAKE_BUILTIN_LOG, log},
                {CAKE_BUILTIN_LOG2, log2}, {CAKE_BUILTIN_SQRT, sqrt},      {CAKE_BUILTIN_TANH, tanh},
                {CAKE_BUILTIN_ERF, erf},   {CAKE_BUILTIN_FLOOR, floor},    {CAKE_BUILTIN_CEIL, ceil},
                {CAKE_BUILTIN_ABS, fabs},  {CAKE_BUILTIN_ROUND, nearbyint}};
    for (size_t d = 0; d < 4; d++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            for (size_t i = 0; i < REALS + 3; i++) {
                uint64_t bits;
                put(real_dtypes[d], real_at(i), &bits);
                double x = get(real_dtypes[d], &bits);
                assert_true(
                    same(call_one(real_dtypes[d], rows[k].function, 0, x), rounded(real_dtypes[d], rows[k].exact(x))));
            }
    cake_dtype f32 = CAKE_DTYPE_F32;
    assert_true(call_one(f32, CAKE_BUILTIN_RSQRT, 0, 4) == 0.5 && call_one(f32, CAKE_BUILTIN_RCP, 0, -8) == -0.125);
    assert_true(call_one(f32, CAKE_BUILTIN_RSQRT, 0, -0.0) == -(double)INFINITY);
    assert_true(call_one(f32, CAKE_BUILTIN_ROUND, 0, 2.5) == 2 && call_one(f32, CAKE_BUILTIN_ROUND, 0, 3.5) == 4);
    assert_true(isnan(call_one(f32, CAKE_BUILTIN_SIN, 0, 0x1p22)) && isnan(call_one(f32, CAKE_BUILTIN_COS, 0, 0x1p30)));
    assert_true(call_one(f32, CAKE_BUILTIN_COS, 0, 0) == 1 && call_one(CAKE_DTYPE_F16, CAKE_BUILTIN_SIN, 0, 0) == 0);
    assert_true(call_one(f32, CAKE_BUILTIN_LOG2, CAKE_MODIFIER_FTZ, 0x1p-130) == -(double)INFINITY);
    assert_true(call_one(f32, CAKE_BUILTIN_LOG2, CAKE_MODIFIER_APPROX, 0x1p-130) == -130);
    assert_true(call_one(f32, CAKE_BUILTIN_EXP2, 0, -140) == 0x1p-140);
}

/* ---- integers ---- */

static const cake_dtype integer_dtypes[] = {CAKE_DTYPE_I64, CAKE_DTYPE_I32, CAKE_DTYPE_I16,  CAKE_DTYPE_I8,
                                            CAKE_DTYPE_U64, CAKE_DTYPE_U32, CAKE_DTYPE_U16,  CAKE_DTYPE_U8,
                                            CAKE_DTYPE_I4,  CAKE_DTYPE_U4,  CAKE_DTYPE_INDEX};
#define INTEGERS (sizeof integer_dtypes / sizeof *integer_dtypes)

static const int64_t integers[] = {0,          1,         -1,        2,         3,         5,         7,
                                   8,          -7,        -8,        -9,        15,        16,        31,
                                   32,         63,        64,        100,       127,       -128,      255,
                                   -32768,     65535,     INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 0x123456789abcdef,
                                   UINT32_MAX, 1ll << 40, 4,         6};
#define NUMBERS (sizeof integers / sizeof *integers)

static bool is_signed(cake_dtype dtype) {
    return cake_dtype_class_of(dtype) != CAKE_CLASS_UNSIGNED && cake_dtype_class_of(dtype) != CAKE_CLASS_BOOL;
}

/* The value that the low bits have in the dtype. */
static uint64_t wrapped(cake_dtype dtype, uint64_t value) {
    uint32_t bits = cake_dtype_bits(dtype);
    if (bits == 64) return value;
    uint64_t low = value & (((uint64_t)1 << bits) - 1), sign = (uint64_t)1 << (bits - 1);
    return is_signed(dtype) ? (low ^ sign) - sign : low;
}

static void put_integer(cake_dtype dtype, uint64_t value, void *out) {
    value = wrapped(dtype, value);
    memcpy(out, &value, cake_sim_element_bytes(dtype));
}

/* Extended to 64 bits. 4-bit elements must be extended in their byte already. */
static uint64_t get_integer(cake_dtype dtype, const void *element) {
    uint64_t value = 0;
    uint32_t bits = 8 * cake_sim_element_bytes(dtype);
    memcpy(&value, element, bits / 8);
    if (bits < 64 && is_signed(dtype)) value = (value ^ (uint64_t)1 << (bits - 1)) - ((uint64_t)1 << (bits - 1));
    return value;
}

/* False: not defined. */
static bool integer_binary(cake_binary_op op, cake_dtype dtype, uint64_t a, uint64_t b, uint64_t *out_value) {
    bool sign = is_signed(dtype);
    int64_t x = (int64_t)a, y = (int64_t)b;
    bool less = sign ? x < y : a < b, divides = sign ? y > 0 : b != 0;
    int64_t quotient = divides && sign ? x / y - (x % y < 0) : 0;
    switch ((int)op) {
    case CAKE_BINARY_OR:
        return *out_value = a | b, true;
    case CAKE_BINARY_XOR:
        return *out_value = a ^ b, true;
    case CAKE_BINARY_AND:
        return *out_value = a & b, true;
    case CAKE_BINARY_ADD:
        return *out_value = wrapped(dtype, a + b), true;
    case CAKE_BINARY_SUB:
        return *out_value = wrapped(dtype, a - b), true;
    case CAKE_BINARY_MUL:
        return *out_value = wrapped(dtype, a * b), true;
    case CAKE_BINARY_SHL:
    case CAKE_BINARY_SHR:
        *out_value = 0;
        if (b >= cake_dtype_bits(dtype)) return false;
        if (op == CAKE_BINARY_SHL)
            *out_value = wrapped(dtype, a << b);
        else
            *out_value = a >> b | (sign && x < 0 && b ? UINT64_MAX << (64 - b) : 0);
        return true;
    case CAKE_BINARY_DIV:
        *out_value = !divides ? 0 : sign ? (uint64_t)quotient : a / b;
        return divides;
    case CAKE_BINARY_MOD:
        *out_value = !divides ? 0 : sign ? a - (uint64_t)quotient * b : a % b;
        return divides;
    default:
        *out_value = op == CAKE_BINARY_EQ   ? a == b
                     : op == CAKE_BINARY_NE ? a != b
                     : op == CAKE_BINARY_LT ? less
                     : op == CAKE_BINARY_LE ? less || a == b
                     : op == CAKE_BINARY_GT ? !less && a != b
                                            : !less;
        return true;
    }
}

/* All numbers against one: side by side, and with the right operand once for all. */
static void check_integer_row(cake_binary_op op, cake_dtype dtype, int64_t right) {
    uint64_t a[NUMBERS], b[NUMBERS], out[NUMBERS], once, expected;
    uint32_t bytes = cake_sim_element_bytes(dtype);
    bool compares = cake_binary_level(op) == 0, defined = true;
    cake_dtype to = compares ? CAKE_DTYPE_BOOL : dtype;
    cake_plan_op row = op_of(CAKE_PLAN_BINARY, dtype, to, 2);
    row.u.binary = op;
    put_integer(dtype, (uint64_t)right, &once);
    for (size_t i = 0; i < NUMBERS; i++) {
        put_integer(dtype, (uint64_t)integers[i], (char *)a + i * bytes);
        put_integer(dtype, (uint64_t)right, (char *)b + i * bytes);
    }
    for (uint32_t stride = 0; stride < 2; stride++) {
        cake_sim_operand in[2] = {{a, 1}, {stride ? (void *)b : (void *)&once, stride}};
        uint32_t before = warp.faults;
        cake_sim_elementwise(&warp, &row, out, in, NUMBERS);
        for (size_t i = 0; i < NUMBERS; i++) {
            defined = integer_binary(op, dtype, wrapped(dtype, (uint64_t)integers[i]), wrapped(dtype, (uint64_t)right),
                                     &expected);
            assert_true(get_integer(to, (char *)out + i * cake_sim_element_bytes(to)) == expected);
        }
        assert_int_equal(warp.faults, before + !defined); /* the right operand alone decides */
        if (!defined) assert_int_equal(warp.code, CAKE_S112);
    }
}

static void test_integer_operators(void **state) {
    (void)state;
    begin_case();
    for (size_t d = 0; d < INTEGERS; d++)
        for (cake_binary_op op = 0; op < CAKE_BINARY_COUNT; op++)
            for (size_t i = 0; i < NUMBERS; i++)
                check_integer_row(op, integer_dtypes[d], integers[i]);
    cake_arena_fini(&arena);
}

static uint64_t apply_integer(cake_plan_op op, uint64_t a, uint64_t b) {
    uint64_t x, y, out = 0;
    put_integer(op.operands[0]->dtype, a, &x);
    put_integer(op.operands[0]->dtype, b, &y);
    run(&op, &out, &x, &y, NULL, 1);
    return get_integer(op.result->dtype, &out);
}

static uint64_t call_integer(cake_builtin function, cake_dtype dtype, uint64_t a, uint64_t b) {
    cake_plan_op op = op_of(CAKE_PLAN_CALL, dtype, function == CAKE_BUILTIN_ISPOW2 ? CAKE_DTYPE_BOOL : dtype, 2);
    op.u.call.function = function;
    return apply_integer(op, a, b);
}

static void check_bits(cake_dtype dtype, uint64_t value) {
    uint32_t bits = cake_dtype_bits(dtype);
    uint64_t ones = 0, zeros = bits;
    for (uint32_t i = 0; i < bits; i++) {
        ones += value >> i & 1;
        if (value >> i & 1) zeros = bits - 1 - i;
    }
    assert_true(call_integer(CAKE_BUILTIN_POPC, dtype, value, 0) == ones);
    assert_true(call_integer(CAKE_BUILTIN_CLZ, dtype, value, 0) == zeros);
}

static void test_integer_functions(void **state) {
    (void)state;
    for (size_t d = 0; d < INTEGERS; d++) {
        cake_dtype dtype = integer_dtypes[d];
        for (size_t i = 0; i < NUMBERS; i++) {
            uint64_t a = wrapped(dtype, (uint64_t)integers[i]), negative = wrapped(dtype, 0 - a);
            cake_plan_op op = op_of(CAKE_PLAN_UNARY, dtype, dtype, 1);
            op.u.unary = CAKE_UNARY_NEG;
            assert_true(apply_integer(op, a, 0) == negative);
            op.u.unary = CAKE_UNARY_BIT_NOT;
            assert_true(apply_integer(op, a, 0) == wrapped(dtype, ~a));
            if (cake_dtype_bits(dtype) < 8) continue;
            check_bits(dtype, a);
            uint64_t size = is_signed(dtype) && (int64_t)a < 0 ? negative : a;
            assert_true(call_integer(CAKE_BUILTIN_ABS, dtype, a, 0) == size);
            for (size_t j = 0; j < NUMBERS; j++) {
                uint64_t b = wrapped(dtype, (uint64_t)integers[j]);
                bool less = is_signed(dtype) ? (int64_t)a < (int64_t)b : a < b;
                assert_true(call_integer(CAKE_BUILTIN_MIN, dtype, a, b) == (less ? a : b));
                assert_true(call_integer(CAKE_BUILTIN_MAX, dtype, a, b) == (less ? b : a));
            }
        }
    }
    assert_true((int64_t)call_integer(CAKE_BUILTIN_CDIV, CAKE_DTYPE_INDEX, (uint64_t)-7, 2) == -3);
    assert_true(call_integer(CAKE_BUILTIN_CDIV, CAKE_DTYPE_INDEX, 7, 2) == 4);
    assert_true(call_integer(CAKE_BUILTIN_CDIV, CAKE_DTYPE_INDEX, 8, 2) == 4);
    assert_true(call_integer(CAKE_BUILTIN_CEILTO, CAKE_DTYPE_INDEX, 65, 64) == 128);
    assert_true(call_integer(CAKE_BUILTIN_ISPOW2, CAKE_DTYPE_INDEX, 64, 0) == 1);
    assert_true(call_integer(CAKE_BUILTIN_ISPOW2, CAKE_DTYPE_INDEX, 0, 0) == 0);
    assert_true(call_integer(CAKE_BUILTIN_ISPOW2, CAKE_DTYPE_INDEX, 96, 0) == 0);
}

/* ---- casts ---- */

static uint64_t cast_integer(cake_dtype from, cake_dtype to, bool saturate, uint64_t value) {
    cake_plan_op op = op_of(CAKE_PLAN_CAST, from, to, 1);
    op.u.cast.saturate = saturate;
    return apply_integer(op, value, 0);
}

static uint64_t clamped(cake_dtype from, cake_dtype to, uint64_t value) {
    uint32_t bits = cake_dtype_bits(to);
    uint64_t high = UINT64_MAX >> (64 - bits + is_signed(to));
    bool negative = is_signed(from) && (int64_t)value < 0;
    if (!negative) return value > high ? high : value;
    if (!is_signed(to)) return 0;
    return (int64_t)value < -(int64_t)high - 1 ? ~high : value;
}

static void test_integer_casts(void **state) {
    (void)state;
    for (size_t f = 0; f < INTEGERS; f++)
        for (size_t t = 0; t < INTEGERS; t++)
            for (size_t i = 0; i < NUMBERS; i++) {
                cake_dtype from = integer_dtypes[f], to = integer_dtypes[t];
                uint64_t value = wrapped(from, (uint64_t)integers[i]);
                assert_true(cast_integer(from, to, false, value) == wrapped(to, value));
                assert_true(cast_integer(from, to, true, value) == clamped(from, to, value));
                assert_true(cast_integer(from, CAKE_DTYPE_BOOL, false, value) == (value != 0));
                assert_true(cast_integer(CAKE_DTYPE_BOOL, to, false, 1) == wrapped(to, 1));
            }
}

static double cast_to_real(cake_dtype from, cake_dtype to, cake_rounding rounding, bool saturate, uint64_t value) {
    uint64_t x, out = 0;
    cake_plan_op op = op_of(CAKE_PLAN_CAST, from, to, 1);
    op.u.cast.rounding = rounding;
    op.u.cast.saturate = saturate;
    put_integer(from, value, &x);
    run(&op, &out, &x, NULL, NULL, 1);
    return get(to, &out);
}

static void test_integers_to_floats(void **state) {
    (void)state;
    cake_rounding near_ = CAKE_ROUND_NEAREST_EVEN, zero = CAKE_ROUND_TOWARD_ZERO;
    /* a tie of bf16 and one more, which binary32 does not hold */
    assert_true(cast_to_real(CAKE_DTYPE_I32, CAKE_DTYPE_BF16, near_, false, 0x1010001) == 0x1020000);
    assert_true(cast_to_real(CAKE_DTYPE_I32, CAKE_DTYPE_BF16, near_, false, 0x1010000) == 0x1000000);
    assert_true(cast_to_real(CAKE_DTYPE_I32, CAKE_DTYPE_BF16, near_, false, 0x1030000) == 0x1040000);
    assert_true(cast_to_real(CAKE_DTYPE_I32, CAKE_DTYPE_BF16, zero, false, 0x101ffff) == 0x1000000);
    /* and one of binary32, which binary64 does not hold */
    assert_true(cast_to_real(CAKE_DTYPE_U64, CAKE_DTYPE_F32, near_, false, 0x8000008000000001) == 0x1.000002p63);
    assert_true(cast_to_real(CAKE_DTYPE_U64, CAKE_DTYPE_F32, near_, false, 0x8000008000000000) == 0x1p63);
    assert_true(cast_to_real(CAKE_DTYPE_U64, CAKE_DTYPE_F32, near_, false, UINT64_MAX) == 0x1p64);
    assert_true(cast_to_real(CAKE_DTYPE_U64, CAKE_DTYPE_F32, zero, false, UINT64_MAX) == 0x1.fffffep63);
    assert_true(cast_to_real(CAKE_DTYPE_I64, CAKE_DTYPE_F64, near_, false, (1ull << 53) + 3) == 0x1p53 + 4);
    assert_true(cast_to_real(CAKE_DTYPE_I64, CAKE_DTYPE_F64, zero, false, (1ull << 53) + 3) == 0x1p53 + 2);
    assert_true(cast_to_real(CAKE_DTYPE_I64, CAKE_DTYPE_F64, zero, false, 0 - ((1ull << 53) + 3)) == -0x1p53 - 2);
    assert_true(cast_to_real(CAKE_DTYPE_I64, CAKE_DTYPE_F64, near_, false, (uint64_t)INT64_MIN) == -0x1p63);
    assert_true(cast_to_real(CAKE_DTYPE_I32, CAKE_DTYPE_F16, near_, false, 100000) == (double)INFINITY);
    assert_true(cast_to_real(CAKE_DTYPE_I32, CAKE_DTYPE_F16, near_, true, (uint64_t)-100000) == -65504);
    assert_true(cast_to_real(CAKE_DTYPE_I32, CAKE_DTYPE_E4M3, near_, false, 100000) == 448);
    assert_true(cast_to_real(CAKE_DTYPE_I8, CAKE_DTYPE_E4M3, near_, false, 17) == 16);
    assert_true(cast_to_real(CAKE_DTYPE_I4, CAKE_DTYPE_F16, near_, false, (uint64_t)-8) == -8);
    assert_true(cast_to_real(CAKE_DTYPE_U4, CAKE_DTYPE_F32, near_, false, 15) == 15);
    assert_true(cast_to_real(CAKE_DTYPE_BOOL, CAKE_DTYPE_F32, near_, false, 1) == 1);
}

/* What does not fit: a fault and 0, or with 'sat' the nearer end. */
static void check_to_integer(cake_dtype from, cake_dtype to, double value, uint64_t expected, bool fits) {
    for (uint32_t saturate = 0; saturate < 2; saturate++) {
        uint64_t x, out = 0;
        uint32_t before = warp.faults;
        cake_plan_op op = op_of(CAKE_PLAN_CAST, from, to, 1);
        op.u.cast.saturate = saturate;
        put(from, value, &x);
        run(&op, &out, &x, NULL, NULL, 1);
        assert_true(get_integer(to, &out) == (fits || saturate ? expected : 0));
        assert_int_equal(warp.faults, before + (!fits && !saturate));
    }
}

static void test_floats_to_integers(void **state) {
    (void)state;
    double infinity = (double)INFINITY;
    for (size_t d = 2; d < 4; d++) {
        cake_dtype from = real_dtypes[d];
        check_to_integer(from, CAKE_DTYPE_I32, -2.9, (uint64_t)-2, true);
        check_to_integer(from, CAKE_DTYPE_U8, -0.9, 0, true);
        check_to_integer(from, CAKE_DTYPE_U8, 255.9, 255, true);
        check_to_integer(from, CAKE_DTYPE_U8, 256, 255, false);
        check_to_integer(from, CAKE_DTYPE_U8, -1, 0, false);
        check_to_integer(from, CAKE_DTYPE_I8, -128.9, (uint64_t)-128, true);
        check_to_integer(from, CAKE_DTYPE_I8, 128, 127, false);
        check_to_integer(from, CAKE_DTYPE_I4, -9, (uint64_t)-8, false);
        check_to_integer(from, CAKE_DTYPE_U4, 15.5, 15, true);
        check_to_integer(from, CAKE_DTYPE_I64, -0x1p63, (uint64_t)INT64_MIN, true);
        check_to_integer(from, CAKE_DTYPE_I64, 0x1p63, INT64_MAX, false);
        check_to_integer(from, CAKE_DTYPE_U64, 0x1.8p63, 0xc000000000000000, true);
        check_to_integer(from, CAKE_DTYPE_U64, 0x1p64, UINT64_MAX, false);
        check_to_integer(from, CAKE_DTYPE_I16, (double)NAN, 0, false);
        check_to_integer(from, CAKE_DTYPE_I16, -infinity, (uint64_t)-32768, false);
        check_to_integer(from, CAKE_DTYPE_U32, infinity, UINT32_MAX, false);
        check_to_integer(from, CAKE_DTYPE_BOOL, -0.0, 0, true);
        check_to_integer(from, CAKE_DTYPE_BOOL, 0.25, 1, true);
        check_to_integer(from, CAKE_DTYPE_BOOL, (double)NAN, 1, true);
    }
}

static double cast_real(cake_dtype from, cake_dtype to, cake_rounding rounding, bool saturate, double value) {
    uint64_t x, out = 0;
    cake_plan_op op = op_of(CAKE_PLAN_CAST, from, to, 1);
    op.u.cast.rounding = rounding;
    op.u.cast.saturate = saturate;
    put(from, value, &x);
    run(&op, &out, &x, NULL, NULL, 1);
    return get(to, &out);
}

static void test_floats_to_floats(void **state) {
    (void)state;
    cake_rounding near_ = CAKE_ROUND_NEAREST_EVEN, zero = CAKE_ROUND_TOWARD_ZERO;
    cake_dtype f64 = CAKE_DTYPE_F64, f32 = CAKE_DTYPE_F32;
    assert_true(cast_real(f64, f32, near_, false, 1e300) == (double)INFINITY);
    assert_true(cast_real(f64, f32, zero, false, -1e300) == -0x1.fffffep127);
    assert_true(cast_real(f64, f32, near_, true, (double)INFINITY) == 0x1.fffffep127);
    assert_true(cast_real(f64, f32, zero, false, 0.1) == 0x1.999998p-4);
    assert_true(cast_real(f64, f32, near_, false, 0.1) == 0x1.99999ap-4);
    assert_true(cast_real(f64, f32, near_, false, 0x1p-149) == 0x1p-149);
    assert_true(cast_real(f32, f64, near_, false, 0x1p-149) == 0x1p-149);
    assert_true(cast_real(f32, CAKE_DTYPE_F16, near_, true, 1e6) == 65504);
    assert_true(cast_real(f32, CAKE_DTYPE_BF16, near_, true, -(double)INFINITY) == -0x1.FEp127);
    assert_true(isnan(cast_real(f32, CAKE_DTYPE_F16, near_, true, (double)NAN)));
    assert_true(isnan(cast_real(f32, CAKE_DTYPE_E4M3, near_, true, (double)NAN)));
    assert_true(cast_real(CAKE_DTYPE_E5M2, CAKE_DTYPE_E4M3, near_, false, 57344) == 448);
    assert_true(cast_real(CAKE_DTYPE_E4M3, CAKE_DTYPE_E5M2, near_, false, 0x1p-9) == 0x1p-9);
    assert_true(cast_real(CAKE_DTYPE_F16, CAKE_DTYPE_BF16, near_, false, 257) == 256);
    cake_dtype tf32 = CAKE_DTYPE_TF32;
    assert_true(cast_real(f32, tf32, near_, false, 2049) == 2048 && cast_real(f32, tf32, near_, false, 2051) == 2052);
    assert_true(cast_real(f64, tf32, near_, false, 2049 + 0x1p-40) == 2050);
    assert_true(cast_real(f32, tf32, zero, false, -2051.9) == -2050);
    assert_true(cast_real(f32, tf32, near_, false, 0x1.FFFp127) == (double)INFINITY);
    assert_true(cast_real(f32, tf32, near_, true, 0x1.FFFp127) == 0x1.FFCp127);
    assert_true(isnan(cast_real(f32, tf32, near_, false, (double)NAN)));
}

/* ---- choice and bits ---- */

static void test_choices(void **state) {
    (void)state;
    static const cake_dtype dtypes[] = {CAKE_DTYPE_U64, CAKE_DTYPE_F32, CAKE_DTYPE_BF16, CAKE_DTYPE_E4M3};
    bool c[MANY];
    uint64_t a[MANY], b[MANY], out[MANY];
    for (size_t d = 0; d < 4; d++) {
        uint32_t bytes = cake_sim_element_bytes(dtypes[d]);
        cake_plan_op op = op_of(CAKE_PLAN_CALL, dtypes[d], dtypes[d], 3);
        operands[0].dtype = CAKE_DTYPE_BOOL;
        op.u.call.function = CAKE_BUILTIN_SELECT;
        for (uint32_t i = 0; i < MANY; i++) {
            c[i] = i % 3 == 0;
            a[i] = 0x1234567890abcdef + i;
            b[i] = ~a[i];
        }
        run(&op, out, c, a, b, MANY);
        for (uint32_t i = 0; i < MANY; i++)
            assert_memory_equal((char *)out + i * bytes, (c[i] ? (char *)a : (char *)b) + i * bytes, bytes);
    }
}

static void test_bits(void **state) {
    (void)state;
    int8_t minus_one = -1, four_bits = 0;
    cake_plan_op op = op_of(CAKE_PLAN_BITCAST, CAKE_DTYPE_I4, CAKE_DTYPE_U4, 1);
    run(&op, &four_bits, &minus_one, NULL, NULL, 1);
    assert_int_equal(four_bits, 15);
    float one = 1, many[MANY];
    uint32_t bits = 0;
    op = op_of(CAKE_PLAN_BITCAST, CAKE_DTYPE_F32, CAKE_DTYPE_U32, 1);
    run(&op, &bits, &one, NULL, NULL, 1);
    assert_int_equal(bits, 0x3f800000);
    op = op_of(CAKE_PLAN_SPLAT, CAKE_DTYPE_F32, CAKE_DTYPE_F32, 1);
    cake_sim_elementwise(&warp, &op, many, &(cake_sim_operand){&one, 0}, MANY);
    for (uint32_t i = 0; i < MANY; i++)
        assert_true(many[i] == 1);
    bool yes = true, out = true;
    op = op_of(CAKE_PLAN_UNARY, CAKE_DTYPE_BOOL, CAKE_DTYPE_BOOL, 1);
    op.u.unary = CAKE_UNARY_NOT;
    run(&op, &out, &yes, NULL, NULL, 1);
    assert_false(out);
    for (size_t d = 0; d < 4; d++)
        for (size_t i = 0; i < REALS + 2; i++) {
            uint64_t x, y = 0;
            put(real_dtypes[d], real_at(i), &x);
            op = op_of(CAKE_PLAN_UNARY, real_dtypes[d], real_dtypes[d], 1);
            op.u.unary = CAKE_UNARY_NEG;
            run(&op, &y, &x, NULL, NULL, 1);
            assert_true(same(get(real_dtypes[d], &y), -get(real_dtypes[d], &x)));
        }
}

int main(void) {
    if (setjmp(out_of_memory)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_real_operators),
        cmocka_unit_test(test_fused),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_integer_operators),
        cmocka_unit_test(test_integer_functions),
        cmocka_unit_test(test_integer_casts),
        cmocka_unit_test(test_integers_to_floats),
        cmocka_unit_test(test_floats_to_integers),
        cmocka_unit_test(test_floats_to_floats),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_bits),
    };
    return cmocka_run_group_tests_name("simulated pure operations", tests, NULL, NULL);
}
