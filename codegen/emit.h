/* What the files of codegen/ share while one kernel is emitted. */
#ifndef CAKE_CODEGEN_EMIT_H
#define CAKE_CODEGEN_EMIT_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "codegen/codegen.h"
#include "codegen/launch.h"

/* A role's own counters of one pipeline, in registers after mem2reg. */
typedef struct ring_cursor {
    LLVMValueRef next, phase; /* i32: slot and parity of the next acquire or wait */
    LLVMValueRef current;     /* i32: newest slot acquired or held */
} ring_cursor;

typedef struct slot_state {
    ring_cursor filling, reading; /* apart, since one role may do both */
    LLVMValueRef tail, held;      /* i32: oldest slot held and number of slots held (consumers) */
} slot_state;

typedef struct variable_state {
    LLVMValueRef *registers; /* allocas, one a register */
    uint32_t count;
    LLVMValueRef fresh; /* i1 alloca of accumulators: all elements are zero and the registers not written yet */
} variable_state;

typedef struct cake_emitter {
    cake_arena *arena;
    const cake_plan *plan;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMBuilderRef prologue; /* before the end of the block where launch-scope values are computed */
    LLVMBasicBlockRef entry; /* allocas */
    LLVMValueRef function;
    LLVMValueRef shared; /* the dynamic shared memory, ptr addrspace(3) */
    LLVMMetadataRef subprogram;
    cake_argument_row arguments[CAKE_MAX_ARGUMENTS]; /* of the function, by parameter */
    uint32_t argument_count;
    LLVMValueRef **values;           /* by value number: its registers, or null */
    variable_state *variables;       /* by variable number */
    LLVMValueRef *signals;           /* i32 by signal number: parity of the next await */
    slot_state *slots;               /* by pipeline number */
    LLVMValueRef claimed;            /* i32: the tile that the CTA took, or null */
    LLVMValueRef policies[2];        /* i64, of evict_first and evict_last, once they are used */
    LLVMValueRef thread, lane, warp; /* i32; warp is uniform in the warp */
    LLVMTypeRef i1, i8, i16, i32, i64, f32, void_type;
    /* of the role being emitted */
    const cake_plan_role *role;
    LLVMValueRef team;       /* i32: index of the team */
    LLVMValueRef team_warp;  /* i32: warp within the team */
    LLVMValueRef elected;    /* i32, 0 or 1: the team's elected lane */
    LLVMValueRef first_lane; /* i32, 0 or 1: lane 0 of its warp */
    const cake_plan_variable *in_flight[16];
    uint32_t in_flight_count;
} cake_emitter;

/* ---- kernel.c ---- */
void cake_emit_kernel(cake_emitter *e);
void cake_emit_block(cake_emitter *e, const cake_plan_block *block);
void cake_emit_location(cake_emitter *e, cake_span span);

/* ---- value.c ---- */
LLVMTypeRef cake_emit_type(cake_emitter *e, cake_dtype dtype);
LLVMTypeRef cake_emit_value_type(cake_emitter *e, const cake_plan_value *value);
LLVMValueRef cake_emit_constant(cake_emitter *e, cake_dtype dtype, int64_t integer, double real);
/* Register r of a value; scalars have one. */
LLVMValueRef cake_emit_register(cake_emitter *e, const cake_plan_value *value, uint32_t r);
/* Register of an operand that belongs to register r of a result with the given layout: broadcasts. */
LLVMValueRef cake_emit_operand(cake_emitter *e, const cake_plan_value *operand, const cake_layout *layout, uint32_t r);
LLVMValueRef cake_emit_scalar(cake_emitter *e, const cake_plan_value *value);
/* An index value as i32 or i64 (sign extended or truncated; the caller knows that it fits). */
LLVMValueRef cake_emit_index(cake_emitter *e, const cake_plan_value *value, LLVMTypeRef type);
uint32_t cake_emit_register_count(const cake_plan_value *value);
void cake_emit_define(cake_emitter *e, const cake_plan_value *value, LLVMValueRef *registers);
void cake_emit_pure(cake_emitter *e, const cake_plan_op *op);
/* Part of a coordinate along an axis that lane and warp contribute. */
LLVMValueRef cake_emit_thread_coordinate(cake_emitter *e, const cake_layout *layout, uint8_t axis);

/* ---- cast.c ---- */
/* The registers of a CAST. */
void cake_emit_cast(cake_emitter *e, const cake_plan_op *op, uint32_t count, LLVMValueRef *out_registers);

/* ---- variable.c ---- */
void cake_emit_variables(cake_emitter *e);
void cake_emit_read(cake_emitter *e, const cake_plan_op *op);
void cake_emit_write(cake_emitter *e, const cake_plan_op *op);
variable_state *cake_emit_variable(cake_emitter *e, const cake_plan_variable *variable);

