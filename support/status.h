/* Status: what the environment answered.
 *
 * For files, memory, drivers and tools only. What is wrong with the user's schedule is a diagnostic (diagnostic.h),
 * what is wrong with us an assertion (CAKE_ASSERT). A status is returned by value and must be looked at.
 */
#ifndef CAKE_SUPPORT_STATUS_H
#define CAKE_SUPPORT_STATUS_H

#include "support/arena.h"

typedef enum cake_status_kind {
    CAKE_STATUS_OK,
    CAKE_STATUS_UNAVAILABLE, /* a file, tool, library, GPU or permission is missing */
    CAKE_STATUS_NO_MEMORY,
    CAKE_STATUS_FAILED, /* it was there and answered with an error */
    CAKE_STATUS_TIMEOUT,
    CAKE_STATUS_INVALID /* the caller's data is wrong: a damaged manifest, dimensions outside the contract */
} cake_status_kind;

typedef struct cake_status {
    cake_status_kind kind;
    char message[500]; /* one sentence: what failed, with which answer, and what to do; "" when OK */
} cake_status;

cake_status cake_status_ok(void);
cake_status cake_status_make(cake_status_kind kind, const char *format, ...) CAKE_PRINTF(2, 3);

/* A bug of ours: says where on standard error and ends the process with status 4. Stays on in release builds. */
#define CAKE_ASSERT(condition) ((condition) ? (void)0 : cake_assert_failed(#condition, __FILE__, __LINE__))
void cake_assert_failed(const char *condition, const char *file, int line) CAKE_NORETURN;

#endif
