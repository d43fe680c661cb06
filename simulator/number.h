/* Numbers side by side, as registers hold them (machine.h): conversions of floats, and the kernels of pure operations.
 */
#ifndef CAKE_SIMULATOR_NUMBER_H
#define CAKE_SIMULATOR_NUMBER_H

#include "simulator/machine.h"

#define CAKE_SIM_STRIP 256u /* elements that are worked on at once: fit in the nearest cache */

/* The same operation on some elements, at most CAKE_SIM_STRIP. */
typedef struct cake_sim_strip {
    const void *in[3]; /* side by side */
    bool uniform[3];   /* all are equal */
    void *out;
    uint32_t count;
} cake_sim_strip;

/* ---- floats (number.c) ---- */

/* Floats of at most 32 bits, any float; exact. */
void cake_sim_widen(cake_dtype dtype, const void *in, float *out, uint32_t count);
void cake_sim_widen_double(cake_dtype dtype, const void *in, double *out, uint32_t count);
/* Rounded once. What is too large becomes infinity, towards zero the largest finite number; 8-bit floats know only to
 * nearest and saturate. Of tf32 10 bits of the mantissa are left. */
void cake_sim_narrow(cake_dtype dtype, cake_rounding rounding, const float *in, void *out, uint32_t count);
void cake_sim_narrow_double(cake_dtype dtype, cake_rounding rounding, const double *in, void *out, uint32_t count);
bool cake_sim_is_real(cake_dtype dtype); /* a float, or REAL */

/* ---- kernels ---- */

/* False if an element's result is not defined; it is 0 then. */
bool cake_sim_integer_binary(cake_binary_op op, cake_dtype dtype, const cake_sim_strip *strip);
void cake_sim_integer_unary(cake_unary_op op, cake_dtype dtype, const cake_sim_strip *strip);
bool cake_sim_integer_call(cake_builtin function, cake_dtype dtype, const cake_sim_strip *strip);
void cake_sim_float_binary(cake_binary_op op, cake_dtype dtype, const cake_sim_strip *strip);
void cake_sim_float_negate(cake_dtype dtype, const cake_sim_strip *strip);
void cake_sim_float_call(cake_builtin function, uint8_t modifiers, cake_dtype dtype, const cake_sim_strip *strip);
bool cake_sim_cast(const cake_plan_op *op, const cake_sim_strip *strip);
/* 4-bit integers and bools of any byte: sign- or zero-extended, 0 or 1; nothing for others. */
void cake_sim_normalise(cake_dtype dtype, void *elements, uint32_t count);

#endif
