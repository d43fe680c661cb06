/* Wording that many checks share. */
#include "frontend/resolve.h"

#include <string.h>

#define SHOWN_CALLS 3 /* innermost calls that a report inside an expansion names */

cake_diagnostic *cake_resolve_report(cake_resolver *resolver, cake_diagnostic_code code, cake_span span,
                                     const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *message = cake_arena_vformat(resolver->arena, format, arguments);
    va_end(arguments);
    cake_diagnostic *diagnostic = cake_report(resolver->diagnostics, code, span, "%s", message);
    if (diagnostic == resolver->diagnostics->sink) return diagnostic;
    const char *owner = resolver->kernel ? resolver->kernel->name : resolver->program ? resolver->program->name : NULL;
    if (owner && resolver->role)
        diagnostic->path = cake_arena_format(resolver->arena, "%s/%s", owner, resolver->role->name);
    else
        diagnostic->path = owner;
    uint32_t depth = resolver->expanding.count;
    for (uint32_t i = 0; i < depth && i < SHOWN_CALLS; i++) {
        const cake_expr *call = resolver->expanding.items[depth - 1 - i];
        const char *function = call->u.call.symbol->name;
        cake_diagnostic_note(resolver->diagnostics, diagnostic, call->span, "in this call of '%s'", function);
    }
    return diagnostic;
}

void cake_resolve_declared_note(cake_resolver *resolver, cake_diagnostic *diagnostic, const cake_symbol *symbol) {
    cake_diagnostic_note(resolver->diagnostics, diagnostic, symbol->span, "'%s' is declared here", symbol->name);
}

const char *cake_resolve_type_text(cake_resolver *resolver, cake_type type) {
    if (type.kind == CAKE_TYPE_OBJECT) return "no value";
    if (type.kind == CAKE_TYPE_ERROR) return "unknown";
    const char *name = cake_dtype_name(type.dtype);
    const char *article = strchr("aefi", name[0]) ? "an" : "a";
    const char *form = type.kind == CAKE_TYPE_MEMORY ? "place" : "tile";
    if (type.rank == 0 && type.kind == CAKE_TYPE_VALUE) form = "scalar";
    if (type.rank == 0) return cake_arena_format(resolver->arena, "%s %s %s", article, name, form);
    return cake_arena_format(resolver->arena, "%s %s %s of rank %u", article, name, form, type.rank);
}

static bool stands_alone(cake_expr_kind kind) {
    switch (kind) {
    case CAKE_EXPR_INT:
    case CAKE_EXPR_FLOAT:
    case CAKE_EXPR_INF:
    case CAKE_EXPR_NAN:
    case CAKE_EXPR_BOOL:
    case CAKE_EXPR_NAME:
    case CAKE_EXPR_INDEX:
    case CAKE_EXPR_TRANSPOSE:
    case CAKE_EXPR_AGE:
    case CAKE_EXPR_MEMBER:
    case CAKE_EXPR_PEER:
    case CAKE_EXPR_CALL:
        return true;
    case CAKE_EXPR_UNARY:
    case CAKE_EXPR_BINARY:
    case CAKE_EXPR_COMPARE:
    case CAKE_EXPR_IN:
    case CAKE_EXPR_CAST:
    case CAKE_EXPR_BITCAST:
    case CAKE_EXPR_RELAYOUT:
    case CAKE_EXPR_LOAD:
    case CAKE_EXPR_ATOMIC:
    case CAKE_EXPR_AWAIT:
        return false;
    }
    return false;
}

const char *cake_resolve_operand_text(cake_resolver *resolver, const cake_expr *expr) {
    const char *text = resolver->module->source->text + expr->span.begin;
    int size = (int)(expr->span.end - expr->span.begin);
    const char *form = stands_alone(expr->kind) ? "%.*s" : "(%.*s)";
    return form[0] == '(' ? cake_arena_format(resolver->arena, "(%.*s)", size, text)
                          : cake_arena_format(resolver->arena, "%.*s", size, text);
}

void cake_resolve_cast_fix(cake_resolver *resolver, cake_diagnostic *diagnostic, const cake_expr *expr,
                           cake_dtype dtype) {
    if (dtype == CAKE_DTYPE_INDEX || dtype == CAKE_DTYPE_REAL || diagnostic == resolver->diagnostics->sink) return;
    const char *name = cake_dtype_name(dtype);
    const char *operand = cake_resolve_operand_text(resolver, expr);
    cake_diagnostic_fix(resolver->diagnostics, diagnostic, cake_arena_format(resolver->arena, "cast it to %s", name),
                        expr->span, cake_arena_format(resolver->arena, "(cast %s %s)", name, operand));
}

/* ---- what the target has ---- */

static cake_diagnostic_code code_of(uint32_t feature) {
    switch (feature) {
    case CAKE_FEATURE_ASYNC_PROXY:
        return CAKE_H101;
    case CAKE_FEATURE_CLUSTER:
        return CAKE_H102;
    case CAKE_FEATURE_WGMMA:
        return CAKE_H103;
    case CAKE_FEATURE_SETMAXNREG:
        return CAKE_H104;
    case CAKE_FEATURE_BYTE_FLOATS:
        return CAKE_H106;
    default: /* a mask, no enum */
        return CAKE_H105;
    }
}

void cake_resolve_need(cake_resolver *resolver, uint32_t feature, cake_span span, const char *what) {
    const cake_target_info *target = cake_target_info_of(resolver->module->target);
    if (resolver->module->target == CAKE_TARGET_NONE || target->features & feature) return;
    if (resolver->features_reported & feature) return;
    resolver->features_reported |= feature;
    cake_text having;
    cake_text_init(&having, resolver->arena);
    for (cake_target other = CAKE_TARGET_NONE + 1; other < CAKE_TARGET_COUNT; other++) {
        const cake_target_info *info = cake_target_info_of(other);
        if (info->features & feature) cake_text_format(&having, "%s%s", having.size ? ", " : "", info->name);
    }
    cake_diagnostic *diagnostic =
        cake_resolve_report(resolver, code_of(feature), span, "%s does not exist on %s; targets that have it: %s", what,
                            target->name, cake_text_string(&having));
    cake_diagnostic_note(resolver->diagnostics, diagnostic, resolver->module->target_span, "the target is chosen here");
}

void cake_resolve_need_cluster(cake_resolver *resolver, cake_span span, const char *what) {
    const cake_grid *grid = resolver->kernel ? resolver->kernel->grid : NULL;
    if (!grid || grid->cluster) return;
    cake_diagnostic *diagnostic = cake_resolve_report(
        resolver, CAKE_L218, span, "%s needs a cluster, and the grid of '%s' has none", what, resolver->kernel->name);
    cake_diagnostic_note(resolver->diagnostics, diagnostic, grid->span, "add 'cluster n along x' here");
}
