/* The builder that the files of plan/ share while a plan is made. */
#ifndef CAKE_PLAN_INTERNAL_H
#define CAKE_PLAN_INTERNAL_H

#include "plan/plan.h"
#include "plan/range.h"

enum { CAKE_RAGGED_GROUP, CAKE_RAGGED_ROW, CAKE_RAGGED_ROWS, CAKE_RAGGED_MEMBERS };

/* What a symbol stands for at the place that is being elaborated. */
typedef struct cake_binding_row {
    cake_plan_value *value;
    cake_plan_variable *variable;
    const cake_plan_tensor *tensor;
    const cake_plan_buffer *buffer;
    cake_plan_value *ragged[CAKE_RAGGED_MEMBERS]; /* a coordinate's members */
    bool busy; /* a definition whose value is being worked out: guards against cycles */
} cake_binding_row;

/* Why a tile has the layout it has; decided in infer.c. */
typedef struct cake_layout_class {
    uint32_t parent; /* union-find */
    cake_shape shape;
    const cake_layout *layout;
    cake_span span;        /* of the first tile in it */
    uint32_t wgmma;        /* 1: an accumulator or fragment */
    uint32_t mma;          /* elements a word of an mma fragment (2 for accumulators); several bits: needs that clash */
    uint32_t vec;          /* runs asked for by a load; 0: none */
    uint32_t store_vec;    /* runs asked for by a store; 0: none */
    cake_span reason_span; /* what fixed it */
} cake_layout_class;

typedef enum cake_relation_kind {
    CAKE_RELATION_COLLAPSE,  /* small = collapse(big, axes) */
    CAKE_RELATION_REDUCE,    /* small = big collapsed and without the axes */
    CAKE_RELATION_FOLD_LANE, /* small = big folded within each lane along the axes */
    CAKE_RELATION_FOLD_WARP, /* the same within each warp */
    CAKE_RELATION_INSERT,    /* big = small with an axis of extent 1 at 'axes'; holds both ways */
    CAKE_RELATION_SLICE,     /* small = slice of big at 'offsets' */
    CAKE_RELATION_RESHAPE,   /* the same elements in row-major order; holds both ways */
    CAKE_RELATION_TRANSPOSE, /* small = big with its two axes changed; holds both ways */
    CAKE_RELATION_TOP,       /* small = big with its axis 'axes' in registers */
    CAKE_RELATION_PART,      /* small = slice of big at 'offsets', which is a concat: neither waits for the other */
    CAKE_RELATION_CONCAT     /* big = small and then 'second' along 'axes'; only upwards, PART has the other ways */
} cake_relation_kind;

typedef struct cake_relation {
    cake_relation_kind kind;
    uint32_t small, big, second;
    uint32_t axes; /* mask, or the axis of INSERT */
    uint32_t offsets[CAKE_MAX_RANK];
    cake_span span;
} cake_relation;

/* The contract says small <= big. */
typedef struct cake_known_order {
    const cake_plan_value *small, *big;
} cake_known_order;

typedef struct cake_builder {
    cake_arena *arena;
    const cake_module *module;
    const cake_kernel *kernel;
    const cake_plan_options *options;
    cake_diagnostics *diagnostics;
    cake_plan *plan;
    cake_binding_row *bindings;             /* by symbol number */
    cake_plan_block *block;                 /* where operations go now */
    cake_span span;                         /* of the statement that is being elaborated */
    cake_plan_role *role;                   /* null in launch scope */
    CAKE_VECTOR(cake_layout_class) classes; /* of the role; row 0 unused */
    CAKE_VECTOR(cake_relation) relations;
    uint32_t *related, *related_end;       /* relations by class, and where each class's part ends; infer.c only */
    CAKE_VECTOR(cake_plan_op *) exchanges; /* operations of the role that move elements between threads */
    CAKE_VECTOR(cake_known_order) orders;  /* between dimensions */
    uint32_t operations;                   /* so far; bounded, so that expansion ends */
    uint32_t steps, depth;                 /* expressions worked out so far, and around the current one; bounded too */
    bool keep_comparisons;                 /* fold comparisons of constants only */
} cake_builder;

#define CAKE_MAX_OPERATIONS 200000

