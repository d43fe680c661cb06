/* What ptxas says, as diagnostics. Its lines look like this:
 *
 *     ptxas info    : (C7511) Potential Performance Loss: .. in the function 'gemm'
 *     ptxas info    : (C7517) warpgroup.wait is injected in around line 570 by compiler ..
 *     ptxas kernel.ptx, line 300; warning : ..
 *     ptxas info    : Function properties for gemm
 *         0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
 *     ptxas info    : Used 168 registers, used 16 barriers
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/internal.h"

#define LOSS "Potential Performance Loss: "

typedef struct listing {
    cake_compilation *compilation;
    CAKE_VECTOR(cake_span) places; /* by line of the PTX, from 0; {0, 0}: no '.loc' before it */
    const cake_kernel *kernel;     /* that the log speaks of, or null */
    cake_diagnostic *spill;        /* to be completed by the next 'Used' line, or null */
    cake_text refusal;
    uint32_t refusal_count;
} listing;

/* One line of the log, taken apart. */
typedef struct remark {
    char level[16];  /* "info", "warning", "error", "fatal" */
    uint32_t line;   /* of the PTX; 0: not named */
    uint32_t number; /* of "(C7511)"; 0: none */
    const char *text;
} remark;

/* ---- places ---- */

/* From the column to the end of the line, without a comment behind it. */
static cake_span rest_of_line(const cake_source *source, uint32_t line, uint32_t column) {
    uint32_t begin = source->line_starts[line - 1] + (column ? column - 1 : 0);
    uint32_t end = line < source->line_count ? source->line_starts[line] - 1 : source->size;
    for (uint32_t i = begin; i + 1 < end; i++)
        if (source->text[i] == '/' && source->text[i + 1] == '/') end = i;
    while (end > begin && strchr(" \t\r\n", source->text[end - 1]))
        end--;
    return (cake_span){begin, end > begin ? end : begin};
}

/* Line 0 of a '.loc' means code of no line of its own: it belongs to what stands before it. */
static void read_places(listing *l, const cake_text *ptx) {
    const cake_source *source = l->compilation->source;
    cake_span place = {0};
    for (const char *line = cake_text_string(ptx); line; line = strchr(line, '\n')) {
        uint32_t at, column;
        line += *line == '\n';
        const char *word = line + strspn(line, " \t");
        if (strncmp(word, ".loc", 4) == 0 && sscanf(word, ".loc %*u %u %u", &at, &column) == 2 && at >= 1 &&
            at <= source->line_count)
            place = rest_of_line(source, at, column);
        *CAKE_PUSH(l->compilation->arena, &l->places) = place;
    }
}

static const cake_kernel *kernel_named(const listing *l, const char *name, size_t size) {
    const cake_compilation *compilation = l->compilation;
    for (uint32_t i = 0; i < compilation->plans.count; i++) {
        const cake_plan *plan = compilation->plans.items[i];
        if (strlen(plan->entry) == size && memcmp(plan->entry, name, size) == 0) return plan->kernel;
    }
    return NULL;
}

/* "PREFIXname': .." or "PREFIXname" with nothing behind it. */
static void note_kernel(listing *l, const char *text, const char *prefix) {
    const char *name = strstr(text, prefix);
    if (!name) return;
    name += strlen(prefix);
    const cake_kernel *kernel = kernel_named(l, name, strcspn(name, "' \r"));
    if (kernel) l->kernel = kernel;
}

/* Of the line that the remark names, else of the kernel, else of the first kernel: the file has one. */
static cake_span place_of(const listing *l, const remark *r) {
    const cake_module *module = l->compilation->module;
    if (r->line > 0 && r->line <= l->places.count && l->places.items[r->line - 1].end > 0)
        return l->places.items[r->line - 1];
    const cake_kernel *kernel = l->kernel ? l->kernel : module->kernels.count ? module->kernels.items[0] : NULL;
    return kernel ? kernel->span : (cake_span){0};
}

/* ---- reports ---- */

/* The same remark about the same place says nothing new. */
static bool is_reported(const listing *l, cake_diagnostic_code code, cake_span span) {
    const cake_diagnostics *diagnostics = &l->compilation->diagnostics;
    for (uint32_t i = 0; i < diagnostics->list.count; i++) {
        const cake_diagnostic *one = diagnostics->list.items[i];
        if (one->code == code && one->span.begin == span.begin && one->span.end == span.end) return true;
    }
    return false;
}

