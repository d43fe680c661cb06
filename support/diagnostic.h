/* Diagnostics as data: what is wrong with the user's program, where, why and what would mend it.
 *
 * Codes are rows of diagnostics.def. A stage appends to a list and goes on, so that one run reports many root causes;
 * nothing is reported twice for one cause (use the error type of ir.h to stay silent about consequences).
 *
 *     cake_diagnostic *d = cake_report(list, CAKE_L201, span, "'%s' is not declared", name);
 *     cake_diagnostic_note(list, d, other_span, "a dimension of this name is declared here");
 */
#ifndef CAKE_SUPPORT_DIAGNOSTIC_H
#define CAKE_SUPPORT_DIAGNOSTIC_H

#include <stdbool.h>
#include <stdio.h>

#include "support/source.h"
#include "support/text.h"
#include "support/vector.h"

struct json_t; /* jansson */

typedef enum cake_severity { CAKE_SEVERITY_ERROR, CAKE_SEVERITY_REPORT, CAKE_SEVERITY_HINT } cake_severity;

typedef enum cake_diagnostic_code {
#define CAKE_DIAGNOSTIC(code, severity, category, title, explanation) CAKE_##code,
#include "support/diagnostics.def"
#undef CAKE_DIAGNOSTIC
    CAKE_DIAGNOSTIC_COUNT
} cake_diagnostic_code;

typedef struct cake_diagnostic_info {
    const char *code; /* "L201" */
    cake_severity severity;
    const char *category;    /* "syntax", "names", "types", "hardware", ... */
    const char *title;       /* one line */
    const char *explanation; /* what 'cakec explain' prints below the title */
} cake_diagnostic_info;

typedef struct cake_note {
    cake_span span; /* {0, 0} when it has no place */
    const char *message;
} cake_note;

/* One replacement of source text that belongs to a fix. */
typedef struct cake_edit {
    cake_span span;
    const char *text;
} cake_edit;

typedef struct cake_fix {
    const char *title;
    CAKE_VECTOR(cake_edit) edits;
    bool rechecked; /* applied to a copy and checked again */
} cake_fix;

/* A dimension, loop variable or the like with the value for which something goes wrong. */
typedef struct cake_counterexample_value {
    const char *name;
    int64_t value;
} cake_counterexample_value;

typedef struct cake_diagnostic {
    cake_diagnostic_code code;
    const cake_source *source; /* null when it has no place */
    cake_span span;
    const char *message;
    const char *path; /* kernel/role/loop, or null */
    bool observed;    /* happened in a run, with the counterexample's values */
    CAKE_VECTOR(cake_note) notes;
    CAKE_VECTOR(cake_counterexample_value) counterexample; /* in the order in which they are shown */
    CAKE_VECTOR(cake_fix) fixes;
} cake_diagnostic;

#define CAKE_DIAGNOSTIC_LIMIT 100 /* further ones are counted, not kept */

typedef struct cake_diagnostics {
    cake_arena *arena;
    const cake_source *source; /* stamped on what is reported from now on */
    CAKE_VECTOR(cake_diagnostic *) list;
    uint32_t error_count; /* all errors, the dropped ones too */
    uint32_t dropped;
    cake_diagnostic *sink; /* stands for every dropped one: notes and fixes added to it are forgotten */
} cake_diagnostics;

void cake_diagnostics_init(cake_diagnostics *diagnostics, cake_arena *arena, const cake_source *source);

const cake_diagnostic_info *cake_diagnostic_info_of(cake_diagnostic_code code);
/* "error", "report" or "hint". */
const char *cake_severity_name(cake_severity severity);
/* The code spelled name, or CAKE_DIAGNOSTIC_COUNT. */
cake_diagnostic_code cake_diagnostic_code_find(const char *name);

/* Appends; never null (a dropped one is returned, but not listed). */
cake_diagnostic *cake_report(cake_diagnostics *diagnostics, cake_diagnostic_code code, cake_span span,
                             const char *format, ...) CAKE_PRINTF(4, 5);
void cake_diagnostic_note(cake_diagnostics *diagnostics, cake_diagnostic *diagnostic, cake_span span,
                          const char *format, ...) CAKE_PRINTF(4, 5);
/* Appends a diagnostic that was made in another list with the same arena. */
void cake_diagnostics_take(cake_diagnostics *diagnostics, cake_diagnostic *diagnostic);
/* Adds to the counterexample. */
void cake_diagnostic_value(cake_diagnostics *diagnostics, cake_diagnostic *diagnostic, const char *name, int64_t value);
/* A fix of one edit; span.begin == span.end inserts. */
void cake_diagnostic_fix(cake_diagnostics *diagnostics, cake_diagnostic *diagnostic, const char *title, cake_span span,
                         const char *replacement);

/* Writes the diagnostics to out_order in the order in which they are shown: by file name, by place, then as reported;
 * those without a source first. Gives their number. */
uint32_t cake_diagnostics_order(const cake_diagnostics *diagnostics,
                                const cake_diagnostic *out_order[CAKE_DIAGNOSTIC_LIMIT]);

/* Text form: each with its source line and a caret line below it, then its notes and fixes.
 *
 *     gemm.cake:31:7: error[L201]: 'stage' is not declared
 *        31 |       release stage
 *           |               ^^^^^
 *        fix: write 'stages'
 *
 * A counterexample stands between notes and fixes: '   counterexample: K = 128, k = 0'.
 * Long lines are cut around the carets; bytes that could harm a terminal are escaped. */
void cake_diagnostics_text(const cake_diagnostics *diagnostics, cake_text *out_text);
void cake_diagnostics_print(const cake_diagnostics *diagnostics, FILE *out);
/* JSON array (a new reference): code, severity, category, message, span {file, line, col, end_line, end_col}, path,
 * observed, related, counterexample {name: value}, fixes. What has no span, path or counterexample has null there. When
 * jansson runs out of memory, so does the arena. */
struct json_t *cake_diagnostics_json(const cake_diagnostics *diagnostics);

#endif
