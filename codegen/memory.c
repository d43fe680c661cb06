/* Plain loads and stores.
 *
 * An access moves vectors of 'width' neighbouring registers. Bytes travel as machine words (32-bit words, or one
 * smaller word), which are cut into elements afterwards. An access that may be off (clip, where, owner) is one
 * predicated instruction, so that many loads can be in flight; the words of a load that is off hold the clip value.
 */
#include "codegen/emit.h"
#include "plan/range.h"

LLVMValueRef cake_emit_tensor_pointer(cake_emitter *e, const cake_plan_tensor *tensor) {
    if (tensor->view_of) tensor = tensor->view_of;
    for (uint32_t i = 0; i < e->argument_count; i++)
        if (e->arguments[i].kind == CAKE_ARGUMENT_POINTER && e->plan->tensors.items[e->arguments[i].index] == tensor)
            return LLVMGetParam(e->function, i);
    CAKE_ASSERT(!"a tensor without a pointer");
}

LLVMValueRef cake_emit_shared_pointer(cake_emitter *e, LLVMValueRef offset) {
    return LLVMBuildGEP2(e->builder, e->i8, e->shared, &offset, 1, "");
}

LLVMValueRef cake_emit_shared_address(cake_emitter *e, uint32_t offset) {
    LLVMValueRef base = LLVMBuildPtrToInt(e->builder, e->shared, e->i32, "");
    return LLVMBuildAdd(e->builder, base, cake_emit_i32(e, offset), "");
}

/* ---- shared memory ---- */

/* Offset of the place's stage. */
LLVMValueRef cake_emit_stage_offset(cake_emitter *e, const cake_plan_place *place) {
    const cake_plan_buffer *buffer = place->buffer;
    LLVMValueRef offset = cake_emit_i32(e, buffer->offset);
    if (!buffer->pipeline || buffer->pipeline->stages == 1) return offset;
    LLVMValueRef slot = cake_emit_slot(e, place);
    if (place->age) {
        LLVMValueRef age = cake_emit_i32(e, place->age), stages = cake_emit_i32(e, buffer->pipeline->stages);
        LLVMValueRef wraps = LLVMBuildICmp(e->builder, LLVMIntULT, slot, age, "");
        slot = LLVMBuildSub(e->builder, slot, age, "");
        slot = LLVMBuildSelect(e->builder, wraps, LLVMBuildAdd(e->builder, slot, stages, ""), slot, "");
    }
    slot = LLVMBuildMul(e->builder, slot, cake_emit_i32(e, buffer->stage_stride), "");
    return LLVMBuildAdd(e->builder, offset, slot, "");
}

/* Bytes of so many elements; of 4 bits a whole number of pairs, or the byte that the last one lies in. */
static LLVMValueRef to_bytes(cake_emitter *e, LLVMValueRef elements, uint32_t bits) {
    LLVMTypeRef type = LLVMTypeOf(elements);
    return bits < 8 ? LLVMBuildLShr(e->builder, elements, LLVMConstInt(type, 1, 0), "")
                    : LLVMBuildMul(e->builder, elements, LLVMConstInt(type, bits / 8, 0), "");
}

/* Offset within a tile of the element at (row, column): panels, and chunks of 16 bytes xored with the row. */
static LLVMValueRef matrix_offset(cake_emitter *e, const cake_plan_buffer *buffer, LLVMValueRef row,
                                  LLVMValueRef column) {
    LLVMBuilderRef builder = e->builder;
    uint32_t bits = cake_dtype_bits(buffer->dtype);
    LLVMValueRef bytes = to_bytes(e, column, bits);
    LLVMValueRef line = LLVMBuildMul(builder, row, cake_emit_i32(e, buffer->row_bytes), "");
    if (!buffer->swizzle) return LLVMBuildAdd(builder, line, bytes, "");
    uint32_t span = buffer->swizzle, chunk_mask = span / 16 - 1;
    LLVMValueRef within = LLVMBuildAnd(builder, bytes, cake_emit_i32(e, span - 1), "");
    LLVMValueRef panel = LLVMBuildUDiv(builder, bytes, cake_emit_i32(e, span), "");
    LLVMValueRef turn =
        LLVMBuildAnd(builder, LLVMBuildLShr(builder, line, cake_emit_i32(e, 7), ""), cake_emit_i32(e, chunk_mask), "");
    turn = LLVMBuildShl(builder, turn, cake_emit_i32(e, 4), "");
    within = LLVMBuildXor(builder, within, turn, "");
    panel = LLVMBuildMul(builder, panel, cake_emit_i32(e, buffer->panel_bytes), "");
    return LLVMBuildAdd(builder, LLVMBuildAdd(builder, panel, line, ""), within, "");
}

