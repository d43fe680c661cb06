/* cp.async: each lane copies its runs of a tile; what clip leaves out becomes zero. The bytes come when the task ends;
 * the accesses are generic ones (PTX ISA 'cp.async'). */
#include <string.h>

#include "simulator/state.h"

typedef struct async_job {
    cake_sim_staging *staging;
    uint32_t count, element_bytes;
    unsigned char *global;
    int64_t *from; /* elements of the tensor; -1: zero */
    int64_t *to;   /* bytes of shared memory; -1: not this lane's */
} async_job;

static void end_async(cake_sim_task *task) {
    async_job *job = task->data;
    unsigned char *shared = task->warp->team->cta->shared;
    for (uint32_t i = 0; i < job->count; i++) {
        if (job->to[i] < 0) continue;
        if (job->from[i] < 0)
            memset(shared + job->to[i], 0, job->element_bytes);
        else
            memcpy(shared + job->to[i], job->global + job->from[i] * job->element_bytes, job->element_bytes);
        cake_sim_note_unfenced(task->warp, (uint32_t)job->to[i], job->element_bytes);
    }
    cake_sim_staging_give(cake_sim_machine_of(task->warp), job->staging);
}

static async_job *new_job(cake_sim_warp *warp, const cake_plan_async *async) {
    uint32_t count = async->layout->register_count * CAKE_SIM_LANES;
    size_t header = (sizeof(async_job) + 15) / 16 * 16;
    cake_sim_staging *staging =
        cake_sim_staging_take(cake_sim_machine_of(warp), header + 2 * (size_t)count * sizeof(int64_t));
    async_job *job = (async_job *)(void *)staging->bytes;
    *job = (async_job){.staging = staging, .count = count};
    job->from = (int64_t *)(void *)(staging->bytes + header);
    job->to = job->from + count;
    return job;
}

/* Runs of 4-bit elements are whole bytes: the even ones stand for both. */
static void pair_halves(async_job *job) {
    for (uint32_t i = 0; i < job->count; i++) {
        job->to[i] = job->to[i] < 0 || job->to[i] % 2 ? -1 : job->to[i] / 2;
        if (job->from[i] >= 0) job->from[i] /= 2;
    }
}

/* Neither place is seen by lanes that only repeat what others copy. */
static void touch_side(cake_sim_warp *warp, const cake_plan_op *op, const cake_plan_place *place,
                       const cake_sim_elements *elements, uint32_t flags) {
    if (!elements->shadow) return;
    const cake_layout *layout = op->u.async->layout;
    const cake_sim_actors *actors = &cake_sim_machine_of(warp)->actors;
    uint32_t bits = place->tensor ? 8 : cake_dtype_bits(place->buffer->dtype), cells = bits < 8 ? 1 : bits / 8;
    int64_t per_cell = bits < 8 ? 2 : 1;
    cake_sim_touch touch =
        cake_sim_touch_begin_for(warp, op, elements->shadow, place, flags | CAKE_SIM_CP_ASYNC, warp->team->cta->index,
                                 actors->async + warp->number, warp->async_commits + 1);
    for (uint32_t i = 0; i < elements->registers * CAKE_SIM_LANES; i++)
        if (elements->offsets[i] >= 0 && elements->offsets[i] % per_cell == 0 &&
            cake_sim_owns(warp, layout, i % CAKE_SIM_LANES))
            cake_sim_touch_cells(&touch, (uint64_t)(elements->offsets[i] / per_cell), cells, i % CAKE_SIM_LANES);
}

void cake_sim_async_load(cake_sim_warp *warp, const cake_plan_op *op) {
    const cake_plan_async *async = op->u.async;
    async_job *job = new_job(warp, async);
    const cake_plan_access shared = {.place = async->shared};
    cake_sim_elements elements = cake_sim_locate(warp, op, &async->global, async->layout);
    job->global = elements.memory;
    job->element_bytes = cake_sim_element_bytes(async->shared.buffer->dtype);
    memcpy(job->from, elements.offsets, job->count * sizeof *job->from);
    touch_side(warp, op, &async->global.place, &elements, 0);
    elements = cake_sim_locate(warp, op, &shared, async->layout);
    touch_side(warp, op, &async->shared, &elements, CAKE_SIM_WRITES);
    for (uint32_t i = 0; i < job->count; i++)
        job->to[i] = cake_sim_owns(warp, async->layout, i % CAKE_SIM_LANES) ? elements.offsets[i] : -1;
    if (cake_dtype_bits(async->shared.buffer->dtype) < 8) pair_halves(job);
    (void)cake_sim_task_add(warp, op, CAKE_SIM_TASK_CP_ASYNC, end_async, job, warp->async_commits + 1);
}
