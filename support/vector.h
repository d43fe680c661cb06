/* Vector: a growable array in an arena.
 *
 *     CAKE_VECTOR(cake_token) tokens = {0};
 *     cake_token *token = CAKE_PUSH(arena, &tokens);      // zeroed; valid until the next push
 *     for (uint32_t i = 0; i < tokens.count; i++) use(&tokens.items[i]);
 *
 * Growing copies to a block twice as large; the old one stays in the arena until that is freed.
 */
#ifndef CAKE_SUPPORT_VECTOR_H
#define CAKE_SUPPORT_VECTOR_H

#include <stdint.h>

#include "support/arena.h"

#define CAKE_VECTOR(type)                                                                                              \
    struct {                                                                                                           \
        type *items;                                                                                                   \
        uint32_t count, capacity;                                                                                      \
    }

/* Appends a zeroed item and gives its address. */
#define CAKE_PUSH(arena, vector)                                                                                       \
    ((vector)->items =                                                                                                 \
         cake_vector_reserve((arena), (vector)->items, sizeof *(vector)->items, (vector)->count, &(vector)->capacity), \
     &(vector)->items[(vector)->count++])

/* Storage with room for one more item behind count; the new room is zeroed. */
void *cake_vector_reserve(cake_arena *arena, void *items, size_t item_size, uint32_t count, uint32_t *capacity);

#endif
