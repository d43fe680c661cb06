/* Matrix products: wgmma and mma.
 *
 * A warp works out the rows of the accumulator that it holds. Operands come from shared memory as the unit sees it (the
 * asynchronous proxy's view for wgmma, whose products end when the task does), or from registers, taken at the issue.
 * Products are exact in f32 but for tf32 and 8-bit floats, where they are too, and are added in f32 one after the
 * other; integers wrap. tf32 takes the upper 19 bits of its operands (PTX ISA 'Alternate floating point data formats').
 */
#include <string.h>

#include "simulator/state.h"

#define CHUNK_BYTES 16 /* that a swizzle moves as a whole */

/* Where the accumulator's elements of one warp are among its rows. */
typedef struct row_table {
    uint32_t row_count, *rows; /* rows of the tile, ascending */
    uint32_t *row_of;          /* by row of the tile: index into rows, or UINT32_MAX */
    uint32_t thread[CAKE_MAX_RANK][CAKE_SIM_LANES];
} row_table;

/* A matrix in shared memory, in the order of memory: the last two dimensions. */
typedef struct shared_matrix {
    const cake_plan_place *place;
    uint32_t stage, rows, columns, element_bytes;
    int64_t origin[CAKE_MAX_RANK];
} shared_matrix;

typedef struct product_job {
    const cake_plan_matrix *matrix;
    const row_table *table;
    shared_matrix x, y;
    float *x_taken; /* [row_count][k], where x or y is in registers; mma: y too */
    float *y_taken; /* [k][n] */
    cake_sim_staging *staging;
} product_job;

/* ---- rows of a warp ---- */

static row_table *make_rows(cake_arena *arena, const cake_layout *layout, uint32_t team_warp) {
    row_table *table = CAKE_NEW(arena, row_table);
    uint32_t extent = layout->shape.extents[0];
    table->rows = CAKE_NEW_ARRAY(arena, uint32_t, extent);
    table->row_of = CAKE_NEW_ARRAY(arena, uint32_t, extent);
    cake_sim_thread_coordinates(layout, team_warp, table->thread);
    for (uint32_t r = 0; r < layout->register_count; r++)
        for (uint32_t lane = 0; lane < CAKE_SIM_LANES; lane++)
            table->row_of[layout->registers[r].at[0] + table->thread[0][lane]] = 1;
    for (uint32_t i = 0; i < extent; i++) {
        bool held = table->row_of[i];
        table->row_of[i] = held ? table->row_count : UINT32_MAX;
        if (held) table->rows[table->row_count++] = i;
    }
    return table;
}

static const row_table *rows_of(cake_sim_warp *warp, const cake_layout *layout) {
    cake_sim_launch *launch = cake_sim_launch_of(warp);
    row_table *table = cake_sim_cache_find(launch, layout->registers, warp->team_number);
    if (table) return table;
    table = make_rows(launch->arena, layout, warp->team_number);
    cake_sim_cache_put(launch, layout->registers, warp->team_number, table);
    return table;
}

/* ---- operands in shared memory ---- */

static shared_matrix open_shared(cake_sim_warp *warp, const cake_plan_op *op, const cake_plan_place *place) {
    shared_matrix m = {.place = place, .element_bytes = cake_dtype_bits(place->buffer->dtype) / 8};
    m.stage = cake_sim_stage_offset(warp, op, place);
    m.rows = place->index[place->dimensions - 2].length;
    m.columns = place->index[place->dimensions - 1].length;
    cake_sim_origin(warp, place, m.origin);
    return m;
}

/* Offset in shared memory of a row's chunk that begins with the given column. */
static uint32_t chunk_offset(const shared_matrix *m, uint32_t row, uint32_t column) {
    int64_t position[CAKE_MAX_RANK];
    memcpy(position, m->origin, sizeof position);
    position[m->place->dimensions - 2] += row;
    position[m->place->dimensions - 1] += column;
    return m->stage + cake_sim_buffer_offset(m->place->buffer, m->place->dimensions, position);
}

