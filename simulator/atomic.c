/* Atomic operations and polling.
 *
 * Release and acquire meet at an element: a flag keeps what releases there have handed on. A lane's release hands on
 * its own accesses and what the warp's last sync covered.
 */
#include <math.h>
#include <string.h>

#include "simulator/state.h"

/* ---- arithmetic ---- */

static double compute_float(cake_atomic_op op, double old, double a) {
    switch (op) {
    case CAKE_ATOMIC_ADD:
        return old + a;
    case CAKE_ATOMIC_MIN:
        return fmin(old, a);
    case CAKE_ATOMIC_MAX:
        return fmax(old, a);
    default:
        return a;
    }
}

static uint64_t compute_integer(cake_atomic_op op, uint64_t old, uint64_t a, uint64_t b, bool is_signed) {
    bool less = is_signed ? (int64_t)old < (int64_t)a : old < a;
    switch (op) {
    case CAKE_ATOMIC_ADD:
        return old + a;
    case CAKE_ATOMIC_MIN:
        return less ? old : a;
    case CAKE_ATOMIC_MAX:
        return less ? a : old;
    case CAKE_ATOMIC_AND:
        return old & a;
    case CAKE_ATOMIC_OR:
        return old | a;
    case CAKE_ATOMIC_XOR:
        return old ^ a;
    case CAKE_ATOMIC_CAS:
        return old == a ? b : old;
    default:
        return a; /* EXCH, STORE */
    }
}

/* An element's bits, sign-extended where the dtype has a sign. */
static uint64_t bits_of(cake_dtype dtype, const void *element) {
    uint32_t bytes = cake_sim_element_bytes(dtype);
    uint64_t bits = 0;
    memcpy(&bits, element, bytes);
    if (cake_dtype_class_of(dtype) == CAKE_CLASS_SIGNED && bytes < 8 && bits >> (8 * bytes - 1) & 1)
        bits |= ~(uint64_t)0 << 8 * bytes;
    return bits;
}

static bool is_arithmetic(cake_atomic_op op) {
    return op == CAKE_ATOMIC_ADD || op == CAKE_ATOMIC_MIN || op == CAKE_ATOMIC_MAX;
}

cake_atomic_op cake_sim_atomic_op(const char *name) {
    cake_atomic_op op = CAKE_ATOMIC_ADD;
    while (strcmp(cake_atomic_name(op), name) != 0)
        op++;
    return op;
}

void cake_sim_combine(cake_atomic_op op, cake_dtype dtype, void *element, const void *a, const void *b) {
    if (cake_dtype_class_of(dtype) == CAKE_CLASS_FLOAT && is_arithmetic(op)) {
        if (dtype == CAKE_DTYPE_F64) {
            double x, y;
            memcpy(&x, element, sizeof x);
            memcpy(&y, a, sizeof y);
            x = compute_float(op, x, y);
            memcpy(element, &x, sizeof x);
        } else {
            float sum = (float)compute_float(op, cake_sim_to_float(dtype, element), cake_sim_to_float(dtype, a));
            cake_sim_from_float(dtype, sum, element);
        }
        return;
    }
    bool is_signed = cake_dtype_class_of(dtype) == CAKE_CLASS_SIGNED;
    uint64_t bits =
        compute_integer(op, bits_of(dtype, element), bits_of(dtype, a), b ? bits_of(dtype, b) : 0, is_signed);
    memcpy(element, &bits, cake_sim_element_bytes(dtype));
}

/* ---- release and acquire ---- */

static cake_sim_flag *flag_of(cake_sim_machine *machine, const cake_sim_shadow *shadow, uint64_t cell, bool create) {
    for (uint32_t i = 0; i < machine->flags.count; i++)
        if (machine->flags.items[i].shadow == shadow && machine->flags.items[i].cell == cell)
            return &machine->flags.items[i];
    if (!create) return NULL;
    cake_sim_flag *flag = CAKE_PUSH(machine->arena, &machine->flags);
    *flag = (cake_sim_flag){.shadow = shadow, .cell = cell};
    cake_sim_knowledge_init(machine, &flag->known);
    return flag;
}

