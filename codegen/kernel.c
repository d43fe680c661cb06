/* One kernel: entry, prologue, role dispatch, and the control flow of the bodies. */
#include <string.h>

#include "codegen/emit.h"
#include "plan/range.h"

/* ---- the function ---- */

static LLVMTypeRef argument_type(cake_emitter *e, const cake_argument_row *row) {
    switch (row->kind) {
    case CAKE_ARGUMENT_TENSOR_MAP:
        return LLVMPointerTypeInContext(e->context, 0);
    case CAKE_ARGUMENT_POINTER:
        return LLVMPointerTypeInContext(e->context, 1);
    case CAKE_ARGUMENT_DIMENSION:
        return row->bits == 32 ? e->i32 : e->i64;
    case CAKE_ARGUMENT_SCALAR:
        break;
    }
    cake_dtype dtype = e->plan->scalars.items[row->index]->dtype;
    return dtype == CAKE_DTYPE_BOOL ? e->i8 : cake_emit_type(e, dtype);
}

static void enum_attribute(cake_emitter *e, LLVMAttributeIndex at, const char *name, uint64_t value) {
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(e->function, at, LLVMCreateEnumAttribute(e->context, kind, value));
}

static void string_attribute(cake_emitter *e, LLVMAttributeIndex at, const char *name, const char *value) {
    LLVMAttributeRef attribute =
        LLVMCreateStringAttribute(e->context, name, (unsigned)strlen(name), value, (unsigned)strlen(value));
    LLVMAddAttributeAtIndex(e->function, at, attribute);
}

/* A tensor map is 128 bytes by value, aligned to 64, read in place (CUDA driver API, CUtensorMap). */
static void tensor_map_attributes(cake_emitter *e, LLVMAttributeIndex at) {
    LLVMTypeRef bytes = LLVMArrayType2(e->i64, 16);
    unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
    LLVMAddAttributeAtIndex(e->function, at, LLVMCreateTypeAttribute(e->context, byval, bytes));
    enum_attribute(e, at, "align", 64);
    string_attribute(e, at, "nvvm.grid_constant", "");
}

static void create_function(cake_emitter *e) {
    LLVMTypeRef types[CAKE_MAX_ARGUMENTS];
    const cake_argument_row *rows = e->arguments;
    uint32_t count = e->argument_count = cake_launch_arguments(e->plan, e->arguments);
    for (uint32_t i = 0; i < count; i++)
        types[i] = argument_type(e, &rows[i]);
    e->function = LLVMAddFunction(e->module, e->plan->entry, LLVMFunctionType(e->void_type, types, count, 0));
    LLVMSetFunctionCallConv(e->function, 71); /* ptx_kernel */
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].kind == CAKE_ARGUMENT_TENSOR_MAP) tensor_map_attributes(e, i + 1);
        if (rows[i].kind != CAKE_ARGUMENT_POINTER) continue;
        enum_attribute(e, i + 1, "noalias", 0);
        enum_attribute(e, i + 1, "align", 16);
    }
    const LLVMAttributeIndex function = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    enum_attribute(e, function, "nounwind", 0);
    string_attribute(e, function, "nvvm.maxntid", cake_arena_format(e->arena, "%u", e->plan->launch.warps * 32));
    if (e->plan->launch.cluster > 1)
        string_attribute(e, function, "nvvm.cluster_dim", cake_arena_format(e->arena, "%u", e->plan->launch.cluster));
    if (e->plan->launch.ctas_per_sm)
        string_attribute(e, function, "nvvm.minctasm", cake_arena_format(e->arena, "%u", e->plan->launch.ctas_per_sm));
}

/* ---- places ---- */

void cake_emit_location(cake_emitter *e, cake_span span) {
    if (!e->subprogram) return;
    cake_position at = cake_source_position(e->plan->module->source, span.begin);
    LLVMSetCurrentDebugLocation2(e->builder,
                                 LLVMDIBuilderCreateDebugLocation(e->context, at.line, at.column, e->subprogram, NULL));
}

static LLVMBasicBlockRef new_block(cake_emitter *e, const char *name) {
    return LLVMAppendBasicBlockInContext(e->context, e->function, name);
}

static void enter(cake_emitter *e, LLVMBasicBlockRef block) {
    LLVMPositionBuilderAtEnd(e->builder, block);
}

/* ---- loops and branches ---- */

