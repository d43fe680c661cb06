/* Reads and checks a manifest. What passes here is safe to launch from as far as sizes, indices and names go: the
 * runtime indexes without testing again. */
#include "manifest/manifest.h"

#include <inttypes.h>
#include <setjmp.h>
#include <string.h>

#include "ir/type.h"
#include "manifest/json_reader.h"

/* Bounds on counts: far above what a kernel has, low enough that a damaged file costs nothing. */
#define KERNEL_LIMIT   64
#define NAME_LIMIT     256
#define TENSOR_LIMIT   128
#define ARGUMENT_LIMIT 512
#define FACT_LIMIT     4096

/* cuTensorMapEncodeTiled: one to five dimensions, boxes of at most 256 elements a dimension. */
#define TENSOR_MAP_RANK_LIMIT 5
#define BOX_LIMIT             256

/* ---- small pieces ---- */

static const char *read_dtype(cake_json_reader *reader, cake_json_node object) {
    const char *dtype = cake_json_string(reader, object, "dtype");
    if (cake_dtype_find(dtype) == CAKE_DTYPE_NONE) cake_json_fail(reader, object, "dtype", "is no element type");
    return dtype;
}

static cake_launch_expr_list read_expressions(cake_json_reader *reader, cake_json_node object, const char *key,
                                              uint32_t limit) {
    cake_launch_expr_list expressions = {0};
    cake_json_node list = cake_json_list(reader, object, key, limit);
    for (uint32_t i = 0; i < cake_json_size(list); i++)
        *CAKE_PUSH(reader->arena, &expressions) = cake_json_expression_at(reader, list, i);
    return expressions;
}

/* Reads a list of texts into a vector of strings. */
#define READ_STRINGS(reader, object, key, limit, vector)                                                               \
    do {                                                                                                               \
        cake_json_node list_ = cake_json_list((reader), (object), (key), (limit));                                     \
        for (uint32_t i_ = 0; i_ < cake_json_size(list_); i_++)                                                        \
            *CAKE_PUSH((reader)->arena, (vector)) = cake_json_string_at((reader), list_, i_);                          \
    } while (0)

/* Reads an object of integers into a vector of values. */
#define READ_VALUES(reader, object, key, vector)                                                                       \
    do {                                                                                                               \
        cake_json_node values_ = cake_json_object((reader), (object), (key));                                          \
        if (json_object_size(values_.json) > NAME_LIMIT)                                                               \
            cake_json_fail((reader), (object), (key), "has more than %d members", NAME_LIMIT);                         \
        for (void *at_ = json_object_iter((json_t *)values_.json); at_;                                                \
             at_ = json_object_iter_next((json_t *)values_.json, at_))                                                 \
            *CAKE_PUSH((reader)->arena, (vector)) = read_value((reader), values_, json_object_iter_key(at_));          \
    } while (0)

static cake_manifest_value read_value(cake_json_reader *reader, cake_json_node values, const char *key) {
    if (!cake_json_is_identifier(key)) cake_json_fail(reader, values, NULL, "has a member whose key is no name");
    const char *name = cake_arena_copy(reader->arena, key, strlen(key));
    return (cake_manifest_value){name, cake_json_integer(reader, values, key, INT64_MIN, INT64_MAX)};
}

static uint32_t read_index(cake_json_reader *reader, cake_json_node object, const char *key, uint32_t count) {
    if (count == 0) cake_json_fail(reader, object, key, "indexes an empty list");
    return (uint32_t)cake_json_integer(reader, object, key, 0, (int64_t)count - 1);
}

/* ---- tensors, scalars, tensor maps, arguments ---- */

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
        .dtype = read_dtype(reader, object),
        .mode = read_mode(reader, object),
        .shape = read_expressions(reader, object, "shape", CAKE_MAX_RANK),
        .strides = read_expressions(reader, object, "strides", CAKE_MAX_RANK),
    };
    if (tensor.shape.count == 0) cake_json_fail(reader, object, "shape", "is empty");
    if (tensor.strides.count > 0 && tensor.strides.count != tensor.shape.count)
        cake_json_fail(reader, object, "strides", "differ from the shape in number");
    cake_json_end(reader, object, 5);
    return tensor;
}

