/* Runs of kernels and programs. */
#include <stdlib.h>
#include <string.h>

#include "simulator/run.h"

static void open_run(cake_sim_run *run, cake_arena *arena, const cake_sim_options *options,
                     cake_diagnostics *diagnostics) {
    *run = (cake_sim_run){.arena = arena, .options = options, .diagnostics = diagnostics};
    run->history.arena = arena;
    run->kernel_number = 1;
    *CAKE_PUSH(arena, &run->history.chunks) = CAKE_NEW_ARRAY(arena, cake_sim_record, CAKE_SIM_CHUNK);
    run->history.record_count = 1; /* record 0 stands for what was there before */
}

static void close_run(cake_sim_run *run) {
    if (run->has_machine) cake_arena_fini(&run->machine_arena);
    run->has_machine = false;
}

static cake_sim_shadow *make_shadow(cake_arena *arena, const cake_plan_tensor *tensor, const cake_sim_memory *memory) {
    cake_sim_shadow *shadow = CAKE_NEW(arena, cake_sim_shadow);
    shadow->tensor = tensor;
    shadow->cells = memory->bytes * 8 / cake_dtype_bits(tensor->dtype);
    shadow->writes = CAKE_NEW_ARRAY(arena, uint32_t, shadow->cells);
    shadow->readers = CAKE_NEW_ARRAY(arena, uint32_t, shadow->cells);
    for (uint64_t i = 0; memory->written && i < shadow->cells; i++)
        shadow->writes[i] = CAKE_SIM_INITIAL_WRITE;
    return shadow;
}

/* Elements of an output that nobody wrote; those of a tensor with strides may lie in gaps. */
static void check_written(cake_sim_run *run, const cake_plan_tensor *tensor, const cake_sim_shadow *shadow,
                          const char *unit) {
    uint64_t missing = 0, first = 0;
    if (tensor->mode != CAKE_PARAMETER_OUT || !tensor->contiguous) return;
    for (uint64_t i = shadow->cells; i-- > 0;)
        if (!shadow->writes[i]) {
            missing++;
            first = i;
        }
    if (!missing) return;
    cake_diagnostic *d = cake_report(run->diagnostics, CAKE_S113, tensor->span,
                                     "%llu of %llu elements of '%s' are never written, the first in row-major order "
                                     "has number %llu",
                                     (unsigned long long)missing, (unsigned long long)shadow->cells, tensor->name,
                                     (unsigned long long)first);
    d->observed = true;
    d->path = unit;
}

/* ---- kernels ---- */

static cake_status run_kernel(cake_sim_run *run, const cake_sim_kernel *kernel) {
    const cake_plan *plan = kernel->plan;
    cake_sim_shadow **shadows = CAKE_NEW_ARRAY(run->arena, cake_sim_shadow *, plan->tensors.count + 1);
    for (uint32_t i = 0; i < plan->tensors.count; i++) {
        const cake_plan_tensor *tensor = plan->tensors.items[i];
        if (!tensor->view_of && tensor->mode != CAKE_PARAMETER_IN)
            shadows[i] = make_shadow(run->arena, tensor, &kernel->tensors[i]);
    }
    cake_status status = cake_sim_launch_kernel(run, kernel, shadows, false);
    for (uint32_t i = 0; i < plan->tensors.count && status.kind == CAKE_STATUS_OK && !run->stopped; i++)
        if (shadows[i]) check_written(run, plan->tensors.items[i], shadows[i], plan->kernel->name);
    return status;
}

/* ---- programs ---- */

typedef struct program_state {
    const cake_sim_program *program;
    cake_sim_memory *memory; /* of the program's tensors and temporaries */
    cake_sim_shadow **shadows;
    const cake_plan_tensor **tensors; /* that declare them */
    uint32_t count;
    cake_sim_warp *scope; /* in which the program's launch scope has been evaluated */
} program_state;

static uint64_t scalar_of(program_state *state, const cake_plan_source *source) {
    switch (source->kind) {
    case CAKE_PLAN_SOURCE_SCALAR:
        return state->program->scalars[source->scalar];
    case CAKE_PLAN_SOURCE_BITS:
        return source->bits;
    case CAKE_PLAN_SOURCE_VALUE:
        break;
    }
    uint64_t bits = 0; /* little endian: an index is as good as a narrower integer */
    memcpy(&bits, cake_sim_data(state->scope, source->value), cake_sim_element_bytes(source->value->dtype));
    return bits;
}

/* Elements of axis d and those behind it, from 'at' on. */
static void fill_axis(program_state *state, uint32_t memory, uint8_t d, uint64_t at, uint64_t bits) {
    const cake_plan_tensor *tensor = state->tensors[memory];
    uint32_t bytes = cake_dtype_bits(tensor->dtype) / 8;
    if (d == tensor->rank) {
        memcpy((unsigned char *)state->memory[memory].data + at * bytes, &bits, bytes);
        return;
    }
    int64_t extent = cake_sim_integer(state->scope, tensor->extents[d]);
    uint64_t stride = (uint64_t)cake_sim_integer(state->scope, tensor->strides[d]);
    for (int64_t i = 0; i < extent; i++)
        fill_axis(state, memory, (uint8_t)(d + 1), at + (uint64_t)i * stride, bits);
}

