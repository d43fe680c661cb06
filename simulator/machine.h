/* What the files of simulator/ share while one kernel runs.
 *
 * A machine holds the CTAs that run interleaved: one CTA or cluster where CTAs can't tell of each other, else all that
 * are resident. Its warps step through the plan's operation tree; an operation that has to wait returns
 * CAKE_SIM_BLOCKED and is called again, with the warp's 'stage' as it left it.
 *
 * Registers: each value has a place in its warp's register file. A scalar is one element there, a tile is
 * [register][lane], 32 lanes to a register, as its layout says. Elements are in their dtype's own form: f64, f32 (tf32
 * and REAL too), 16-bit floats as bits, 8-bit floats as bits, integers, 4-bit integers one to a byte (sign-extended if
 * signed), bool as 0 or 1, INDEX as int64_t.
 */
#ifndef CAKE_SIMULATOR_MACHINE_H
#define CAKE_SIMULATOR_MACHINE_H

#include "simulator/simulator.h"

#define CAKE_SIM_LANES     32
#define CAKE_SIM_MAX_DEPTH 64

typedef struct cake_sim_machine cake_sim_machine;
typedef struct cake_sim_cta cake_sim_cta;
typedef struct cake_sim_team cake_sim_team;
typedef struct cake_sim_warp cake_sim_warp;

typedef enum cake_sim_step {
    CAKE_SIM_NEXT,   /* done: on to the next operation */
    CAKE_SIM_BLOCKED /* call again when something has changed */
} cake_sim_step;

/* ---- registers (registers.c) ---- */

/* Bytes of an element in a register. */
uint32_t cake_sim_element_bytes(cake_dtype dtype);
/* First element of a value: a scalar's only one, or lane 0 of register 0 of a tile. Constants too. */
void *cake_sim_data(cake_sim_warp *warp, const cake_plan_value *value);
/* Elements: 1 of a scalar, registers * 32 of a tile. */
uint32_t cake_sim_count(const cake_plan_value *value);
/* A scalar of an integer dtype or INDEX. */
int64_t cake_sim_integer(cake_sim_warp *warp, const cake_plan_value *value);
/* By register of 'layout': the register of the operand that goes with it, where axes of extent 1 go with any. Null: the
 * same one (also of scalars). */
const uint32_t *cake_sim_broadcast(cake_sim_warp *warp, const cake_plan_value *operand, const cake_layout *layout);
/* out[axis][lane]: what lane and warp add to a register's coordinates. */
void cake_sim_thread_coordinates(const cake_layout *layout, uint32_t team_warp,
                                 uint32_t out[CAKE_MAX_RANK][CAKE_SIM_LANES]);

/* ---- pure operations (pure.c, arithmetic*.c, functions.c, cast.c) ---- */

/* One operand or result of an elementwise operation: elements at data + i * stride elements, stride 0 or 1. */
typedef struct cake_sim_operand {
    const void *data;
    uint32_t stride;
} cake_sim_operand;

/* 'count' elements of UNARY BINARY CALL CAST BITCAST and SPLAT (a copy) at once. Division by zero and shifts by the
 * width or more are reported as faults, and give 0. Not for tiles as such: broadcasting is the caller's. */
void cake_sim_elementwise(cake_sim_warp *warp, const cake_plan_op *op, void *out, const cake_sim_operand *operands,
                          uint32_t count);
/* UNARY BINARY CALL CAST BITCAST IOTA INSERT_AXIS SPLAT of scalars and tiles. */
void cake_sim_pure(cake_sim_warp *warp, const cake_plan_op *op);
/* SLICE RESHAPE TRANSPOSE CONCAT: registers under other names. */
void cake_sim_rename(cake_sim_warp *warp, const cake_plan_op *op);
/* READ and WRITE of variables and slices of them. */
void cake_sim_read(cake_sim_warp *warp, const cake_plan_op *op);
void cake_sim_write(cake_sim_warp *warp, const cake_plan_op *op);