/* ---- cache.c ---- */
/* The last operand of an instruction with that hint (asm constraint 'l'); null without a hint. */
LLVMValueRef cake_emit_cache_policy(cake_emitter *e, cake_name hint);
/* The modifier of that instruction, or "". */
const char *cake_emit_cache_suffix(cake_name hint);

/* ---- memory.c ---- */
/* An access while its registers are emitted. */
typedef struct cake_access_state {
    const cake_plan_access *access;
    const cake_plan_place *place;
    const cake_layout *layout; /* null: scalar */
    cake_dtype dtype;
    uint32_t element_bits, width;
    LLVMValueRef position[CAKE_MAX_RANK]; /* i64 or i32 by dimension: base + thread part */
} cake_access_state;
cake_access_state cake_emit_access_open(cake_emitter *e, const cake_plan_access *access, const cake_layout *layout);
/* Condition under which register r is accessed; null: always. */
LLVMValueRef cake_emit_access_predicate(cake_emitter *e, const cake_access_state *s, uint32_t r);
/* Position of register r in dimension d. */
LLVMValueRef cake_emit_position(cake_emitter *e, const cake_access_state *s, uint8_t d, uint32_t r);
LLVMValueRef cake_emit_access_pointer(cake_emitter *e, const cake_access_state *s, uint32_t r);
/* The address as asm statements take it: i32 of shared memory, of the cluster's too, else i64. */
LLVMValueRef cake_emit_access_address(cake_emitter *e, const cake_access_state *s, uint32_t r);
/* Name of the state space: '.shared' and so on, without the dot. */
const char *cake_emit_space(const cake_plan_place *place);
/* Shared address in the CTA with the given rank of the cluster, from one's own. */
LLVMValueRef cake_emit_peer_address(cake_emitter *e, LLVMValueRef address, const cake_plan_value *rank);
/* Of threads that hold the same elements the owner, of a scalar the elected lane; null: all threads own theirs. */
LLVMValueRef cake_emit_owner(cake_emitter *e, const cake_layout *layout);
void cake_emit_load(cake_emitter *e, const cake_plan_op *op);
void cake_emit_store(cake_emitter *e, const cake_plan_op *op);
/* Shared-memory address (i32) of the place's origin, for copies and matrix descriptors. */
LLVMValueRef cake_emit_shared_origin(cake_emitter *e, const cake_plan_place *place);
LLVMValueRef cake_emit_shared_address(cake_emitter *e, uint32_t offset);
LLVMValueRef cake_emit_shared_pointer(cake_emitter *e, LLVMValueRef offset);
/* Offset in shared memory of the element at the given position (i32) of each dimension. */
LLVMValueRef cake_emit_shared_offset(cake_emitter *e, const cake_plan_place *place, LLVMValueRef *position);
/* Offset in shared memory of the place's stage. */
LLVMValueRef cake_emit_stage_offset(cake_emitter *e, const cake_plan_place *place);
/* Elements to 32-bit words and back, as they lie in memory. */
void cake_emit_pack(cake_emitter *e, LLVMValueRef *elements, uint32_t width, cake_dtype dtype, LLVMValueRef *out_words);
void cake_emit_unpack(cake_emitter *e, LLVMValueRef *words, uint32_t width, cake_dtype dtype,
                      LLVMValueRef *out_elements);
/* The kernel argument behind a tensor's pointer. */
LLVMValueRef cake_emit_tensor_pointer(cake_emitter *e, const cake_plan_tensor *tensor);

/* ---- half.c ---- */
/* 4-bit elements to words of up to 32 bits and back; width at least 2. */
void cake_emit_pack_halves(cake_emitter *e, LLVMValueRef *elements, uint32_t width, LLVMValueRef *out_words);
void cake_emit_unpack_halves(cake_emitter *e, LLVMValueRef *words, uint32_t width, cake_dtype dtype,
                             LLVMValueRef *out_elements);
/* The element that begins at bit 'shift' (i32) of a word. */
LLVMValueRef cake_emit_half(cake_emitter *e, LLVMValueRef word, LLVMValueRef shift, cake_dtype dtype);
/* That bit of register r, in its byte: 0 or 4. */
LLVMValueRef cake_emit_half_shift(cake_emitter *e, const cake_access_state *s, uint32_t r);

/* ---- atomic.c ---- */
void cake_emit_await(cake_emitter *e, const cake_plan_op *op);
void cake_emit_atomic(cake_emitter *e, const cake_plan_op *op);