static cake_diagnostic_code code_of(const remark *r) {
    if (r->number == 7508) return CAKE_Q103;
    if (r->number == 7602) return CAKE_Q106;
    if (strstr(r->text, "wgmma") && strstr(r->text, "serialized")) return CAKE_Q101;
    if (strstr(r->text, "is injected")) return CAKE_Q102;
    return CAKE_Q105;
}

static void report(listing *l, const remark *r) {
    cake_diagnostic_code code = code_of(r);
    cake_span span = place_of(l, r);
    if (code != CAKE_Q105 && is_reported(l, code, span)) return;
    const char *text = strncmp(r->text, LOSS, sizeof LOSS - 1) == 0 ? r->text + sizeof LOSS - 1 : r->text;
    const char *number = r->number ? cake_arena_format(l->compilation->arena, " C%u", r->number) : "";
    cake_report(&l->compilation->diagnostics, code, span, "%s (ptxas%s)", text, number);
}

static void report_memory(listing *l, const char *line) {
    unsigned stack, stores, loads;
    if (sscanf(line, " %u bytes stack frame, %u bytes spill stores, %u bytes spill loads", &stack, &stores, &loads) !=
        3)
        return;
    if (stack == 0 && stores == 0 && loads == 0) return;
    remark nowhere = {.line = 0};
    l->spill = cake_report(&l->compilation->diagnostics, CAKE_Q104, place_of(l, &nowhere),
                           "%u bytes a thread are in local memory; %u bytes of registers are spilled and %u read back",
                           stack, stores, loads);
}

static void note_usage(listing *l, const remark *r) {
    unsigned registers;
    if (!l->spill || sscanf(r->text, "Used %u registers", &registers) != 1) return;
    cake_diagnostic_note(&l->compilation->diagnostics, l->spill, (cake_span){0}, "it uses %u registers a thread",
                         registers);
    l->spill = NULL;
}

/* ---- the log ---- */

/* "ptxas LEVEL : TEXT" or "ptxas FILE, line N; LEVEL : TEXT". */
static bool parse(const char *line, remark *r) {
    int begin = 0;
    *r = (remark){.line = 0};
    if (strncmp(line, "ptxas ", 6) != 0) return false;
    const char *place = strstr(line, ", line ");
    if (place && sscanf(place, ", line %u; %15[a-z] : %n", &r->line, r->level, &begin) == 2 && begin)
        r->text = place + begin;
    else if (sscanf(line + 6, "%15[a-z] : %n", r->level, &begin) == 1 && begin)
        r->text = line + 6 + begin;
    else
        return false;
    const char *around = strstr(r->text, " line ");
    if (!r->line && around) r->line = (uint32_t)strtoul(around + 6, NULL, 10);
    if (sscanf(r->text, "(C%u) %n", &r->number, &begin) == 1) r->text += begin;
    return true;
}

#define REFUSAL_LINES 3

static void add_refusal(listing *l, const remark *r) {
    if (l->refusal_count++ >= REFUSAL_LINES) return;
    cake_text_add_string(&l->refusal, l->refusal_count > 1 ? "; " : "");
    if (r->line) cake_text_format(&l->refusal, "line %u: ", r->line);
    cake_text_add_escaped(&l->refusal, r->text, strlen(r->text));
}

static void take_line(listing *l, const char *line) {
    remark r;
    if (!parse(line, &r)) {
        report_memory(l, line);
        return;
    }
    note_kernel(l, r.text, "entry function '");
    note_kernel(l, r.text, "properties for ");
    note_kernel(l, r.text, "function '");
    note_kernel(l, r.text, "in function ");
    note_usage(l, &r);
    bool refuses = strcmp(r.level, "error") == 0 || strcmp(r.level, "fatal") == 0;
    if (r.number == 7602 || (!refuses && (r.number || strcmp(r.level, "warning") == 0)))
        report(l, &r);
    else if (refuses)
        add_refusal(l, &r);
}

cake_status cake_compile_remarks(cake_compilation *compilation, const cake_text *ptx, char *log, int exit_status) {
    listing l = {.compilation = compilation};
    cake_text_init(&l.refusal, compilation->arena);
    read_places(&l, ptx);
    for (char *line = log, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = '\0';
        take_line(&l, line);
    }
    if (exit_status == 0 || compilation->diagnostics.error_count) return cake_status_ok();
    return cake_status_make(CAKE_STATUS_FAILED, "ptxas refuses the code with status %d: %.400s", exit_status,
                            l.refusal_count ? cake_text_string(&l.refusal) : log);
}
