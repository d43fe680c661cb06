/* The command line as data: a command, its options in order, its files.
 *
 *     static const cake_tool tool = {"cakerun", CAKE_IN(RUN) | CAKE_IN(BENCH), CAKE_COMMAND_RUN};
 *     cake_options options;
 *     cake_status status = cake_options_parse(&arena, &tool, argc, argv, &options);
 *     if (status.kind != CAKE_STATUS_OK) ...          // print the message, exit status 2
 *     int64_t seed = cake_options_number(&options, CAKE_OPTION_SEED, 0);
 *
 * An option's value follows it or is joined by '=' (for -D also directly); '--' ends options, '-' is a file. All values
 * were checked against options.def. Commands, options and choices that do not exist are answered with the nearest name.
 */
#ifndef CAKE_DRIVER_OPTIONS_H
#define CAKE_DRIVER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "support/status.h"
#include "support/vector.h"

typedef enum cake_command {
#define CAKE_COMMAND(enumerator, name, arguments, help) CAKE_COMMAND_##enumerator,
#include "driver/options.def"
#undef CAKE_COMMAND
    CAKE_COMMAND_COUNT
} cake_command;

typedef enum cake_option {
#define CAKE_OPTION(enumerator, spelling, kind, placeholder, low, high, commands, help) CAKE_OPTION_##enumerator,
#include "driver/options.def"
#undef CAKE_OPTION
    CAKE_OPTION_COUNT
} cake_option;

/* A set of commands. */
#define CAKE_IN(command) (1u << CAKE_COMMAND_##command)

typedef struct cake_tool {
    const char *name;
    uint32_t commands; /* CAKE_IN(..) of those it has */
    cake_command default_command;
} cake_tool;

typedef struct cake_option_use {
    cake_option option;
    const char *value; /* "" for a flag */
} cake_option_use;

/* -D NAME=VALUE. Values are numbers; what else they must be depends on the name. */
typedef struct cake_definition_option {
    const char *name, *text;
    bool is_integer;
    int64_t integer;
} cake_definition_option;

typedef enum cake_option_request { CAKE_REQUEST_COMMAND, CAKE_REQUEST_HELP, CAKE_REQUEST_VERSION } cake_option_request;

typedef struct cake_options {
    cake_option_request request; /* --help and --version win over all else */
    cake_command command;
    CAKE_VECTOR(const char *) files;
    CAKE_VECTOR(cake_option_use) uses;               /* in order; DEFINE not among them */
    CAKE_VECTOR(cake_definition_option) definitions; /* in order; a later one of the same name replaces the value */
} cake_options;

/* INVALID, with a message for standard error, for anything that is not as options.def says. */
CAKE_MUST_USE cake_status cake_options_parse(cake_arena *arena, const cake_tool *tool, int argc, char **argv,
                                             cake_options *out_options);

bool cake_options_has(const cake_options *options, cake_option option);
/* The last value given, or 'otherwise'. */
const char *cake_options_text(const cake_options *options, cake_option option, const char *otherwise);
int64_t cake_options_number(const cake_options *options, cake_option option, int64_t otherwise);
/* --format json */
bool cake_options_json(const cake_options *options);

/* As documents have it: "compile", "check", .. */
const char *cake_command_name(cake_command command);

void cake_options_help(const cake_tool *tool, FILE *out);

/* The candidate that is nearest to name, null if none is near. */
const char *cake_nearest_name(const char *name, const char *const *candidates, uint32_t count);

#endif
