/* Numbers: elements of every dtype to and from double.
 *
 * Decoding is exact but for i64 and u64 beyond 2^53 (nearest double). Encoding rounds to nearest, ties to even. tf32 is
 * stored as f32 whose low 13 bits are zero. e4m3 and e5m2 are OCP FP8: e4m3 has no infinity.
 *
 *     uint64_t bits = cake_number_encode(CAKE_DTYPE_BF16, 1.0, false);        // 0x3F80
 *     double value = cake_number_decode(CAKE_DTYPE_BF16, bits);               // 1.0
 *     cake_number_store(CAKE_DTYPE_U4, bytes, 3, 9.0);                        // high half of byte 1
 */
#ifndef CAKE_ORACLE_NUMBER_H
#define CAKE_ORACLE_NUMBER_H

#include "ir/type.h"

/* Value of an element given as its bits (the low cake_dtype_bits of them are read). bool: any nonzero is 1. */
double cake_number_decode(cake_dtype dtype, uint64_t bits);

/* Bits of the nearest element. Floats past the largest one become infinity (e4m3: NaN), with saturate the largest one.
 * Integers wrap modulo their size after rounding, with saturate they stop at their ends; NaN and infinity become 0,
 * with saturate infinity the end. bool: value != 0. */
uint64_t cake_number_encode(cake_dtype dtype, double value, bool saturate);

/* decode(encode(value)). */
double cake_number_round(cake_dtype dtype, double value, bool saturate);

/* Element 'index' of a contiguous array. */
uint64_t cake_number_bits(cake_dtype dtype, const void *data, uint64_t index);
double cake_number_load(cake_dtype dtype, const void *data, uint64_t index);
void cake_number_store(cake_dtype dtype, void *data, uint64_t index, double value);

/* Elements first, first + stride, ...: count of them. */
void cake_number_load_many(cake_dtype dtype, const void *data, uint64_t first, int64_t stride, uint32_t count,
                           double *out_values);

void cake_number_store_many(cake_dtype dtype, void *data, uint64_t first, uint32_t count, const double *values);

/* Half the distance between the dtype's neighbours around a value: how far rounding may move it. 0 for integers. */
double cake_number_half_ulp(cake_dtype dtype, double value);

/* How many consecutive integers from 0 the dtype holds exactly, as a power of two: 256 for bf16 and u8, 16 for e4m3,
 * 128 for i8; 2^53 for f64, i64 and u64. */
uint64_t cake_number_exact_integers(cake_dtype dtype);

#endif
