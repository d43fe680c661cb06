/* A program's plan as text: what each step does with which memory, and what the host checks. */
#include "plan/print.h"
#include "plan/program.h"

static const char *memory_name(const cake_plan_program *program, uint32_t memory) {
    uint32_t tensors = program->scope->tensors.count;
    return memory < tensors ? program->scope->tensors.items[memory]->name
                            : program->temporaries.items[memory - tensors]->name;
}

static void print_temporaries(const cake_plan_program *program, cake_text *out) {
    for (uint32_t i = 0; i < program->temporaries.count; i++) {
        const cake_plan_tensor *tensor = program->temporaries.items[i];
        cake_text_format(out, "  temporary   %s: %s[", tensor->name, cake_dtype_name(tensor->dtype));
        for (uint8_t d = 0; d < tensor->rank; d++) {
            if (d) cake_text_add_string(out, ", ");
            cake_plan_value_print(tensor->extents[d], out);
        }
        cake_text_add_string(out, "]\n");
    }
}

static void print_run(const cake_plan_module *plans, const cake_plan_program *program, const cake_plan_step *step,
                      cake_text *what, cake_text *facts) {
    const cake_plan *plan = plans->instances.items[step->instance].plan;
    cake_text_format(what, "run %s(", plan->entry);
    for (uint32_t i = 0; i < step->tensors.count; i++)
        cake_text_format(what, "%s%s: %s", i ? ", " : "", plan->tensors.items[i]->name,
                         memory_name(program, step->tensors.items[i]));
    cake_text_format(what, ")%s", step->overlap ? " overlap" : "");
    for (uint32_t i = 0; i < step->dimensions.count; i++) {
        cake_text_format(facts, "%s%s = ", i ? ", " : "", plan->dimensions.items[i]->definition->u.leaf.name);
        cake_plan_value_print(step->dimensions.items[i], facts);
    }
}

static void print_fill(const cake_plan_program *program, const cake_plan_step *step, cake_text *what) {
    cake_text_format(what, "fill %s <- ", memory_name(program, step->memory));
    switch (step->value.kind) {
    case CAKE_PLAN_SOURCE_SCALAR:
        cake_text_add_string(what, program->scope->scalars.items[step->value.scalar]->definition->u.leaf.name);
        return;
    case CAKE_PLAN_SOURCE_BITS:
        cake_text_format(what, "0x%llx", (unsigned long long)step->value.bits);
        return;
    case CAKE_PLAN_SOURCE_VALUE:
        cake_plan_value_print(step->value.value, what);
        return;
    }
}

static void print_step(const cake_plan_module *plans, const cake_plan_program *program, const cake_plan_step *step,
                       cake_text *out) {
    cake_text what, facts;
    cake_text_init(&what, out->arena);
    cake_text_init(&facts, out->arena);
    if (step->kind == CAKE_STEP_FILL)
        print_fill(program, step, &what);
    else
        print_run(plans, program, step, &what, &facts);
    cake_plan_print_row(program->scope, out, step->span, 0, &what, &facts);
}

static void print_conditions(const cake_plan_program *program, const char *title,
                             const cake_plan_condition_list *conditions, cake_text *out) {
    if (conditions->count) cake_text_format(out, "\n%s:\n", title);
    for (uint32_t i = 0; i < conditions->count; i++) {
        cake_text what;
        cake_text_init(&what, out->arena);
        cake_text_add_string(&what, conditions->items[i].text);
        cake_plan_print_row(program->scope, out, conditions->items[i].span, 0, &what, NULL);
    }
}

void cake_plan_program_print(const cake_plan_module *plans, const cake_plan_program *program, cake_text *out) {
    if (out->size) cake_text_add_string(out, "\n");
    cake_text_format(out, "plan of program %s\n", program->program->name);
    cake_plan_print_choices(program->scope, out);
    print_temporaries(program, out);
    cake_text_add_string(out, "\nsteps:\n");
    for (uint32_t i = 0; i < program->steps.count; i++)
        print_step(plans, program, &program->steps.items[i], out);
    print_conditions(program, "checked at launch", &program->scope->contract, out);
    if (program->shown)
        cake_text_format(out, "\n%u condition%s of kernels follow from the contract\n", program->shown,
                         program->shown == 1 ? "" : "s");
    print_conditions(program, "required by kernels, checked at launch", &program->required, out);
}
