/* What the files that read a manifest share. Internal to manifest/. */
#ifndef CAKE_MANIFEST_READ_PARTS_H
#define CAKE_MANIFEST_READ_PARTS_H

#include "manifest/json_reader.h"
#include "manifest/manifest.h"

/* Bounds on counts: far above what a kernel has, low enough that a damaged file costs nothing. */
#define CAKE_READ_KERNEL_LIMIT    256
#define CAKE_READ_PROGRAM_LIMIT   64
#define CAKE_READ_TEMPORARY_LIMIT 64
#define CAKE_READ_STEP_LIMIT      1024
#define CAKE_READ_NAME_LIMIT      256
#define CAKE_READ_TENSOR_LIMIT    128
#define CAKE_READ_ARGUMENT_LIMIT  512
#define CAKE_READ_CONDITION_LIMIT 4096

/* ---- read_interface.c ---- */
const char *cake_read_dtype(cake_json_reader *reader, cake_json_node object);
cake_launch_expr_list cake_read_expressions(cake_json_reader *reader, cake_json_node object, const char *key,
                                            uint32_t limit);
/* An index below count. */
uint32_t cake_read_index(cake_json_reader *reader, cake_json_node object, const char *key, uint32_t count);

/* Reads a list of texts into a vector of strings. */
#define CAKE_READ_STRINGS(reader, object, key, limit, vector)                                                          \
    do {                                                                                                               \
        cake_json_node list_ = cake_json_list((reader), (object), (key), (limit));                                     \
        for (uint32_t i_ = 0; i_ < cake_json_size(list_); i_++)                                                        \
            *CAKE_PUSH((reader)->arena, (vector)) = cake_json_string_at((reader), list_, i_);                          \
    } while (0)

/* Reads a list of conditions, as of a contract, into a vector. */
#define CAKE_READ_CONDITIONS(reader, object, key, interface, vector)                                                   \
    do {                                                                                                               \
        cake_json_node list_ = cake_json_list((reader), (object), (key), CAKE_READ_CONDITION_LIMIT);                   \
        for (uint32_t i_ = 0; i_ < cake_json_size(list_); i_++)                                                        \
            *CAKE_PUSH((reader)->arena, (vector)) =                                                                    \
                cake_read_condition((reader), cake_json_item((reader), list_, i_), (interface));                       \
    } while (0)

/* A condition whose names all have a value at a launch. */
cake_manifest_condition cake_read_condition(cake_json_reader *reader, cake_json_node object,
                                            const cake_manifest_interface *interface);

/* Members that an interface has. */
#define CAKE_READ_INTERFACE_MEMBERS 9
void cake_read_interface(cake_json_reader *reader, cake_json_node object, cake_manifest_interface *out_interface);

/* Fails unless a launch gives every name in it a value. */
void cake_read_check(cake_json_reader *reader, cake_json_node object, const char *key,
                     const cake_manifest_interface *interface, const cake_launch_expr *expr);
/* The same for the bits of a float: scalars of f32 and f64 have a value too. */
void cake_read_check_float(cake_json_reader *reader, cake_json_node object, const char *key,
                           const cake_manifest_interface *interface, const cake_launch_expr *expr);
void cake_read_check_list(cake_json_reader *reader, cake_json_node object, const char *key,
                          const cake_manifest_interface *interface, const cake_launch_expr_list *list);
/* How many dimensions, statics, tunables, scalars and tensors have the name; 'sm_count' is taken by the host. */
uint32_t cake_read_count_name(const cake_manifest_interface *interface, const char *name);

/* ---- read_program.c ---- */
cake_manifest_program cake_read_program(cake_json_reader *reader, cake_json_node object, const cake_manifest *manifest);

#endif
