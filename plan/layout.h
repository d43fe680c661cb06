/* Layout: which lane of which warp holds which element of a tile in which register.
 *
 * An additive map. The coordinate of register r in lane l of warp w of the team is
 *
 *     registers[r] + sum of lane[i] over the set bits i of l + sum of warp[j] over the set bits j of w
 *
 * componentwise, with no carries between the summands, so for extents that are powers of two this is a linear map over
 * GF(2). A lane or warp bit whose summand is zero repeats the tile: all threads that differ in such bits only hold the
 * same elements, and the one with those bits zero is the owner that stores them.
 *
 * Layouts are interned per plan: equal layouts have equal pointers.
 *
 * Sources: PTX ISA 'Register fragments for wgmma.mma_async.m64nNk16' (accumulator D and A fragment), 'Matrix fragments
 * for mma.m16n8k16' and its neighbours.
 */
#ifndef CAKE_PLAN_LAYOUT_H
#define CAKE_PLAN_LAYOUT_H

#include "ir/type.h"
#include "support/text.h"
#include "support/vector.h"

#define CAKE_LANE_BITS     5
#define CAKE_WARP_BITS     5
#define CAKE_MAX_REGISTERS 1024 /* elements a thread holds of one tile */

typedef struct cake_shape {
    uint8_t rank; /* 0: scalar */
    uint32_t extents[CAKE_MAX_RANK];
} cake_shape;

typedef struct cake_coordinate {
    uint32_t at[CAKE_MAX_RANK];
} cake_coordinate;

typedef struct cake_layout {
    uint32_t number; /* from 1, in order of creation */
    cake_shape shape;
    uint32_t register_count;
    const cake_coordinate *registers;
    cake_coordinate lane[CAKE_LANE_BITS];
    cake_coordinate warp[CAKE_WARP_BITS];
    uint8_t warp_bits; /* the team has 1 << warp_bits warps, or an odd multiple of that: warps repeat those before */
} cake_layout;

typedef struct cake_layouts {
    cake_arena *arena;
    CAKE_VECTOR(cake_layout *) rows;
} cake_layouts;

uint64_t cake_shape_elements(const cake_shape *shape);
bool cake_shape_equal(const cake_shape *a, const cake_shape *b);
void cake_shape_print(const cake_shape *shape, cake_text *out);

/* Runs of 'run' elements along the last axis, dealt to the team's threads in row-major order, wrapping; a tile smaller
 * than the team is repeated. Null if it does not deal evenly: the last extent is no multiple of run, or neither of
 * (elements / run, threads) divides the other, or a coordinate would carry. */
const cake_layout *cake_layout_runs(cake_layouts *layouts, const cake_shape *shape, uint32_t run, uint8_t warp_bits);

/* Accumulator of wgmma, shape [M, N]: M a multiple of 64 times the team's warpgroups, N of 8. Each warpgroup owns
 * consecutive rows. Null for other shapes or teams of less than four warps. */
const cake_layout *cake_layout_wgmma(cake_layouts *layouts, const cake_shape *shape, uint8_t warp_bits);

/* Fragments of mma for one warp, shape [R, C]: 16 rows by 16 bytes for every two words of a lane, 'per_word' elements
 * (1, 2 or 4) in each. Accumulators of 32 bits lie as if there were two to a word, so a 16-bit tile in accumulator
 * layout is an operand too. Rows of an operand are those of x, or of y.T. Null unless R is a multiple of 16 and C of
 * 4 * per_word. */
const cake_layout *cake_layout_mma(cake_layouts *layouts, const cake_shape *shape, uint32_t per_word,
                                   uint8_t warp_bits);

/* The axes in the mask become extent 1: their components are dropped, registers that become equal are merged. */
const cake_layout *cake_layout_collapse(cake_layouts *layouts, const cake_layout *layout, uint32_t axes);
/* What is left when the axes in the mask are folded within each lane (or, with 'across_lanes', within each warp): along
 * each of them one element for every lane (warp) that shared it, in order of the lanes' (warps') bits. */
const cake_layout *cake_layout_fold(cake_layouts *layouts, const cake_layout *layout, uint32_t axes, bool across_lanes);
/* Removes an axis of extent 1. */
const cake_layout *cake_layout_drop_axis(cake_layouts *layouts, const cake_layout *layout, uint8_t axis);
/* Inserts an axis of extent 1. */
const cake_layout *cake_layout_insert_axis(cake_layouts *layouts, const cake_layout *layout, uint8_t axis);
/* The part [offset, offset + shape) of each axis: the registers that fall into it, if that is the same set of registers
 * in every thread; else null. */
const cake_layout *cake_layout_slice(cake_layouts *layouts, const cake_layout *layout, const uint32_t *offsets,
                                     const cake_shape *shape);

/* The same elements in row-major order under another shape; null if a coordinate would carry. */
const cake_layout *cake_layout_reshape(cake_layouts *layouts, const cake_layout *layout, const cake_shape *shape);
/* Of two axes: changed. */
const cake_layout *cake_layout_transpose(cake_layouts *layouts, const cake_layout *layout);
/* 'second' behind 'first' along the axis; null unless the threads share them in the same way. */
const cake_layout *cake_layout_concat(cake_layouts *layouts, const cake_layout *first, const cake_layout *second,
                                      uint8_t axis);
/* The layout of another shape whose lanes and warps share it in the same way, with registers in row-major order; null
 * if they can't. */
const cake_layout *cake_layout_like(cake_layouts *layouts, const cake_layout *layout, const cake_shape *shape);
/* The axis gets 'count' elements, which every thread that shared the axis holds. Null if these are too many. */
const cake_layout *cake_layout_spread(cake_layouts *layouts, const cake_layout *layout, uint8_t axis, uint32_t count);

/* Register that holds coordinate minus the thread's part, or UINT32_MAX. */
uint32_t cake_layout_find(const cake_layout *layout, const cake_coordinate *coordinate);

/* Largest power of two n such that registers n*i .. n*i + n - 1 are n consecutive elements of the last axis, aligned to
 * n. */
uint32_t cake_layout_run(const cake_layout *layout);

/* Lane or warp bits whose summand is zero: bits of repetition. */
uint32_t cake_layout_repeated_lanes(const cake_layout *layout);
uint32_t cake_layout_repeated_warps(const cake_layout *layout);

/* 'r0..r127 lanes (0,2)(0,4)(1,0).. warps ..' in one line. */
void cake_layout_print(const cake_layout *layout, cake_text *out);

#endif