static LLVMTypeRef counter_type(cake_emitter *e, const cake_plan_op *op) {
    int64_t end = op->u.loop.to->high, step = op->u.loop.step->high;
    bool wide = !cake_range_fits_i32((cake_range){op->u.loop.from->low, end}) || step > INT32_MAX - end;
    return wide ? e->i64 : e->i32;
}

static void unroll_metadata(cake_emitter *e, LLVMValueRef branch, uint32_t times) {
    if (!times) return;
    LLVMContextRef c = e->context;
    const char *name = "llvm.loop.unroll.count";
    LLVMMetadataRef count[2] = {LLVMMDStringInContext2(c, name, strlen(name)),
                                LLVMValueAsMetadata(cake_emit_i32(e, times))};
    LLVMMetadataRef loop[2] = {LLVMMDStringInContext2(c, "cake", 4), LLVMMDNodeInContext2(c, count, 2)};
    /* a loop's own node is distinct and names itself first */
    LLVMMetadataRef self = LLVMTemporaryMDNode(c, NULL, 0);
    LLVMMetadataRef items[2] = {self, loop[1]};
    LLVMMetadataRef node = LLVMMDNodeInContext2(c, items, 2);
    LLVMMetadataReplaceAllUsesWith(self, node);
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(c, "llvm.loop", 9), LLVMMetadataAsValue(c, node));
}

/* A guarded loop that tests at its end; the guard is left out where the ranges show that it runs. */
static void emit_for(cake_emitter *e, const cake_plan_op *op) {
    LLVMTypeRef type = counter_type(e, op);
    LLVMValueRef from = cake_emit_index(e, op->u.loop.from, type), to = cake_emit_index(e, op->u.loop.to, type);
    LLVMValueRef step = cake_emit_index(e, op->u.loop.step, type);
    LLVMBasicBlockRef body = new_block(e, "loop"), after = new_block(e, "after");
    if (op->u.loop.at_least_once)
        LLVMBuildBr(e->builder, body);
    else
        LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSLT, from, to, ""), body, after);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder);
    enter(e, body);
    LLVMValueRef counter = LLVMBuildPhi(e->builder, type, "");
    LLVMValueRef *registers = CAKE_NEW_ARRAY(e->arena, LLVMValueRef, 1);
    registers[0] = counter;
    LLVMTypeRef value_type = cake_emit_value_type(e, op->u.loop.induction);
    if (value_type != type)
        registers[0] = type == e->i64 ? LLVMBuildTrunc(e->builder, counter, value_type, "")
                                      : LLVMBuildSExt(e->builder, counter, value_type, "");
    cake_emit_define(e, op->u.loop.induction, registers);
    cake_emit_block(e, &op->u.loop.body);
    LLVMValueRef next = LLVMBuildAdd(e->builder, counter, step, "");
    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->builder);
    LLVMValueRef again = LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSLT, next, to, ""), body, after);
    unroll_metadata(e, again, op->u.loop.unroll);
    LLVMValueRef values[2] = {from, next};
    LLVMBasicBlockRef blocks[2] = {before, last};
    LLVMAddIncoming(counter, values, blocks, 2);
    enter(e, after);
}

/* for t < bound while condition: ends in any case. */
static void emit_while(cake_emitter *e, const cake_plan_op *op) {
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder), head = new_block(e, "while"),
                      body = new_block(e, "round"), after = new_block(e, "after");
    LLVMBuildBr(e->builder, head);
    enter(e, head);
    LLVMValueRef rounds = LLVMBuildPhi(e->builder, e->i64, "");
    cake_emit_block(e, &op->u.loop_while.condition);
    LLVMValueRef left =
        LLVMBuildICmp(e->builder, LLVMIntSLT, rounds, LLVMConstInt(e->i64, (uint64_t)op->u.loop_while.bound, 1), "");
    left = LLVMBuildAnd(e->builder, left, cake_emit_scalar(e, op->u.loop_while.value), "");
    LLVMBuildCondBr(e->builder, left, body, after);
    enter(e, body);
    cake_emit_block(e, &op->u.loop_while.body);
    LLVMValueRef values[2] = {LLVMConstInt(e->i64, 0, 0),
                              LLVMBuildAdd(e->builder, rounds, LLVMConstInt(e->i64, 1, 0), "")};
    LLVMBasicBlockRef blocks[2] = {before, LLVMGetInsertBlock(e->builder)};
    LLVMBuildBr(e->builder, head);
    LLVMAddIncoming(rounds, values, blocks, 2);
    enter(e, after);
}

