/* Data of a case. Every element is a function of seed, tensor name and index alone, so neither order nor the other
 * tensors matter. Only integers, multiplication and addition are used: the same bytes come out everywhere. */
#include <math.h>
#include <string.h>

#include "oracle/case.h"
#include "oracle/number.h"

uint64_t cake_random_bits(uint64_t stream, uint64_t index) {
    uint64_t x = stream + (index + 1) * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

uint64_t cake_random_stream(uint64_t seed, const char *name) {
    uint64_t hash = UINT64_C(0xCBF29CE484222325); /* FNV-1a */
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001B3);
    return cake_random_bits(hash, seed);
}

/* In [0, 1). */
static double unit_uniform(uint64_t stream, uint64_t index) {
    return (double)(cake_random_bits(stream, index) >> 11) * 0x1p-53;
}

/* The sum of eight uniform numbers: mean 0, deviation 1, all within 4.9, and near enough to a normal distribution. */
static double unit_normal(uint64_t stream, uint64_t index) {
    const double scale = 1.8688123650118534e-05; /* 1 / sqrt(8 (2^32 - 1) / 12) */
    int64_t sum = -8 * 32768 + 4;
    for (uint64_t half = 0; half < 2; half++)
        for (uint64_t bits = cake_random_bits(stream, 2 * index + half), k = 0; k < 4; k++, bits >>= 16)
            sum += (int64_t)(bits & 0xFFFF);
    return (double)sum * scale;
}

/* ---- distributions ---- */

typedef struct source {
    cake_distribution distribution;
    double a, b; /* its arguments */
    uint64_t stream, modulus;
} source;

static void draw(const source *from, uint64_t first, uint32_t count, double *out_values) {
    uint64_t stream = from->stream;
    switch (from->distribution) {
    case CAKE_DISTRIBUTION_NORMAL:
        for (uint32_t i = 0; i < count; i++)
            out_values[i] = from->a + from->b * unit_normal(stream, first + i);
        break;
    case CAKE_DISTRIBUTION_UNIFORM:
        for (uint32_t i = 0; i < count; i++)
            out_values[i] = from->a + (from->b - from->a) * unit_uniform(stream, first + i);
        break;
    case CAKE_DISTRIBUTION_INTEGERS:
        for (uint32_t i = 0; i < count; i++)
            out_values[i] = from->a + floor((from->b - from->a + 1) * unit_uniform(stream, first + i));
        break;
    case CAKE_DISTRIBUTION_INDEX:
        for (uint32_t i = 0; i < count; i++)
            out_values[i] = (double)((first + i) % from->modulus);
        break;
    case CAKE_DISTRIBUTION_CONSTANT:
    case CAKE_DISTRIBUTION_NONE:
        for (uint32_t i = 0; i < count; i++)
            out_values[i] = from->a;
        break;
    }
}

static void fill_drawn(cake_case *one, const cake_tensor_body *body, cake_case_tensor *tensor) {
    double arguments[2] = {0, 0}, values[CAKE_LANES];
    for (uint32_t i = 0; i < 2; i++)
        if (body->arguments[i]) arguments[i] = cake_evaluate_scalar(&one->hidden->constants, body->arguments[i]);
    if (body->distribution == CAKE_DISTRIBUTION_INTEGERS) {
        arguments[0] = ceil(arguments[0]);
        arguments[1] = fmax(floor(arguments[1]), arguments[0]);
    }
    source from = {body->distribution, arguments[0], arguments[1], cake_random_stream(one->seed, tensor->name),
                   cake_number_exact_integers(tensor->dtype)};
    for (uint64_t i = 0; i < tensor->count; i += CAKE_LANES) {
        uint32_t count = tensor->count - i < CAKE_LANES ? (uint32_t)(tensor->count - i) : CAKE_LANES;
        draw(&from, i, count, values);
        cake_number_store_many(tensor->dtype, tensor->data, i, count, values);
    }
}

/* ---- expressions ---- */

static cake_status refuse(const cake_case_tensor *tensor, const cake_evaluator *evaluator) {
    if (evaluator->stopped)
        return cake_status_make(CAKE_STATUS_INVALID, "the data of '%.80s' takes too much work", tensor->name);
    return cake_status_make(CAKE_STATUS_INVALID,
                            "the data of '%.80s' reads outside of a tensor (byte %u of the workload)", tensor->name,
                            evaluator->outside_place.begin);
}

static cake_status fill_computed(cake_case *one, const cake_tensor_body *body, cake_case_tensor *tensor) {
    cake_evaluator *evaluator = cake_case_evaluator(one, tensor->dtype, false);
    uint64_t row = tensor->rank ? (uint64_t)tensor->extents[tensor->rank - 1] : 1;
    for (uint64_t i = 0; i < tensor->count;) {
        uint64_t left = row - i % row;
        uint32_t count = left < CAKE_LANES ? (uint32_t)left : CAKE_LANES;
        uint64_t outside = evaluator->outside;
        cake_lanes values = cake_case_evaluate_run(evaluator, body, tensor, (cake_run){i, count});
        for (uint32_t k = 0; k < count; k++, i++) {
            double value = values.value[values.count == 1 ? 0 : k];
            if (evaluator->stopped || (isnan(value) && evaluator->outside != outside)) return refuse(tensor, evaluator);
            cake_number_store(tensor->dtype, tensor->data, i, value);
        }
    }
    return cake_status_ok();
}

/* ---- memory ---- */

static cake_status allocate(cake_case *one) {
    const cake_arena *arena = one->hidden->arena;
    double total = 0;
    for (uint32_t i = 0; i < one->tensors.count; i++)
        total += (double)one->tensors.items[i].bytes + 64;
    if (total > (double)(arena->limit - arena->used))
        return cake_status_make(CAKE_STATUS_NO_MEMORY, "the tensors need %.0f MiB; %.0f MiB are allowed",
                                total / 1048576, (double)(arena->limit - arena->used) / 1048576);
    for (uint32_t i = 0; i < one->tensors.count; i++)
        if (one->tensors.items[i].bytes && !one->tensors.items[i].data)
            one->tensors.items[i].data = cake_arena_alloc(one->hidden->arena, one->tensors.items[i].bytes);
    return cake_status_ok();
}

cake_status cake_case_generate(cake_case *one) {
    cake_status status = allocate(one);
    for (uint32_t i = 0; status.kind == CAKE_STATUS_OK && i < one->tensors.count; i++) {
        const cake_tensor_body *body = &one->workload->body->tensors.items[i];
        cake_case_tensor *tensor = &one->tensors.items[i];
        if (tensor->bytes == 0) continue;
        if (tensor->use == CAKE_USE_OUTPUT)
            memset(tensor->data, 0xFF, tensor->bytes);
        else if (tensor->use == CAKE_USE_INPUT && body->value)
            status = fill_computed(one, body, tensor);
        else
            fill_drawn(one, body, tensor);
    }
    return status;
}