static float from_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void widen(cake_dtype dtype, const unsigned char *bytes, uint32_t count, float *out) {
    switch (dtype) {
    case CAKE_DTYPE_BF16:
        for (uint32_t i = 0; i < count; i++)
            out[i] = from_bits((uint32_t)bytes[2 * i] << 16 | (uint32_t)bytes[2 * i + 1] << 24);
        return;
    case CAKE_DTYPE_TF32:
        for (uint32_t i = 0; i < count; i++) {
            uint32_t bits;
            memcpy(&bits, bytes + 4 * i, sizeof bits);
            out[i] = from_bits(bits & 0xffffe000u);
        }
        return;
    case CAKE_DTYPE_I8:
        for (uint32_t i = 0; i < count; i++)
            out[i] = (float)(int8_t)bytes[i];
        return;
    case CAKE_DTYPE_U8:
        for (uint32_t i = 0; i < count; i++)
            out[i] = (float)bytes[i];
        return;
    default:
        for (uint32_t i = 0; i < count; i++)
            out[i] = cake_sim_to_float(dtype, bytes + i * cake_sim_element_bytes(dtype));
        return;
    }
}

static void read_row(const shared_matrix *m, cake_dtype dtype, const unsigned char *memory, uint32_t row, float *out) {
    uint32_t per_chunk = CHUNK_BYTES / m->element_bytes;
    for (uint32_t c = 0; c < m->columns; c += per_chunk) {
        uint32_t count = m->columns - c < per_chunk ? m->columns - c : per_chunk;
        widen(dtype, memory + chunk_offset(m, row, c), count, out + c);
    }
}

/* Of x the warp's rows: [row_count][k]. */
static void read_x(const product_job *job, const unsigned char *memory, float *out, float *line) {
    const cake_plan_matrix *matrix = job->matrix;
    const row_table *table = job->table;
    if (!matrix->x_transposed) {
        for (uint32_t i = 0; i < table->row_count; i++)
            read_row(&job->x, matrix->dtype, memory, table->rows[i], out + i * matrix->k);
        return;
    }
    for (uint32_t k = 0; k < matrix->k; k++) {
        read_row(&job->x, matrix->dtype, memory, k, line);
        for (uint32_t i = 0; i < table->row_count; i++)
            out[i * matrix->k + k] = line[table->rows[i]];
    }
}

/* Of y all: [k][n]. */
static void read_y(const product_job *job, const unsigned char *memory, float *out, float *line) {
    const cake_plan_matrix *matrix = job->matrix;
    for (uint32_t row = 0; row < job->y.rows; row++) {
        if (matrix->y_transposed) {
            read_row(&job->y, matrix->y_dtype, memory, row, out + row * matrix->n);
            continue;
        }
        read_row(&job->y, matrix->y_dtype, memory, row, line);
        for (uint32_t k = 0; k < matrix->k; k++)
            out[k * matrix->n + row] = line[k];
    }
}

static void touch_row(cake_sim_touch *touch, const shared_matrix *m, uint32_t row) {
    uint32_t per_chunk = CHUNK_BYTES / m->element_bytes;
    for (uint32_t c = 0; c < m->columns; c += per_chunk) {
        uint32_t count = m->columns - c < per_chunk ? m->columns - c : per_chunk;
        cake_sim_touch_cells(touch, chunk_offset(m, row, c), count * m->element_bytes, CAKE_SIM_ALL_LANES);
    }
}

static cake_sim_touch begin_touch(cake_sim_warp *warp, const cake_plan_op *op, const cake_plan_place *place) {
    const cake_sim_actors *actors = &cake_sim_machine_of(warp)->actors;
    cake_sim_cta *cta = warp->team->cta;
    if (op->kind == CAKE_PLAN_MMA) return cake_sim_touch_begin(warp, op, &cta->shadow, place, 0);
    return cake_sim_touch_begin_for(warp, op, &cta->shadow, place, CAKE_SIM_ASYNC, cta->index,
                                    actors->wgmma + warp->number, (uint32_t)warp->wgmma_groups + 1);
}

static void touch_operands(cake_sim_warp *warp, const cake_plan_op *op, const product_job *job) {
    const cake_plan_matrix *matrix = job->matrix;
    if (!matrix->x_registers) {
        cake_sim_touch touch = begin_touch(warp, op, &matrix->x);
        for (uint32_t i = 0; i < (matrix->x_transposed ? job->x.rows : job->table->row_count); i++)
            touch_row(&touch, &job->x, matrix->x_transposed ? i : job->table->rows[i]);
    }
    if (matrix->y_registers) return;
    cake_sim_touch touch = begin_touch(warp, op, &matrix->y);
    for (uint32_t i = 0; i < job->y.rows; i++)
        touch_row(&touch, &job->y, i);
}

