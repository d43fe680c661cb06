#include "support/status.h"

#include <stdio.h>
#include <stdlib.h>

cake_status cake_status_ok(void) {
    return (cake_status){.kind = CAKE_STATUS_OK};
}

cake_status cake_status_make(cake_status_kind kind, const char *format, ...) {
    cake_status status = {.kind = kind};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(status.message, sizeof status.message, format, arguments);
    va_end(arguments);
    return status;
}

/* The exit status that the command line promises for bugs of ours. */
#define EXIT_BUG 4

void cake_assert_failed(const char *condition, const char *file, int line) {
    fprintf(stderr, "cake: internal error at %s:%d: '%s' does not hold; this is a bug of cake, please report it\n",
            file, line, condition);
    _Exit(EXIT_BUG);
}
