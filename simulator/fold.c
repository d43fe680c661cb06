/* Folds: which registers are folded into which, and blocks of elements. */
#include <string.h>

#include "simulator/fold.h"

/* ---- tables ---- */

static cake_sim_row row_of(cake_arena *arena, const cake_layout_lines *lines, uint32_t place,
                           const uint32_t *broadcast) {
    uint32_t *registers = CAKE_NEW_ARRAY(arena, uint32_t, lines->count);
    bool consecutive = true;
    for (uint32_t line = 0; line < lines->count; line++) {
        uint32_t r = lines->lines[line].registers[place];
        registers[line] = broadcast ? broadcast[r] : r;
        consecutive = consecutive && registers[line] == registers[0] + line;
    }
    return (cake_sim_row){registers, consecutive};
}

static void build_rows(cake_sim_warp *warp, cake_sim_fold *fold) {
    cake_arena *arena = cake_sim_arena(warp);
    const cake_layout *layout = fold->op->operands[0]->layout;
    fold->places = fold->lines.lines[0].count;
    CAKE_ASSERT(fold->places * fold->lines.count == layout->register_count);
    for (uint32_t i = 0; i < fold->tiles; i++) {
        const uint32_t *broadcast = cake_sim_broadcast(warp, fold->op->operands[i], layout);
        fold->rows[i] = CAKE_NEW_ARRAY(arena, cake_sim_row, fold->places);
        for (uint32_t place = 0; place < fold->places; place++)
            fold->rows[i][place] = row_of(arena, &fold->lines, place, broadcast);
    }
}

/* Where a line's element goes: its coordinate along the axes that are left, or along all where folded ones stay. */
static uint32_t result_register(const cake_plan_op *op, const cake_plan_value *result, uint32_t first) {
    const cake_layout *from = op->operands[0]->layout;
    cake_coordinate at = {{0}};
    uint8_t kept = 0;
    for (uint8_t d = 0; d < from->shape.rank; d++) {
        bool folded = op->u.reduction->axes >> d & 1;
        if (!folded)
            at.at[kept++] = from->registers[first].at[d];
        else if (op->u.reduction->within != CAKE_WITHIN_TEAM)
            at.at[kept++] = 0;
    }
    uint32_t found = cake_layout_find(result->layout, &at);
    CAKE_ASSERT(found != UINT32_MAX);
    return found;
}

static void build_results(cake_arena *arena, cake_sim_fold *fold) {
    for (uint32_t i = 0; i < fold->tiles; i++) {
        const cake_plan_value *result = i ? fold->op->second : fold->op->result;
        if (result->shape.rank == 0) continue;
        uint32_t *registers = CAKE_NEW_ARRAY(arena, uint32_t, fold->lines.count);
        for (uint32_t line = 0; line < fold->lines.count; line++)
            registers[line] = result_register(fold->op, result, fold->lines.lines[line].registers[0]);
        fold->results[i] = registers;
    }
}

static void build_blocks(cake_arena *arena, cake_sim_fold *fold) {
    fold->width = fold->lines.count * CAKE_SIM_LANES; /* so tiles of a block are aligned to 32 bytes */
    for (uint32_t i = 0; i < fold->tiles; i++) {
        fold->element_bytes[i] = cake_sim_element_bytes((i ? fold->op->second : fold->op->result)->dtype);
        fold->second = fold->block_bytes;
        fold->block_bytes += (size_t)fold->width * fold->element_bytes[i];
    }
    fold->room = cake_arena_alloc(arena, fold->block_bytes);
    fold->total = cake_arena_alloc(arena, fold->block_bytes);
    fold->other = cake_arena_alloc(arena, fold->block_bytes);
    fold->both = cake_arena_alloc(arena, fold->block_bytes);
}

