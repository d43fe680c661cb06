/* Calls: a sequence of steps, of one launch for a kernel. Internal to runtime/. */
#ifndef CAKE_RUNTIME_CALL_H
#define CAKE_RUNTIME_CALL_H

#include "runtime/launch.h"

typedef enum cake_call_step_kind { CAKE_CALL_FILL, CAKE_CALL_LAUNCH } cake_call_step_kind;

/* Memory set to one element again and again. */
typedef struct cake_call_fill {
    cake_address to;
    uint64_t count; /* elements */
    uint32_t bytes; /* of one: 1, 2, 4 or 8 */
    uint64_t value;
} cake_call_fill;

typedef struct cake_call_step {
    cake_call_step_kind kind;
    cake_call_fill fill;
    cake_launch *launch;
} cake_call_step;

struct cake_call {
    const cake_device *device;
    cake_arena arena; /* of steps, arguments and what they point at */
    CAKE_VECTOR(cake_call_step) steps;
    cake_address temporaries; /* one block, or 0 */
};

/* Adds the steps of program number 'index' and allocates its temporaries. */
CAKE_MUST_USE cake_status cake_program_prepare(cake_call *call, const cake_image *image, uint32_t index,
                                               const cake_call_request *request);

#endif
