#include "support/diagnostic.h"

#include <string.h>

static const cake_diagnostic_info infos[CAKE_DIAGNOSTIC_COUNT] = {
#define CAKE_DIAGNOSTIC(code, severity, category, title, explanation)                                                  \
    [CAKE_##code] = {#code, severity, category, title, explanation},
#include "support/diagnostics.def"
#undef CAKE_DIAGNOSTIC
};

const cake_diagnostic_info *cake_diagnostic_info_of(cake_diagnostic_code code) {
    CAKE_ASSERT(code < CAKE_DIAGNOSTIC_COUNT);
    return &infos[code];
}

const char *cake_severity_name(cake_severity severity) {
    switch (severity) {
    case CAKE_SEVERITY_ERROR:
        return "error";
    case CAKE_SEVERITY_REPORT:
        return "report";
    case CAKE_SEVERITY_HINT:
        return "hint";
    }
    return "";
}

cake_diagnostic_code cake_diagnostic_code_find(const char *name) {
    for (cake_diagnostic_code code = 0; code < CAKE_DIAGNOSTIC_COUNT; code++) {
        if (strcmp(infos[code].code, name) == 0) return code;
    }
    return CAKE_DIAGNOSTIC_COUNT;
}

void cake_diagnostics_init(cake_diagnostics *diagnostics, cake_arena *arena, const cake_source *source) {
    *diagnostics = (cake_diagnostics){.arena = arena, .source = source};
    diagnostics->sink = CAKE_NEW(arena, cake_diagnostic);
}

/* Whether there is room for another one, which is counted in any case. */
static bool count(cake_diagnostics *diagnostics, cake_diagnostic_code code) {
    if (cake_diagnostic_info_of(code)->severity == CAKE_SEVERITY_ERROR) diagnostics->error_count++;
    if (diagnostics->list.count < CAKE_DIAGNOSTIC_LIMIT) return true;
    diagnostics->dropped++;
    return false;
}

void cake_diagnostics_take(cake_diagnostics *diagnostics, cake_diagnostic *diagnostic) {
    if (count(diagnostics, diagnostic->code)) *CAKE_PUSH(diagnostics->arena, &diagnostics->list) = diagnostic;
}

cake_diagnostic *cake_report(cake_diagnostics *diagnostics, cake_diagnostic_code code, cake_span span,
                             const char *format, ...) {
    if (!count(diagnostics, code)) return diagnostics->sink;
    cake_diagnostic *diagnostic = CAKE_NEW(diagnostics->arena, cake_diagnostic);
    diagnostic->code = code;
    diagnostic->source = diagnostics->source;
    diagnostic->span = span;
    va_list arguments;
    va_start(arguments, format);
    diagnostic->message = cake_arena_vformat(diagnostics->arena, format, arguments);
    va_end(arguments);
    *CAKE_PUSH(diagnostics->arena, &diagnostics->list) = diagnostic;
    return diagnostic;
}

void cake_diagnostic_note(cake_diagnostics *diagnostics, cake_diagnostic *diagnostic, cake_span span,
                          const char *format, ...) {
    if (diagnostic == diagnostics->sink) return;
    cake_note *note = CAKE_PUSH(diagnostics->arena, &diagnostic->notes);
    note->span = span;
    va_list arguments;
    va_start(arguments, format);
    note->message = cake_arena_vformat(diagnostics->arena, format, arguments);
    va_end(arguments);
}

void cake_diagnostic_value(cake_diagnostics *diagnostics, cake_diagnostic *diagnostic, const char *name,
                           int64_t value) {
    if (diagnostic == diagnostics->sink) return;
    cake_counterexample_value *added = CAKE_PUSH(diagnostics->arena, &diagnostic->counterexample);
    *added = (cake_counterexample_value){cake_arena_copy(diagnostics->arena, name, strlen(name)), value};
}

void cake_diagnostic_fix(cake_diagnostics *diagnostics, cake_diagnostic *diagnostic, const char *title, cake_span span,
                         const char *replacement) {
    if (diagnostic == diagnostics->sink) return;
    cake_arena *arena = diagnostics->arena;
    cake_fix *fix = CAKE_PUSH(arena, &diagnostic->fixes);
    fix->title = cake_arena_copy(arena, title, strlen(title));
    cake_edit *edit = CAKE_PUSH(arena, &fix->edits);
    *edit = (cake_edit){.span = span, .text = cake_arena_copy(arena, replacement, strlen(replacement))};
}

static int compare(const cake_diagnostic *left, const cake_diagnostic *right) {
    if (!left->source || !right->source) return (left->source != NULL) - (right->source != NULL);
    int names = strcmp(left->source->name, right->source->name);
    if (names != 0) return names;
    return (left->span.begin > right->span.begin) - (left->span.begin < right->span.begin);
}

/* Insertion keeps equal ones in the order in which they were reported, and the list is short. */
uint32_t cake_diagnostics_order(const cake_diagnostics *diagnostics,
                                const cake_diagnostic *out_order[CAKE_DIAGNOSTIC_LIMIT]) {
    for (uint32_t i = 0; i < diagnostics->list.count; i++) {
        const cake_diagnostic *inserted = diagnostics->list.items[i];
        uint32_t place = i;
        for (; place > 0 && compare(out_order[place - 1], inserted) > 0; place--)
            out_order[place] = out_order[place - 1];
        out_order[place] = inserted;
    }
    return diagnostics->list.count;
}
