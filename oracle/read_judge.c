/* What is said of outputs beside their elements: what they hold in any order, and properties; and the domain. */
#include "oracle/reader.h"

/* ---- holds ---- */

/* Reads 'over' and its names, and binds them. */
static bool read_over(cake_reader *reader, cake_binder_list *out_binders) {
    cake_expr_list names = {0};
    if (!cake_parser_expect(reader->parser, "over")) return false;
    do {
        cake_expr *name = cake_parser_expression(reader->parser);
        if (!name) return false;
        *CAKE_PUSH(reader->arena, &names) = name;
    } while (cake_parser_take(reader->parser, ","));
    out_binders->items = CAKE_NEW_ARRAY(reader->arena, cake_binder, names.count);
    for (; out_binders->count < names.count; out_binders->count++)
        if (!cake_reader_binder(reader, names.items[out_binders->count], &out_binders->items[out_binders->count]))
            return false;
    return true;
}

static bool resolve_collection(cake_reader *reader, const cake_expr *value, const cake_expr *where, bool condition,
                               cake_collection *collection) {
    collection->value = cake_reader_resolve(reader, value);
    if (where) collection->where = cake_reader_resolve(reader, where);
    if (!collection->value || (where && !collection->where)) return false;
    for (uint32_t i = 0; i < collection->binders.count; i++)
        if (!cake_reader_require_range(reader, &collection->binders.items[i])) return false;
    return cake_reader_require_class(reader, collection->value, condition, "the value") &&
           (!where || cake_reader_require_class(reader, collection->where, true, "what follows 'where'"));
}

bool cake_reader_holds(cake_reader *reader, cake_dtype dtype, cake_tensor_body *body) {
    cake_collection *collection = CAKE_NEW(reader->arena, cake_collection);
    bool condition = dtype == CAKE_DTYPE_BOOL;
    uint32_t scope = reader->scope.count;
    collection->once = cake_parser_take(reader->parser, "once");
    const cake_expr *value = cake_parser_expression(reader->parser), *where = NULL;
    bool good = value && read_over(reader, &collection->binders);
    if (good && cake_parser_take(reader->parser, "where")) good = (where = cake_parser_expression(reader->parser));
    if (good) good = resolve_collection(reader, value, where, condition, collection);
    cake_reader_unbind(reader, scope);
    if (good && cake_parser_take(reader->parser, "else")) {
        const cake_expr *rest = cake_parser_expression(reader->parser);
        collection->rest = rest ? cake_reader_resolve_constant(reader, rest, false) : NULL;
        good = collection->rest && cake_reader_require_class(reader, collection->rest, condition, "the value");
    }
    if (good) body->holds = collection;
    return good;
}

/* ---- properties ---- */

static bool is_zero(const cake_node *node) {
    return !node || (node->kind == CAKE_NODE_CONSTANT && node->u.constant == 0);
}

static bool check_axis(cake_reader *reader, const cake_binder *axis) {
    if (!cake_reader_require_range(reader, axis)) return false;
    if (is_zero(axis->from)) return true;
    cake_report(reader->diagnostics, CAKE_W107, axis->span, "the indices of a property count from 0");
    return false;
}

static bool resolve_condition(cake_reader *reader, const cake_expr_list *names, const cake_expr *expr,
                              cake_property *property) {
    uint32_t scope = reader->scope.count;
    property->axes.items = CAKE_NEW_ARRAY(reader->arena, cake_binder, names->count);
    if (cake_reader_bind_axes(reader, names, NULL, &property->axes)) {
        reader->judges = true;
        property->condition = cake_reader_resolve(reader, expr);
        reader->judges = false;
    }
    cake_reader_unbind(reader, scope);
    for (uint32_t i = 0; property->condition && i < property->axes.count; i++)
        if (!check_axis(reader, &property->axes.items[i])) return false;
    return property->condition && cake_reader_require_class(reader, property->condition, true, "a property");
}

bool cake_reader_property(cake_reader *reader) {
    cake_property property = {0};
    cake_expr_list names = {0};
    property.name = cake_parser_any_name(reader->parser, &property.span);
    if (!property.name || !cake_reader_axis_list(reader, &names)) return false;
    for (uint32_t i = 0; i < reader->body->properties.count; i++) {
        if (reader->body->properties.items[i].name != property.name) continue;
        cake_report(reader->diagnostics, CAKE_W103, property.span, "there is a property '%s' already", property.name);
        return false;
    }
    if (names.count > CAKE_MAX_RANK) {
        cake_report(reader->diagnostics, CAKE_W106, property.span, "more than %d indices", CAKE_MAX_RANK);
        return false;
    }
    if (!cake_parser_expect(reader->parser, "=")) return false;
    const cake_expr *expr = cake_parser_expression(reader->parser);
    if (!expr || !resolve_condition(reader, &names, expr, &property)) return false;
    *CAKE_PUSH(reader->arena, &reader->body->properties) = property;
    *CAKE_PUSH(reader->arena, &reader->workload->properties) = property.name;
    return true;
}

/* ---- domain ---- */

bool cake_reader_domain(cake_reader *reader) {
    do {
        const cake_expr *expr = cake_parser_expression(reader->parser);
        const cake_node *condition = expr ? cake_reader_resolve_constant(reader, expr, false) : NULL;
        if (!condition || !cake_reader_require_class(reader, condition, true, "what is said of a domain")) return false;
        *CAKE_PUSH(reader->arena, &reader->body->domain) = condition;
    } while (cake_parser_take(reader->parser, ","));
    return true;
}