/* ---- values.c ---- */
/* Names a value for printing, once; null values and constants are left alone. */
void cake_plan_name_value(cake_plan_value *value, cake_name name);
cake_plan_value *cake_plan_constant_index(cake_builder *builder, int64_t value);
cake_plan_value *cake_plan_constant(cake_builder *builder, cake_dtype dtype, int64_t integer, double real);
cake_plan_value *cake_plan_leaf(cake_builder *builder, cake_plan_op_kind kind, cake_dtype dtype, int64_t low,
                                int64_t high);
cake_plan_op *cake_plan_append(cake_builder *builder, cake_plan_op_kind kind);
cake_plan_value *cake_plan_result(cake_builder *builder, cake_plan_op *op, cake_dtype dtype, const cake_shape *shape);
/* Index or typed arithmetic on values of one dtype; folds constants and keeps ranges. Null after an error (reported).
 */
cake_plan_value *cake_plan_binary(cake_builder *builder, cake_binary_op op, cake_plan_value *left,
                                  cake_plan_value *right);
cake_plan_value *cake_plan_unary(cake_builder *builder, cake_unary_op op, cake_plan_value *operand);
/* min, max, cdiv, ceilto, ispow2, select and the elementwise built-ins; dtype is the result's. */
cake_plan_value *cake_plan_call(cake_builder *builder, cake_builtin function, uint8_t modifiers, cake_dtype dtype,
                                cake_plan_value **operands, uint8_t count);
/* The shape that the operands broadcast to; false after an error (reported). */
bool cake_plan_broadcast(cake_builder *builder, cake_plan_value **operands, uint8_t count, cake_shape *out_shape);
/* Appends a pure operation on the operands, ties the layouts, gives its result. */
cake_plan_value *cake_plan_elementwise(cake_builder *builder, cake_plan_op_kind kind, cake_dtype dtype,
                                       cake_plan_value **operands, uint8_t count, cake_range range);
/* Converts exactly from index or real, or as an explicit cast. */
cake_plan_value *cake_plan_convert(cake_builder *builder, cake_plan_value *value, cake_dtype dtype);

/* ---- infer.c ---- */
uint32_t cake_plan_class_new(cake_builder *builder, const cake_shape *shape);
void cake_plan_class_join(cake_builder *builder, uint32_t a, uint32_t b);
void cake_plan_relate(cake_builder *builder, cake_relation_kind kind, uint32_t small, uint32_t big, uint32_t axes,
                      const uint32_t *offsets);
/* Ties a concat along the axis to its parts. */
void cake_plan_relate_concat(cake_builder *builder, uint32_t first, uint32_t second, uint32_t whole, uint8_t axis);
void cake_plan_class_vec(cake_builder *builder, uint32_t layout_class, uint32_t vec, bool store);
/* A tile that has its layout already. */
void cake_plan_class_fix(cake_builder *builder, uint32_t layout_class, const cake_layout *layout);
void cake_plan_class_wgmma(cake_builder *builder, uint32_t layout_class);
/* An mma fragment with so many elements in a word: 2 for accumulators. */
void cake_plan_class_mma(cake_builder *builder, uint32_t layout_class, uint32_t per_word);
/* The role's teams have 1 << this warps, or an odd multiple of that. */
uint8_t cake_plan_warp_bits(const cake_builder *builder);
/* The layout that the class has by what is known so far; null if it can't be dealt. */
const cake_layout *cake_plan_class_layout(cake_builder *builder, uint32_t layout_class);
/* Decides the layouts of the role's tiles and what follows from them. */
void cake_plan_infer(cake_builder *builder);

/* ---- expression.c ---- */
/* The value of an expression; null after an error (reported). */
cake_plan_value *cake_plan_expression(cake_builder *builder, const cake_expr *expr);
/* The same, as a compile-time integer; false after an error (reported as 'what' must be known). */
bool cake_plan_integer(cake_builder *builder, const cake_expr *expr, const char *what, int64_t *out_value);
/* Extents of a written type as compile-time integers. */
bool cake_plan_shape(cake_builder *builder, const cake_written_type *type, cake_shape *out_shape);
cake_plan_variable *cake_plan_variable_of(cake_builder *builder, const cake_expr *place);

/* ---- rearrange.c ---- */
/* The part [offset, offset + shape) of a tile. */
cake_plan_value *cake_plan_part(cake_builder *builder, cake_plan_value *tile, const uint32_t *offsets,
                                const cake_shape *shape);
