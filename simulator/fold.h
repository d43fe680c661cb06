/* What reductions and scans share: the lines of an operation, all of a warp's at once.
 *
 * Layouts are sums of what register, lane and warp add, and cover their tile once. So the lines of a thread
 * (plan/lines.h) are alike: the same number of registers, at the same positions. One step of a fold is therefore one
 * elementwise operation over all lines and lanes: a block is, for each tile, one element for each line and lane,
 * [line][lane].
 *
 * The fold is made once for an operation, and its working memory serves all warps: it holds nothing from one call to
 * the next. What a warp must keep while it waits for others is in what it handed to them.
 */
#ifndef CAKE_SIMULATOR_FOLD_H
#define CAKE_SIMULATOR_FOLD_H

#include "plan/lines.h"
#include "simulator/machine.h"

/* Elements that are read: in a block, or in registers. */
typedef struct cake_sim_view {
    const void *of[2]; /* by tile */
} cake_sim_view;

/* An operation of the combiner's body. */
typedef struct cake_sim_combine_step {
    const cake_plan_op *op;
    const void *const *operands[3]; /* where their elements are to be found; null: the same for all, from outside */
    void *room;
    const void *out; /* the same: what operands of later steps point to */
} cake_sim_combine_step;

typedef struct cake_sim_combiner {
    const cake_plan_combiner *plan;
    const void *left[2], *right[2]; /* elements of the leaves, by tile */
    uint32_t step_count;
    cake_sim_combine_step *steps;
    const void *const *results[2]; /* made by steps */
} cake_sim_combiner;

/* The registers at one place of all lines. */
typedef struct cake_sim_row {
    const uint32_t *registers; /* by line */
    bool consecutive;
} cake_sim_row;

typedef struct cake_sim_fold {
    const cake_plan_op *op;
    cake_layout_lines lines;
    uint32_t lane_count, warp_count; /* of the lines' steps that are taken: fewer within lane or warp */
    uint32_t tiles, places;          /* registers of a line */
    uint32_t width;                  /* elements of a tile in a block */
    uint32_t element_bytes[2];
    size_t second, block_bytes; /* offset of the second tile */
    cake_sim_row *rows[2];      /* by tile and place */
    const uint32_t *results[2]; /* REDUCE: register of the result by line; null: the result is a scalar */
    cake_sim_combiner combiner;
    unsigned char *room;                 /* a block for elements that lie apart */
    unsigned char *total, *other, *both; /* blocks to work with */
    struct cake_sim_scanner *scanner;    /* of ordered folds */
} cake_sim_fold;

cake_sim_fold *cake_sim_fold_of(cake_sim_warp *warp, const cake_plan_op *op);
/* The fold's combiner (combine.c); widths are known. */
void cake_sim_combiner_build(cake_arena *arena, cake_sim_fold *fold);

cake_sim_view cake_sim_block_view(const cake_sim_fold *fold, const void *block);
void cake_sim_block_copy(const cake_sim_fold *fold, cake_sim_view from, unsigned char *out_block);
/* The operands' elements at a place of all lines; 0 and 1 for count. Valid until the next call. */
cake_sim_view cake_sim_fold_elements(cake_sim_warp *warp, const cake_sim_fold *fold, uint32_t place);
/* Combines all lines and lanes; 'out_block' may be one of the operands. */
void cake_sim_fold_combine(cake_sim_warp *warp, cake_sim_fold *fold, cake_sim_view left, cake_sim_view right,
                           unsigned char *out_block);
/* Each lane gets the element of the lane whose number differs in the mask's bits. */
void cake_sim_fold_shuffle(const cake_sim_fold *fold, cake_sim_view from, uint32_t mask, unsigned char *out_block);
/* 'yes' for the lanes in the set, 'no' for the others; 'out_block' may be one of them. */
void cake_sim_fold_select(const cake_sim_fold *fold, uint32_t lanes, cake_sim_view yes, cake_sim_view no,
                          unsigned char *out_block);
/* One element for each line and lane to the results of a reduction. */
void cake_sim_fold_write(cake_sim_warp *warp, const cake_sim_fold *fold, cake_sim_view elements);
/* One element for each line and lane to the results of a scan. */
void cake_sim_fold_write_place(cake_sim_warp *warp, const cake_sim_fold *fold, uint32_t place, cake_sim_view elements);
/* The warp of the team that this one is or repeats: those beyond a power of two repeat the tile of those before. */
uint32_t cake_sim_layout_warp(const cake_sim_warp *warp, const cake_layout *layout);

/* A reduction in order (scan.c). */
cake_sim_step cake_sim_reduce_ordered(cake_sim_warp *warp, cake_sim_fold *fold);

#endif
