#include "support/diagnostic.h"
#include "support/intern.h"
#include "support/vector.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* cmocka needs the headers above first. */
#include <cmocka.h>

typedef struct fixture {
    jmp_buf out_of_memory;
    cake_arena arena;
} fixture;

static int set_up(void **state) {
    fixture *created = calloc(1, sizeof *created);
    if (!created) return -1;
    *state = created;
    if (setjmp(created->out_of_memory)) fail_msg("the arena is exhausted");
    cake_arena_init(&created->arena, CAKE_ARENA_DEFAULT_LIMIT, &created->out_of_memory);
    return 0;
}

static int tear_down(void **state) {
    fixture *used = *state;
    cake_arena_fini(&used->arena);
    free(used);
    return 0;
}

static cake_arena *arena_of(void **state) {
    return &((fixture *)*state)->arena;
}

static void test_arena_gives_aligned_zeroed_memory(void **state) {
    cake_arena *arena = arena_of(state);
    static const size_t sizes[] = {0, 1, 15, 16, 17, 5000, 3000000, 7};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *memory = cake_arena_alloc(arena, sizes[i]);
        assert_int_equal((uintptr_t)memory % 16, 0);
        for (size_t byte = 0; byte < sizes[i]; byte++)
            assert_int_equal(memory[byte], 0);
        if (sizes[i]) memset(memory, 0xff, sizes[i]);
    }
    assert_string_equal(cake_arena_copy(arena, "abcdef", 3), "abc");
    assert_string_equal(cake_arena_format(arena, "%s-%d", "x", 7), "x-7");
}

typedef void request(cake_arena *arena);

static void request_one_large(cake_arena *arena) {
    cake_arena_alloc(arena, 2000);
}
static void request_many_small(cake_arena *arena) {
    for (int i = 0; i < 100; i++)
        cake_arena_alloc(arena, 16);
}
static void request_overflowing_product(cake_arena *arena) {
    cake_arena_alloc_array(arena, SIZE_MAX / 2, 3);
}
static void request_largest(cake_arena *arena) {
    cake_arena_alloc(arena, SIZE_MAX);
}
static void request_endless_vector(cake_arena *arena) {
    CAKE_VECTOR(int) numbers = {0};
    for (;;)
        *CAKE_PUSH(arena, &numbers) = 1;
}
static void request_endless_text(cake_arena *arena) {
    cake_text text;
    cake_text_init(&text, arena);
    for (;;)
        cake_text_add_string(&text, "more");
}

static bool runs_out(request *what) {
    jmp_buf out_of_memory;
    cake_arena arena;
    if (setjmp(out_of_memory)) {
        cake_arena_fini(&arena);
        return true;
    }
    cake_arena_init(&arena, 1024, &out_of_memory);
    what(&arena);
    cake_arena_fini(&arena);
    return false;
}

static void test_arena_jumps_at_its_limit(void **state) {
    (void)state;
    request *requests[] = {request_one_large, request_many_small,     request_overflowing_product,
                           request_largest,   request_endless_vector, request_endless_text};
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        assert_true(runs_out(requests[i]));
}

static void test_vector_keeps_items_and_zeroes_new_ones(void **state) {
    cake_arena *arena = arena_of(state);
    CAKE_VECTOR(uint64_t) numbers = {0};
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t *number = CAKE_PUSH(arena, &numbers);
        assert_int_equal(*number, 0);
        *number = i;
    }
    assert_int_equal(numbers.count, 1000);
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(numbers.items[i], i);
}

static void test_equal_names_are_one_name(void **state) {
    cake_arena *arena = arena_of(state);
    cake_interner interner;
    cake_interner_init(&interner, arena);
    cake_name names[2000];
    for (int i = 0; i < 2000; i++) {
        char *text = cake_arena_format(arena, "name%d", i);
        names[i] = cake_intern(&interner, text, strlen(text));
        assert_string_equal(names[i], text);
    }
    for (int i = 0; i < 2000; i++) {
        char *text = cake_arena_format(arena, "name%dtail", i);
        assert_ptr_equal(cake_intern(&interner, text, strlen(text) - 4), names[i]);
    }
    assert_ptr_equal(cake_intern(&interner, "", 0), cake_intern(&interner, "x", 0));
    assert_ptr_not_equal(cake_intern(&interner, "a\0b", 3), cake_intern(&interner, "a\0c", 3));
}

