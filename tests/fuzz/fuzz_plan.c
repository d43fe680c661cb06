/* Any bytes as a schedule, planned with its tunables' defaults and statics of 64, then with all dimensions 64: plans
 * that print, or diagnostics, within bounded time and memory. */
#include "frontend/frontend.h"
#include "plan/program.h"
#include "tests/fuzz/fuzz.h"

#define ARENA_BYTES ((size_t)1 << 30)

typedef CAKE_VECTOR(cake_choice) choice_list;

/* The planner takes those that it may; of equal names the first. */
static choice_list all_dimensions(cake_arena *arena, const cake_module *module) {
    choice_list choices = {0};
    for (uint32_t i = 0; i < module->kernels.count; i++)
        for (uint32_t d = 0; d < module->kernels.items[i]->dimensions.count; d++)
            *CAKE_PUSH(arena, &choices) = (cake_choice){module->kernels.items[i]->dimensions.items[d]->name, 64};
    for (uint32_t i = 0; i < module->programs.count; i++)
        for (uint32_t d = 0; d < module->programs.items[i]->dimensions.count; d++)
            *CAKE_PUSH(arena, &choices) = (cake_choice){module->programs.items[i]->dimensions.items[d]->name, 64};
    return choices;
}

static void plan_module(cake_arena *arena, const cake_module *module, bool specialise, cake_diagnostics *diagnostics) {
    choice_list choices = all_dimensions(arena, module);
    cake_plan_options options = {.choices = choices.items, .choice_count = choices.count, .specialise = specialise};
    cake_plan_module plans = {0};
    uint32_t errors = diagnostics->error_count;
    cake_plan_module_build(arena, module, &options, diagnostics, &plans);
    if (diagnostics->error_count != errors) return;
    cake_text text;
    cake_text_init(&text, arena);
    for (uint32_t i = 0; i < plans.instances.count; i++)
        cake_plan_print(plans.instances.items[i].plan, &text);
    for (uint32_t i = 0; i < plans.programs.count; i++)
        cake_plan_program_print(&plans, plans.programs.items[i], &text);
}

static void plan_text(cake_arena *arena, const char *bytes, size_t size) {
    cake_source source;
    cake_source_init(&source, arena, "fuzz.cake", bytes, (uint32_t)size);
    cake_diagnostics diagnostics;
    cake_diagnostics_init(&diagnostics, arena, &source);
    const cake_module *module = cake_frontend_parse(arena, &source, &diagnostics);
    if (diagnostics.error_count) return;
    plan_module(arena, module, false, &diagnostics);
    plan_module(arena, module, true, &diagnostics);
    cake_text shown;
    cake_text_init(&shown, arena);
    cake_diagnostics_text(&diagnostics, &shown);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    jmp_buf out_of_memory;
    cake_arena arena;
    if (size > CAKE_SOURCE_MAX_BYTES) return 0;
    if (setjmp(out_of_memory) == 0) {
        cake_arena_init(&arena, ARENA_BYTES, &out_of_memory);
        plan_text(&arena, cake_arena_copy(&arena, (const char *)data, size), size);
    }
    cake_arena_fini(&arena);
    return 0;
}