/* Offset in shared memory of the element at the given position of each dimension (i32). */
LLVMValueRef cake_emit_shared_offset(cake_emitter *e, const cake_plan_place *place, LLVMValueRef *position) {
    const cake_plan_buffer *buffer = place->buffer;
    LLVMValueRef offset = cake_emit_stage_offset(e, place), tile = cake_emit_i32(e, 0);
    uint8_t rank = place->dimensions;
    for (uint8_t d = 0; d + 2 < rank; d++) {
        tile = LLVMBuildMul(e->builder, tile, cake_emit_i32(e, buffer->shape.extents[d]), "");
        tile = LLVMBuildAdd(e->builder, tile, position[d], "");
    }
    tile = LLVMBuildMul(e->builder, tile, cake_emit_i32(e, buffer->tile_bytes), "");
    LLVMValueRef row = rank > 1 ? position[rank - 2] : cake_emit_i32(e, 0);
    LLVMValueRef matrix = matrix_offset(e, buffer, row, position[rank - 1]);
    return LLVMBuildAdd(e->builder, LLVMBuildAdd(e->builder, offset, tile, ""), matrix, "");
}

LLVMValueRef cake_emit_shared_origin(cake_emitter *e, const cake_plan_place *place) {
    LLVMValueRef position[CAKE_MAX_RANK];
    for (uint8_t d = 0; d < place->dimensions; d++)
        position[d] = cake_emit_index(e, place->index[d].base, e->i32);
    LLVMValueRef base = LLVMBuildPtrToInt(e->builder, e->shared, e->i32, "");
    return LLVMBuildAdd(e->builder, base, cake_emit_shared_offset(e, place, position), "");
}

/* ---- positions and predicates ---- */

static LLVMTypeRef position_type(cake_emitter *e, const cake_plan_place *place) {
    return place->buffer ? e->i32 : e->i64;
}

static void open_positions(cake_emitter *e, cake_access_state *s) {
    LLVMTypeRef type = position_type(e, s->place);
    for (uint8_t d = 0; d < s->place->dimensions; d++) {
        const cake_plan_index *index = &s->place->index[d];
        if (index->kind == CAKE_INDEX_GATHER) continue; /* differs by register */
        s->position[d] = cake_emit_index(e, index->base, type);
        if (index->kind != CAKE_INDEX_RANGE || !s->layout) continue;
        LLVMValueRef thread = cake_emit_thread_coordinate(e, s->layout, index->axis);
        thread = LLVMBuildZExtOrBitCast(e->builder, thread, type, "");
        s->position[d] = LLVMBuildAdd(e->builder, s->position[d], thread, "");
    }
}

/* The index that belongs to register r of the tile. */
static LLVMValueRef gathered(cake_emitter *e, const cake_access_state *s, const cake_plan_index *index, uint32_t r) {
    cake_coordinate coordinate = {{0}};
    for (uint8_t k = 0; k < index->base->shape.rank; k++)
        if (index->base->shape.extents[k] > 1) coordinate.at[k] = s->layout->registers[r].at[index->axis + k];
    uint32_t found = cake_layout_find(index->base->layout, &coordinate);
    CAKE_ASSERT(found != UINT32_MAX);
    LLVMTypeRef type = position_type(e, s->place);
    return LLVMBuildIntCast2(e->builder, cake_emit_register(e, index->base, found), type, 1, "");
}

LLVMValueRef cake_emit_position(cake_emitter *e, const cake_access_state *s, uint8_t d, uint32_t r) {
    const cake_plan_index *index = &s->place->index[d];
    if (index->kind == CAKE_INDEX_GATHER) return gathered(e, s, index, r);
    if (index->kind != CAKE_INDEX_RANGE || !s->layout) return s->position[d];
    uint32_t at = s->layout->registers[r].at[index->axis];
    return LLVMBuildAdd(e->builder, s->position[d], LLVMConstInt(position_type(e, s->place), at, 0), "");
}

static LLVMValueRef both(cake_emitter *e, LLVMValueRef a, LLVMValueRef b) {
    return a ? LLVMBuildAnd(e->builder, a, b, "") : b;
}

