/* Programs: their launch scope, their steps in order, and the kernels that are left. */
#include "plan/program.h"

#include <string.h>

#include "plan/program_internal.h"

/* What a manifest holds at most. */
#define MAX_STEPS       1024
#define MAX_TEMPORARIES 64
#define MAX_INSTANCES   256

/* ---- the scope ---- */

/* The program as a kernel without roles, whose contract and parameters are read by the same rules. */
static cake_kernel *face_of(cake_arena *arena, const cake_program *program) {
    cake_kernel *face = CAKE_NEW(arena, cake_kernel);
    face->name = program->name;
    face->span = program->span;
    face->parameters = program->parameters;
    face->facts = program->facts;
    for (uint32_t i = 0; i < program->dimensions.count; i++)
        *CAKE_PUSH(arena, &face->dimensions) = program->dimensions.items[i];
    return face;
}

static void add_memory(cake_plan_program_builder *p, const cake_plan_tensor *tensor, bool written) {
    *CAKE_PUSH(p->scope.arena, &p->memory) = tensor;
    *CAKE_PUSH(p->scope.arena, &p->states) = (cake_plan_memory_state){.written = written};
}

static void open_scope(cake_plan_program_builder *p) {
    const cake_plan *scope = p->scope.plan;
    cake_diagnostics *diagnostics = p->scope.diagnostics;
    cake_plan_choices(&p->scope);
    if (!diagnostics->error_count) cake_plan_contract(&p->scope);
    if (!diagnostics->error_count) cake_plan_parameters(&p->scope);
    if (diagnostics->error_count) return;
    for (uint32_t i = 0; i < scope->contract.count; i++)
        cake_plan_program_know(p, scope->contract.items[i].value);
    for (uint32_t i = 0; i < scope->tensors.count; i++)
        add_memory(p, scope->tensors.items[i], scope->tensors.items[i]->mode != CAKE_PARAMETER_OUT);
}

/* ---- steps ---- */

static void add_temporary(cake_plan_program_builder *p, const cake_temporary *declared) {
    cake_arena *arena = p->scope.arena;
    cake_plan_tensor *tensor = CAKE_NEW(arena, cake_plan_tensor);
    p->scope.span = declared->span;
    *tensor = (cake_plan_tensor){.number = p->memory.count + 1,
                                 .name = declared->name,
                                 .span = declared->span,
                                 .mode = CAKE_PARAMETER_INOUT,
                                 .dtype = declared->type.dtype,
                                 .rank = (uint8_t)declared->type.extents.count,
                                 .contiguous = true};
    if (p->program->temporaries.count == MAX_TEMPORARIES) {
        cake_report(p->scope.diagnostics, CAKE_L405, declared->span, "a program has at most %d temporaries",
                    MAX_TEMPORARIES);
        return;
    }
    if (!cake_plan_shape_tensor(&p->scope, tensor, &declared->type.extents, NULL)) return;
    for (uint8_t d = 0; d < tensor->rank; d++)
        if (tensor->extents[d]->low < 0)
            cake_report(p->scope.diagnostics, CAKE_L405, declared->span, "extent %u of '%s' may be negative", d,
                        declared->name);
    p->scope.bindings[declared->symbol->number].tensor = tensor;
    *CAKE_PUSH(arena, &p->program->temporaries) = tensor;
    add_memory(p, tensor, false);
}

static void add_fill(cake_plan_program_builder *p, const cake_step *step) {
    const cake_plan_tensor *tensor = p->scope.bindings[step->object.symbol->number].tensor;
    p->scope.span = step->span;
    if (!tensor) return; /* reported */
    if (!tensor->contiguous && cake_dtype_bits(tensor->dtype) < 8) {
        cake_report(p->scope.diagnostics, CAKE_U001, step->span,
                    "'fill' of 4-bit elements with strides is not lowered yet");
        return;
    }
    cake_plan_step row = {.kind = CAKE_STEP_FILL, .span = step->span, .memory = tensor->number - 1};
    if (!cake_plan_program_source(p, step->fill_value, tensor->dtype, &row.value)) return;
    *CAKE_PUSH(p->scope.arena, &p->program->steps) = row;
    cake_plan_program_order_fill(p, tensor->number - 1);
}