static void order_at(cake_sim_warp *warp, const cake_plan_atomic_access *atomic, const cake_sim_shadow *shadow,
                     uint64_t cell) {
    cake_sim_machine *machine = cake_sim_machine_of(warp);
    bool acquires = atomic->order == CAKE_ORDER_ACQUIRE || atomic->order == CAKE_ORDER_ACQ_REL;
    bool releases = atomic->order == CAKE_ORDER_RELEASE || atomic->order == CAKE_ORDER_ACQ_REL;
    bool scalar = !atomic->shape.rank;
    cake_sim_flag *flag = acquires || releases ? flag_of(machine, shadow, cell, releases) : NULL;
    if (!flag) return;
    if (acquires && scalar) {
        (void)cake_sim_elected_knowledge(warp);
        cake_sim_learn(machine, &warp->elected, &flag->known);
    } else if (acquires) {
        cake_sim_acquire(warp, &flag->known);
    }
    if (releases) cake_sim_learn(machine, &flag->known, scalar ? cake_sim_release_elected(warp) : &warp->knows);
}

/* ---- atomics ---- */

typedef struct operand {
    const unsigned char *data;
    const uint32_t *registers;
    bool scalar;
} operand;

static operand open_operand(cake_sim_warp *warp, const cake_plan_op *op, uint8_t i) {
    if (i >= op->operand_count) return (operand){0};
    const cake_plan_value *value = op->operands[i];
    return (operand){cake_sim_data(warp, value),
                     op->result->layout ? cake_sim_broadcast(warp, value, op->result->layout) : NULL,
                     !value->shape.rank};
}

static const void *element_of(const operand *o, uint32_t r, uint32_t lane, uint32_t bytes) {
    if (!o->data) return NULL;
    uint32_t at = o->scalar ? 0 : (o->registers ? o->registers[r] : r) * CAKE_SIM_LANES + lane;
    return o->data + (size_t)at * bytes;
}

static void do_atomics(cake_sim_warp *warp, const cake_plan_op *op) {
    const cake_plan_atomic_access *atomic = op->u.atomic;
    const cake_plan_place *place = &atomic->access.place;
    const cake_layout *layout = op->result->layout;
    cake_dtype dtype = place->tensor ? place->tensor->dtype : place->buffer->dtype;
    uint32_t bytes = cake_sim_element_bytes(dtype);
    bool only_loads = atomic->op == CAKE_ATOMIC_LOAD;
    uint32_t flags = CAKE_SIM_ATOMIC | (only_loads ? 0u : CAKE_SIM_WRITES) |
                     (atomic->scope == CAKE_SCOPE_CTA ? CAKE_SIM_CTA_SCOPE : 0u);
    cake_sim_elements elements = cake_sim_locate(warp, op, &atomic->access, layout);
    unsigned char *old = cake_sim_data(warp, op->result);
    memset(old, 0, (size_t)cake_sim_count(op->result) * bytes); /* lanes that are off give 0 */
    operand a = open_operand(warp, op, 0), b = open_operand(warp, op, 1);
    cake_sim_touch touch = {0};
    if (elements.shadow) touch = cake_sim_touch_begin(warp, op, elements.shadow, place, flags);
    for (uint32_t r = 0; r < elements.registers; r++)
        for (uint32_t lane = 0; lane < (layout ? CAKE_SIM_LANES : 1u); lane++) {
            int64_t at = elements.offsets[r * CAKE_SIM_LANES + lane];
            if (at < 0 || (!only_loads && !cake_sim_owns(warp, layout, lane))) continue;
            unsigned char *memory = elements.memory + (place->tensor ? at * bytes : at);
            memcpy(old + (size_t)(layout ? r * CAKE_SIM_LANES + lane : 0) * bytes, memory, bytes);
            if (elements.shadow) cake_sim_touch_cells(&touch, (uint64_t)at, place->tensor ? 1 : bytes, lane);
            if (!only_loads)
                cake_sim_combine(atomic->op, dtype, memory, element_of(&a, r, lane, bytes),
                                 element_of(&b, r, lane, bytes));
            if (elements.shadow) order_at(warp, atomic, elements.shadow, (uint64_t)at);
        }
    cake_sim_machine_of(warp)->changes++;
}

