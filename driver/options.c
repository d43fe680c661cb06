#include "driver/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef enum option_kind { FLAG, TEXT, NUMBER, CHOICE, DEFINITION } option_kind;

static const struct {
    const char *name, *arguments, *help;
} commands[] = {
#define CAKE_COMMAND(enumerator, name, arguments, help) {name, arguments, help},
#include "driver/options.def"
#undef CAKE_COMMAND
};

static const struct {
    const char *spelling;
    option_kind kind;
    const char *placeholder;
    int64_t low, high;
    uint32_t commands;
    const char *help;
} options_table[] = {
#define CAKE_OPTION(enumerator, spelling, kind, placeholder, low, high, commands, help)                                \
    {spelling, kind, placeholder, low, high, commands, help},
#include "driver/options.def"
#undef CAKE_OPTION
};

/* ---- nearest names ---- */

#define NAME_LIMIT 64

static size_t smallest(size_t a, size_t b, size_t c) {
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Levenshtein's distance, row by row, upper and lower case alike. */
static size_t edit_distance(const char *a, const char *b) {
    size_t row[NAME_LIMIT + 1];
    size_t a_size = strlen(a), b_size = strlen(b);
    if (a_size > NAME_LIMIT || b_size > NAME_LIMIT) return SIZE_MAX;
    for (size_t k = 0; k <= b_size; k++)
        row[k] = k;
    for (size_t i = 1; i <= a_size; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t k = 1; k <= b_size; k++) {
            size_t above = row[k];
            row[k] = smallest(above + 1, row[k - 1] + 1, diagonal + (lower(a[i - 1]) != lower(b[k - 1])));
            diagonal = above;
        }
    }
    return row[b_size];
}

const char *cake_nearest_name(const char *name, const char *const *candidates, uint32_t count) {
    const char *nearest = NULL;
    size_t least = (strlen(name) + 4) / 3; /* what is not nearer is another word */
    for (uint32_t i = 0; i < count; i++) {
        size_t distance = edit_distance(name, candidates[i]);
        if (distance >= least) continue;
        least = distance;
        nearest = candidates[i];
    }
    return nearest;
}

