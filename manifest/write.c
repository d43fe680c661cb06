/* Writes a manifest as JSON. Text goes straight into the builder: the order of members is the order of the calls. */
#include "manifest/manifest.h"

#include <string.h>

/* ---- JSON pieces; a comma is needed unless something was opened or named just before ---- */

static void separate(cake_text *out) {
    if (out->size > 0 && !strchr("{[ \n", out->bytes[out->size - 1])) cake_text_add_string(out, ", ");
}

static void open(cake_text *out, const char *bracket) {
    separate(out);
    cake_text_add_string(out, bracket);
}

static void close(cake_text *out, const char *bracket) {
    cake_text_add_string(out, bracket);
}

static void key(cake_text *out, const char *name) {
    separate(out);
    cake_text_format(out, "\"%s\": ", name);
}

/* Texts are printable ASCII, as schedules are outside comments: no byte may end a comment line of the PTX. */
static void string(cake_text *out, const char *value) {
    separate(out);
    cake_text_add_string(out, "\"");
    for (const char *c = value; *c; c++) {
        if (*c == '"' || *c == '\\')
            cake_text_format(out, "\\%c", *c);
        else
            cake_text_format(out, "%c", *c >= 0x20 && *c < 0x7f ? *c : *c == '\n' || *c == '\t' ? ' ' : '?');
    }
    cake_text_add_string(out, "\"");
}

static void number(cake_text *out, int64_t value) {
    separate(out);
    cake_text_format(out, "%lld", (long long)value);
}

static void string_member(cake_text *out, const char *name, const char *value) {
    key(out, name);
    string(out, value);
}

static void number_member(cake_text *out, const char *name, int64_t value) {
    key(out, name);
    number(out, value);
}

static void string_list(cake_text *out, const char *name, const char *const *items, uint32_t count) {
    key(out, name);
    open(out, "[");
    for (uint32_t i = 0; i < count; i++)
        string(out, items[i]);
    close(out, "]");
}

static void expression(cake_text *out, const cake_launch_expr *expr) {
    separate(out);
    cake_launch_write(expr, out);
}

static void expression_list(cake_text *out, const char *name, const cake_launch_expr_list *list) {
    key(out, name);
    open(out, "[");
    for (uint32_t i = 0; i < list->count; i++)
        expression(out, list->items[i]);
    close(out, "]");
}

static void value_list(cake_text *out, const char *name, const cake_manifest_value *items, uint32_t count) {
    key(out, name);
    open(out, "{");
    for (uint32_t i = 0; i < count; i++)
        number_member(out, items[i].name, items[i].value);
    close(out, "}");
}

/* ---- parts of the manifest ---- */

static const char *mode_name(cake_tensor_mode mode) {
    switch (mode) {
    case CAKE_TENSOR_IN:
        return "in";
    case CAKE_TENSOR_OUT:
        return "out";
    case CAKE_TENSOR_INOUT:
        return "inout";
    }
    return "";
}

static void write_tensor(cake_text *out, const cake_manifest_tensor *tensor) {
    open(out, "{");
    string_member(out, "name", tensor->name);
    string_member(out, "dtype", tensor->dtype);
    string_member(out, "mode", mode_name(tensor->mode));
    expression_list(out, "shape", &tensor->shape);
    expression_list(out, "strides", &tensor->strides);
    close(out, "}");
}

static void write_tensor_map(cake_text *out, const cake_manifest_tensor_map *map) {
    open(out, "{");
    number_member(out, "tensor", map->tensor);
    string_member(out, "dtype", map->dtype);
    expression_list(out, "extents", &map->extents);
    expression_list(out, "strides", &map->strides);
    key(out, "box");
    open(out, "[");
    for (uint32_t i = 0; i < map->box.count; i++)
        number(out, map->box.items[i]);
    close(out, "]");
    number_member(out, "swizzle", map->swizzle);
    number_member(out, "l2_promotion", map->l2_promotion);
    close(out, "}");
}

