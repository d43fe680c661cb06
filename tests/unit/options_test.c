/* Command lines and what they mean, as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "driver/options.h"
#include "support/text.h"

#define WORD_LIMIT 16

static const cake_tool cakerun = {"cakerun", CAKE_IN(RUN) | CAKE_IN(BENCH), CAKE_COMMAND_RUN};
static const cake_tool cakec = {"cakec", CAKE_IN(COMPILE) | CAKE_IN(CHECK) | CAKE_IN(RUN), CAKE_COMMAND_COMPILE};

static cake_arena arena;
static jmp_buf out_of_memory;

/* "command file ... NAME=value(text) ... ; option=value ..." */
static const char *describe(const cake_options *options) {
    static const char *const names[] = {
#define CAKE_COMMAND(enumerator, name, arguments, help) #enumerator,
#include "driver/options.def"
#undef CAKE_COMMAND
    };
    static const char *const spellings[] = {
#define CAKE_OPTION(enumerator, spelling, kind, placeholder, low, high, commands, help) #enumerator,
#include "driver/options.def"
#undef CAKE_OPTION
    };
    cake_text text;
    cake_text_init(&text, &arena);
    cake_text_add_string(&text, options->request == CAKE_REQUEST_HELP      ? "help"
                                : options->request == CAKE_REQUEST_VERSION ? "version"
                                                                           : names[options->command]);
    for (uint32_t i = 0; i < options->files.count; i++)
        cake_text_format(&text, " %s", options->files.items[i]);
    for (uint32_t i = 0; i < options->definitions.count; i++) {
        const cake_definition_option *definition = &options->definitions.items[i];
        if (definition->is_integer)
            cake_text_format(&text, " %s=%lld", definition->name, (long long)definition->integer);
        else
            cake_text_format(&text, " %s=(%s)", definition->name, definition->text);
    }
    for (uint32_t i = 0; i < options->uses.count; i++)
        cake_text_format(&text, " %s:%s", spellings[options->uses.items[i].option], options->uses.items[i].value);
    return cake_text_string(&text);
}

/* What the words, split at blanks, mean to the tool; the message if they are refused. */
static const char *parse(const cake_tool *tool, const char *line) {
    char *words[WORD_LIMIT] = {"tool"};
    int count = 1;
    char *rest = cake_arena_copy(&arena, line, strlen(line));
    for (char *word = strtok(rest, " "); word && count < WORD_LIMIT; word = strtok(NULL, " "))
        words[count++] = word;
    cake_options options;
    cake_status status = cake_options_parse(&arena, tool, count, words, &options);
    if (status.kind == CAKE_STATUS_OK) return describe(&options);
    return cake_arena_copy(&arena, status.message, strlen(status.message));
}

static void test_command_lines(void **state) {
    (void)state;
    static const struct {
        const cake_tool *tool;
        const char *line, *meaning;
    } rows[] = {
        {&cakerun, "", "RUN"},
        {&cakerun, "k.ptx", "RUN k.ptx"},
        {&cakerun, "run k.ptx", "RUN k.ptx"},
        {&cakerun, "bench k.ptx --cold", "BENCH k.ptx COLD:"},
        {&cakerun, "-", "RUN -"},
        {&cakerun, "-- --cold", "RUN --cold"},
        {&cakerun, "k.ptx -D M=3 -DN=0x10 -D=K=-1 -D M=4", "RUN k.ptx M=4 N=16 K=-1"},
        {&cakerun, "k.ptx -D eps=1e-5", "RUN k.ptx eps=(1e-5)"},
        {&cakerun, "k.ptx -D M", "-D takes NAME=NUMBER, not 'M'"},
        {&cakerun, "k.ptx -D =3", "-D takes NAME=NUMBER, not '=3'"},
        {&cakerun, "k.ptx -D M=3x", "-D takes NAME=NUMBER, not 'M=3x'"},
        {&cakerun, "k.ptx -D", "-D needs NAME=VALUE"},
        {&cakerun, "k.ptx --seed 7 --seed=8", "RUN k.ptx SEED:7 SEED:8"},
        {&cakerun, "k.ptx --seed -1", "--seed takes an integer from 0 to 9223372036854775807, not '-1'"},
        {&cakerun, "k.ptx --seed 99999999999999999999",
         "--seed takes an integer from 0 to 9223372036854775807, not '99999999999999999999'"},
        {&cakerun, "bench k.ptx --cold=1", "--cold takes no value"},
        {&cakerun, "k.ptx --cold", "--cold is no option of 'run'"},
        {&cakerun, "k.ptx --workloda w", "unknown option '--workloda'; did you mean '--workload'?"},
        {&cakerun, "k.ptx --format jsn", "--format takes text|json, not 'jsn'"},
        {&cakerun, "k.ptx --format text|json", "--format takes text|json, not 'text|json'"},
        {&cakerun, "ben k.ptx", "unknown command 'ben'"},
        {&cakerun, "bnch k.ptx", "unknown command 'bnch'; did you mean 'bench'?"},
        {&cakerun, "check k.cake", "unknown command 'check'"},
        {&cakerun, "k.ptx --nothing --version", "version k.ptx --nothing --version"},
        {&cakerun, "run -h", "help run -h"},
        {&cakec, "f.cake -o k.ptx --emit plan", "COMPILE f.cake OUTPUT:k.ptx EMIT:plan"},
        {&cakec, "check a.cake b.cake", "CHECK a.cake b.cake"},
        {&cakec, "check", "CHECK"},
        {&cakec, "--emit ptx|cubin f", "--emit takes ptx|cubin|llvm|plan|ir|manifest, not 'ptx|cubin'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *got = parse(rows[i].tool, rows[i].line);
        if (strcmp(got, rows[i].meaning) != 0)
            fail_msg("'%s': '%s' instead of '%s'", rows[i].line, got, rows[i].meaning);
    }
}

static void test_nearest_name(void **state) {
    (void)state;
    static const char *const names[] = {"M", "N", "STAGES", "GROUP"};
    assert_string_equal(cake_nearest_name("STAGE", names, 4), "STAGES");
    assert_string_equal(cake_nearest_name("m", names, 4), "M");
    assert_null(cake_nearest_name("tolerance", names, 4));
    assert_null(cake_nearest_name("x", names, 0));
    char long_name[200];
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_null(cake_nearest_name(long_name, names, 4));
}

int main(void) {
    if (setjmp(out_of_memory)) return 1;
    cake_arena_init(&arena, CAKE_ARENA_DEFAULT_LIMIT, &out_of_memory);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_command_lines),
        cmocka_unit_test(test_nearest_name),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    cake_arena_fini(&arena);
    return failures;
}
