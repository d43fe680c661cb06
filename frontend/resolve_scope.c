/* Names in scope.
 *
 * No name hides another, so a name has at most one symbol at a time and one table serves all nested scopes: leaving a
 * scope takes its symbols out again.
 */
#include "frontend/resolve.h"

#include <string.h>

/* ---- the table ---- */

static uint32_t hash(cake_name name) {
    uint64_t bits = (uint64_t)(uintptr_t)name;
    return (uint32_t)((bits >> 3) * 0x9E3779B97F4A7C15u >> 32);
}

/* The slot where the name is or would be. */
static cake_binding *slot_of(const cake_resolver *resolver, cake_name name) {
    uint32_t mask = resolver->binding_capacity - 1;
    uint32_t at = hash(name) & mask;
    while (resolver->bindings[at].name && resolver->bindings[at].name != name)
        at = (at + 1) & mask;
    return &resolver->bindings[at];
}

static void grow(cake_resolver *resolver) {
    cake_binding *old = resolver->bindings;
    uint32_t old_capacity = resolver->binding_capacity;
    resolver->binding_capacity = old_capacity ? old_capacity * 2 : 256;
    resolver->bindings = CAKE_NEW_ARRAY(resolver->arena, cake_binding, resolver->binding_capacity);
    for (uint32_t i = 0; i < old_capacity; i++) {
        if (old[i].name) *slot_of(resolver, old[i].name) = old[i];
    }
}

static cake_binding *binding_of(cake_resolver *resolver, cake_name name) {
    if (resolver->binding_count * 2 >= resolver->binding_capacity) grow(resolver);
    cake_binding *binding = slot_of(resolver, name);
    if (!binding->name) {
        binding->name = name;
        resolver->binding_count++;
    }
    return binding;
}

/* ---- scopes ---- */

static cake_namespace space_of(cake_symbol_kind kind) {
    if (kind == CAKE_SYMBOL_ROLE) return CAKE_SPACE_ROLE;
    if (kind == CAKE_SYMBOL_KERNEL) return CAKE_SPACE_KERNEL;
    return CAKE_SPACE_VALUE;
}

uint32_t cake_resolve_scope_enter(const cake_resolver *resolver) {
    return resolver->live.count;
}

void cake_resolve_scope_leave(cake_resolver *resolver, uint32_t mark) {
    while (resolver->live.count > mark) {
        cake_symbol *symbol = resolver->live.items[--resolver->live.count];
        binding_of(resolver, symbol->name)->symbols[space_of(symbol->kind)] = NULL;
    }
}

/* ---- declaring ---- */

cake_symbol_note *cake_resolve_note(cake_resolver *resolver, const cake_symbol *symbol) {
    while (resolver->notes.count <= symbol->number)
        (void)CAKE_PUSH(resolver->arena, &resolver->notes);
    return &resolver->notes.items[symbol->number];
}

cake_symbol *cake_resolve_declare(cake_resolver *resolver, cake_symbol_kind kind, cake_name name, cake_span span) {
    cake_symbol *symbol = CAKE_NEW(resolver->arena, cake_symbol);
    symbol->kind = kind;
    symbol->name = name;
    symbol->span = span;
    symbol->number = ++resolver->module->symbol_count;
    cake_resolve_note(resolver, symbol)->time = CAKE_TIME_DEVICE;
    cake_namespace space = space_of(kind);
    if (space == CAKE_SPACE_VALUE && strcmp(name, "im2col") == 0) { /* the parser knows the other reserved names */
        cake_resolve_report(resolver, CAKE_L202, span, "'im2col' is already the name of a built-in function");
        return symbol;
    }
    cake_binding *binding = binding_of(resolver, name);
    cake_symbol *earlier = binding->symbols[space];
    if (earlier) {
        cake_diagnostic *diagnostic = cake_resolve_report(resolver, CAKE_L202, span, "'%s' is already the name of %s",
                                                          name, cake_resolve_kind_text(earlier->kind));
        cake_resolve_declared_note(resolver, diagnostic, earlier);
        return symbol;
    }
    binding->symbols[space] = symbol;
    *CAKE_PUSH(resolver->arena, &resolver->live) = symbol;
    return symbol;
}

/* ---- looking up ---- */

cake_symbol *cake_resolve_find(const cake_resolver *resolver, cake_namespace space, cake_name name) {
    return resolver->binding_capacity ? slot_of(resolver, name)->symbols[space] : NULL;
}

void cake_resolve_mention(cake_resolver *resolver, cake_name name) {
    binding_of(resolver, name)->contract = resolver->contract;
}

bool cake_resolve_is_mentioned(const cake_resolver *resolver, cake_name name) {
    return resolver->binding_capacity && slot_of(resolver, name)->contract == resolver->contract;
}

/* ---- suggestions ---- */

#define NEAREST_LONGEST    63   /* longer names are not compared */
#define NEAREST_CANDIDATES 4096 /* the newest names in scope are */

static uint32_t smallest(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t least = a < b ? a : b;
    return least < c ? least : c;
}

/* Edits (insert, delete, replace, swap neighbours) that turn one word into the other. */
static uint32_t edit_distance(const char *left, const char *right) {
    size_t rows = strlen(left), columns = strlen(right);
    if (rows > NEAREST_LONGEST || columns > NEAREST_LONGEST) return UINT32_MAX;
    uint32_t line[3][NEAREST_LONGEST + 1]; /* two rows up, one row up, this row */
    for (uint32_t j = 0; j <= columns; j++)
        line[1][j] = j;
    for (uint32_t i = 1; i <= rows; i++) {
        line[2][0] = i;
        for (uint32_t j = 1; j <= columns; j++) {
            uint32_t replaced = line[1][j - 1] + (left[i - 1] != right[j - 1]);
            line[2][j] = smallest(replaced, line[1][j] + 1, line[2][j - 1] + 1);
            bool swapped = i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
            if (swapped && line[0][j - 2] + 1 < line[2][j]) line[2][j] = line[0][j - 2] + 1;
        }
        memcpy(line[0], line[1], sizeof line[0]);
        memcpy(line[1], line[2], sizeof line[1]);
    }
    return line[1][columns];
}

