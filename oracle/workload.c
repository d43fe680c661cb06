/* Reading a workload file, line by line. A line in error is reported and passed over; names that it would have declared
 * stay declared where that is possible, so that one mistake gives one message.
 *
 *     file   = { line ";" }
 *     line   = "workload" NAME "for" NAME
 *            | "shape" WORD "(" NAME "=" expr { "," NAME "=" expr } ")"
 *            | "input" tensor ( data | "=" expr )
 *            | "domain" expr { "," expr }
 *            | "inout" tensor data [ result ]
 *            | "output" tensor [ result ]
 *            | "let" NAME [ axes ] [ ":" type ] "=" expr
 *            | "property" NAME [ axes ] "=" expr
 *            | ( "flops" | "bytes" ) expr
 *     tensor = NAME [ axes ] ":" type
 *     axes   = "[" index { "," index } "]"          index = NAME [ "in" expr ".." expr ]
 *     data   = ( "normal" | "uniform" | "integers" ) "(" expr "," expr ")" | "constant" "(" expr ")" | "index"
 *     result = "=" expr [ tolerance ]
 *            | "holds" [ "once" ] expr "over" index { "," index } [ "where" expr ] [ "else" expr ]
 *     tolerance = "tolerance" ( "derived" | "abs" expr [ "rel" expr ] | "rel" expr )
 */
#include <string.h>

#include "oracle/case.h"
#include "oracle/reader.h"

/* ---- small pieces ---- */

static bool read_constant(cake_reader *reader, const cake_node **out_node) {
    const cake_expr *expr = cake_parser_expression(reader->parser);
    *out_node = expr ? cake_reader_resolve_constant(reader, expr, false) : NULL;
    return *out_node && cake_reader_require_class(reader, *out_node, false, "this");
}

bool cake_reader_axis_list(cake_reader *reader, cake_expr_list *out_list) {
    if (!cake_parser_take(reader->parser, "[")) return true;
    do {
        cake_expr *expr = cake_parser_expression(reader->parser);
        if (!expr) return false;
        *CAKE_PUSH(reader->arena, out_list) = expr;
    } while (cake_parser_take(reader->parser, ","));
    return cake_parser_expect(reader->parser, "]");
}

static bool read_tolerance(cake_reader *reader, cake_tolerance *out_tolerance) {
    cake_parser *parser = reader->parser;
    if (!cake_parser_take(parser, "tolerance") || cake_parser_take(parser, "derived")) return true;
    cake_span span = cake_parser_place(parser);
    if (cake_parser_take(parser, "abs") && !read_constant(reader, &out_tolerance->absolute)) return false;
    if (cake_parser_take(parser, "rel") && !read_constant(reader, &out_tolerance->relative)) return false;
    if (out_tolerance->absolute || out_tolerance->relative) return true;
    cake_report(reader->diagnostics, CAKE_W112, span, "behind 'tolerance' stands 'derived', 'abs X' or 'rel Y'");
    return false;
}

/* ---- axes ---- */

bool cake_reader_bind_axes(cake_reader *reader, const cake_expr_list *names, const cake_tensor_body *tensor,
                           cake_binder_list *axes) {
    for (uint32_t i = 0; i < names->count; i++) {
        cake_binder *axis = &axes->items[i];
        if (tensor && names->items[i]->kind != CAKE_EXPR_NAME) {
            cake_report(reader->diagnostics, CAKE_W109, names->items[i]->span,
                        "a name is wanted here: its range is the extent");
            return false;
        }
        if (tensor) axis->to = tensor->extents.items[i];
        axes->count++;
        if (!cake_reader_binder(reader, names->items[i], axis)) return false;
    }
    return true;
}

