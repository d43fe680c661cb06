#include "plan/range.h"

#include <limits.h>

static int64_t clamp(int64_t value) {
    if (value < -CAKE_RANGE_LIMIT) return -CAKE_RANGE_LIMIT;
    return value > CAKE_RANGE_LIMIT ? CAKE_RANGE_LIMIT : value;
}

cake_range cake_range_make(int64_t low, int64_t high) {
    return (cake_range){clamp(low), clamp(high)};
}

int64_t cake_floor_div(int64_t dividend, int64_t divisor) {
    int64_t quotient = dividend / divisor;
    return dividend % divisor < 0 ? quotient - 1 : quotient;
}

static int64_t multiply(int64_t a, int64_t b) {
    if (a == 0 || b == 0) return 0;
    int64_t limit = CAKE_RANGE_LIMIT / (b < 0 ? -b : b);
    if ((a < 0 ? -a : a) > limit) return (a < 0) == (b < 0) ? CAKE_RANGE_LIMIT : -CAKE_RANGE_LIMIT;
    return a * b;
}

static int64_t shift_left(int64_t a, int64_t count) {
    return multiply(a, (int64_t)1 << count);
}

typedef int64_t corner(int64_t a, int64_t b);

/* For functions monotone in each argument the extremes are at the corners. */
static cake_range corners(corner *function, cake_range left, cake_range right) {
    int64_t at[4] = {function(left.low, right.low), function(left.low, right.high), function(left.high, right.low),
                     function(left.high, right.high)};
    cake_range range = {at[0], at[0]};
    for (int i = 1; i < 4; i++) {
        if (at[i] < range.low) range.low = at[i];
        if (at[i] > range.high) range.high = at[i];
    }
    return range;
}

static int64_t shift_right(int64_t a, int64_t count) {
    return cake_floor_div(a, (int64_t)1 << count);
}

static cake_range modulo(cake_range left, cake_range right) {
    if (left.low >= 0 && left.high < right.low) return left;
    return cake_range_make(0, right.high - 1);
}

/* 1 where all pairs satisfy it, 0 where none does. */
static cake_range decide(bool always, bool never) {
    return (cake_range){always ? 1 : 0, never ? 0 : 1};
}

static cake_range compare(cake_binary_op op, cake_range l, cake_range r) {
    bool same = l.low == l.high && r.low == r.high && l.low == r.low;
    bool apart = l.high < r.low || r.high < l.low;
    if (op == CAKE_BINARY_EQ) return decide(same, apart);
    if (op == CAKE_BINARY_NE) return decide(apart, same);
    if (op == CAKE_BINARY_LT) return decide(l.high < r.low, l.low >= r.high);
    if (op == CAKE_BINARY_LE) return decide(l.high <= r.low, l.low > r.high);
    if (op == CAKE_BINARY_GT) return decide(l.low > r.high, l.high <= r.low);
    return decide(l.low >= r.high, l.high < r.low);
}

/* Smallest 2^n - 1 that is not below value. */
static int64_t ones(int64_t value) {
    int64_t mask = 0;
    while (mask < value)
        mask = mask * 2 + 1;
    return mask;
}

static cake_range bitwise(cake_binary_op op, cake_range left, cake_range right) {
    if (left.low == left.high && right.low == right.high) {
        int64_t a = left.low, b = right.low;
        int64_t exact = op == CAKE_BINARY_AND ? (a & b) : op == CAKE_BINARY_OR ? (a | b) : (a ^ b);
        return cake_range_make(exact, exact);
    }
    bool left_natural = left.low >= 0, right_natural = right.low >= 0;
    if (op == CAKE_BINARY_AND && left_natural && right_natural)
        return (cake_range){0, left.high < right.high ? left.high : right.high};
    if (op == CAKE_BINARY_AND && (left_natural || right_natural))
        return (cake_range){0, left_natural ? left.high : right.high};
    if (left_natural && right_natural) return (cake_range){0, ones(left.high > right.high ? left.high : right.high)};
    return (cake_range){-CAKE_RANGE_LIMIT, CAKE_RANGE_LIMIT};
}

bool cake_range_binary(cake_binary_op op, cake_range left, cake_range right, cake_range *out_range) {
    bool shift_defined = right.low >= 0 && right.high <= 62;
    switch (op) {
    case CAKE_BINARY_ADD:
        *out_range = cake_range_make(left.low + right.low, left.high + right.high);
        return true;
    case CAKE_BINARY_SUB:
        *out_range = cake_range_make(left.low - right.high, left.high - right.low);
        return true;
    case CAKE_BINARY_MUL:
        *out_range = corners(multiply, left, right);
        return true;
    case CAKE_BINARY_DIV:
        if (right.low <= 0) return false;
        *out_range = corners(cake_floor_div, left, right);
        return true;
    case CAKE_BINARY_MOD:
        if (right.low <= 0) return false;
        *out_range = modulo(left, right);
        if (left.low == left.high && right.low == right.high) {
            int64_t exact = left.low - right.low * cake_floor_div(left.low, right.low);
            *out_range = (cake_range){exact, exact};
        }
        return true;
    case CAKE_BINARY_SHL:
        if (shift_defined) *out_range = corners(shift_left, left, right);
        return shift_defined;
    case CAKE_BINARY_SHR:
        if (shift_defined) *out_range = corners(shift_right, left, right);
        return shift_defined;
    case CAKE_BINARY_AND:
    case CAKE_BINARY_OR:
    case CAKE_BINARY_XOR:
        *out_range = bitwise(op, left, right);
        return true;
    case CAKE_BINARY_EQ:
    case CAKE_BINARY_NE:
    case CAKE_BINARY_LT:
    case CAKE_BINARY_LE:
    case CAKE_BINARY_GT:
    case CAKE_BINARY_GE:
        *out_range = compare(op, left, right);
        return true;
    case CAKE_BINARY_COUNT:
        break;
    }
    return false;
}

bool cake_range_fits_i32(cake_range range) {
    return range.low >= INT32_MIN && range.high <= INT32_MAX;
}