void cake_resolve_nearest(cake_nearest *nearest, const char *candidate) {
    uint32_t limit = (uint32_t)(strlen(nearest->name) + 1) / 3; /* one edit from two letters on, two from five */
    uint32_t distance = edit_distance(nearest->name, candidate);
    if (distance > limit || (nearest->best && distance >= nearest->distance)) return;
    nearest->best = candidate;
    nearest->distance = distance;
}

static const char *nearest_name(const cake_resolver *resolver, cake_namespace space, cake_name name) {
    cake_nearest nearest = {.name = name};
    uint32_t count = resolver->live.count;
    for (uint32_t i = count > NEAREST_CANDIDATES ? count - NEAREST_CANDIDATES : 0; i < count; i++) {
        const cake_symbol *symbol = resolver->live.items[i];
        if (space_of(symbol->kind) == space) cake_resolve_nearest(&nearest, symbol->name);
    }
    return nearest.best;
}

cake_symbol *cake_resolve_lookup(cake_resolver *resolver, cake_namespace space, cake_name name, cake_span span,
                                 const char *what) {
    cake_symbol *symbol = cake_resolve_find(resolver, space, name);
    if (symbol) return symbol;
    cake_diagnostic *diagnostic =
        cake_resolve_report(resolver, CAKE_L201, span, "%s '%s' is not declared here", what, name);
    if (diagnostic == resolver->diagnostics->sink) return NULL; /* nobody will see the suggestion */
    const char *nearest = nearest_name(resolver, space, name);
    if (nearest) {
        const char *title = cake_arena_format(resolver->arena, "did you mean '%s'?", nearest);
        cake_diagnostic_fix(resolver->diagnostics, diagnostic, title, span, nearest);
    }
    return NULL;
}

const char *cake_resolve_kind_text(cake_symbol_kind kind) {
    switch (kind) {
    case CAKE_SYMBOL_CONST:
        return "a constant";
    case CAKE_SYMBOL_TUNE:
        return "a tunable";
    case CAKE_SYMBOL_DEFINITION:
        return "a definition";
    case CAKE_SYMBOL_FUNCTION:
        return "a function";
    case CAKE_SYMBOL_DIMENSION:
        return "a dimension";
    case CAKE_SYMBOL_PARAMETER:
        return "a scalar parameter";
    case CAKE_SYMBOL_TENSOR:
        return "a tensor";
    case CAKE_SYMBOL_TEMPORARY:
        return "a temporary";
    case CAKE_SYMBOL_VIEW:
        return "a view";
    case CAKE_SYMBOL_BUFFER:
        return "a buffer";
    case CAKE_SYMBOL_PIPELINE:
        return "a pipeline";
    case CAKE_SYMBOL_SIGNAL:
        return "a signal";
    case CAKE_SYMBOL_BATON:
        return "a baton";
    case CAKE_SYMBOL_ROLE:
        return "a role";
    case CAKE_SYMBOL_KERNEL:
        return "a kernel";
    case CAKE_SYMBOL_COORDINATE:
        return "a tile coordinate";
    case CAKE_SYMBOL_TEAM_INDEX:
        return "the team's index";
    case CAKE_SYMBOL_CTA_RANK:
        return "the rank in the cluster";
    case CAKE_SYMBOL_LOOP_INDEX:
        return "a loop's index";
    case CAKE_SYMBOL_LET:
        return "a 'let'";
    case CAKE_SYMBOL_VAR:
        return "a 'var'";
    case CAKE_SYMBOL_PARAMETER_VALUE:
        return "a function's parameter";
    case CAKE_SYMBOL_IT:
        return "the polled value";
    }
    return "";
}

/* 'acquire sa', where sa is a buffer of ab, means 'acquire ab'. */
static void suggest_pipeline(cake_resolver *resolver, cake_diagnostic *diagnostic, cake_span span,
                             const cake_symbol *symbol) {
    const cake_pipeline *pipeline = symbol->kind == CAKE_SYMBOL_BUFFER ? symbol->buffer->pipeline : NULL;
    if (!pipeline) return;
    const char *title = cake_arena_format(resolver->arena, "name its pipeline '%s'", pipeline->name);
    cake_diagnostic_fix(resolver->diagnostics, diagnostic, title, span, pipeline->name);
}

cake_symbol *cake_resolve_reference(cake_resolver *resolver, cake_named_reference *reference, cake_symbol_kind kind) {
    const char *wanted = cake_resolve_kind_text(kind);
    cake_namespace space = space_of(kind);
    const char *what = strchr(wanted, ' ') + 1;
    cake_symbol *symbol = cake_resolve_lookup(resolver, space, reference->name, reference->span, what);
    if (!symbol) return NULL;
    if (symbol->kind != kind) {
        cake_diagnostic *diagnostic =
            cake_resolve_report(resolver, CAKE_L204, reference->span, "'%s' is %s, not %s", reference->name,
                                cake_resolve_kind_text(symbol->kind), wanted);
        cake_resolve_declared_note(resolver, diagnostic, symbol);
        if (kind == CAKE_SYMBOL_PIPELINE) suggest_pipeline(resolver, diagnostic, reference->span, symbol);
        return NULL;
    }
    reference->symbol = symbol;
    return symbol;
}
