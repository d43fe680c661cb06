/* Arithmetic on one integer type. integer.c includes this once for each, with
 *   TYPE      of the elements
 *   UNSIGNED  the same width without a sign
 *   WIDE      the unsigned type of 32 or 64 bits that it is computed in, which wraps
 *   SIGNED    1 or 0
 *   NAME(x)   names of its functions
 */
#if SIGNED
#define SIGN_BIT(x)        ((x) < 0)
#define SHIFT_RIGHT(x, by) (SIGN_BIT(x) ? ~(~(x) >> (by)) : (x) >> (by))
#else
#define SIGN_BIT(x)        false
#define SHIFT_RIGHT(x, by) ((x) >> (by))
#endif

static bool NAME(divide)(const cake_sim_strip *strip) {
    const TYPE *a = strip->in[0], *b = strip->in[1];
    TYPE *out = strip->out;
    uint32_t shift;
    bool defined = true;
    if (strip->uniform[1] && is_power_of_two((int64_t)b[0], &shift)) {
        for (uint32_t i = 0; i < strip->count; i++)
            out[i] = (TYPE)SHIFT_RIGHT(a[i], shift);
        return true;
    }
    for (uint32_t i = 0; i < strip->count; i++) {
        bool positive = b[i] > 0;
        TYPE divisor = positive ? b[i] : 1, quotient = (TYPE)(a[i] / divisor);
        bool above = (TYPE)(quotient * divisor) > a[i];
        out[i] = positive ? (TYPE)(quotient - above) : 0;
        defined = defined && positive;
    }
    return defined;
}

static bool NAME(modulo)(const cake_sim_strip *strip) {
    const TYPE *a = strip->in[0], *b = strip->in[1];
    TYPE *out = strip->out;
    uint32_t shift;
    bool defined = true;
    if (strip->uniform[1] && is_power_of_two((int64_t)b[0], &shift)) {
        for (uint32_t i = 0; i < strip->count; i++)
            out[i] = (TYPE)(a[i] & (TYPE)(b[i] - 1));
        return true;
    }
    for (uint32_t i = 0; i < strip->count; i++) {
        bool positive = b[i] > 0;
        TYPE divisor = positive ? b[i] : 1, rest = (TYPE)(a[i] % divisor);
        out[i] = positive ? (TYPE)(rest + (SIGN_BIT(rest) ? divisor : 0)) : 0;
        defined = defined && positive;
    }
    return defined;
}

static bool NAME(shift)(bool left, uint32_t bits, const cake_sim_strip *strip) {
    const TYPE *a = strip->in[0], *b = strip->in[1];
    TYPE *out = strip->out;
    bool defined = true;
    for (uint32_t i = 0; i < strip->count; i++) {
        bool inside = (UNSIGNED)b[i] < bits;
        uint32_t by = inside ? (uint32_t)b[i] : 0;
        TYPE shifted = (TYPE)(left ? (WIDE)a[i] << by : (WIDE)(SHIFT_RIGHT(a[i], by)));
        out[i] = inside ? shifted : 0;
        defined = defined && inside;
    }
    return defined;
}

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

static bool NAME(binary)(cake_binary_op op, uint32_t bits, const cake_sim_strip *strip) {
    const TYPE *a = strip->in[0], *b = strip->in[1];
    TYPE *out = strip->out;
    switch (op) {
    case CAKE_BINARY_OR:
        EACH((TYPE)(a[i] | b[i]));
        return true;
    case CAKE_BINARY_XOR:
        EACH((TYPE)(a[i] ^ b[i]));
        return true;
    case CAKE_BINARY_AND:
        EACH((TYPE)(a[i] & b[i]));
        return true;
    case CAKE_BINARY_SHL:
        return NAME(shift)(true, bits, strip);
    case CAKE_BINARY_SHR:
        return NAME(shift)(false, bits, strip);
    case CAKE_BINARY_ADD:
        EACH((TYPE)((WIDE)a[i] + (WIDE)b[i]));
        return true;
    case CAKE_BINARY_SUB:
        EACH((TYPE)((WIDE)a[i] - (WIDE)b[i]));
        return true;
    case CAKE_BINARY_MUL:
        EACH((TYPE)((WIDE)a[i] * (WIDE)b[i]));
        return true;
    case CAKE_BINARY_DIV:
        return NAME(divide)(strip);
    case CAKE_BINARY_MOD:
        return NAME(modulo)(strip);
    case CAKE_BINARY_EQ:
    case CAKE_BINARY_NE:
    case CAKE_BINARY_LT:
    case CAKE_BINARY_LE:
    case CAKE_BINARY_GT:
    case CAKE_BINARY_GE:
        NAME(compare)(op, strip);
        return true;
    case CAKE_BINARY_COUNT:
        break;
    }
    CAKE_ASSERT(!"an unknown operator");
}

static void NAME(unary)(cake_unary_op op, const cake_sim_strip *strip) {
    const TYPE *a = strip->in[0];
    TYPE *out = strip->out;
    if (op == CAKE_UNARY_NEG)
        EACH((TYPE)(0 - (WIDE)a[i]));
    else
        EACH((TYPE)~a[i]);
}

static void NAME(call)(cake_builtin function, const cake_sim_strip *strip) {
    const TYPE *a = strip->in[0], *b = strip->in[1];
    TYPE *out = strip->out;
    if (function == CAKE_BUILTIN_MIN)
        EACH(a[i] < b[i] ? a[i] : b[i]);
    else if (function == CAKE_BUILTIN_MAX)
        EACH(a[i] > b[i] ? a[i] : b[i]);
    else if (function == CAKE_BUILTIN_ABS)
        EACH((TYPE)(SIGN_BIT(a[i]) ? 0 - (WIDE)a[i] : (WIDE)a[i]));
    else if (function == CAKE_BUILTIN_POPC)
        EACH((TYPE)count_ones((UNSIGNED)a[i]));
    else
        EACH((TYPE)(8 * sizeof(TYPE) - count_ones(smear((UNSIGNED)a[i]))));
}

#undef EACH
#undef TYPE
#undef UNSIGNED
#undef WIDE
#undef SIGNED
#undef NAME
#undef SHIFT_RIGHT
#undef SIGN_BIT