/* Conversions of single elements, by bits (number.c): round to nearest even; to 8-bit floats with saturation to the
 * largest finite number (PTX ISA 'cvt', .satfinite). */
float cake_sim_to_float(cake_dtype dtype, const void *element); /* any float of at most 32 bits */
void cake_sim_from_float(cake_dtype dtype, float value, void *out_element);

/* ---- collective operations (reduce.c, scan.c, topk.c, relayout.c) ---- */

cake_sim_step cake_sim_reduce(cake_sim_warp *warp, const cake_plan_op *op);
cake_sim_step cake_sim_scan(cake_sim_warp *warp, const cake_plan_op *op);
cake_sim_step cake_sim_topk(cake_sim_warp *warp, const cake_plan_op *op);
cake_sim_step cake_sim_relayout(cake_sim_warp *warp, const cake_plan_op *op);

/* The warps of a team hand 'bytes' bytes to each other (team.c). Called with the warp's stage 0 it takes the data and
 * sets the stage to 1; false until all warps of the team have come to the same operation: the caller then returns
 * CAKE_SIM_BLOCKED. When true the stage is 0 again and cake_sim_met gives what each warp handed in, until this warp's
 * next cake_sim_meet. With stage 1 'data' is not looked at. */
bool cake_sim_meet(cake_sim_warp *warp, const cake_plan_op *op, const void *data, size_t bytes);
const void *cake_sim_met(const cake_sim_warp *warp, uint32_t team_warp);

/* ---- memory (place.c, access.c, atomic.c, copy.c, async.c) ---- */

cake_sim_step cake_sim_load(cake_sim_warp *warp, const cake_plan_op *op);
cake_sim_step cake_sim_store(cake_sim_warp *warp, const cake_plan_op *op);
cake_sim_step cake_sim_atomic(cake_sim_warp *warp, const cake_plan_op *op);
cake_sim_step cake_sim_await(cake_sim_warp *warp, const cake_plan_op *op);
void cake_sim_copy(cake_sim_warp *warp, const cake_plan_op *op);
void cake_sim_async_load(cake_sim_warp *warp, const cake_plan_op *op);

/* ---- matrix units (matrix.c, mma.c) ---- */

void cake_sim_mma(cake_sim_warp *warp, const cake_plan_op *op);
void cake_sim_wgmma(cake_sim_warp *warp, const cake_plan_op *op);

/* ---- findings (finding.c) ---- */

/* Something went wrong in this warp at this operation: reported once for each operation and code, with the values of
 * the loops around it. Printf-like. Null when it was reported before. */
cake_diagnostic *cake_sim_fault(cake_sim_warp *warp, const cake_plan_op *op, cake_diagnostic_code code,
                                const char *format, ...) CAKE_PRINTF(4, 5);

/* ---- for the helpers of collective and pure operations ---- */

/* Memory of the machine that lives as long as the kernel runs: tables that are worked out once. */
cake_arena *cake_sim_arena(cake_sim_warp *warp);
/* Scratch memory of the warp that lives to its next operation: at least 'bytes', aligned to 16. */
void *cake_sim_scratch(cake_sim_warp *warp, size_t bytes);
uint32_t cake_sim_team_warp(const cake_sim_warp *warp);  /* number within the team */
uint32_t cake_sim_team_warps(const cake_sim_warp *warp); /* of the team */
/* Of the operation that the warp is at: 0 when it is called for the first time. */
uint32_t cake_sim_stage(const cake_sim_warp *warp);
/* A table that belongs to an operation and was put there before, or null; it is shared by all warps. */
void *cake_sim_table(cake_sim_warp *warp, const cake_plan_op *op);
void cake_sim_table_put(cake_sim_warp *warp, const cake_plan_op *op, void *table);
/* Per variable and warp: registers as of a value, and for each register whether it was written (CAKE_SIM_LANES lanes
 * at once). */
typedef struct cake_sim_variable {
    unsigned char *data;
    bool *written;
} cake_sim_variable;
cake_sim_variable *cake_sim_variable_of(cake_sim_warp *warp, const cake_plan_variable *variable);

#endif