/* A scalar place belongs to the elected lane, whose value the whole team gets. */
cake_sim_step cake_sim_atomic(cake_sim_warp *warp, const cake_plan_op *op) {
    const cake_plan_atomic_access *atomic = op->u.atomic;
    bool shares = atomic->used && !atomic->shape.rank && warp->team->warp_count > 1;
    if (warp->stage == 0 && (atomic->shape.rank || cake_sim_elected(warp) || !shares)) do_atomics(warp, op);
    if (!shares) return CAKE_SIM_NEXT;
    void *value = cake_sim_data(warp, op->result);
    size_t bytes = cake_sim_element_bytes(op->result->dtype);
    if (!cake_sim_meet(warp, op, value, bytes)) return CAKE_SIM_BLOCKED;
    memcpy(value, cake_sim_met(warp, 0), bytes);
    return CAKE_SIM_NEXT;
}

/* ---- polling ---- */

static bool holds_for_all(cake_sim_warp *warp, const cake_plan_value *until) {
    const bool *values = cake_sim_data(warp, until);
    for (uint32_t i = 0; i < cake_sim_count(until); i++)
        if (!values[i]) return false;
    return true;
}

/* Reads the words; false while the condition does not hold for all of them. */
static bool poll(cake_sim_warp *warp, const cake_plan_op *op) {
    const cake_plan_await *await = op->u.await;
    const cake_plan_place *place = &await->access.place;
    const cake_layout *layout = op->result->layout;
    cake_sim_machine *machine = cake_sim_machine_of(warp);
    uint32_t bytes = cake_sim_element_bytes(op->result->dtype), count = layout ? layout->register_count * 32 : 1;
    cake_sim_elements elements = cake_sim_locate(warp, op, &await->access, layout);
    unsigned char *polled = cake_sim_data(warp, await->polled), *result = cake_sim_data(warp, op->result);
    for (uint32_t i = 0; i < count; i++)
        if (elements.offsets[i] >= 0)
            memcpy(polled + (size_t)i * bytes, elements.memory + elements.offsets[i] * bytes, bytes);
    cake_sim_execute_block(warp, await->condition);
    if (!holds_for_all(warp, await->until)) return false;
    memcpy(result, polled, (size_t)count * bytes);
    if (!elements.shadow) return true;
    elements = cake_sim_locate(warp, op, &await->access, layout); /* the condition had the scratch since */
    cake_sim_touch touch = cake_sim_touch_begin(warp, op, elements.shadow, place, CAKE_SIM_ATOMIC);
    for (uint32_t i = 0; i < count; i++) {
        if (elements.offsets[i] < 0) continue;
        cake_sim_touch_cells(&touch, (uint64_t)elements.offsets[i], 1, i % CAKE_SIM_LANES);
        const cake_sim_flag *flag = flag_of(machine, elements.shadow, (uint64_t)elements.offsets[i], false);
        if (flag) cake_sim_acquire(warp, &flag->known);
    }
    return true;
}

/* Polls, then 'sync team'; of a scalar all get what the first warp read. */
cake_sim_step cake_sim_await(cake_sim_warp *warp, const cake_plan_op *op) {
    if (warp->part == 0) {
        if (!poll(warp, op)) return CAKE_SIM_BLOCKED;
        warp->part = 1;
    }
    if (warp->part == 1) {
        if (cake_sim_sync_team(warp, op) == CAKE_SIM_BLOCKED) return CAKE_SIM_BLOCKED;
        warp->part = 2;
    }
    if (op->result->shape.rank || warp->team->warp_count == 1) return CAKE_SIM_NEXT;
    void *value = cake_sim_data(warp, op->result);
    size_t bytes = cake_sim_element_bytes(op->result->dtype);
    if (!cake_sim_meet(warp, op, value, bytes)) return CAKE_SIM_BLOCKED;
    memcpy(value, cake_sim_met(warp, 0), bytes);
    return CAKE_SIM_NEXT;
}