static void test_text_is_escaped_for_terminals(void **state) {
    static const struct {
        const char *bytes, *shown;
    } table[] = {
        {"plain", "plain"},
        {"a\tb", "a    b"},
        {"\x1b[31m", "\\x1b[31m"},
        {"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
        {"\xc3", "\\xc3"},                                   /* cut */
        {"\xc0\xaf", "\\xc0\\xaf"},                          /* overlong */
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},                 /* surrogate */
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},        /* behind the last character */
        {"a\xe2\x80\xae z", "a\\xe2\\x80\\xae z"},           /* right-to-left override */
        {"\xf0\x9f\x8d\xb0 \xff", "\xf0\x9f\x8d\xb0 \\xff"}, /* a cake */
        {"\xc2\x9b", "\\xc2\\x9b"},                          /* C1 control */
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        cake_text text;
        cake_text_init(&text, arena_of(state));
        cake_text_add_escaped(&text, table[i].bytes, strlen(table[i].bytes));
        assert_string_equal(cake_text_string(&text), table[i].shown);
    }
}

static void test_text_grows(void **state) {
    cake_text text;
    cake_text_init(&text, arena_of(state));
    assert_string_equal(cake_text_string(&text), "");
    for (int i = 0; i < 500; i++)
        cake_text_format(&text, "%03d,", i);
    assert_int_equal(text.size, 2000);
    assert_memory_equal(cake_text_string(&text) + 1996, "499,", 5);
}

static cake_source source_of(cake_arena *arena, const char *text) {
    cake_source source;
    cake_source_init(&source, arena, "t.cake", text, (uint32_t)strlen(text));
    return source;
}

static void test_positions(void **state) {
    cake_source source = source_of(arena_of(state), "ab\n\nc\n");
    static const cake_position expected[] = {{1, 1}, {1, 2}, {1, 3}, {2, 1}, {3, 1}, {3, 2}, {4, 1}};
    for (uint32_t offset = 0; offset < 7; offset++) {
        cake_position position = cake_source_position(&source, offset);
        assert_int_equal(position.line, expected[offset].line);
        assert_int_equal(position.column, expected[offset].column);
    }
    assert_int_equal(cake_source_position(&source, 1000).line, 4);
    cake_span joined = cake_span_join((cake_span){4, 6}, (cake_span){1, 2});
    assert_int_equal(joined.begin, 1);
    assert_int_equal(joined.end, 6);
    cake_source empty = source_of(arena_of(state), "");
    assert_int_equal(cake_source_position(&empty, 0).line, 1);
}

static void test_unreadable_sources_are_told(void **state) {
    static const char *const paths[] = {"no/such/file.cake", "/", "/dev/null", ""};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        cake_source source;
        cake_status status = cake_source_read(arena_of(state), paths[i], &source);
        assert_int_equal(status.kind, CAKE_STATUS_UNAVAILABLE);
        assert_true(strlen(status.message) > 0);
    }
    cake_source source;
    cake_status status = cake_source_read(arena_of(state), "support_test.c", &source);
    assert_int_equal(status.kind, CAKE_STATUS_OK);
    assert_memory_equal(source.text, "#include", 8);
    assert_int_equal(source.text[source.size], 0);
}

static cake_span span_of(const cake_source *source, const char *word) {
    const char *found = strstr(source->text, word);
    assert_non_null(found);
    uint32_t begin = (uint32_t)(found - source->text);
    return (cake_span){begin, begin + (uint32_t)strlen(word)};
}

static void expect_text(const cake_diagnostics *diagnostics, const char *expected) {
    cake_text text;
    cake_text_init(&text, diagnostics->arena);
    cake_diagnostics_text(diagnostics, &text);
    assert_string_equal(cake_text_string(&text), expected);
}

