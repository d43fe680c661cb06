/* Any bytes as a manifest, bare or as PTX: refused or read; what is read writes back to a text that reads the same, and
 * its kernels can be bound to values without harm. */
#include "tests/fuzz/fuzz.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/bind.h"

#define MEMORY_LIMIT ((size_t)64 << 20)

static const char *write_out(cake_arena *arena, const cake_manifest *manifest) {
    cake_text text;
    cake_text_init(&text, arena);
    cake_manifest_write(manifest, &text);
    return cake_text_string(&text);
}

/* Values of all sizes, from the names alone. */
static void bind(cake_arena *arena, const cake_manifest_kernel *kernel) {
    static const int64_t values[] = {100, 0, 1, -1, INT64_MAX, 4096, INT64_MIN, (int64_t)1 << 31};
    static const unsigned char zeros[8] = {0};
    cake_binding *dimensions = CAKE_NEW_ARRAY(arena, cake_binding, kernel->dimensions.count);
    cake_scalar_argument *scalars = CAKE_NEW_ARRAY(arena, cake_scalar_argument, kernel->scalars.count);
    for (uint32_t i = 0; i < kernel->dimensions.count; i++)
        dimensions[i] = (cake_binding){kernel->dimensions.items[i], values[kernel->dimensions.items[i][0] % 8]};
    for (uint32_t i = 0; i < kernel->scalars.count; i++)
        scalars[i] = (cake_scalar_argument){kernel->scalars.items[i].name, zeros};
    cake_call_request request = {.dimensions = dimensions,
                                 .dimension_count = kernel->dimensions.count,
                                 .scalars = scalars,
                                 .scalar_count = kernel->scalars.count};
    cake_bound bound;
    if (cake_bind(arena, kernel, &request, 132, &bound).kind != CAKE_STATUS_OK) return;
    uint32_t grid;
    cake_tensor_layout layout;
    cake_status status = cake_bound_grid(&bound, &grid);
    for (uint32_t i = 0; i < kernel->tensors.count; i++)
        status = cake_bound_tensor(&bound, i, &layout);
    (void)status;
}

/* setjmp is kept apart from the variables that live across it. */
static void read_and_write(cake_arena *arena, const char *bytes, size_t size) {
    cake_manifest *manifest = NULL;
    cake_status status = cake_manifest_read_ptx(arena, bytes, size, &manifest);
    if (status.kind != CAKE_STATUS_OK) status = cake_manifest_read(arena, bytes, size, &manifest);
    if (status.kind != CAKE_STATUS_OK) return;
    for (uint32_t i = 0; i < manifest->kernels.count; i++)
        bind(arena, &manifest->kernels.items[i]);
    const char *first = write_out(arena, manifest);
    status = cake_manifest_read(arena, first, strlen(first), &manifest);
    if (status.kind != CAKE_STATUS_OK || strcmp(first, write_out(arena, manifest)) != 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    jmp_buf out_of_memory;
    cake_arena arena;
    cake_arena_init(&arena, MEMORY_LIMIT, &out_of_memory);
    if (setjmp(out_of_memory) == 0) read_and_write(&arena, (const char *)data, size);
    cake_arena_fini(&arena);
    return 0;
}
