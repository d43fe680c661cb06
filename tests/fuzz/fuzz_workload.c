/* Any bytes as a workload. If they parse, then cases of it are made, small ones get data, and their outputs are
 * compared with what is certainly not written. */
#include "oracle/case.h"
#include "tests/fuzz/fuzz.h"

#define ARENA_BYTES ((size_t)512 << 20)
#define SMALL_BYTES ((size_t)1 << 16)
#define WORK        2e6

static void check_properties(cake_case *one) {
    const void **written = CAKE_NEW_ARRAY(one->hidden->arena, const void *, one->tensors.count);
    for (uint32_t i = 0; i < one->tensors.count; i++)
        written[i] = one->tensors.items[i].data;
    for (uint32_t i = 0; i < one->workload->properties.count; i++) {
        cake_comparison result;
        cake_status status = cake_case_judge_property(one, i, written, &result);
        CAKE_ASSERT(result.mismatches <= result.checked && result.checked <= result.count);
        CAKE_ASSERT(status.kind == CAKE_STATUS_OK || status.message[0]);
    }
}

static void check_case(cake_case *one) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < one->tensors.count; i++) {
        if (one->tensors.items[i].bytes > SMALL_BYTES) return;
        bytes += one->tensors.items[i].bytes;
    }
    one->hidden->work_limit = WORK;
    if (bytes > 4 * SMALL_BYTES || cake_case_generate(one).kind != CAKE_STATUS_OK) return;
    check_properties(one);
    for (uint32_t i = 0; i < one->tensors.count; i++) {
        cake_comparison result;
        if (!one->tensors.items[i].judged) continue;
        cake_status status = cake_case_compare(one, i, one->tensors.items[i].data, &result);
        CAKE_ASSERT(result.mismatches <= result.count && result.checked <= result.count);
        CAKE_ASSERT(status.kind == CAKE_STATUS_OK || status.message[0]);
    }
}

static void check(cake_arena *arena, const char *text, size_t size) {
    cake_source source;
    cake_diagnostics diagnostics;
    cake_source_init(&source, arena, "fuzz.work", text, (uint32_t)size);
    cake_diagnostics_init(&diagnostics, arena, &source);
    cake_workload *workload = cake_workload_parse(arena, &source, &diagnostics);
    for (uint32_t i = 0; i < diagnostics.list.count; i++)
        CAKE_ASSERT(diagnostics.list.items[i]->span.begin <= diagnostics.list.items[i]->span.end &&
                    diagnostics.list.items[i]->span.end <= size);
    for (uint32_t shape = 0; shape < workload->shapes.count && shape < 4; shape++) {
        cake_case *one;
        cake_status status = cake_case_create(arena, workload, workload->shapes.items[shape], NULL, 0, shape, &one);
        CAKE_ASSERT((status.kind == CAKE_STATUS_OK) == (one != NULL));
        if (one) check_case(one);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    jmp_buf out_of_memory;
    cake_arena arena;
    if (size > CAKE_SOURCE_MAX_BYTES) return 0;
    if (setjmp(out_of_memory) == 0) {
        cake_arena_init(&arena, ARENA_BYTES, &out_of_memory);
        check(&arena, cake_arena_copy(&arena, (const char *)data, size), size);
    }
    cake_arena_fini(&arena);
    return 0;
}
