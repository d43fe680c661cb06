/* Bulk tensor copies (PTX ISA 'cp.async.bulk.tensor', 'cp.reduce.async.bulk.tensor'): one predicated instruction a box.
 */
#include "codegen/emit.h"

static LLVMValueRef tensor_map(cake_emitter *e, const cake_plan_tensor_map *map) {
    for (uint32_t i = 0; i < e->argument_count; i++)
        if (e->arguments[i].kind == CAKE_ARGUMENT_TENSOR_MAP &&
            e->plan->tensor_maps.items[e->arguments[i].index] == map)
            return LLVMGetParam(e->function, i);
    CAKE_ASSERT(!"a tensor map that is no argument");
}

/* "{$4, $5}": coordinates, innermost first. */
static const char *coordinates(cake_emitter *e, uint32_t first, uint32_t rank) {
    cake_text text;
    cake_text_init(&text, e->arena);
    for (uint32_t i = 0; i < rank; i++)
        cake_text_format(&text, "%s$%u", i ? ", " : "{", first + i);
    cake_text_add_string(&text, "}");
    return cake_text_string(&text);
}

/* Operands: 0 predicate, 1 shared address, 2 map, then for loads 3 mbarrier, coordinates, mask of CTAs, cache policy;
 * for stores coordinates. */
static const char *instruction(cake_emitter *e, const cake_plan_copy *copy, bool loads, uint32_t rank) {
    const char *guard = "{ .reg .pred p; setp.ne.b32 p, $0, 0; @p ";
    const char *at = coordinates(e, loads ? 4 : 3, rank);
    if (copy->reduce)
        return cake_arena_format(e->arena,
                                 "%scp.reduce.async.bulk.tensor.%ud.global.shared::cta.%s.tile.bulk_group "
                                 "[$2, %s], [$1]; }",
                                 guard, rank, copy->reduce, at);
    if (!loads)
        return cake_arena_format(e->arena,
                                 "%scp.async.bulk.tensor.%ud.global.shared::cta.tile.bulk_group [$2, %s], [$1]; }",
                                 guard, rank, at);
    const char *multicast = copy->multicast ? ".multicast::cluster" : "";
    const char *mask = copy->multicast ? cake_arena_format(e->arena, ", $%u", 4 + rank) : "";
    uint32_t last = 4 + rank + (copy->multicast ? 1 : 0);
    const char *policy = copy->cache ? cake_arena_format(e->arena, ", $%u", last) : "";
    return cake_arena_format(e->arena,
                             "%scp.async.bulk.tensor.%ud.shared::cluster.global.tile.mbarrier::complete_tx::bytes%s%s "
                             "[$1], [$2, %s], [$3]%s%s; }",
                             guard, rank, multicast, cake_emit_cache_suffix(copy->cache), at, mask, policy);
}

static void copy_box(cake_emitter *e, const cake_plan_op *op, const cake_plan_box *box, LLVMValueRef origin) {
    const cake_plan_copy *copy = op->u.copy;
    bool loads = op->kind == CAKE_PLAN_TMA_LOAD;
    uint32_t rank = copy->global.dimensions, count = 0;
    LLVMValueRef operands[6 + CAKE_MAX_RANK];
    cake_text constraints;
    cake_text_init(&constraints, e->arena);
    cake_text_add_string(&constraints, loads ? "r,r,l,r" : "r,r,l");
    operands[count++] = e->elected;
    operands[count++] = LLVMBuildAdd(e->builder, origin, cake_emit_i32(e, box->shared_offset), "");
    operands[count++] = tensor_map(e, box->map);
    if (loads) operands[count++] = cake_emit_full_barrier(e, copy->shared.buffer->pipeline);
    for (uint32_t d = rank; d-- > 0;) {
        LLVMValueRef base = cake_emit_index(e, copy->global.index[d].base, e->i32);
        base = LLVMBuildAdd(e->builder, base, cake_emit_i32(e, box->shift[d]), "");
        if (d + 1 == rank && cake_dtype_bits(box->map->tensor->dtype) < 8) /* the map counts pairs */
            base = LLVMBuildAShr(e->builder, base, cake_emit_i32(e, 1), "");
        operands[count++] = base;
        cake_text_add_string(&constraints, ",r");
    }
    if (loads && copy->multicast) { /* every CTA of the cluster */
        operands[count++] = LLVMConstInt(e->i16, (1u << e->plan->launch.cluster) - 1, 0);
        cake_text_add_string(&constraints, ",h");
    }
    if (loads && copy->cache) {
        operands[count++] = cake_emit_cache_policy(e, copy->cache);
        cake_text_add_string(&constraints, ",l");
    }
    cake_emit_asm(e, instruction(e, copy, loads, rank), cake_text_string(&constraints), operands, count);
}

void cake_emit_copy(cake_emitter *e, const cake_plan_op *op) {
    LLVMValueRef origin = cake_emit_shared_origin(e, &op->u.copy->shared);
    for (uint32_t i = 0; i < op->u.copy->boxes.count; i++)
        copy_box(e, op, &op->u.copy->boxes.items[i], origin);
}
