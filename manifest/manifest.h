/* The manifest: what travels with a kernel so that it can be launched without its source.
 *
 * Written by codegen/ as a JSON comment block in the PTX, between the lines '// cake-manifest-begin 1' and
 * '// cake-manifest-end', right after the header directives; beside a cubin as NAME.cubin.json. Read by runtime/. It
 * holds no paths and no times, so equal input gives equal bytes. Sizes are bytes, extents and strides elements unless
 * said.
 */
#ifndef CAKE_MANIFEST_MANIFEST_H
#define CAKE_MANIFEST_MANIFEST_H

#include "manifest/expression.h"
#include "support/status.h"
#include "support/text.h"
#include "support/vector.h"

#define CAKE_MANIFEST_VERSION 1
#define CAKE_MANIFEST_BEGIN   "// cake-manifest-begin"
#define CAKE_MANIFEST_END     "// cake-manifest-end"

typedef CAKE_VECTOR(const cake_launch_expr *) cake_launch_expr_list;

typedef enum cake_tensor_mode { CAKE_TENSOR_IN, CAKE_TENSOR_OUT, CAKE_TENSOR_INOUT } cake_tensor_mode;

/* dtype is the language's spelling ("bf16"). A tensor without extents is a scalar parameter. */
typedef struct cake_manifest_tensor {
    const char *name, *dtype;
    cake_tensor_mode mode;
    cake_launch_expr_list shape;   /* outermost first */
    cake_launch_expr_list strides; /* elements, outermost first; empty: row-major and contiguous */
} cake_manifest_tensor;

typedef struct cake_manifest_scalar {
    const char *name, *dtype;
} cake_manifest_scalar;

/* Arguments of cuTensorMapEncodeTiled; interleave none, element strides 1, fill zero. Innermost dimension first, as the
 * driver wants them. */
typedef struct cake_manifest_tensor_map {
    uint32_t tensor;               /* index into tensors */
    const char *dtype;             /* what the map is encoded with; u8 for 4-bit elements */
    cake_launch_expr_list extents; /* elements */
    cake_launch_expr_list strides; /* bytes; one fewer than extents, the innermost is contiguous */
    CAKE_VECTOR(uint32_t) box;     /* elements */
    uint32_t swizzle;              /* bytes: 0, 32, 64, 128 */
    uint32_t l2_promotion;         /* bytes: 0, 64, 128, 256 */
} cake_manifest_tensor_map;

typedef enum cake_argument_kind {
    CAKE_ARGUMENT_TENSOR_MAP, /* index into tensor_maps; 128 bytes by value, 64-byte aligned */
    CAKE_ARGUMENT_POINTER,    /* index into tensors; 8 bytes */
    CAKE_ARGUMENT_DIMENSION,  /* index into dimensions; bits 32 or 64 */
    CAKE_ARGUMENT_SCALAR      /* index into scalars; the dtype's bytes */
} cake_argument_kind;

typedef struct cake_manifest_argument {
    cake_argument_kind kind;
    uint32_t index;
    uint32_t bits; /* DIMENSION */
} cake_manifest_argument;

/* A condition the host checks before a launch; text is the schedule's own. Conditions on scalar parameters of float
 * type and on tensors' contents have no expression: they stand in trust. */
typedef struct cake_manifest_condition {
    const char *text;
    const cake_launch_expr *condition;
} cake_manifest_condition;

typedef CAKE_VECTOR(cake_manifest_condition) cake_manifest_condition_list;

typedef struct cake_manifest_value {
    const char *name;
    int64_t value;
} cake_manifest_value;

/* What a caller gives and what is checked before a launch: kernels and programs have it in common. */
typedef struct cake_manifest_interface {
    const char *kind;                         /* "kernel" or "program", for messages; not in the document */
    const char *name;                         /* a kernel's is its entry point in the PTX */
    CAKE_VECTOR(const char *) dimensions;     /* runtime dimensions, in order of first appearance */
    CAKE_VECTOR(cake_manifest_value) statics; /* dimensions fixed at compile time (static or --specialise) */
    CAKE_VECTOR(cake_manifest_value) tunables;
    CAKE_VECTOR(cake_manifest_tensor) tensors;
    CAKE_VECTOR(cake_manifest_scalar) scalars;
    CAKE_VECTOR(const char *) parameters; /* names of tensors and scalars in the schedule's order */
    cake_manifest_condition_list contract;
    CAKE_VECTOR(const char *) trust; /* what is believed and not proved, in the schedule's words */
} cake_manifest_interface;