static void write_argument(cake_text *out, const cake_manifest_argument *argument) {
    open(out, "{");
    switch (argument->kind) {
    case CAKE_ARGUMENT_TENSOR_MAP:
        number_member(out, "tensor_map", argument->index);
        break;
    case CAKE_ARGUMENT_POINTER:
        number_member(out, "pointer", argument->index);
        break;
    case CAKE_ARGUMENT_DIMENSION:
        number_member(out, "dimension", argument->index);
        number_member(out, "bits", argument->bits);
        break;
    case CAKE_ARGUMENT_SCALAR:
        number_member(out, "scalar", argument->index);
        break;
    }
    close(out, "}");
}

static void write_parameters(cake_text *out, const cake_manifest_interface *interface) {
    key(out, "tensors");
    open(out, "[");
    for (uint32_t i = 0; i < interface->tensors.count; i++)
        write_tensor(out, &interface->tensors.items[i]);
    close(out, "]");
    key(out, "scalars");
    open(out, "[");
    for (uint32_t i = 0; i < interface->scalars.count; i++) {
        open(out, "{");
        string_member(out, "name", interface->scalars.items[i].name);
        string_member(out, "dtype", interface->scalars.items[i].dtype);
        close(out, "}");
    }
    close(out, "]");
    string_list(out, "parameters", interface->parameters.items, interface->parameters.count);
}

static void write_conditions(cake_text *out, const char *name, const cake_manifest_condition *conditions,
                             uint32_t count) {
    key(out, name);
    open(out, "[");
    for (uint32_t i = 0; i < count; i++) {
        open(out, "{");
        string_member(out, "text", conditions[i].text);
        key(out, "condition");
        expression(out, conditions[i].condition);
        close(out, "}");
    }
    close(out, "]");
}

static void write_interface(cake_text *out, const cake_manifest_interface *interface) {
    string_member(out, "name", interface->name);
    string_list(out, "dimensions", interface->dimensions.items, interface->dimensions.count);
    value_list(out, "statics", interface->statics.items, interface->statics.count);
    value_list(out, "tunables", interface->tunables.items, interface->tunables.count);
    write_parameters(out, interface);
    write_conditions(out, "contract", interface->contract.items, interface->contract.count);
    string_list(out, "trust", interface->trust.items, interface->trust.count);
}

static void write_entry(cake_text *out, const cake_manifest_kernel *kernel) {
    key(out, "tensor_maps");
    open(out, "[");
    for (uint32_t i = 0; i < kernel->tensor_maps.count; i++)
        write_tensor_map(out, &kernel->tensor_maps.items[i]);
    close(out, "]");
    key(out, "arguments");
    open(out, "[");
    for (uint32_t i = 0; i < kernel->arguments.count; i++)
        write_argument(out, &kernel->arguments.items[i]);
    close(out, "]");
}

static void write_kernel(cake_text *out, const cake_manifest_kernel *kernel) {
    open(out, "{");
    write_interface(out, &kernel->interface);
    write_entry(out, kernel);
    number_member(out, "threads", kernel->threads);
    number_member(out, "cluster", kernel->cluster);
    number_member(out, "shared_bytes", kernel->shared_bytes);
    number_member(out, "ctas_per_sm", kernel->ctas_per_sm);
    key(out, "grid");
    expression(out, kernel->grid);
    close(out, "}");
}

/* ---- programs ---- */

static void write_temporary(cake_text *out, const cake_manifest_temporary *temporary) {
    open(out, "{");
    string_member(out, "name", temporary->name);
    string_member(out, "dtype", temporary->dtype);
    expression_list(out, "shape", &temporary->shape);
    close(out, "}");
}

/* In hexadecimal: 64 bits do not fit a JSON integer. */
static void bits_member(cake_text *out, const char *name, uint64_t bits) {
    key(out, name);
    cake_text_format(out, "\"%llx\"", (unsigned long long)bits);
}

static void write_source_member(cake_text *out, const cake_manifest_source *source) {
    switch (source->kind) {
    case CAKE_SOURCE_SCALAR:
        number_member(out, "scalar", source->index);
        break;
    case CAKE_SOURCE_VALUE:
        bits_member(out, "bits", source->bits);
        break;
    case CAKE_SOURCE_EXPRESSION:
        key(out, "expression");
        expression(out, source->expression);
        break;
    }
}

