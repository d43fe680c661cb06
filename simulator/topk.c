/* topk: the lanes that share a line gather its elements and keep the largest, sorted downwards; then the warps' lists
 * are merged. Integers only: the order is total, and which of equal elements is kept can't be seen. */
#include <string.h>

#include "simulator/fold.h"

typedef struct top_table {
    cake_layout_lines lines;
    uint32_t count;    /* that are kept */
    uint32_t *results; /* register of the result by line and rank */
    int64_t *lists;    /* [line][lane][rank]: keys */
    size_t list_bytes;
} top_table;

/* ---- tables ---- */

static uint32_t *result_registers(cake_arena *arena, const cake_plan_op *op, const top_table *table) {
    const cake_layout *from = op->operands[0]->layout, *to = op->result->layout;
    uint32_t *registers = CAKE_NEW_ARRAY(arena, uint32_t, (size_t)table->lines.count * table->count);
    for (uint32_t line = 0; line < table->lines.count; line++)
        for (uint32_t rank = 0; rank < table->count; rank++) {
            cake_coordinate at = from->registers[table->lines.lines[line].registers[0]];
            for (uint8_t d = 0; d < to->shape.rank; d++)
                if (op->u.reduction->axes >> d & 1) at.at[d] = rank;
            uint32_t found = cake_layout_find(to, &at);
            CAKE_ASSERT(found != UINT32_MAX);
            registers[line * table->count + rank] = found;
        }
    return registers;
}

static top_table *table_of(cake_sim_warp *warp, const cake_plan_op *op) {
    top_table *table = cake_sim_table(warp, op);
    if (table) return table;
    cake_arena *arena = cake_sim_arena(warp);
    table = CAKE_NEW(arena, top_table);
    table->lines = cake_layout_lines_along(arena, op->operands[0]->layout, op->u.reduction->axes);
    table->count = op->u.reduction->count;
    table->results = result_registers(arena, op, table);
    uint32_t elements = table->lines.count * CAKE_SIM_LANES * table->count;
    table->lists = CAKE_NEW_ARRAY(arena, int64_t, elements);
    table->list_bytes = elements * sizeof *table->lists;
    cake_sim_table_put(warp, op, table);
    return table;
}

/* ---- keys: integers of 64 bits in the same order ---- */

/* What is changed in a key: the sign of unsigned elements of 64 bits. */
static uint64_t key_mask(cake_dtype dtype) {
    return dtype == CAKE_DTYPE_U64 ? (uint64_t)1 << 63 : 0;
}

static bool is_signed(cake_dtype dtype) {
    cake_dtype_class class_ = cake_dtype_class_of(dtype);
    return class_ == CAKE_CLASS_SIGNED || class_ == CAKE_CLASS_INDEX;
}

static int64_t read_key(const unsigned char *element, cake_dtype dtype, uint32_t bytes) {
    uint64_t bits = 0;
    memcpy(&bits, element, bytes); /* lowest byte first */
    if (is_signed(dtype) && bytes < 8 && bits >> (8 * bytes - 1) & 1) bits |= ~(uint64_t)0 << (8 * bytes);
    return (int64_t)(bits ^ key_mask(dtype));
}

/* ---- lists ---- */

/* Puts a key into a list that is sorted downwards; the smallest one drops out. */
static void insert(int64_t *list, uint32_t count, int64_t key) {
    if (key <= list[count - 1]) return;
    uint32_t at = count - 1;
    for (; at && list[at - 1] < key; at--)
        list[at] = list[at - 1];
    list[at] = key;
}

/* What a list lacks is the smallest key, which comes out only where all that is left has that value. */
static void clear(int64_t *list, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        list[i] = INT64_MIN;
}

static void gather_line(cake_sim_warp *warp, const cake_plan_op *op, const cake_layout_line *line, uint32_t lane,
                        int64_t *list) {
    const unsigned char *data = cake_sim_data(warp, op->operands[0]);
    cake_dtype dtype = op->result->dtype;
    uint32_t bytes = cake_sim_element_bytes(dtype), mask = op->u.reduction->lane_bits, count = op->u.reduction->count;
    uint32_t part = 0;
    clear(list, count);
    do { /* the lanes that share the line */
        for (uint32_t i = 0; i < line->count; i++) {
            size_t at = (size_t)line->registers[i] * CAKE_SIM_LANES + (lane | part);
            insert(list, count, read_key(data + at * bytes, dtype, bytes));
        }
        part = (part - mask) & mask;
    } while (part);
}

static void gather(cake_sim_warp *warp, const cake_plan_op *op, top_table *table) {
    uint32_t mask = op->u.reduction->lane_bits;
    for (uint32_t line = 0; line < table->lines.count; line++)
        for (uint32_t lane = 0; lane < CAKE_SIM_LANES; lane++) {
            int64_t *list = table->lists + (size_t)(line * CAKE_SIM_LANES + lane) * table->count;
            if (lane & mask)
                memcpy(list, table->lists + (size_t)(line * CAKE_SIM_LANES + (lane & ~mask)) * table->count,
                       table->count * sizeof *list);
            else
                gather_line(warp, op, &table->lines.lines[line], lane, list);
        }
}

/* Adds the lists of a warp that holds other elements of the same lines. */
static void merge(top_table *table, const int64_t *lists) {
    uint32_t count = table->count;
    for (uint32_t i = 0; i < table->lines.count * CAKE_SIM_LANES; i++)
        for (uint32_t rank = 0; rank < count; rank++)
            insert(table->lists + (size_t)i * count, count, lists[(size_t)i * count + rank]);
}

static void merge_warps(cake_sim_warp *warp, const cake_plan_op *op, top_table *table) {
    uint32_t mask = op->u.reduction->warp_bits, part = 0;
    uint32_t rest = cake_sim_layout_warp(warp, op->operands[0]->layout) & ~mask;
    clear(table->lists, table->lines.count * CAKE_SIM_LANES * table->count);
    do {
        merge(table, cake_sim_met(warp, rest | part));
        part = (part - mask) & mask;
    } while (part);
}

static void write_lists(cake_sim_warp *warp, const cake_plan_op *op, const top_table *table) {
    unsigned char *data = cake_sim_data(warp, op->result);
    uint32_t bytes = cake_sim_element_bytes(op->result->dtype);
    uint64_t mask = key_mask(op->result->dtype);
    for (uint32_t line = 0; line < table->lines.count; line++)
        for (uint32_t rank = 0; rank < table->count; rank++)
            for (uint32_t lane = 0; lane < CAKE_SIM_LANES; lane++) {
                const int64_t *list = table->lists + (size_t)(line * CAKE_SIM_LANES + lane) * table->count;
                uint64_t bits = (uint64_t)list[rank] ^ mask;
                size_t at = (size_t)table->results[line * table->count + rank] * CAKE_SIM_LANES + lane;
                memcpy(data + at * bytes, &bits, bytes);
            }
}

cake_sim_step cake_sim_topk(cake_sim_warp *warp, const cake_plan_op *op) {
    top_table *table = table_of(warp, op);
    if (cake_sim_stage(warp) == 0) gather(warp, op, table);
    if (op->u.reduction->warp_bits) {
        if (!cake_sim_meet(warp, op, table->lists, table->list_bytes)) return CAKE_SIM_BLOCKED;
        merge_warps(warp, op, table);
    }
    write_lists(warp, op, table);
    return CAKE_SIM_NEXT;
}
