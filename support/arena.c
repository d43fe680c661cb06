#include "support/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT           ((size_t)16)
#define FIRST_BLOCK_BYTES   ((size_t)16 << 10)
#define LARGEST_BLOCK_BYTES ((size_t)1 << 20)

/* Blocks come from calloc and are handed out once, so what they hold is zero without clearing it again. */
struct cake_arena_block {
    cake_arena_block *older;
    size_t size, used;
    _Alignas(16) unsigned char bytes[];
};

void cake_arena_init(cake_arena *arena, size_t limit_bytes, jmp_buf *out_of_memory) {
    *arena = (cake_arena){.limit = limit_bytes, .out_of_memory = out_of_memory};
}

void cake_arena_fini(cake_arena *arena) {
    while (arena->newest) {
        cake_arena_block *block = arena->newest;
        arena->newest = block->older;
        free(block);
    }
    arena->used = 0;
}

static CAKE_NORETURN void run_out(cake_arena *arena) {
    longjmp(*arena->out_of_memory, 1);
}

/* Blocks double up to a bound: few calls for a large module, little waste for a small one. A request that is larger
 * than a block would be gets one of its own size. */
static void add_block(cake_arena *arena, size_t bytes) {
    size_t size = arena->newest ? arena->newest->size * 2 : FIRST_BLOCK_BYTES;
    if (size > LARGEST_BLOCK_BYTES) size = LARGEST_BLOCK_BYTES;
    if (size < bytes) size = bytes;
    cake_arena_block *block = calloc(1, sizeof *block + size);
    if (!block) run_out(arena);
    block->older = arena->newest;
    block->size = size;
    arena->newest = block;
}

void *cake_arena_alloc(cake_arena *arena, size_t bytes) {
    if (bytes > arena->limit) run_out(arena);
    size_t rounded = bytes ? (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
    if (rounded < bytes || rounded > arena->limit - arena->used) run_out(arena);
    if (!arena->newest || arena->newest->size - arena->newest->used < rounded) add_block(arena, rounded);
    cake_arena_block *block = arena->newest;
    void *memory = block->bytes + block->used;
    block->used += rounded;
    arena->used += rounded;
    return memory;
}

void *cake_arena_alloc_array(cake_arena *arena, size_t size, size_t count) {
    if (size && count > SIZE_MAX / size) run_out(arena);
    return cake_arena_alloc(arena, size * count);
}

char *cake_arena_copy(cake_arena *arena, const char *bytes, size_t size) {
    if (size == SIZE_MAX) run_out(arena);
    char *copy = cake_arena_alloc(arena, size + 1);
    if (size) memcpy(copy, bytes, size);
    return copy;
}

char *cake_arena_vformat(cake_arena *arena, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, arguments);
    if (size < 0) {
        va_end(again);
        run_out(arena);
    }
    char *text = cake_arena_alloc(arena, (size_t)size + 1);
    vsnprintf(text, (size_t)size + 1, format, again);
    va_end(again);
    return text;
}

char *cake_arena_format(cake_arena *arena, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = cake_arena_vformat(arena, format, arguments);
    va_end(arguments);
    return text;
}
