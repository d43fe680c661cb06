/* Bulk tensor copies: boxes between tensors and shared memory (PTX ISA 'cp.async.bulk.tensor'; swizzling: 'Tensor
 * swizzling modes').
 *
 * The elected lane issues a copy; from then on it is an access of its own, ordered by what the issuer knew. Bytes move
 * when the task ends. What lies outside the tensor reads as zero, and counts as bytes that came; it is never written.
 */
#include <string.h>

#include "simulator/state.h"

/* A row of a box: elements along the last dimension. */
typedef struct box_row {
    uint32_t shared;      /* bytes from the box's origin, before swizzling */
    int64_t global;       /* element of the tensor that the first inside one is */
    uint32_t first, last; /* those inside: first <= i < last */
} box_row;

typedef struct box_walk {
    const cake_plan_box *box;
    uint8_t rank;
    uint32_t row_bytes, rows;
    int64_t at[CAKE_MAX_RANK]; /* coordinates of the box */
    int64_t extents[CAKE_MAX_RANK], strides[CAKE_MAX_RANK];
} box_walk;

static uint32_t clamp(int64_t value, uint32_t most) {
    return value < 0 ? 0 : value > most ? most : (uint32_t)value;
}

static box_row row_of(const box_walk *walk, uint32_t number) {
    uint8_t last = (uint8_t)(walk->rank - 1);
    uint32_t columns = walk->box->map->box[last];
    box_row row = {.shared = number * walk->row_bytes};
    bool inside = true;
    for (uint8_t d = last; d-- > 0;) {
        int64_t at = walk->at[d] + number % walk->box->map->box[d];
        number /= walk->box->map->box[d];
        inside = inside && at >= 0 && at < walk->extents[d];
        row.global += at * walk->strides[d];
    }
    if (!inside) return row;
    row.first = clamp(-walk->at[last], columns);
    row.last = clamp(walk->extents[last] - walk->at[last], columns);
    if (row.last < row.first) row.last = row.first;
    row.global += (walk->at[last] + row.first) * walk->strides[last];
    return row;
}

/* Where byte 'at' of shared memory really is. */
static uint32_t swizzled(uint32_t at, uint32_t swizzle) {
    return swizzle ? at ^ (at >> 7 & (swizzle / 16 - 1)) << 4 : at;
}

/* Moves bytes of a row, which is dense but for the swizzle of 16-byte chunks. */
static void move_row(unsigned char *memory, uint32_t at, uint32_t swizzle, unsigned char *row, uint32_t bytes,
                     bool to_shared) {
    while (bytes) {
        uint32_t part = 16 - at % 16 < bytes ? 16 - at % 16 : bytes, real = swizzled(at, swizzle);
        if (to_shared)
            memcpy(memory + real, row, part);
        else
            memcpy(row, memory + real, part);
        at += part;
        row += part;
        bytes -= part;
    }
}

/* ---- jobs ---- */

typedef struct copy_job {
    box_walk walk;
    cake_sim_cta *cta; /* whose shared memory */
    uint32_t origin;   /* in it */
    uint32_t element_bits;
    unsigned char *global;
    cake_sim_mbarrier *barrier;       /* loads */
    cake_sim_staging *staging, *rows; /* the job's own; stores: what was read */
} copy_job;

/* Elements of 4 bits are copied in pairs. */
static size_t bytes_of(const copy_job *job, int64_t elements) {
    return (size_t)(elements * job->element_bits / 8);
}