static cake_status unknown(const char *what, const char *name, const char *const *candidates, uint32_t count) {
    const char *nearest = cake_nearest_name(name, candidates, count);
    return cake_status_make(CAKE_STATUS_INVALID, "unknown %s '%.100s'%s%s%s", what, name,
                            nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

const char *cake_command_name(cake_command command) {
    return *commands[command].name ? commands[command].name : "compile";
}

static bool command_is_of(const cake_tool *tool, uint32_t command) {
    return tool->commands >> command & 1u;
}

static cake_status unknown_command(const cake_tool *tool, const char *name) {
    const char *candidates[CAKE_COMMAND_COUNT];
    uint32_t count = 0;
    for (uint32_t i = 0; i < CAKE_COMMAND_COUNT; i++)
        if (command_is_of(tool, i)) candidates[count++] = commands[i].name;
    return unknown("command", name, candidates, count);
}

/* Is the word this option, alone or with a value joined to it, by '=' or directly to -D? Gives the joined value. */
static const char *match_option(const char *word, uint32_t option, bool *out_matches) {
    size_t size = strlen(options_table[option].spelling);
    bool begins = strncmp(word, options_table[option].spelling, size) == 0;
    bool joined = begins && (word[size] == '=' || (options_table[option].kind == DEFINITION && word[size]));
    *out_matches = begins && (joined || !word[size]);
    return joined ? word + size + (word[size] == '=') : NULL;
}

static cake_status unknown_option(const char *word, uint32_t command) {
    const char *candidates[CAKE_OPTION_COUNT + 2] = {"--help", "--version"};
    uint32_t count = 2;
    for (uint32_t i = 0; i < CAKE_OPTION_COUNT; i++) {
        bool elsewhere;
        (void)match_option(word, i, &elsewhere);
        if (elsewhere)
            return cake_status_make(CAKE_STATUS_INVALID, "%s is no option of '%s'", options_table[i].spelling,
                                    cake_command_name((cake_command)command));
        if (options_table[i].commands >> command & 1u) candidates[count++] = options_table[i].spelling;
    }
    return unknown("option", word, candidates, count);
}

/* ---- values ---- */

static bool parse_integer(const char *text, int64_t *out_value) {
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 0);
    if (errno || end == text || *end) return false;
    *out_value = value;
    return true;
}

static bool is_number(const char *text) {
    char *end;
    (void)strtod(text, &end);
    return end != text && !*end;
}

static cake_status check_number(uint32_t option, const char *value) {
    int64_t number;
    if (parse_integer(value, &number) && number >= options_table[option].low && number <= options_table[option].high)
        return cake_status_ok();
    return cake_status_make(CAKE_STATUS_INVALID, "%s takes an integer from %lld to %lld, not '%.60s'",
                            options_table[option].spelling, (long long)options_table[option].low,
                            (long long)options_table[option].high, value);
}

/* The value must be one of the words between the bars of the placeholder. */
static cake_status check_choice(uint32_t option, const char *value) {
    size_t size = strlen(value);
    for (const char *word = options_table[option].placeholder; word; word = strchr(word, '|')) {
        word += *word == '|';
        if (strcspn(word, "|") == size && memcmp(word, value, size) == 0) return cake_status_ok();
    }
    return cake_status_make(CAKE_STATUS_INVALID, "%s takes %s, not '%.60s'", options_table[option].spelling,
                            options_table[option].placeholder, value);
}

static cake_status add_definition(cake_arena *arena, const char *value, cake_options *options) {
    const char *equals = strchr(value, '=');
    if (!equals || equals == value || !is_number(equals + 1))
        return cake_status_make(CAKE_STATUS_INVALID, "-D takes NAME=NUMBER, not '%.100s'", value);
    cake_definition_option definition = {.name = cake_arena_copy(arena, value, (size_t)(equals - value)),
                                         .text = equals + 1};
    definition.is_integer = parse_integer(definition.text, &definition.integer);
    for (uint32_t i = 0; i < options->definitions.count; i++) {
        if (strcmp(options->definitions.items[i].name, definition.name) != 0) continue;
        options->definitions.items[i] = definition;
        return cake_status_ok();
    }
    *CAKE_PUSH(arena, &options->definitions) = definition;
    return cake_status_ok();
}

static cake_status add_use(cake_arena *arena, uint32_t option, const char *value, cake_options *options) {
    cake_status status = cake_status_ok();
    switch (options_table[option].kind) {
    case DEFINITION:
        return add_definition(arena, value, options);
    case NUMBER:
        status = check_number(option, value);
        break;
    case CHOICE:
        status = check_choice(option, value);
        break;
    case FLAG:
    case TEXT:
        break;
    }
    if (status.kind == CAKE_STATUS_OK)
        *CAKE_PUSH(arena, &options->uses) = (cake_option_use){(cake_option)option, value};
    return status;
}

/* ---- parsing ---- */

typedef struct argument_cursor {
    int argc;
    char **argv;
    int next;
} argument_cursor;

static cake_status parse_option(cake_arena *arena, argument_cursor *cursor, cake_options *options) {
    const char *word = cursor->argv[cursor->next++], *value = NULL;
    uint32_t option = 0;
    for (bool found = false; option < CAKE_OPTION_COUNT; option++) {
        value = match_option(word, option, &found);
        if (found && options_table[option].commands >> options->command & 1u) break;
    }
    if (option == CAKE_OPTION_COUNT) return unknown_option(word, options->command);
    if (options_table[option].kind == FLAG) {
        if (value) return cake_status_make(CAKE_STATUS_INVALID, "%s takes no value", options_table[option].spelling);
        return add_use(arena, option, "", options);
    }
    if (!value && cursor->next == cursor->argc)
        return cake_status_make(CAKE_STATUS_INVALID, "%s needs %s", options_table[option].spelling,
                                options_table[option].placeholder);
    return add_use(arena, option, value ? value : cursor->argv[cursor->next++], options);
}

/* The command word, if the first argument is one. A word that is neither path nor option, with a file behind it, was
 * meant as one. */
static cake_status parse_command(const cake_tool *tool, argument_cursor *cursor, cake_options *options) {
    options->command = tool->default_command;
    if (cursor->argc < 2 || cursor->argv[1][0] == '-') return cake_status_ok();
    const char *word = cursor->argv[1];
    for (uint32_t i = 0; i < CAKE_COMMAND_COUNT; i++) {
        if (!command_is_of(tool, i) || !*commands[i].name || strcmp(commands[i].name, word) != 0) continue;
        options->command = (cake_command)i;
        cursor->next++;
        return cake_status_ok();
    }
    bool is_word = word[strcspn(word, "./")] == '\0';
    if (is_word && cursor->argc > 2 && cursor->argv[2][0] != '-') return unknown_command(tool, word);
    return cake_status_ok();
}

/* --help and --version anywhere before '--'. */
static cake_option_request find_request(int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return CAKE_REQUEST_HELP;
        if (strcmp(argv[i], "--version") == 0) return CAKE_REQUEST_VERSION;
    }
    return CAKE_REQUEST_COMMAND;
}

