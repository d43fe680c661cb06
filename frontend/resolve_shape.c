/* Parameters, dimensions and contracts: what kernels and programs have in common. */
#include "frontend/resolve.h"

/* ---- extents ---- */

void cake_resolve_extents(cake_resolver *resolver, const cake_expr_list *extents, cake_time latest, const char *what) {
    for (uint32_t i = 0; i < extents->count; i++) {
        cake_resolve_bind(resolver, extents->items[i]);
        (void)cake_resolve_integer_at(resolver, extents->items[i], latest, what);
    }
}

cake_type cake_resolve_memory_type(cake_resolver *resolver, const cake_written_type *type) {
    if (type->extents.count > CAKE_MAX_RANK) {
        cake_resolve_report(resolver, CAKE_L303, type->span, "rank %u is more than %d", type->extents.count,
                            CAKE_MAX_RANK);
        return cake_resolve_error();
    }
    return (cake_type){.kind = CAKE_TYPE_MEMORY, .dtype = type->dtype, .rank = (uint8_t)type->extents.count};
}

cake_type cake_resolve_written_type(cake_resolver *resolver, const cake_written_type *type, cake_time latest) {
    cake_resolve_extents(resolver, &type->extents, latest, "an extent");
    return cake_resolve_memory_type(resolver, type);
}

/* ---- parameters ---- */

static void declare_parameter(cake_resolver *resolver, cake_parameter *parameter, uint32_t position) {
    bool is_tensor = parameter->type.extents.count > 0;
    cake_symbol_kind kind = is_tensor ? CAKE_SYMBOL_TENSOR : CAKE_SYMBOL_PARAMETER;
    cake_symbol *symbol = cake_resolve_declare(resolver, kind, parameter->name, parameter->span);
    symbol->parameter = parameter;
    symbol->position = position;
    symbol->type = is_tensor ? cake_resolve_memory_type(resolver, &parameter->type)
                             : cake_resolve_value_type(parameter->type.dtype, 0);
    parameter->symbol = symbol;
    if (is_tensor) return;
    cake_resolve_note(resolver, symbol)->time = CAKE_TIME_LAUNCH;
    if (parameter->mode != CAKE_PARAMETER_IN)
        cake_resolve_report(resolver, CAKE_L303, parameter->span, "'%s' is a scalar: only tensors can be written",
                            parameter->name);
}

void cake_resolve_parameters(cake_resolver *resolver, cake_signature signature) {
    for (uint32_t i = 0; i < signature.parameter_count; i++)
        declare_parameter(resolver, signature.parameters[i], i);
}

/* ---- dimensions ---- */

typedef struct dimension_search {
    cake_resolver *resolver;
    cake_symbol_list *dimensions;
} dimension_search;

static void mention_names(void *context, cake_expr **child) {
    cake_resolver *resolver = context;
    if (!cake_resolve_descend(resolver, (*child)->span)) return;
    if ((*child)->kind == CAKE_EXPR_NAME) cake_resolve_mention(resolver, (*child)->u.name.text);
    cake_resolve_children(*child, mention_names, resolver);
    cake_resolve_ascend(resolver);
}

/* A name that stands in shapes only inside expressions is a dimension if the contract speaks of it, else a slip. */
static void mention_contract(cake_resolver *resolver, cake_signature signature) {
    resolver->contract++;
    for (uint32_t i = 0; i < signature.fact_count; i++) {
        cake_fact *fact = &signature.facts[i];
        if (fact->kind == CAKE_FACT_STATIC) cake_resolve_mention(resolver, fact->name);
        if (fact->kind == CAKE_FACT_CONDITION) mention_names(resolver, &fact->condition);
    }
}

static void declare_dimension(dimension_search *search, const cake_expr *name) {
    cake_resolver *resolver = search->resolver;
    cake_symbol *symbol = cake_resolve_declare(resolver, CAKE_SYMBOL_DIMENSION, name->u.name.text, name->span);
    symbol->type = cake_resolve_value_type(CAKE_DTYPE_INDEX, 0);
    cake_resolve_note(resolver, symbol)->time = CAKE_TIME_LAUNCH;
    *CAKE_PUSH(resolver->arena, search->dimensions) = symbol;
}