static copy_job *new_job(cake_sim_warp *warp, const cake_plan_op *op, const cake_plan_box *box, cake_sim_cta *cta) {
    const cake_plan_copy *copy = op->u.copy;
    cake_sim_launch *launch = cake_sim_launch_of(warp);
    const cake_plan_tensor *tensor = copy->global.tensor;
    cake_sim_staging *staging = cake_sim_staging_take(cake_sim_machine_of(warp), sizeof(copy_job));
    copy_job *job = (copy_job *)(void *)staging->bytes;
    *job = (copy_job){.cta = cta, .staging = staging, .global = launch->memory[tensor->number]};
    job->element_bits = cake_dtype_bits(tensor->dtype);
    box_walk *walk = &job->walk;
    *walk = (box_walk){.box = box,
                       .rank = tensor->rank,
                       .rows = 1,
                       .row_bytes = (uint32_t)bytes_of(job, box->map->box[tensor->rank - 1])};
    for (uint8_t d = 0; d < tensor->rank; d++) {
        walk->extents[d] = cake_sim_integer(warp, tensor->extents[d]); /* a view has its own */
        walk->strides[d] = cake_sim_integer(warp, tensor->strides[d]);
        walk->at[d] = cake_sim_integer(warp, copy->global.index[d].base) + box->shift[d];
        if (d + 1 < tensor->rank) walk->rows *= box->map->box[d];
    }
    int64_t position[CAKE_MAX_RANK];
    cake_sim_origin(warp, &copy->shared, position);
    job->origin = cake_sim_stage_offset(warp, op, &copy->shared) +
                  cake_sim_buffer_offset(copy->shared.buffer, copy->shared.dimensions, position) + box->shared_offset;
    return job;
}

/* Records the elements of the tensor that a box touches. */
static void touch_global(cake_sim_warp *warp, const cake_plan_op *op, const copy_job *job, uint32_t flags, uint32_t cta,
                         uint32_t actor, uint32_t clock) {
    const cake_plan_place *place = &op->u.copy->global;
    cake_sim_shadow *shadow = cake_sim_launch_of(warp)->shadows[place->tensor->number];
    if (!shadow) return;
    cake_sim_touch touch = cake_sim_touch_begin_for(warp, op, shadow, place, flags, cta, actor, clock);
    touch.knows = cake_sim_elected_knowledge(warp);
    for (uint32_t i = 0; i < job->walk.rows; i++) {
        box_row row = row_of(&job->walk, i);
        if (row.last > row.first) cake_sim_touch_cells(&touch, (uint64_t)row.global, row.last - row.first, 0);
    }
}

static void touch_shared(cake_sim_warp *warp, const cake_plan_op *op, const copy_job *job, uint32_t flags,
                         uint32_t actor, uint32_t clock) {
    cake_sim_touch touch = cake_sim_touch_begin_for(warp, op, &job->cta->shadow, &op->u.copy->shared, flags,
                                                    job->cta->index, actor, clock);
    touch.knows = cake_sim_elected_knowledge(warp);
    cake_sim_touch_cells(&touch, job->origin, (uint64_t)job->walk.rows * job->walk.row_bytes, 0);
}

/* ---- loads ---- */

static void end_load(cake_sim_task *task) {
    copy_job *job = task->data;
    cake_sim_machine *machine = cake_sim_machine_of(task->warp);
    uint32_t swizzle = job->walk.box->map->swizzle;
    cake_sim_staging *row_memory = cake_sim_staging_take(machine, job->walk.row_bytes);
    if (job->cta->ended)
        (void)cake_sim_fault(task->warp, task->op, CAKE_S114, "a copy comes to CTA %u of the cluster, which has ended",
                             job->cta->rank);
    for (uint32_t i = 0; i < job->walk.rows && !job->cta->ended; i++) {
        box_row row = row_of(&job->walk, i);
        memset(row_memory->bytes, 0, job->walk.row_bytes);
        if (row.last > row.first)
            memcpy(row_memory->bytes + bytes_of(job, row.first), job->global + bytes_of(job, row.global),
                   bytes_of(job, row.last - row.first));
        move_row(job->cta->shared, job->origin + row.shared, swizzle, row_memory->bytes, job->walk.row_bytes, true);
        move_row(job->cta->async_view, job->origin + row.shared, swizzle, row_memory->bytes, job->walk.row_bytes, true);
    }
    cake_sim_hear(machine, &job->barrier->gathering.order, job->cta->index, (uint32_t)task->group,
                  (uint32_t)job->barrier->phases + 1);
    cake_sim_mbarrier_complete_bytes(machine, job->barrier, job->walk.box->bytes);
    cake_sim_staging_give(machine, row_memory);
    cake_sim_staging_give(machine, job->staging);
}