static cake_manifest_scalar read_scalar(cake_json_reader *reader, cake_json_node object) {
    cake_manifest_scalar scalar = {cake_json_identifier(reader, object, "name"), read_dtype(reader, object)};
    if (cake_dtype_bits(cake_dtype_find(scalar.dtype)) < 8)
        cake_json_fail(reader, object, "dtype", "has less than a byte");
    cake_json_end(reader, object, 2);
    return scalar;
}

/* One of the powers of two up to 256 in the mask, or 0. */
static uint32_t read_span_bytes(cake_json_reader *reader, cake_json_node object, const char *key, uint32_t mask) {
    uint32_t bytes = (uint32_t)cake_json_integer(reader, object, key, 0, 256);
    if (bytes != 0 && ((bytes & (bytes - 1)) != 0 || (bytes & mask) == 0))
        cake_json_fail(reader, object, key, "is %" PRIu32 ", which the hardware lacks", bytes);
    return bytes;
}

/* The innermost box row is what one swizzle span or 16-byte unit is made of (CUDA driver API, cuTensorMapEncodeTiled).
 */
static void check_box_row(cake_json_reader *reader, cake_json_node object, const cake_manifest_tensor_map *map) {
    if (map->box.count == 0) return;
    uint64_t row_bits = (uint64_t)map->box.items[0] * cake_dtype_bits(cake_dtype_find(map->dtype));
    if (row_bits % 128 != 0) cake_json_fail(reader, object, "box", "has a row that is no multiple of 16 bytes");
    if (map->swizzle && row_bits > 8 * (uint64_t)map->swizzle)
        cake_json_fail(reader, object, "box", "has a row longer than the swizzle span");
}

static cake_manifest_tensor_map read_tensor_map(cake_json_reader *reader, cake_json_node object,
                                                const cake_manifest_kernel *kernel) {
    cake_manifest_tensor_map map = {
        .tensor = read_index(reader, object, "tensor", kernel->tensors.count),
        .dtype = read_dtype(reader, object),
        .extents = read_expressions(reader, object, "extents", TENSOR_MAP_RANK_LIMIT),
        .strides = read_expressions(reader, object, "strides", TENSOR_MAP_RANK_LIMIT - 1),
        .swizzle = read_span_bytes(reader, object, "swizzle", 32 | 64 | 128),
        .l2_promotion = read_span_bytes(reader, object, "l2_promotion", 64 | 128 | 256),
    };
    cake_json_node box = cake_json_list(reader, object, "box", TENSOR_MAP_RANK_LIMIT);
    for (uint32_t i = 0; i < cake_json_size(box); i++)
        *CAKE_PUSH(reader->arena, &map.box) = (uint32_t)cake_json_integer_at(reader, box, i, 1, BOX_LIMIT);
    if (map.extents.count == 0) cake_json_fail(reader, object, "extents", "are empty");
    if (map.box.count != map.extents.count) cake_json_fail(reader, object, "box", "has another rank than the extents");
    if (map.strides.count + 1 != map.extents.count)
        cake_json_fail(reader, object, "strides", "are not one fewer than the extents");
    check_box_row(reader, object, &map);
    cake_json_end(reader, object, 7);
    return map;
}

static cake_manifest_argument read_argument(cake_json_reader *reader, cake_json_node object,
                                            const cake_manifest_kernel *kernel) {
    cake_manifest_argument argument = {0};
    if (cake_json_has(object, "tensor_map")) {
        argument.kind = CAKE_ARGUMENT_TENSOR_MAP;
        argument.index = read_index(reader, object, "tensor_map", kernel->tensor_maps.count);
    } else if (cake_json_has(object, "pointer")) {
        argument.kind = CAKE_ARGUMENT_POINTER;
        argument.index = read_index(reader, object, "pointer", kernel->tensors.count);
    } else if (cake_json_has(object, "dimension")) {
        argument.kind = CAKE_ARGUMENT_DIMENSION;
        argument.index = read_index(reader, object, "dimension", kernel->dimensions.count);
        argument.bits = (uint32_t)cake_json_integer(reader, object, "bits", 32, 64);
        if (argument.bits != 32 && argument.bits != 64) cake_json_fail(reader, object, "bits", "is neither 32 nor 64");
    } else {
        argument.kind = CAKE_ARGUMENT_SCALAR;
        argument.index = read_index(reader, object, "scalar", kernel->scalars.count);
    }
    cake_json_end(reader, object, argument.kind == CAKE_ARGUMENT_DIMENSION ? 2 : 1);
    return argument;
}

