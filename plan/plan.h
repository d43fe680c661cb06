/* The plan: one kernel under one choice of tunables, with everything that lowering derives, as immutable tables.
 *
 * Verifier, simulator, cost model and code generator all work from the plan and read the module for names and spans
 * only. What the tables say:
 *   roles        who runs: warps and teams, named barriers, register budgets
 *   values       scalars (equal in the team) and tiles (spread over the team's lanes), each with its layout
 *   variables    'var': mutable scalars and tiles
 *   tensors, buffers, pipelines, tensor maps    memory and how it is laid out
 *   operations   a tree per team: what runs in which order, loops and branches as nested blocks
 *   launch       threads, grid, shared memory, contract
 *   costs        whatever was derived that costs something, with the line that caused it
 *
 * Rows live in the plan's arena, point to each other and carry numbers for printing. Every operation has the span of
 * the statement or expression it comes from. Loops marked 'unroll' and statements over constants are expanded: an
 * induction variable of an expanded loop is a constant.
 *
 * Index arithmetic is exact: every index value has a range that follows from the contract, and 32 bits are used where
 * ranges of operands and result allow.
 */
#ifndef CAKE_PLAN_PLAN_H
#define CAKE_PLAN_PLAN_H

#include "ir/module.h"
#include "plan/layout.h"

typedef struct cake_plan_op cake_plan_op;

/* ---- values ---- */

typedef struct cake_plan_value {
    uint32_t number;
    cake_name name;            /* of the let, coordinate, loop or team index that it is, for printing; or null */
    cake_dtype dtype;          /* INDEX included; REAL only for constants that met no type */
    cake_shape shape;          /* rank 0: scalar */
    const cake_layout *layout; /* tiles */
    bool is_constant;          /* scalar known at compile time: integer, or real where dtype is a float or REAL */
    int64_t integer;
    double real;
    int64_t low, high;              /* INDEX: the value's range, both ends included */
    const cake_plan_op *definition; /* null for constants */
    cake_span span;
    uint32_t layout_class; /* of the inference (infer.c) */
} cake_plan_value;

typedef struct cake_plan_variable {
    uint32_t number;
    cake_name name;
    cake_span span;
    cake_dtype dtype;
    cake_shape shape;
    const cake_layout *layout;
    bool accumulator; /* target of wgmma */
    bool computed;    /* written by something else than wgmma and zeros */
    uint32_t layout_class;
} cake_plan_variable;

/* ---- memory ---- */

typedef struct cake_plan_tensor {
    uint32_t number;
    cake_name name;
    cake_span span;
    cake_parameter_mode mode;
    cake_dtype dtype;
    uint8_t rank;
    cake_plan_value *extents[CAKE_MAX_RANK]; /* outermost first; launch scope */
    cake_plan_value *strides[CAKE_MAX_RANK]; /* elements */
    bool contiguous;                         /* no strides were written */
    bool uses_pointer;                       /* plain accesses exist */
    const struct cake_plan_tensor *view_of;  /* the tensor whose memory this view shows, or null */
    uint32_t position;                       /* in the kernel's parameter list */
} cake_plan_tensor;

/* A shared-memory buffer. The last two axes are stored as panels of 'span' bytes a row when swizzled:
 * offset(.., row, column) = leading index * tile_bytes + panel * rows * span + row * span + column within the panel,
 * with 16-byte chunks permuted: bits 4.. of the offset are xored with bits 7.. (PTX ISA 'Swizzling modes'). */
typedef struct cake_plan_buffer {
    uint32_t number;
    cake_name name;
    cake_span span;
    cake_dtype dtype;
    cake_shape shape;
    uint32_t swizzle;     /* bytes: 0, 32, 64, 128 */
    uint32_t row_bytes;   /* of one row of the last axis within a panel; padding included */
    uint32_t panel_bytes; /* rows * row_bytes */
    uint32_t panels;      /* of one tile (last two axes) */
    uint32_t tile_bytes;  /* panels * panel_bytes */
    uint32_t bytes;       /* of one stage */
    uint32_t alignment;
    uint32_t offset;                           /* in shared memory; of stage 0 */
    uint32_t stage_stride;                     /* bytes between stages; 0 outside pipelines */
    const struct cake_plan_pipeline *pipeline; /* or null */
    const struct cake_plan_buffer *over;       /* or null */
    const struct cake_plan_buffer *view_of;    /* the buffer whose bytes a row of buffer_views shows; else null */
} cake_plan_buffer;