cake_status cake_options_parse(cake_arena *arena, const cake_tool *tool, int argc, char **argv,
                               cake_options *out_options) {
    cake_options options = {.request = find_request(argc, argv)};
    argument_cursor cursor = {argc, argv, 1};
    cake_status status = cake_status_ok();
    if (options.request == CAKE_REQUEST_COMMAND) status = parse_command(tool, &cursor, &options);
    bool only_files = options.request != CAKE_REQUEST_COMMAND;
    while (status.kind == CAKE_STATUS_OK && cursor.next < argc) {
        const char *word = argv[cursor.next];
        if (!only_files && strcmp(word, "--") == 0) {
            only_files = true;
            cursor.next++;
        } else if (!only_files && word[0] == '-' && word[1]) {
            status = parse_option(arena, &cursor, &options);
        } else {
            *CAKE_PUSH(arena, &options.files) = word;
            cursor.next++;
        }
    }
    *out_options = options;
    return status;
}

/* ---- reading ---- */

bool cake_options_has(const cake_options *options, cake_option option) {
    return cake_options_text(options, option, NULL) != NULL;
}

const char *cake_options_text(const cake_options *options, cake_option option, const char *otherwise) {
    const char *value = otherwise;
    for (uint32_t i = 0; i < options->uses.count; i++)
        if (options->uses.items[i].option == option) value = options->uses.items[i].value;
    return value;
}

int64_t cake_options_number(const cake_options *options, cake_option option, int64_t otherwise) {
    const char *text = cake_options_text(options, option, NULL);
    int64_t value = otherwise;
    return text && parse_integer(text, &value) ? value : otherwise;
}

bool cake_options_json(const cake_options *options) {
    return strcmp(cake_options_text(options, CAKE_OPTION_FORMAT, "text"), "json") == 0;
}

static void print_command_help(const cake_tool *tool, uint32_t command, FILE *out) {
    const char *name = commands[command].name;
    fprintf(out, "  %s%s%s %s [options]: %s\n", tool->name, *name ? " " : "", name, commands[command].arguments,
            commands[command].help);
    for (uint32_t i = 0; i < CAKE_OPTION_COUNT; i++)
        if (options_table[i].commands >> command & 1u)
            fprintf(out, "      %-12s %-10s %s\n", options_table[i].spelling, options_table[i].placeholder,
                    options_table[i].help);
}

void cake_options_help(const cake_tool *tool, FILE *out) {
    fprintf(out, "usage:\n");
    for (uint32_t i = 0; i < CAKE_COMMAND_COUNT; i++)
        if (command_is_of(tool, i)) print_command_help(tool, i, out);
    fprintf(out, "  %s --version | --help\n", tool->name);
}