/* ---- names: unique in a kernel, and known where expressions use them ---- */

static uint32_t count_name(const cake_manifest_kernel *kernel, const char *name) {
    uint32_t count = strcmp(name, "sm_count") == 0;
    for (uint32_t i = 0; i < kernel->dimensions.count; i++)
        count += strcmp(kernel->dimensions.items[i], name) == 0;
    for (uint32_t i = 0; i < kernel->statics.count; i++)
        count += strcmp(kernel->statics.items[i].name, name) == 0;
    for (uint32_t i = 0; i < kernel->tunables.count; i++)
        count += strcmp(kernel->tunables.items[i].name, name) == 0;
    for (uint32_t i = 0; i < kernel->scalars.count; i++)
        count += strcmp(kernel->scalars.items[i].name, name) == 0;
    return count;
}

static bool is_integer_scalar(const cake_manifest_kernel *kernel, const char *name) {
    for (uint32_t i = 0; i < kernel->scalars.count; i++) {
        if (strcmp(kernel->scalars.items[i].name, name) != 0) continue;
        cake_dtype_class class = cake_dtype_class_of(cake_dtype_find(kernel->scalars.items[i].dtype));
        return class == CAKE_CLASS_SIGNED || class == CAKE_CLASS_UNSIGNED;
    }
    return true; /* no scalar: every other name is an integer */
}

/* The first name in the expression that no launch can give a value to, or null. */
static const char *unknown_name(const cake_manifest_kernel *kernel, const cake_launch_expr *expr) {
    if (expr->op == CAKE_LAUNCH_NAME) {
        bool known = count_name(kernel, expr->name) > 0 && is_integer_scalar(kernel, expr->name);
        return known ? NULL : expr->name;
    }
    const char *unknown = NULL;
    for (uint32_t i = 0; i < cake_launch_operand_count(expr->op) && !unknown; i++)
        unknown = unknown_name(kernel, expr->operands[i]);
    return unknown;
}

static void check_expression(cake_json_reader *reader, cake_json_node object, const char *key,
                             const cake_manifest_kernel *kernel, const cake_launch_expr *expr) {
    const char *unknown = unknown_name(kernel, expr);
    if (unknown) cake_json_fail(reader, object, key, "uses '%.60s', which has no value at a launch", unknown);
}

static void check_expressions(cake_json_reader *reader, cake_json_node object, const char *key,
                              const cake_manifest_kernel *kernel, const cake_launch_expr_list *list) {
    for (uint32_t i = 0; i < list->count; i++)
        check_expression(reader, object, key, kernel, list->items[i]);
}

static void check_uses(cake_json_reader *reader, cake_json_node object, const cake_manifest_kernel *kernel) {
    for (uint32_t i = 0; i < kernel->tensors.count; i++) {
        check_expressions(reader, object, "tensors", kernel, &kernel->tensors.items[i].shape);
        check_expressions(reader, object, "tensors", kernel, &kernel->tensors.items[i].strides);
    }
    for (uint32_t i = 0; i < kernel->tensor_maps.count; i++) {
        check_expressions(reader, object, "tensor_maps", kernel, &kernel->tensor_maps.items[i].extents);
        check_expressions(reader, object, "tensor_maps", kernel, &kernel->tensor_maps.items[i].strides);
    }
    for (uint32_t i = 0; i < kernel->contract.count; i++)
        check_expression(reader, object, "contract", kernel, kernel->contract.items[i].condition);
    check_expression(reader, object, "grid", kernel, kernel->grid);
}

static uint32_t count_tensor(const cake_manifest_kernel *kernel, const char *name) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < kernel->tensors.count; i++)
        count += strcmp(kernel->tensors.items[i].name, name) == 0;
    return count;
}

static void check_unique(cake_json_reader *reader, cake_json_node object, const char *key,
                         const cake_manifest_kernel *kernel, const char *name) {
    if (count_name(kernel, name) + count_tensor(kernel, name) > 1)
        cake_json_fail(reader, object, key, "name '%.60s' more than once", name);
}

