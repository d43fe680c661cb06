/* Reads and checks a manifest. What passes here is safe to launch from as far as sizes, indices and names go: the
 * runtime indexes without testing again. */
#include <inttypes.h>
#include <setjmp.h>
#include <string.h>

#include "ir/type.h"
#include "manifest/read_parts.h"

/* cuTensorMapEncodeTiled: one to five dimensions, boxes of at most 256 elements a dimension. */
#define TENSOR_MAP_RANK_LIMIT 5
#define BOX_LIMIT             256

/* ---- tensor maps, arguments ---- */

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
        .tensor = cake_read_index(reader, object, "tensor", kernel->interface.tensors.count),
        .dtype = cake_read_dtype(reader, object),
        .extents = cake_read_expressions(reader, object, "extents", TENSOR_MAP_RANK_LIMIT),
        .strides = cake_read_expressions(reader, object, "strides", TENSOR_MAP_RANK_LIMIT - 1),
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
        argument.index = cake_read_index(reader, object, "tensor_map", kernel->tensor_maps.count);
    } else if (cake_json_has(object, "pointer")) {
        argument.kind = CAKE_ARGUMENT_POINTER;
        argument.index = cake_read_index(reader, object, "pointer", kernel->interface.tensors.count);
    } else if (cake_json_has(object, "dimension")) {
        argument.kind = CAKE_ARGUMENT_DIMENSION;
        argument.index = cake_read_index(reader, object, "dimension", kernel->interface.dimensions.count);
        argument.bits = (uint32_t)cake_json_integer(reader, object, "bits", 32, 64);
        if (argument.bits != 32 && argument.bits != 64) cake_json_fail(reader, object, "bits", "is neither 32 nor 64");
    } else {
        argument.kind = CAKE_ARGUMENT_SCALAR;
        argument.index = cake_read_index(reader, object, "scalar", kernel->interface.scalars.count);
    }
    cake_json_end(reader, object, argument.kind == CAKE_ARGUMENT_DIMENSION ? 2 : 1);
    return argument;
}

/* ---- kernels and the whole ---- */

static void read_entry(cake_json_reader *reader, cake_json_node object, cake_manifest_kernel *kernel) {
    cake_json_node maps = cake_json_list(reader, object, "tensor_maps", CAKE_READ_TENSOR_LIMIT);
    for (uint32_t i = 0; i < cake_json_size(maps); i++)
        *CAKE_PUSH(reader->arena, &kernel->tensor_maps) =
            read_tensor_map(reader, cake_json_item(reader, maps, i), kernel);
    cake_json_node arguments = cake_json_list(reader, object, "arguments", CAKE_READ_ARGUMENT_LIMIT);
    for (uint32_t i = 0; i < cake_json_size(arguments); i++)
        *CAKE_PUSH(reader->arena, &kernel->arguments) =
            read_argument(reader, cake_json_item(reader, arguments, i), kernel);
}

static void read_launch(cake_json_reader *reader, cake_json_node object, cake_manifest_kernel *kernel) {
    kernel->threads = (uint32_t)cake_json_integer(reader, object, "threads", 1, 1024);
    kernel->cluster = (uint32_t)cake_json_integer(reader, object, "cluster", 1, 16);
    kernel->shared_bytes = (uint32_t)cake_json_integer(reader, object, "shared_bytes", 0, 1 << 20);
    kernel->ctas_per_sm = (uint32_t)cake_json_integer(reader, object, "ctas_per_sm", 1, 64);
    kernel->grid = cake_json_expression(reader, object, "grid");
}

static void check_uses(cake_json_reader *reader, cake_json_node object, const cake_manifest_kernel *kernel) {
    for (uint32_t i = 0; i < kernel->tensor_maps.count; i++) {
        const cake_manifest_tensor_map *map = &kernel->tensor_maps.items[i];
        cake_read_check_list(reader, object, "tensor_maps", &kernel->interface, &map->extents);
        cake_read_check_list(reader, object, "tensor_maps", &kernel->interface, &map->strides);
    }
    cake_read_check(reader, object, "grid", &kernel->interface, kernel->grid);
}

static cake_manifest_kernel read_kernel(cake_json_reader *reader, cake_json_node object) {
    cake_manifest_kernel kernel = {.interface.kind = "kernel"};
    cake_read_interface(reader, object, &kernel.interface);
    read_entry(reader, object, &kernel);
    read_launch(reader, object, &kernel);
    cake_json_end(reader, object, CAKE_READ_INTERFACE_MEMBERS + 7);
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
    CAKE_READ_STRINGS(reader, object, "families", CAKE_READ_NAME_LIMIT, &proof.families);
    CAKE_READ_STRINGS(reader, object, "allowed", CAKE_READ_NAME_LIMIT, &proof.allowed);
    cake_json_end(reader, object, 6);
    return proof;
}

static void check_source_hash(cake_json_reader *reader, cake_json_node root, const char *hash) {
    size_t size = strlen(hash);
    if ((size != 0 && size != 64) || strspn(hash, "0123456789abcdef") != size)
        cake_json_fail(reader, root, "source_hash", "is no SHA-256 in hex");
}

/* Programs launch kernels, so these come first; without programs the member may be left out. */
static void read_programs(cake_json_reader *reader, cake_json_node root, cake_manifest *manifest) {
    cake_json_node programs = cake_json_list(reader, root, "programs", CAKE_READ_PROGRAM_LIMIT);
    for (uint32_t i = 0; i < cake_json_size(programs); i++)
        *CAKE_PUSH(reader->arena, &manifest->programs) =
            cake_read_program(reader, cake_json_item(reader, programs, i), manifest);
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
    cake_json_node kernels = cake_json_list(reader, root, "kernels", CAKE_READ_KERNEL_LIMIT);
    for (uint32_t i = 0; i < cake_json_size(kernels); i++)
        *CAKE_PUSH(reader->arena, &manifest->kernels) = read_kernel(reader, cake_json_item(reader, kernels, i));
    bool has_programs = cake_json_has(root, "programs");
    if (has_programs) read_programs(reader, root, manifest);
    cake_json_end(reader, root, has_programs ? 7 : 6);
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