/* Whether the ranges show that dimension d is in range for all elements. */
static bool always_inside(const cake_plan_place *place, uint8_t d) {
    const cake_plan_index *index = &place->index[d];
    int64_t smallest = place->tensor ? place->tensor->extents[d]->low : place->buffer->shape.extents[d];
    return index->base->low >= 0 && index->base->high <= smallest - (int64_t)index->length;
}

/* Condition under which register r is accessed; null: always. */
LLVMValueRef cake_emit_access_predicate(cake_emitter *e, const cake_access_state *s, uint32_t r) {
    LLVMValueRef on = NULL;
    LLVMTypeRef type = position_type(e, s->place);
    for (uint8_t d = 0; s->access->clip && d < s->place->dimensions; d++) {
        if (always_inside(s->place, d)) continue;
        LLVMValueRef at = cake_emit_position(e, s, d, r);
        LLVMValueRef extent = s->place->tensor ? cake_emit_index(e, s->place->tensor->extents[d], type)
                                               : cake_emit_i32(e, s->place->buffer->shape.extents[d]);
        /* unsigned: a negative index is out of range too */
        on = both(e, on, LLVMBuildICmp(e->builder, LLVMIntULT, at, extent, ""));
    }
    if (s->access->mask) on = both(e, on, cake_emit_operand(e, s->access->mask, s->layout, r));
    return on;
}

/* ---- words ---- */

static LLVMTypeRef word_type(cake_emitter *e, uint32_t bytes) {
    return bytes >= 4 ? e->i32 : bytes == 2 ? e->i16 : e->i8;
}

static uint32_t word_count(uint32_t bytes) {
    return bytes >= 4 ? bytes / 4 : 1;
}

/* Elements as they lie in memory: integers of the element's width. */
static LLVMValueRef to_memory(cake_emitter *e, LLVMValueRef value, cake_dtype dtype) {
    if (dtype == CAKE_DTYPE_BOOL) return LLVMBuildZExt(e->builder, value, e->i8, "");
    return LLVMBuildBitCast(e->builder, value, LLVMIntTypeInContext(e->context, cake_dtype_bits(dtype)), "");
}

