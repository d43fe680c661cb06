#include "support/vector.h"

#include <string.h>

void *cake_vector_reserve(cake_arena *arena, void *items, size_t item_size, uint32_t count, uint32_t *capacity) {
    if (count < *capacity) return items;
    size_t grown = *capacity ? (size_t)*capacity * 2 : 8;
    if (grown > UINT32_MAX) longjmp(*arena->out_of_memory, 1);
    void *moved = cake_arena_alloc_array(arena, item_size, grown);
    if (count) memcpy(moved, items, item_size * count);
    *capacity = (uint32_t)grown;
    return moved;
}
