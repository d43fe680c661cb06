/* Reads and writes of variables and of slices of them. */
#include <string.h>

#include "simulator/number.h"

/* The variable's registers that an operation reads or writes; a tile's in the order of its own. Null: all. */
typedef struct slice_table {
    uint32_t *registers;
    uint32_t count;
} slice_table;

static uint32_t register_count(const cake_plan_variable *variable) {
    return variable->shape.rank ? variable->layout->register_count : 1;
}

/* Of one register. */
static size_t register_bytes(const cake_plan_variable *variable) {
    return (size_t)(variable->shape.rank ? CAKE_SIM_LANES : 1) * cake_sim_element_bytes(variable->dtype);
}

/* ---- tables ---- */

static void find_registers(const cake_plan_op *op, const cake_layout *slice, slice_table *table) {
    const cake_layout *whole = op->u.variable.variable->layout;
    for (uint32_t r = 0; r < slice->register_count; r++) {
        cake_coordinate at = slice->registers[r];
        for (uint8_t d = 0; d < slice->shape.rank; d++)
            at.at[d] += op->u.variable.whole ? 0 : op->u.variable.offsets[d];
        table->registers[r] = cake_layout_find(whole, &at);
        CAKE_ASSERT(table->registers[r] != UINT32_MAX);
    }
    table->count = slice->register_count;
}

/* Registers whose element of thread 0 is inside, which goes for all threads (cake_layout_slice). */
static void find_inside(const cake_plan_op *op, slice_table *table) {
    const cake_layout *whole = op->u.variable.variable->layout;
    const cake_shape *shape = &op->u.variable.shape;
    for (uint32_t r = 0; r < whole->register_count; r++) {
        bool inside = true;
        for (uint8_t d = 0; d < shape->rank; d++) {
            uint32_t at = whole->registers[r].at[d], from = op->u.variable.offsets[d];
            inside = inside && at >= from && at - from < shape->extents[d];
        }
        if (inside) table->registers[table->count++] = r;
    }
}

/* 'value': what is read or written. */
static const slice_table *table_of(cake_sim_warp *warp, const cake_plan_op *op, const cake_plan_value *value) {
    const cake_plan_variable *variable = op->u.variable.variable;
    slice_table *table = cake_sim_table(warp, op);
    if (table) return table;
    table = CAKE_NEW(cake_sim_arena(warp), slice_table);
    table->count = register_count(variable);
    bool all = op->u.variable.whole && (value->shape.rank == 0 || value->layout == variable->layout);
    if (!all) {
        table->registers = CAKE_NEW_ARRAY(cake_sim_arena(warp), uint32_t, table->count);
        table->count = 0;
        if (value->shape.rank)
            find_registers(op, value->layout, table);
        else
            find_inside(op, table);
    }
    cake_sim_table_put(warp, op, table);
    return table;
}

static uint32_t register_at(const slice_table *table, uint32_t index) {
    return table->registers ? table->registers[index] : index;
}

/* ---- operations ---- */

static void report_unwritten(cake_sim_warp *warp, const cake_plan_op *op, uint32_t unwritten, uint32_t count) {
    const cake_plan_variable *variable = op->u.variable.variable;
    (void)cake_sim_fault(warp, op, CAKE_S102, "%s'%s' is read and was never written",
                         unwritten < count ? "a part of " : "", variable->name);
    /* what was not written must still have its dtype's form */
    cake_sim_normalise(variable->dtype, cake_sim_data(warp, op->result), cake_sim_count(op->result));
}

void cake_sim_read(cake_sim_warp *warp, const cake_plan_op *op) {
    const cake_sim_variable *variable = cake_sim_variable_of(warp, op->u.variable.variable);
    const slice_table *table = table_of(warp, op, op->result);
    size_t bytes = register_bytes(op->u.variable.variable);
    unsigned char *out = cake_sim_data(warp, op->result);
    uint32_t unwritten = 0;
    if (!table->registers) memcpy(out, variable->data, table->count * bytes);
    for (uint32_t r = 0; r < table->count; r++) {
        uint32_t from = register_at(table, r);
        unwritten += !variable->written[from];
        if (table->registers) memcpy(out + r * bytes, variable->data + from * bytes, bytes);
    }
    if (unwritten) report_unwritten(warp, op, unwritten, table->count);
}

/* A scalar goes to every element. */
static void fill_register(unsigned char *out, const void *element, uint32_t element_bytes, size_t bytes) {
    memcpy(out, element, element_bytes);
    for (size_t done = element_bytes; done < bytes; done *= 2)
        memcpy(out + done, out, done);
}

void cake_sim_write(cake_sim_warp *warp, const cake_plan_op *op) {
    const cake_plan_value *value = op->operands[0];
    cake_sim_variable *variable = cake_sim_variable_of(warp, op->u.variable.variable);
    const slice_table *table = table_of(warp, op, value);
    size_t bytes = register_bytes(op->u.variable.variable);
    const unsigned char *data = cake_sim_data(warp, value);
    for (uint32_t r = 0; r < table->count; r++) {
        uint32_t to = register_at(table, r);
        if (value->shape.rank)
            memcpy(variable->data + to * bytes, data + r * bytes, bytes);
        else
            fill_register(variable->data + to * bytes, data, cake_sim_element_bytes(value->dtype), bytes);
        variable->written[to] = true;
    }
}
