/* What 'run' and 'bench' ask of a device, and what they learn from it: the two halves of one process tree meet here.
 *
 * The job is made before the fork and only read behind it; everything else comes back in messages. Internal to driver/.
 */
#ifndef CAKE_DRIVER_RUN_JOB_H
#define CAKE_DRIVER_RUN_JOB_H

#include "driver/run_command.h"
#include "runtime/libcake.h"

typedef struct cake_run_tensor {
    const char *name;
    cake_tensor_mode mode;
    const void *data; /* contents before the launch; null for 0 bytes */
    uint64_t bytes;
} cake_run_tensor;

typedef struct cake_run_job {
    const cake_run_code *code;
    const char *kernel; /* or program */
    CAKE_VECTOR(cake_binding) dimensions;
    CAKE_VECTOR(cake_run_tensor) tensors; /* in the manifest's order */
    CAKE_VECTOR(cake_scalar_argument) scalars;
    uint64_t temporary_bytes; /* that each call of a program allocates */
    uint32_t device;          /* ordinal */
    bool bench, cold;
    uint32_t reps; /* bench */
} cake_run_job;

/* What the child is at; said before it begins, so that a hang has a place. */
typedef enum cake_run_stage {
    CAKE_RUN_OPENING,
    CAKE_RUN_LOADING,
    CAKE_RUN_FILLING,
    CAKE_RUN_RUNNING,
    CAKE_RUN_READING
} cake_run_stage;

typedef enum cake_run_message {
    CAKE_RUN_MESSAGE_STAGE,  /* index: the stage; no bytes */
    CAKE_RUN_MESSAGE_ALIVE,  /* no bytes */
    CAKE_RUN_MESSAGE_DEVICE, /* cake_device_info */
    CAKE_RUN_MESSAGE_OUTPUT, /* index: tensor; its contents after the launch */
    CAKE_RUN_MESSAGE_DAMAGE, /* index: tensor; cake_run_damage */
    CAKE_RUN_MESSAGE_TIMES,  /* index: how many sets of tensors were in turn; reps doubles, microseconds */
    CAKE_RUN_MESSAGE_STATUS  /* cake_status: how it went; the last message */
} cake_run_message;

/* Bytes around a tensor that the kernel has changed: how many, and the distance of the nearest. */
typedef struct cake_run_damage {
    uint64_t before, after;
} cake_run_damage;

/* In the child: does the job and sends what comes of it. */
void cake_run_on_device(const cake_run_job *job, int channel);

#endif