static void write_source(cake_text *out, const cake_manifest_source *source) {
    open(out, "{");
    write_source_member(out, source);
    close(out, "}");
}

static void write_launch(cake_text *out, const cake_manifest_step *step) {
    number_member(out, "kernel", step->kernel);
    key(out, "tensors");
    open(out, "[");
    for (uint32_t i = 0; i < step->tensors.count; i++)
        number(out, step->tensors.items[i]);
    close(out, "]");
    expression_list(out, "dimensions", &step->dimensions);
    key(out, "scalars");
    open(out, "[");
    for (uint32_t i = 0; i < step->scalars.count; i++)
        write_source(out, &step->scalars.items[i]);
    close(out, "]");
    key(out, "overlap");
    cake_text_add_string(out, step->overlap ? "true" : "false");
}

static void write_step(cake_text *out, const cake_manifest_step *step) {
    open(out, "{");
    switch (step->kind) {
    case CAKE_MANIFEST_STEP_FILL:
        number_member(out, "fill", step->memory);
        write_source_member(out, &step->value);
        break;
    case CAKE_MANIFEST_STEP_LAUNCH:
        write_launch(out, step);
        break;
    }
    close(out, "}");
}

static void write_program(cake_text *out, const cake_manifest_program *program) {
    open(out, "{");
    write_interface(out, &program->interface);
    write_conditions(out, "required", program->required.items, program->required.count);
    key(out, "temporaries");
    open(out, "[");
    for (uint32_t i = 0; i < program->temporaries.count; i++)
        write_temporary(out, &program->temporaries.items[i]);
    close(out, "]");
    key(out, "steps");
    open(out, "[");
    for (uint32_t i = 0; i < program->steps.count; i++)
        write_step(out, &program->steps.items[i]);
    close(out, "]");
    close(out, "}");
}

static void write_proof(cake_text *out, const cake_manifest_proof *proof) {
    open(out, "{");
    number_member(out, "proved", proof->proved);
    number_member(out, "refuted", proof->refuted);
    number_member(out, "unknown", proof->unknown);
    number_member(out, "unchecked", proof->unchecked);
    string_list(out, "families", proof->families.items, proof->families.count);
    string_list(out, "allowed", proof->allowed.items, proof->allowed.count);
    close(out, "}");
}

/* The document with every line begun by prefix. */
static void write_document(const cake_manifest *manifest, const char *prefix, cake_text *out) {
    cake_text_format(out, "%s{\n%s", prefix, prefix);
    number_member(out, "version", CAKE_MANIFEST_VERSION);
    cake_text_format(out, ",\n%s", prefix);
    string_member(out, "tool", manifest->tool);
    cake_text_format(out, ",\n%s", prefix);
    string_member(out, "target", manifest->target);
    cake_text_format(out, ",\n%s", prefix);
    string_member(out, "source_hash", manifest->source_hash);
    cake_text_format(out, ",\n%s", prefix);
    key(out, "proof");
    write_proof(out, &manifest->proof);
    cake_text_format(out, ",\n%s", prefix);
    key(out, "kernels");
    open(out, "[");
    for (uint32_t i = 0; i < manifest->kernels.count; i++)
        write_kernel(out, &manifest->kernels.items[i]);
    close(out, "]");
    cake_text_format(out, ",\n%s", prefix);
    key(out, "programs");
    open(out, "[");
    for (uint32_t i = 0; i < manifest->programs.count; i++)
        write_program(out, &manifest->programs.items[i]);
    close(out, "]");
    cake_text_format(out, "\n%s}\n", prefix);
}

void cake_manifest_write(const cake_manifest *manifest, cake_text *out) {
    write_document(manifest, "", out);
}

void cake_manifest_write_comment(const cake_manifest *manifest, cake_text *out) {
    cake_text_format(out, "%s %d\n", CAKE_MANIFEST_BEGIN, CAKE_MANIFEST_VERSION);
    write_document(manifest, "// ", out);
    cake_text_add_string(out, CAKE_MANIFEST_END "\n");
}