static cake_sim_fold *build(cake_sim_warp *warp, const cake_plan_op *op) {
    cake_arena *arena = cake_sim_arena(warp);
    const cake_plan_reduction *reduction = op->u.reduction;
    cake_sim_fold *fold = CAKE_NEW(arena, cake_sim_fold);
    fold->op = op;
    fold->tiles = op->operand_count;
    fold->lines = cake_layout_lines_along(arena, op->operands[0]->layout, reduction->axes);
    fold->lane_count = reduction->within == CAKE_WITHIN_LANE ? 0 : fold->lines.lane_count;
    fold->warp_count = reduction->within == CAKE_WITHIN_TEAM ? fold->lines.warp_count : 0;
    build_rows(warp, fold);
    build_blocks(arena, fold);
    if (op->kind == CAKE_PLAN_REDUCE) build_results(arena, fold);
    cake_sim_combiner_build(arena, fold);
    return fold;
}

cake_sim_fold *cake_sim_fold_of(cake_sim_warp *warp, const cake_plan_op *op) {
    cake_sim_fold *fold = cake_sim_table(warp, op);
    if (fold) return fold;
    fold = build(warp, op);
    cake_sim_table_put(warp, op, fold);
    return fold;
}

uint32_t cake_sim_layout_warp(const cake_sim_warp *warp, const cake_layout *layout) {
    return cake_sim_team_warp(warp) & ((1u << layout->warp_bits) - 1);
}

/* ---- blocks ---- */

cake_sim_view cake_sim_block_view(const cake_sim_fold *fold, const void *block) {
    const unsigned char *bytes = block;
    return (cake_sim_view){{bytes, fold->tiles == 2 ? bytes + fold->second : NULL}};
}

static unsigned char *tile_of(const cake_sim_fold *fold, unsigned char *block, uint32_t tile) {
    return tile ? block + fold->second : block;
}

void cake_sim_block_copy(const cake_sim_fold *fold, cake_sim_view from, unsigned char *out_block) {
    for (uint32_t i = 0; i < fold->tiles; i++)
        memcpy(tile_of(fold, out_block, i), from.of[i], (size_t)fold->width * fold->element_bytes[i]);
}

static void gather(const cake_sim_fold *fold, const unsigned char *data, uint32_t tile, uint32_t place) {
    size_t bytes = (size_t)CAKE_SIM_LANES * fold->element_bytes[tile];
    unsigned char *to = tile_of(fold, fold->room, tile);
    for (uint32_t line = 0; line < fold->lines.count; line++, to += bytes)
        memcpy(to, data + fold->rows[tile][place].registers[line] * bytes, bytes);
}

/* What count adds up. */
static void gather_numbers(const cake_sim_fold *fold, const unsigned char *data, uint32_t place) {
    int64_t *to = (int64_t *)(void *)fold->room;
    for (uint32_t line = 0; line < fold->lines.count; line++, to += CAKE_SIM_LANES) {
        const unsigned char *from = data + (size_t)fold->rows[0][place].registers[line] * CAKE_SIM_LANES;
        for (uint32_t lane = 0; lane < CAKE_SIM_LANES; lane++)
            to[lane] = from[lane];
    }
}

cake_sim_view cake_sim_fold_elements(cake_sim_warp *warp, const cake_sim_fold *fold, uint32_t place) {
    cake_sim_view view = cake_sim_block_view(fold, fold->room);
    for (uint32_t i = 0; i < fold->tiles; i++) {
        const unsigned char *data = cake_sim_data(warp, fold->op->operands[i]);
        const cake_sim_row *row = &fold->rows[i][place];
        if (fold->op->u.reduction->function == CAKE_BUILTIN_COUNT)
            gather_numbers(fold, data, place);
        else if (row->consecutive)
            view.of[i] = data + (size_t)row->registers[0] * CAKE_SIM_LANES * fold->element_bytes[i];
        else
            gather(fold, data, i, place);
    }
    return view;
}

/* With the size as a constant each copy is one move. */
#define SHUFFLE(bytes)                                                                                                 \
    for (uint32_t i = 0; i < width; i++)                                                                               \
    memcpy(to + (size_t)i * (bytes), from + (size_t)(i ^ mask) * (bytes), (bytes))