typedef struct cake_plan_pipeline {
    uint32_t number;
    cake_name name;
    cake_span span;
    uint32_t stages;
    const struct cake_plan_role *producer;
    CAKE_VECTOR(const struct cake_plan_role *) consumers;
    CAKE_VECTOR(cake_plan_buffer *) buffers;
    bool filled_by_tma, filled_by_store, filled_by_async; /* what the producer's statements do */
    bool multicast; /* spans the cluster: a slot is free when its readers in all CTAs have released it */
    bool led;       /* the producer is a leader, and not all consumers are: it fills the slots of all CTAs by multicast,
                     * commits them (one arrival and all bytes in each CTA), and gets the arrivals of all releases */
    bool claims;    /* passes the tiles that a persistent CTA takes; only team 0 of the producer, one of the consumers
                     * itself, acquires and commits */
    uint32_t full_barrier, empty_barrier; /* offsets in shared memory; 'stages' mbarriers of 8 bytes each */
    uint32_t full_count, empty_count;     /* arrivals of a phase */
    uint32_t bytes_per_stage;             /* transaction bytes of a phase */
} cake_plan_pipeline;

typedef struct cake_plan_baton {
    cake_name name;
    cake_span span;
    const struct cake_plan_role *role;
    uint32_t first_barrier; /* one named barrier a team, from this one on */
} cake_plan_baton;

/* A counting barrier: one mbarrier. */
typedef struct cake_plan_signal {
    uint32_t number;
    cake_name name;
    cake_span span;
    uint32_t count;         /* team arrivals of a phase */
    uint32_t team_arrivals; /* that a team makes on the mbarrier: its running warps make equal parts of them */
    uint32_t arrivals;      /* of a phase on the mbarrier: count * team_arrivals */
    uint32_t barrier;       /* offset in shared memory */
    bool remote;            /* other CTAs of the cluster arrive */
} cake_plan_signal;

/* Arguments of a cuTensorMapEncodeTiled; dimensions outermost first here. Equal maps are shared. Of 4-bit elements the
 * map has pairs of the last dimension, as bytes; boxes and coordinates count elements here. */
typedef struct cake_plan_tensor_map {
    uint32_t number;
    const cake_plan_tensor *tensor;
    uint32_t box[CAKE_MAX_RANK]; /* elements */
    uint32_t swizzle;
    bool stores; /* used by tma.store or tma.reduce */
} cake_plan_tensor_map;

/* How one dimension of a tensor or buffer is indexed. */
typedef enum cake_plan_index_kind {
    CAKE_INDEX_SCALAR, /* base */
    CAKE_INDEX_RANGE,  /* base .. base + length, along 'axis' of the tile */
    CAKE_INDEX_GATHER  /* one index per element: the tile 'base', spread over axes axis .. axis + rank of the tile */
} cake_plan_index_kind;

typedef struct cake_plan_index {
    cake_plan_index_kind kind;
    cake_plan_value *base;
    uint32_t length;
    uint8_t axis;
} cake_plan_index;

typedef struct cake_plan_place {
    const cake_plan_tensor *tensor; /* or */
    const cake_plan_buffer *buffer;
    cake_plan_value *peer; /* LOAD, STORE and ATOMIC of a buffer: the rank of the CTA whose buffer it is; null: own */
    uint32_t age;          /* of a pipeline's slot: 0 newest held */
    uint8_t dimensions;
    cake_plan_index index[CAKE_MAX_RANK];
    cake_shape shape; /* of the tile that the place denotes */
    bool transposed;  /* two open axes, in swapped order */
    bool fills;       /* of a pipeline: the slot acquired last; else the newest one held */
    cake_span span;
} cake_plan_place;

/* One bulk tensor copy: a box of at most 256 elements a dimension and one swizzle span a row. */
typedef struct cake_plan_box {
    const cake_plan_tensor_map *map;
    uint32_t shift[CAKE_MAX_RANK]; /* added to the copy's coordinates */
    uint32_t shared_offset;        /* added to the buffer's address */
    uint32_t bytes;
} cake_plan_box;