static void test_diagnostics_as_text(void **state) {
    cake_arena *arena = arena_of(state);
    cake_source source = source_of(arena, "let stages = 4\n\trelease stage\r\nend");
    cake_diagnostics diagnostics;
    cake_diagnostics_init(&diagnostics, arena, &source);
    cake_diagnostic *second =
        cake_report(&diagnostics, CAKE_L201, span_of(&source, "stage\r"), "'%s' is not declared", "stage");
    second->span.end--;
    cake_diagnostic_note(&diagnostics, second, span_of(&source, "stages"), "a similar name");
    cake_diagnostic_note(&diagnostics, second, (cake_span){0, 0}, "nothing else is near");
    cake_diagnostic_value(&diagnostics, second, "K", 128);
    cake_diagnostic_value(&diagnostics, second, "k", -1);
    cake_diagnostic_fix(&diagnostics, second, "write 'stages'", second->span, "stages");
    cake_report(&diagnostics, CAKE_L101, (cake_span){0, 0}, "first, and a point");
    cake_report(&diagnostics, CAKE_L101, (cake_span){source.size, source.size}, "at the end, \x1b");
    cake_diagnostics no_place;
    cake_diagnostics_init(&no_place, arena, NULL);
    cake_report(&no_place, CAKE_L401, (cake_span){0, 0}, "no place");

    assert_int_equal(diagnostics.error_count, 3);
    expect_text(&diagnostics, "t.cake:1:1: error[L101]: first, and a point\n"
                              "    1 | let stages = 4\n"
                              "      | ^\n"
                              "t.cake:2:10: error[L201]: 'stage' is not declared\n"
                              "    2 |     release stage\n"
                              "      |             ^^^^^\n"
                              "    1 | let stages = 4\n"
                              "      |     ------ a similar name\n"
                              "   note: nothing else is near\n"
                              "   counterexample: K = 128, k = -1\n"
                              "   fix: write 'stages'\n"
                              "t.cake:3:4: error[L101]: at the end, \\x1b\n"
                              "    3 | end\n"
                              "      |    ^\n");
    expect_text(&no_place, "error[L401]: no place\n");
}

/* Only what is near the mark is shown of a long line, and the mark stands below its place. */
static void test_long_lines_are_cut(void **state) {
    cake_arena *arena = arena_of(state);
    char line[3001];
    memset(line, 'x', 3000);
    line[3000] = '\0';
    memcpy(line + 1500, "HERE", 4);
    cake_source source = source_of(arena, line);
    cake_diagnostics diagnostics;
    cake_diagnostics_init(&diagnostics, arena, &source);
    cake_report(&diagnostics, CAKE_L101, span_of(&source, "HERE"), "m");
    cake_text text;
    cake_text_init(&text, arena);
    cake_diagnostics_text(&diagnostics, &text);
    const char *shown = strstr(cake_text_string(&text), "    1 | ...x"), *marks = strstr(shown, "\n      | ");
    assert_non_null(shown);
    assert_non_null(marks);
    assert_true(marks - shown < 200);
    assert_memory_equal(marks - 3, "...", 3);
    assert_int_equal(strstr(shown, "HERE") - shown, strstr(marks, "^^^^\n") - (marks + 1));
}

static void test_diagnostics_past_the_limit_are_counted(void **state) {
    cake_arena *arena = arena_of(state);
    cake_source source = source_of(arena, "x");
    cake_diagnostics diagnostics;
    cake_diagnostics_init(&diagnostics, arena, &source);
    size_t used = 0;
    for (int i = 0; i < 10000; i++) {
        cake_diagnostic *diagnostic = cake_report(&diagnostics, CAKE_L101, (cake_span){0, 1}, "number %d", i);
        assert_non_null(diagnostic);
        cake_diagnostic_note(&diagnostics, diagnostic, (cake_span){0, 1}, "note %d", i);
        cake_diagnostic_value(&diagnostics, diagnostic, "k", i);
        cake_diagnostic_fix(&diagnostics, diagnostic, "fix", (cake_span){0, 1}, "y");
        if (i == CAKE_DIAGNOSTIC_LIMIT) used = arena->used;
    }
    assert_int_equal(diagnostics.list.count, CAKE_DIAGNOSTIC_LIMIT);
    assert_int_equal(diagnostics.error_count, 10000);
    assert_int_equal(diagnostics.dropped, 10000 - CAKE_DIAGNOSTIC_LIMIT);
    assert_int_equal(arena->used, used);
}

