/* Reads and checks what kernels and programs have in common, and the small pieces that everything is made of. */
#include <inttypes.h>
#include <string.h>

#include "ir/type.h"
#include "manifest/read_parts.h"

/* ---- small pieces ---- */

const char *cake_read_dtype(cake_json_reader *reader, cake_json_node object) {
    const char *dtype = cake_json_string(reader, object, "dtype");
    if (cake_dtype_find(dtype) == CAKE_DTYPE_NONE) cake_json_fail(reader, object, "dtype", "is no element type");
    return dtype;
}

cake_launch_expr_list cake_read_expressions(cake_json_reader *reader, cake_json_node object, const char *key,
                                            uint32_t limit) {
    cake_launch_expr_list expressions = {0};
    cake_json_node list = cake_json_list(reader, object, key, limit);
    for (uint32_t i = 0; i < cake_json_size(list); i++)
        *CAKE_PUSH(reader->arena, &expressions) = cake_json_expression_at(reader, list, i);
    return expressions;
}

/* Reads an object of integers into a vector of values. */
#define READ_VALUES(reader, object, key, vector)                                                                       \
    do {                                                                                                               \
        cake_json_node values_ = cake_json_object((reader), (object), (key));                                          \
        if (json_object_size(values_.json) > CAKE_READ_NAME_LIMIT)                                                     \
            cake_json_fail((reader), (object), (key), "has more than %d members", CAKE_READ_NAME_LIMIT);               \
        for (void *at_ = json_object_iter((json_t *)values_.json); at_;                                                \
             at_ = json_object_iter_next((json_t *)values_.json, at_))                                                 \
            *CAKE_PUSH((reader)->arena, (vector)) = read_value((reader), values_, json_object_iter_key(at_));          \
    } while (0)

static cake_manifest_value read_value(cake_json_reader *reader, cake_json_node values, const char *key) {
    if (!cake_json_is_identifier(key)) cake_json_fail(reader, values, NULL, "has a member whose key is no name");
    const char *name = cake_arena_copy(reader->arena, key, strlen(key));
    return (cake_manifest_value){name, cake_json_integer(reader, values, key, INT64_MIN, INT64_MAX)};
}

uint32_t cake_read_index(cake_json_reader *reader, cake_json_node object, const char *key, uint32_t count) {
    if (count == 0) cake_json_fail(reader, object, key, "indexes an empty list");
    return (uint32_t)cake_json_integer(reader, object, key, 0, (int64_t)count - 1);
}

static cake_tensor_mode read_mode(cake_json_reader *reader, cake_json_node object) {
    const char *mode = cake_json_string(reader, object, "mode");
    if (strcmp(mode, "in") == 0) return CAKE_TENSOR_IN;
    if (strcmp(mode, "out") == 0) return CAKE_TENSOR_OUT;
    if (strcmp(mode, "inout") == 0) return CAKE_TENSOR_INOUT;
    cake_json_fail(reader, object, "mode", "is none of in, out, inout");
    return CAKE_TENSOR_IN;
}

static cake_manifest_tensor read_tensor(cake_json_reader *reader, cake_json_node object) {
    cake_manifest_tensor tensor = {
        .name = cake_json_identifier(reader, object, "name"),
        .dtype = cake_read_dtype(reader, object),
        .mode = read_mode(reader, object),
        .shape = cake_read_expressions(reader, object, "shape", CAKE_MAX_RANK),
        .strides = cake_read_expressions(reader, object, "strides", CAKE_MAX_RANK),
    };
    if (tensor.shape.count == 0) cake_json_fail(reader, object, "shape", "is empty");
    if (tensor.strides.count > 0 && tensor.strides.count != tensor.shape.count)
        cake_json_fail(reader, object, "strides", "differ from the shape in number");
    cake_json_end(reader, object, 5);
    return tensor;
}

