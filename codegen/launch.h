/* From a plan to what its launch needs: the manifest's rows of kernels and programs, and the order of the entry point's
 * arguments.
 */
#ifndef CAKE_CODEGEN_LAUNCH_H
#define CAKE_CODEGEN_LAUNCH_H

#include "manifest/manifest.h"
#include "plan/program.h"

typedef struct cake_argument_row {
    cake_argument_kind kind;
    uint32_t index; /* tensor map, tensor, dimension or scalar of the plan; from 0 */
    uint32_t bits;  /* dimension */
} cake_argument_row;

#define CAKE_MAX_ARGUMENTS 64

/* Arguments of the entry point in order: tensor maps, pointers, dimensions, scalars. At most CAKE_MAX_ARGUMENTS. */
uint32_t cake_launch_arguments(const cake_plan *plan, cake_argument_row *out_rows);

void cake_launch_manifest(cake_arena *arena, const cake_plan *plan, cake_manifest_kernel *out_kernel);
/* Instances are numbered as the manifest's kernels are. */
void cake_launch_program(cake_arena *arena, const cake_plan_program *plan, cake_manifest_program *out_program);

#endif