static void test_diagnostics_as_json(void **state) {
    cake_arena *arena = arena_of(state);
    cake_source source = source_of(arena, "ab\ncd");
    cake_diagnostics diagnostics;
    cake_diagnostics_init(&diagnostics, arena, &source);
    cake_diagnostic *diagnostic = cake_report(&diagnostics, CAKE_L201, (cake_span){3, 5}, "bad \xff");
    diagnostic->path = "gemm/load/k";
    cake_diagnostic_note(&diagnostics, diagnostic, (cake_span){0, 1}, "here");
    cake_diagnostic_fix(&diagnostics, diagnostic, "mend", (cake_span){3, 3}, "e\tf");
    json_t *json = cake_diagnostics_json(&diagnostics);
    char *text = json_dumps(json, JSON_COMPACT);
    assert_string_equal(
        text,
        "[{\"code\":\"L201\",\"severity\":\"error\",\"category\":\"names\",\"message\":\"bad \\\\xff\","
        "\"span\":{\"file\":\"t.cake\",\"line\":2,\"col\":1,\"end_line\":2,\"end_col\":3},\"path\":\"gemm/load/k\","
        "\"observed\":false,\"related\":[{\"span\":{\"file\":\"t.cake\",\"line\":1,\"col\":1,\"end_line\":1,"
        "\"end_col\":2},\"message\":\"here\"}],\"counterexample\":null,\"fixes\":[{\"title\":\"mend\",\"edits\":[{"
        "\"span\":{\"file\":\"t.cake\",\"line\":2,"
        "\"col\":1,\"end_line\":2,\"end_col\":1},\"text\":\"e\\tf\"}],\"rechecked\":false}]}]");
    free(text);
    json_decref(json);
}

static void test_what_was_observed_as_json(void **state) {
    cake_arena *arena = arena_of(state);
    cake_diagnostics diagnostics;
    cake_diagnostics_init(&diagnostics, arena, NULL);
    cake_diagnostic *diagnostic = cake_report(&diagnostics, CAKE_S108, (cake_span){0, 0}, "hang");
    diagnostic->observed = true;
    cake_diagnostic_value(&diagnostics, diagnostic, "K", 128);
    cake_diagnostic_value(&diagnostics, diagnostic, "k", -1);
    json_t *json = cake_diagnostics_json(&diagnostics), *one = json_array_get(json, 0);
    assert_true(json_is_true(json_object_get(one, "observed")));
    char *text = json_dumps(json_object_get(one, "counterexample"), JSON_COMPACT);
    assert_string_equal(text, "{\"K\":128,\"k\":-1}");
    free(text);
    json_decref(json);
}

static void test_every_code_has_a_complete_row(void **state) {
    (void)state;
    for (cake_diagnostic_code code = 0; code < CAKE_DIAGNOSTIC_COUNT; code++) {
        const cake_diagnostic_info *info = cake_diagnostic_info_of(code);
        assert_int_equal(strlen(info->code), 4);
        assert_int_equal(cake_diagnostic_code_find(info->code), code);
        assert_true(strlen(info->category) > 0 && strlen(info->title) > 0 && strlen(info->explanation) > 0);
    }
    assert_int_equal(cake_diagnostic_code_find("Z999"), CAKE_DIAGNOSTIC_COUNT);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_arena_gives_aligned_zeroed_memory),
        TEST(test_arena_jumps_at_its_limit),
        TEST(test_vector_keeps_items_and_zeroes_new_ones),
        TEST(test_equal_names_are_one_name),
        TEST(test_text_is_escaped_for_terminals),
        TEST(test_text_grows),
        TEST(test_positions),
        TEST(test_unreadable_sources_are_told),
        TEST(test_diagnostics_as_text),
        TEST(test_long_lines_are_cut),
        TEST(test_diagnostics_past_the_limit_are_counted),
        TEST(test_diagnostics_as_json),
        TEST(test_what_was_observed_as_json),
        TEST(test_every_code_has_a_complete_row),
    };
    return cmocka_run_group_tests_name("support", tests, NULL, NULL);
}