static cake_manifest_scalar read_scalar(cake_json_reader *reader, cake_json_node object) {
    cake_manifest_scalar scalar = {cake_json_identifier(reader, object, "name"), cake_read_dtype(reader, object)};
    if (cake_dtype_bits(cake_dtype_find(scalar.dtype)) < 8)
        cake_json_fail(reader, object, "dtype", "has less than a byte");
    cake_json_end(reader, object, 2);
    return scalar;
}

/* ---- names: unique in a interface, and known where expressions use them ---- */

static uint32_t count_value(const cake_manifest_interface *interface, const char *name) {
    uint32_t count = strcmp(name, "sm_count") == 0;
    for (uint32_t i = 0; i < interface->dimensions.count; i++)
        count += strcmp(interface->dimensions.items[i], name) == 0;
    for (uint32_t i = 0; i < interface->statics.count; i++)
        count += strcmp(interface->statics.items[i].name, name) == 0;
    for (uint32_t i = 0; i < interface->tunables.count; i++)
        count += strcmp(interface->tunables.items[i].name, name) == 0;
    for (uint32_t i = 0; i < interface->scalars.count; i++)
        count += strcmp(interface->scalars.items[i].name, name) == 0;
    return count;
}

static uint32_t count_tensor(const cake_manifest_interface *interface, const char *name) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < interface->tensors.count; i++)
        count += strcmp(interface->tensors.items[i].name, name) == 0;
    return count;
}

uint32_t cake_read_count_name(const cake_manifest_interface *interface, const char *name) {
    return count_value(interface, name) + count_tensor(interface, name);
}

static bool is_number(const cake_manifest_interface *interface, const char *name, bool floats) {
    for (uint32_t i = 0; i < interface->scalars.count; i++) {
        if (strcmp(interface->scalars.items[i].name, name) != 0) continue;
        cake_dtype dtype = cake_dtype_find(interface->scalars.items[i].dtype);
        cake_dtype_class class = cake_dtype_class_of(dtype);
        if (dtype == CAKE_DTYPE_F32 || dtype == CAKE_DTYPE_F64) return floats;
        return class == CAKE_CLASS_SIGNED || class == CAKE_CLASS_UNSIGNED;
    }
    return true; /* no scalar: every other name is an integer */
}

/* The first name in the expression that no launch can give a value to, or null. */
static const char *unknown_name(const cake_manifest_interface *interface, const cake_launch_expr *expr, bool floats) {
    if (expr->op == CAKE_LAUNCH_NAME) {
        bool known = count_value(interface, expr->name) > 0 && is_number(interface, expr->name, floats);
        return known ? NULL : expr->name;
    }
    const char *unknown = NULL;
    for (uint32_t i = 0; i < cake_launch_operand_count(expr->op) && !unknown; i++)
        unknown = unknown_name(interface, expr->operands[i], floats);
    return unknown;
}

static void check_known(cake_json_reader *reader, cake_json_node object, const char *key,
                        const cake_manifest_interface *interface, const cake_launch_expr *expr, bool floats) {
    const char *unknown = unknown_name(interface, expr, floats);
    if (unknown) cake_json_fail(reader, object, key, "uses '%.60s', which has no value at a launch", unknown);
}

void cake_read_check(cake_json_reader *reader, cake_json_node object, const char *key,
                     const cake_manifest_interface *interface, const cake_launch_expr *expr) {
    check_known(reader, object, key, interface, expr, false);
}

void cake_read_check_float(cake_json_reader *reader, cake_json_node object, const char *key,
                           const cake_manifest_interface *interface, const cake_launch_expr *expr) {
    check_known(reader, object, key, interface, expr, true);
}

void cake_read_check_list(cake_json_reader *reader, cake_json_node object, const char *key,
                          const cake_manifest_interface *interface, const cake_launch_expr_list *list) {
    for (uint32_t i = 0; i < list->count; i++)
        cake_read_check(reader, object, key, interface, list->items[i]);
}

static void check_shapes(cake_json_reader *reader, cake_json_node object, const cake_manifest_interface *interface) {
    for (uint32_t i = 0; i < interface->tensors.count; i++) {
        cake_read_check_list(reader, object, "tensors", interface, &interface->tensors.items[i].shape);
        cake_read_check_list(reader, object, "tensors", interface, &interface->tensors.items[i].strides);
    }
}

