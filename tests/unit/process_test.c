/* Running another program: what it says, how it ends, and that it ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/process.h"

typedef struct outcome {
    cake_status status;
    int exit_status;
    char log[64];
} outcome;

static outcome run_shell(const char *script, uint32_t limit_seconds) {
    outcome o = {.exit_status = -1};
    char *arguments[] = {"sh", "-c", (char *)script, NULL};
    cake_process process = {.programs = {"/nonexistent/sh", "sh"}, .arguments = arguments};
    process.limit_seconds = limit_seconds;
    o.status = cake_process_run(&process, o.log, sizeof o.log, &o.exit_status);
    return o;
}

static void both_outputs_are_kept(void **state) {
    (void)state;
    outcome o = run_shell("echo out; echo err >&2; exit 7", 20);
    assert_int_equal(o.status.kind, CAKE_STATUS_OK);
    assert_int_equal(o.exit_status, 7);
    assert_string_equal(o.log, "out\nerr\n");
}

static void nothing_is_read(void **state) {
    (void)state;
    outcome o = run_shell("cat; echo end", 20);
    assert_string_equal(o.log, "end\n");
}

static void much_output_is_cut(void **state) {
    (void)state;
    outcome o = run_shell("i=0; while [ $i -lt 20000 ]; do echo 0123456789; i=$((i + 1)); done", 60);
    assert_int_equal(o.status.kind, CAKE_STATUS_OK);
    assert_int_equal(o.exit_status, 0);
    assert_int_equal(strlen(o.log), sizeof o.log - 1);
}

static void a_hanging_program_is_ended(void **state) {
    (void)state;
    outcome o = run_shell("echo begun; exec sleep 600", 1);
    assert_int_equal(o.status.kind, CAKE_STATUS_TIMEOUT);
    assert_string_equal(o.log, "begun\n");
    o = run_shell("exec sleep 600 >/dev/null 2>&1", 1); /* its end of the pipe is closed at once */
    assert_int_equal(o.status.kind, CAKE_STATUS_TIMEOUT);
}

static void a_signal_is_told(void **state) {
    (void)state;
    outcome o = run_shell("kill -9 $$", 20);
    assert_int_equal(o.status.kind, CAKE_STATUS_UNAVAILABLE);
    assert_non_null(strstr(o.status.message, "signal 9"));
}

static void a_missing_program_is_told(void **state) {
    (void)state;
    char log[8];
    int exit_status;
    char *arguments[] = {"nothing", NULL};
    cake_process process = {
        .programs = {"cake-no-such-program", "/nonexistent/program"}, .arguments = arguments, .limit_seconds = 20};
    cake_status status = cake_process_run(&process, log, sizeof log, &exit_status);
    assert_int_equal(status.kind, CAKE_STATUS_UNAVAILABLE);
    assert_string_equal(status.message, "cannot start cake-no-such-program: No such file or directory");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_outputs_are_kept), cmocka_unit_test(nothing_is_read),
        cmocka_unit_test(much_output_is_cut),    cmocka_unit_test(a_hanging_program_is_ended),
        cmocka_unit_test(a_signal_is_told),      cmocka_unit_test(a_missing_program_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