static void fill(program_state *state, const cake_plan_step *step) {
    cake_sim_memory *memory = &state->memory[step->memory];
    uint64_t bits = scalar_of(state, &step->value);
    uint32_t element = cake_dtype_bits(state->tensors[step->memory]->dtype), bytes = element < 8 ? 1 : element / 8;
    unsigned char *data = memory->data;
    if (element < 8) bits |= bits << 4;
    for (uint64_t at = 0; at + bytes <= memory->bytes && state->tensors[step->memory]->contiguous; at += bytes)
        memcpy(data + at, &bits, bytes);
    if (!state->tensors[step->memory]->contiguous) fill_axis(state, step->memory, 0, 0, bits);
    cake_sim_shadow *shadow = state->shadows[step->memory];
    for (uint64_t i = 0; i < shadow->cells; i++) {
        shadow->writes[i] = CAKE_SIM_INITIAL_WRITE;
        shadow->readers[i] = 0;
    }
}

static cake_status run_step(cake_sim_run *run, program_state *state, const cake_plan_step *step) {
    const cake_plan *plan = state->program->plans->instances.items[step->instance].plan;
    cake_arena *arena = run->arena;
    int64_t *dimensions = CAKE_NEW_ARRAY(arena, int64_t, step->dimensions.count + 1);
    uint64_t *scalars = CAKE_NEW_ARRAY(arena, uint64_t, step->scalars.count + 1);
    cake_sim_memory *tensors = CAKE_NEW_ARRAY(arena, cake_sim_memory, plan->tensors.count + 1);
    cake_sim_shadow **shadows = CAKE_NEW_ARRAY(arena, cake_sim_shadow *, plan->tensors.count + 1);
    for (uint32_t i = 0; i < step->dimensions.count; i++)
        dimensions[i] = cake_sim_integer(state->scope, step->dimensions.items[i]);
    for (uint32_t i = 0; i < step->scalars.count; i++)
        scalars[i] = scalar_of(state, &step->scalars.items[i]);
    for (uint32_t i = 0; i < step->tensors.count; i++) {
        tensors[i] = state->memory[step->tensors.items[i]];
        shadows[i] = state->shadows[step->tensors.items[i]];
    }
    cake_sim_kernel kernel = {plan, dimensions, scalars, tensors};
    return cake_sim_launch_kernel(run, &kernel, shadows, step->overlap);
}

/* Memory of temporaries is poisoned. */
static void place_memory(cake_sim_run *run, program_state *state) {
    const cake_plan_program *plan = state->program->program;
    const cake_plan *scope = plan->scope;
    state->count = scope->tensors.count + plan->temporaries.count;
    state->memory = CAKE_NEW_ARRAY(run->arena, cake_sim_memory, state->count + 1);
    state->shadows = CAKE_NEW_ARRAY(run->arena, cake_sim_shadow *, state->count + 1);
    state->tensors = CAKE_NEW_ARRAY(run->arena, const cake_plan_tensor *, state->count + 1);
    for (uint32_t i = 0; i < state->count; i++) {
        bool temporary = i >= scope->tensors.count;
        const cake_plan_tensor *tensor =
            temporary ? plan->temporaries.items[i - scope->tensors.count] : scope->tensors.items[i];
        state->tensors[i] = tensor;
        if (!temporary) {
            state->memory[i] = state->program->tensors[i];
        } else {
            uint64_t elements = 1;
            for (uint8_t d = 0; d < tensor->rank; d++)
                elements *= (uint64_t)cake_sim_integer(state->scope, tensor->extents[d]);
            state->memory[i].bytes = (elements * cake_dtype_bits(tensor->dtype) + 7) / 8;
            state->memory[i].data = cake_arena_alloc(run->arena, state->memory[i].bytes);
            memset(state->memory[i].data, 0xff, state->memory[i].bytes);
        }
        if (temporary || tensor->mode != CAKE_PARAMETER_IN)
            state->shadows[i] = make_shadow(run->arena, tensor, &state->memory[i]);
    }
}

static cake_status run_program(cake_sim_run *run, const cake_sim_program *program) {
    program_state state = {.program = program};
    cake_status status = cake_sim_open_scope(run, program, &state.scope);
    if (status.kind != CAKE_STATUS_OK) return status;
    place_memory(run, &state);
    for (uint32_t i = 0; i < program->program->steps.count && !run->stopped; i++) {
        const cake_plan_step *step = &program->program->steps.items[i];
        if (step->kind == CAKE_STEP_FILL)
            fill(&state, step);
        else
            status = run_step(run, &state, step);
        if (status.kind != CAKE_STATUS_OK) return status;
    }
    for (uint32_t i = 0; i < program->program->scope->tensors.count && !run->stopped; i++)
        if (state.shadows[i]) check_written(run, state.tensors[i], state.shadows[i], program->program->program->name);
    return cake_status_ok();
}

/* ---- runs ---- */

/* A kernel or a program. */
static cake_status run_all(const cake_sim_kernel *kernel, const cake_sim_program *program,
                           const cake_sim_options *options, cake_diagnostics *diagnostics) {
    jmp_buf out_of_memory;
    cake_arena arena;
    cake_sim_run *run = calloc(1, sizeof *run); /* not on the stack, where a longjmp may lose what was changed */
    cake_status status = cake_status_make(CAKE_STATUS_NO_MEMORY, "out of memory");
    if (!run) return status;
    cake_arena_init(&arena, CAKE_SIM_ARENA_LIMIT, &out_of_memory);
    if (!setjmp(out_of_memory)) {
        open_run(run, &arena, options, diagnostics);
        status = kernel ? run_kernel(run, kernel) : run_program(run, program);
    }
    close_run(run);
    free(run);
    cake_arena_fini(&arena);
    return status;
}

cake_status cake_sim_run_kernel(const cake_sim_kernel *kernel, const cake_sim_options *options,
                                cake_diagnostics *diagnostics) {
    return run_all(kernel, NULL, options, diagnostics);
}

cake_status cake_sim_run_program(const cake_sim_program *program, const cake_sim_options *options,
                                 cake_diagnostics *diagnostics) {
    return run_all(NULL, program, options, diagnostics);
}
