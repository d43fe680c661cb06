#include "driver/simulate.h"

#include <string.h>

#include "driver/run.h"
#include "simulator/simulator.h"

/* The manifest's names come from the plan, and setup has bound them all. */

static int64_t dimension_of(const cake_run *run, const char *name) {
    const cake_run_job *job = &run->job;
    uint32_t i = 0;
    while (strcmp(job->dimensions.items[i].name, name) != 0)
        i++;
    return job->dimensions.items[i].value;
}

static const int64_t *dimensions_of(const cake_run *run, const cake_plan *plan) {
    int64_t *values = CAKE_NEW_ARRAY(run->arena, int64_t, plan->dimensions.count);
    for (uint32_t i = 0; i < plan->dimensions.count; i++)
        values[i] = dimension_of(run, plan->dimensions.items[i]->definition->u.leaf.name);
    return values;
}

static const uint64_t *scalars_of(const cake_run *run, const cake_plan *plan) {
    uint64_t *bits = CAKE_NEW_ARRAY(run->arena, uint64_t, plan->scalars.count);
    for (uint32_t i = 0; i < plan->scalars.count; i++)
        memcpy(&bits[i], run->job.scalars.items[i].value, (cake_dtype_bits(plan->scalars.items[i]->dtype) + 7) / 8);
    return bits;
}

/* What is written gets a copy: references read what was there before. */
static cake_sim_memory memory_of(cake_run *run, uint32_t index) {
    const cake_run_tensor *tensor = &run->job.tensors.items[index];
    cake_sim_memory memory = {.bytes = tensor->bytes, .written = tensor->mode != CAKE_TENSOR_OUT};
    memory.data = (void *)tensor->data;
    if (tensor->mode == CAKE_TENSOR_IN || tensor->bytes == 0) return memory;
    memory.data = cake_arena_alloc(run->arena, tensor->bytes);
    memcpy(memory.data, tensor->data, tensor->bytes);
    run->results[index] = memory.data;
    return memory;
}

static cake_sim_memory *tensors_of(cake_run *run, const cake_plan *plan) {
    cake_sim_memory *memories = CAKE_NEW_ARRAY(run->arena, cake_sim_memory, plan->tensors.count);
    for (uint32_t i = 0; i < plan->tensors.count; i++)
        for (uint32_t k = 0; k < run->job.tensors.count; k++)
            if (strcmp(run->job.tensors.items[k].name, plan->tensors.items[i]->name) == 0)
                memories[i] = memory_of(run, k);
    return memories;
}

static cake_status simulate(cake_run *run) {
    const cake_compilation *c = run->code->simulator->context;
    const cake_sim_options options = {.seed = run->seed, .sms = run->code->simulator->sms};
    if (run->unit.program) {
        const cake_plan_program *program = c->planned.programs.items[run->unit.index];
        const cake_sim_program job = {.plans = &c->planned,
                                      .program = program,
                                      .dimensions = dimensions_of(run, program->scope),
                                      .scalars = scalars_of(run, program->scope),
                                      .tensors = tensors_of(run, program->scope)};
        return cake_sim_run_program(&job, &options, &run->diagnostics);
    }
    const cake_plan *plan = c->plans.items[run->unit.index];
    const cake_sim_kernel job = {.plan = plan,
                                 .dimensions = dimensions_of(run, plan),
                                 .scalars = scalars_of(run, plan),
                                 .tensors = tensors_of(run, plan)};
    return cake_sim_run_kernel(&job, &options, &run->diagnostics);
}

void cake_simulate_init(const cake_compilation *compilation, const cake_options *options,
                        cake_run_simulator *out_simulator) {
    *out_simulator = (cake_run_simulator){
        .source = compilation->source,
        .sms = (uint32_t)cake_options_number(options, CAKE_OPTION_SMS, CAKE_SIM_DEFAULT_SMS),
        .simulate = simulate,
        .context = compilation,
    };
}