static void emit_if(cake_emitter *e, const cake_plan_op *op) {
    LLVMBasicBlockRef then = new_block(e, "then"), otherwise = new_block(e, "else"), after = new_block(e, "after");
    LLVMBuildCondBr(e->builder, cake_emit_scalar(e, op->u.branch.condition), then, otherwise);
    enter(e, then);
    cake_emit_block(e, &op->u.branch.then);
    LLVMBuildBr(e->builder, after);
    enter(e, otherwise);
    cake_emit_block(e, &op->u.branch.otherwise);
    LLVMBuildBr(e->builder, after);
    enter(e, after);
}

static void emit_op(cake_emitter *e, const cake_plan_op *op) {
    switch (op->kind) {
    case CAKE_PLAN_DIMENSION:
    case CAKE_PLAN_PARAMETER:
    case CAKE_PLAN_CTA_ID:
    case CAKE_PLAN_GRID_SIZE:
    case CAKE_PLAN_TEAM_INDEX:
    case CAKE_PLAN_CLUSTER_RANK:
    case CAKE_PLAN_CLAIMED:
    case CAKE_PLAN_POLLED:
    case CAKE_PLAN_COMBINED:
    case CAKE_PLAN_INDUCTION:
        return; /* where they are used */
    case CAKE_PLAN_UNARY:
    case CAKE_PLAN_BINARY:
    case CAKE_PLAN_CALL:
    case CAKE_PLAN_CAST:
    case CAKE_PLAN_BITCAST:
    case CAKE_PLAN_IOTA:
    case CAKE_PLAN_INSERT_AXIS:
    case CAKE_PLAN_SPLAT:
        cake_emit_pure(e, op);
        return;
    case CAKE_PLAN_REDUCE:
        cake_emit_reduce(e, op);
        return;
    case CAKE_PLAN_SCAN:
        cake_emit_scan(e, op);
        return;
    case CAKE_PLAN_TOPK:
        cake_emit_topk(e, op);
        return;
    case CAKE_PLAN_SLICE:
    case CAKE_PLAN_RESHAPE:
    case CAKE_PLAN_TRANSPOSE:
    case CAKE_PLAN_CONCAT:
        cake_emit_rename(e, op);
        return;
    case CAKE_PLAN_RELAYOUT:
        cake_emit_relayout(e, op);
        return;
    case CAKE_PLAN_READ:
        cake_emit_read(e, op);
        return;
    case CAKE_PLAN_LOAD:
        cake_emit_load(e, op);
        return;
    case CAKE_PLAN_WRITE:
        cake_emit_write(e, op);
        return;
    case CAKE_PLAN_STORE:
        cake_emit_store(e, op);
        return;
    case CAKE_PLAN_ATOMIC:
        cake_emit_atomic(e, op);
        return;
    case CAKE_PLAN_AWAIT:
        cake_emit_await(e, op);
        return;
    case CAKE_PLAN_FOR:
        emit_for(e, op);
        return;
    case CAKE_PLAN_WHILE:
        emit_while(e, op);
        return;
    case CAKE_PLAN_IF:
        emit_if(e, op);
        return;
    case CAKE_PLAN_TMA_LOAD:
    case CAKE_PLAN_TMA_STORE:
        cake_emit_copy(e, op);
        return;
    case CAKE_PLAN_ASYNC_LOAD:
        cake_emit_async_load(e, op);
        return;
    case CAKE_PLAN_MMA:
        cake_emit_mma(e, op);
        return;
    case CAKE_PLAN_WGMMA:
        cake_emit_wgmma(e, op);
        return;
    case CAKE_PLAN_WGMMA_COMMIT:
        cake_emit_asm(e, "wgmma.commit_group.sync.aligned;", "", NULL, 0);
        return;
    case CAKE_PLAN_WGMMA_WAIT:
        cake_emit_wgmma_wait(e, op->u.count);
        return;
    case CAKE_PLAN_ACQUIRE:
    case CAKE_PLAN_COMMIT:
    case CAKE_PLAN_WAIT:
    case CAKE_PLAN_RELEASE:
    case CAKE_PLAN_TAKE:
    case CAKE_PLAN_PASS:
    case CAKE_PLAN_BULK_COMMIT:
    case CAKE_PLAN_BULK_WAIT:
    case CAKE_PLAN_BULK_WAIT_READ:
    case CAKE_PLAN_FENCE_ASYNC:
    case CAKE_PLAN_SYNC_TEAM:
    case CAKE_PLAN_SYNC_ROLE:
    case CAKE_PLAN_SYNC_CTA:
    case CAKE_PLAN_SYNC_CLUSTER:
    case CAKE_PLAN_ARRIVE:
    case CAKE_PLAN_AWAIT_SIGNAL:
    case CAKE_PLAN_GRID_WAIT:
    case CAKE_PLAN_GRID_TRIGGER:
        cake_emit_sync(e, op);
        return;
    }
}

