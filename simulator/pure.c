/* Elementwise operations: strips of elements, whose kernels are in integer.c, float.c and cast.c. */
#include <string.h>

#include "simulator/number.h"

#define ELEMENT 8 /* bytes that any element fits in */

static bool is_integer(cake_dtype dtype) {
    return !cake_sim_is_real(dtype);
}

/* ---- one strip ---- */

#define SELECT(type)                                                                                                   \
    for (uint32_t i = 0; i < strip->count; i++)                                                                        \
    ((type *)strip->out)[i] = c[i] ? ((const type *)strip->in[1])[i] : ((const type *)strip->in[2])[i]

static void select_elements(uint32_t bytes, const cake_sim_strip *strip) {
    const bool *c = strip->in[0];
    if (bytes == 8)
        SELECT(uint64_t);
    else if (bytes == 4)
        SELECT(uint32_t);
    else if (bytes == 2)
        SELECT(uint16_t);
    else
        SELECT(uint8_t);
}

static bool call(const cake_plan_op *op, const cake_sim_strip *strip) {
    cake_builtin function = op->u.call.function;
    cake_dtype dtype = op->operands[0]->dtype;
    if (function == CAKE_BUILTIN_SELECT)
        select_elements(cake_sim_element_bytes(op->result->dtype), strip);
    else if (is_integer(dtype))
        return cake_sim_integer_call(function, dtype, strip);
    else
        cake_sim_float_call(function, op->u.call.modifiers, dtype, strip);
    return true;
}

static bool compute(const cake_plan_op *op, const cake_sim_strip *strip) {
    cake_dtype dtype = op->operands[0]->dtype;
    switch ((int)op->kind) {
    case CAKE_PLAN_UNARY:
        if (is_integer(dtype))
            cake_sim_integer_unary(op->u.unary, dtype, strip);
        else
            cake_sim_float_negate(dtype, strip);
        return true;
    case CAKE_PLAN_BINARY:
        if (is_integer(dtype)) return cake_sim_integer_binary(op->u.binary, dtype, strip);
        cake_sim_float_binary(op->u.binary, dtype, strip);
        return true;
    case CAKE_PLAN_CALL:
        return call(op, strip);
    case CAKE_PLAN_CAST:
        return cake_sim_cast(op, strip);
    case CAKE_PLAN_BITCAST:
    case CAKE_PLAN_SPLAT:
        memcpy(strip->out, strip->in[0], (size_t)strip->count * cake_sim_element_bytes(dtype));
        cake_sim_normalise(op->result->dtype, strip->out, strip->count);
        return true;
    default:
        break;
    }
    CAKE_ASSERT(!"no elementwise operation");
}

/* ---- what is not defined ---- */

static int64_t integer_at(cake_dtype dtype, const void *data, uint32_t index) {
    uint32_t bytes = cake_sim_element_bytes(dtype);
    cake_dtype_class class_ = cake_dtype_class_of(dtype);
    uint64_t bits = 0, sign = (uint64_t)1 << (8 * bytes - 1);
    memcpy(&bits, (const unsigned char *)data + (size_t)index * bytes, bytes);
    if (class_ == CAKE_CLASS_UNSIGNED) return (int64_t)bits;
    return (int64_t)((bits ^ sign) - sign);
}

static void report_binary(cake_sim_warp *warp, const cake_plan_op *op, const cake_sim_strip *strip) {
    cake_dtype dtype = op->operands[1]->dtype;
    bool shift = op->kind == CAKE_PLAN_BINARY && (op->u.binary == CAKE_BINARY_SHL || op->u.binary == CAKE_BINARY_SHR);
    uint64_t bits = cake_dtype_bits(dtype);
    for (uint32_t i = 0; i < strip->count; i++) {
        int64_t value = integer_at(dtype, strip->in[1], i);
        bool natural = cake_dtype_class_of(dtype) == CAKE_CLASS_UNSIGNED;
        if (shift ? (uint64_t)value < bits : value > 0 || (natural && value != 0)) continue;
        if (shift)
            (void)cake_sim_fault(warp, op, CAKE_S112, "%s is shifted by %lld", cake_dtype_name(dtype),
                                 (long long)value);
        else
            (void)cake_sim_fault(warp, op, CAKE_S112, "division by %lld", (long long)value);
        return;
    }
}

static void report_cast(cake_sim_warp *warp, const cake_plan_op *op, const cake_sim_strip *strip) {
    cake_dtype from = op->operands[0]->dtype, to = op->result->dtype;
    uint32_t bytes = cake_sim_element_bytes(from);
    for (uint32_t i = 0; i < strip->count; i++) {
        unsigned char bits[ELEMENT];
        const unsigned char *element = (const unsigned char *)strip->in[0] + (size_t)i * bytes;
        double value;
        cake_sim_widen_double(from, element, &value, 1);
        if (cake_sim_cast(op, &(cake_sim_strip){.in = {element}, .out = bits, .count = 1})) continue;
        (void)cake_sim_fault(warp, op, CAKE_S112, "%.9g does not fit %s, and 'sat' is not given", value,
                             cake_dtype_name(to));
        return;
    }
}