/* ---- operands in registers ---- */

static void take_x(cake_sim_warp *warp, const product_job *job) {
    const cake_plan_value *x = job->matrix->x_registers;
    const unsigned char *data = cake_sim_data(warp, x);
    uint32_t bytes = cake_sim_element_bytes(x->dtype), thread[CAKE_MAX_RANK][CAKE_SIM_LANES];
    cake_sim_thread_coordinates(x->layout, warp->team_number, thread);
    for (uint32_t r = 0; r < x->layout->register_count; r++)
        for (uint32_t lane = 0; lane < CAKE_SIM_LANES; lane++) {
            uint32_t row = job->table->row_of[x->layout->registers[r].at[0] + thread[0][lane]];
            uint32_t k = x->layout->registers[r].at[1] + thread[1][lane];
            CAKE_ASSERT(row != UINT32_MAX);
            widen(job->matrix->dtype, data + (size_t)(r * CAKE_SIM_LANES + lane) * bytes, 1,
                  job->x_taken + row * job->matrix->k + k);
        }
}

/* Rows of y.T are fragments: element (n, k). */
static void take_y(cake_sim_warp *warp, const product_job *job) {
    const cake_plan_value *y = job->matrix->y_registers;
    const unsigned char *data = cake_sim_data(warp, y);
    uint32_t bytes = cake_sim_element_bytes(y->dtype), thread[CAKE_MAX_RANK][CAKE_SIM_LANES];
    cake_sim_thread_coordinates(y->layout, warp->team_number, thread);
    for (uint32_t r = 0; r < y->layout->register_count; r++)
        for (uint32_t lane = 0; lane < CAKE_SIM_LANES; lane++) {
            uint32_t n = y->layout->registers[r].at[0] + thread[0][lane];
            uint32_t k = y->layout->registers[r].at[1] + thread[1][lane];
            widen(job->matrix->y_dtype, data + (size_t)(r * CAKE_SIM_LANES + lane) * bytes, 1,
                  job->y_taken + k * job->matrix->n + n);
        }
}

/* ---- products ---- */

/* [rows][n] += [rows][k] * [k][n]. */
static void multiply(float *sums, const float *x, const float *y, uint32_t rows, uint32_t n, uint32_t k) {
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t step = 0; step < k; step++) {
            float a = x[i * k + step];
            const float *line = y + (size_t)step * n;
            float *out = sums + (size_t)i * n;
            for (uint32_t j = 0; j < n; j++)
                out[j] += a * line[j];
        }
}

/* 8-bit integers as floats are exact; their products are added as integers. */
static void multiply_integers(int32_t *sums, const float *x, const float *y, uint32_t rows, uint32_t n, uint32_t k) {
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t step = 0; step < k; step++) {
            float a = x[i * k + step];
            const float *line = y + (size_t)step * n;
            int32_t *out = sums + (size_t)i * n;
            for (uint32_t j = 0; j < n; j++)
                out[j] = (int32_t)((uint32_t)out[j] + (uint32_t)(int32_t)(a * line[j]));
        }
}

/* Both ways between the accumulator's registers and rows of 4-byte elements. */
static void move_sums(const product_job *job, unsigned char *registers, unsigned char *sums, bool to_registers) {
    const cake_layout *layout = job->matrix->accumulator->layout;
    for (uint32_t r = 0; r < layout->register_count; r++)
        for (uint32_t lane = 0; lane < CAKE_SIM_LANES; lane++) {
            uint32_t row = job->table->row_of[layout->registers[r].at[0] + job->table->thread[0][lane]];
            uint32_t column = layout->registers[r].at[1] + job->table->thread[1][lane];
            unsigned char *element = registers + (size_t)(r * CAKE_SIM_LANES + lane) * 4;
            unsigned char *sum = sums + ((size_t)row * job->matrix->n + column) * 4;
            memcpy(to_registers ? element : sum, to_registers ? sum : element, 4);
        }
}