static void add_run(cake_plan_program_builder *p, const cake_step *step) {
    /* Programmatic launch came with the async proxy, in sm_90; before, steps follow each other. */
    bool overlaps = cake_target_info_of(p->scope.module->target)->features & CAKE_FEATURE_ASYNC_PROXY;
    cake_plan_step row = {.kind = CAKE_STEP_RUN, .span = step->span, .overlap = step->overlap && overlaps};
    if (p->plans->instances.count >= MAX_INSTANCES) {
        cake_report(p->scope.diagnostics, CAKE_L405, step->span, "a file's programs run at most %d kernels",
                    MAX_INSTANCES);
        return;
    }
    if (!cake_plan_program_bind(p, step, &row)) return;
    cake_plan_program_order_run(p, step, &row);
    *CAKE_PUSH(p->scope.arena, &p->program->steps) = row;
}

static void add_step(cake_plan_program_builder *p, const cake_step *step) {
    switch (step->kind) {
    case CAKE_STEP_TEMPORARY:
        add_temporary(p, step->temporary);
        break;
    case CAKE_STEP_FILL:
        add_fill(p, step);
        break;
    case CAKE_STEP_RUN:
        add_run(p, step);
        break;
    }
}

static void build_program(cake_plan_module *plans, const cake_program *program, cake_plan_program_builder *p) {
    cake_diagnostics *diagnostics = p->scope.diagnostics;
    open_scope(p);
    if (diagnostics->error_count) return;
    if (program->steps.count > MAX_STEPS) {
        cake_report(diagnostics, CAKE_L405, program->span, "a program has at most %d steps", MAX_STEPS);
        return;
    }
    for (uint32_t i = 0; i < program->steps.count; i++)
        add_step(p, &program->steps.items[i]);
    if (diagnostics->error_count) return;
    cake_plan_program_order_end(p);
    *CAKE_PUSH(p->scope.arena, &plans->programs) = p->program;
}

static void plan_program(cake_plan_module *plans, const cake_module *module, const cake_program *program,
                         const cake_plan_options *options, cake_diagnostics *diagnostics) {
    cake_arena *arena = diagnostics->arena;
    cake_plan *scope = CAKE_NEW(arena, cake_plan);
    cake_plan_program *plan = CAKE_NEW(arena, cake_plan_program);
    *scope = (cake_plan){.arena = arena,
                         .module = module,
                         .kernel = face_of(arena, program),
                         .entry = program->name,
                         .target = module->target,
                         .layouts = {.arena = arena}};
    plan->program = program;
    plan->scope = scope;
    cake_plan_program_builder p = {
        .scope = {.arena = arena,
                  .module = module,
                  .kernel = scope->kernel,
                  .options = options,
                  .diagnostics = diagnostics,
                  .plan = scope,
                  .block = &scope->launch_scope,
                  .span = program->span,
                  .bindings = CAKE_NEW_ARRAY(arena, cake_binding_row, module->symbol_count + 1)},
        .options = options,
        .plans = plans,
        .program = plan,
    };
    uint32_t errors = diagnostics->error_count;
    diagnostics->error_count = 0; /* of this program */
    build_program(plans, program, &p);
    diagnostics->error_count += errors;
}

/* ---- the whole ---- */

bool cake_plan_module_runs(const cake_module *module, const cake_kernel *kernel) {
    for (uint32_t i = 0; i < module->programs.count; i++)
        for (uint32_t k = 0; k < module->programs.items[i]->steps.count; k++) {
            const cake_step *step = &module->programs.items[i]->steps.items[k];
            if (step->kind == CAKE_STEP_RUN && step->object.symbol->kernel == kernel) return true;
        }
    return false;
}

void cake_plan_module_build(cake_arena *arena, const cake_module *module, const cake_plan_options *options,
                            cake_diagnostics *diagnostics, cake_plan_module *out_plans) {
    *out_plans = (cake_plan_module){0};
    for (uint32_t i = 0; i < module->programs.count; i++)
        plan_program(out_plans, module, module->programs.items[i], options, diagnostics);
    for (uint32_t i = 0; i < module->kernels.count; i++) {
        const cake_kernel *kernel = module->kernels.items[i];
        if (cake_plan_module_runs(module, kernel)) continue;
        cake_plan_instance *instance = CAKE_PUSH(arena, &out_plans->instances);
        *instance = (cake_plan_instance){.kernel = kernel};
        instance->plan = cake_plan_build(arena, module, kernel, options, diagnostics);
    }
}
