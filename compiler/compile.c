#include "compiler/compiler.h"

#include <string.h>

#include "codegen/launch.h"
#include "compiler/internal.h"
#include "ir/print.h"

void cake_compile_open(cake_compilation *compilation, cake_arena *arena, const cake_source *source) {
    *compilation = (cake_compilation){.arena = arena, .source = source};
    cake_diagnostics_init(&compilation->diagnostics, arena, source);
    compilation->module = cake_frontend_parse(arena, source, &compilation->diagnostics);
}

/* Families of obligations that no stage proves yet (docs/status.md): they are counted and named, never passed over. */
static const char *const unchecked_families[] = {"bounds",   "values",  "pipelines", "races",
                                                 "progress", "outputs", "data",      "numerics"};

static void add_verdict(cake_compilation *compilation, const cake_compile_options *options) {
    cake_manifest *manifest = &compilation->manifest;
    uint32_t families = sizeof unchecked_families / sizeof *unchecked_families;
    for (uint32_t i = 0; i < families; i++)
        *CAKE_PUSH(compilation->arena, &manifest->proof.families) = unchecked_families[i];
    manifest->proof.unchecked = families * compilation->plans.count;
    for (uint32_t i = 0; i < compilation->planned.programs.count; i++)
        manifest->proof.proved += compilation->planned.programs.items[i]->shown;
    for (uint32_t i = 0; i < options->allowed.count; i++)
        *CAKE_PUSH(compilation->arena, &manifest->proof.allowed) = options->allowed.items[i];
}

static const char *source_hash(cake_compilation *compilation, const cake_compile_options *options) {
    cake_text text;
    cake_text_init(&text, compilation->arena);
    cake_text_format(&text, "cake %s\n", CAKE_VERSION_TEXT);
    for (uint32_t i = 0; i < options->plan.choice_count; i++)
        cake_text_format(&text, "%s=%lld\n", options->plan.choices[i].name, (long long)options->plan.choices[i].value);
    cake_text_add(&text, options->plan.specialise ? "specialised\n" : "\n", options->plan.specialise ? 12 : 1);
    cake_text_add(&text, compilation->source->text, compilation->source->size);
    return cake_sha256_hex(compilation->arena, cake_text_string(&text), text.size);
}

void cake_compile_plan(cake_compilation *compilation, const cake_compile_options *options) {
    cake_module *module = compilation->module;
    if (compilation->diagnostics.error_count) return;
    cake_plan_module *planned = &compilation->planned;
    cake_plan_module_build(compilation->arena, module, &options->plan, &compilation->diagnostics, planned);
    for (uint32_t i = 0; i < planned->instances.count; i++)
        if (planned->instances.items[i].plan)
            *CAKE_PUSH(compilation->arena, &compilation->plans) = planned->instances.items[i].plan;
    if (compilation->diagnostics.error_count) return;
    cake_manifest *manifest = &compilation->manifest;
    manifest->tool = "cake " CAKE_VERSION_TEXT;
    manifest->target = cake_target_info_of(module->target)->name;
    manifest->source_hash = source_hash(compilation, options);
    add_verdict(compilation, options);
    for (uint32_t i = 0; i < compilation->plans.count; i++)
        cake_launch_manifest(compilation->arena, compilation->plans.items[i],
                             CAKE_PUSH(compilation->arena, &manifest->kernels));
    for (uint32_t i = 0; i < planned->programs.count; i++)
        cake_launch_program(compilation->arena, planned->programs.items[i],
                            CAKE_PUSH(compilation->arena, &manifest->programs));
}

static void add_tunes(cake_arena *arena, const cake_common *common, cake_name_list *names) {
    for (uint32_t i = 0; i < common->tunes.count; i++)
        *CAKE_PUSH(arena, names) = common->tunes.items[i]->name;
}

cake_name_list cake_compile_names(const cake_compilation *compilation) {
    const cake_module *module = compilation->module;
    cake_arena *arena = compilation->arena;
    cake_name_list names = {0};
    add_tunes(arena, &module->common, &names);
    for (uint32_t i = 0; i < module->kernels.count; i++) {
        const cake_kernel *kernel = module->kernels.items[i];
        add_tunes(arena, &kernel->common, &names);
        for (uint32_t d = 0; d < kernel->dimensions.count; d++)
            *CAKE_PUSH(arena, &names) = kernel->dimensions.items[d]->name;
    }
    for (uint32_t i = 0; i < module->programs.count; i++)
        for (uint32_t d = 0; d < module->programs.items[i]->dimensions.count; d++)
            *CAKE_PUSH(arena, &names) = module->programs.items[i]->dimensions.items[d]->name;
    return names;
}

static cake_status emit_code(cake_compilation *compilation, cake_codegen_form form, cake_text *out) {
    const cake_codegen_api *api;
    cake_status status = cake_codegen_open(compilation->arena, &api);
    if (status.kind != CAKE_STATUS_OK) return status;
    cake_text manifest;
    cake_text_init(&manifest, compilation->arena);
    cake_manifest_write_comment(&compilation->manifest, &manifest);
    cake_codegen_request request = {.plans = compilation->plans.items,
                                    .plan_count = compilation->plans.count,
                                    .manifest = cake_text_string(&manifest),
                                    .form = form};
    return api->emit(compilation->arena, &request, out);
}

static cake_status emit_cubin(cake_compilation *compilation, cake_text *out) {
    cake_text ptx;
    cake_text_init(&ptx, compilation->arena);
    cake_status status = emit_code(compilation, CAKE_CODEGEN_PTX, &ptx);
    if (status.kind != CAKE_STATUS_OK) return status;
    return cake_compile_assemble(compilation, cake_text_string(&ptx), ptx.size, out);
}

cake_status cake_compile_emit(cake_compilation *compilation, cake_emit_form form, cake_text *out) {
    if (form != CAKE_EMIT_IR && compilation->plans.count == 0)
        return cake_status_make(CAKE_STATUS_INVALID, "%s holds no kernel", compilation->source->name);
    switch (form) {
    case CAKE_EMIT_PTX:
        return emit_code(compilation, CAKE_CODEGEN_PTX, out);
    case CAKE_EMIT_CUBIN:
        return emit_cubin(compilation, out);
    case CAKE_EMIT_LLVM:
        return emit_code(compilation, CAKE_CODEGEN_LLVM, out);
    case CAKE_EMIT_PLAN:
        for (uint32_t i = 0; i < compilation->planned.programs.count; i++)
            cake_plan_program_print(&compilation->planned, compilation->planned.programs.items[i], out);
        for (uint32_t i = 0; i < compilation->plans.count; i++)
            cake_plan_print(compilation->plans.items[i], out);
        return cake_status_ok();
    case CAKE_EMIT_IR:
        cake_module_print(compilation->module, out);
        return cake_status_ok();
    case CAKE_EMIT_MANIFEST:
        cake_manifest_write(&compilation->manifest, out);
        return cake_status_ok();
    }
    return cake_status_ok();
}

const char *cake_compile_llvm_version(cake_arena *arena) {
    const cake_codegen_api *api;
    cake_status status = cake_codegen_open(arena, &api);
    return status.kind == CAKE_STATUS_OK ? api->llvm_version() : NULL;
}
