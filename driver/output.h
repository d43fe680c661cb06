/* Files that appear whole or not at all. */
#ifndef CAKE_DRIVER_OUTPUT_H
#define CAKE_DRIVER_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "support/status.h"

/* Writes through a temporary in the same folder that is renamed. "-" and null are 'out'; what exists and is no regular
 * file (a device, a pipe) is written in place. */
CAKE_MUST_USE cake_status cake_output_write(cake_arena *arena, const char *path, const char *bytes, size_t size,
                                            FILE *out);

/* Whether the path is a file of its own, beside which another may stand: not standard output, no device, no pipe. */
bool cake_output_is_file(const char *path);

#endif