static void compute(cake_sim_warp *warp, const product_job *job, const unsigned char *memory) {
    const cake_plan_matrix *matrix = job->matrix;
    uint32_t rows = job->table->row_count, n = matrix->n, k = matrix->k;
    uint32_t widest = job->x.columns > job->y.columns ? job->x.columns : job->y.columns;
    size_t floats = (size_t)rows * n + (size_t)rows * k + (size_t)k * n + widest + CHUNK_BYTES;
    cake_sim_staging *scratch = cake_sim_staging_take(cake_sim_machine_of(warp), floats * sizeof(float));
    float *sums = (float *)(void *)scratch->bytes, *x = sums + (size_t)rows * n, *y = x + (size_t)rows * k;
    float *line = y + (size_t)k * n;
    cake_sim_variable *accumulator = cake_sim_variable_of(warp, matrix->accumulator);
    if (matrix->fresh)
        memset(sums, 0, (size_t)rows * n * sizeof *sums);
    else
        move_sums(job, accumulator->data, scratch->bytes, false);
    if (!matrix->x_registers) read_x(job, memory, x, line);
    if (!matrix->y_registers) read_y(job, memory, y, line);
    const float *left = matrix->x_registers ? job->x_taken : x, *right = matrix->y_registers ? job->y_taken : y;
    if (matrix->accumulator->dtype == CAKE_DTYPE_I32)
        multiply_integers((int32_t *)(void *)sums, left, right, rows, n, k);
    else
        multiply(sums, left, right, rows, n, k);
    move_sums(job, accumulator->data, scratch->bytes, true);
    cake_sim_staging_give(cake_sim_machine_of(warp), scratch);
}

/* ---- statements ---- */

static product_job *new_job(cake_sim_warp *warp, const cake_plan_op *op) {
    const cake_plan_matrix *matrix = op->u.matrix;
    const row_table *table = rows_of(warp, matrix->accumulator->layout);
    size_t header = (sizeof(product_job) + 15) / 16 * 16;
    size_t x = matrix->x_registers ? (size_t)table->row_count * matrix->k : 0;
    size_t y = matrix->y_registers ? (size_t)matrix->k * matrix->n : 0;
    cake_sim_staging *staging = cake_sim_staging_take(cake_sim_machine_of(warp), header + (x + y) * sizeof(float));
    product_job *job = (product_job *)(void *)staging->bytes;
    *job = (product_job){.matrix = matrix, .table = table, .staging = staging};
    job->x_taken = (float *)(void *)(staging->bytes + header);
    job->y_taken = job->x_taken + x;
    if (matrix->x_registers)
        take_x(warp, job);
    else
        job->x = open_shared(warp, op, &matrix->x);
    if (matrix->y_registers)
        take_y(warp, job);
    else
        job->y = open_shared(warp, op, &matrix->y);
    touch_operands(warp, op, job);
    return job;
}

/* A register that nobody wrote is added to. */
static void check_accumulator(cake_sim_warp *warp, const cake_plan_op *op) {
    const cake_plan_variable *variable = op->u.matrix->accumulator;
    cake_sim_variable *accumulator = cake_sim_variable_of(warp, variable);
    for (uint32_t r = 0; r < variable->layout->register_count; r++) {
        if (!op->u.matrix->fresh && !accumulator->written[r])
            (void)cake_sim_fault(warp, op, CAKE_S102, "'%s' is added to, and has no first value", variable->name);
        accumulator->written[r] = true;
    }
}

void cake_sim_mma(cake_sim_warp *warp, const cake_plan_op *op) {
    product_job *job = new_job(warp, op);
    check_accumulator(warp, op);
    compute(warp, job, warp->team->cta->shared);
    cake_sim_staging_give(cake_sim_machine_of(warp), job->staging);
}

static void end_wgmma(cake_sim_task *task) {
    product_job *job = task->data;
    compute(task->warp, job, task->warp->team->cta->async_view);
    cake_sim_staging_give(cake_sim_machine_of(task->warp), job->staging);
}

void cake_sim_wgmma(cake_sim_warp *warp, const cake_plan_op *op) {
    product_job *job = new_job(warp, op);
    check_accumulator(warp, op);
    warp->wgmma_open++;
    warp->busy[op->u.matrix->accumulator->number] = warp->wgmma_groups + 1;
    (void)cake_sim_task_add(warp, op, CAKE_SIM_TASK_WGMMA, end_wgmma, job, warp->wgmma_groups);
}
