/* usable FILE.work..: whether workloads say something that can be judged, without a kernel. For every shape that is
 * small enough the inputs are made and each output is compared as it is before a launch, which works out references and
 * tolerances. Prints a reference of each output. */
#include "oracle/oracle.h"

#include <stdio.h>
#include <stdlib.h>

#define MOST_BYTES ((size_t)16 << 20) /* of one case: more takes seconds */

static bool report(const char *path, const char *shape, const char *what) {
    fprintf(stderr, "%s: shape %s: %s\n", path, shape, what);
    return false;
}

static size_t bytes_of(const cake_case *one) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < one->tensors.count; i++)
        bytes += one->tensors.items[i].bytes;
    return bytes;
}

static bool judge(const char *path, cake_case *one, uint32_t tensor) {
    cake_comparison result;
    const cake_case_tensor *output = &one->tensors.items[tensor];
    cake_status status = cake_case_compare(one, tensor, output->data, &result);
    if (status.kind != CAKE_STATUS_OK) return report(path, one->shape, status.message);
    if (result.has_first)
        printf("%s %s: of %s element %llu.. is %g within %g\n", path, one->shape, output->name,
               (unsigned long long)result.first.index[0], result.first.want, result.first.allowed);
    return true;
}

static bool judge_property(const char *path, cake_case *one, uint32_t property, const void *const *written) {
    cake_comparison result;
    cake_status status = cake_case_judge_property(one, property, written, &result);
    return status.kind == CAKE_STATUS_OK || report(path, one->shape, status.message);
}

/* Whether all outputs of a case that is made can be judged. */
static bool judge_all(const char *path, cake_arena *arena, cake_case *one) {
    const void **written = CAKE_NEW_ARRAY(arena, const void *, one->tensors.count);
    bool good = true;
    for (uint32_t i = 0; i < one->tensors.count; i++) {
        written[i] = one->tensors.items[i].data;
        if (one->tensors.items[i].judged && !judge(path, one, i)) good = false;
    }
    for (uint32_t i = 0; i < one->workload->properties.count; i++)
        if (!judge_property(path, one, i, written)) good = false;
    return good;
}

static bool check_shape(const char *path, const cake_workload *workload, const char *shape) {
    jmp_buf out_of_memory;
    cake_arena arena;
    cake_case *one;
    if (setjmp(out_of_memory)) return report(path, shape, "no memory");
    cake_arena_init(&arena, CAKE_CASE_ARENA_LIMIT, &out_of_memory);
    bool good = true;
    cake_status status = cake_case_create(&arena, workload, shape, NULL, 0, 0, &one);
    if (status.kind == CAKE_STATUS_OK && bytes_of(one) <= MOST_BYTES) {
        status = cake_case_generate(one);
        if (status.kind == CAKE_STATUS_OK) good = judge_all(path, &arena, one);
    }
    if (status.kind != CAKE_STATUS_OK) good = report(path, shape, status.message);
    cake_arena_fini(&arena);
    return good;
}

static bool check_file(const char *path) {
    jmp_buf out_of_memory;
    cake_arena arena;
    cake_source source;
    cake_diagnostics diagnostics;
    if (setjmp(out_of_memory)) return report(path, "", "no memory");
    cake_arena_init(&arena, CAKE_ARENA_DEFAULT_LIMIT, &out_of_memory);
    cake_status status = cake_source_read(&arena, path, &source);
    if (status.kind != CAKE_STATUS_OK) return report(path, "", status.message);
    cake_diagnostics_init(&diagnostics, &arena, &source);
    const cake_workload *workload = cake_workload_parse(&arena, &source, &diagnostics);
    if (diagnostics.error_count) {
        cake_diagnostics_print(&diagnostics, stderr);
        return false;
    }
    bool good = true;
    for (uint32_t i = 0; i < workload->shapes.count; i++)
        if (!check_shape(path, workload, workload->shapes.items[i])) good = false;
    cake_arena_fini(&arena);
    return good;
}

int main(int argc, char **argv) {
    bool good = true;
    for (int i = 1; i < argc; i++)
        if (!check_file(argv[i])) good = false;
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