static void check_names(cake_json_reader *reader, cake_json_node object, const cake_manifest_kernel *kernel) {
    for (uint32_t i = 0; i < kernel->dimensions.count; i++) {
        if (!cake_json_is_identifier(kernel->dimensions.items[i]))
            cake_json_fail(reader, object, "dimensions", "hold what is no name");
        check_unique(reader, object, "dimensions", kernel, kernel->dimensions.items[i]);
    }
    for (uint32_t i = 0; i < kernel->tensors.count; i++)
        check_unique(reader, object, "tensors", kernel, kernel->tensors.items[i].name);
    for (uint32_t i = 0; i < kernel->scalars.count; i++)
        check_unique(reader, object, "scalars", kernel, kernel->scalars.items[i].name);
    for (uint32_t i = 0; i < kernel->parameters.count; i++) {
        const char *name = kernel->parameters.items[i];
        bool scalar = false;
        for (uint32_t k = 0; k < kernel->scalars.count; k++)
            scalar = scalar || strcmp(kernel->scalars.items[k].name, name) == 0;
        if (!scalar && count_tensor(kernel, name) == 0)
            cake_json_fail(reader, object, "parameters", "name '%.60s', which is no tensor or scalar", name);
    }
    if (kernel->parameters.count != kernel->tensors.count + kernel->scalars.count)
        cake_json_fail(reader, object, "parameters", "are not all tensors and scalars, once each");
}

/* ---- kernels and the whole ---- */

static void read_parameters(cake_json_reader *reader, cake_json_node object, cake_manifest_kernel *kernel) {
    cake_json_node tensors = cake_json_list(reader, object, "tensors", TENSOR_LIMIT);
    for (uint32_t i = 0; i < cake_json_size(tensors); i++)
        *CAKE_PUSH(reader->arena, &kernel->tensors) = read_tensor(reader, cake_json_item(reader, tensors, i));
    cake_json_node scalars = cake_json_list(reader, object, "scalars", TENSOR_LIMIT);
    for (uint32_t i = 0; i < cake_json_size(scalars); i++)
        *CAKE_PUSH(reader->arena, &kernel->scalars) = read_scalar(reader, cake_json_item(reader, scalars, i));
    READ_STRINGS(reader, object, "parameters", 2 * TENSOR_LIMIT, &kernel->parameters);
}

static void read_entry(cake_json_reader *reader, cake_json_node object, cake_manifest_kernel *kernel) {
    cake_json_node maps = cake_json_list(reader, object, "tensor_maps", TENSOR_LIMIT);
    for (uint32_t i = 0; i < cake_json_size(maps); i++)
        *CAKE_PUSH(reader->arena, &kernel->tensor_maps) =
            read_tensor_map(reader, cake_json_item(reader, maps, i), kernel);
    cake_json_node arguments = cake_json_list(reader, object, "arguments", ARGUMENT_LIMIT);
    for (uint32_t i = 0; i < cake_json_size(arguments); i++)
        *CAKE_PUSH(reader->arena, &kernel->arguments) =
            read_argument(reader, cake_json_item(reader, arguments, i), kernel);
}

static void read_contract(cake_json_reader *reader, cake_json_node object, cake_manifest_kernel *kernel) {
    cake_json_node contract = cake_json_list(reader, object, "contract", FACT_LIMIT);
    for (uint32_t i = 0; i < cake_json_size(contract); i++) {
        cake_json_node item = cake_json_item(reader, contract, i);
        *CAKE_PUSH(reader->arena, &kernel->contract) = (cake_manifest_condition){
            cake_json_string(reader, item, "text"), cake_json_expression(reader, item, "condition")};
        cake_json_end(reader, item, 2);
    }
    READ_STRINGS(reader, object, "trust", FACT_LIMIT, &kernel->trust);
}

static void read_launch(cake_json_reader *reader, cake_json_node object, cake_manifest_kernel *kernel) {
    kernel->threads = (uint32_t)cake_json_integer(reader, object, "threads", 1, 1024);
    kernel->cluster = (uint32_t)cake_json_integer(reader, object, "cluster", 1, 16);
    kernel->shared_bytes = (uint32_t)cake_json_integer(reader, object, "shared_bytes", 0, 1 << 20);
    kernel->ctas_per_sm = (uint32_t)cake_json_integer(reader, object, "ctas_per_sm", 1, 64);
    kernel->grid = cake_json_expression(reader, object, "grid");
}