typedef struct cake_plan_copy {
    cake_plan_place shared, global;
    CAKE_VECTOR(cake_plan_box) boxes;
    uint32_t bytes;
    cake_name reduce; /* tma.reduce */
    bool multicast;   /* to the same place in every CTA of the cluster */
    cake_name cache;  /* or null */
} cake_plan_copy;

typedef enum cake_plan_access_form {
    CAKE_ACCESS_ELEMENTS, /* vectors of 'width' elements */
    CAKE_ACCESS_LDMATRIX, /* ldmatrix.x4 of mma fragments: 16 rows of 32 bytes */
    CAKE_ACCESS_STMATRIX  /* stmatrix.x4 of 16-bit accumulator fragments into 16-byte chunks of rows */
} cake_plan_access_form;

typedef struct cake_plan_access {
    cake_plan_place place;
    cake_plan_access_form form;
    uint32_t width; /* elements of one memory instruction */
    uint32_t vec;   /* what 'vec' asked for; 0: nothing */
    bool clip;
    cake_plan_value *clip_value; /* load; null: 0 */
    cake_plan_value *mask;       /* or null */
    cake_name cache;
    bool read_only; /* load of a tensor that nobody writes during the kernel */
} cake_plan_access;

/* An atomic operation: on each lane's elements, or, for a scalar place, once by the team's elected lane. */
typedef struct cake_plan_atomic_access {
    cake_plan_access access; /* place and mask */
    cake_atomic_op op;
    cake_scope scope; /* never DEFAULT */
    cake_order order;
    cake_shape shape;       /* of the tile of places; rank 0: one */
    bool used;              /* the old value is */
    uint32_t scratch_bytes; /* through which a team of several warps gets the elected lane's value; or 0 */
} cake_plan_atomic_access;

/* A copy by lanes, cp.async: both places are dealt in runs of 'width' elements; what clip leaves out is zero. The
 * tensor's rows may be gathered, by indices in the layout of the runs. */
typedef struct cake_plan_async {
    cake_plan_access global; /* with its clip */
    cake_plan_place shared;
    const cake_layout *layout;
    uint32_t width;
} cake_plan_async;

/* Polling of global memory, with acquire order at gpu scope; ends with 'sync team'. */
typedef struct cake_plan_await {
    cake_plan_access access;
    cake_plan_value *polled;           /* POLLED leaf: 'it' */
    struct cake_plan_block *condition; /* computes 'until' from it */
    cake_plan_value *until;
    bool used;              /* the value is */
    uint32_t scratch_bytes; /* as of an atomic: each warp polls, and all get what the elected lane read last */
} cake_plan_await;

/* A matrix product as issued. wgmma: m_blocks x k_steps instructions m64nNkK a warpgroup; mma: m_blocks x n / 8 x
 * k_steps instructions m16n8kK. */
typedef struct cake_plan_matrix {
    cake_plan_variable *accumulator;
    cake_plan_value *x_registers; /* A fragments, or null: x from shared memory */
    cake_plan_value *y_registers; /* mma: rows of y.T in fragments, or null: y from shared memory */
    cake_plan_place x, y;
    bool x_transposed, y_transposed; /* MN-major: the reduced dimension is not the contiguous one */
    uint32_t m_blocks, n, k, k_per_step;
    bool fresh;                /* '=': the first step does not read the accumulator */
    cake_dtype dtype, y_dtype; /* of x and y: they differ only among integers and among the 8-bit floats */
} cake_plan_matrix;

struct cake_plan_block;

/* How two elements of each of one or two tiles in step combine: pure scalar operations over leaves. The left elements
 * are those of lower coordinates. */
typedef struct cake_plan_combiner {
    cake_name name; /* of the schedule's function; null: of argmin and argmax */
    uint32_t tiles;
    cake_plan_value *left[2], *right[2]; /* COMBINED leaves, of one dtype and range for each tile */
    struct cake_plan_block *body;
    cake_plan_value *results[2]; /* within the leaves' ranges */
} cake_plan_combiner;

/* A reduction or scan along axes of tiles in step. Unordered, it folds registers first, then lanes by butterflies, then
 * warps through scratch in their order. Ordered, for functions that need not be commutative, elements are combined as
 * they follow each other along the axes (plan/lines.h). */
