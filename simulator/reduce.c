/* Reductions whose order is free: registers of a thread in order, then lanes by butterflies, then warps in their order.
 */
#include "simulator/fold.h"

static void fold_registers(cake_sim_warp *warp, cake_sim_fold *fold) {
    cake_sim_view total = cake_sim_block_view(fold, fold->total);
    cake_sim_block_copy(fold, cake_sim_fold_elements(warp, fold, 0), fold->total);
    for (uint32_t place = 1; place < fold->places; place++)
        cake_sim_fold_combine(warp, fold, total, cake_sim_fold_elements(warp, fold, place), fold->total);
}

static void fold_lanes(cake_sim_warp *warp, cake_sim_fold *fold) {
    cake_sim_view total = cake_sim_block_view(fold, fold->total), other = cake_sim_block_view(fold, fold->other);
    if (fold->op->u.reduction->within == CAKE_WITHIN_LANE) return;
    for (uint32_t bit = 0; bit < CAKE_LANE_BITS; bit++) {
        if (!(fold->op->u.reduction->lane_bits >> bit & 1)) continue;
        cake_sim_fold_shuffle(fold, total, 1u << bit, fold->other);
        cake_sim_fold_combine(warp, fold, total, other, fold->total);
    }
}

/* The warps that hold the same lines: those that differ from this one in the bits of the mask only. */
static void fold_warps(cake_sim_warp *warp, cake_sim_fold *fold, uint32_t mask) {
    cake_sim_view total = cake_sim_block_view(fold, fold->total);
    uint32_t rest = cake_sim_layout_warp(warp, fold->op->operands[0]->layout) & ~mask, part = 0;
    do { /* the subsets of the mask by rising number */
        cake_sim_view other = cake_sim_block_view(fold, cake_sim_met(warp, rest | part));
        if (part)
            cake_sim_fold_combine(warp, fold, total, other, fold->total);
        else
            cake_sim_block_copy(fold, other, fold->total);
        part = (part - mask) & mask;
    } while (part);
}

cake_sim_step cake_sim_reduce(cake_sim_warp *warp, const cake_plan_op *op) {
    cake_sim_fold *fold = cake_sim_fold_of(warp, op);
    if (op->u.reduction->ordered) return cake_sim_reduce_ordered(warp, fold);
    if (cake_sim_stage(warp) == 0) {
        fold_registers(warp, fold);
        fold_lanes(warp, fold);
    }
    if (fold->warp_count) {
        if (!cake_sim_meet(warp, op, fold->total, fold->block_bytes)) return CAKE_SIM_BLOCKED;
        fold_warps(warp, fold, op->u.reduction->warp_bits);
    }
    cake_sim_fold_write(warp, fold, cake_sim_block_view(fold, fold->total));
    return CAKE_SIM_NEXT;
}