static void declare_inner_dimensions(void *context, cake_expr **child) {
    dimension_search *search = context;
    const cake_expr *expr = *child;
    if (!cake_resolve_descend(search->resolver, expr->span)) return;
    bool is_new =
        expr->kind == CAKE_EXPR_NAME && !cake_resolve_find(search->resolver, CAKE_SPACE_VALUE, expr->u.name.text);
    if (is_new && cake_resolve_is_mentioned(search->resolver, expr->u.name.text)) declare_dimension(search, expr);
    cake_resolve_children(*child, declare_inner_dimensions, search);
    cake_resolve_ascend(search->resolver);
}

static void declare_dimensions_of(dimension_search *search, cake_expr_list *extents) {
    for (uint32_t i = 0; i < extents->count; i++) {
        const cake_expr *extent = extents->items[i];
        if (extent->kind != CAKE_EXPR_NAME)
            declare_inner_dimensions(search, &extents->items[i]);
        else if (!cake_resolve_find(search->resolver, CAKE_SPACE_VALUE, extent->u.name.text))
            declare_dimension(search, extent);
    }
}

static void mark_static(cake_resolver *resolver, const cake_fact *fact) {
    cake_symbol *symbol = cake_resolve_lookup(resolver, CAKE_SPACE_VALUE, fact->name, fact->span, "dimension");
    if (!symbol) return;
    if (symbol->kind != CAKE_SYMBOL_DIMENSION) {
        cake_diagnostic *diagnostic =
            cake_resolve_report(resolver, CAKE_L204, fact->span, "'%s' is %s, not a dimension", fact->name,
                                cake_resolve_kind_text(symbol->kind));
        cake_resolve_declared_note(resolver, diagnostic, symbol);
        return;
    }
    symbol->is_static = true;
    cake_resolve_note(resolver, symbol)->time = CAKE_TIME_COMPILE;
}

void cake_resolve_dimensions(cake_resolver *resolver, cake_signature signature, cake_symbol_list *out_dimensions) {
    dimension_search search = {.resolver = resolver, .dimensions = out_dimensions};
    mention_contract(resolver, signature);
    for (uint32_t i = 0; i < signature.parameter_count; i++)
        declare_dimensions_of(&search, &signature.parameters[i]->type.extents);
    for (uint32_t i = 0; i < signature.fact_count; i++) {
        if (signature.facts[i].kind == CAKE_FACT_STATIC) mark_static(resolver, &signature.facts[i]);
    }
}

/* ---- shapes and contract ---- */

static void resolve_strides(cake_resolver *resolver, cake_parameter *parameter) {
    if (!parameter->has_strides) return;
    cake_resolve_extents(resolver, &parameter->strides, CAKE_TIME_LAUNCH, "a stride");
    uint32_t rank = parameter->type.extents.count;
    if (parameter->strides.count != rank)
        cake_resolve_report(resolver, CAKE_L303, parameter->span, "'%s' has rank %u, and %u strides", parameter->name,
                            rank, parameter->strides.count);
}

void cake_resolve_shapes(cake_resolver *resolver, cake_signature signature) {
    resolver->where = CAKE_WHERE_DECLARATION;
    for (uint32_t i = 0; i < signature.parameter_count; i++) {
        cake_parameter *parameter = signature.parameters[i];
        cake_resolve_extents(resolver, &parameter->type.extents, CAKE_TIME_LAUNCH, "an extent");
        resolve_strides(resolver, parameter);
    }
}

void cake_resolve_facts(cake_resolver *resolver, cake_signature signature) {
    resolver->where = CAKE_WHERE_CONTRACT;
    for (uint32_t i = 0; i < signature.fact_count; i++) {
        cake_expr *condition = signature.facts[i].condition;
        if (signature.facts[i].kind != CAKE_FACT_CONDITION) continue;
        cake_resolve_bind(resolver, condition);
        if (cake_resolve_condition(resolver, condition, "a fact of the contract"))
            (void)cake_resolve_known_at(resolver, condition, CAKE_TIME_LAUNCH, "a fact of the contract");
    }
    resolver->where = CAKE_WHERE_DECLARATION;
}