typedef struct cake_plan_reduction {
    cake_builtin function;              /* SCAN without a combiner is a sum */
    const cake_plan_combiner *combiner; /* of argmin, argmax, reduce and scan; or null */
    uint8_t modifiers;
    bool ordered;
    uint32_t count; /* TOPK: elements that are kept */
    uint32_t axes;  /* mask */
    cake_within within;
    /* after inference: */
    uint32_t lane_bits, warp_bits; /* bits of lane and warp that the axes are spread over */
    uint32_t scratch_slots;        /* a slot holds one element of a tile; all warps' */
    uint32_t scratch_bytes;
} cake_plan_reduction;

/* ---- operations ---- */

typedef enum cake_plan_op_kind {
    /* leaves: in no block, valid everywhere */
    CAKE_PLAN_DIMENSION, /* name */
    CAKE_PLAN_PARAMETER, /* name, position: scalar parameter */
    CAKE_PLAN_CTA_ID,
    CAKE_PLAN_GRID_SIZE,
    CAKE_PLAN_TEAM_INDEX,
    CAKE_PLAN_CLUSTER_RANK,
    CAKE_PLAN_CLAIMED,   /* the tile that the CTA took from the counter; not of a persistent grid */
    CAKE_PLAN_POLLED,    /* the word that an AWAIT read last */
    CAKE_PLAN_COMBINED,  /* an element that a combiner is given */
    CAKE_PLAN_INDUCTION, /* of the FOR that holds it; operands: from, step */
    /* pure: operands -> result, elementwise with broadcasting (extent 1 against any) */
    CAKE_PLAN_UNARY,
    CAKE_PLAN_BINARY, /* comparisons included: result bool */
    CAKE_PLAN_CALL,   /* elementwise built-in */
    CAKE_PLAN_CAST,
    CAKE_PLAN_BITCAST,
    CAKE_PLAN_IOTA,
    CAKE_PLAN_INSERT_AXIS, /* axis */
    CAKE_PLAN_SLICE,       /* offsets */
    CAKE_PLAN_RESHAPE,     /* the same registers under another shape */
    CAKE_PLAN_TRANSPOSE,   /* of a matrix: the same registers */
    CAKE_PLAN_CONCAT,      /* axis */
    CAKE_PLAN_RELAYOUT,    /* bytes: through scratch, unless the layouts are equal */
    CAKE_PLAN_SPLAT,       /* a scalar, or a tile with axes of extent 1, as a larger tile */
    CAKE_PLAN_REDUCE,      /* one or two tiles; argmin and argmax: the tile and the positions of its elements */
    CAKE_PLAN_SCAN,        /* one or two tiles */
    CAKE_PLAN_TOPK,        /* the largest along an axis, sorted downwards */
    CAKE_PLAN_READ,        /* variable, or the slice of it at 'offsets' */
    CAKE_PLAN_LOAD,
    /* effects */
    CAKE_PLAN_WRITE,  /* operand 0 -> variable or slice of it */
    CAKE_PLAN_STORE,  /* operand 0 */
    CAKE_PLAN_ATOMIC, /* operands: the values; result: the old value, and the layout of the places */
    CAKE_PLAN_AWAIT,  /* polls until the condition holds for all lanes; result: the value, as an atomic has it */
    CAKE_PLAN_FOR,
    CAKE_PLAN_WHILE,
    CAKE_PLAN_IF,
    CAKE_PLAN_ACQUIRE,
    CAKE_PLAN_COMMIT,
    CAKE_PLAN_WAIT,
    CAKE_PLAN_RELEASE,
    CAKE_PLAN_TAKE,
    CAKE_PLAN_PASS,
    CAKE_PLAN_ASYNC_LOAD,
    CAKE_PLAN_TMA_LOAD,
    CAKE_PLAN_TMA_STORE,
    CAKE_PLAN_MMA,
    CAKE_PLAN_WGMMA,
    CAKE_PLAN_WGMMA_COMMIT,
    CAKE_PLAN_WGMMA_WAIT, /* count */
    CAKE_PLAN_BULK_COMMIT,
    CAKE_PLAN_BULK_WAIT,      /* count */
    CAKE_PLAN_BULK_WAIT_READ, /* count */
    CAKE_PLAN_FENCE_ASYNC,
    CAKE_PLAN_SYNC_TEAM,
    CAKE_PLAN_SYNC_ROLE,
    CAKE_PLAN_SYNC_CTA,
    CAKE_PLAN_SYNC_CLUSTER,
    CAKE_PLAN_ARRIVE, /* operand, if any: the rank of the CTA whose signal it is; else the own one */
    CAKE_PLAN_AWAIT_SIGNAL,
    CAKE_PLAN_GRID_WAIT,
    CAKE_PLAN_GRID_TRIGGER
} cake_plan_op_kind;