/* An axis without a written name is called as its dimension in lower case, where that is free. */
static bool bind_inferred_axis(cake_reader *reader, const cake_binder_list *axes, const cake_node *extent,
                               cake_binder *axis) {
    axis->to = extent;
    axis->span = extent->span;
    axis->slot = reader->body->slots++;
    if (extent->kind != CAKE_NODE_DIMENSION) return true;
    cake_name dimension = reader->workload->dimensions.items[extent->number];
    char *lower = cake_arena_copy(reader->arena, dimension, strlen(dimension));
    for (char *c = lower; *c; c++)
        if (*c >= 'A' && *c <= 'Z') *c = (char)(*c + ('a' - 'A'));
    cake_name name = cake_intern(&reader->names, lower, strlen(lower));
    for (uint32_t i = 0; i < axes->count; i++) {
        if (axes->items[i].name != name || &axes->items[i] == axis) continue;
        cake_report(reader->diagnostics, CAKE_W109, axis->span, "two axes would be called '%s': name them, [i, j]",
                    name);
        return false;
    }
    if (cake_reader_lookup(reader, name)) return true;
    axis->name = name;
    return cake_reader_declare(
        reader, (cake_scope_entry){.name = name, .span = axis->span, .kind = CAKE_ENTRY_INDEX, .binder = axis});
}

static bool bind_tensor_axes(cake_reader *reader, cake_span span, const cake_expr_list *names,
                             const cake_tensor_body *tensor, cake_binder_list *out_axes) {
    out_axes->items = CAKE_NEW_ARRAY(reader->arena, cake_binder, tensor->extents.count);
    if (names->count && names->count != tensor->extents.count) {
        cake_report(reader->diagnostics, CAKE_W106, span, "%u index names, but the type has %u extents", names->count,
                    tensor->extents.count);
        return false;
    }
    if (names->count) return cake_reader_bind_axes(reader, names, tensor, out_axes);
    for (uint32_t i = 0; i < tensor->extents.count; i++) {
        out_axes->count++;
        if (!bind_inferred_axis(reader, out_axes, tensor->extents.items[i], &out_axes->items[i])) return false;
    }
    return true;
}

/* ---- tensors ---- */

static bool read_extents(cake_reader *reader, const cake_written_type *type, cake_tensor_body *body) {
    if (type->extents.count > CAKE_MAX_RANK) {
        cake_report(reader->diagnostics, CAKE_W106, type->span, "more than %d axes", CAKE_MAX_RANK);
        return false;
    }
    for (uint32_t i = 0; i < type->extents.count; i++) {
        const cake_node *extent = cake_reader_resolve_constant(reader, type->extents.items[i], true);
        if (!extent) return false;
        if (extent->class != CAKE_NODE_INTEGER) {
            cake_report(reader->diagnostics, CAKE_W108, extent->span, "an extent must be an integer");
            return false;
        }
        *CAKE_PUSH(reader->arena, &body->extents) = extent;
    }
    return true;
}