static void check_unique(cake_json_reader *reader, cake_json_node object, const char *key,
                         const cake_manifest_interface *interface, const char *name) {
    if (cake_read_count_name(interface, name) > 1)
        cake_json_fail(reader, object, key, "name '%.60s' more than once", name);
}

static void check_names(cake_json_reader *reader, cake_json_node object, const cake_manifest_interface *interface) {
    for (uint32_t i = 0; i < interface->dimensions.count; i++) {
        if (!cake_json_is_identifier(interface->dimensions.items[i]))
            cake_json_fail(reader, object, "dimensions", "hold what is no name");
        check_unique(reader, object, "dimensions", interface, interface->dimensions.items[i]);
    }
    for (uint32_t i = 0; i < interface->tensors.count; i++)
        check_unique(reader, object, "tensors", interface, interface->tensors.items[i].name);
    for (uint32_t i = 0; i < interface->scalars.count; i++)
        check_unique(reader, object, "scalars", interface, interface->scalars.items[i].name);
    for (uint32_t i = 0; i < interface->parameters.count; i++) {
        const char *name = interface->parameters.items[i];
        bool scalar = false;
        for (uint32_t k = 0; k < interface->scalars.count; k++)
            scalar = scalar || strcmp(interface->scalars.items[k].name, name) == 0;
        if (!scalar && count_tensor(interface, name) == 0)
            cake_json_fail(reader, object, "parameters", "name '%.60s', which is no tensor or scalar", name);
    }
    if (interface->parameters.count != interface->tensors.count + interface->scalars.count)
        cake_json_fail(reader, object, "parameters", "are not all tensors and scalars, once each");
}

/* ---- the whole ---- */

static void read_parameters(cake_json_reader *reader, cake_json_node object, cake_manifest_interface *interface) {
    cake_json_node tensors = cake_json_list(reader, object, "tensors", CAKE_READ_TENSOR_LIMIT);
    for (uint32_t i = 0; i < cake_json_size(tensors); i++)
        *CAKE_PUSH(reader->arena, &interface->tensors) = read_tensor(reader, cake_json_item(reader, tensors, i));
    cake_json_node scalars = cake_json_list(reader, object, "scalars", CAKE_READ_TENSOR_LIMIT);
    for (uint32_t i = 0; i < cake_json_size(scalars); i++)
        *CAKE_PUSH(reader->arena, &interface->scalars) = read_scalar(reader, cake_json_item(reader, scalars, i));
    CAKE_READ_STRINGS(reader, object, "parameters", 2 * CAKE_READ_TENSOR_LIMIT, &interface->parameters);
}

cake_manifest_condition cake_read_condition(cake_json_reader *reader, cake_json_node object,
                                            const cake_manifest_interface *interface) {
    cake_manifest_condition condition = {cake_json_string(reader, object, "text"),
                                         cake_json_expression(reader, object, "condition")};
    cake_read_check(reader, object, "condition", interface, condition.condition);
    cake_json_end(reader, object, 2);
    return condition;
}

void cake_read_interface(cake_json_reader *reader, cake_json_node object, cake_manifest_interface *out_interface) {
    cake_manifest_interface *interface = out_interface;
    interface->name = cake_json_identifier(reader, object, "name");
    CAKE_READ_STRINGS(reader, object, "dimensions", CAKE_READ_NAME_LIMIT, &interface->dimensions);
    READ_VALUES(reader, object, "statics", &interface->statics);
    READ_VALUES(reader, object, "tunables", &interface->tunables);
    read_parameters(reader, object, interface);
    check_names(reader, object, interface);
    check_shapes(reader, object, interface);
    CAKE_READ_CONDITIONS(reader, object, "contract", interface, &interface->contract);
    CAKE_READ_STRINGS(reader, object, "trust", CAKE_READ_CONDITION_LIMIT, &interface->trust);
}