static LLVMValueRef from_memory(cake_emitter *e, LLVMValueRef bits, cake_dtype dtype) {
    if (dtype == CAKE_DTYPE_BOOL)
        return LLVMBuildICmp(e->builder, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
    return LLVMBuildBitCast(e->builder, bits, cake_emit_type(e, dtype), "");
}

/* 'width' elements as words, and back, through one wide vector of bits. */
void cake_emit_pack(cake_emitter *e, LLVMValueRef *elements, uint32_t width, cake_dtype dtype,
                    LLVMValueRef *out_words) {
    uint32_t bits = cake_dtype_bits(dtype), bytes = bits / 8 * width;
    if (bits < 8) {
        cake_emit_pack_halves(e, elements, width, out_words);
        return;
    }
    LLVMTypeRef vector = LLVMVectorType(LLVMIntTypeInContext(e->context, bits), width);
    LLVMValueRef all = LLVMGetUndef(vector);
    for (uint32_t i = 0; i < width; i++)
        all = LLVMBuildInsertElement(e->builder, all, to_memory(e, elements[i], dtype), cake_emit_i32(e, i), "");
    all = LLVMBuildBitCast(e->builder, all, LLVMVectorType(word_type(e, bytes), word_count(bytes)), "");
    for (uint32_t i = 0; i < word_count(bytes); i++)
        out_words[i] = LLVMBuildExtractElement(e->builder, all, cake_emit_i32(e, i), "");
}

void cake_emit_unpack(cake_emitter *e, LLVMValueRef *words, uint32_t width, cake_dtype dtype,
                      LLVMValueRef *out_elements) {
    uint32_t bits = cake_dtype_bits(dtype), bytes = bits / 8 * width;
    if (bits < 8) {
        cake_emit_unpack_halves(e, words, width, dtype, out_elements);
        return;
    }
    LLVMValueRef all = LLVMGetUndef(LLVMVectorType(word_type(e, bytes), word_count(bytes)));
    for (uint32_t i = 0; i < word_count(bytes); i++)
        all = LLVMBuildInsertElement(e->builder, all, words[i], cake_emit_i32(e, i), "");
    all = LLVMBuildBitCast(e->builder, all, LLVMVectorType(LLVMIntTypeInContext(e->context, bits), width), "");
    for (uint32_t i = 0; i < width; i++)
        out_elements[i] = from_memory(e, LLVMBuildExtractElement(e->builder, all, cake_emit_i32(e, i), ""), dtype);
}

/* ---- addresses ---- */

LLVMValueRef cake_emit_access_pointer(cake_emitter *e, const cake_access_state *s, uint32_t r) {
    LLVMValueRef position[CAKE_MAX_RANK];
    for (uint8_t d = 0; d < s->place->dimensions; d++)
        position[d] = cake_emit_position(e, s, d, r);
    if (s->place->buffer) return cake_emit_shared_pointer(e, cake_emit_shared_offset(e, s->place, position));
    LLVMValueRef offset = LLVMConstInt(e->i64, 0, 0);
    for (uint8_t d = 0; d < s->place->dimensions; d++) {
        LLVMValueRef stride = cake_emit_index(e, s->place->tensor->strides[d], e->i64);
        offset = LLVMBuildAdd(e->builder, offset, LLVMBuildMul(e->builder, position[d], stride, ""), "");
    }
    offset = to_bytes(e, offset, s->element_bits);
    return LLVMBuildGEP2(e->builder, e->i8, cake_emit_tensor_pointer(e, s->place->tensor), &offset, 1, "");
}

const char *cake_emit_space(const cake_plan_place *place) {
    if (place->peer) return "shared::cluster";
    return place->buffer ? "shared" : "global";
}

LLVMValueRef cake_emit_peer_address(cake_emitter *e, LLVMValueRef address, const cake_plan_value *rank) {
    LLVMValueRef operands[2] = {address, cake_emit_index(e, rank, e->i32)};
    return cake_emit_asm_value(e, e->i32, "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r", operands, 2, false);
}

LLVMValueRef cake_emit_access_address(cake_emitter *e, const cake_access_state *s, uint32_t r) {
    LLVMValueRef pointer = cake_emit_access_pointer(e, s, r);
    LLVMValueRef address = LLVMBuildPtrToInt(e->builder, pointer, s->place->buffer ? e->i32 : e->i64, "");
    if (!s->place->peer) return address;
    LLVMValueRef base = LLVMBuildPtrToInt(e->builder, e->shared, e->i32, "");
    LLVMValueRef offset = LLVMBuildSub(e->builder, address, base, "");
    return LLVMBuildAdd(e->builder, cake_emit_peer_address(e, base, s->place->peer), offset, "");
}

/* ".v4.b32" and the like. */
static const char *suffix(cake_emitter *e, uint32_t bytes) {
    uint32_t words = word_count(bytes);
    return cake_arena_format(e->arena, "%s.b%u",
                             words == 4   ? ".v4"
                             : words == 2 ? ".v2"
                                          : "",
                             bytes >= 4 ? 32 : bytes * 8);
}

static char word_constraint(uint32_t bytes) {
    return bytes >= 4 ? 'r' : 'h';
}

/* "{$3, $4}" or "$3". */
static const char *operand_list(cake_emitter *e, uint32_t first, uint32_t count) {
    cake_text text;
    cake_text_init(&text, e->arena);
    if (count > 1) cake_text_add_string(&text, "{");
    for (uint32_t i = 0; i < count; i++)
        cake_text_format(&text, "%s$%u", i ? ", " : "", first + i);
    if (count > 1) cake_text_add_string(&text, "}");
    return cake_text_string(&text);
}

static LLVMValueRef widen_word(cake_emitter *e, LLVMValueRef word) { /* asm has no 8-bit registers */
    return LLVMTypeOf(word) == e->i8 ? LLVMBuildZExt(e->builder, word, e->i16, "") : word;
}

/* ---- load ---- */

/* Memory that nobody writes while the kernel runs may be read out of order and through the read-only path; not so where
 * the kernel starts before the one that writes it has ended. */
static bool is_invariant(const cake_emitter *e, const cake_access_state *s) {
    return s->access->read_only && !e->plan->launch.waits_for_grid;
}

static void set_alignment(cake_emitter *e, LLVMValueRef instruction, uint32_t bytes, bool invariant) {
    LLVMSetAlignment(instruction, bytes);
    if (!invariant) return;
    unsigned kind = LLVMGetMDKindIDInContext(e->context, "invariant.load", 14);
    LLVMSetMetadata(instruction, kind, LLVMMetadataAsValue(e->context, LLVMMDNodeInContext2(e->context, NULL, 0)));
}

static void load_words(cake_emitter *e, const cake_access_state *s, LLVMValueRef address, uint32_t bytes,
                       LLVMValueRef *words) {
    uint32_t count = word_count(bytes);
    LLVMTypeRef type = count > 1 ? LLVMVectorType(e->i32, count) : word_type(e, bytes);
    LLVMValueRef all = LLVMBuildLoad2(e->builder, type, address, "");
    set_alignment(e, all, bytes, is_invariant(e, s));
    for (uint32_t i = 0; i < count; i++)
        words[i] = count > 1 ? LLVMBuildExtractElement(e->builder, all, cake_emit_i32(e, i), "") : all;
}

/* Shared memory is behind no cache. */
static cake_name cache_hint(const cake_access_state *s) {
    return s->place->tensor ? s->access->cache : NULL;
}

/* words: in, what lanes that are off get; out, what was loaded. */
static void load_predicated(cake_emitter *e, const cake_access_state *s, LLVMValueRef on, LLVMValueRef address,
                            uint32_t bytes, LLVMValueRef *words) {
    uint32_t count = word_count(bytes);
    cake_text constraints;
    cake_text_init(&constraints, e->arena);
    cake_name hint = cache_hint(s);
    LLVMValueRef operands[7];
    LLVMTypeRef types[4];
    for (uint32_t i = 0; i < count; i++) {
        operands[i] = widen_word(e, words[i]);
        types[i] = LLVMTypeOf(operands[i]);
        cake_text_format(&constraints, "=%c,", word_constraint(bytes));
    }
    for (uint32_t i = 0; i < count; i++)
        cake_text_format(&constraints, "%u,", i);
    cake_text_add_string(&constraints, s->place->buffer ? "r,r" : "r,l");
    operands[count] = LLVMBuildZExt(e->builder, on, e->i32, "");
    operands[count + 1] = address;
    const char *policy = hint ? cake_arena_format(e->arena, ", $%u", 2 * count + 2) : "";
    if (hint) operands[count + 2] = cake_emit_cache_policy(e, hint);
    cake_text_add_string(&constraints, hint ? ",l" : "");
    if (!is_invariant(e, s)) cake_text_add_string(&constraints, ",~{memory}");
    const char *text =
        cake_arena_format(e->arena, "{ .reg .pred p; setp.ne.b32 p, $%u, 0; @p ld.%s%s%s %s, [$%u]%s; }", 2 * count,
                          is_invariant(e, s) ? "global.nc" : cake_emit_space(s->place), cake_emit_cache_suffix(hint),
                          suffix(e, bytes), operand_list(e, 0, count), 2 * count + 1, policy);
    LLVMTypeRef type = count > 1 ? LLVMStructTypeInContext(e->context, types, count, 0) : types[0];
    LLVMValueRef all = cake_emit_asm_value(e, type, text, cake_text_string(&constraints), operands,
                                           count + (hint ? 3 : 2), !is_invariant(e, s));
    for (uint32_t i = 0; i < count; i++) {
        words[i] = count > 1 ? LLVMBuildExtractValue(e->builder, all, i, "") : all;
        if (bytes == 1) words[i] = LLVMBuildTrunc(e->builder, words[i], e->i8, "");
    }
}

cake_access_state cake_emit_access_open(cake_emitter *e, const cake_plan_access *access, const cake_layout *layout) {
    cake_access_state s = {.access = access, .place = &access->place, .layout = layout, .width = access->width};
    s.dtype = access->place.tensor ? access->place.tensor->dtype : access->place.buffer->dtype;
    s.element_bits = cake_dtype_bits(s.dtype);
    open_positions(e, &s);
    return s;
}

static void load_matrices(cake_emitter *e, const cake_plan_op *op, LLVMValueRef *registers) {
    uint32_t count = cake_emit_register_count(op->result), per_word = op->u.access->width / 4;
    LLVMValueRef *words = CAKE_NEW_ARRAY(e->arena, LLVMValueRef, count / per_word);
    cake_emit_fragments(e, &op->u.access->place, words);
    for (uint32_t i = 0; i < count / per_word; i++)
        cake_emit_unpack(e, &words[i], per_word, op->result->dtype, &registers[i * per_word]);
    cake_emit_define(e, op->result, registers);
}

void cake_emit_load(cake_emitter *e, const cake_plan_op *op) {
    cake_access_state s = cake_emit_access_open(e, op->u.access, op->result->layout);
    bool half = s.element_bits * s.width < 8; /* the byte around it is loaded */
    uint32_t count = cake_emit_register_count(op->result), width = half ? 2 : s.width;
    uint32_t bytes = s.element_bits * width / 8;
    LLVMValueRef *registers = CAKE_NEW_ARRAY(e->arena, LLVMValueRef, count);
    if (op->u.access->form == CAKE_ACCESS_LDMATRIX) {
        load_matrices(e, op, registers);
        return;
    }
    LLVMValueRef off = op->u.access->clip_value ? cake_emit_scalar(e, op->u.access->clip_value)
                                                : LLVMConstNull(cake_emit_type(e, s.dtype));
    for (uint32_t r = 0; r < count; r += s.width) {
        LLVMValueRef words[4], filler[32], on = cake_emit_access_predicate(e, &s, r);
        if ((s.place->peer || cache_hint(&s)) && !on) on = LLVMConstInt(e->i1, 1, 0);
        if (on) {
            for (uint32_t i = 0; i < width; i++)
                filler[i] = off;
            cake_emit_pack(e, filler, width, s.dtype, words);
            load_predicated(e, &s, on, cake_emit_access_address(e, &s, r), bytes, words);
        } else {
            load_words(e, &s, cake_emit_access_pointer(e, &s, r), bytes, words);
        }
        if (half)
            registers[r] = cake_emit_half(e, words[0], cake_emit_half_shift(e, &s, r), s.dtype);
        else
            cake_emit_unpack(e, words, s.width, s.dtype, &registers[r]);
    }
    cake_emit_define(e, op->result, registers);
}

/* ---- store ---- */

/* Of threads that hold the same elements only the owner stores; of a scalar, the elected lane. */
LLVMValueRef cake_emit_owner(cake_emitter *e, const cake_layout *layout) {
    LLVMValueRef on = NULL, zero = cake_emit_i32(e, 0);
    if (!layout) return LLVMBuildICmp(e->builder, LLVMIntNE, e->elected, zero, "");
    uint32_t lanes = cake_layout_repeated_lanes(layout), warps = cake_layout_repeated_warps(layout);
    LLVMValueRef masks[2] = {LLVMBuildAnd(e->builder, e->lane, cake_emit_i32(e, lanes), ""),
                             LLVMBuildAnd(e->builder, e->team_warp, cake_emit_i32(e, warps), "")};
    if (lanes) on = LLVMBuildICmp(e->builder, LLVMIntEQ, masks[0], zero, "");
    if (warps) on = both(e, on, LLVMBuildICmp(e->builder, LLVMIntEQ, masks[1], zero, ""));
    LLVMValueRef spread = cake_emit_i32(e, 1u << layout->warp_bits);
    if (e->role->warps_per_team > 1u << layout->warp_bits)
        on = both(e, on, LLVMBuildICmp(e->builder, LLVMIntULT, e->team_warp, spread, ""));
    return on;
}

static void store_words(cake_emitter *e, LLVMValueRef address, uint32_t bytes, LLVMValueRef *words) {
    uint32_t count = word_count(bytes);
    LLVMValueRef all = words[0];
    if (count > 1) {
        all = LLVMGetUndef(LLVMVectorType(e->i32, count));
        for (uint32_t i = 0; i < count; i++)
            all = LLVMBuildInsertElement(e->builder, all, words[i], cake_emit_i32(e, i), "");
    }
    set_alignment(e, LLVMBuildStore(e->builder, all, address), bytes, false);
}

static void store_predicated(cake_emitter *e, const cake_access_state *s, LLVMValueRef on, LLVMValueRef address,
                             uint32_t bytes, LLVMValueRef *words) {
    uint32_t count = word_count(bytes);
    cake_name hint = cache_hint(s);
    LLVMValueRef operands[7];
    cake_text constraints;
    cake_text_init(&constraints, e->arena);
    for (uint32_t i = 0; i < count; i++) {
        operands[i] = widen_word(e, words[i]);
        cake_text_format(&constraints, "%c,", word_constraint(bytes));
    }
    cake_text_add_string(&constraints, s->place->buffer ? "r,r" : "r,l");
    operands[count] = LLVMBuildZExt(e->builder, on, e->i32, "");
    operands[count + 1] = address;
    const char *policy = hint ? cake_arena_format(e->arena, ", $%u", count + 2) : "";
    if (hint) operands[count + 2] = cake_emit_cache_policy(e, hint);
    cake_text_add_string(&constraints, hint ? ",l" : "");
    const char *text = cake_arena_format(e->arena, "{ .reg .pred p; setp.ne.b32 p, $%u, 0; @p st.%s%s%s [$%u], %s%s; }",
                                         count, cake_emit_space(s->place), cake_emit_cache_suffix(hint),
                                         suffix(e, bytes), count + 1, operand_list(e, 0, count), policy);
    cake_emit_asm(e, text, cake_text_string(&constraints), operands, count + (hint ? 3 : 2));
}

/* Eight registers, two 8x8 blocks below each other and two beside: lane l addresses row l % 16 of columns l / 16 * 8
 * (PTX ISA 'stmatrix'). */
static void store_matrices(cake_emitter *e, const cake_access_state *s, const cake_plan_value *value) {
    const cake_plan_place *place = s->place;
    uint8_t rank = place->dimensions;
    LLVMValueRef position[CAKE_MAX_RANK];
    LLVMValueRef row_in_block = LLVMBuildAnd(e->builder, e->lane, cake_emit_i32(e, 15), "");
    LLVMValueRef column_in_block =
        LLVMBuildShl(e->builder, LLVMBuildLShr(e->builder, e->lane, cake_emit_i32(e, 4), ""), cake_emit_i32(e, 3), "");
    cake_layout warps_only = *s->layout; /* the lanes' parts are the instruction's own */
    for (uint32_t i = 0; i < CAKE_LANE_BITS; i++)
        warps_only.lane[i] = (cake_coordinate){{0}};
    for (uint32_t r = 0; r < s->layout->register_count; r += 8) {
        for (uint8_t d = 0; d < rank; d++) {
            position[d] = cake_emit_index(e, place->index[d].base, e->i32);
            if (place->index[d].kind != CAKE_INDEX_RANGE) continue;
            uint8_t axis = place->index[d].axis;
            LLVMValueRef part = LLVMBuildAdd(e->builder, axis == 0 ? row_in_block : column_in_block,
                                             cake_emit_thread_coordinate(e, &warps_only, axis), "");
            part = LLVMBuildAdd(e->builder, part, cake_emit_i32(e, s->layout->registers[r].at[axis]), "");
            position[d] = LLVMBuildAdd(e->builder, position[d], part, "");
        }
        LLVMValueRef operands[5], elements[8];
        for (uint32_t i = 0; i < 8; i++)
            elements[i] = cake_emit_register(e, value, r + i);
        cake_emit_pack(e, elements, 8, s->dtype, &operands[1]);
        operands[0] = LLVMBuildAdd(e->builder, LLVMBuildPtrToInt(e->builder, e->shared, e->i32, ""),
                                   cake_emit_shared_offset(e, place, position), "");
        cake_emit_asm(e, "stmatrix.sync.aligned.m8n8.x4.shared.b16 [$0], {$1, $2, $3, $4};", "r,r,r,r,r", operands, 5);
    }
}

void cake_emit_store(cake_emitter *e, const cake_plan_op *op) {
    const cake_plan_value *value = op->operands[0];
    cake_access_state s = cake_emit_access_open(e, op->u.access, value->layout);
    if (op->u.access->form == CAKE_ACCESS_STMATRIX) {
        store_matrices(e, &s, value);
        return;
    }
    LLVMValueRef owns = cake_emit_owner(e, value->layout);
    uint32_t count = cake_emit_register_count(value), bytes = s.element_bits * s.width / 8;
    for (uint32_t r = 0; r < count; r += s.width) {
        LLVMValueRef words[4], elements[32], on = cake_emit_access_predicate(e, &s, r);
        for (uint32_t i = 0; i < s.width; i++)
            elements[i] = cake_emit_register(e, value, r + i);
        cake_emit_pack(e, elements, s.width, s.dtype, words);
        if (owns) on = both(e, on, owns);
        if ((s.place->peer || cache_hint(&s)) && !on) on = LLVMConstInt(e->i1, 1, 0);
        if (on)
            store_predicated(e, &s, on, cake_emit_access_address(e, &s, r), bytes, words);
        else
            store_words(e, cake_emit_access_pointer(e, &s, r), bytes, words);
    }
}