/* ---- strips ---- */

static void fill(unsigned char *room, const void *element, uint32_t bytes, uint32_t count) {
    memcpy(room, element, bytes);
    for (uint32_t done = 1; done < count; done *= 2) {
        uint32_t more = count - done < done ? count - done : done;
        memcpy(room + (size_t)done * bytes, room, (size_t)more * bytes);
    }
}

void cake_sim_elementwise(cake_sim_warp *warp, const cake_plan_op *op, void *out, const cake_sim_operand *operands,
                          uint32_t count) {
    uint64_t rooms[3][CAKE_SIM_STRIP];
    uint32_t bytes[3] = {0}, width = cake_sim_element_bytes(op->result->dtype);
    cake_sim_strip strip = {.count = count < CAKE_SIM_STRIP ? count : CAKE_SIM_STRIP};
    for (uint32_t k = 0; k < op->operand_count; k++) {
        bytes[k] = cake_sim_element_bytes(op->operands[k]->dtype);
        strip.uniform[k] = operands[k].stride == 0;
        strip.in[k] = operands[k].data;
        if (!strip.uniform[k] || count == 1) continue;
        fill((unsigned char *)rooms[k], operands[k].data, bytes[k], strip.count);
        strip.in[k] = rooms[k];
    }
    for (uint32_t done = 0; done < count; done += strip.count) {
        strip.count = count - done < CAKE_SIM_STRIP ? count - done : CAKE_SIM_STRIP;
        strip.out = (unsigned char *)out + (size_t)done * width;
        for (uint32_t k = 0; k < op->operand_count; k++)
            if (!strip.uniform[k]) strip.in[k] = (const unsigned char *)operands[k].data + (size_t)done * bytes[k];
        if (compute(op, &strip)) continue;
        if (op->kind == CAKE_PLAN_CAST)
            report_cast(warp, op, &strip);
        else
            report_binary(warp, op, &strip);
    }
}

/* ---- scalars and tiles ---- */

/* A tile that others go along with has a copy of its registers in their order in 'room'. */
static cake_sim_operand operand_of(cake_sim_warp *warp, const cake_plan_value *value, const cake_plan_value *result,
                                   unsigned char *room) {
    const unsigned char *data = cake_sim_data(warp, value);
    if (value->shape.rank == 0) return (cake_sim_operand){data, 0};
    const uint32_t *registers = cake_sim_broadcast(warp, value, result->layout);
    if (!registers) return (cake_sim_operand){data, 1};
    size_t bytes = (size_t)CAKE_SIM_LANES * cake_sim_element_bytes(value->dtype);
    for (uint32_t r = 0; r < result->layout->register_count; r++)
        memcpy(room + r * bytes, data + registers[r] * bytes, bytes);
    return (cake_sim_operand){room, 1};
}

static bool is_broadcast(const cake_plan_value *value, const cake_plan_value *result) {
    return value->shape.rank && value->layout != result->layout;
}

static void elementwise(cake_sim_warp *warp, const cake_plan_op *op) {
    uint32_t count = cake_sim_count(op->result), copies = 0;
    size_t bytes = (size_t)count * ELEMENT;
    cake_sim_operand operands[3];
    for (uint32_t k = 0; k < op->operand_count; k++)
        copies += is_broadcast(op->operands[k], op->result);
    unsigned char *room = copies ? cake_sim_scratch(warp, copies * bytes) : NULL;
    for (uint32_t k = 0; k < op->operand_count; k++) {
        operands[k] = operand_of(warp, op->operands[k], op->result, room);
        if (is_broadcast(op->operands[k], op->result)) room += bytes;
    }
    cake_sim_elementwise(warp, op, cake_sim_data(warp, op->result), operands, count);
}

static void iota(cake_sim_warp *warp, const cake_plan_op *op) {
    const cake_layout *layout = op->result->layout;
    uint32_t thread[CAKE_MAX_RANK][CAKE_SIM_LANES];
    int64_t *out = cake_sim_data(warp, op->result);
    cake_sim_thread_coordinates(layout, cake_sim_team_warp(warp), thread);
    for (uint32_t r = 0; r < layout->register_count; r++)
        for (uint32_t lane = 0; lane < CAKE_SIM_LANES; lane++)
            out[r * CAKE_SIM_LANES + lane] = (int64_t)layout->registers[r].at[0] + thread[0][lane];
}

void cake_sim_pure(cake_sim_warp *warp, const cake_plan_op *op) {
    if (op->kind == CAKE_PLAN_IOTA)
        iota(warp, op);
    else if (op->kind == CAKE_PLAN_INSERT_AXIS)
        cake_sim_rename(warp, op);
    else
        elementwise(warp, op);
}