void cake_emit_block(cake_emitter *e, const cake_plan_block *block) {
    for (const cake_plan_op *op = block->first; op; op = op->next) {
        cake_emit_location(e, op->span);
        emit_op(e, op);
    }
}

/* ---- roles ---- */

static LLVMValueRef flag(cake_emitter *e, LLVMValueRef value, uint32_t equals) {
    LLVMValueRef equal = LLVMBuildICmp(e->builder, LLVMIntEQ, value, cake_emit_i32(e, equals), "");
    return LLVMBuildZExt(e->builder, equal, e->i32, "");
}

static void set_registers(cake_emitter *e, const cake_plan_role *role) {
    if (!role->registers || role->registers == e->plan->launch.entry_registers) return;
    const char *way = role->registers < e->plan->launch.entry_registers ? "dec" : "inc";
    cake_emit_asm(e, cake_arena_format(e->arena, "setmaxnreg.%s.sync.aligned.u32 %u;", way, role->registers), "", NULL,
                  0);
}

static bool takes_turns(const cake_emitter *e, const cake_plan_role *role, const cake_plan_baton **out_baton,
                        uint32_t *i) {
    for (; *i < e->plan->batons.count; (*i)++) {
        *out_baton = e->plan->batons.items[*i];
        if ((*out_baton)->role == role && role->team_count > 1) return true;
    }
    return false;
}

/* Team 0's first turn is free: the last team arrives for it. */
static void give_first_turns(cake_emitter *e, const cake_plan_role *role) {
    const cake_plan_baton *baton;
    for (uint32_t i = 0; takes_turns(e, role, &baton, &i); i++) {
        LLVMValueRef operands[3] = {flag(e, e->team, role->team_count - 1), cake_emit_i32(e, baton->first_barrier),
                                    cake_emit_i32(e, role->warps_per_team * 64)};
        cake_emit_asm(e, "{ .reg .pred p; setp.ne.b32 p, $0, 0; @p bar.arrive $1, $2; }", "r,r,r", operands, 3);
    }
}

static void emit_role(cake_emitter *e, const cake_plan_role *role, LLVMBasicBlockRef exit) {
    e->role = role;
    e->in_flight_count = 0;
    cake_emit_location(e, role->span);
    set_registers(e, role);
    if (role->leader) {
        LLVMBasicBlockRef leads = new_block(e, "leader");
        LLVMValueRef rank = cake_emit_cluster_rank(e);
        LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntEQ, rank, cake_emit_i32(e, 0), ""), leads, exit);
        enter(e, leads);
    }
    LLVMValueRef within = LLVMBuildSub(e->builder, e->warp, cake_emit_i32(e, role->first_warp), "");
    e->team = LLVMBuildUDiv(e->builder, within, cake_emit_i32(e, role->warps_per_team), "");
    e->team_warp = LLVMBuildURem(e->builder, within, cake_emit_i32(e, role->warps_per_team), "");
    if (role->first_warp_only && role->warps_per_team > 1) {
        LLVMBasicBlockRef first = new_block(e, "first_warp");
        LLVMValueRef is_first = LLVMBuildICmp(e->builder, LLVMIntEQ, e->team_warp, cake_emit_i32(e, 0), "");
        LLVMBuildCondBr(e->builder, is_first, first, exit);
        enter(e, first);
    }
    e->first_lane = flag(e, e->lane, 0);
    e->elected = LLVMBuildAnd(e->builder, e->first_lane, flag(e, e->team_warp, 0), "");
    give_first_turns(e, role);
    cake_emit_block(e, &role->body);
    LLVMBuildBr(e->builder, exit);
}

