/* Lines: the registers of a thread whose elements differ only along some axes, in the order of these elements.
 *
 * The position of an element is its row-major index over the axes. Like a coordinate it is a sum of what the register
 * and the set bits of lane and warp add. Sums fill an interval only if they nest (de Bruijn, 'On number systems',
 * 1956): every block of as many elements as a bit adds begins at a multiple of that number. So a fold that goes through
 * the bits by rising steps, and before each bit joins the registers that its step spans, meets elements in order.
 *
 *     f32[256] in runs of 4 over 32 lanes: registers 0..3 are positions 0..3, lane bits add 4, 8, .. 64, and registers
 *     4..7 begin at 128. In order: four registers, five lane bits, two halves.
 */
#ifndef CAKE_PLAN_LINES_H
#define CAKE_PLAN_LINES_H

#include "plan/layout.h"

typedef struct cake_layout_line {
    uint32_t count;
    uint32_t *registers; /* by rising position */
} cake_layout_line;

/* A bit of lane or warp that is spread along the axes. */
typedef struct cake_layout_step {
    uint32_t bit, step; /* what the set bit adds to the position */
} cake_layout_step;

typedef struct cake_layout_lines {
    uint32_t count; /* of lines in each thread */
    cake_layout_line *lines;
    uint32_t *positions; /* by register */
    uint32_t lane_count, warp_count;
    cake_layout_step lanes[CAKE_LANE_BITS], warps[CAKE_WARP_BITS]; /* by rising step */
    uint32_t chunks; /* most parts of one line that other warps' elements lie between */
    bool nested;     /* lanes' steps lie below warps' steps: then a line needs one exchange between warps */
} cake_layout_lines;

cake_layout_lines cake_layout_lines_along(cake_arena *arena, const cake_layout *layout, uint32_t axes);

/* Steps of the first bit after those that are done; UINT32_MAX behind the last. */
uint32_t cake_layout_lane_step(const cake_layout_lines *lines, uint32_t done);
uint32_t cake_layout_warp_step(const cake_layout_lines *lines, uint32_t done);

#endif