typedef struct cake_manifest_kernel {
    cake_manifest_interface interface;
    CAKE_VECTOR(cake_manifest_tensor_map) tensor_maps;
    CAKE_VECTOR(cake_manifest_argument) arguments; /* of the entry point, in order */
    uint32_t threads;                              /* of a CTA */
    uint32_t cluster;                              /* CTAs along x; 1: none */
    uint32_t shared_bytes;                         /* dynamic, alignment slack included */
    uint32_t ctas_per_sm;                          /* what the launch bounds promise */
    const cake_launch_expr *grid;                  /* CTAs along x; 0: nothing to launch */
} cake_manifest_kernel;

/* ---- programs: kernels and fills in order, over parameters and temporaries ---- */

/* Global memory that lasts as long as the prepared program; row-major and contiguous. */
typedef struct cake_manifest_temporary {
    const char *name, *dtype;
    cake_launch_expr_list shape;
} cake_manifest_temporary;

typedef enum cake_manifest_source_kind {
    CAKE_SOURCE_SCALAR,    /* index into the program's scalars, of the same dtype */
    CAKE_SOURCE_VALUE,     /* bytes: one element of the dtype, little endian */
    CAKE_SOURCE_EXPRESSION /* worked out at the launch: an integer, or the bits of an f32 or f64 */
} cake_manifest_source_kind;

/* What a kernel's scalar parameter gets, or every element of a tensor that is filled. */
typedef struct cake_manifest_source {
    cake_manifest_source_kind kind;
    uint32_t index;
    uint64_t bits; /* VALUE: the element's bytes from the lowest on */
    const cake_launch_expr *expression;
} cake_manifest_source;

typedef enum cake_manifest_step_kind { CAKE_MANIFEST_STEP_FILL, CAKE_MANIFEST_STEP_LAUNCH } cake_manifest_step_kind;

/* Memory is named by number: the program's tensors in order, then its temporaries. */
typedef struct cake_manifest_step {
    cake_manifest_step_kind kind;
    uint32_t memory;                           /* FILL: of elements of at least 8 bits, or contiguous */
    cake_manifest_source value;                /* FILL: the element */
    uint32_t kernel;                           /* LAUNCH: index into the manifest's kernels */
    CAKE_VECTOR(uint32_t) tensors;             /* LAUNCH: memory for each of the kernel's tensors */
    cake_launch_expr_list dimensions;          /* LAUNCH: a value for each of its dimensions */
    CAKE_VECTOR(cake_manifest_source) scalars; /* LAUNCH: for each of its scalars */
    bool overlap;                              /* LAUNCH: may start before the launch before it has ended */
} cake_manifest_step;

typedef struct cake_manifest_program {
    cake_manifest_interface interface;
    cake_manifest_condition_list required; /* of the kernels' contracts: what the program's does not show */
    CAKE_VECTOR(cake_manifest_temporary) temporaries;
    CAKE_VECTOR(cake_manifest_step) steps;
} cake_manifest_program;

typedef struct cake_manifest_proof {
    uint32_t proved, refuted, unknown;
    uint32_t unchecked;                 /* obligations of families that are not built */
    CAKE_VECTOR(const char *) families; /* the unchecked families: "bounds", "races", .. */
    CAKE_VECTOR(const char *) allowed;  /* codes waived by --allow */
} cake_manifest_proof;

typedef struct cake_manifest {
    const char *tool;        /* "cake 0.1.0" */
    const char *target;      /* "sm_90a" */
    const char *source_hash; /* 64 hex digits of SHA-256 over the source text and the chosen values, or "" */
    cake_manifest_proof proof;
    CAKE_VECTOR(cake_manifest_kernel) kernels;
    CAKE_VECTOR(cake_manifest_program) programs;
} cake_manifest;

/* The JSON document, one line per top-level member, stable order. */
void cake_manifest_write(const cake_manifest *manifest, cake_text *out);
/* The same as a comment block for PTX. */
void cake_manifest_write_comment(const cake_manifest *manifest, cake_text *out);

/* Reads a JSON document. INVALID with a message that names the member for anything damaged, missing, of a wrong type or
 * out of range, or of another version. Any bytes are legal input. */
CAKE_MUST_USE cake_status cake_manifest_read(cake_arena *arena, const char *json, size_t size,
                                             cake_manifest **out_manifest);
/* Finds and reads the comment block in PTX text. */
CAKE_MUST_USE cake_status cake_manifest_read_ptx(cake_arena *arena, const char *ptx, size_t size,
                                                 cake_manifest **out_manifest);

#endif