/* Of a tile with two axes. */
cake_plan_value *cake_plan_transpose(cake_builder *builder, cake_plan_value *tile);
cake_plan_value *cake_plan_relayout(cake_builder *builder, cake_plan_value *tile);
/* reshape, concat and topk. */
cake_plan_value *cake_plan_rearrange(cake_builder *builder, const cake_expr *expr);

/* ---- combine.c ---- */
/* Whether the called function exists for the dtype; reported otherwise. */
bool cake_plan_has_form(cake_builder *builder, const cake_expr *expr, cake_dtype dtype);
cake_plan_value *cake_plan_fold(cake_builder *builder, const cake_expr *expr);
/* Whether elements of this type are computed with and compared; reports it if not. */
bool cake_plan_is_computable(cake_builder *builder, cake_span span, cake_dtype dtype);
/* reduce and scan, over one or two tiles; null after an error. */
cake_plan_op *cake_plan_combine(cake_builder *builder, const cake_expr *expr);

/* ---- exchange.c ---- */
/* Scratch and costs of the role's exchanges, after the inference. */
void cake_plan_finish_exchanges(cake_builder *builder);
/* Scratch of the builder's role for values that the elected lane reads for a team of several running warps. */
void cake_plan_finish_broadcasts(cake_builder *builder);

/* ---- reorder.c ---- */
/* Puts relayouts before and behind an ordered REDUCE or SCAN, so that its elements follow each other over registers,
 * lanes and warps; false if the tile can't be dealt so. After the inference. */
bool cake_plan_reorder(cake_builder *builder, cake_plan_op *op);

/* ---- tile.c ---- */
cake_plan_value *cake_plan_iota(cake_builder *builder, uint32_t count);
cake_plan_value *cake_plan_insert_axis(cake_builder *builder, cake_plan_value *operand, uint8_t axis);
/* The value itself, or it repeated along axes of extent 1 so that it has the shape, to which it broadcasts. */
cake_plan_value *cake_plan_stretch(cake_builder *builder, cake_plan_value *value, const cake_shape *shape);
cake_plan_value *cake_plan_tile_call(cake_builder *builder, const cake_expr *expr);
cake_plan_value *cake_plan_tile_index(cake_builder *builder, const cake_expr *expr);
/* Offset and extent of one item of a slice of a tile, along an axis of the given extent; false after an error. */
bool cake_plan_slice_item(cake_builder *builder, const cake_item *item, uint32_t extent, uint32_t *out_offset,
                          uint32_t *out_length);
/* The constant slice of a variable that items denote; false after an error. */
bool cake_plan_slice(cake_builder *builder, const cake_expr *expr, const cake_plan_variable *variable,
                     uint32_t *out_offsets, cake_shape *out_shape);

/* ---- place.c ---- */
bool cake_plan_place_of(cake_builder *builder, const cake_expr *expr, cake_plan_place *out_place);
/* A rank of the cluster as an index; null after an error (reported). */
cake_plan_value *cake_plan_peer_rank(cake_builder *builder, const cake_expr *expr);
/* Whether each axis of the place is a range of one dimension. */
bool cake_plan_place_is_box(const cake_plan_place *place);
/* The tensor whose memory a view shows; the tensor itself otherwise. */
const cake_plan_tensor *cake_plan_tensor_base(const cake_plan_tensor *tensor);

/* ---- memory.c ---- */
/* A place for an access by lanes: all extents known. */
bool cake_plan_access_place(cake_builder *builder, const cake_expr *expr, cake_plan_access *access);
cake_dtype cake_plan_place_dtype(const cake_plan_place *place);
/* Ties mask and gather indices to the layout of the tile. */
bool cake_plan_tie_access(cake_builder *builder, const cake_plan_access *access, uint32_t tile_class,
                          const cake_shape *shape);
cake_plan_value *cake_plan_load(cake_builder *builder, const cake_expr *expr);
void cake_plan_store(cake_builder *builder, const cake_stmt *stmt);
void cake_plan_finish_accesses(cake_builder *builder);

/* ---- atomic.c ---- */
/* Null after an error, and for a statement whose value is not used. */
cake_plan_value *cake_plan_atomic(cake_builder *builder, const cake_expr *expr, bool used);
cake_plan_value *cake_plan_poll(cake_builder *builder, const cake_expr *expr, bool used);