static void shuffle(const unsigned char *from, unsigned char *to, uint32_t width, uint32_t mask, uint32_t bytes) {
    if (bytes == 8)
        SHUFFLE(8);
    else if (bytes == 4)
        SHUFFLE(4);
    else if (bytes == 2)
        SHUFFLE(2);
    else
        SHUFFLE(1);
}

void cake_sim_fold_shuffle(const cake_sim_fold *fold, cake_sim_view from, uint32_t mask, unsigned char *out_block) {
    for (uint32_t i = 0; i < fold->tiles; i++)
        shuffle(from.of[i], tile_of(fold, out_block, i), fold->width, mask, fold->element_bytes[i]);
}

#define EXPAND(bytes)                                                                                                  \
    for (uint32_t lane = 0; lane < CAKE_SIM_LANES; lane++)                                                             \
    memset(out_mask + (size_t)lane * (bytes), lanes >> lane & 1 ? 0xff : 0, (bytes))

/* The bytes of elements in these lanes all set, the others clear. */
static void expand(uint32_t lanes, uint32_t bytes, unsigned char *out_mask) {
    if (bytes == 8)
        EXPAND(8);
    else if (bytes == 4)
        EXPAND(4);
    else if (bytes == 2)
        EXPAND(2);
    else
        EXPAND(1);
}

static void select_bytes(const unsigned char *mask, const unsigned char *yes, const unsigned char *no,
                         unsigned char *to, size_t bytes) {
    unsigned char row[CAKE_SIM_LANES * 8];
    for (size_t i = 0; i < bytes; i++)
        row[i] = (unsigned char)((yes[i] & mask[i]) | (no[i] & ~mask[i]));
    memcpy(to, row, bytes);
}

void cake_sim_fold_select(const cake_sim_fold *fold, uint32_t lanes, cake_sim_view yes, cake_sim_view no,
                          unsigned char *out_block) {
    for (uint32_t i = 0; i < fold->tiles; i++) {
        size_t row = (size_t)CAKE_SIM_LANES * fold->element_bytes[i];
        const unsigned char *first = yes.of[i], *second = no.of[i];
        unsigned char mask[CAKE_SIM_LANES * 8], *to = tile_of(fold, out_block, i);
        expand(lanes, fold->element_bytes[i], mask);
        for (uint32_t line = 0; line < fold->lines.count; line++)
            select_bytes(mask, first + line * row, second + line * row, to + line * row, row);
    }
}

/* ---- results ---- */

static void scatter(unsigned char *data, const uint32_t *registers, const unsigned char *from, uint32_t lines,
                    size_t bytes) {
    for (uint32_t line = 0; line < lines; line++, from += bytes)
        memcpy(data + registers[line] * bytes, from, bytes);
}

void cake_sim_fold_write(cake_sim_warp *warp, const cake_sim_fold *fold, cake_sim_view elements) {
    for (uint32_t i = 0; i < fold->tiles; i++) {
        unsigned char *data = cake_sim_data(warp, i ? fold->op->second : fold->op->result);
        if (fold->results[i])
            scatter(data, fold->results[i], elements.of[i], fold->lines.count,
                    (size_t)CAKE_SIM_LANES * fold->element_bytes[i]);
        else
            memcpy(data, elements.of[i], fold->element_bytes[i]);
    }
}

/* Results of a scan lie as the operands do. */
void cake_sim_fold_write_place(cake_sim_warp *warp, const cake_sim_fold *fold, uint32_t place, cake_sim_view elements) {
    for (uint32_t i = 0; i < fold->tiles; i++)
        scatter(cake_sim_data(warp, i ? fold->op->second : fold->op->result), fold->rows[0][place].registers,
                elements.of[i], fold->lines.count, (size_t)CAKE_SIM_LANES * fold->element_bytes[i]);
}
