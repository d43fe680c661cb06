/* Ranges of exact integers, both ends included. Ends beyond CAKE_RANGE_LIMIT are clamped there: such a value needs more
 * bits than any launch accepts, and the contract is asked to bound it. The sum of two ends still fits 64 bits. */
#ifndef CAKE_PLAN_RANGE_H
#define CAKE_PLAN_RANGE_H

#include "ir/module.h"

#define CAKE_RANGE_LIMIT (((int64_t)1 << 62) - 1)

typedef struct cake_range {
    int64_t low, high;
} cake_range;

cake_range cake_range_make(int64_t low, int64_t high);
/* The values that 'left op right' can take; false where the operation is not defined for all of them (division by a
 * range that holds 0, a shift count that is negative or over 62). Comparisons give 0 .. 1, decided where possible. */
bool cake_range_binary(cake_binary_op op, cake_range left, cake_range right, cake_range *out_range);
/* Rounds down; divisor > 0. */
int64_t cake_floor_div(int64_t dividend, int64_t divisor);
bool cake_range_fits_i32(cake_range range);

#endif