const char *cake_plan_op_name(cake_plan_op_kind kind);

typedef struct cake_plan_block {
    cake_plan_op *first, *last;
} cake_plan_block;

struct cake_plan_op {
    cake_plan_op_kind kind;
    cake_span span;
    cake_plan_op *next;
    cake_plan_value *result; /* or null */
    cake_plan_value *second; /* result of the second tile of REDUCE and SCAN, or null */
    cake_plan_value *operands[3];
    uint8_t operand_count;
    union {
        struct {
            cake_name name;
            uint32_t position;
        } leaf; /* DIMENSION PARAMETER */
        cake_unary_op unary;
        cake_binary_op binary;
        struct {
            cake_builtin function;
            uint8_t modifiers;
        } call;
        struct {
            bool saturate;
            cake_rounding rounding;
        } cast;
        uint8_t axis;                    /* INSERT_AXIS CONCAT */
        uint32_t offsets[CAKE_MAX_RANK]; /* SLICE */
        uint32_t bytes;                  /* RELAYOUT: scratch; 0: nothing moves */
        cake_plan_reduction *reduction;  /* REDUCE SCAN TOPK */
        struct {
            cake_plan_variable *variable;
            bool whole;
            uint32_t offsets[CAKE_MAX_RANK];
            cake_shape shape;
        } variable; /* READ WRITE */
        cake_plan_access *access;
        cake_plan_atomic_access *atomic;
        cake_plan_await *await;
        struct {
            cake_plan_value *induction, *from, *to, *step;
            cake_plan_block body;
            uint32_t unroll;    /* 0: as the compiler sees fit; n: by n */
            bool at_least_once; /* the ranges show from < to */
            bool tiles;         /* the walk over the grid's tiles */
        } loop;
        struct {
            cake_plan_block condition; /* computes 'value'; once more than 'body' */
            cake_plan_value *value;
            int64_t bound;
            cake_plan_block body; /* sees what 'condition' computes */
            bool tiles;           /* the walk over the tiles that the CTA takes from the counter */
        } loop_while;
        struct {
            cake_plan_value *condition;
            cake_plan_block then, otherwise;
        } branch;
        struct {
            const cake_plan_pipeline *pipeline;
            uint32_t keep;        /* RELEASE */
            uint64_t held_before; /* RELEASE: set of possible counts of held slots before it, bit h for h slots */
        } slot;
        const cake_plan_baton *baton;
        const cake_plan_signal *signal;
        cake_plan_copy *copy;
        cake_plan_async *async;   /* ASYNC_LOAD */
        cake_plan_matrix *matrix; /* MMA WGMMA */
        uint32_t count;
    } u;
};

/* The blocks that an operation holds, in order of execution; at most CAKE_MAX_NESTED. */
#define CAKE_MAX_NESTED 2
uint32_t cake_plan_nested(cake_plan_op *op, cake_plan_block **out_blocks);
/* Bytes of the team's scratch that the operation uses, between two 'sync team'. */
uint32_t cake_plan_scratch(const cake_plan_op *op);
/* Bytes that an element of the value takes in scratch: 4 or 8. */
uint32_t cake_plan_slot_bytes(const cake_plan_value *value);
/* Bytes that an element of the value takes in memory: 1 to 8. */
uint32_t cake_plan_element_bytes(const cake_plan_value *value);

/* ---- who runs ---- */

typedef struct cake_plan_role {
    uint32_t number;
    cake_name name;
    cake_span span;
    uint32_t first_warp, warps; /* as launched */
    uint32_t registers;         /* setmaxnreg budget; 0: none */
    uint32_t team_count;
    uint32_t warps_per_team;
    bool leader;                 /* runs in rank 0 of each cluster only */
    bool first_warp_only;        /* only one-lane statements, pipelines and scalars: the other warps are idle */
    uint32_t role_barrier;       /* named barrier of 'sync role'; 0: not used */
    uint32_t first_team_barrier; /* team i has first_team_barrier + i; 0: not used or one warp */
    uint32_t scratch_offset, scratch_bytes; /* of one team; team i is i * scratch_bytes further on */
    cake_plan_block body;                   /* run by each team */
    const cake_plan_value *team_index;      /* or null */
} cake_plan_role;