/* A chain of comparisons on the warp's number, which is uniform. */
static void dispatch(cake_emitter *e, LLVMBasicBlockRef exit) {
    for (uint32_t i = 0; i < e->plan->roles.count; i++) {
        const cake_plan_role *role = e->plan->roles.items[i];
        LLVMBasicBlockRef body = new_block(e, role->name), next = new_block(e, "dispatch");
        LLVMValueRef number = LLVMBuildSub(e->builder, e->warp, cake_emit_i32(e, role->first_warp), "");
        LLVMValueRef mine = LLVMBuildICmp(e->builder, LLVMIntULT, number, cake_emit_i32(e, role->warps), "");
        LLVMBuildCondBr(e->builder, mine, body, next);
        enter(e, body);
        emit_role(e, role, exit);
        enter(e, next);
    }
    LLVMBuildBr(e->builder, exit);
}

static void emit_thread_numbers(cake_emitter *e) {
    e->thread = cake_emit_intrinsic(e, "llvm.nvvm.read.ptx.sreg.tid.x", NULL, 0, NULL, 0);
    e->lane = LLVMBuildAnd(e->builder, e->thread, cake_emit_i32(e, 31), "");
    LLVMValueRef warp = LLVMBuildLShr(e->builder, e->thread, cake_emit_i32(e, 5), "");
    LLVMValueRef operands[4] = {cake_emit_i32(e, 0xffffffff), warp, cake_emit_i32(e, 0), cake_emit_i32(e, 31)};
    e->warp =
        cake_emit_intrinsic(e, "llvm.nvvm.shfl.sync.idx.i32", NULL, 0, operands, 4); /* uniform, and known to be */
}

static void prefetch_tensor_maps(cake_emitter *e) {
    for (uint32_t i = 0; i < e->argument_count; i++) {
        if (e->arguments[i].kind != CAKE_ARGUMENT_TENSOR_MAP) continue;
        LLVMValueRef operands[2] = {flag(e, e->thread, 0), LLVMGetParam(e->function, i)};
        cake_emit_asm(e, "{ .reg .pred p; setp.ne.b32 p, $0, 0; @p prefetch.tensormap [$1]; }", "r,l", operands, 2);
    }
}

/* The first thread takes the next tile; all others read it from shared memory. */
static void claim_tile(cake_emitter *e) {
    const cake_plan_tensor *counter = e->plan->launch.claim;
    if (!counter || e->plan->launch.persistent) return;
    LLVMValueRef place = cake_emit_shared_address(e, e->plan->launch.claim_offset);
    LLVMValueRef operands[3] = {flag(e, e->thread, 0), cake_emit_tensor_pointer(e, counter), place};
    cake_emit_asm(e,
                  "{ .reg .pred p; .reg .b32 t; setp.ne.b32 p, $0, 0; @p atom.relaxed.gpu.global.add.u32 t, [$1], 1;\n"
                  "@p st.shared.b32 [$2], t; }\nbar.sync 0;",
                  "r,l,r", operands, 3);
    LLVMValueRef pointer = cake_emit_shared_pointer(e, cake_emit_i32(e, e->plan->launch.claim_offset));
    e->claimed = LLVMBuildLoad2(e->builder, e->i32, pointer, "");
}

void cake_emit_kernel(cake_emitter *e) {
    create_function(e);
    e->values = CAKE_NEW_ARRAY(e->arena, LLVMValueRef *, e->plan->value_count + 1);
    e->entry = new_block(e, "entry");
    LLVMBasicBlockRef prologue = new_block(e, "prologue"), start = new_block(e, "start"), exit = new_block(e, "exit");
    enter(e, e->entry);
    LLVMBuildBr(e->builder, prologue);
    enter(e, prologue);
    cake_emit_location(e, e->plan->kernel->span);
    emit_thread_numbers(e);
    LLVMValueRef end = LLVMBuildBr(e->builder, start);
    e->prologue = LLVMCreateBuilderInContext(e->context);
    LLVMPositionBuilderBefore(e->prologue, end);
    enter(e, start);
    cake_emit_variables(e);
    cake_emit_slot_states(e);
    prefetch_tensor_maps(e);
    cake_emit_barrier_init(e);
    claim_tile(e);
    dispatch(e, exit);
    enter(e, exit);
    LLVMBuildRetVoid(e->builder);
    LLVMDisposeBuilder(e->prologue);
}