static cake_distribution take_distribution(cake_reader *reader, uint32_t *out_arguments) {
    static const struct {
        const char *name;
        cake_distribution distribution;
        uint32_t arguments;
    } rows[] = {{"normal", CAKE_DISTRIBUTION_NORMAL, 2},
                {"uniform", CAKE_DISTRIBUTION_UNIFORM, 2},
                {"integers", CAKE_DISTRIBUTION_INTEGERS, 2},
                {"constant", CAKE_DISTRIBUTION_CONSTANT, 1},
                {"index", CAKE_DISTRIBUTION_INDEX, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (cake_parser_take(reader->parser, rows[i].name)) {
            *out_arguments = rows[i].arguments;
            return rows[i].distribution;
        }
    }
    return CAKE_DISTRIBUTION_NONE;
}

static bool read_distribution(cake_reader *reader, cake_tensor_body *body) {
    uint32_t arguments = 0;
    cake_span span = cake_parser_place(reader->parser);
    body->distribution = take_distribution(reader, &arguments);
    if (body->distribution == CAKE_DISTRIBUTION_NONE) {
        cake_report(reader->diagnostics, CAKE_W111, span,
                    "expected normal(..), uniform(..), integers(..), constant(..) or index");
        return false;
    }
    if (arguments == 0) return true;
    if (!cake_parser_expect(reader->parser, "(")) return false;
    for (uint32_t i = 0; i < arguments; i++)
        if ((i && !cake_parser_expect(reader->parser, ",")) || !read_constant(reader, &body->arguments[i]))
            return false;
    return cake_parser_expect(reader->parser, ")");
}

/* The expression behind '=': an input's data, or a reference. */
static bool read_value(cake_reader *reader, cake_span span, const cake_expr_list *names, cake_dtype dtype,
                       cake_tensor_body *body) {
    const cake_expr *expr = cake_parser_expression(reader->parser);
    if (!expr) return false;
    uint32_t scope = reader->scope.count;
    if (bind_tensor_axes(reader, span, names, body, &body->axes)) body->value = cake_reader_resolve(reader, expr);
    cake_reader_unbind(reader, scope);
    if (!body->value || !cake_reader_require_class(reader, body->value, dtype == CAKE_DTYPE_BOOL, "the value"))
        return false;
    return true;
}

static bool read_data(cake_reader *reader, const cake_workload_tensor *tensor, const cake_expr_list *names,
                      cake_tensor_body *body) {
    bool made = tensor->use == CAKE_USE_INPUT && cake_parser_take(reader->parser, "=");
    if (tensor->use != CAKE_USE_OUTPUT && !made && !read_distribution(reader, body)) return false;
    if (tensor->use != CAKE_USE_INPUT && cake_parser_take(reader->parser, "holds"))
        return cake_reader_holds(reader, tensor->dtype, body);
    bool valued = made || (tensor->use != CAKE_USE_INPUT && cake_parser_take(reader->parser, "="));
    if (valued && !read_value(reader, tensor->span, names, tensor->dtype, body)) return false;
    return !valued || tensor->use == CAKE_USE_INPUT || read_tolerance(reader, &body->tolerance);
}

static bool read_tensor(cake_reader *reader, cake_tensor_use use) {
    cake_workload_tensor tensor = {.use = use};
    cake_tensor_body body = {0};
    cake_expr_list names = {0};
    cake_written_type type = {0};
    tensor.name = cake_parser_name(reader->parser, &tensor.span);
    if (!tensor.name || !cake_reader_axis_list(reader, &names) || !cake_parser_expect(reader->parser, ":") ||
        !cake_parser_type(reader->parser, &type) || !read_extents(reader, &type, &body))
        return false;
    tensor.dtype = type.dtype;
    tensor.rank = body.extents.count;
    uint32_t number = reader->workload->tensors.count;
    if (!cake_reader_declare(
            reader,
            (cake_scope_entry){.name = tensor.name, .span = tensor.span, .kind = CAKE_ENTRY_TENSOR, .number = number}))
        return false;
    *CAKE_PUSH(reader->arena, &reader->workload->tensors) = tensor;
    *CAKE_PUSH(reader->arena, &reader->body->tensors) = body;
    bool good = read_data(reader, &tensor, &names, &body);
    reader->body->tensors.items[number] = body;
    reader->workload->tensors.items[number].judged = use != CAKE_USE_INPUT && (body.value || body.holds);
    return good;
}

/* ---- lets ---- */

/* The value behind a let's '=', with its axes bound; null after an error. */
static const cake_node *read_let_value(cake_reader *reader, cake_let *let, const cake_expr_list *names, bool typed,
                                       const cake_tensor_body *type, cake_dtype dtype) {
    const cake_expr *expr = cake_parser_expression(reader->parser);
    const cake_node *value = NULL;
    uint32_t scope = reader->scope.count;
    bool bound;
    if (typed) {
        bound = bind_tensor_axes(reader, let->span, names, type, &let->axes);
    } else {
        let->axes.items = CAKE_NEW_ARRAY(reader->arena, cake_binder, names->count);
        bound = cake_reader_bind_axes(reader, names, NULL, &let->axes);
    }
    if (expr && bound) value = cake_reader_resolve(reader, expr);
    cake_reader_unbind(reader, scope);
    for (uint32_t i = 0; value && i < let->axes.count; i++)
        if (!cake_reader_require_range(reader, &let->axes.items[i])) value = NULL;
    if (value && typed && cake_reader_require_class(reader, value, dtype == CAKE_DTYPE_BOOL, "the value"))
        return cake_node_cast(reader, dtype, value);
    return typed ? NULL : value;
}

static bool read_let(cake_reader *reader) {
    cake_let let = {0};
    cake_expr_list names = {0};
    cake_written_type type = {0};
    cake_tensor_body body = {0};
    let.name = cake_parser_name(reader->parser, &let.span);
    if (!let.name || !cake_reader_axis_list(reader, &names)) return false;
    bool typed = cake_parser_take(reader->parser, ":");
    if (typed && (!cake_parser_type(reader->parser, &type) || !read_extents(reader, &type, &body))) return false;
    if (names.count > CAKE_MAX_RANK) {
        cake_report(reader->diagnostics, CAKE_W106, let.span, "more than %d axes", CAKE_MAX_RANK);
        return false;
    }
    if (!cake_parser_expect(reader->parser, "=")) return false;
    let.value = read_let_value(reader, &let, &names, typed, &body, type.dtype);
    uint32_t number = reader->body->lets.count;
    *CAKE_PUSH(reader->arena, &reader->body->lets) = let;
    bool declared = cake_reader_declare(
        reader, (cake_scope_entry){.name = let.name, .span = let.span, .kind = CAKE_ENTRY_LET, .number = number});
    return declared && let.value;
}

/* ---- shapes and the rest ---- */

static bool read_shape_entry(cake_reader *reader, cake_shape *shape) {
    cake_span span;
    cake_name name = cake_parser_name(reader->parser, &span);
    if (!name || !cake_parser_expect(reader->parser, "=")) return false;
    const cake_node *value;
    if (!read_constant(reader, &value)) return false;
    int64_t number = cake_reader_dimension(reader, name, span);
    if (number < 0) return false;
    if (value->class != CAKE_NODE_INTEGER) {
        cake_report(reader->diagnostics, CAKE_W108, value->span, "a dimension must be an integer");
        return false;
    }
    for (uint32_t i = 0; i < shape->entries.count; i++) {
        if (shape->entries.items[i].dimension != number) continue;
        cake_report(reader->diagnostics, CAKE_W110, span, "'%s' is given twice", name);
        return false;
    }
    *CAKE_PUSH(reader->arena, &shape->entries) = (cake_shape_entry){(uint32_t)number, value};
    return true;
}

static bool read_shape(cake_reader *reader) {
    cake_shape shape = {0};
    shape.name = cake_parser_any_name(reader->parser, &shape.span);
    if (!shape.name || !cake_parser_expect(reader->parser, "(")) return false;
    for (uint32_t i = 0; i < reader->body->shapes.count; i++) {
        if (reader->body->shapes.items[i].name != shape.name) continue;
        cake_report(reader->diagnostics, CAKE_W103, shape.span, "there is a shape '%s' already", shape.name);
        return false;
    }
    if (!cake_parser_take(reader->parser, ")")) {
        do {
            if (!read_shape_entry(reader, &shape)) return false;
        } while (cake_parser_take(reader->parser, ","));
        if (!cake_parser_expect(reader->parser, ")")) return false;
    }
    *CAKE_PUSH(reader->arena, &reader->body->shapes) = shape;
    *CAKE_PUSH(reader->arena, &reader->workload->shapes) = shape.name;
    return true;
}

static bool read_header(cake_reader *reader, cake_span span) {
    cake_span ignored;
    if (reader->workload->name) {
        cake_report(reader->diagnostics, CAKE_W102, span, "the workload has a name already");
        return false;
    }
    reader->workload->name = cake_parser_name(reader->parser, &ignored);
    if (!reader->workload->name || !cake_parser_expect(reader->parser, "for")) return false;
    reader->workload->kernel = cake_parser_name(reader->parser, &ignored);
    return reader->workload->kernel != NULL;
}

static bool read_line(cake_reader *reader) {
    cake_parser *parser = reader->parser;
    cake_span span = cake_parser_place(parser);
    if (cake_parser_take(parser, "workload")) return read_header(reader, span);
    if (!reader->workload->name) {
        cake_report(reader->diagnostics, CAKE_W102, span, "a workload begins with 'workload NAME for KERNEL'");
        reader->workload->name = cake_intern(&reader->names, "unnamed", strlen("unnamed"));
    }
    if (cake_parser_take(parser, "shape")) return read_shape(reader);
    if (cake_parser_take(parser, "input")) return read_tensor(reader, CAKE_USE_INPUT);
    if (cake_parser_take(parser, "inout")) return read_tensor(reader, CAKE_USE_INOUT);
    if (cake_parser_take(parser, "output")) return read_tensor(reader, CAKE_USE_OUTPUT);
    if (cake_parser_take(parser, "let")) return read_let(reader);
    if (cake_parser_take(parser, "property")) return cake_reader_property(reader);
    if (cake_parser_take(parser, "domain")) return cake_reader_domain(reader);
    if (cake_parser_take(parser, "flops")) return read_constant(reader, &reader->body->flops);
    if (cake_parser_take(parser, "bytes")) return read_constant(reader, &reader->body->bytes);
    cake_report(reader->diagnostics, CAKE_W101, span,
                "expected workload, shape, domain, input, inout, let, output, property, flops or bytes");
    return false;
}

/* ---- the whole ---- */

static bool gives(const cake_shape *shape, uint32_t dimension) {
    for (uint32_t i = 0; i < shape->entries.count; i++)
        if (shape->entries.items[i].dimension == dimension) return true;
    return false;
}

static void check_shapes(cake_reader *reader) {
    for (uint32_t s = 0; s < reader->body->shapes.count; s++) {
        const cake_shape *shape = &reader->body->shapes.items[s];
        for (uint32_t i = 0; i < reader->workload->dimensions.count; i++)
            if (!gives(shape, i))
                cake_report(reader->diagnostics, CAKE_W110, shape->span, "shape '%s' gives no value to '%s'",
                            shape->name, reader->workload->dimensions.items[i]);
    }
}

static void check_outputs(cake_reader *reader) {
    cake_span end = cake_parser_place(reader->parser);
    if (!reader->workload->name)
        cake_report(reader->diagnostics, CAKE_W102, end, "a workload begins with 'workload NAME for KERNEL'");
    bool judges = reader->body->properties.count > 0;
    for (uint32_t i = 0; i < reader->workload->tensors.count; i++) {
        const cake_workload_tensor *tensor = &reader->workload->tensors.items[i];
        judges = judges || tensor->judged || tensor->use == CAKE_USE_OUTPUT;
        if (tensor->use == CAKE_USE_OUTPUT && !tensor->judged && !reader->body->tensors.items[i].in_property)
            cake_report(reader->diagnostics, CAKE_W114, tensor->span,
                        "nothing judges '%s': give it '=', 'holds' or a property that reads it", tensor->name);
    }
    if (!judges) cake_report(reader->diagnostics, CAKE_W114, end, "the workload has no output");
}

/* Goes to the next line after an error in the one that began at 'begin'. Some words of schedules stop the parser's own
 * recovery where it stands: they are passed over one by one. False when there is no way on. */
static bool skip_line(cake_reader *reader, uint32_t begin) {
    cake_parser_skip_statement(reader->parser);
    cake_span place = cake_parser_place(reader->parser);
    if (place.begin != begin) return true;
    const char *text = reader->diagnostics->source->text;
    return cake_parser_take(reader->parser,
                            cake_arena_copy(reader->arena, text + place.begin, place.end - place.begin));
}

/* One line with its end; false when nothing more can be read. */
static bool read_line_and_end(cake_reader *reader) {
    cake_span place = cake_parser_place(reader->parser);
    if (!read_line(reader)) return skip_line(reader, place.begin);
    if (cake_parser_end_of_statement(reader->parser) || cake_parser_at_end(reader->parser)) return true;
    place = cake_parser_place(reader->parser);
    cake_report(reader->diagnostics, CAKE_W101, place, "the line should end here");
    return skip_line(reader, place.begin);
}

cake_workload *cake_workload_parse(cake_arena *arena, const cake_source *source, cake_diagnostics *diagnostics) {
    uint32_t errors = diagnostics->error_count;
    cake_reader reader = {.arena = arena, .diagnostics = diagnostics};
    cake_interner_init(&reader.names, arena);
    reader.workload = CAKE_NEW(arena, cake_workload);
    reader.workload->body = reader.body = CAKE_NEW(arena, cake_workload_body);
    reader.body->frames = 1;
    reader.body->source = source;
    diagnostics->source = source;
    reader.parser = cake_parser_create(arena, source, &reader.names, diagnostics);
    cake_parser_end_of_statement(reader.parser);
    while (!cake_parser_at_end(reader.parser) && read_line_and_end(&reader))
        cake_parser_end_of_statement(reader.parser);
    if (diagnostics->error_count == errors) {
        check_shapes(&reader);
        check_outputs(&reader);
    }
    if (diagnostics->error_count == errors) cake_workload_check_shapes(arena, reader.workload, diagnostics);
    reader.body->usable = diagnostics->error_count == errors;
    return reader.workload;
}

bool cake_workload_has_dimension(const cake_workload *workload, const char *name) {
    for (uint32_t i = 0; i < workload->dimensions.count; i++)
        if (strcmp(workload->dimensions.items[i], name) == 0) return true;
    return false;
}