typedef struct cake_plan_cost {
    cake_span span;
    const char *text;
} cake_plan_cost;

typedef struct cake_plan_condition {
    cake_span span;
    const char *text;             /* as written */
    const cake_plan_value *value; /* launch scope; null: believed (data, floats) */
} cake_plan_condition;

typedef CAKE_VECTOR(cake_plan_condition) cake_plan_condition_list;

typedef struct cake_plan_setting {
    cake_name name;
    int64_t value;
} cake_plan_setting;

typedef struct cake_plan_launch {
    uint32_t warps;
    uint32_t shared_bytes;
    uint32_t entry_registers;             /* per thread at launch when a role has a budget; else 0 */
    uint32_t cluster;                     /* CTAs; 1: none */
    const struct cake_plan_tensor *claim; /* counter that hands out the tiles, or null */
    uint32_t claim_offset;                /* in shared memory: where the CTA keeps its tile; not if 'persistent' */
    uint32_t ctas_per_sm;
    bool persistent;
    const cake_plan_value *tiles; /* launch scope: number of tiles */
    bool deterministic;
    bool waits_for_grid; /* some role has grid.wait: inputs may be written until then */
} cake_plan_launch;

typedef struct cake_plan {
    cake_arena *arena;
    const cake_module *module;
    const cake_kernel *kernel;
    const char *entry; /* name of the entry point */
    cake_target target;
    cake_layouts layouts;
    CAKE_VECTOR(cake_plan_setting) tunables, statics;
    CAKE_VECTOR(cake_plan_value *) dimensions; /* runtime ones: DIMENSION leaves */
    CAKE_VECTOR(cake_plan_value *) scalars;    /* PARAMETER leaves */
    CAKE_VECTOR(cake_plan_tensor *) tensors;
    CAKE_VECTOR(cake_plan_buffer *) buffers;
    CAKE_VECTOR(cake_plan_buffer *) buffer_views; /* other shapes of buffers, at the same offset and pipeline */
    CAKE_VECTOR(cake_plan_pipeline *) pipelines;
    CAKE_VECTOR(cake_plan_baton *) batons;
    CAKE_VECTOR(cake_plan_signal *) signals;
    CAKE_VECTOR(cake_plan_tensor_map *) tensor_maps;
    CAKE_VECTOR(cake_plan_role *) roles;
    CAKE_VECTOR(cake_plan_variable *) variables;
    cake_plan_condition_list contract;
    CAKE_VECTOR(const char *) trust;
    CAKE_VECTOR(cake_plan_cost) costs;
    cake_plan_block launch_scope; /* pure scalar operations over dimensions; valid on the host and in every team */
    cake_plan_launch launch;
    cake_plan_value *axes[CAKE_MAX_RANK]; /* extents of the grid's axes; launch scope */
    int64_t group;                        /* G of order grouped(x, G) */
    uint32_t value_count;
} cake_plan;

typedef struct cake_choice {
    const char *name;
    int64_t value;
} cake_choice;

typedef struct cake_plan_options {
    const cake_choice *choices; /* tunables and statics; with 'specialise' dimensions too; others are ignored */
    uint32_t choice_count;
    bool specialise;
    const char *entry; /* null: the kernel's name */
} cake_plan_options;

/* Builds the plan; null after an error (reported: L4xx values and shapes, L5xx layouts, H2xx hardware, U0xx not built
 * yet). The module must be free of errors and outlive the plan. */
const cake_plan *cake_plan_build(cake_arena *arena, const cake_module *module, const cake_kernel *kernel,
                                 const cake_plan_options *options, cake_diagnostics *diagnostics);

/* The bytes of one element with a constant's value, from the lowest on; rounds to nearest even, out of range to
 * infinity (e4m3: NaN). */
uint64_t cake_plan_constant_bits(cake_dtype dtype, const cake_plan_value *constant);

/* A value as a short expression over names: 'm * 128 + w * 64', or '%17' where it is no expression of such. */
void cake_plan_value_print(const cake_plan_value *value, cake_text *out);

/* The tables as text, against source lines: 'cakec --emit plan'. */
void cake_plan_print(const cake_plan *plan, cake_text *out);

#endif