static cake_manifest_kernel read_kernel(cake_json_reader *reader, cake_json_node object) {
    cake_manifest_kernel kernel = {.name = cake_json_identifier(reader, object, "name")};
    READ_STRINGS(reader, object, "dimensions", NAME_LIMIT, &kernel.dimensions);
    READ_VALUES(reader, object, "statics", &kernel.statics);
    READ_VALUES(reader, object, "tunables", &kernel.tunables);
    read_parameters(reader, object, &kernel);
    read_entry(reader, object, &kernel);
    read_contract(reader, object, &kernel);
    read_launch(reader, object, &kernel);
    cake_json_end(reader, object, 16);
    check_names(reader, object, &kernel);
    check_uses(reader, object, &kernel);
    return kernel;
}

static cake_manifest_proof read_proof(cake_json_reader *reader, cake_json_node object) {
    cake_manifest_proof proof = {
        .proved = (uint32_t)cake_json_integer(reader, object, "proved", 0, UINT32_MAX),
        .refuted = (uint32_t)cake_json_integer(reader, object, "refuted", 0, UINT32_MAX),
        .unknown = (uint32_t)cake_json_integer(reader, object, "unknown", 0, UINT32_MAX),
        .unchecked = (uint32_t)cake_json_integer(reader, object, "unchecked", 0, UINT32_MAX),
    };
    READ_STRINGS(reader, object, "families", NAME_LIMIT, &proof.families);
    READ_STRINGS(reader, object, "allowed", NAME_LIMIT, &proof.allowed);
    cake_json_end(reader, object, 6);
    return proof;
}

static void check_source_hash(cake_json_reader *reader, cake_json_node root, const char *hash) {
    size_t size = strlen(hash);
    if ((size != 0 && size != 64) || strspn(hash, "0123456789abcdef") != size)
        cake_json_fail(reader, root, "source_hash", "is no SHA-256 in hex");
}

static cake_manifest *read_root(cake_json_reader *reader, cake_json_node root) {
    cake_manifest *manifest = CAKE_NEW(reader->arena, cake_manifest);
    int64_t version = cake_json_integer(reader, root, "version", 0, INT64_MAX);
    if (version != CAKE_MANIFEST_VERSION)
        cake_json_fail(reader, root, "version", "is %" PRId64 ", and only %d is understood", version,
                       CAKE_MANIFEST_VERSION);
    manifest->tool = cake_json_string(reader, root, "tool");
    manifest->target = cake_json_string(reader, root, "target");
    if (cake_target_find(manifest->target) == CAKE_TARGET_NONE)
        cake_json_fail(reader, root, "target", "is no known architecture");
    manifest->source_hash = cake_json_string(reader, root, "source_hash");
    check_source_hash(reader, root, manifest->source_hash);
    manifest->proof = read_proof(reader, cake_json_object(reader, root, "proof"));
    cake_json_node kernels = cake_json_list(reader, root, "kernels", KERNEL_LIMIT);
    for (uint32_t i = 0; i < cake_json_size(kernels); i++)
        *CAKE_PUSH(reader->arena, &manifest->kernels) = read_kernel(reader, cake_json_item(reader, kernels, i));
    cake_json_end(reader, root, 6);
    return manifest;
}

/* jansson's tree is no arena memory: when the arena runs out below us, it is freed on the way to the owner's handler.
 */
static cake_status read_tree(cake_arena *arena, json_t *tree, cake_manifest **out_manifest) {
    jmp_buf *owner = arena->out_of_memory;
    jmp_buf out_of_memory;
    if (setjmp(out_of_memory)) {
        json_decref(tree);
        arena->out_of_memory = owner;
        longjmp(*owner, 1);
    }
    arena->out_of_memory = &out_of_memory;
    cake_json_reader reader = {.arena = arena};
    cake_json_node root = {tree, ""};
    if (!json_is_object(tree)) cake_json_fail(&reader, root, NULL, "is no object");
    cake_manifest *manifest = read_root(&reader, root);
    arena->out_of_memory = owner;
    json_decref(tree);
    if (reader.status.kind == CAKE_STATUS_OK) *out_manifest = manifest;
    return reader.status;
}

cake_status cake_manifest_read(cake_arena *arena, const char *json, size_t size, cake_manifest **out_manifest) {
    json_error_t error;
    json_t *tree = json_loadb(json, size, JSON_REJECT_DUPLICATES, &error);
    if (!tree)
        return cake_status_make(CAKE_STATUS_INVALID, "the manifest is damaged: line %d: %s", error.line, error.text);
    return read_tree(arena, tree, out_manifest);
}