/* ---- copy.c ---- */
void cake_plan_tma(cake_builder *builder, const cake_stmt *stmt);

/* ---- multiple.c ---- */
#define CAKE_MAX_MULTIPLE 4096
/* The largest power of two, up to CAKE_MAX_MULTIPLE, that is shown to divide an index value. */
uint32_t cake_plan_multiple(const cake_builder *builder, const cake_plan_value *value);

/* ---- vector.c ---- */
/* Whether the access is shown to be made of whole, aligned vectors; false after an error (reported). */
bool cake_plan_vector_check(cake_builder *builder, const cake_plan_access *access);

/* ---- async.c ---- */
void cake_plan_async_load(cake_builder *builder, const cake_stmt *stmt);

/* ---- mma.c ---- */
void cake_plan_mma(cake_builder *builder, const cake_stmt *stmt);
/* Whether ldmatrix reads the place's last two axes: null, or what stands in the way. */
const char *cake_plan_ldmatrix_obstacle(const cake_builder *builder, const cake_plan_place *place);

/* ---- matrix.c ---- */
void cake_plan_wgmma(cake_builder *builder, const cake_stmt *stmt);

/* ---- statement.c ---- */
void cake_plan_statements(cake_builder *builder, const cake_block *block);

/* ---- tiles.c ---- */
/* Rank of the CTA in its cluster. */
cake_plan_value *cake_plan_cluster_rank(cake_builder *builder);
/* Number of the CTA's cluster, or of clusters in the grid; without clusters of the CTA or of CTAs. */
cake_plan_value *cake_plan_cluster_number(cake_builder *builder, cake_plan_op_kind kind, int64_t low, int64_t high);
/* Binds the grid's coordinates to the tile with number 'tile'. With a ragged axis some numbers belong to no tile: the
 * builder's block is then what runs for the others. */
void cake_plan_bind_tile(cake_builder *builder, cake_plan_value *tile);
void cake_plan_grid(cake_builder *builder);

/* ---- claim.c ---- */
/* The pipeline that passes claimed tiles, where more than one team walks them. */
void cake_plan_claim_ring(cake_builder *builder);
/* Number of the next tile, of u32; not below the number of tiles when there is none left. */
cake_plan_value *cake_plan_claim(cake_builder *builder);

/* ---- ragged.c ---- */
/* How many numbers a ragged axis has, in launch scope; null after an error (reported). */
cake_plan_value *cake_plan_ragged_extent(cake_builder *builder, const cake_axis *axis);
/* Binds the members of a ragged coordinate with this number; gives whether there is such a block. */
cake_plan_value *cake_plan_ragged_bind(cake_builder *builder, const cake_axis *axis, cake_plan_value *number);
cake_plan_value *cake_plan_ragged_member(cake_builder *builder, const cake_expr *expr);

/* ---- contract.c ---- */
/* Whether the host can evaluate the expression: exact integers over dimensions and compile-time values. */
bool cake_plan_is_launch_expression(const cake_expr *expr);
void cake_plan_choices(cake_builder *builder);
void cake_plan_contract(cake_builder *builder);

/* ---- objects.c ---- */
void cake_plan_roles(cake_builder *builder);
/* Extents and strides (null: row-major) in launch scope; false after an error (reported). */
bool cake_plan_shape_tensor(cake_builder *builder, cake_plan_tensor *tensor, const cake_expr_list *extents,
                            const cake_expr_list *strides);
void cake_plan_parameters(cake_builder *builder);
void cake_plan_memory(cake_builder *builder);
/* After the roles' bodies: barrier counts, scratch, named barriers, shared memory, hardware limits. */
void cake_plan_finish_objects(cake_builder *builder);
const cake_plan_role *cake_plan_role_find(const cake_plan *plan, cake_name name);
const cake_plan_pipeline *cake_plan_pipeline_find(const cake_plan *plan, cake_name name);

/* ---- view.c ---- */
void cake_plan_view(cake_builder *builder, const cake_view *declared);

/* ---- held.c ---- */
void cake_plan_held_slots(cake_builder *builder, cake_plan_role *role);

void cake_plan_cost_add(cake_builder *builder, cake_span span, const char *format, ...) CAKE_PRINTF(3, 4);

#endif