static void load_box(cake_sim_warp *warp, const cake_plan_op *op, const cake_plan_box *box, cake_sim_cta *cta) {
    const cake_plan_pipeline *pipeline = op->u.copy->shared.buffer->pipeline;
    const cake_sim_slots *slots = &warp->slots[pipeline->number];
    uint32_t slot = slots->acquired ? (uint32_t)((slots->acquired - 1) % pipeline->stages) : 0;
    cake_sim_pipeline_state *state = &cta->pipelines[pipeline->number];
    copy_job *job = new_job(warp, op, box, cta);
    uint32_t actor = state->first_actor + slot, clock = (uint32_t)state->full[slot].phases + 1;
    job->barrier = &state->full[slot];
    touch_shared(warp, op, job, CAKE_SIM_WRITES | CAKE_SIM_ASYNC, actor, clock);
    touch_global(warp, op, job, CAKE_SIM_ASYNC, cta->index, actor, clock);
    (void)cake_sim_task_add(warp, op, CAKE_SIM_TASK_TMA_LOAD, end_load, job, actor);
}

/* ---- stores ---- */

static void end_write(cake_sim_task *task) {
    copy_job *job = task->data;
    const cake_plan_copy *copy = task->op->u.copy;
    cake_sim_machine *machine = cake_sim_machine_of(task->warp);
    for (uint32_t i = 0; i < job->walk.rows; i++) {
        box_row row = row_of(&job->walk, i);
        const unsigned char *from = job->rows->bytes + row.shared + bytes_of(job, row.first);
        unsigned char *to = job->global + bytes_of(job, row.global);
        if (!copy->reduce) memcpy(to, from, bytes_of(job, row.last - row.first));
        for (uint32_t k = 0; copy->reduce && k < row.last - row.first; k++)
            cake_sim_combine(cake_sim_atomic_op(copy->reduce), copy->global.tensor->dtype, to + bytes_of(job, k),
                             from + bytes_of(job, k), NULL);
    }
    cake_sim_staging_give(machine, job->rows);
    cake_sim_staging_give(machine, job->staging);
}

static void end_read(cake_sim_task *task) {
    copy_job *job = task->data;
    cake_sim_machine *machine = cake_sim_machine_of(task->warp);
    job->rows = cake_sim_staging_take(machine, (size_t)job->walk.rows * job->walk.row_bytes);
    for (uint32_t i = 0; i < job->walk.rows; i++)
        move_row(job->cta->async_view, job->origin + i * job->walk.row_bytes, job->walk.box->map->swizzle,
                 job->rows->bytes + (size_t)i * job->walk.row_bytes, job->walk.row_bytes, false);
    (void)cake_sim_task_add(task->warp, task->op, CAKE_SIM_TASK_BULK_WRITE, end_write, job, task->group);
}

static void store_box(cake_sim_warp *warp, const cake_plan_op *op, const cake_plan_box *box) {
    const cake_sim_actors *actors = &cake_sim_machine_of(warp)->actors;
    copy_job *job = new_job(warp, op, box, warp->team->cta);
    uint32_t clock = (uint32_t)warp->bulk_groups + 1, atomic = op->u.copy->reduce ? CAKE_SIM_ATOMIC : 0;
    touch_shared(warp, op, job, CAKE_SIM_ASYNC, actors->bulk_read + warp->number, clock);
    touch_global(warp, op, job, CAKE_SIM_WRITES | CAKE_SIM_ASYNC | atomic, warp->team->cta->index,
                 actors->bulk_write + warp->number, clock);
    warp->bulk_open++;
    (void)cake_sim_task_add(warp, op, CAKE_SIM_TASK_BULK_READ, end_read, job, warp->bulk_groups);
}

void cake_sim_copy(cake_sim_warp *warp, const cake_plan_op *op) {
    cake_sim_machine *machine = cake_sim_machine_of(warp);
    const cake_plan_copy *copy = op->u.copy;
    cake_sim_cta *own = warp->team->cta;
    if (!cake_sim_elected(warp)) return;
    uint32_t first = copy->multicast ? own->index - own->rank : own->index;
    uint32_t count = copy->multicast ? machine->plan->launch.cluster : 1;
    for (uint32_t i = 0; i < copy->boxes.count; i++) {
        if (op->kind == CAKE_PLAN_TMA_STORE) store_box(warp, op, &copy->boxes.items[i]);
        for (uint32_t k = first; op->kind == CAKE_PLAN_TMA_LOAD && k < first + count; k++)
            load_box(warp, op, &copy->boxes.items[i], &machine->ctas[k]);
    }
}