/* ---- sync.c ---- */
LLVMValueRef cake_emit_cluster_rank(cake_emitter *e);
void cake_emit_slot_states(cake_emitter *e);
void cake_emit_barrier_init(cake_emitter *e);
void cake_emit_sync(cake_emitter *e, const cake_plan_op *op);
void cake_emit_sync_team(cake_emitter *e);
/* Address of the full barrier of the slot that was acquired last. */
LLVMValueRef cake_emit_full_barrier(cake_emitter *e, const cake_plan_pipeline *pipeline);
/* The slot that a place of a pipeline's buffer lies in, but for its age. */
LLVMValueRef cake_emit_slot(cake_emitter *e, const cake_plan_place *place);

/* ---- copy.c ---- */
void cake_emit_copy(cake_emitter *e, const cake_plan_op *op);

/* ---- matrix.c ---- */
void cake_emit_wgmma(cake_emitter *e, const cake_plan_op *op);
void cake_emit_wgmma_wait(cake_emitter *e, uint32_t count);

/* ---- async.c ---- */
void cake_emit_async_load(cake_emitter *e, const cake_plan_op *op);
/* This thread's arrival at a full barrier, once all its cp.async so far are done. */
void cake_emit_async_commit(cake_emitter *e, LLVMValueRef barrier);

/* ---- mma.c ---- */
void cake_emit_mma(cake_emitter *e, const cake_plan_op *op);
/* The words of a tile of operand fragments, register by register, through ldmatrix. */
void cake_emit_fragments(cake_emitter *e, const cake_plan_place *place, LLVMValueRef *out_words);

/* ---- exchange.c ---- */
/* The value that the lane whose number differs by 'mask' holds; any type of up to 64 bits. */
LLVMValueRef cake_emit_shuffle(cake_emitter *e, LLVMValueRef value, uint32_t mask);
/* Pointer to 'bytes' * index (i32) + offset in the team's scratch. */
LLVMValueRef cake_emit_scratch(cake_emitter *e, LLVMValueRef index, uint32_t bytes, uint32_t offset);
/* The bits of 'source' (i32) in the mask, packed. */
LLVMValueRef cake_emit_packed_bits(cake_emitter *e, LLVMValueRef source, uint32_t mask);

/* ---- combine.c ---- */
/* An element of each of the tiles that a reduction or scan runs over in step. */
typedef struct cake_element {
    LLVMValueRef of[2];
} cake_element;
cake_element cake_emit_element(cake_emitter *e, const cake_plan_op *op, uint32_t r);
cake_element cake_emit_combine(cake_emitter *e, const cake_plan_op *op, cake_element left, cake_element right);
cake_element cake_emit_select_element(cake_emitter *e, LLVMValueRef condition, cake_element yes, cake_element no);
cake_element cake_emit_shuffle_element(cake_emitter *e, cake_element element, uint32_t mask);
/* Slots of the operation's scratch, one for each element that a warp gives to the others. */
void cake_emit_put(cake_emitter *e, const cake_plan_op *op, LLVMValueRef slot, cake_element element);
cake_element cake_emit_get(cake_emitter *e, const cake_plan_op *op, LLVMValueRef slot);
/* Row-major index (i32), among the elements that are left without the reduced axes, of the line with register r. */
LLVMValueRef cake_emit_line_index(cake_emitter *e, const cake_plan_op *op, uint32_t r);
/* How many those are. */
uint32_t cake_emit_line_count(const cake_plan_op *op);

/* ---- reduce.c, scan.c ---- */
void cake_emit_reduce(cake_emitter *e, const cake_plan_op *op);
void cake_emit_scan(cake_emitter *e, const cake_plan_op *op);
/* The elements of an ordered reduction, by line. */
void cake_emit_ordered(cake_emitter *e, const cake_plan_op *op, cake_element *out_elements);

/* ---- topk.c, rearrange.c ---- */
void cake_emit_topk(cake_emitter *e, const cake_plan_op *op);
/* slice, reshape, transpose, concat */
void cake_emit_rename(cake_emitter *e, const cake_plan_op *op);
void cake_emit_relayout(cake_emitter *e, const cake_plan_op *op);

/* ---- assembly.c ---- */
/* A side-effecting, convergent asm statement without results; constraints get '~{memory}'. */
void cake_emit_asm(cake_emitter *e, const char *text, const char *constraints, LLVMValueRef *operands, uint32_t count);
/* An asm expression of the given type. */
LLVMValueRef cake_emit_asm_value(cake_emitter *e, LLVMTypeRef type, const char *text, const char *constraints,
                                 LLVMValueRef *operands, uint32_t count, bool side_effects);
LLVMValueRef cake_emit_i32(cake_emitter *e, uint64_t value);
LLVMValueRef cake_emit_intrinsic(cake_emitter *e, const char *name, LLVMTypeRef *types, uint32_t type_count,
                                 LLVMValueRef *operands, uint32_t count);

#endif
