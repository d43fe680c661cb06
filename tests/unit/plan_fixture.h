/* What the tests of plan/ share: a plan from a schedule's text. */
#ifndef CAKE_TESTS_UNIT_PLAN_FIXTURE_H
#define CAKE_TESTS_UNIT_PLAN_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "frontend/frontend.h"
#include "plan/plan.h"

typedef struct plan_fixture {
    jmp_buf out_of_memory;
    cake_arena arena;
    cake_source source;
    cake_diagnostics diagnostics;
    cake_module *module;
    const cake_plan *plan; /* of the first kernel; null after an error */
} plan_fixture;

/* Ends with cake_arena_fini(&test->arena). */
static inline void plan_open(plan_fixture *test, const char *text, const cake_choice *choices, uint32_t choice_count,
                             bool specialise) {
    *test = (plan_fixture){0};
    if (setjmp(test->out_of_memory)) fail_msg("out of memory");
    cake_arena_init(&test->arena, CAKE_ARENA_DEFAULT_LIMIT, &test->out_of_memory);
    cake_source_init(&test->source, &test->arena, "test.cake", text, (uint32_t)strlen(text));
    cake_diagnostics_init(&test->diagnostics, &test->arena, &test->source);
    test->module = cake_frontend_parse(&test->arena, &test->source, &test->diagnostics);
    if (test->diagnostics.error_count || test->module->kernels.count == 0) return;
    cake_plan_options options = {.choices = choices, .choice_count = choice_count, .specialise = specialise};
    test->plan =
        cake_plan_build(&test->arena, test->module, test->module->kernels.items[0], &options, &test->diagnostics);
}

/* "H208 12; L404 3": codes and lines, in the order of the text; "" when all is well. */
static inline const char *plan_findings(plan_fixture *test) {
    const cake_diagnostic *order[CAKE_DIAGNOSTIC_LIMIT];
    uint32_t count = cake_diagnostics_order(&test->diagnostics, order);
    cake_text text;
    cake_text_init(&text, &test->arena);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t line = cake_source_position(&test->source, order[i]->span.begin).line;
        cake_text_format(&text, "%s%s %u", i ? "; " : "", cake_diagnostic_info_of(order[i]->code)->code, line);
    }
    return cake_text_string(&text);
}

/* The plan of a schedule that must be well formed. */
static inline void plan_open_good(plan_fixture *test, const char *text, const cake_choice *choices,
                                  uint32_t choice_count, bool specialise) {
    plan_open(test, text, choices, choice_count, specialise);
    if (test->plan && !test->diagnostics.error_count) return;
    cake_text shown;
    cake_text_init(&shown, &test->arena);
    cake_diagnostics_text(&test->diagnostics, &shown);
    fail_msg("%s\n%s", cake_text_string(&shown), text);
}

/* One row of a table of bodies: the text stands between 'before' and 'after', line 1 is its first. */
typedef struct plan_row {
    const char *text, *expected;
} plan_row;

static inline void plan_check_rows(const plan_row *rows, size_t count, const char *before, const char *after) {
    static plan_fixture test;
    bool failed = false;
    for (size_t i = 0; i < count; i++) {
        char text[8192];
        (void)snprintf(text, sizeof text, "%s%s%s", before, rows[i].text, after);
        plan_open(&test, text, NULL, 0, false);
        const char *got = plan_findings(&test);
        if (strcmp(got, rows[i].expected) != 0) {
            print_error("row %zu: '%s' instead of '%s' for\n%s\n", i, got, rows[i].expected, rows[i].text);
            failed = true;
        }
        cake_arena_fini(&test.arena);
    }
    assert_false(failed);
}

#endif
