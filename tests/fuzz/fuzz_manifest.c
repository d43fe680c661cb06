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
static bool bind(cake_arena *arena, const cake_manifest_interface *interface, cake_bound *out_bound) {
    static const int64_t values[] = {100, 0, 1, -1, INT64_MAX, 4096, INT64_MIN, (int64_t)1 << 31};
    static const unsigned char zeros[8] = {0};
    cake_binding *dimensions = CAKE_NEW_ARRAY(arena, cake_binding, interface->dimensions.count);
    cake_scalar_argument *scalars = CAKE_NEW_ARRAY(arena, cake_scalar_argument, interface->scalars.count);
    for (uint32_t i = 0; i < interface->dimensions.count; i++)
        dimensions[i] = (cake_binding){interface->dimensions.items[i], values[interface->dimensions.items[i][0] % 8]};
    for (uint32_t i = 0; i < interface->scalars.count; i++)
        scalars[i] = (cake_scalar_argument){interface->scalars.items[i].name, zeros};
    cake_call_request request = {.dimensions = dimensions,
                                 .dimension_count = interface->dimensions.count,
                                 .scalars = scalars,
                                 .scalar_count = interface->scalars.count};
    if (cake_bind(arena, interface, &request, 132, out_bound).kind != CAKE_STATUS_OK) return false;
    cake_tensor_layout layout;
    for (uint32_t i = 0; i < interface->tensors.count; i++)
        if (cake_bound_tensor(out_bound, i, &layout).kind != CAKE_STATUS_OK) return false;
    return true;
}

static void bind_all(cake_arena *arena, const cake_manifest *manifest) {
    cake_bound bound;
    cake_status status = cake_status_ok();
    uint32_t grid;
    uint64_t bytes;
    for (uint32_t i = 0; i < manifest->kernels.count; i++)
        if (bind(arena, &manifest->kernels.items[i].interface, &bound))
            status = cake_bound_grid(&bound, &manifest->kernels.items[i], &grid);
    for (uint32_t i = 0; i < manifest->programs.count; i++) {
        const cake_manifest_program *program = &manifest->programs.items[i];
        if (!bind(arena, &program->interface, &bound)) continue;
        for (uint32_t k = 0; k < program->temporaries.count; k++)
            status = cake_bound_temporary(&bound, &program->temporaries.items[k], &bytes);
    }
    (void)status;
}

/* setjmp is kept apart from the variables that live across it. */
static void read_and_write(cake_arena *arena, const char *bytes, size_t size) {
    cake_manifest *manifest = NULL;
    cake_status status = cake_manifest_read_ptx(arena, bytes, size, &manifest);
    if (status.kind != CAKE_STATUS_OK) status = cake_manifest_read(arena, bytes, size, &manifest);
    if (status.kind != CAKE_STATUS_OK) return;
    bind_all(arena, manifest);
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
