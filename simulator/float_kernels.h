/* Arithmetic on one float type. float.c includes this once for each, with
 *   TYPE     of the elements
 *   BITS     the unsigned integer of the same width
 *   NAME(x)  names of its functions
 */

#define EACH(expression)                                                                                               \
    for (uint32_t i = 0; i < strip->count; i++)                                                                        \
    out[i] = (expression)

static void NAME(compare)(cake_binary_op op, const cake_sim_strip *strip) {
    const TYPE *a = strip->in[0], *b = strip->in[1];
    bool *out = strip->out;
    if (op == CAKE_BINARY_EQ)
        EACH(a[i] == b[i]);
    else if (op == CAKE_BINARY_NE)
        EACH(a[i] != b[i]);
    else if (op == CAKE_BINARY_LT)
        EACH(a[i] < b[i]);
    else if (op == CAKE_BINARY_LE)
        EACH(a[i] <= b[i]);
    else if (op == CAKE_BINARY_GT)
        EACH(a[i] > b[i]);
    else
        EACH(a[i] >= b[i]);
}

static void NAME(binary)(cake_binary_op op, const cake_sim_strip *strip) {
    const TYPE *a = strip->in[0], *b = strip->in[1];
    TYPE *out = strip->out;
    if (op == CAKE_BINARY_ADD)
        EACH(a[i] + b[i]);
    else if (op == CAKE_BINARY_SUB)
        EACH(a[i] - b[i]);
    else if (op == CAKE_BINARY_MUL)
        EACH(a[i] * b[i]);
    else if (op == CAKE_BINARY_DIV)
        EACH(a[i] / b[i]);
    else
        CAKE_ASSERT(!"no operator of floats");
}

#undef EACH

/* Of equal numbers, which differ in bits only where both are zero, the one with or without a sign: -0 < +0. */
static inline TYPE NAME(extreme)(bool largest, bool keep_nan, TYPE a, TYPE b) {
    BITS x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x = largest ? x & y : x | y;
    TYPE equal, one = (largest ? a > b : a < b) ? a : b, other = keep_nan ? a : b;
    memcpy(&equal, &x, sizeof equal);
    TYPE result = a == b ? equal : one;
    return a != a ? other : b != b ? (keep_nan ? b : a) : result;
}

static void NAME(min_max)(bool largest, bool keep_nan, const cake_sim_strip *strip) {
    const TYPE *a = strip->in[0], *b = strip->in[1];
    TYPE *out = strip->out;
    if (largest)
        for (uint32_t i = 0; i < strip->count; i++)
            out[i] = NAME(extreme)(true, keep_nan, a[i], b[i]);
    else
        for (uint32_t i = 0; i < strip->count; i++)
            out[i] = NAME(extreme)(false, keep_nan, a[i], b[i]);
}

#undef TYPE
#undef BITS
#undef NAME
